"""Columns of objects and perhaps an answer, by their names or without. docs/files.md has samples.

Without names: anchor, nearer, farther (cblearn, t-STE, food100, zappos); anchor last (NEXT); odd
one last (SPoSE, VICE, nature, vogue); two pairs, the more similar one first (cblearn, GNMDS, R's
loe); reference, first, second, votes for the first, all votes (JoVE 63461).

Numbered columns and a choice: image1..3 (THINGS; position of the odd one, from 1), image_1..3 (its
re-release and brain-score; a name, or a position from 0), item1..3 and chosen (60 cars: the most
central), s1..s3 and Response (MLDS: 1 if the second and the third differ more).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain, combinations

import numpy as np

from tripletscope.core.data.cells import plain_number
from tripletscope.core.reading.columns.guess import (
    SAMPLE_ROWS,
    codings_of,
    numbered_columns,
    option_roles,
    plain_texts,
    side_roles,
)
from tripletscope.core.reading.columns.reading import Reading
from tripletscope.core.reading.languages import FOREIGN_CELLS
from tripletscope.core.reading.layouts import Layout, items
from tripletscope.core.reading.names import (
    ALIASES,
    TASK_NAMES,
    file_name,
    is_usual_name,
    listing,
    named,
    normalised,
)
from tripletscope.core.reading.table import Table
from tripletscope.core.reading.tasks import TASKS

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
        if any(map(is_usual_name, columns)) else "Nothing in the file says so: check the sentences."
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
    """Whether four columns have the same objects, and the last is not one of the others."""
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
    answers = plain_texts(table, answer)
    same = np.logical_or.reduce([answers == plain_texts(table, column) for column in objects])
    return bool((same | (answers == "")).all() and same.any())


def _are_counts(table: Table, part: str, whole: str) -> bool:
    part, whole = table.numbers(part), table.numbers(whole)
    both = np.concatenate([part, whole])
    return bool(
        np.isfinite(both).all() and (both == np.round(both)).all()
        and (part >= 0).all() and (part <= whole).all() and (whole > 1).any()
    )


PLAIN = Layout("plain", "Three columns: anchor, nearer, farther", 30, _propose)
UNNAMED = Layout("unnamed", "Objects and an answer, without names", 25, _unnamed)


# Three objects without an anchor, and a choice --------------------------------------------------


_CHOICES = (*chain(*TASK_NAMES.values()), *ALIASES["choice"], "keys")
_SCALES = ("s", "stim", "stimulus", "level")
#: Order of several such groups of columns: made of features, scales, then the others.
_FIRST = ("object", *_SCALES)
_ONE_OF_TWO = frozenset({
    "0", "1", "2", "left", "right", "true", "false", "f", "j",
    *chain.from_iterable(FOREIGN_CELLS[cell] for cell in ("left", "right", "yes", "no")),
})


def _three_and_choice(table: Table) -> list[Reading]:
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
            readings.append(THREE.reading(
                table, items(columns) | {"choice": choice},
                f"Columns {listing(columns)} name the objects.", reason, *reasons,
                side=more, task=task, title=TASKS[task].title,
            ))
    return readings


def _of_three(table: Table) -> dict[str, list[str]]:
    """The only three columns left, if the choice's name shows the task."""
    choice = named(table.columns, chain(*TASK_NAMES.values()))
    if choice is None:
        return {}
    more, _ = side_roles(table, {"choice": choice})
    rest = [c for c in table.columns if c != choice and c not in more.values()]
    return {"": rest} if len(rest) == 3 else {}


def _tasks(
    table: Table, name: str, columns: list[str], choice: str
) -> list[tuple[str, str]]:
    """Possible tasks with reasons, the likeliest first."""
    words = set(plain_texts(table, choice)) - {""}
    binary = len(words) <= 2 and {word.casefold() for word in words} <= _ONE_OF_TWO
    if len(columns) == 4:
        pairs = [
            ("larger_pair", "The response says which pair differs more, as in difference scaling "
             "(MLDS)."),
            ("smaller_pair", "The response may also be the more similar pair."),
        ]
        return pairs if binary else []
    choice_name = normalised(choice)
    likeliest = [task for task, names in TASK_NAMES.items() if choice_name in names]
    if binary and not likeliest and name != "image":
        scale = name in _SCALES or all(
            np.isfinite(table.numbers(column)).mean() > 0.9 for column in columns
        )
        result = [
            ("larger_difference", "The response is one of two: as in difference scaling (MLDS) it "
             "says which of two neighbouring pairs differs more."),
            ("smaller_difference", "The response may also be the more similar pair."),
        ]
        # Odd ones out may have two values by chance.
        return result if scale else [*result, ("odd_one_out", "The response may be the odd one.")]
    tasks = ["odd_one_out", "most_central", "similar_pair"]
    doubt = (
        f"The file does not say whether {choice} is the odd one or another: check the sentences."
    )
    if likeliest:
        tasks.sort(key=lambda task: task not in likeliest)
        doubt = f"The name of column {choice} says so."
    elif choice_name == "chosen" and any("survey" in normalised(c) for c in table.columns):
        tasks.sort(key=lambda task: task != "most_central")
        doubt = "The survey of 60 cars asked for the most central one."
    elif name == "image":
        doubt = "Columns image 1 to 3 and choice are those of THINGS: the response is the odd one."
    if len(words) > 3:  # pairs have numbers
        tasks.remove("similar_pair")
    return [(task, doubt) for task in tasks]


THREE = Layout("three", "Three objects and a response", 40, _three_and_choice)


# Any table --------------------------------------------------------------------------------------

#: Columns that are compared with each other, in quadratic time.
_COMPARED = 16
_CODED = ("anchor", "left", "right")


def _any(table: Table) -> list[Reading]:
    roles, reasons = option_roles(table)
    if not roles:
        roles, reasons = _by_values(table.head(SAMPLE_ROWS))
    return [ROLES.reading(table, roles, *reasons)]


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
            f"Columns {listing(objects[:3])} contain the same objects, and {choice} has two "
            f"values. The order anchor, first option, second option is only a guess. Check the "
            "sentences."
        ]
    return dict(zip(("anchor", "near", "far"), objects, strict=False)), [
        f"Columns {listing(objects[:3])} contain the same objects. Nothing identifies the anchor; "
        "the order anchor, nearer, farther is only a guess. Check the sentences."
    ]


def _shares(values: dict[str, frozenset[str]], column: str) -> bool:
    """Whether at least two other columns have mostly the same values."""
    reference = values[column]
    alike = sum(
        len(reference & other) * 2 > min(len(reference), len(other))
        for name, other in values.items() if name != column and len(other) > 2
    )
    return len(reference) > 2 and alike >= 2


def _names_an_option(table: Table, objects: list[str]) -> tuple[str, str, str] | None:
    """(choice, left, right) such that choice is one of the two in every row with an answer."""
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
    """A column with a name of a choice, or any of an unnamed table, that codes a position."""
    others = [column for column in table.columns[:_COMPARED] if column not in objects]
    for column in others:
        called_so = not table.header or normalised(column) in ALIASES["choice"]
        words = {plain_number(text).casefold() for text in table.codes(column).values}
        if called_so and codings_of(words):
            return column
    return None


ROLES = Layout("roles", "Columns chosen by role", 100, _any)
