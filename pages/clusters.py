"""Clusters: groups of objects, how many there are, and how sure they are."""

from __future__ import annotations

from tripletscope.dashboard.state import session
from tripletscope.dashboard.views.clusters.page import show_clusters
from tripletscope.dashboard.views.opening import opened


def main() -> None:
    current = session()
    info = opened(
        current, "Clusters",
        "Clusters are computed from answers: upload a file on the start page, or open one of the "
        "samples.",
    )
    if info is not None:
        show_clusters(current, info)


main()
