"""What the tabs of the page Collect share: the experiment that is chosen beside them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from tripletscope.core.studies.experiment.experiment import Experiment
from tripletscope.core.studies.experiment.simulated import ExperimentCost, experiment_cost
from tripletscope.dashboard.files.errors import WorkspaceError
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.store import experiments
from tripletscope.dashboard.store.experiments import experiment_key
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui.context import Context
from tripletscope.dashboard.ui.elements import errors_shown
from tripletscope.dashboard.ui.handover import EXPERIMENT, choose_experiment
from tripletscope.dashboard.ui.page import go_to
from tripletscope.dashboard.ui.watching import watch
from tripletscope.dashboard.words import distinct

PAGE = "collect"
#: Where it notes experiments of which Make has changes that are not saved.
_UNSAVED = f"{PAGE}.unsaved"


@dataclass(frozen=True)
class CollectContext(Context):
    """What a tab about a kept experiment is given.

    slug: Name of its folder.
    """

    slug: str = ""
    folder: Path = Path()
    experiment: Experiment | None = None


def picture_beside_side(context: Context, widths: tuple[int, int] = (3, 1)) -> tuple[Any, Any]:
    """As `Context.picture_and_side`; on narrow screens one below the other: buttons have words."""
    with st.container(key="picture-and-side"):
        picture, side = st.columns(widths, gap="large")
    with picture:
        watch(context.job)
    return picture, side


def chosen_experiment(
    current: Session, listed: list[experiments.KeptExperiment], *, new: bool
) -> str:
    """Ask which experiment; empty for a new one."""
    titles = distinct(kept.title for kept in listed)
    options = {"": "A new experiment"} if new else {}
    options |= {kept.slug: title for kept, title in zip(listed, titles, strict=True)}
    noted = current.drafts.get(EXPERIMENT)
    shown = noted if noted in options else listed[0].slug if listed else ""
    if noted != "":  # else a new one is being made, and goes on
        choose_experiment(current, shown)  # however others change meanwhile
    if len(options) < 2:
        return shown
    key = current.key_following(EXPERIMENT, (shown, *options))
    st.selectbox(
        "Experiment", list(options), list(options).index(shown), format_func=options.__getitem__,
        key=key, width=320, on_change=current.note_choice, args=(EXPERIMENT, key),
    )
    return shown


def note_unsaved(current: Session, slug: str, unsaved: bool) -> None:
    """Note whether Make has changes of an experiment that are not saved."""
    others = [other for other in current.drafts.get(_UNSAVED, []) if other != slug]
    current.drafts[_UNSAVED] = [*others, slug] if unsaved else others


def with_experiment(context: Context) -> CollectContext | None:
    """Ask beside the tabs which kept experiment is meant."""
    current, workspace = context.session, services().workspace
    listed = experiments.kept_experiments(workspace)
    if not listed:
        watch(context.job)
        context.empty(
            "There is no experiment yet",
            "Make one first, from the open data set or from names that you type. This workspace "
            f"keeps experiments in {workspace.folder / experiments.NAME}. To see those of another "
            "workspace, start TripletScope with that one.",
        )
        st.button(
            "Make an experiment", key=f"{PAGE}.first", type="primary", on_click=go_to,
            args=(PAGE, "making"),
        )
        return None
    with context.row:
        slug = chosen_experiment(current, listed, new=False)
    folder = next(kept.folder for kept in listed if kept.slug == slug)
    with errors_shown(WorkspaceError):
        experiment = experiments.load_experiment(workspace, slug)
        if slug in current.drafts.get(_UNSAVED, []):
            with st.container(horizontal=True, vertical_alignment="center"):
                st.caption("This experiment has unsaved changes on Make.", width="content")
                st.button(
                    "See them", key=f"{PAGE}.unsaved.see", on_click=go_to, args=(PAGE, "making"),
                )
        return CollectContext.of(context, slug=slug, folder=folder, experiment=experiment)


def expected_of(experiment: Experiment, **assumed: float) -> ExperimentCost:
    """The memory of `tripletscope.core.studies.experiment.simulated.experiment_cost`."""
    return _expected(experiment, experiment_key(experiment), **assumed)


@st.cache_data(max_entries=16, show_spinner="Making the lists of questions")
def _expected(_experiment: Experiment, key: str, **assumed: float) -> ExperimentCost:
    return experiment_cost(_experiment, **assumed)
