"""Kinds of questions in files, and the triplets that answers imply."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

from tripletscope.core.reading.languages import FORMS

#: Positions in the trial of anchor, near, far; or of the more similar pair and the other one.
Implied = tuple[tuple[int, ...], ...]

#: Most options of a trial with several choices.
MOST_OPTIONS = 8


@dataclass(frozen=True)
class Task:
    """One kind of question."""

    name: str
    title: str  # for the user, with the question
    help: str
    objects: tuple[str, ...]  # roles of the objects in a row
    outcomes: tuple[Implied, ...]  # by the number of the outcome
    #: Positions of the objects that the choice may name, in the order of the outcomes; empty if
    #: the choice is no object.
    options: tuple[int, ...]
    #: An answer in words, with ``{who}``, ``{anchor}``, ``{near}`` and ``{far}`` of its first
    #: triplet, and ``{fourth}`` of four objects.
    sentence: str
    #: What each of the objects in that sentence is there, in their order.
    parts: tuple[str, ...]
    #: Outcome of rows without a choice, whose columns are in the order of the answer.
    in_order: int = 0
    opposite: str = ""  # the task that reverses every answer, if that makes sense

    @property
    def is_anchored(self) -> bool:
        return self.objects[0] == "anchor"


def _tuples(values: list) -> tuple:
    return tuple(_tuples(value) if isinstance(value, list) else value for value in values)


#: Every kind of question, the most usual first.
TASKS: dict[str, Task] = {
    name: Task(name, **{
        key: _tuples(value) if isinstance(value, list) else value for key, value in about.items()
    })
    for name, about in FORMS["tasks"].items()
}


def chosen_first(n_options: int, n_chosen: int, ranked: bool) -> Implied:
    """Triplets that a choice of several options implies, the chosen ones first."""
    chosen = range(1, n_chosen + 1)
    rest = range(n_chosen + 1, n_options + 1)
    pairs = list(combinations(chosen, 2)) if ranked else []
    return tuple((0, i, j) for i, j in [*pairs, *((i, j) for i in chosen for j in rest)])
