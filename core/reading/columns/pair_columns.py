"""Pairs of objects in the rows of a table, in columns, cells or features, and their values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from itertools import combinations

import numpy as np
import pandas as pd

from tripletscope.core.data.cells import plain_number
from tripletscope.core.reading.columns.guess import numbered_columns
from tripletscope.core.reading.columns.object_columns import never_objects
from tripletscope.core.reading.columns.values import (
    NEARLY_ALL,
    ColumnCells,
    Columns,
    differ,
    names_one_of,
)
from tripletscope.core.reading.formats.several import FILE
from tripletscope.core.reading.languages import WORDS
from tripletscope.core.reading.names import ALIASES, named, normalised, words_of
from tripletscope.core.reading.table import Table

NAMES = WORDS["measured"]
_TIMES = re.compile(r"(^|[\W_])(rt|time|latency|duration|onset|date)s?($|[\W_])", re.IGNORECASE)
#: Between two objects in one cell.
_SIGNS = (" - ", " vs. ", " vs ", " / ", "--", "__", *"-_/|+&:;, ")
#: Sides of a pair in names of columns.
_SIDES = (("l", "r"), ("left", "right"), ("1", "2"), ("a", "b"))
#: Columns that are compared with each other, in quadratic time.
_COMPARED = 40
#: Share of the objects in both columns; and of numbers, which share values by chance.
_SHARED, _SHARED_NUMBERS = 0.3, 0.6
#: Share of rows about two different objects; the others are about one and itself.
_DIFFER = 0.6
#: Most columns beside participants and times where numbers may name objects.
_FEW_COLUMNS = 4
#: Fewest rows that show by their values alone that they are about pairs.
_FEW_ROWS = 10
#: Times that a person judges a pair at most, where only the values show that these are pairs.
_AGAIN = 6


@dataclass(frozen=True, eq=False)
class PairColumns:
    """Objects of the rows, (n,) texts each, and columns by role.

    called: Whether their names say so.
    numeric: Whether the names of the objects are numbers.
    """

    first: np.ndarray
    second: np.ndarray
    roles: Mapping[str, str]
    called: bool
    numeric: bool

    @property
    def objects(self) -> set[str]:
        return {*self.first, *self.second} - {""}

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.roles.values()))

    @property
    def cells(self) -> list[ColumnCells]:
        """The objects as columns, each with the values of both."""
        return [ColumnCells("", one, frozenset(self.objects), np.empty(0))
                for one in (self.first, self.second)]


def is_beside(name: str) -> bool:
    """Whether the name is that of what is neither an object nor what was said of some."""
    return never_objects(name) or normalised(name) in NAMES["beside"] or (bool(_TIMES.search(name)))


def participant_of(columns: Columns) -> dict[str, str]:
    """The role of the participant, by its name or the files of a table."""
    table = columns.table
    who = named(columns.names, ALIASES["participant"]) if table.header else None
    if who is None and table.files and FILE in columns.names:
        who = FILE
    return {"participant": who} if who else {}


def pairs_of(columns: Columns) -> list[PairColumns]:
    """Pairs that rows may be about, the likeliest first."""
    who = participant_of(columns).values()
    free = [column for column in columns if not is_beside(column.name) and column.name not in who
            and len(column.values) > 1 and not column.is_clock]
    found = [_named(columns, free)] if columns.table.header else []
    found += [_features(columns, free)] if columns.table.header else []
    result = [pair for pair in found if pair is not None]
    return result or [*_by_values(columns, free), *_in_cells(columns, free)]


def judged(table: Table, roles: Mapping[str, str]) -> tuple[np.ndarray, np.ndarray]:
    """The two objects of all rows, by the roles of `PairColumns`."""
    if "pair" in roles:
        cells = table.names(roles["pair"])
        sign = _sign([text for text in cells.tolist() if text])
        parts = [text.split(sign, 1) if sign in text else ("", "") for text in cells.tolist()]
        first, second = np.array(parts, dtype=object).reshape(-1, 2).T
        return (np.array([part.strip() for part in one], dtype=object) for one in (first, second))
    both = []
    for item in ("item1", "item2"):
        own = [name for role, name in roles.items() if role.partition("[")[0] == item]
        texts = [np.array([plain_number(text) for text in table.names(name).tolist()], dtype=object)
                 for name in own]
        both.append(reduce(lambda one, other: one + "," + other, texts))
    return both[0], both[1]


def _made(columns: Columns, roles: Mapping[str, str], called: bool) -> PairColumns:
    first, second = judged(columns.sample, roles)
    numeric = all(columns[name].is_numeric for name in roles.values()) and len(roles) == 2
    if "pair" in roles:
        numeric = all(re.fullmatch(r"[\d.,]*", text) for text in {*first, *second})
    return PairColumns(first, second, roles, called, numeric)


def _named(columns: Columns, free: list[ColumnCells]) -> PairColumns | None:
    """Two columns with the usual names of a pair, and no third."""
    names = [column.name for column in free]
    groups = {
        key: group for key, group in numbered_columns(columns.names).items()
        if len(group) == 2 and {*group} <= {*names}
        and not any(re.search(r"\d\d", name) for name in group)
    }
    usual = [group for key, group in groups.items() if key in NAMES["things"]]
    tried = [*usual, *((named(names, (a,)), named(names, (b,))) for a, b in NAMES["pairs"]),
              (named(names, ALIASES["left"]), named(names, ALIASES["right"]))]
    if len(groups) == 1:
        tried += groups.values()
    for first, second in tried:
        if first is None or second is None:
            continue
        one, other = columns[first], columns[second]
        union = one.values | other.values
        apart = len(one.values & other.values)
        few = len(union) > 2 and 2 * apart >= min(len(one.values), len(other.values)) - 2
        if few and not (one.is_measure and one.is_unique) and differ([one, other]) >= 0.3:
            return _made(columns, {"item1": first, "item2": second}, True)
    return None


def _features(columns: Columns, free: list[ColumnCells]) -> PairColumns | None:
    """Two or more features of either object, such as f1l, f2l, f1r and f2r."""
    sides = sided(column.name for column in free)
    sides = {
        stem: pair for stem, pair in sides.items()
        if all(columns[name].values and len(columns[name].values) <= 30 for name in pair)
        and len(columns[pair[0]].values & columns[pair[1]].values) >= 2
    }
    if len(sides) < 2:
        return None
    return _made(columns, {
        f"item{k + 1}[{stem}]": pair[k] for k in (0, 1) for stem, pair in sides.items()
    }, True)


def sided(names: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Columns whose names differ in a side alone, by the rest of the name; of one way of sides."""
    known = {normalised(name): name for name in names}
    for one, other in _SIDES:
        found: dict[str, tuple[str, str]] = {}
        for key, name in known.items():
            for stem, twin, third in (
                (key.removesuffix(one), key.removesuffix(one) + other, key.removesuffix(one) + "3"),
                (key.removeprefix(one), other + key.removeprefix(one), "3" + key.removeprefix(one)),
            ):
                whole = stem != key and not (one.isdigit() and (stem[-1:] + stem[:1]).isdigit())
                if stem and whole and twin in known and third not in known:
                    found.setdefault(stem, (name, known[twin]))
        if len(found) > 1:
            return found
    return {}


def _by_values(columns: Columns, free: list[ColumnCells]) -> Iterator[PairColumns]:
    """Two columns that share their values, which no third one does, about different pairs."""
    several = {name for group in numbered_columns(columns.names).values()
               if len(group) > 2 and columns.table.header for name in group}
    able = [
        column for column in free if column.name not in several
        and column.n_written >= _FEW_ROWS and not column.counts_rows and not column.is_measure
        and 2 * len(column.values) <= 3 * column.n_written
    ][:_COMPARED]
    who = participant_of(columns).get("participant")
    fitting = [(one, other) for one, other in combinations(able, 2) if _alike(one, other)]
    beside = [column for column in free if not column.is_constant]
    for one, other in fitting:
        thirds = {third.name: third for pair in fitting for third in pair
                  if {one, other} & {*pair} and third not in (one, other)}
        # What names one of the two is a choice.
        if any(names_one_of(third, [one, other]) < NEARLY_ALL for third in thirds.values()) or (
            one.is_numeric and len(beside) > _FEW_COLUMNS
        ):
            continue
        made = _made(columns, {"item1": one.name, "item2": other.name}, False)
        chosen = any(names_one_of(choice, [one, other]) >= NEARLY_ALL for choice in free
                     if choice not in (one, other) and not choice.is_constant)
        if chosen or _each_once(made, columns[who].texts if who else None):
            yield made


def _alike(one: ColumnCells, other: ColumnCells) -> bool:
    numeric = one.is_numeric and other.is_numeric
    union, both = len(one.values | other.values), len(one.values & other.values)
    if one.is_numeric != other.is_numeric or union < (5 if numeric else 3) or not both:
        return False
    shared = both / union if numeric else both / min(len(one.values), len(other.values))
    return shared >= (_SHARED_NUMBERS if numeric else _SHARED) and differ([one, other]) >= _DIFFER


def _each_once(pairs: PairColumns, who: np.ndarray | None) -> bool:
    """Whether each person judges each pair about equally often, if at all."""
    names, codes = pd.unique(np.concatenate([pairs.first, pairs.second])), None
    place = pd.Series(range(len(names)), index=names)
    codes = np.sort(np.column_stack([place[pairs.first], place[pairs.second]]), axis=1)
    codes = codes[codes[:, 0] != codes[:, 1]] if who is None else codes
    frame = pd.DataFrame(codes).assign(who=0 if who is None else who)
    often = frame.value_counts().to_numpy()
    n = len(pairs.objects)
    different = len(frame[[0, 1]].drop_duplicates())
    if not len(often) or different < n - 2:
        return False
    # Counts and codes share values, too; a design has every pair as often.
    design = different >= 0.9 * n * (n - 1) / 2 and often.max() <= 2 * often.min()
    return design or (not pairs.numeric and often.max() <= _AGAIN and np.median(often) <= 2)


def _in_cells(columns: Columns, free: list[ColumnCells]) -> Iterator[PairColumns]:
    """Both objects in one cell."""
    for column in free[:_COMPARED]:
        if column.is_numeric or len(column.values) < 3:
            continue
        if _sign(column.values):
            made = _made(columns, {"pair": column.name}, "pair" in normalised(column.name))
            if len({*made.first} & {*made.second}) >= 0.5 * len({*made.first} | {*made.second}):
                yield made


def _sign(cells: Iterable[str]) -> str:
    """What stands between the two objects of nearly all cells, which are several times there."""
    cells = list(cells)
    for sign in _SIGNS:
        if not _stands_once(sign, cells):
            continue
        parts = [tuple(part.strip() for part in text.split(sign)) for text in cells]
        whole = [part for part in parts if len(part) == 2 and all(part)]
        if len(whole) < NEARLY_ALL * max(len(cells), 1):
            continue
        first, second = ({part[k] for part in whole} for k in (0, 1))
        if len(first & second) >= 0.5 * min(len(first), len(second)) and (
            len(first | second) < len({*whole})
        ):
            return sign
    return ""


def _stands_once(sign: str, cells: list[str]) -> bool:
    """Whether a sign is once in nearly all cells; of those with others, few have to be seen."""
    without, most = 0, len(cells) - NEARLY_ALL * max(len(cells), 1)
    for text in cells:
        without += text.count(sign) != 1
        if without > most:
            return False
    return True


# Values -----------------------------------------------------------------------------------------


def meaning_of(name: str) -> str | None:
    """What a name of a column says large values mean: "similar", "dissimilar", or None."""
    name = normalised(name)
    for meaning in ("dissimilar", "similar"):
        if name in NAMES[meaning] or any(part in name for part in NAMES["parts"][meaning]):
            return meaning
    return None


def says_value(name: str) -> bool:
    """Whether a name is that of a value, such as a rating, whatever large means."""
    return normalised(name) in NAMES["values"] or not {"rating", "ratings", "score"}.isdisjoint(
        words_of(name)
    )


def value_columns(columns: Columns, pairs: PairColumns) -> list[ColumnCells]:
    """Columns that may say how similar two objects are; those alone that are called so."""
    codes = pd.Series(pairs.first + "\0" + pairs.second)
    every = [column for column in columns.but(*pairs.columns) if not is_beside(column.name)]
    mostly = [column for column in every  # words among the numbers are slips
              if np.isfinite(column.numbers).sum() > 0.5 * column.n_written > 0]
    called = [column for column in mostly if meaning_of(column.name)]
    called = called or [column for column in mostly if says_value(column.name)]
    free = [column for column in every if column.is_numeric and not column.is_constant]
    return called or [
        column for column in free
        if len(column.values) > 2 and not column.counts_rows
        and not (column.is_whole and len(column.values) > 12
                 and _numbers_pairs(column.texts, codes))
    ]


def _numbers_pairs(texts: np.ndarray, codes: pd.Series) -> bool:
    """Whether whole numbers are nothing but numbers of the pairs."""
    both = pd.DataFrame({"number": texts, "pair": codes}).drop_duplicates()
    return not both["number"].duplicated().any() and len(both) > 1
