"""Columns of objects and nothing else, with or without names.

Three: cblearn's list-order, the files of t-STE, food100 and zappos put the anchor first, then the
nearer object; NEXT writes the anchor last; SPoSE, VICE and the nature and vogue sets write three
objects of which the last is the odd one. Four: cblearn, GNMDS and R's loe write two pairs, the
more similar one first. Nothing in a bare file says so; the other orders are proposed too.
"""

from __future__ import annotations

import re

import numpy as np

from tripletscope.core.io.columns.guess import SAMPLE_ROWS, option_roles, plain_texts
from tripletscope.core.io.columns.reading import Reading
from tripletscope.core.io.layouts import Layout
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
        return _readings(table, columns, _PAIRS, "columns")
    if len(columns) != 3:
        return []
    if set(roles) == {"anchor", "near", "far"} and set(roles.values()) == set(columns):
        return [Reading("plain", LAYOUT.title, roles, reasons=tuple(reasons))]
    if _ODD_LAST.fullmatch(file_name(table.name)):
        odd = "Files of this name are those of SPoSE and VICE."
        orders = sorted(_ORDERS, key=lambda order: order[1] != "odd_one_out")
        return _readings(table, columns, orders, "columns", odd)
    return _readings(table, columns, _ORDERS, "columns")


def _readings(
    table: Table, columns: list[str], orders: tuple, what: str, reason: str = ""
) -> list[Reading]:
    doubt = reason or (
        "Their names do not say which object was chosen: check the sentences."
        if any(map(is_known_name, columns)) else "Nothing in the file says so: check the sentences."
    )
    number = {3: "Three", 4: "Four"}[len(columns)]
    return [
        Reading(
            "plain", f"{number} {what}: {title}", dict(zip(order, columns, strict=True)),
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


LAYOUT = Layout("plain", "Three columns: anchor, nearer, farther", 30, _propose)
