"""Three objects without an anchor, and a choice: odd one out, most central, difference scales.

Columns are called alike but for a number: image1..3 (THINGS; position of the odd one, from 1),
image_1..3 (its re-release and brain-score; a name, or a position from 0), item1..3 and chosen (60
cars: the most central), s1..s3 and Response (MLDS: 1 if the second and the third differ more).
"""

from __future__ import annotations

from itertools import chain

import numpy as np

from tripletscope.core.io.columns.guess import (
    SAMPLE_ROWS,
    numbered_columns,
    plain_texts,
    side_roles,
)
from tripletscope.core.io.columns.reading import Reading
from tripletscope.core.io.languages import FOREIGN_CELLS
from tripletscope.core.io.layouts import Layout, items
from tripletscope.core.io.names import ALIASES, ASKED_NAMES, listing, named, normalised
from tripletscope.core.io.table import Table
from tripletscope.core.io.tasks import TASKS

_CHOICES = (*chain(*ASKED_NAMES.values()), *ALIASES["choice"], "keys")
_SCALES = ("s", "stim", "stimulus", "level")
#: Of several such groups of columns: made of features, scales, then whatever comes first.
_FIRST = ("object", *_SCALES)
_ONE_OF_TWO = frozenset({
    "0", "1", "2", "left", "right", "true", "false", "f", "j",
    *chain.from_iterable(FOREIGN_CELLS[cell] for cell in ("left", "right", "yes", "no")),
})


def _propose(table: Table) -> list[Reading]:
    if not table.header:
        return []
    groups = {
        name: columns for name, columns in numbered_columns(table.columns).items()
        if len(columns) in (3, 4)
    }
    if not groups:
        groups = _of_three(table)
    readings: list[Reading] = []
    for name in sorted(groups, key=lambda name: name not in _FIRST):
        columns = groups[name]
        free = [c for c in table.columns if not any(c in g for g in groups.values())]
        choice = named(free, _CHOICES)
        if choice is None or named(free, ("target", "head", "anchor", "reference", "center")):
            continue
        more, reasons = side_roles(table, {"choice": choice})
        more = {role: c for role, c in more.items() if c not in columns}
        for task, reason in _tasks(table.head(SAMPLE_ROWS), name, columns, choice):
            readings.append(LAYOUT.reading(
                table, items(columns) | {"choice": choice},
                f"Columns {listing(columns)} name the objects.", reason, *reasons,
                side=more, task=task, title=TASKS[task].title,
            ))
    return readings


def _of_three(table: Table) -> dict[str, list[str]]:
    """The only three columns that are left, beside one that says which of three was asked for."""
    choice = named(table.columns, chain(*ASKED_NAMES.values()))
    if choice is None:
        return {}
    more, _ = side_roles(table, {"choice": choice})
    rest = [c for c in table.columns if c != choice and c not in more.values()]
    return {"": rest} if len(rest) == 3 else {}


def _tasks(
    table: Table, name: str, columns: list[str], choice: str
) -> list[tuple[str, str]]:
    """What may have been asked, the likeliest first, and why."""
    words = set(plain_texts(table, choice)) - {""}
    binary = len(words) <= 2 and {word.casefold() for word in words} <= _ONE_OF_TWO
    if len(columns) == 4:
        pairs = [
            ("larger_pair", "The response says which pair differs more, as in difference scaling "
             "(MLDS)."),
            ("smaller_pair", "The response may also be the more similar pair."),
        ]
        return pairs if binary else []
    called = normalised(choice)
    likeliest = [task for task, names in ASKED_NAMES.items() if called in names]
    if binary and not likeliest and name != "image":
        scale = name in _SCALES or all(
            np.isfinite(table.numbers(column)).mean() > 0.9 for column in columns
        )
        result = [
            ("larger_difference", "The response is one of two: as in difference scaling (MLDS) it "
             "says which of two neighbouring pairs differs more."),
            ("smaller_difference", "The response may also be the more similar pair."),
        ]
        # Three objects of which only two were ever chosen may also be odd ones out.
        return result if scale else [*result, ("odd_one_out", "The response may be the odd one.")]
    tasks = ["odd_one_out", "most_central", "similar_pair"]
    doubt = f"Nothing says whether {choice} is the odd one or another: check the sentences."
    if likeliest:
        tasks.sort(key=lambda task: task not in likeliest)
        doubt = f"Column {choice} is called so."
    elif called == "chosen" and any("survey" in normalised(c) for c in table.columns):
        tasks.sort(key=lambda task: task != "most_central")
        doubt = "The survey of 60 cars asked for the most central one."
    elif name == "image":
        doubt = "Columns image 1 to 3 and choice are those of THINGS: the response is the odd one."
    if len(words) > 3:  # a pair is told by its number
        tasks.remove("similar_pair")
    return [(task, doubt) for task in tasks]


LAYOUT = Layout("three", "Three objects and a response", 40, _propose)
