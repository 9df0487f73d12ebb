"""Results that are shown together, and the figures that are made of them.

A figure is made by a function of `ShownResults`, declared by `figure_of` for the task, or the kind
of method, of the result that it begins with. It finds there what else it shows, such as the
uncertainty of a map.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from tripletscope.core.data.triplets import Judgements
from tripletscope.core.evaluation.ceiling import Ceiling, noise_ceiling
from tripletscope.core.run import Run
from tripletscope.dashboard.drawing.drawing import Drawing
from tripletscope.dashboard.drawing.map import UNCERTAIN
from tripletscope.dashboard.wording import ENGLISH, Words

Figure = Callable[["ShownResults", Run], Iterator[Drawing]]
#: Makers of figures by the task, and for fits the kind of method, of a result.
FIGURES: dict[tuple[str, str], list[Figure]] = {}


@dataclass(frozen=True)
class ShownResults:
    """Results of the same answers that are shown together.

    answers: That they were computed from.
    name: Of the data set.
    rotations (d, d): How maps are turned, by the key of their result.
    cuts: Into how many clusters trees are cut, by the key of their result.
    pictures: Pictures of objects, as data addresses, by position.
    named: What people call dimensions, by position, by the key of their fit.
    """

    runs: tuple[Run, ...]
    answers: Judgements
    name: str
    words: Words = ENGLISH
    rotations: dict[str, np.ndarray] = field(default_factory=dict)
    cuts: dict[str, int] = field(default_factory=dict)
    pictures: dict[int, str] = field(default_factory=dict)
    named: dict[str, dict[int, str]] = field(default_factory=dict)

    @property
    def about(self) -> str:
        """The data in a sentence."""
        words = self.words
        return words(
            "about", name=self.name, objects=words.count(self.answers.n_objects, "object"),
            answers=words.count(len(self.answers), "answer"),
        )

    @cached_property
    def ceiling(self) -> Ceiling:
        return noise_ceiling(self.answers)

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


def figure_of(task: str, kind: str = "") -> Callable[[Figure], Figure]:
    """Declare a function that makes figures of results of a task, for methods of a kind."""

    def declare(make: Figure) -> Figure:
        FIGURES.setdefault((task, kind), []).append(make)
        return make

    return declare


def uncertainty_of(shown: ShownResults, run: Run) -> Run | None:
    """Maps that the answers could as well have given, if they were computed."""
    return shown.of(run, *UNCERTAIN)


def table_of(**columns: Any) -> Callable[[], pd.DataFrame]:
    """Makes a table of some columns when it is asked for."""
    return lambda: pd.DataFrame(columns)
