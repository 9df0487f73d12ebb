"""Queries and responses apart: cblearn's list-boolean, list-count and tensor-count.

A query is an anchor and two options, or two pairs; the response is true or positive if the first
option, or the first pair, is the more similar one; a number says how many more said so, and 0
that nobody knows.
"""

from __future__ import annotations

from tripletscope.core.data.cells import plain_number
from tripletscope.core.io.columns.guess import SAMPLE_ROWS, numbered_columns, side_roles
from tripletscope.core.io.columns.reading import Reading
from tripletscope.core.io.layouts import Layout
from tripletscope.core.io.names import listing, named
from tripletscope.core.io.table import Table

_RESPONSES = ("response", "responses", "answers", "answer", "y", "data", "values")
_QUERIES = ("triplet", "triplets", "query", "queries", "quadruplets", "quadruplet", "x")
_ROLES = {3: ("anchor", "left", "right"), 4: ("item1", "item2", "item3", "item4")}


def _propose(table: Table) -> list[Reading]:
    found = _columns(table)
    if found is None:
        return []
    columns, response = found
    sample = table.head(SAMPLE_ROWS)
    words = {plain_number(text).casefold() for text in sample.codes(response).values}
    signed = words <= {"1", "-1"} or words <= {"true", "false"}
    counted = any(word.startswith("-") for word in words)
    if not (signed or counted or (table.header and words <= {"0", "1"})):
        return []
    coding = "first_is_nearer" if signed or not counted else "signed_count"
    roles = dict(zip(_ROLES[len(columns)], columns, strict=True)) | {"choice": response}
    more, _ = side_roles(table, roles)
    return [Reading(
        "queries", LAYOUT.title, roles | more, choice_coding=coding,
        task="nearer" if len(columns) == 3 else "smaller_pair",
        reasons=(
            f"Columns {listing(columns)} are the query, {response} the response, as cblearn "
            "writes them: positive if the first option is nearer.",
        ),
    )]


def _columns(table: Table) -> tuple[list[str], str] | None:
    """The columns of the query and that of the response."""
    if not table.header:
        names = table.columns
        shares = len(names) == 4 and len(table.head(SAMPLE_ROWS).codes(names[0]).values) > 2
        return (names[:3], names[3]) if shares else None
    groups = numbered_columns(table.columns)
    response = named(table.columns, _RESPONSES)
    columns = next((groups[name] for name in _QUERIES if len(groups.get(name, ())) in _ROLES), None)
    return (columns, response) if columns and response else None


LAYOUT = Layout("queries", "Queries and responses (cblearn)", 24, _propose)
