"""Three columns of objects and nothing else, with or without names.

cblearn's list-order and the files of t-STE put the anchor first, then the nearer object. Nothing
in a bare file says so; NEXT, for one, writes the anchor last. The other orders are proposed too.
"""

from __future__ import annotations

import numpy as np

from core.files.guess import option_roles
from core.files.layout import Layout
from core.files.names import is_known_name
from core.files.reading import Reading
from core.files.table import Table

_ORDERS = {
    "anchor, nearer, farther": ("anchor", "near", "far"),
    "anchor, farther, nearer": ("anchor", "far", "near"),
    "nearer, farther, anchor": ("near", "far", "anchor"),
}


def _propose(table: Table) -> list[Reading]:
    columns = table.columns
    if len(columns) == 4 and table.header and _numbers_the_rows(table, columns[0]):
        columns = columns[1:]
    if len(columns) != 3:
        return []
    roles, reasons = option_roles(table)
    if set(roles) == {"anchor", "near", "far"} and set(roles.values()) == set(columns):
        return [Reading("plain", LAYOUT.title, roles, reasons=tuple(reasons))]
    doubt = (
        "Their names do not say which object was chosen: check the sentences."
        if any(map(is_known_name, columns)) else "Nothing in the file says so: check the sentences."
    )
    return [
        Reading(
            "plain", f"Three columns: {title}", dict(zip(order, columns, strict=True)),
            reasons=(f"Columns are read in the order {title}. {doubt}",),
        )
        for title, order in _ORDERS.items()
    ]


def _numbers_the_rows(table: Table, column: str) -> bool:
    """Whether this is an unnamed column that counts 0, 1, 2 ... or 1, 2, 3 ..."""
    numbers = table.numbers(column)
    unnamed = column.startswith(("column ", "Unnamed"))
    return bool(unnamed and numbers[0] in (0, 1) and np.all(np.diff(numbers) == 1))


LAYOUT = Layout("plain", "Three columns: anchor, nearer, farther", 30, _propose)
