"""Other readings of the same columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import permutations

from tripletscope.core.reading.columns.guess import SAMPLE_ROWS, codings_of, plain_texts
from tripletscope.core.reading.columns.reading import CHOICE_CODINGS, Reading
from tripletscope.core.reading.table import Table
from tripletscope.core.reading.tasks import TASKS

_THREE = ("item1", "item2", "item3")
_OPTIONS = ("anchor", "left", "right")


def alternatives(table: Table, reading: Reading) -> list[Reading]:
    """Readings of the same columns with distinct meanings, the given one first.

    They differ in the anchor, in the meaning of the choice (nearer, farther, odd or central) and in
    the first position, as far as the cells allow.
    """
    columns = [reading.roles[role] for role in reading.objects]
    sides = {
        role: column for role, column in reading.roles.items()
        if column not in columns and role not in ("choice", "choice2")
    }
    readings = {meaning(reading): reading}
    for other in _others(table, reading, columns):
        other = replace(other, roles=other.roles | sides, reasons=())
        readings.setdefault(meaning(other), other)
    return [*readings.values()]


def _others(table: Table, reading: Reading, columns: list[str]) -> Iterator[Reading]:
    # Of a triad of levels the middle one is known.
    triad = TASKS[reading.task].opposite and not TASKS[reading.task].is_anchored
    if triad or reading.is_counted or reading.task == "most_similar" or len(columns) == 4:
        opposite = TASKS[reading.task].opposite
        if not reading.is_coded and len(columns) == 4:
            roles = dict(zip(("item3", "item4", "item1", "item2"), columns, strict=True))
            yield replace(reading, roles=roles, title="the other pair is the more similar one")
        elif opposite:
            yield replace(reading, task=opposite, title=TASKS[opposite].title)
        return
    if not reading.is_coded:
        yield from _orders(reading, columns)
        return
    choice = {role: reading.roles[role] for role in ("choice", "choice2") if role in reading.roles}
    if len(TASKS[reading.task].outcomes) == 2:
        yield from _anchors(table, reading, columns, choice)
        return
    for coding in _codings(table, reading, 3):
        for task in ("odd_one_out", "most_central", "similar_pair"):
            if len(choice) == 2 or (task == "similar_pair" and coding == "item"):
                continue  # two named objects are a pair that belongs together
            yield replace(
                reading, task=task, choice_coding=coding, title=_title(task, coding),
                roles=dict(zip(_THREE, columns, strict=True)) | choice,
            )


def _orders(reading: Reading, columns: list[str]) -> Iterator[Reading]:
    """Three columns in the order of the answer: any of them may be anything."""
    for anchor, near, far in permutations(columns):
        yield replace(
            reading, task="nearer", roles={"anchor": anchor, "near": near, "far": far},
            title=f"anchor {anchor}, nearer {near}, farther {far}",
        )
    for task, place in (("odd_one_out", "item3"), ("most_central", "item1")):
        others = [role for role in _THREE if role != place]
        for k, column in enumerate(columns):
            rest = [other for i, other in enumerate(columns) if i != k]
            yield replace(
                reading, task=task, roles={place: column} | dict(zip(others, rest, strict=True)),
                title=f"{TASKS[task].title.lower()}: {column}",
            )


def _anchors(
    table: Table, reading: Reading, columns: list[str], choice: dict[str, str]
) -> Iterator[Reading]:
    """A choice of one of two: every anchor, and a choice of the nearer or the farther one."""
    middle = columns
    if not TASKS[reading.task].is_anchored:  # the anchor of a difference scale is in the middle
        middle = [columns[1], columns[0], columns[2]]
    for coding in _codings(table, reading, 2):
        for k in range(1 if coding == "item" else 3):
            order = [middle[k], *(c for i, c in enumerate(middle) if i != k)]
            for task in ("nearer", "farther"):
                yield replace(
                    reading, task=task, choice_coding=coding,
                    roles=dict(zip(_OPTIONS, order, strict=True)) | choice,
                    title=f"{_title(task, coding)}, {order[0]}",
                )


def _codings(table: Table, reading: Reading, n_options: int) -> list[str | Mapping[str, int]]:
    if isinstance(reading.choice_coding, Mapping) or not reading.coding.words:
        return [reading.choice_coding]
    cells = plain_texts(table.head(SAMPLE_ROWS), reading.roles["choice"])
    return codings_of({text.casefold() for text in cells} - {""}, n_options)


def _title(task: str, coding: str | Mapping[str, int]) -> str:
    words = TASKS[task].title.lower()
    if coding == "item" or isinstance(coding, Mapping):
        return words
    return f"{words} ({CHOICE_CODINGS[coding].title.lower()})"


def meaning(reading: Reading) -> tuple:
    """Equal for readings that give the same answers."""
    task, columns = TASKS[reading.task], [reading.roles[role] for role in reading.objects]
    choice = (reading.roles.get("choice"), reading.roles.get("choice2"))
    outcomes, coding = task.outcomes, ()
    if not reading.is_coded:
        outcomes = outcomes[task.in_order : task.in_order + 1]
    elif reading.coding:
        coding = reading.coding.words
    implied = [frozenset(tuple(columns[i] for i in one) for one in many) for many in outcomes]
    turned = tuple(sorted(reading.exchanged.items()))
    if not coding:
        return (choice, reading.choice_coding, tuple(implied), reading.is_counted, turned)
    # Codings with the same words for the same answers are equal.
    meanings = {
        (word, answer) for words, answer in zip(coding, implied, strict=False) for word in words
    }
    return (choice, frozenset(meanings), reading.is_counted, turned)
