"""What the views of the page Kernel share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from tripletscope.core.data.triplets import Triplets
from tripletscope.core.kernel.kernel import Kernel
from tripletscope.core.run import Run
from tripletscope.dashboard import analysis
from tripletscope.dashboard.interface.controls import method_form
from tripletscope.dashboard.interface.theme import count
from tripletscope.dashboard.interface.watching import watch
from tripletscope.dashboard.keeping.catalogue import DatasetInfo
from tripletscope.dashboard.keeping.services import services
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.views.computing import compute_button

PAGE = "kernel"


@dataclass(frozen=True)
class Setting:
    """A kernel as it is set, with the places for a picture and for what it is set by."""

    current: Session
    info: DatasetInfo
    triplets: Triplets
    kernel: Kernel
    picture: Any
    side: Any

    @property
    def about(self) -> str:
        """Kernel and data, for captions."""
        return (
            f"{analysis.describe(self.kernel)}. {self.info.name}: "
            f"{count(self.info.n_objects, 'object')}, {count(self.info.n_answers, 'answer')}."
        )

    @property
    def columns(self) -> list[str]:
        """Columns of the objects that say something of them."""
        return [c for c in self.triplets.objects.columns if c not in ("id", "label", "image")]

    def computed(self, task: str, options: Mapping[str, Any], about: str) -> Run | None:
        """The result of a task, where it is there, and the button that computes it."""
        found = analysis.find(self.info, self.triplets, self.kernel, task, options)
        with self.side:
            compute_button(
                self.current, self.info, self.triplets, PAGE, f"{PAGE}.{task}.run",
                f"{self.kernel.title}: {self.info.name}",
                [] if found else [(self.kernel, task, options)], about,
            )
        return found


def setting(current: Session, info: DatasetInfo, triplets: Triplets) -> Setting:
    """Ask for a kernel."""
    picture, side = st.columns([3, 1], gap="large")
    with side:
        kernel = method_form(current, "kernel", PAGE, "k1", label="Kernel")
    with picture:
        watch(services().jobs.latest(current.id, current.slot(PAGE)))
    return Setting(current, info, triplets, kernel, picture, side)
