"""Sorting into piles: a row for each object and person, or a column for each person."""

from __future__ import annotations

import re
from itertools import combinations

import numpy as np
from scipy.special import comb

from tripletscope.core.reading.columns.pair_columns import NAMES, is_beside, participant_of
from tripletscope.core.reading.columns.values import ColumnCells, Columns, differ, share
from tripletscope.core.reading.kinds import CERTAIN, LIKELY, Claim, Kind, Sign
from tripletscope.core.reading.names import named

#: Fewest and most columns of people that are looked at; fewest objects.
_FEWEST, _MOST, _OBJECTS = 3, 200, 5
#: Most objects that people sort, all at once.
_MOST_OBJECTS = 1_000
#: Columns whose agreement is looked at, and the adjusted Rand index above chance.
_COMPARED, _AGREE, _ERRORS = 40, 0.1, 3.0
#: Pairs of columns whose labels agree more often than this have labels of a common meaning.
_SAME_LABELS = 0.45
#: Share of the pairs of columns of words that always differ, as different objects of a question do.
_APART = 0.3
#: Cells without a pile.
_MISSING = 0.2


def _evidence(columns: Columns) -> list[Claim]:
    return [*_long(columns), *_wide(columns)] if columns.table.header else []


def _long(columns: Columns) -> list[Claim]:
    beside = participant_of(columns)
    who = named(columns.names, ("id",))
    if not beside and who is not None and not columns[who].is_unique:
        beside = {"participant": who}
    free = [name for name in columns.names if name not in beside.values()]
    item, pile = named(free, NAMES["items"]), named(free, NAMES["piles"])
    if not beside or item is None or pile is None or len(free) > 5 or columns[pile].is_measure:
        return []
    # A pile holds several objects, and a person has each object about once.
    items, piles = len(columns[item].values), len(columns[pile].values)
    people = len(columns[beside["participant"]].values)
    rows = len(columns[item].texts)
    if not items > 2 or rows > 4 * items * people or piles >= rows or columns[item].is_measure:
        return []
    trial = named(free, NAMES["trials"])
    once = rows <= items * people
    return [Claim(
        "piles", "sorting into piles", CERTAIN, (Sign("sorts", {"item": item, "pile": pile}),),
        {**beside, **({"trial": trial} if trial and not once else {}), "item": item, "pile": pile},
    )]


def _wide(columns: Columns) -> list[Claim]:
    """One column names the objects, and each of the others has the piles of one person."""
    names = [one for one in columns if not one.is_numeric and not is_beside(one.name)
             and columns.named_by(one)]
    if len(names) != 1 or not _OBJECTS <= len(names[0].texts) <= _MOST_OBJECTS:
        return []
    item = names[0]
    people = [one for one in columns.but(item.name) if not is_beside(one.name)]
    people = [one for one in people if not one.counts_rows]
    sorts = [one for one in people if _is_sort(one, len(item.texts))]
    if not _FEWEST <= len(sorts) <= _MOST or len(sorts) < len(people):
        return []
    words = [one for one in sorts if not one.is_numeric]
    apart = [share(a, b) >= 0.5 and differ([a, b]) > 0.95 for a, b in combinations(words[:20], 2)]
    if apart and np.mean(apart) > _APART:
        return []  # different objects of a question
    called = all(_called_person(one.name) for one in sorts)
    agreement, error, same = _agreement(sorts[:_COMPARED])
    if agreement < _AGREE or agreement < _ERRORS * error or (same > _SAME_LABELS and not called):
        return []
    return [Claim(
        "piles", "sorting into piles", CERTAIN if called else LIKELY,
        (Sign("sorts_wide", {"number": len(sorts), "pile": sorts[0].name, "item": item.name}),),
        {"item": item.name, **{f"pile[{one.name}]": one.name for one in sorts}},
    )]


def _called_person(name: str) -> bool:
    stem = re.sub(r"[\W_\d]+", "", name).casefold()
    return stem in NAMES["judges"] and bool(re.search(r"\d", name))


def _is_sort(column: ColumnCells, n: int) -> bool:
    """Whether the cells are groups: 1, 2, 3 ... without a gap, or words, several of them shared."""
    written = column.texts[column.texts != ""]
    k = len(column.values)
    if len(written) < (1 - _MISSING) * n or not 2 <= k < len(written):
        return False
    if column.is_numeric:
        return column.is_whole and {*column.values} == {str(i + 1) for i in range(k)}
    return max(np.unique(written, return_counts=True)[1]) > 1


def _agreement(sorts: list[ColumnCells]) -> tuple[float, float, float]:
    """Mean adjusted Rand index of pairs of columns, its error by columns, and equal labels.

    Groups of people agree on what is together, whatever they call it; answers to items agree in
    their numbers.
    """
    indices, same = np.full((len(sorts), len(sorts)), np.nan), []
    for (i, one), (j, other) in combinations(enumerate(sorts), 2):
        indices[i, j] = indices[j, i] = _rand(one.texts, other.texts)
        same.append(np.mean(one.texts == other.texts))
    each = np.nanmean(indices, axis=1)
    return float(each.mean()), float(each.std(ddof=1) / np.sqrt(len(each))), float(np.mean(same))


def _rand(one: np.ndarray, other: np.ndarray) -> float:
    """The adjusted Rand index (Hubert & Arabie, 1985)."""
    first, second = (np.unique(part, return_inverse=True)[1] for part in (one, other))
    table = np.zeros((first.max() + 1, second.max() + 1))
    np.add.at(table, (first, second), 1)
    both = comb(table, 2).sum()
    rows, below = comb(table.sum(axis=1), 2).sum(), comb(table.sum(axis=0), 2).sum()
    expected, most = rows * below / comb(len(one), 2), (rows + below) / 2
    return float((both - expected) / (most - expected)) if most > expected else 0.0


PILES = Kind("piles", "sortings into piles", 44, _evidence, "tripletscope.ratings.read_measured")
