"""Material of a report: the answers, exclusions, and results."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tripletscope.core.data.lazy import cached_property
from tripletscope.core.data.triplets import Answers
from tripletscope.core.inference.held_out.compare import Suggestion, recommend_dimension
from tripletscope.core.inference.held_out.score import ErrorEstimate
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding
from tripletscope.core.run import Run
from tripletscope.core.studies.preregistration.deviations import Standing
from tripletscope.core.studies.quality import Cleaning, QualityReport, quality
from tripletscope.dashboard.report.document import Block, joined
from tripletscope.dashboard.results import UNCERTAIN, Drawing
from tripletscope.dashboard.results.preregistration import planned_maps
from tripletscope.dashboard.results.presentation import (
    REPORT_PARTS,
    Limits,
    Presentation,
    ShownResults,
    Statement,
)
from tripletscope.dashboard.results.registry import presented
from tripletscope.dashboard.words import unmarked, words


@dataclass(frozen=True)
class Material:
    """Everything that a report is about.

    cleaning: The imported answers, and exclusions.
    runs: Results; the report is about the first of several maps.
    asked: The question to the participants, in a few words.
    measured: Kind of the ratings, confusions and so on behind the answers; empty for real answers.
    collected: What is known of an experiment: numbers of people who began, finished and were
        stopped, and what they went through.
    standing: What has become of the analysis plan that the data set follows, if any.
    names: Of the figures so far, all different.
    """

    name: str
    cleaning: Cleaning
    runs: tuple[Run, ...] = ()
    asked: str = ""
    pictures: dict[int, str] = field(default_factory=dict)
    dimension_names: dict[str, dict[int, str]] = field(default_factory=dict)
    looks: Mapping[str, Any] = field(default_factory=dict)
    measured: str = ""
    collected: Mapping[str, Any] = field(default_factory=dict)
    standing: Standing | None = None
    names: set[str] = field(default_factory=set, repr=False)

    @property
    def answers(self) -> Answers:
        return self.cleaning.triplets

    @cached_property
    def quality(self) -> QualityReport:
        return quality(
            self.answers, catch_trials=self.cleaning.catch_trials, gold=self.cleaning.gold
        )

    def shown(self, *runs: Run) -> ShownResults:
        """Some results, for figures; by default all."""
        return ShownResults(
            runs or self.runs, self.answers, unmarked(self.name),
            pictures=self.pictures, named=self.dimension_names, cautious=True, asked=self.asked,
            measured=self.measured, looks=self.looks, planned=planned_maps(self.standing),
            limits_of=lambda _: Limits(self.quality.ceiling, self.quality.choices),
        )

    def blocks_in(self, part: str) -> Iterator[Block]:
        for task, kind in REPORT_PARTS[part]:
            for run in self.all_of(task, kind):
                yield from self.blocks_of(run)

    def blocks_of(
        self, *results: Any, also: Sequence[str] = (), among: Sequence[Run] = (),
        by: Presentation | None = None,
    ) -> Iterator[Block]:
        """A paragraph on some results, followed by their figures.

        also: Further sentences.
        among: Results that are shown with them; by default all.
        """
        parts = list(presented(self.shown(*among), *results, by=by))
        figures = [self.named(part) for part in parts if isinstance(part, Drawing)]
        sentences = [*(part.text for part in parts if isinstance(part, Statement)), *also]
        if figures:
            places = words.listing([f"@fig-{figure.name}" for figure in figures])
            sentences.append(words("see figure", place=places))
        yield joined(*sentences)
        yield from figures

    def named(self, drawing: Drawing) -> Drawing:
        base = re.sub(r"[^a-z0-9]+", "-", drawing.name.lower()).strip("-") or "figure"
        name, number = base, 1
        while name in self.names:
            number += 1
            name = f"{base}-{number}"
        self.names.add(name)
        return replace(drawing, name=name, caption=unmarked(drawing.caption))

    def all_of(self, task: str, kind: str = "") -> list[Run]:
        """Results of a task, of methods of a kind if there is one."""
        return [run for run in self.runs if run.task == task and kind in ("", run.kind)]

    # The map ---------------------------------------------------------------------------------

    @cached_property
    def map(self) -> Run | None:
        return next((
            run for run in self.all_of("fit", "embedding")
            if isinstance(run.fresh(), OrdinalEmbedding)
        ), None)

    def of_map(self, *tasks: str) -> Run | None:
        return self.shown().of(self.map, *tasks) if self.map else None

    @property
    def dimensions(self) -> int:
        """Dimensions of the map; methods that choose them use fewer than they may."""
        return int(self.map.numbers.get("rank_", self.map.parameters["n_components"]))

    @cached_property
    def uncertainty(self) -> Run | None:
        return self.of_map(*UNCERTAIN)

    @cached_property
    def error(self) -> ErrorEstimate | None:
        run = self.of_map("split_error", "cross_validate")
        return run.result() if run else None

    @cached_property
    def compared(self) -> dict[int, Run]:
        """Held-out errors of the map's method by number of dimensions, in the same folds.

        Folds of the map if its error is there; otherwise those with most errors.
        """
        if self.map is None:
            return {}
        together: dict[str, dict[int, Run]] = {}
        for run in self.all_of("cross_validate", "embedding"):
            d = run.parameters["n_components"]
            same = run.parameters == {**self.map.parameters, "n_components": d}
            if run.method == self.map.method and same:
                together.setdefault(_folds(run), {}).setdefault(d, run)
        chosen = self.map.parameters["n_components"]
        most = max(together.values(), key=lambda runs: (chosen in runs, len(runs)), default={})
        return dict(sorted(most.items()))

    @property
    def by_dimension(self) -> dict[int, ErrorEstimate]:
        return {d: run.result() for d, run in self.compared.items()}

    @cached_property
    def alike(self) -> list[Run]:
        """Held-out errors that can be compared: in the same folds, of most methods."""
        together: dict[str, list[Run]] = {}
        for run in self.all_of("cross_validate"):
            together.setdefault(_folds(run), []).append(run)
        return max(together.values(), key=len, default=[])

    @cached_property
    def suggestion(self) -> Suggestion | None:
        """The number of dimensions that these errors support."""
        if len(self.by_dimension) < 2:
            return None
        folds = next(iter(self.compared.values())).options["folds"]
        return recommend_dimension(self.by_dimension, self.answers, 1.0 / (folds - 1))


def _folds(run: Run) -> str:
    return json.dumps(run.options, sort_keys=True, default=str)
