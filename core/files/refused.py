"""Tables that are no anchored comparisons and would be read the wrong way round.

Reading the direction wrong does not fail: it gives a plausible map. What looks like another task
is therefore refused with its name.
"""

from __future__ import annotations

import re

import numpy as np

from core.files.guess import option_roles
from core.files.names import ALIASES, listing, named, normalised
from core.files.table import Table
from core.triplets import DataError

_ANCHORS = tuple(name for name in ALIASES["anchor"] if name not in ("sample", "stimulus"))
_NOT_YET = (
    "This layout is not read yet. If the table does compare two options with an anchor, choose "
    "the columns yourself."
)


class OtherTask(DataError):
    """A table that looks like something else than anchored comparisons; one can insist."""


def refusal(table: Table) -> OtherTask | None:
    """The error that says what kind of table this is, if it is of a kind that is not read."""
    told = bool(option_roles(table)[0])
    checks = [check for check in _CHECKS if check is _lists_in_cells or not told]
    problem = next(filter(None, (check(table) for check in checks)), None)
    return OtherTask(problem, file=table.name, remedy=_NOT_YET) if problem else None


def _lists_in_cells(table: Table) -> str | None:
    for name in ("stimulus", "stimuli", "choices"):
        column = named(table.columns, [name])
        values = table.head(1_000).codes(column).values if column else []
        if any(re.match(r"\[.*\]$", text, re.DOTALL) for text in values):
            return f"column {column!r} holds lists of objects, as jsPsych writes them"
    return None


def _numbered_objects(table: Table) -> str | None:
    """Odd-one-out, difference scaling, triads: objects called 1 to 3 or 4."""
    series = _series(table.columns) if table.header else None
    if not series:
        return None
    columns, name = series
    anchor, choice = named(table.columns, _ANCHORS), named(table.columns, ALIASES["choice"])
    if anchor:
        return f"columns {listing(columns)} are more than two options beside {anchor!r}"
    if len(columns) == 4:
        return f"columns {listing(columns)} are two pairs (quadruples), not anchor and options"
    if choice is None:
        if _two_alike(table, columns):
            return "two of the three samples are the same in each row: a triangle test, which " \
                   "is about telling apart, not about similarity"
        others = len(table.columns) - 3
        return (
            f"columns {listing(columns)} name three objects and the other {others} columns may "
            "hold the answers of one participant each (a triad test)" if others else None
        )
    if name in ("s", "stim") and normalised(choice) in ("resp", "response"):
        return (
            f"columns {listing(columns)} with {choice!r} are a difference scale (MLDS): the "
            "response tells which pair is more different"
        )
    return (
        f"columns {listing(columns)} are three objects without an anchor, as in odd-one-out: "
        f"{choice!r} may name the odd one or the most similar one"
    )


def _coordinates(table: Table) -> str | None:
    target = named(table.columns, ("targetid", "targethtml", "item"))
    dimensions = [c for c in table.columns if re.fullmatch(r"(dim_?)?[0-9]+|x|y|z", c)]
    if target and len(dimensions) >= 2:
        return f"columns {listing(dimensions)} are coordinates of objects, not answers"
    return None


def _square_matrix(table: Table) -> str | None:
    numeric = [c for c in table.columns[:50] if np.isfinite(table.head(50).numbers(c)).mean() > 0.9]
    size = len(table.columns)
    if size >= 5 and table.n_rows in (size, size - 1) and len(numeric) >= min(size, 50) - 1:
        return f"{table.n_rows} rows of as many numbers are a matrix of similarities, not answers"
    return None


def _bare_columns(table: Table) -> str | None:
    """THINGS writes three objects and the position of the odd one, cblearn two pairs, unnamed."""
    if table.header or len(table.columns) < 4:
        return None
    sample = table.head(1_000)
    values = [set(sample.codes(column).values) for column in table.columns[:16]]
    for column, words in zip(table.columns[3:], values[3:], strict=False):
        if words in ({"1", "2", "3"}, {"0", "1", "2"}) and all(len(v) > 3 for v in values[:3]):
            return (
                f"{column} tells one of three, as in odd-one-out, where no object is the anchor"
            )
    _, *others, last = (sample.texts(column) for column in table.columns[:4])
    alike = all(2 * len(values[0] & v) > len(values[0]) > 2 for v in values[1:])
    if len(values) == 4 and alike and not np.logical_or(*(last == o for o in others)).all():
        return "four columns of the same objects may be two pairs each (quadruples)"
    return None


_CHECKS = (_lists_in_cells, _bare_columns, _numbered_objects, _coordinates, _square_matrix)


def _series(columns: list[str]) -> tuple[list[str], str] | None:
    """Columns called the same but for a number 1, 2, 3 (and 4), and what they are called."""
    numbered: dict[tuple[str, str], dict[int, str]] = {}
    for column in columns:
        match = re.fullmatch(r"(.*?)[ _.-]*([1-4])[ _.-]*(\D*)", column.strip())
        if match and match.group(1):
            key = normalised(match.group(1)), normalised(match.group(3))
            numbered.setdefault(key, {})[int(match.group(2))] = column
    for (name, after), members in numbered.items():
        if {1, 2, 3} <= set(members):
            return [members[i] for i in sorted(members)], name + after
    return None


def _two_alike(table: Table, columns: list[str]) -> bool:
    first, second, third = (table.head(1_000).texts(column) for column in columns)
    return bool(np.mean((first == second) ^ (second == third) ^ (first == third)) > 0.9)
