"""What the views of the page Uncertainty share: the map that they are about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import streamlit as st

from tripletscope.core.data.triplets import Triplets
from tripletscope.core.embedding.ordinal import OrdinalEmbedding
from tripletscope.core.run import TASKS, Run
from tripletscope.core.uncertainty.samples import SOURCES
from tripletscope.dashboard import analysis
from tripletscope.dashboard.interface.controls import parameter_form, pick
from tripletscope.dashboard.keeping.catalogue import DatasetInfo
from tripletscope.dashboard.keeping.jobs import Job
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.views.computing import compute_button

PAGE = "uncertainty"


def made_of(run: Run) -> str:
    """Tells a result from others, also from one of the same key that was stopped earlier."""
    shapes = [array.shape for array in run.arrays.values()]
    return f"{run.key} {run.created} {run.complete} {shapes}"


@dataclass(frozen=True)
class Subject:
    """A fitted map whose uncertainty is asked for."""

    current: Session
    info: DatasetInfo
    triplets: Triplets
    fit: Run
    job: Job | None

    @cached_property
    def method(self) -> OrdinalEmbedding:
        """As it was set, not fitted."""
        return self.fit.fresh()

    @property
    def sources(self) -> dict[str, str]:
        """Where its uncertainty can come from."""
        if self.method.is_likelihood:
            return dict(SOURCES)
        return {"bootstrap": SOURCES["bootstrap"]}

    def find(self, task: str, options: Mapping[str, Any] | None = None) -> Run | None:
        """The result of a task; without options, the newest."""
        return analysis.find(self.info, self.triplets, self.method, task, options)

    def compute(self, task: str, title: str, about: str) -> Run | None:
        """Options of a task and the button that computes it; its result, where it is there.

        With options that were not computed yet, the newest result of others.
        """
        options = parameter_form(self.current, TASKS[task].function, f"{PAGE}.{task}")
        found = self.find(task, options)
        pieces = [] if found is not None and found.complete else [(self.method, task, options)]
        compute_button(
            self.current, self.info, self.triplets, PAGE, f"{PAGE}.{task}.run",
            f"{title}: {self.info.name}", pieces, about,
        )
        return found or self.find(task)

    def pick_source(self) -> str:
        """Ask where uncertainty is to come from."""
        found = pick(
            self.current, f"{PAGE}.source", "Uncertainty from", self.sources,
            help="**Bootstrap**: maps of resampled answers; for every method.\n\n**Bayesian "
            "posterior**: maps drawn from the posterior under a Gaussian prior; for methods whose "
            "loss is a likelihood.\n\n**Normal approximation**: of the same posterior; instant, "
            "and accurate with many answers.",
        )
        if not self.method.is_likelihood:
            st.caption(
                f"{self.method.title} has no response model, so only the bootstrap applies. STE, "
                "t-STE and CKL have one."
            )
        return found
