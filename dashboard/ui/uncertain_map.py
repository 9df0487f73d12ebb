"""What tabs share that are about the uncertainty of a map: which one, and by what."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace

import streamlit as st

from tripletscope.core.inference.uncertainty.samples import SOURCES, Samples
from tripletscope.core.inference.uncertainty.sources import response_options
from tripletscope.core.run import Run
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui.analysis import Piece
from tripletscope.dashboard.ui.choosing import names_of
from tripletscope.dashboard.ui.context import Context, FitContext
from tripletscope.dashboard.ui.controls import pick
from tripletscope.dashboard.ui.opened_map import await_map, maps_of, opened_map
from tripletscope.dashboard.ui.watching import watch

#: How the keys of their widgets and figures begin, on whatever page they stand.
PAGE = "uncertainty"


@dataclass(frozen=True)
class UncertaintyContext(FitContext):
    """A fitted map whose uncertainty is asked for."""

    @property
    def sources(self) -> dict[str, str]:
        """Where its uncertainty can come from."""
        if self.method.is_likelihood:
            return dict(SOURCES)
        return {"bootstrap": SOURCES["bootstrap"]}

    def newest(self, task: str) -> Run | None:
        """The newest result of a task for the map."""
        return self.find(self.method, task)

    def samples(self, run: Run) -> Samples:
        """Maps, with the response model that was learned with them, or since."""
        samples = run.samples()
        model = None if samples.response else self.find(*self._response_of(run))
        return samples if model is None else replace(samples, response=asdict(model.result()))

    def learn_responses(self, run: Run, about: str) -> None:
        """The button that learns the response model of maps; it is kept, for other tabs too."""
        st.caption(about)
        self.compute_button(
            f"{PAGE}.response_model.run", "Response probabilities", [self._response_of(run)],
            "Predicts held-out responses, and learns how often people respond as the maps predict. "
            "Positions and ellipses do not need it.",
        )

    def _response_of(self, run: Run) -> Piece:
        return self.method, "response_model", response_options(run.task, run.options)

    def pick_source(self) -> str:
        """Ask where uncertainty is to come from."""
        source = pick(
            self.session, f"{PAGE}.source", "Uncertainty from", self.sources,
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
        elif source != "bootstrap" and self.info.n_participants > 1:
            st.caption(
                "Treats all answers as those of one observer, or of people who do not differ. The "
                "bootstrap of participants shows how much other people would change the map."
            )
        return source


def choose_map(context: Context) -> UncertaintyContext | None:
    """Ask for the map; None where there is none yet."""
    listed = maps_of(context.info)
    if not listed:
        await_map(
            context, "Uncertainty is computed for a map. Fit one on the page Embedding, unless one "
            "is being computed now.",
        )
        return None
    with context.row:
        chosen = pick(
            context.session, f"{PAGE}.map@{context.info.id}", "Map",
            names_of(listed), default=opened_map(context.info).key, width=260,
            help="Maps that were fitted on the pages Embedding and Compare.",
        )
    watch(context.job)
    fit = services().workspace.run(context.info.id, chosen)
    return UncertaintyContext.of(replace(context, page=PAGE), fit=fit)
