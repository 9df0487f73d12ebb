"""What can colour the objects of a map: their table, and what is known of them without one."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pandas as pd

from tripletscope.core.io.names import listing
from tripletscope.dashboard.figures.colours import is_quantity
from tripletscope.dashboard.keeping.dataset import DatasetInfo
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.views.clusters.choosing import clusters_shown

#: Categories that are told apart at first sight; parts of names with more are not offered.
_FEW, _MOST_PARTS = 10, 20
_OWN = ("id", "label", "image")
#: Key of the colouring by the clusters that the page Clusters shows.
CLUSTERS = "*clusters"


@dataclass(frozen=True)
class Colouring:
    """One way of colouring.

    title: Of the colour bar or the legend, and in the caption.
    shown: In the list to choose from.
    values: One value per object; only made when it is chosen.
    """

    title: str
    shown: str
    values: Callable[[], pd.Series]


def of_table(objects: pd.DataFrame) -> list[str]:
    """Columns of the objects that describe them."""
    return [str(c) for c in objects.columns if c not in _OWN]


def colourings(
    session: Session, info: DatasetInfo, objects: pd.DataFrame,
    inspected: Callable[[], pd.DataFrame], *, uncertain: bool,
) -> dict[str, Colouring]:
    """All ways of colouring, by key: the columns of the table first.

    inspected: Makes the table of
        `tripletscope.core.inference.evaluation.inspection.inspect_objects`.
    uncertain: Whether it has a column ``uncertainty``.
    """
    table = of_table(objects)
    found = {c: Colouring(c, c, lambda c=c: objects[c]) for c in table}
    for number, part in name_parts(objects["label"].tolist()).items():
        title = _free(f"part {number} of the name", table)
        most = listing([str(name) for name in part.cat.categories], 3)
        found[f"*part {number}"] = Colouring(
            title, f"{most} ({title})", lambda part=part: part
        )
    clusters = clusters_shown(session, info)
    if clusters is not None and len(clusters.column) == len(objects):
        found[CLUSTERS] = Colouring(
            _free("cluster", table), f"Clusters ({clusters.name})", lambda: clusters.column
        )
    if uncertain:
        title = _free("uncertainty of the position", table)
        found["*uncertainty"] = Colouring(
            title, title.capitalize(), lambda: inspected()["uncertainty"]
        )
    for key, column, scale, title in (
        ("*answers", "answers", 1, "number of answers about the object"),
        ("*contradicted", "contradicted", 100, "answers that the map contradicts (%)"),
    ):
        title = _free(title, table)
        found[key] = Colouring(
            title, title.capitalize(),
            lambda column=column, scale=scale: scale * inspected()[column],
        )
    return found


def first_colouring(objects: pd.DataFrame, known: dict[str, Colouring]) -> str:
    """The key of what colours at first; "" for nothing.

    What describes the objects tells the reader something about the map: a few categories, then a
    quantity, then a part of the names. Uncertainty and numbers of answers describe the
    measurement, which ellipses show already: in colour they would be taken for structure.
    """
    table = of_table(objects)
    few = [c for c in table if 2 <= objects[c].nunique() <= _FEW]
    parts = [
        key for key, how in known.items()
        if key.startswith("*part") and how.values().nunique() <= _FEW
        and not how.values().astype(str).str.isdigit().all()
    ]
    quantities = [c for c in table if is_quantity(objects[c])]
    categories = [c for c in few if c not in quantities]
    return [*categories, *quantities, *few, *parts, ""][0]


def name_parts(names: Sequence[str]) -> dict[int, pd.Series]:
    """Parts of names that take few values, like BF and WM of CFD-BF-001 and CFD-WM-004.

    A name is cut at signs, and between letters and digits. A part counts if all names have it,
    each of its values belongs to at least two objects, and there are at most a third as many
    values as objects.

    Returns: Categories by the number of the part, from 1.
    """
    cut = [re.findall(r"[^\W\d_]+|\d+", name) for name in names]
    found: dict[int, pd.Series] = {}
    seen: set[tuple[int, ...]] = set()
    for place in range(min(map(len, cut), default=0)):
        values = pd.Series([parts[place] for parts in cut], dtype="category")
        sizes = values.value_counts()
        partition = tuple(pd.factorize(values)[0].tolist())
        if (
            2 <= len(sizes) <= min(_MOST_PARTS, len(names) // 3) and sizes.min() >= 2
            and partition not in seen
        ):
            seen.add(partition)
            found[place + 1] = values
    return found


def _free(title: str, table: Sequence[str]) -> str:
    """A title that no column of the table bears."""
    return title if title not in table else f"{title} (map)"
