"""Columns in the order of the answer: anchor, nearer, farther; the odd one last; pairs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations

from tripletscope.core.reading.columns.object_columns import (
    TELLING,
    is_called_response,
    is_neutral,
    may_choose,
    may_name,
    never_alike,
    never_objects,
    object_groups,
)
from tripletscope.core.reading.columns.pair_columns import NAMES, is_beside, says_value
from tripletscope.core.reading.columns.values import ColumnCells, Columns, differ
from tripletscope.core.reading.kinds import (
    CERTAIN,
    LIKELY,
    POSSIBLE,
    Claim,
    Kind,
    Sign,
    answers,
    named_together,
)
from tripletscope.core.reading.names import (
    ALIASES,
    PLAIN,
    WEAK_TRIPLES,
    by_names,
    file_name,
    normalised,
)

_ORDERS = (
    ("anchor, nearer, farther", "nearer", ("anchor", "near", "far")),
    ("anchor, farther, nearer", "nearer", ("anchor", "far", "near")),
    ("nearer, farther, anchor", "nearer", ("near", "far", "anchor")),
    ("three objects, the last one odd", "odd_one_out", ("item1", "item2", "item3")),
    ("three objects, the first one odd", "odd_one_out", ("item3", "item1", "item2")),
    ("three objects, the first one central", "most_central", ("item1", "item2", "item3")),
)
_PAIRS = (
    ("two pairs, the more similar one first", "smaller_pair", ("item1", "item2", "item3", "item4")),
    ("two pairs, the less similar one first", "smaller_pair", ("item3", "item4", "item1", "item2")),
)
#: Files of SPoSE and VICE.
_ODD_LAST = re.compile(r"(train(set|_90)|validationset|test(set\d*|_10))\.(txt|npy|csv)", re.I)


def _evidence(columns: Columns) -> list[Claim]:
    roles = by_names(columns.names, {role: ALIASES[role] for role in ("anchor", "near", "far")})
    unnamed = len(roles) < 3
    if unnamed:
        roles = _third_of(columns)
    if len(roles) == 3:
        # Who wins and who loses may be preferred, beside a third that nobody compares with them.
        likes = unnamed and [normalised(roles["near"]), normalised(roles["far"])] in (
            NAMES["preferred"]
        )
        return _by_names(columns, roles, [columns[name] for name in roles.values()], likes)
    found: list[Claim] = []
    for objects in _groups(columns):
        beside = columns.but(*(column.name for column in objects))
        if may_choose(columns, objects) or any(is_called_response(c.name) for c in beside):
            continue
        # A number may be what was said, in degrees.
        graded = any((c.is_whole and says_value(c.name)) or _is_of(c, objects) for c in beside)
        names = [column.name for column in objects]
        weak = tuple(map(normalised, names)) in WEAK_TRIPLES
        neutral = weak or is_neutral(columns, names)
        if neutral or never_alike(objects):
            found += _in_order(columns, objects, neutral and not graded)
    return found


def _is_of(column: ColumnCells, objects: Sequence[ColumnCells]) -> bool:
    """Whether a column of numbers is called after one of an object, such as ``p_left``."""
    if not column.is_numeric or is_beside(column.name):
        return False
    words = {normalised(word) for word in re.split(r"[\W_]+", column.name)} - {""}
    return len(words) > 1 and any(normalised(one.name) in words for one in objects)


def _third_of(columns: Columns) -> dict[str, str]:
    """Columns that are called nearer and farther, and the only other one of the same objects."""
    roles = by_names(columns.names, {role: ALIASES[role] for role in ("near", "far")})
    others = [group for group in object_groups(columns)
              if len(group) == 3 and {*roles.values()} < {column.name for column in group}]
    if len(roles) < 2 or len(others) != 1:
        return {}
    anchor = next(one.name for one in others[0] if one.name not in roles.values())
    return {"anchor": anchor, **roles}


def _groups(columns: Columns) -> list[list[ColumnCells]]:
    """Groups of objects; of few columns all, as few rows share nothing."""
    groups = object_groups(columns)
    names = [column for column in columns if not never_objects(column.name)
             and not (column.counts_rows and column.name.startswith(("column ", "Unnamed")))]
    if not groups and len(names) in (3, 4) and not any(c.is_measure for c in names) and not (
        columns.table.n_rows > 1 and all(c.is_constant and _are_phrases(c) for c in names)
    ):
        few = max(column.n_written for column in names) < TELLING
        called = [column.name for column in names]
        neutral = is_neutral(columns, called) or tuple(map(normalised, called)) in WEAK_TRIPLES
        groups = [names] if few and neutral else []
    return groups


def _are_phrases(column: ColumnCells) -> bool:
    """Whether cells are of several words: the same ones in each row are lines of a text."""
    return all(" " in text for text in column.values)


def _by_names(
    columns: Columns, roles: dict[str, str], objects: Sequence[ColumnCells], doubtful: bool
) -> list[Claim]:
    few = max(column.n_written for column in objects) < TELLING
    share_names = any(one.values & other.values for one, other in combinations(objects, 2))
    apart = differ(objects) > 0.5
    are_objects = all(may_name(column) or column.is_constant for column in objects)
    plain = all(normalised(roles[role]) in names for role, names in PLAIN.items())
    sure = plain or (apart and (few or share_names))
    points = CERTAIN if are_objects and sure and not doubtful else POSSIBLE
    return [answers(
        columns, "ordered", points, "nearer", roles,
        Sign("by_names", {"anchor": roles["anchor"]}), title="Anchor, nearer and farther",
    )]


def _in_order(columns: Columns, objects: Sequence[ColumnCells], neutral: bool) -> list[Claim]:
    """Claims of each order; of columns with names of something else, only a person can say."""
    names = [column.name for column in objects]
    orders = _ORDERS if len(objects) == 3 else _PAIRS
    odd_last = len(objects) == 3 and _ODD_LAST.fullmatch(file_name(columns.table.name))
    if odd_last:
        orders = sorted(orders, key=lambda order: order[1] != "odd_one_out")
    number = {3: "Three", 4: "Four"}[len(objects)]
    return [
        answers(
            columns, "ordered",
            CERTAIN if odd_last and k == 0 else LIKELY if k < 3 and neutral else POSSIBLE, task,
            dict(zip(order, names, strict=True)),
            Sign("spose" if odd_last else "in_order",
                 {"columns": named_together(objects), "order": title}),
            title=f"{number} columns: {title}",
        )
        for k, (title, task, order) in enumerate(orders)
    ]


ORDERED = Kind("ordered", "objects in the order of the answer", 32, _evidence, "tripletscope.read")
