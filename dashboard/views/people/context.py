"""What the views of the page People share: the column of people, and the model of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

from tripletscope.core.individuals import PeopleComparison, WeightedEuclidean
from tripletscope.core.individuals.comparing import CONSISTENCY, ONE, OWN, WEIGHTS
from tripletscope.core.run import Run
from tripletscope.dashboard import analysis, export
from tripletscope.dashboard.drawing.results import drawn
from tripletscope.dashboard.drawing.shown import ShownResults
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.controls import parameter_form
from tripletscope.dashboard.interface.theme import Canvas
from tripletscope.dashboard.interface.watching import watch
from tripletscope.dashboard.views.choosing import dividing_columns
from tripletscope.dashboard.views.page import Context

PAGE = "people"
_WIDTH = 760.0
#: Stands where single people would.
NOT_TOLD = (
    "Single people are not shown: that weights predict held-out answers better than one map is not "
    "seen."
)
#: What models are called in sentences.
SAID: Mapping[str, str] = {
    ONE: "one map for all", CONSISTENCY: "one map, with each person's consistency",
    WEIGHTS: "weights of its axes for each person", OWN: "a map for each person",
}


@dataclass(frozen=True)
class PeopleContext(Context):
    """The open data set, and the people who gave its answers.

    picture, side: Places for what is seen, and for settings.
    """

    picture: Any
    side: Any

    @property
    def groups(self) -> list[str]:
        """Columns that divide the answers: that of participants first."""
        names = dividing_columns(self.answers.answers)
        return sorted(names, key=lambda name: name != "participant")

    def model(self, place: str, hidden: tuple[str, ...] = (), **given: Any) -> WeightedEuclidean:
        """Ask for the model of people.

        place: Of the widgets; two tabs that share it share the settings.
        hidden: Parameters that are not asked for.
        **given: Parameters that are known.
        """
        values = parameter_form(
            self.session, WeightedEuclidean, f"{PAGE}.{place}@{self.info.id}",
            hidden=("alike", *hidden, *given), columns={"answers": self.groups},
        )
        return WeightedEuclidean(**values, **given)

    def compared(self, method: WeightedEuclidean) -> Run | None:
        """The newest comparison of views of people under a model, if there is one."""
        return self.find(method, "compare_people")

    def missing(self, pieces: list[analysis.Piece]) -> list[analysis.Piece]:
        """Those that were not computed, or not to their end."""
        return [
            piece for piece in pieces
            if (found := self.find(*piece)) is None or not found.complete
        ]

    def draw(self, run: Run, *names: str) -> None:
        """Figures of a result; only some of them, by the beginnings of their names."""
        shown = ShownResults((run,), self.answers, self.info.name)
        for drawing in drawn(shown):
            if names and not drawing.name.startswith(names):
                continue
            panels.figure_panel(
                self.session, drawing.draw, key=f"{PAGE}.{drawing.name}", alt=drawing.alt,
                caption=f"{drawing.caption} {self.size}", table=drawing.table,
                canvas=Canvas(_WIDTH, _WIDTH * drawing.ratio),
                name=export.file_name(self.info.name, drawing.name),
            )


def with_people(context: Context) -> PeopleContext | None:
    """The answers of at least two people; None where nobody is named."""
    known = dividing_columns(context.answers.answers)
    if not known:
        watch(context.job)
        panels.empty(
            "No participants",
            "These answers have no column that says who gave them. Choose it when the file is "
            "read, on the page Data; then people can be told apart here.",
        )
        st.page_link("../pages/data.py", label="Go to Data", icon=":material/table_rows:")
        return None
    picture, side = context.picture_and_side()
    return PeopleContext.of(context, picture=picture, side=side)


def percent(log_gain: float) -> str:
    """A gain in log probability, as a change of the probability.

    Examples
    --------
    >>> percent(0.0953)
    '+10.0 %'
    """
    return f"{100 * np.expm1(log_gain):+.1f} %".replace("-", "−")


def verdict(found: PeopleComparison, by: str) -> str:
    """What the comparison says, in a few sentences: the most important one first.

    Silent on: people who are alike
    (tests/dashboard/views/test_people.py::test_people_who_are_alike_are_said_to_be).
    """
    chosen, people = found.chosen, len(found.people)
    best, sentences = found.gain(WEIGHTS, CONSISTENCY), []
    if chosen == ONE:
        sentences.append(
            f"One map for all predicts held-out answers best: nothing more about each {by} helps."
        )
    else:
        gain = found.gain(chosen)
        right = found.gain(chosen, of="accuracy")
        sentences.append(
            f"Held-out answers are predicted best by {SAID.get(chosen, chosen)}: the probability "
            f"of an answer rises by {percent(gain[0])} (95 % interval {percent(gain[1])} to "
            f"{percent(gain[2])}), accuracy by {100 * right[0]:+.1f} points "
            f"({100 * right[1]:+.1f} to {100 * right[2]:+.1f})."
        )
    better, clearly, worse = found.better(WEIGHTS)
    told = found.n_told
    few = "" if told == people else f" of the {told} with answers enough to tell"
    by_chance = f"about {0.025 * told:.0f}" if 0.025 * told >= 1 else "fewer than 1"
    sentences.append(
        f"Weights predict {better} of {people} better than one map, {clearly}{few} "
        f"clearly, and {worse} clearly worse; {by_chance} on either side "
        "would be clear by chance." if told else
        f"Weights predict {better} of {people} better than one map; nobody gave answers enough to "
        "tell of whom this is clear."
    )
    if chosen not in (ONE, CONSISTENCY) and best[1] <= 0:
        sentences.append("Beyond consistency, weights add nothing that is clear.")
    return " ".join(sentences)


def about_axes(fitted: WeightedEuclidean, found: PeopleComparison | None) -> str:
    """Whether the axes of the map mean something, in a sentence.

    Silent on: people who are alike (tests/dashboard/views/test_people.py::test_no_axes_are_named).
    """
    if fitted.n_components == 1:
        return "With one axis, weights say how consistent people are, and no more."
    if found is None:
        return "Whether the axes mean something has not been tested on held-out answers."
    if not found.weights_differ or found.gain(WEIGHTS, CONSISTENCY)[1] <= 0:
        return (
            "The axes are not fixed by these answers, as weights do not predict them better than "
            "consistency: the map may be turned freely, and no axis be named."
        )
    if fitted.axes_are_fixed:
        return (
            "People differ in how they weight the axes, and that fixes the rotation of the map: to "
            f"within ± {1.96 * fitted.axes_error_:.0f}° (95 %). The axes may be named; their signs "
            "and order mean nothing."
        )
    return (
        "The axes are not fixed by these answers: people weight them too much alike. The map may "
        "be turned freely, and no axis be named."
    )

