"""What can colour the objects of a map: their table, and what is known of them without one."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from tripletscope.dashboard.results.colouring import Colouring, free_title, of_table, own_colourings
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.store.dataset import DatasetInfo
from tripletscope.dashboard.ui.controls import pick
from tripletscope.dashboard.ui.shown_clustering import clusters_shown

#: Columns of the inspected objects, by what they are multiplied, and their titles.
_INSPECTED = (
    ("uncertainty", 1, "uncertainty of the position"),
    ("answers", 1, "number of answers about the object"),
    ("contradicted", 100, "answers that the map contradicts (%)"),
)
#: Key of the colouring by the clusters that the page Clusters shows.
CLUSTERS = "*clusters"


def colourings(
    session: Session, info: DatasetInfo, objects: pd.DataFrame,
    inspected: Callable[[], pd.DataFrame], *, uncertain: bool,
) -> dict[str, Colouring]:
    """All ways of colouring, by key: the columns of the table first.

    inspected: Makes the table of `inspect_objects`, with a column of `uncertainty` if it is known.
    """
    table, ways = of_table(objects), own_colourings(objects)
    clusters = clusters_shown(session, info)
    if clusters is not None and len(clusters.column) == len(objects):
        ways[CLUSTERS] = Colouring(
            free_title("cluster", table), f"Clusters ({clusters.name})", lambda: clusters.column
        )
    for column, scale, title in _INSPECTED[0 if uncertain else 1 :]:
        title = free_title(title, table)
        ways[f"*{column}"] = Colouring(
            title, title.capitalize(),
            lambda column=column, scale=scale: scale * inspected()[column],
        )
    return ways


def pick_colouring(session: Session, key: str, ways: dict[str, Colouring], default: str) -> str:
    """Ask for the key of a way of colouring; "" for none."""
    options = {"": "None", **{key: way.shown for key, way in ways.items()}}
    return pick(session, key, "Colour", options, default=default, width=180)
