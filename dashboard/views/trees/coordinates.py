"""Trees that see the features of the objects, to choose in place of a comparison tree."""

from __future__ import annotations

from typing import Any

from tripletscope.core.tree.coordinates import TREES
from tripletscope.dashboard.views.trees.grove import Grove


def show_coordinate_tree(grove: Grove, kind: str, picture: Any, side: Any) -> None:
    """The tree, its cells, and the neighbours that it finds beside a comparison tree."""
    with side:
        colour = grove.colour()
        run = grove.result(
            grove.method, "coordinate_tree",
            "Grows the tree, and searches neighbours of objects in trees grown without them.",
            given={"tree": kind}, hidden=() if kind == "cover" else ("coverage",),
        )
    with picture:
        if run is None:
            grove.empty(
                "Nothing has been computed yet",
                f"Compute grows a {TREES[kind]} of the features, and shows how often it and a "
                "comparison tree with leaves of the same size miss the nearest neighbour.",
            )
        else:
            grove.present(run, colour=colour)
