"""The map of a data set that is open: the same on every page, whatever is computed beside it.

Comparing methods fits dozens of maps. None of them takes the place of the one that is looked at:
that is the map that somebody has chosen, today or before, here or in another tab; else the one
whose tails the answers choose.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import count
from threading import Lock
from typing import Any

import streamlit as st

from tripletscope.core.engine.declared import checked
from tripletscope.core.engine.method import Method, as_record, make_method
from tripletscope.core.models.embedding.default import DEFAULT_EMBEDDING
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding
from tripletscope.core.run import Run
from tripletscope.dashboard.results import UNCERTAIN
from tripletscope.dashboard.results.findings import usual_tasks
from tripletscope.dashboard.store.dataset import DatasetInfo, RunInfo
from tripletscope.dashboard.store.description import MAP_CHOSEN
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui import analysis, panels
from tripletscope.dashboard.ui.context import Context
from tripletscope.dashboard.ui.page import link_to
from tripletscope.dashboard.ui.watching import watch

#: Up to so many answers a first map is fitted without being asked for.
_FIRST_MAP = 500_000
_MANY = 100_000  # answers of which the error is known long before the bootstrap is done
#: Choices in the order in which they were made, and the last that holds for a data set: a map is
#: that of the data once it is fitted, and others may be chosen meanwhile, here or in another tab.
_choices = count(1)
_holding: dict[str, int] = {}
_holding_lock = Lock()


def place_of(info: DatasetInfo) -> str:
    """Where the session notes which map of a data set is shown."""
    return f"embedding.shown@{info.id}"


def map_method(info: DatasetInfo) -> Method:
    """The method of the map of a data set, which all pages are about, not fitted.

    As somebody has chosen it; else as a map was made by hand before choices were kept; else the
    usual one, with tails from the answers.
    """
    if chosen := _chosen(info):
        return chosen
    usual = analysis.settled(info, DEFAULT_EMBEDDING())
    listed = services().workspace.runs(info.id, "fit", "embedding")
    methods = (analysis.settled(info, method_of(run)) for run in listed)
    if not listed or any(_key(as_record(one)) == _key(as_record(usual)) for one in methods):
        return usual
    sampled = _sampled(info)
    by_hand = [run for run in listed
               if _key(run.settings) in sampled or not _is_usual(info, method_of(run))]
    best = max(by_hand, key=lambda run: _key(run.settings) in sampled, default=None)
    return usual if best is None else analysis.settled(info, method_of(best))


def is_chosen(info: DatasetInfo) -> bool:
    """Whether somebody has chosen the map."""
    return _chosen(info) is not None


def choose_method(info: DatasetInfo, method: Method | None) -> None:
    """Let a method be that of the map of a data set; without one, the answers choose again."""
    choice_of(info, method)()


def choice_of(info: DatasetInfo, method: Method | None = None) -> Callable[..., None]:
    """What lets a method, or another one, be chosen later, unless one was after this moment.

    A fit that is cancelled or fails chooses nothing: the map of before stays.
    """
    number = next(_choices)

    def choose(method: Method | None = method) -> None:
        with _holding_lock:
            if number < _holding.get(info.id, 0):
                return
            services().workspace.note(info.id, MAP_CHOSEN, as_record(method) if method else None)
            _holding[info.id] = number

    return choose


def delete_map(info: DatasetInfo, run: RunInfo) -> None:
    """Delete a map; if it was chosen, the answers choose again."""
    services().workspace.delete_run(run.id)
    chosen = _chosen(info)
    if chosen and _key(run.settings) == _key(as_record(chosen)):
        # This is no choice, which would hold against that of a fit that was begun before.
        services().workspace.note(info.id, MAP_CHOSEN, None)


def opened_map(info: DatasetInfo) -> RunInfo | None:
    """The map of a data set; another one where it is not computed, None where there is none."""
    return next(iter(maps_of(info)), None)


def maps_of(info: DatasetInfo) -> list[RunInfo]:
    """All maps: that of the data set, then those whose uncertainty is known, the newest first."""
    listed = services().workspace.runs(info.id, "fit", "embedding")
    sampled, mine = _sampled(info) if len(listed) > 1 else set(), _key(as_record(map_method(info)))
    first = max(listed, default=None, key=lambda run: (
        _key(run.settings) == mine, _key(run.settings) in sampled
    ))
    return sorted(listed, key=lambda run: run is not first)


def is_none_open(info: DatasetInfo) -> bool:
    """Whether the map of a data set is not computed, or as a comparison leaves it.

    That has the usual settings and no uncertainty, and nobody has chosen it.
    """
    opened = opened_map(info)
    if opened is None or _key(opened.settings) != _key(as_record(map_method(info))):
        return True
    return not is_chosen(info) and _is_usual(info, method_of(opened)) and (
        _key(opened.settings) not in _sampled(info)
    )


def error_shown(context: Context, method: Method) -> Run | None:
    """The held-out error that is told of a map, if one was computed."""
    # As the form asks for it: a comparison may have measured it in another way since.
    usual = next(iter(usual_tasks(context.triplets)))
    scheme = context.session.drafts.get(scheme_of(context.info), usual)
    errors = (
        analysis.find(context.info, context.answers, method, task)
        for task in ("split_error", "cross_validate")
    )
    return max(
        filter(None, errors), key=lambda run: (run.task == scheme, run.created), default=None
    )


def errors_compared(context: Context, method: Method) -> list[Run]:
    """Errors of a map, of other methods in as many dimensions, and of its own in more."""
    workspace, d = services().workspace, method.get_params().get("n_components")
    apart = {"n_components": None}

    def is_wanted(run: RunInfo) -> bool:
        number = run.record["parameters"].get("n_components")
        alike = run.record["method"] == method.name and (
            run.record["parameters"] | apart == as_record(method)["parameters"] | apart
        )
        return number == d or (alike and number > d)

    listed = [run for run in workspace.runs(context.info.id, "cross_validate", method.kind)
              if run.complete and is_wanted(run)]
    is_own = [_key(run.settings) == _key(as_record(method)) for run in listed]
    if not any(is_own) or all(is_own):
        return []
    runs = [workspace.run(context.info.id, run.key) for run in listed]
    return [run for run in runs if run is not None]


def scheme_of(info: DatasetInfo) -> str:
    """Of the choice of how the error is measured."""
    return f"embedding.error@{info.id}"


def await_map(context: Context, why: str) -> None:
    """Begin with the usual map where that is quick, and say what is missing until it is there."""
    if context.job is None and context.info.n_answers <= _FIRST_MAP:
        method = map_method(context.info)
        tasks = {"fit": {}, **usual_tasks(context.triplets)}
        pieces = [(method, *task) for task in tasks.items()]
        context.submit(f"{method.title}: {context.info.name}", pieces)
        st.rerun()
    watch(context.job)
    panels.empty("There is no map yet", why)
    link_to("embedding")


def _chosen(info: DatasetInfo) -> Method | None:
    """The method that somebody has chosen, if there is one that this version can fit."""
    noted = info.extra.get(MAP_CHOSEN)
    if not isinstance(noted, dict):
        return None
    try:
        method = make_method(noted)
        checked(type(method), method.get_params(deep=False))
    except (ValueError, TypeError):  # of another version, or no method at all
        return None
    if method.kind != "embedding":
        return None
    # A map of before whose tails were open is itself.
    made = services().workspace.runs(info.id, "fit", "embedding")
    is_made = _key(noted) in {_key(run.settings) for run in made}
    return method if is_made else analysis.settled(info, method)


def _is_usual(info: DatasetInfo, method: Method) -> bool:
    """Whether a map has the usual settings, in whatever number of dimensions."""
    usual = analysis.settled(info, type(method)(n_components=method.n_components))
    return as_record(method) == as_record(usual)


def _sampled(info: DatasetInfo) -> set[str]:
    """Methods of the maps whose uncertainty was computed."""
    return {
        _key(run.settings) for task in UNCERTAIN
        for run in services().workspace.runs(info.id, task, "embedding")
    }


def method_of(run: RunInfo) -> Method:
    """The method of a run as it was set, not fitted."""
    return make_method(run.settings)


def _key(settings: dict[str, Any]) -> str:
    return json.dumps(settings, sort_keys=True, default=str)


def as_embedding(method: Method) -> OrdinalEmbedding:
    """A method, or the usual one where it is no ordinal embedding."""
    return method if isinstance(method, OrdinalEmbedding) else DEFAULT_EMBEDDING()


def start_fit(
    context: Context, method: Method, tasks: dict[str, dict[str, Any]],
    fitted: Callable[[], None] | None = None,
) -> None:
    if len(context.triplets) > _MANY:  # the error takes a few fits, the bootstrap many more
        tasks = dict(sorted(tasks.items(), key=lambda item: item[0] == "bootstrap"))
    analysis.start(context.session, context.info, context.triplets, method, tasks, fitted)


def fit_now(context: Context, method: Method) -> None:
    """Fit a method with the usual uncertainty and error, and show its map on the page."""
    fit_and_show(context, method, usual_tasks(context.triplets))


def fit_and_show(context: Context, method: Method, tasks: dict[str, dict[str, Any]]) -> None:
    # Not before it is there: the map of before stays where the fit is cancelled or fails.
    start_fit(context, method, tasks, choice_of(context.info, method))
