"""Preferences: what is liked, not what is alike. Wins, choices of two, counts of both, rankings."""

from __future__ import annotations

import numpy as np

from tripletscope.core.reading.columns.guess import numbered_columns
from tripletscope.core.reading.columns.object_columns import is_called_response
from tripletscope.core.reading.columns.pair_columns import (
    NAMES,
    PairColumns,
    is_beside,
    pairs_of,
    participant_of,
)
from tripletscope.core.reading.columns.values import ColumnCells, Columns, names_one_of
from tripletscope.core.reading.kinds import CERTAIN, LIKELY, POSSIBLE, Claim, Kind, Sign
from tripletscope.core.reading.kinds.squares import squares_of
from tripletscope.core.reading.names import ALIASES, TASK_NAMES, named, normalised

_TITLE = "paired preferences"
#: Fewest items and people of rankings.
_ITEMS, _PEOPLE = 4, 3
#: Share of choices of the option that is chosen less often.
_SELDOM = 0.15
#: Share of rows that rank all.
_RANKS = 0.9


def _evidence(columns: Columns) -> list[Claim]:
    usual = {normalised(name) for name in columns.names}
    asked = {name for names in TASK_NAMES.values() for name in names}
    if usual & ({*ALIASES["anchor"]} - {*NAMES["things"]} | asked):
        return []
    won = _won(columns)
    sure = [one for one in won if one.points == CERTAIN]
    return [*_counts(columns), *_ranks(columns), *(sure or _chosen(columns) or won)]


def _won(columns: Columns) -> list[Claim]:
    for first, second in NAMES["preferred"]:
        winner, loser = named(columns.names, (first,)), named(columns.names, (second,))
        if winner and loser and _share_names(columns[winner], columns[loser]):
            # A third may be compared with both, or have watched them.
            others = [one for one in columns.but(winner, loser) if _third(one, columns[winner])]
            sign = Sign("won", {"winner": winner, "loser": loser})
            return [Claim(
                "preferences", _TITLE, POSSIBLE if others else CERTAIN, (sign,),
                {**participant_of(columns), "winner": winner, "loser": loser},
            )]
    return []


def _share_names(one: ColumnCells, other: ColumnCells) -> bool:
    union, both = one.values | other.values, one.values & other.values
    fewer = min(len(one.values), len(other.values))
    return len(union) > 2 and 2 * len(both) >= fewer - 2 and not one.is_measure


def _third(other: ColumnCells, objects: ColumnCells) -> bool:
    """Whether another column is about the same objects, and not one of numbers."""
    both = len(other.values & objects.values)
    alike = both >= (0.8 * len(objects.values | other.values) if other.is_numeric
                     else 0.5 * len(other.values))
    return not is_beside(other.name) and bool(other.values) and alike


def _chosen(columns: Columns) -> list[Claim]:
    """A pair, and which of the two was chosen."""
    for pairs in pairs_of(columns):
        if len(pairs.roles) != 2 or any(
            {*pairs.columns} < {*group} for group in numbered_columns(columns.names).values()
        ):
            continue
        choice, points = _choice(columns, pairs)
        if choice is None:
            continue
        first, second = pairs.columns
        sign = Sign("chose", {"choice": choice.name, "first": first, "second": second})
        return [Claim(
            "preferences", _TITLE, points, (sign,),
            {**participant_of(columns), "left": first, "right": second, "choice": choice.name},
        )]
    return []


def _choice(columns: Columns, pairs: PairColumns) -> tuple[ColumnCells | None, int]:
    options = [columns[name] for name in pairs.columns]
    free = [one for one in columns.but(*pairs.columns) if not is_beside(one.name)]
    thirds = [one for one in free if _third(one, options[0])]
    words = {*NAMES["words"], "", "1", "2", "0", "a", "b", "l", "r", "f", "j"}
    said = [one for one in free if is_called_response(one.name)]
    for column in said or free:  # X of ABX tasks is one of both, too
        # The pair and a word on it: a column that names one of the two is no further object.
        naming = names_one_of(column, options)
        called = normalised(column.name) in NAMES["choices"]
        few = {text.casefold() for text in column.values} <= words
        if naming > 0.95 and not (pairs.numeric and len(column.values) < 3) and not (
            {*thirds} - {column}
        ) and _chooses_both(column, options):
            return column, CERTAIN if called or not pairs.numeric else LIKELY
        mixed = called and naming > 0.2 and all(
            text in pairs.objects or text.casefold() in words for text in column.values
        )
        if not thirds and (mixed or (called and few and len(column.values) < 4)):
            return column, LIKELY if few and not mixed else CERTAIN
        if not thirds and few and len(column.values) == 2 and column.is_whole and pairs.called:
            return column, POSSIBLE
    return None, 0


def _chooses_both(column: ColumnCells, options: list[ColumnCells]) -> bool:
    """Whether either option is chosen at times: what nearly repeats one is no choice."""
    apart = (options[0].texts != options[1].texts) & (column.texts != "")
    shares = [float(np.mean((column.texts == one.texts)[apart])) for one in options]
    return min(shares) > _SELDOM if apart.any() else False


def _counts(columns: Columns) -> list[Claim]:
    """Row preferred to column, of a fixed number."""
    squares = squares_of(columns)
    if not squares or not all(one.is_preference() for one in squares):
        return []
    values = squares[0].values
    sign = Sign("counts_add_up", {"total": float(values[0, 1] + values[1, 0])})
    return [Claim("preferences", "counts of preferences", CERTAIN, (sign,))]


def _ranks(columns: Columns) -> list[Claim]:
    """Each person ranks all items."""
    whole = [one for one in columns if one.is_whole and not one.is_unique and not one.counts_rows]
    free = [one for one in whole if not is_beside(one.name)]
    items = whole if _rank(whole) else free  # an item may have any name
    n = len(items)
    others = [one for one in columns if one not in items and not is_beside(one.name)
              and not one.is_unique]
    if not columns.table.header or not _rank(items) or others:
        return []
    sign = Sign("ranks", {"number": n})
    return [Claim("preferences", "rankings of items", CERTAIN, (sign,),
                     {**participant_of(columns), **{f"rank[{one.name}]": one.name
                                                    for one in items}})]


def _rank(items: list[ColumnCells]) -> bool:
    """Whether nearly each row has the numbers from 1, each once."""
    if len(items) < _ITEMS or len(items[0].texts) < _PEOPLE:
        return False
    ranks = np.sort(np.column_stack([one.numbers for one in items]), axis=1)
    return bool(np.mean((ranks == np.arange(1, len(items) + 1)).all(axis=1)) >= _RANKS)


PREFERENCES = Kind("preferences", "preferences", 24, _evidence)
