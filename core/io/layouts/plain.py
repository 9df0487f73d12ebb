"""Columns of objects and nothing else, with or without names.

Three: cblearn's list-order, the files of t-STE, food100 and zappos put the anchor first, then the
nearer object; NEXT writes the anchor last; SPoSE, VICE and the nature and vogue sets write three
objects of which the last is the odd one. Four: cblearn, GNMDS and R's loe write two pairs, the
more similar one first. Nothing in a bare file says so; the other orders are proposed too.

Without names, the first three may also be objects and a further one the answer. THINGS' noise
ceilings: the position of the odd one, from 1. Counts of people (a ranking of eight around a
reference, JoVE 63461): reference, first, second, how many said the first, how many were asked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from tripletscope.core.io.columns.guess import SAMPLE_ROWS, option_roles, plain_texts
from tripletscope.core.io.columns.reading import Reading
from tripletscope.core.io.layouts import Layout, items
from tripletscope.core.io.names import file_name, is_known_name
from tripletscope.core.io.table import Table

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


def _propose(table: Table) -> list[Reading]:
    columns = table.columns
    if len(columns) == 4 and table.header and _numbers_the_rows(table, columns[0]):
        columns = columns[1:]
    roles, reasons = option_roles(table)
    if len(columns) == 4 and not roles and _hold_the_same(table, columns):
        return _readings(columns, _PAIRS)
    if len(columns) != 3:
        return []
    if set(roles) == {"anchor", "near", "far"} and set(roles.values()) == set(columns):
        return [PLAIN.reading(table, roles, *reasons, side={})]
    if _ODD_LAST.fullmatch(file_name(table.name)):
        odd = "Files of this name are those of SPoSE and VICE."
        orders = sorted(_ORDERS, key=lambda order: order[1] != "odd_one_out")
        return _readings(columns, orders, odd)
    return _readings(columns, _ORDERS)


def _readings(columns: list[str], orders: Sequence[tuple], reason: str = "") -> list[Reading]:
    doubt = reason or (
        "Their names do not say which object was chosen: check the sentences."
        if any(map(is_known_name, columns)) else "Nothing in the file says so: check the sentences."
    )
    number = {3: "Three", 4: "Four"}[len(columns)]
    return [
        Reading(
            "plain", f"{number} columns: {title}", dict(zip(order, columns, strict=True)),
            reasons=(f"Columns are read in the order {title}. {doubt}",), task=task,
        )
        for title, task, order in orders
    ]


def _hold_the_same(table: Table, columns: list[str]) -> bool:
    """Whether four columns hold the same objects, and the last is not one of the others."""
    sample = table.head(SAMPLE_ROWS)
    cells = [plain_texts(sample, column) for column in columns]
    values = [set(texts) for texts in cells]
    alike = all(2 * len(values[0] & v) > len(values[0]) > 2 for v in values[1:])
    chosen = np.logical_or.reduce([cells[3] == other for other in cells[:3]])
    telling = values[3] <= {"0", "1", "2", "3"} and len(values[0]) > 4
    return bool(alike and not chosen.all() and not telling)


def _numbers_the_rows(table: Table, column: str) -> bool:
    """Whether this is an unnamed column that counts 0, 1, 2 ... or 1, 2, 3 ..."""
    numbers = table.numbers(column)
    unnamed = column.startswith(("column ", "Unnamed"))
    return bool(unnamed and numbers[0] in (0, 1) and np.all(np.diff(numbers) == 1))


def _unnamed(table: Table) -> list[Reading]:
    if table.header or not 4 <= len(table.columns) <= 16:
        return []
    sample = table.head(SAMPLE_ROWS)
    objects, answer, *more = table.columns[:3], *table.columns[3:]
    values = [set(sample.codes(column).values) for column in objects]
    words = set(sample.codes(answer).values)
    readings = []
    if _is_one_of(sample, objects, answer) and not _is_one_of(sample, objects[1:], answer):
        readings = _three(objects, answer, f"{answer} repeats one of the three objects.")
    elif words in ({"1", "2", "3"}, {"0", "1", "2"}) and all(len(v) > 3 for v in values):
        readings = _three(
            objects, answer,
            f"{answer} is one of three, as in THINGS, where no object is the anchor.",
        )
    if len(more) == 1 and _are_counts(sample, answer, more[0]):
        readings.append(Reading(
            "unnamed", "Anchor, two options, votes for the first, all votes",
            dict(zip(
                ("anchor", "left", "right", "left_votes", "all_votes"), table.columns, strict=True
            )),
            reasons=(f"{answer} is never above {more[0]}: they count answers.",),
        ))
    return readings


def _three(objects: list[str], answer: str, reason: str) -> list[Reading]:
    roles = items(objects) | {"choice": answer}
    return [
        Reading("unnamed", title, roles, task=task, reasons=(reason,))
        for title, task in (
            ("Three objects and the odd one", "odd_one_out"),
            ("Three objects and the central one", "most_central"),
        )
    ]


def _is_one_of(table: Table, objects: list[str], answer: str) -> bool:
    """Whether every answer repeats one of the objects in its row."""
    told = plain_texts(table, answer)
    same = np.logical_or.reduce([told == plain_texts(table, column) for column in objects])
    return bool((same | (told == "")).all() and same.any())


def _are_counts(table: Table, part: str, whole: str) -> bool:
    part, whole = table.numbers(part), table.numbers(whole)
    both = np.concatenate([part, whole])
    return bool(
        np.isfinite(both).all() and (both == np.round(both)).all()
        and (part >= 0).all() and (part <= whole).all() and (whole > 1).any()
    )


PLAIN = Layout("plain", "Three columns: anchor, nearer, farther", 30, _propose)
UNNAMED = Layout("unnamed", "Objects and an answer, without names", 25, _unnamed)
