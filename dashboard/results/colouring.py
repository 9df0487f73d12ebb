"""What can colour the objects of a map: columns of their table, and parts of their names."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import pandas as pd

from tripletscope.core.reading.names import listing
from tripletscope.dashboard.figures.colours import is_quantity

#: Categories that are told apart at first sight; parts of names with more are not offered.
_FEW, _MOST_PARTS = 10, 20
_OWN = ("id", "label", "image")


@dataclass(frozen=True)
class Colouring:
    """One way of colouring: its title in the legend, and as it is `shown` in a list.

    values: One value per object; only made when it is chosen.
    """

    title: str
    shown: str
    values: Callable[[], pd.Series]


def of_table(objects: pd.DataFrame) -> list[str]:
    """Columns of the objects that describe them."""
    return [str(c) for c in objects.columns if c not in _OWN]


def own_colourings(objects: pd.DataFrame) -> dict[str, Colouring]:
    """Ways of colouring by the objects alone, by key: the columns of the table first."""
    table = of_table(objects)
    ways = {c: Colouring(c, c, lambda c=c: objects[c]) for c in table}
    for number, part in name_parts(objects["label"].tolist()).items():
        title = free_title(f"part {number} of the name", table)
        most = listing([str(name) for name in part.cat.categories], 3)
        ways[f"*part {number}"] = Colouring(title, f"{most} ({title})", lambda part=part: part)
    return ways


def first_colouring(objects: pd.DataFrame, ways: Mapping[str, Colouring]) -> str:
    """The key of what colours at first; "" for nothing.

    What describes the objects tells the reader something about the map: a few categories, then a
    quantity, then a part of the names. Uncertainty and numbers of answers describe the
    measurement, which ellipses show already: in colour they would be taken for structure.
    """
    table = of_table(objects)
    few = [c for c in table if 2 <= objects[c].nunique() <= _FEW]
    parts = [
        key for key, way in ways.items()
        if key.startswith("*part") and way.values().nunique() <= _FEW
        and not way.values().astype(str).str.isdigit().all()
    ]
    quantities = [c for c in table if is_quantity(objects[c])]
    categories = [c for c in few if c not in quantities]
    return [*categories, *quantities, *few, *parts, ""][0]


def coloured(objects: pd.DataFrame, way: Colouring | None) -> tuple[str | None, pd.DataFrame]:
    """The column that colours objects, and the objects with it."""
    if way is None:
        return None, objects
    if way.title not in objects:
        objects = objects.assign(**{way.title: way.values().array})
    return way.title, objects


def name_parts(names: Sequence[str]) -> dict[int, pd.Series]:
    """Parts of names that take few values, like BF and WM of CFD-BF-001 and CFD-WM-004.

    A name is cut at signs, and between letters and digits; where names have more words or fewer,
    these stay together. A part counts if all names have it,
    each of its values belongs to at least two objects, and there are at most a third as many
    values as objects.

    Returns: Categories by the number of the part, from 1.
    """
    return _parts(tuple(names))


@lru_cache(maxsize=8)  # a redraw asks several times
def _parts(names: tuple[str, ...]) -> dict[int, pd.Series]:
    cut = [re.findall(r"[^\W\d_]+|\d+", name) for name in names]
    if len({*map(len, cut)}) > 1:  # words such as "green apple" have no place of their own
        cut = [re.findall(r"[^\W\d_]+(?: [^\W\d_]+)*|\d+", name) for name in names]
    parts: dict[tuple[int, ...], tuple[int, pd.Series]] = {}
    for place in range(min(map(len, cut), default=0)):
        values = pd.Series(pd.Categorical([pieces[place] for pieces in cut]))
        sizes = values.value_counts()
        if 2 <= len(sizes) <= min(_MOST_PARTS, len(names) // 3) and sizes.min() >= 2:
            # Parts that divide the objects alike are one.
            parts.setdefault(tuple(pd.factorize(values)[0].tolist()), (place + 1, values))
    return dict(parts.values())


def free_title(title: str, table: Sequence[str]) -> str:
    """A title that no column of the table bears."""
    return title if title not in table else f"{title} (map)"
