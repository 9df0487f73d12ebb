"""What a report is written from: the answers, what was left out of them, and results."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.embedding.ordinal import OrdinalEmbedding
from tripletscope.core.evaluation.compare import Suggestion, recommend_dimension
from tripletscope.core.evaluation.score import ErrorEstimate
from tripletscope.core.quality import Cleaning, QualityReport, quality
from tripletscope.core.run import Run
from tripletscope.dashboard.drawing.map import UNCERTAIN
from tripletscope.dashboard.drawing.shown import ShownResults
from tripletscope.dashboard.wording import ENGLISH, Words


@dataclass(frozen=True)
class Material:
    """Everything that a report says something of.

    Attributes
    ----------
    name : str
        Of the data set.
    cleaning : Cleaning
        The imported answers, and what was left out.
    runs : tuple of Run
        Results; of several maps the first is the one that the report is about.
    words : Words
    asked : str
        What people were asked, in a few words.
    rotations, cuts, pictures
        See `ShownResults`.
    """

    name: str
    cleaning: Cleaning
    runs: tuple[Run, ...] = ()
    words: Words = ENGLISH
    asked: str = ""
    rotations: dict[str, np.ndarray] = field(default_factory=dict)
    cuts: dict[str, int] = field(default_factory=dict)
    pictures: dict[int, str] = field(default_factory=dict)

    @property
    def answers(self) -> Triplets | Quadruples:
        """The answers in use."""
        return self.cleaning.triplets

    @cached_property
    def quality(self) -> QualityReport:
        return quality(
            self.answers, catch_trials=self.cleaning.catch_trials, gold=self.cleaning.gold
        )

    def shown(self, *runs: Run) -> ShownResults:
        """Some results, for figures; all without any."""
        return ShownResults(
            runs or self.runs, self.answers, plain(self.name), self.words, self.rotations,
            self.cuts, self.pictures,
        )

    def all_of(self, task: str, kind: str = "") -> list[Run]:
        """Results of a task, of methods of a kind if there is one."""
        return [run for run in self.runs if run.task == task and kind in ("", run.kind)]

    # The map ---------------------------------------------------------------------------------

    @cached_property
    def map(self) -> Run | None:
        """The map that the report is about."""
        return next((
            run for run in self.all_of("fit", "embedding")
            if isinstance(run.fresh(), OrdinalEmbedding)
        ), None)

    def of_map(self, *tasks: str) -> Run | None:
        """What was computed beside the map."""
        return self.shown().of(self.map, *tasks) if self.map else None

    @cached_property
    def uncertainty(self) -> Run | None:
        return self.of_map(*UNCERTAIN)

    @cached_property
    def error(self) -> ErrorEstimate | None:
        """Held-out error of the map."""
        run = self.of_map("cross_validate", "split_error")
        return run.error() if run else None

    @cached_property
    def by_dimension(self) -> dict[int, ErrorEstimate]:
        """Held-out errors of the map's method, by number of dimensions."""
        if self.map is None:
            return {}
        found = {}
        for run in self.all_of("cross_validate", "embedding"):
            d = run.parameters["n_components"]
            same = {**run.parameters, "n_components": d} == {
                **self.map.parameters, "n_components": d
            }
            if run.method == self.map.method and same:
                found.setdefault(d, run.error())
        return dict(sorted(found.items()))

    @cached_property
    def suggestion(self) -> Suggestion | None:
        """The number of dimensions that these errors support."""
        if len(self.by_dimension) < 2:
            return None
        folds = next(
            run.options["folds"] for run in self.all_of("cross_validate", "embedding")
            if run.method == self.map.method
        )
        return recommend_dimension(self.by_dimension, self.answers, 1.0 / (folds - 1))


def plain(text: str) -> str:
    """A name that somebody has given, without what would be markup."""
    return text.replace("*", "\N{ASTERISK OPERATOR}").replace("@", "\N{FULLWIDTH COMMERCIAL AT}")
