"""What the views of the page Dimensions share: the fit that they are about, with its names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

from tripletscope.core.data.lazy import cached_property
from tripletscope.core.run import Run
from tripletscope.dashboard.figures.dimensions import DimensionData
from tripletscope.dashboard.results.dimensions import data_of
from tripletscope.dashboard.results.presentation import ShownResults
from tripletscope.dashboard.state import widgets
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.context import Context, FitContext
from tripletscope.dashboard.ui.naming import names_of_dimensions
from tripletscope.dashboard.ui.pictures import picture_addresses
from tripletscope.dashboard.ui.watching import watch
from tripletscope.pages.dimensions.fitting import ask_for_fit, fits_of, new_fit, with_measured

#: Trials that are enough to tell what a dimension is good for, and to pick some from.
ENOUGH, PICKED = 100_000, 30_000
_SMALL = 320  # pixels of pictures, one of the sizes that are served


@dataclass(frozen=True)
class DimensionsContext(FitContext):
    """Dimensions that were found, with what people call them."""

    @cached_property
    def names(self) -> dict[int, str]:
        """What people call the dimensions, by position."""
        return names_of_dimensions(self.info, self.fit)

    def shown(self, *runs: Run, **how: Any) -> ShownResults:
        """The fit as the page shows it, with larger pictures and the names of its dimensions."""
        addresses = picture_addresses(self.info, self.triplets.objects, _SMALL)
        every = {run.key: run for run in (*runs, self.fit, *self.again, self.resampled) if run}
        return super().shown(
            *every.values(), addresses=addresses, named={self.fit.key: self.names}, **how
        )

    def look(self, detail: object) -> None:
        """Present something of the fit more closely."""
        self.present(self.fit, detail=detail)

    @cached_property
    def data(self) -> DimensionData:
        """What is drawn."""
        return data_of(self.shown(self.fit), self.fit)

    @cached_property
    def trials(self) -> tuple[np.ndarray, np.ndarray]:
        """Odd-one-out trials that are looked at: rows (Q, 3), the odd one last, and answers."""
        return _some_trials(self.info.fingerprint, self.triplets)

    def steps(self, place: str, labels: tuple[str, str], now: int, number: int) -> None:
        """Buttons that go to what is before and after in a menu of so many, round and round."""
        if number < 2:
            return
        icons = ("chevron_left", "chevron_right")
        for label, icon, to in zip(labels, icons, (now - 1, now + 1), strict=True):
            st.button(
                label, key=f"{self.page}.{label.lower()}", icon=f":material/{icon}:",
                type="tertiary", on_click=self.set_to, args=(place, to % number),
            )

    def set_to(self, key: str, value: Any) -> None:
        """Give a widget a value before the page is drawn; for what happens on a click."""
        widgets()[key] = self.session.remember(key, value)

    @cached_property
    def again(self) -> list[Run]:
        """The newest reproducibility over halves, and that over starts."""
        same = {"method": self.fit.method, "parameters": self.fit.parameters}
        newest: dict[bool, Run | None] = {}
        every = self.runs("dimension_reproducibility", "dimensions")
        for listed in sorted(every, key=lambda run: not run.complete):
            options = listed.record["options"]
            halves = options.get("halves", True)
            if listed.record.items() >= same.items() and newest.get(halves) is None:
                newest[halves] = self.find(self.method, listed.task, options)
        return [run for run in (newest.get(True), newest.get(False)) if run is not None]

    @cached_property
    def resampled(self) -> Run | None:
        """Weights in resamples of the trials, if they were computed and are of these dimensions."""
        run = self.find(self.method, "bootstrap_dimensions")
        if run is None or run.arrays["sd"].shape != self.fitted.embedding_.shape:
            return None
        return run


@st.cache_data(max_entries=4, show_spinner=False)
def _some_trials(fingerprint: str, _answers: Any) -> tuple[np.ndarray, np.ndarray]:
    """Odd-one-out trials; of many, some that are drawn at random, the same each time."""
    rows, answer = _answers.choices.odd_one_out()
    if len(rows) > PICKED:
        picked = np.sort(np.random.default_rng(0).choice(len(rows), PICKED, replace=False))
        rows, answer = rows[picked], answer[picked]
    return rows, answer


def choose_fit(context: Context, *, watching: bool = True) -> DimensionsContext | None:
    """Ask for the fit; None, having said so, if there is none. `watching` the job is up to this."""
    listed = fits_of(context.info)
    if not listed:
        ask_for_fit(context)
        return None
    chosen = new_fit(context, listed)
    if watching:
        watch(context.job)
    fit = services().workspace.run(context.info.id, chosen.key)
    if fit is not None and fit.of_measured:
        context = with_measured(context)
    if fit is None or not fit.arrays.get("embedding_", np.zeros((0, 0))).size:
        panels.empty(
            "No dimension is left",
            "The penalty removed all of them, or the data are uninformative. Fit again with a "
            "lower penalty, a set number of dimensions, or more data.",
        )
        return None
    return DimensionsContext.of(context, fit=fit)
