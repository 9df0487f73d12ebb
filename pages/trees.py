"""Trees: neighbours, classes and numbers from comparisons alone."""

from __future__ import annotations

from tripletscope.dashboard.state import session
from tripletscope.dashboard.views.opening import opened
from tripletscope.dashboard.views.trees.page import show_trees


def main() -> None:
    current = session()
    info = opened(
        current, "Trees",
        "Comparison trees grow from answers: upload a file on the start page, or open one of the "
        "samples.",
    )
    if info is not None:
        show_trees(current, info)


main()
