"""What the views of the page Scale share: the answers, and the stimulus that they are about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.lazy import cached_property
from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.engine.method import Method, methods
from tripletscope.core.inference.held_out.units import n_participants
from tripletscope.core.models.embedding import STE
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding
from tripletscope.core.people.floor import floor_of
from tripletscope.core.people.groups import groups_of
from tripletscope.core.scales import MLDS
from tripletscope.core.scales.scale_trials import stimulus_of
from tripletscope.dashboard.results.dividing import dividing_columns
from tripletscope.dashboard.results.findings import FEW_LEVELS, MANY_LEVELS
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.analysis import Piece
from tripletscope.dashboard.ui.choosing import physical_columns
from tripletscope.dashboard.ui.context import Context
from tripletscope.dashboard.ui.controls import number, parameter_form, pick
from tripletscope.dashboard.ui.page import link_to
from tripletscope.dashboard.ui.watching import watch

PAGE = "scale"
#: Where the form of difference scaling keeps its values, the same on every view.
MLDS_FORM = f"{PAGE}.mlds"
#: Choices of a stimulus that are no column: none yet, and the order of the objects.
_NONE, _ORDER = "", "the order of the objects"
#: Observers whose scales are compared.
_OBSERVERS = 12


@dataclass(frozen=True)
class ScaleContext(Context):
    """The open data set, triplets or comparisons of pairs, and what its columns offer."""

    @property
    def are_pairs(self) -> bool:
        return isinstance(self.answers, Quadruples)

    @cached_property
    def stimuli(self) -> list[str]:
        return physical_columns(self.answers.objects)

    @cached_property
    def groups(self) -> list[str]:
        """Columns of the answers that divide them: participants first."""
        return dividing_columns(self.answers.answers)

    @property
    def observers(self) -> str | None:
        """The column of participants, if there are several."""
        return "participant" if "participant" in self.groups else None

    def embeddings(self) -> dict[str, str]:
        """Titles of the methods that draw maps of these answers, by name."""
        return {name: method.title for name, method in methods("embedding").items()
                if issubclass(method, OrdinalEmbedding)}

    def comparing(self, method: Method, by: str | None, **given: Any) -> list[Piece]:
        """What shows whether observers share one difference scale, where each is one person."""
        if by is None or not isinstance(method, MLDS):
            return []
        members = list(groups_of(self.answers, by).items())[: given.get("most", _OBSERVERS)]
        are_single = all(n_participants(self.answers.take(of)) < 2 for _, of in members)
        if not are_single or floor_of(method, self.answers, dict(members)).reached.sum() < 2:
            return []
        return [(method, "compare_scales", {"by": by, "most": _OBSERVERS, **given})]


@dataclass(frozen=True)
class StimulusContext(ScaleContext):
    """A data set with its stimulus: a column of the objects, or None for their order."""

    stimulus: str | None

    @property
    def n_levels(self) -> int:
        objects = self.answers.objects
        return len(objects) if self.stimulus is None else objects[self.stimulus].nunique()

    def mlds(self) -> MLDS:
        """Ask how difference scaling is to be done; the same on every view."""
        current, info = self.session, self.info
        hidden = ["stimulus", "most_levels"]
        if not (self.are_pairs and "side" in self.answers.answers):
            hidden.append("order")  # nobody recorded which interval came first
        values = parameter_form(current, MLDS, MLDS_FORM, hidden=hidden)
        most = number(
            current, f"{PAGE}.levels@{info.id}", "Max. levels", 3, 1000,
            FEW_LEVELS if self.n_levels > MANY_LEVELS else None,
            placeholder="one for every value",
            help="Difference scaling is designed for about ten levels. If the stimulus has more "
            "values, neighbouring ones are binned and treated as equal.",
        )
        return MLDS(stimulus=self.stimulus, most_levels=most, **values)

    @cached_property
    def begins_ordered(self) -> bool:
        """Whether answers compare pairs and objects are listed as the stimulus rises or falls."""
        if not self.are_pairs:
            return False
        try:
            steps = np.diff(stimulus_of(self.answers, self.stimulus))
        except DataError:  # some object has no value; the computation says so
            return False
        return bool((steps >= 0).all() or (steps <= 0).all())

    def embedding(self, name: str, n_components: int = 1) -> OrdinalEmbedding:
        """Ask for the settings of an embedding, in a menu.

        A scale of comparisons of pairs begins with the order of the stimulus if it can: from other
        starts, it mostly ends folded.
        """
        method, place, defaults = methods("embedding")[name], f"{PAGE}.{name}", {}
        if self.begins_ordered and n_components == 1:
            place, defaults = f"{PAGE}.ordered.{name}", {"init": "order"}
        with _settings_of(method, place):
            values = parameter_form(
                self.session, method, place, hidden=("n_components",), defaults=defaults
            )
        return method(n_components=n_components, **values)

    def method(self, name: str) -> Method:
        """Ask for the settings of difference scaling or of an embedding in one dimension."""
        if name != MLDS.name:
            return self.embedding(name)
        with _settings_of(MLDS, MLDS_FORM):
            return self.mlds()

    def methods(self) -> dict[str, str]:
        """Titles of the methods that make a scale, by name: difference scaling first."""
        return {MLDS.name: MLDS.title, **self.embeddings()}

    @property
    def usual(self) -> list[str]:
        """Methods to begin with: on pairs, embeddings only if they know where to begin."""
        lost = self.are_pairs and not self.begins_ordered
        return [MLDS.name] if lost else [MLDS.name, STE.name]


def _settings_of(method: type[Method], place: str) -> Any:
    return st.popover(f"Settings of {method.title}", width="stretch", key=f"{place}.settings")


def choose_stimulus(context: Context) -> StimulusContext | None:
    """Ask for the stimulus; None where there is none yet."""
    stimuli = ScaleContext.of(context).stimuli
    options = {} if stimuli else {_NONE: "none yet"}
    options |= {name: name if name != "id" else "names, as numbers" for name in stimuli}
    options[_ORDER] = _ORDER
    with context.row:
        chosen = pick(
            context.session, f"{PAGE}.stimulus@{context.info.id}", "Stimulus", options, width=220,
            help="The physical value against which a scale is plotted: a numeric column of the "
            "stimulus metadata.",
        )
    if chosen != _NONE:
        return StimulusContext.of(context, stimulus=None if chosen == _ORDER else chosen)
    watch(context.job)
    panels.empty(
        "The objects have no physical value yet",
        "A scale is plotted against a physical value of every object, such as contrast or "
        "wavelength. Add stimulus metadata with such a column on the page Data, under Add. If the "
        "objects are listed in the order of the stimulus, choose that order above.",
    )
    link_to("data")
    return None
