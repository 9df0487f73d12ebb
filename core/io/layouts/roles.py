"""Any table: roles guessed from names and values, for the user to correct."""

from __future__ import annotations

from itertools import combinations

from tripletscope.core.data.cells import plain_number
from tripletscope.core.io.columns.guess import SAMPLE_ROWS, codings_of, option_roles
from tripletscope.core.io.columns.reading import Reading
from tripletscope.core.io.layouts import Layout
from tripletscope.core.io.names import ALIASES, listing, normalised
from tripletscope.core.io.table import Table

#: Columns whose values are compared with each other, which takes time quadratic in their number.
_COMPARED = 16
_CODED = ("anchor", "left", "right")


def _propose(table: Table) -> list[Reading]:
    roles, reasons = option_roles(table)
    if not roles:
        roles, reasons = _by_values(table.head(SAMPLE_ROWS))
    return [LAYOUT.reading(table, roles, *reasons)]


def _by_values(table: Table) -> tuple[dict[str, str], list[str]]:
    """Roles of columns that share their values; of the first three if none do."""
    columns = table.columns[:_COMPARED]
    values = {column: frozenset(table.codes(column).values) for column in columns}
    objects = [column for column in columns if _shares(values, column)]
    if len(objects) < 3:
        choice = _tells_one_of_two(table, columns[:3]) if table.header else None
        if choice:
            return dict(zip(_CODED, columns, strict=False)) | {"choice": choice}, [
                f"Column {choice} has two values; that columns {listing(columns[:3])} are the "
                "anchor, the first and the second option is only a guess. Choose the columns."
            ]
        return dict(zip(("anchor", "near", "far"), columns, strict=False)), [
            "The columns of objects cannot be recognised; the first three, "
            f"{listing(columns[:3])}, are only a guess. Choose the columns."
        ]
    named_choice = _names_an_option(table, objects)
    if named_choice:
        choice, left, right = named_choice
        anchor = next(c for c in objects if c not in named_choice)
        return {"anchor": anchor, "left": left, "right": right, "choice": choice}, [
            f"In every row, column {choice} repeats column {left} or {right}.",
            f"Column {anchor} contains the same objects and is taken for the anchor: check it.",
        ]
    choice = _tells_one_of_two(table, objects)
    if choice:
        return dict(zip(_CODED, objects, strict=False)) | {"choice": choice}, [
            f"Columns {listing(objects[:3])} contain the same objects, and {choice} tells one of "
            "two. The order anchor, first option, second option is only a guess. Check the "
            "sentences."
        ]
    return dict(zip(("anchor", "near", "far"), objects, strict=False)), [
        f"Columns {listing(objects[:3])} contain the same objects. Nothing identifies the anchor; "
        "the order anchor, nearer, farther is only a guess. Check the sentences."
    ]


def _shares(values: dict[str, frozenset[str]], column: str) -> bool:
    """Whether at least two other columns hold mostly the same values as this one."""
    own = values[column]
    alike = sum(
        len(own & other) * 2 > min(len(own), len(other))
        for name, other in values.items() if name != column and len(other) > 2
    )
    return len(own) > 2 and alike >= 2


def _names_an_option(table: Table, objects: list[str]) -> tuple[str, str, str] | None:
    """(choice, left, right) such that choice is one of the two in every row where it is given."""
    if len(objects) < 4:
        return None
    cells = {column: table.texts(column) for column in objects}
    for choice in objects:
        written = cells[choice] != ""
        others = [column for column in objects if column != choice]
        for left, right in combinations(others, 2):
            repeats = (cells[choice] == cells[left]) | (cells[choice] == cells[right])
            if written.any() and repeats[written].all():
                return choice, left, right
    return None


def _tells_one_of_two(table: Table, objects: list[str]) -> str | None:
    """A column called like a choice, or any column of an unnamed table, that codes a position."""
    others = [column for column in table.columns[:_COMPARED] if column not in objects]
    for column in others:
        called_so = not table.header or normalised(column) in ALIASES["choice"]
        words = {plain_number(text).casefold() for text in table.codes(column).values}
        if called_so and codings_of(words):
            return column
    return None


LAYOUT = Layout("roles", "Columns chosen by role", 100, _propose)
