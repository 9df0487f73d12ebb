"""Uncertainty: how sure positions and answers are, and what to ask next."""

from __future__ import annotations

from tripletscope.dashboard.state import session
from tripletscope.dashboard.views.opening import opened
from tripletscope.dashboard.views.uncertainty.page import show_uncertainty


def main() -> None:
    current = session()
    info = opened(
        current, "Uncertainty",
        "Uncertainty is computed from answers: upload a file on the start page, or open one of "
        "the samples.",
    )
    if info is not None:
        show_uncertainty(current, info)


main()
