"""Sorting into piles: a row for each object and person, or a column or a row for each person."""

from __future__ import annotations

import re
from collections import Counter
from itertools import combinations

import numpy as np
import pandas as pd
from scipy.optimize import linear_sum_assignment
from scipy.special import comb

from tripletscope.core.reading.columns.pair_columns import NAMES, is_beside, participant_of
from tripletscope.core.reading.columns.values import (
    ColumnCells,
    Columns,
    differ,
    names_one_of,
    share,
)
from tripletscope.core.reading.kinds import CERTAIN, LIKELY, Claim, Kind, Sign
from tripletscope.core.reading.names import named, normalised

#: Fewest and most columns of people that are looked at; fewest objects.
_FEWEST, _MOST, _OBJECTS = 3, 1_000, 5
#: Most objects that people sort, all at once.
_MOST_OBJECTS = 1_000
#: Columns whose agreement is looked at, and the adjusted Rand index above chance.
_COMPARED, _AGREE, _ERRORS = 40, 0.1, 3.0
#: Objects of which pairs are compared.
_PAIRED = 200
#: Pairs of columns whose labels agree more often than this have labels of a common meaning.
_SAME_LABELS = 0.45
#: Share of the pairs of columns of words that always differ, as different objects of a question do.
_APART = 0.3
#: Cells without a pile; people who leave out a number.
_MISSING, _GAPS = 0.2, 0.34
#: Share of the people whose piles are numbered as they come, and how many piles half of them have.
_IN_ORDER, _SEVERAL = 0.6, 3
#: Distance of numbers of what few set apart, by that of others, below which these are levels.
_NEAR = 0.85


def _evidence(columns: Columns) -> list[Claim]:
    if not columns.table.header:
        return []
    return [*_long(columns), *(_wide(columns) or _by_rows(columns))]


def _long(columns: Columns) -> list[Claim]:
    beside = participant_of(columns)
    who = named(columns.names, ("id",))
    if not beside and who is not None and not columns[who].is_unique:
        beside = {"participant": who}
    free = [name for name in columns.names if name not in beside.values()]
    item, pile = named(free, NAMES["items"]), named(free, NAMES["piles"])
    if beside and item is None and pile is not None:
        item = _sorted_by(columns, beside["participant"], pile)
    if not beside or item is None or pile is None or len(free) > 5 or columns[pile].is_measure:
        return []
    # A pile holds several objects, and a person has each object about once.
    items, piles = len(columns[item].values), len(columns[pile].values)
    people = len(columns[beside["participant"]].values)
    rows = len(columns[item].texts)
    if not items > 2 or rows > 4 * items * people or piles >= rows or columns[item].is_measure:
        return []
    named_as = columns.spelled(item).tolist()
    if len({*zip(named_as, columns[pile].texts.tolist(), strict=True)}) == len({*named_as}) < rows:
        return []  # what an object is, such as the condition of a word
    trial = named(free, NAMES["trials"])
    once = rows <= items * people
    return [Claim(
        "piles", "sorting into piles", CERTAIN, (Sign("sorts", {"item": item, "pile": pile}),),
        {**beside, **({"trial": trial} if trial and not once else {}), "item": item, "pile": pile},
    )]


def _sorted_by(columns: Columns, who: str, pile: str) -> str | None:
    """The column, whatever it is called, of which each person has every value once, in piles.

    None if people agree no more than by chance, or if their piles are the same: those are of the
    objects, such as the condition of a word.
    """
    things = [one for one in columns.but(who, pile) if not is_beside(one.name)
              and not one.is_measure and not one.counts_rows and not one.is_constant]
    people, piles = columns[who], columns[pile]
    if len(things) != 1 or not len(people.values) >= _FEWEST or piles.is_measure:
        return None
    (thing,) = things
    table = pd.DataFrame({"who": people.texts, "thing": thing.texts, "pile": piles.texts})
    table = table[(table != "").all(axis=1)]
    if not _OBJECTS <= len(thing.values) <= _MOST_OBJECTS or table.duplicated(
        ["who", "thing"]
    ).any() or len(table) < (1 - _MISSING) * len(people.values) * len(thing.values):
        return None
    wide = table.set_index(["thing", "who"])["pile"].unstack(fill_value="")  # noqa: PD010, unique
    wide = wide.reindex(table["thing"].unique())  # as they come, not by their names
    sorts = [_cells(name, wide[name].to_numpy()) for name in wide.columns[:_COMPARED]]
    if any(not 2 <= len(one.values) < len(wide) for one in sorts):
        return None
    numbered = all(one.is_numeric for one in sorts)
    is_own = _are_own(sorts) and not (numbered and _are_levels(sorts))
    return thing.name if is_own and _agree(sorts) else None


def _cells(name: str, texts: np.ndarray) -> ColumnCells:
    numbers = pd.to_numeric(pd.Series(texts), errors="coerce").to_numpy(dtype=float)
    return ColumnCells(name, texts, frozenset(texts.tolist()) - {""}, numbers)


def _by_rows(columns: Columns) -> list[Claim]:
    """A row for each person, a column for each object, and in the cells the person's piles.

    Numbers of piles are those of their first objects, in the order of the columns; answers to the
    items of a questionnaire are numbers of the same meaning, in any order.
    """
    who = participant_of(columns).get("participant") or next(
        (one.name for one in columns if not one.is_numeric and columns.named_by(one)), None
    )
    if who is not None and not columns[who].is_unique:
        return []
    rows = columns.sample.n_rows
    if not (_FEWEST <= rows <= _MOST and len(columns.table.columns) <= _MOST_OBJECTS):
        return []
    every = [columns[name] for name in columns.table.columns if name != who]
    things = [one for one in every if not is_beside(one.name) and not one.counts_rows]
    words = [one for one in things if not one.is_numeric]
    if 2 * len(words) > len(things):
        things = words  # age, or how many piles there were, are no piles
    elif words:
        return []
    things = _without_numbers_of_piles(things)
    if len(things) < _OBJECTS or _are_options(things):
        return []
    cells = np.array([one.texts for one in things], dtype=object)
    sorts = [_cells(str(k), own) for k, own in enumerate(cells.T)]
    if not all(_is_sort(one, len(things), gaps=True) for one in sorts):
        return []
    numbered = all(one.is_numeric for one in sorts)
    if numbered and (_are_questions(things) or _are_levels(sorts) or np.median(
        [len(one.values) for one in sorts]
    ) < _SEVERAL):
        return []
    gapless = np.mean([_is_sort(one, len(things)) for one in sorts])
    compared = sorts[:_COMPARED]
    is_own = _are_own(compared, others=not numbered or gapless >= 1 - _GAPS)
    mixed = not numbered and any(one.is_numeric for one in sorts)
    if not is_own or mixed or not _agree(compared):
        return []
    return [Claim(
        "piles", "sorting into piles", LIKELY,
        (Sign("sorts_rows", {"number": rows, "first": things[0].name, "last": things[-1].name}),),
        {**({"participant": who} if who else {}),
         **{f"pile[{one.name}]": one.name for one in things}},
    )]


def _without_numbers_of_piles(things: list[ColumnCells]) -> list[ColumnCells]:
    """Columns without those that count the different cells of the others in each row."""
    cells = np.array([one.texts for one in things], dtype=object)
    different = np.array([len({*row}) for row in cells.T])
    return [
        one for k, one in enumerate(things)
        if not (one.is_whole and one.numbers.max() > 1
                and np.mean(np.abs(one.numbers - different) <= 1) > 0.95
                and np.mean([len({*row}) == number for row, number in zip(
                    np.delete(cells, k, axis=0).T, one.numbers, strict=True)]) > 0.95)
    ]


def _are_own(sorts: list[ColumnCells], *, others: bool = True) -> bool:
    """Whether labels are each person's own: numbers as they come, or, if `others`, of no meaning.

    Labels that mean the same to all belong to the objects, or answer a question about them. Equal
    groups of most people, with other labels, are lists of a design.
    """
    groups = [pd.factorize(one.texts)[0] for one in sorts]
    alike = [bool((one == other).all()) for one, other in combinations(groups, 2)]
    if np.mean(alike) > 0.5:
        return False
    in_order = all(one.is_numeric for one in sorts) and (
        np.mean([_as_they_come(one) for one in sorts]) >= _IN_ORDER
    )
    return bool(in_order or (others and not _mean_the_same(sorts)))


def _mean_the_same(sorts: list[ColumnCells]) -> bool:
    """Whether labels of two people agree about as much as groups can, or often, by their names."""
    names, parts = [], []
    for one, other in combinations(sorts, 2):
        (first, of_first), (second, of_second) = (
            pd.factorize(part.texts) for part in (one, other)
        )
        both = np.zeros((len(of_first), len(of_second)))
        np.add.at(both, (first, second), 1.0)
        rows, columns = linear_sum_assignment(-both)
        best = both[rows, columns].sum() / len(first)
        chance = 1.0 / max(both.shape)
        named = float(np.mean(one.texts == other.texts))
        names.append(named)
        if best > chance:
            parts.append((named - chance) / (best - chance))
    same = float(np.mean(names))
    few = len(frozenset().union(*(one.values for one in sorts))) <= 1.5 * np.median(
        [len(one.values) for one in sorts]
    )
    return same > _SAME_LABELS or (few and bool(parts) and float(np.mean(parts)) > 0.5)


def _agree(sorts: list[ColumnCells]) -> bool:
    """Whether groups of two people are alike beyond chance, also of those that differ at all."""
    indices = _indices(sorts)
    each = np.nanmean(indices, axis=1)
    mean, error = float(each.mean()), float(each.std(ddof=1) / np.sqrt(len(each)))
    different = indices[indices < 1 - 1e-9]
    return mean >= _AGREE and mean >= _ERRORS * error and (
        len(different) > 0 and float(different.mean()) >= _AGREE
    )


def _are_options(things: list[ColumnCells]) -> bool:
    """Whether three columns never are alike, and another one always is like one of them.

    So it is where rows are questions about three objects, with answers. Labels of piles are in most
    rows, or not the same of different objects.
    """
    rows = [{*row} for row in zip(*(one.texts for one in things), strict=True)]
    for three in combinations([one for one in things[:6] if not one.is_numeric], 3):
        union = frozenset().union(*(one.values for one in three))
        in_row = np.median([len(row & union) for row in rows])
        if len(union) < 2 * in_row or differ(three) <= 0.95 or any(
            share(one, other) < 0.5 for one, other in combinations(three, 2)
        ):
            continue
        others = [one for one in things if all(one.name != own.name for own in three)]
        if any(names_one_of(one, three) > 0.95 for one in others):
            return True
    return False


def _as_they_come(column: ColumnCells) -> bool:
    """Whether the first object of each pile has a higher number than those of piles before."""
    first = list(dict.fromkeys(column.numbers[np.isfinite(column.numbers)].tolist()))
    return first == sorted(first)


def _are_levels(sorts: list[ColumnCells]) -> bool:
    """Whether who sets two objects apart that others take together takes a number nearby for it.

    So do answers on a scale. A pile in which an object is alone may have any number.
    """
    numbers = np.array([one.numbers for one in sorts[:_COMPARED]])
    numbers = numbers[:, :: -(-numbers.shape[1] // _PAIRED)]
    i, j = np.triu_indices(numbers.shape[1], 1)
    apart = np.abs(numbers[:, i] - numbers[:, j])
    known = ~np.isnan(apart)
    together = ((apart == 0) & known).sum(axis=0) > 0.5 * known.sum(axis=0)
    near, others = (part[part > 0] for part in (apart[:, together], apart[:, ~together]))
    return not len(near) or not len(others) or near.mean() < _NEAR * others.mean()


def _are_questions(things: list[ColumnCells]) -> bool:
    """Whether most columns have one name and a number, as questions have and objects seldom."""
    stems = Counter(
        normalised(one.name.rstrip("0123456789])")) for one in things if re.search(r"\d", one.name)
    )
    return any(2 * n > len(things) and stem not in NAMES["things"] for stem, n in stems.items())


def _wide(columns: Columns) -> list[Claim]:
    """One column names the objects, and each of the others has the piles of one person."""
    names = [one for one in columns if not one.is_numeric and not is_beside(one.name)
             and columns.named_by(one)]
    if len(names) != 1 or not _OBJECTS <= len(names[0].texts) <= _MOST_OBJECTS:
        return []
    item = names[0]
    if len(columns.table.columns) > _MOST_OBJECTS:
        return []
    people = [columns[name] for name in columns.table.columns if name != item.name]
    people = [one for one in people if not is_beside(one.name) and not one.counts_rows]
    # People name piles in one way: a column of words beside numbers is about the objects.
    numbered = 2 * sum(one.is_numeric for one in people) >= len(people)
    people = [one for one in people if one.is_numeric == numbered]
    sorts = [one for one in people if _is_sort(one, len(item.texts))]
    loose = [one for one in people if _is_sort(one, len(item.texts), gaps=True)]
    if len(loose) == len(people) and len(sorts) >= (1 - _GAPS) * len(people) and np.mean(
        [_as_they_come(one) for one in loose if one.is_numeric] or [0.0]
    ) >= _IN_ORDER and not _are_levels(loose):
        sorts = loose
    if not _FEWEST <= len(sorts) <= _MOST or len(sorts) < len(people):
        return []
    words = [one for one in sorts if not one.is_numeric]
    apart = [share(a, b) >= 0.5 and differ([a, b]) > 0.95 for a, b in combinations(words[:20], 2)]
    if apart and np.mean(apart) > _APART:
        return []  # different objects of a question
    called = all(_called_person(one.name) for one in sorts)
    compared = sorts[:_COMPARED]
    if not _agree(compared) or not (called or _are_own(compared)):
        return []
    return [Claim(
        "piles", "sorting into piles", CERTAIN if called else LIKELY,
        (Sign("sorts_wide", {"number": len(sorts), "pile": sorts[0].name, "item": item.name}),),
        {"item": item.name, **{f"pile[{one.name}]": one.name for one in sorts}},
    )]


def _called_person(name: str) -> bool:
    stem = re.sub(r"[\W_\d]+", "", name).casefold()
    return stem in NAMES["judges"] and bool(re.search(r"\d", name))


def _is_sort(column: ColumnCells, n: int, *, gaps: bool = False) -> bool:
    """Whether the cells are groups: 1, 2, 3 ... without a gap, or words, several of them shared."""
    written = column.texts[column.texts != ""]
    k = len(column.values)
    if len(written) < (1 - _MISSING) * n or not 2 <= k < len(written):
        return False
    if column.is_numeric:
        if gaps:
            return column.is_whole and 1 <= np.nanmin(column.numbers) <= np.nanmax(
                column.numbers
            ) <= n
        return column.is_whole and {*column.values} == {str(i + 1) for i in range(k)}
    return max(np.unique(written, return_counts=True)[1]) > 1


def _indices(sorts: list[ColumnCells]) -> np.ndarray:
    """(p, p) adjusted Rand index of pairs of columns: how alike groups are, whatever their labels.

    The diagonal is NaN.
    """
    result = np.full((len(sorts), len(sorts)), np.nan)
    for (i, one), (j, other) in combinations(enumerate(sorts), 2):
        result[i, j] = result[j, i] = _rand(one.texts, other.texts)
    return result


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
