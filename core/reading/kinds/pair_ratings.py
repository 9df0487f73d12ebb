"""Ratings of pairs: two objects and a number."""

from __future__ import annotations

import numpy as np

from tripletscope.core.ratings.polarity import large_is_similar, stresses
from tripletscope.core.reading.columns.object_columns import never_alike
from tripletscope.core.reading.columns.pair_columns import (
    NAMES,
    PairColumns,
    meaning_of,
    pairs_of,
    participant_of,
    says_value,
    value_columns,
)
from tripletscope.core.reading.columns.values import ColumnCells, Columns, names_one_of, share
from tripletscope.core.reading.kinds import CERTAIN, LIKELY, POSSIBLE, Claim, Kind, Sign
from tripletscope.core.reading.names import ALIASES, listing, normalised

#: Rows from which two columns may say by themselves that they are pairs; rows whose ratings may be
#: of few different values.
_TELLING, _FEW_ROWS = 20, 10
#: Columns that may all be what was said of a pair.
_MOST_VALUES = 3
#: The sign of ratings of which somebody has to say what large means.
UNTOLD = "untold"
#: Objects for which the direction is looked at.
_MOST_OBJECTS = 400


def _evidence(columns: Columns) -> list[Claim]:
    found: list[Claim] = []
    for pairs in pairs_of(columns):
        if _third(columns, pairs):
            continue
        values = value_columns(columns, pairs) or same_or_different(columns, pairs)
        values = [one for one in values if not _chooses(columns, pairs, one)]
        sure = _points(columns, pairs, values)
        found += [_of(columns, pairs, one, sure, [other.name for other in values if other != one])
                  for one in values[:_MOST_VALUES]] if sure else []
    return found


def _third(columns: Columns, pairs: PairColumns) -> bool:
    """Whether another column is about the same objects, so that these are comparisons."""
    objects = pairs.cells[0]
    return any(
        share(objects, other) >= 0.5 and len(other.values) > 2
        and not (pairs.numeric and other.is_numeric and not _coded_alike(objects, other))
        for other in columns.but(*pairs.columns) if other.name not in
        participant_of(columns).values()
        and (not other.is_measure or never_alike([*map(columns.__getitem__, pairs.columns), other]))
        and not (other.is_numeric and (other.counts_rows or _is_value(other)))
    )


def _coded_alike(objects: ColumnCells, other: ColumnCells) -> bool:
    return len(objects.values & other.values) >= 0.9 * len(objects.values | other.values)


def _is_value(column: ColumnCells) -> bool:
    return bool(meaning_of(column.name)) or says_value(column.name)


def _chooses(columns: Columns, pairs: PairColumns, value: ColumnCells) -> bool:
    """Whether a number of two values, or the name of an object, says which was chosen."""
    if meaning_of(value.name):
        return False
    two = value.is_numeric and len(value.values) < 3
    return (two and normalised(value.name) in ALIASES["choice"]) or any(
        len(one.values) > 1 and names_one_of(one, pairs.cells) > 0.95
        for one in columns.but(*pairs.columns)
    )


def _points(columns: Columns, pairs: PairColumns, values: list[ColumnCells]) -> int:
    if not values or len(pairs.objects) < 3:
        return 0
    one = values[0]
    if meaning_of(one.name) or one.n_written > 2 * np.isfinite(one.numbers).sum():
        return CERTAIN if len(values) == 1 else LIKELY
    if pairs.called and says_value(one.name):
        return CERTAIN if len(one.values) > 3 or columns.table.n_rows < _FEW_ROWS else LIKELY
    features = len(pairs.roles) > 2
    if features:
        return 0
    away = {normalised(name) for name in pairs.columns} & {*NAMES["journeys"]}
    few = not pairs.called and columns.table.n_rows < _TELLING
    return LIKELY if len(values) == 1 and not away and not few else POSSIBLE


def same_or_different(columns: Columns, pairs: PairColumns) -> list[ColumnCells]:
    """Columns whose cells say same or different."""
    known = {word for words in NAMES["same"] for word in words}
    answered = (column.responses for column in columns.but(*pairs.columns))
    return [column for column in answered
            if len(column.values) == 2 and {text.casefold() for text in column.values} <= known]


def _of(
    columns: Columns, pairs: PairColumns, value: ColumnCells, points: int, others: list[str]
) -> Claim:
    direction, sign = _direction(pairs, value)
    shown = listing(pairs.columns)
    told = f", large means {direction}" if sign.code != UNTOLD else ""
    return Claim(
        "ratings", f"ratings{told}", points,
        (Sign("rates_pairs", {"value": value.name, "pair": shown}), sign,
         *[Sign("other_values", {"values": listing(others)})] * bool(others)),
        {**participant_of(columns), **pairs.roles, "rating": value.name}, {"direction": direction},
    )


def _direction(pairs: PairColumns, value: ColumnCells) -> tuple[str, Sign]:
    """What large values mean, and why: the name, pairs with themselves, a map of the values."""
    said = meaning_of(value.name)
    if said:
        return said, Sign("says_large", {"value": value.name, "direction": said})
    if not value.is_numeric:
        return "similar", Sign("says_large", {"value": value.name, "direction": "similar"})
    names = sorted(pairs.objects)[:_MOST_OBJECTS]
    place = {name: k for k, name in enumerate(names)}
    rows = [(place[a], place[b], number) for a, b, number in
            zip(pairs.first.tolist(), pairs.second.tolist(), value.numbers.tolist(), strict=True)
            if a in place and b in place and number == number]
    return direction_of(_means(rows, len(names)), surely=True)


def _means(rows: list[tuple[int, int, float]], n: int) -> np.ndarray:
    first, second, number = (np.array(one) for one in zip(*rows, strict=True))
    total, count = np.zeros((n, n)), np.zeros((n, n))
    np.add.at(total, (first, second), number)
    np.add.at(count, (first, second), 1)
    with np.errstate(invalid="ignore"):
        return total / np.where(count, count, np.nan)


def direction_of(values: np.ndarray, *, surely: bool = False) -> tuple[str, Sign]:
    """What large values of pairs (n, n) mean, NaN if unknown, and why.

    Pairs of objects with themselves tell first; a zero for each may stand for no value.

    surely: As of `large_is_similar`.
    """
    away = ~np.eye(len(values), dtype=bool) & np.isfinite(values)
    own = np.diag(values)[np.isfinite(np.diag(values))]
    tells = len(own) >= 2 and away.any() and not (own == 0).all()
    for direction, word, often in zip(
        ("similar", "dissimilar"), ("the largest numbers", "the smallest numbers"),
        selves(values) if tells else (), strict=False,
    ):
        if often > 0.75:
            return direction, Sign("selves", {"value": word, "direction": direction})
    if away.any() and (values[away] < 0).any():
        return "similar", Sign("selves", {"value": "no negative numbers", "direction": "similar"})
    similar = large_is_similar(values, surely=surely)
    if similar is None:
        zeros = len(own) > 1 and (own == 0).all() and away.any() and values[away].min() >= 0
        if zeros:
            return "dissimilar", Sign("selves", {"value": "0", "direction": "dissimilar"})
        return "similar", Sign(UNTOLD)
    direction = "similar" if similar else "dissimilar"
    both = stresses(values)
    return direction, Sign("stress", {"direction": direction, "less": min(both), "more": max(both)})


def selves(values: np.ndarray) -> tuple[float, float]:
    """Share of the objects with a value (n, n) of their own that is the largest, and the smallest.

    It is compared with all values in the object's row and column; NaN are unknown.
    """
    others = np.where(np.eye(len(values), dtype=bool), np.nan, values)
    others, own = np.hstack([others, others.T]), np.diag(values)
    known = np.isfinite(own) & np.isfinite(others).any(axis=1)
    if not known.any():
        return 0.0, 0.0
    others, own = others[known], own[known]
    return (float(np.mean(np.nanmax(others, axis=1) <= own)),
            float(np.mean(np.nanmin(others, axis=1) >= own)))


RATINGS = Kind("ratings", "ratings of pairs", 40, _evidence, "tripletscope.ratings.read_measured")
