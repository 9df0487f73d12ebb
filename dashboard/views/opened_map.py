"""The map of a data set that is open: the same on every page, whatever is computed beside it.

Comparing methods fits dozens of maps. None of them takes the place of the one that is looked at:
that is the map that was chosen, else one with a known uncertainty, which those of a comparison
do not have.
"""

from __future__ import annotations

import json
from typing import Any

import streamlit as st

from tripletscope.core.engine.method import Method, described, unfitted
from tripletscope.core.models.embedding.default import DEFAULT_EMBEDDING
from tripletscope.core.run import Run
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.watching import watch
from tripletscope.dashboard.keeping.dataset import DatasetInfo, RunInfo
from tripletscope.dashboard.keeping.services import services
from tripletscope.dashboard.results import UNCERTAIN
from tripletscope.dashboard.results.findings import usual_tasks
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.views.choosing import before
from tripletscope.dashboard.views.context import Context

#: Up to so many answers a first map is fitted without being asked for.
_FIRST_MAP = 500_000


def place_of(info: DatasetInfo) -> str:
    """Where the session notes which map of a data set is shown."""
    return f"embedding.shown@{info.id}"


def opened_map(current: Session, info: DatasetInfo) -> RunInfo | None:
    """The map that is open, or would be on the page Embedding; None where there is none."""
    listed = maps_of(info)
    chosen = (current.drafts.get(place) for place in (place_of(info), before(place_of(info))))
    opened = (run for key in chosen for run in listed if run.key == key)
    return next(opened, listed[0] if listed else None)


def maps_of(info: DatasetInfo) -> list[RunInfo]:
    """All maps: the one to open first, then the newest first.

    First are maps whose uncertainty is known, and of those, or if there are none, the usual one.
    """
    listed = services().workspace.runs(info.id, "fit", "embedding")
    sampled = _sampled(info) if len(listed) > 1 else set()
    usual = _key(described(DEFAULT_EMBEDDING()))
    first = max(
        listed, default=None,
        key=lambda run: (_key(_settings(run)) in sampled, _key(_settings(run)) == usual),
    )
    return sorted(listed, key=lambda run: run is not first)


def is_none_open(current: Session, info: DatasetInfo) -> bool:
    """Whether there is no map, or none but those that a comparison leaves.

    Nobody has chosen one of these yet, they have the usual settings, and no uncertainty.
    """
    listed = maps_of(info)
    is_chosen = bool(listed) and (current.drafts.get(place_of(info)) or _sampled(info))
    return not is_chosen and all(map(_is_usual, listed))


def error_shown(context: Context, method: Method) -> Run | None:
    """The held-out error that is told of a map, if one was computed."""
    # As the form asks for it: a comparison may have measured it in another way since.
    usual = next(iter(usual_tasks(context.triplets)))
    scheme = context.session.drafts.get(scheme_of(context.info), usual)
    errors = (context.find(method, task) for task in ("split_error", "cross_validate"))
    return max(
        filter(None, errors), key=lambda run: (run.task == scheme, run.created), default=None
    )


def scheme_of(info: DatasetInfo) -> str:
    """Of the choice of how the error is measured."""
    return f"embedding.error@{info.id}"


def await_map(context: Context, why: str) -> None:
    """Begin with the usual map where that is quick, and say what is missing until it is there."""
    if context.job is None and context.info.n_answers <= _FIRST_MAP:
        method = DEFAULT_EMBEDDING()
        tasks = {"fit": {}, **usual_tasks(context.triplets)}
        pieces = [(method, *task) for task in tasks.items()]
        context.submit(f"{method.title}: {context.info.name}", pieces)
        st.rerun()
    watch(context.job)
    panels.empty("There is no map yet", why)
    st.page_link("../pages/embedding.py", label="Go to Embedding", icon=":material/scatter_plot:")


def _is_usual(run: RunInfo) -> bool:
    """Whether a map has the usual settings, in whatever number of dimensions."""
    method = method_of(run)
    return described(method) == described(type(method)(n_components=method.n_components))


def _sampled(info: DatasetInfo) -> set[str]:
    """Methods of the maps whose uncertainty was computed."""
    return {
        _key(_settings(run)) for task in UNCERTAIN
        for run in services().workspace.runs(info.id, task, "embedding")
    }


def method_of(run: RunInfo) -> Method:
    """The method of a run as it was set, not fitted."""
    return unfitted(_settings(run))


def _settings(run: RunInfo) -> dict[str, Any]:
    return {name: run.record[name] for name in ("kind", "method", "parameters")}


def _key(settings: dict[str, Any]) -> str:
    return json.dumps(settings, sort_keys=True, default=str)
