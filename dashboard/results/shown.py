"""Results that are shown together, and what pages, reports and scripts show of them.

How a result is presented is declared once, by `presents`: a function that gives its sentences,
figures and tables in their order. It finds in `ShownResults` what else is shown, such as the
uncertainty of a map. Pages show all of it; reports have its sentences and figures; notebooks,
archives and scripts the figures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import NoneType
from typing import Any, NamedTuple, Self

import pandas as pd
import plotly.graph_objects as go

from tripletscope.core.data.triplets import Judgements, Triplets
from tripletscope.core.inference.evaluation.ceiling import Ceiling, noise_ceiling
from tripletscope.core.inference.evaluation.choosing import ChoiceAccuracy, choice_accuracies
from tripletscope.core.run import Run
from tripletscope.dashboard.figures.theme import Canvas
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.results.map import UNCERTAIN, Turn
from tripletscope.dashboard.wording import ENGLISH, Words


@dataclass(frozen=True)
class Statement:
    """What a result says, as in a paper: ``*p*`` is in italics; see `Words`."""

    text: str


@dataclass(frozen=True)
class Advice:
    """What only the page says: how a result is to be read, and what to do next."""

    text: str


@dataclass(frozen=True)
class Numbers:
    """A table beside the figures of a page.

    table: Makes it, with columns as they are to be called.
    objects: Positions of the objects that it is about, which can be selected.
    of_rows: Gives those of some rows, where rows can be chosen to select theirs.
    about: What it shows, where the title does not say so.
    """

    title: str
    table: Callable[[], pd.DataFrame]
    objects: tuple[int, ...] = ()
    of_rows: Callable[[list[int]], Iterable[int]] | None = None
    about: str = ""


Element = Drawing | Statement | Advice | Numbers
Presentation = Callable[["ShownResults", Any], Iterator[Element]]
#: How results are presented: by their task and for fits the kind of method, what is no `Run` by its
#: class; and by the kind of detail.
PRESENTATIONS: dict[tuple[str | type, str, type], list[Presentation]] = {}
#: Tasks, and of fits the kinds of method, whose results a part of the report tells of as they are
#: presented, by its name.
TOLD_IN: dict[str, list[tuple[str, str]]] = {}


class Limits(NamedTuple):
    """What noise and guessing allow of the accuracy of answers.

    choices: Chance and ceiling of every kind of choice among more than two.
    """

    ceiling: Ceiling
    choices: list[ChoiceAccuracy]

    @classmethod
    def of(cls, answers: Judgements) -> Self:
        return cls(noise_ceiling(answers), choice_accuracies(answers))


@dataclass(frozen=True)
class ShownResults:
    """Results of the same answers that are shown together.

    answers: That they were computed from; None of simulations.
    name: Of the data set.
    turns: How maps are turned, by the key of their result.
    cuts: Into how many clusters trees are cut, by the key of their result.
    pictures: Pictures of objects, as data addresses, by position.
    named: What people call dimensions, by position, by the key of their fit.
    addresses: Where a browser finds the pictures, by position.
    embed: Makes the pictures for a file, where they are not given.
    selected: Positions of the objects that are selected.
    marks, colour: How objects are shown in a map, and by which of their columns.
    forest: Positions of leaf size and number of trees of the forest that is looked at; None is the
        one that errs least.
    predictor: Which of the methods beside a forest predicted what is shown; the forest if empty.
    stretch: What is shown of answers over time, by its column.
    curve: What a curve of searches shows: misses by leaf ``size``, ``distance`` errors, or misses
        by questions ``asked``.
    two_at_a_time: Whether choices among several count as comparisons of two.
    asked: What people were asked, in a few words.
    measured: Kind of the ratings, confusions and so on that the answers were derived from; empty
        where the answers themselves were given.
    wanted: What plans are to reach, by quantity.
    is_fixed: Whether a plan has its number of answers from elsewhere, such as an experiment.
    coverage: Share of what is uncertain that bands of scales cover.
    in_noise: Whether scales are in units of the noise.
    heights: At which height trees are cut, where it was said, by the key of their result.
    rows: Rows of a tree that are drawn at most; None is as many as a page of paper can have.
    axis: Of a map, which is drawn against the stimulus; None is the angle around its centre.
    average: Uncertainty of orders, where it was computed before.
    detail: What is looked at of a result, in place of all of it: see `presents`.
    limits_of: Estimates the limits of the answers.
    cautious: Whether figures are withheld of what no test confirms, as on pages and in reports;
        scripts draw what they ask for.
    """

    runs: tuple[Run, ...]
    answers: Judgements | None
    name: str
    words: Words = ENGLISH
    turns: Mapping[str, Turn] = field(default_factory=dict)
    cuts: dict[str, int] = field(default_factory=dict)
    pictures: dict[int, str] = field(default_factory=dict)
    named: dict[str, dict[int, str]] = field(default_factory=dict)
    addresses: dict[int, str] = field(default_factory=dict)
    embed: Callable[[], dict[int, str]] = dict
    selected: tuple[int, ...] = ()
    marks: str | None = None
    colour: str | None = None
    forest: tuple[int, int] | None = None
    predictor: str = ""
    stretch: str = "predicted"
    curve: str = "size"
    two_at_a_time: bool = False
    asked: str = ""
    measured: str = ""
    wanted: Mapping[str, float | None] = field(default_factory=dict)
    is_fixed: bool = False
    coverage: float = 0.95
    in_noise: bool = False
    heights: Mapping[str, float] = field(default_factory=dict)
    rows: int | None = None
    axis: int | None = None
    average: float | None = None
    detail: object = None
    limits_of: Callable[[Judgements], Limits] = Limits.of
    cautious: bool = False

    def pictures_on(self, canvas: Canvas) -> Mapping[int, str]:
        """Pictures for a page, or for a file, which has them in it."""
        if canvas.screen and self.addresses:
            return self.addresses
        return self.pictures or self.embed()

    @property
    def about(self) -> str:
        """The data in a sentence."""
        words, answers = self.words, self.answers
        number = words.count(len(answers), "answer")
        if isinstance(answers, Triplets) and answers.trials is not None:
            number = words("answers in trials", answers=number, trials=answers.n_trials)
        return words("about", name=self.name, answers=number,
                     objects=words.count(answers.n_objects, "object"))

    def drawing(
        self, run: Run, name: str, ratio: float, draw: Callable[..., go.Figure],
        table: Callable[[], pd.DataFrame], *, place: str = "", key: str = "", alt: str = "",
        said: str = "", runs: Iterable[Run] = (), picks: bool = False, is_half: bool = False,
        saved_as: str = "", **fields: Any,
    ) -> Drawing:
        """A figure of a result in the words of its name: "`name` of" and "title `name`".

        name, ratio, table, picks, is_half, saved_as: See `Drawing`.
        draw: Takes caption and canvas.
        place: What the name ends in, where several figures have these words.
        key: Of the caption, if that is not the name.
        alt: Key of the alternative text, if that is not the caption.
        said: What the caption says further.
        runs: All results, if they are several.
        **fields: Of the sentences, which also know ``method`` and ``about``.
        """
        words = self.words
        method = words.method(run.fresh())
        if not run.complete:
            method += f", {words('fit stopped')}"
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
        """What noise and guessing allow."""
        return self.limits_of(self.answers)

    def of(self, run: Run, *tasks: str) -> Run | None:
        """The first result of some tasks for the method of a result."""
        return next((
            other for task in tasks for other in self.runs
            if other.task == task
            and (other.method, other.parameters) == (run.method, run.parameters)
        ), None)

    def all_of(self, task: str) -> list[Run]:
        """All results of a task."""
        return [run for run in self.runs if run.task == task]


def presents(
    task: str | type, kind: str = "", *, detail: type = NoneType, told_in: str = ""
) -> Callable[[Presentation], Presentation]:
    """Declare how results of a task, or of a class, are presented.

    kind: Of fits, those of methods of this kind.
    detail: Class of `ShownResults.detail` for which this is presented, such as one object's.
    told_in: Part of the report that tells of them; empty where that says more than is said here.
    """

    def declare(make: Presentation) -> Presentation:
        PRESENTATIONS.setdefault((task, kind, detail), []).append(make)
        if told_in:
            TOLD_IN.setdefault(told_in, []).append((task, kind))
        return make

    return declare


def runs_of(results: Iterable[Any]) -> tuple[Run, ...]:
    """Those of some results that a task gave."""
    return tuple(one for one in results if isinstance(one, Run))


def uncertainty_of(shown: ShownResults, run: Run) -> Run | None:
    """Maps that the answers could as well have given, if they were computed."""
    return shown.of(run, *UNCERTAIN)


def table_of(**columns: Any) -> Callable[[], pd.DataFrame]:
    """Makes a table of some columns when it is asked for."""
    return lambda: pd.DataFrame(columns)
