"""Compare: which method, how many dimensions, how many answers."""

from __future__ import annotations

from tripletscope.dashboard.state import session
from tripletscope.dashboard.views.compare.page import show_compare
from tripletscope.dashboard.views.opening import opened


def main() -> None:
    current = session()
    info = opened(
        current, "Compare",
        "Methods are compared on answers: upload a file on the start page, or open one of the "
        "samples.",
    )
    if info is not None:
        show_compare(current, info)


main()
