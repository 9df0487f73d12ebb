"""Three objects without an anchor, and which of them was chosen: the odd one, the central one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tripletscope.core.reading.columns.object_columns import (
    TELLING,
    Response,
    in_order,
    never_objects,
    object_groups,
    responses,
    task_said,
)
from tripletscope.core.reading.columns.reading import CHOICE_CODINGS
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
from tripletscope.core.reading.layouts import items
from tripletscope.core.reading.names import TASK_NAMES, normalised
from tripletscope.core.reading.tasks import TASKS

_TASKS = ("odd_one_out", "most_central", "similar_pair")


def _evidence(columns: Columns) -> list[Claim]:
    found: list[Claim] = []
    for objects in [*object_groups(columns), *_by_choice(columns)]:
        if len(objects) == 3:
            for response in responses(columns, objects)[:3]:
                found += _of(columns, objects, response)
    return found


def _by_choice(columns: Columns) -> list[list[ColumnCells]]:
    """The three columns beside a response whose name says the question."""
    names = {name for names in TASK_NAMES.values() for name in names}
    choice = next((c.name for c in columns if normalised(c.name) in names), None)
    if choice is None:
        return []
    objects = [c for c in columns if c.name != choice and (c.can_name or c.is_constant)
               and not (c.counts_rows or never_objects(c.name))]
    return [objects] if len(objects) == 3 and differ(objects) > 0.9 else []


def _of(columns: Columns, objects: Sequence[ColumnCells], response: Response) -> list[Claim]:
    names = in_order([column.name for column in objects])
    choice = response.column.name
    told = [task for task, called in TASK_NAMES.items() if normalised(choice) in called]
    codings = [*_of_three(response, bool(told), names)]
    if not codings:
        return []
    asked, sign = _asked(columns, names, response, told)
    unsaid = LIKELY if response.called or response.alone or response.how == "item" else POSSIBLE
    if not asked:
        sign = Sign("one_of_three", {"choice": choice, "columns": named_together(objects)})
    found = []
    for task in _TASKS:
        if task == "similar_pair" and (response.how == "item" or task not in told):
            continue
        points = unsaid if not asked else CERTAIN if task in asked else POSSIBLE
        if len(codings) > 1:
            points = min(points, LIKELY)
        found += [
            answers(columns, "choices", points, task, items(names) | {"choice": choice}, sign,
                    coding=coding, title=TASKS[task].title)
            for coding in codings
        ]
    return sorted(found, key=lambda one: -one.points)


def _asked(
    columns: Columns, names: Sequence[str], response: Response, told: list[str]
) -> tuple[list[str], Sign | None]:
    """The tasks that something says were asked, and what; none and None if nothing does."""
    choice = response.column.name
    if told:
        return told, Sign("choice_says", {"choice": choice})
    if normalised(choice) == "chosen" and any("survey" in normalised(n) for n in columns.names):
        return ["most_central"], Sign("cars")
    said = task_said(columns)
    if said:
        return [said], Sign("experiment_says")
    if _is_things(names) and response.called:
        return ["odd_one_out"], Sign("things")
    return [], None


def _of_three(
    response: Response, told: bool, names: Sequence[str]
) -> Iterable[str | Mapping[str, int]]:
    """Codings of one of three columns, in this order; `told` that it is."""
    if response.how == "item":
        # Of many responses, none to one of the objects: that one is an anchor.
        few = response.column.n_written < TELLING
        return ["item"] if len(response.options) == 3 or few or told else []
    if response.how == "columns":
        if len(response.options) < 3:
            return []
        return [{word: names.index(response.options[place - 1]) + 1
                 for word, place in response.codings[0].items()}]
    if len(response.column.values) < 3:
        return []
    return [
        coding for coding in response.codings
        if isinstance(coding, Mapping) or len(CHOICE_CODINGS[coding].words) > 2
    ]


def _is_things(names: Sequence[str]) -> bool:
    return [normalised(name) for name in names] == ["image1", "image2", "image3"]


CHOICES = Kind("choices", "three objects and the chosen one", 34, _evidence, "tripletscope.read")
