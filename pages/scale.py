"""Scale: a stimulus as people perceive it, and how people differ."""

from __future__ import annotations

from tripletscope.dashboard.state import session
from tripletscope.dashboard.views.opening import opened
from tripletscope.dashboard.views.scale.page import show_scale


def main() -> None:
    current = session()
    info = opened(
        current, "Scale",
        "A scale is computed from answers: upload a file on the start page, or open one of the "
        "samples.", with_pairs=True,
    )
    if info is not None:
        show_scale(current, info)


main()
