"""Results that are shown together, and their presentation on pages, in reports and scripts.

`presents` declares a function that yields sentences, figures and tables of a result in order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import NoneType
from typing import Any, NamedTuple, Self, TypeVar

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from tripletscope.core.data.lazy import cached_property
from tripletscope.core.data.triplets import Answers, Triplets
from tripletscope.core.inference.held_out.ceiling import (
    Ceiling,
    noise_ceiling,
    people_differ,
)
from tripletscope.core.inference.held_out.choice_accuracy import ChoiceAccuracy, choice_accuracies
from tripletscope.core.run import Run
from tripletscope.dashboard.figures.theme import Canvas
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.results.look import LOOKS
from tripletscope.dashboard.results.map_recipe import UNCERTAIN, MapLook
from tripletscope.dashboard.words import words


@dataclass(frozen=True)
class Statement:
    """A sentence of a paper, with ``*p*`` for italics; see `dashboard/words`."""

    text: str


@dataclass(frozen=True)
class Advice:
    """A sentence for the page alone: how to read a result, and what to do next."""

    text: str


@dataclass(frozen=True)
class Numbers:
    """A table beside the figures of a page.

    table: Makes it, with final names of columns.
    objects: Positions of its objects, which can be selected.
    of_rows: Objects of some rows, where rows can be chosen.
    about: Explanation, if the title does not suffice.
    is_small: Whether its few rows are seen at once, and not unfolded.
    """

    title: str
    table: Callable[[], pd.DataFrame]
    objects: tuple[int, ...] = ()
    of_rows: Callable[[list[int]], Iterable[int]] | None = None
    about: str = ""
    is_small: bool = False


Look = TypeVar("Look")
Element = Drawing | Statement | Advice | Numbers
Presentation = Callable[["ShownResults", Any], Iterator[Element]]
#: Presentations by task or class, for fits the kind of method, and class of detail.
PRESENTATIONS: dict[tuple[str | type, str, type], list[Presentation]] = {}
#: Tasks, and for fits kinds of method, by the part of the report with their presentations.
REPORT_PARTS: dict[str, list[tuple[str, str]]] = {}


@dataclass(frozen=True)
class PlannedMaps:
    """Maps that a plan has of some answers.

    methods: As records.
    kept (t,): Answers that the planned exclusions keep.
    """

    methods: tuple[Mapping[str, Any], ...]
    kept: np.ndarray


class Limits(NamedTuple):
    """Limits of accuracy by noise and guessing.

    choices: Chance and ceiling of every kind of choice among more than two.
    """

    ceiling: Ceiling
    choices: list[ChoiceAccuracy]

    @classmethod
    def of(cls, answers: Answers) -> Self:
        ceiling = replace(noise_ceiling(answers), differ=people_differ(answers))
        return cls(ceiling, choice_accuracies(answers))


@dataclass(frozen=True)
class ShownResults:
    """Results of the same answers that are shown together; what is by key is by that of a result.

    answers: None of simulations.
    looks: How they are shown: maps, trees, and what else declares a look.
    pictures, addresses: Of objects by position, as data addresses, or for a browser.
    named: Names of dimensions, by position, by the key of their fit.
    embed: Makes `pictures` for a file, where they are empty.
    asked: The question to the participants, in a few words.
    measured: Kind of the ratings, confusions and so on behind the answers; empty for real answers.
    average: Uncertainty of orders, if computed before.
    detail: Part of a result that is shown instead of all: see `presents`.
    planned: The planned analyses, where the answers follow a plan.
    cautious: Whether figures that no test confirms are withheld, as on pages and in reports;
        scripts draw them.
    """

    runs: tuple[Run, ...]
    answers: Answers | None
    name: str
    pictures: dict[int, str] = field(default_factory=dict)
    named: dict[str, dict[int, str]] = field(default_factory=dict)
    addresses: dict[int, str] = field(default_factory=dict)
    embed: Callable[[], dict[int, str]] = dict
    selected: tuple[int, ...] = ()
    asked: str = ""
    measured: str = ""
    average: float | None = None
    detail: object = None
    looks: Mapping[str, Any] = field(default_factory=dict)
    limits_of: Callable[[Answers], Limits] = Limits.of
    planned: PlannedMaps | None = None
    cautious: bool = False

    def pictures_on(self, canvas: Canvas) -> Mapping[int, str]:
        """Pictures for a page, or embedded ones for a file."""
        if canvas.screen and self.addresses:
            return self.addresses
        return self.pictures or self.embed()

    def look_of(self, run: Run, kind: type[Look] = MapLook) -> Look:
        """How a result is shown; a look under no key is that of all."""
        chosen = (self.looks.get(key) for key in (run.key, ""))
        return next((look for look in chosen if isinstance(look, kind)), kind())

    @property
    def about(self) -> str:
        """The data, for captions."""
        return self.about_of(len(self.answers))

    def about_of(self, n_answers: int) -> str:
        """The same where a result is of more answers, such as those of all views."""
        answers = self.answers
        derived = self.measured or answers.are_rated
        number = words.count(n_answers, "derived comparison" if derived else "answer")
        if n_answers == len(answers) and isinstance(answers, Triplets) and (
            answers.trials is not None and not answers.are_rated
        ):
            number = words("answers in trials", answers=number, trials=answers.n_trials)
        return words("about", name=self.name, answers=number,
                     objects=words.count(answers.n_objects, "object"))

    def drawing(
        self, run: Run, name: str, ratio: float, draw: Callable[..., go.Figure],
        table: Callable[[], pd.DataFrame], *, place: str = "", key: str = "", alt: str = "",
        said: str = "", runs: Iterable[Run] = (), picks: bool = False, is_half: bool = False,
        saved_as: str = "", **fields: Any,
    ) -> Drawing:
        """A figure of a result with texts by its name: "`name` of" and "title `name`".

        draw: Takes caption and canvas.
        place: Suffix of the name, where several figures have these texts.
        key: Of the caption, if not `name`.
        alt: Key of the alternative text; by default the caption.
        said: A further sentence of the caption.
        **fields: Of the sentences, which also have ``method`` and ``about``.
        """
        method = words.method(run.fresh())
        if not run.complete:
            method += f", {words('fit stopped' if run.task == 'fit' else 'incomplete')}"
        fields = {"method": method, "about": self.about} | fields
        parts = (words(f"{key or name} of", **fields), said, words("by method", **fields))
        text = " ".join(filter(None, parts))
        return Drawing(
            f"{name}-{place}" if place else name, words(f"title {name}", **fields), text,
            words(alt, **fields) if alt else text, ratio,
            lambda canvas: draw(caption=text, canvas=canvas), table,
            tuple(one.key for one in runs or (run,)), picks, is_half, saved_as=saved_as,
        )

    @cached_property
    def limits(self) -> Limits:
        return self.limits_of(self.answers)

    def of(self, run: Run, *tasks: str) -> Run | None:
        """The first result of some tasks for the method of a result."""
        return next((
            other for task in tasks for other in self.runs
            if other.task == task
            and (other.method, other.parameters) == (run.method, run.parameters)
        ), None)

    def all_of(self, task: str) -> list[Run]:
        return [run for run in self.runs if run.task == task]


def presents(
    task: str | type, kind: str = "", *, detail: type = NoneType, told_in: str = "",
    look: type | None = None,
) -> Callable[[Presentation], Presentation]:
    """Declare the presentation of results of a task, or of a class.

    kind: Of methods, for fits.
    detail: Class of `ShownResults.detail` that this is for, such as one object's.
    told_in: Part of the report with these sentences; empty where that has its own.
    look: What can be chosen of how they are shown; see `results.look`.
    """

    def declare(make: Presentation) -> Presentation:
        PRESENTATIONS.setdefault((task, kind, detail), []).append(make)
        if look is not None:
            LOOKS[task, kind] = look
        if told_in:
            REPORT_PARTS.setdefault(told_in, []).append((task, kind))
        return make

    return declare


def runs_of(results: Iterable[Any]) -> tuple[Run, ...]:
    return tuple(one for one in results if isinstance(one, Run))


def uncertainty_of(shown: ShownResults, run: Run) -> Run | None:
    """Maps that the answers could as well have given, if computed."""
    return shown.of(run, *UNCERTAIN)


def table_of(**columns: Any) -> Callable[[], pd.DataFrame]:
    return lambda: pd.DataFrame(columns)
