"""What a report can tell of: the results of the open data set."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import joblib
import pandas as pd
import streamlit as st

from tripletscope.core.run import TASKS
from tripletscope.dashboard.report.document import Section
from tripletscope.dashboard.report.html import page
from tripletscope.dashboard.report.material import Material
from tripletscope.dashboard.report.parts.parts import TOLD
from tripletscope.dashboard.report.report import ReportSettings, document, written
from tripletscope.dashboard.results import UNCERTAIN
from tripletscope.dashboard.results.look import look_class
from tripletscope.dashboard.results.maps import MOST_PICTURED
from tripletscope.dashboard.results.presentation import REPORT_PARTS, ShownResults, uncertainty_of
from tripletscope.dashboard.store.dataset import DatasetInfo, RunInfo, edition_of
from tripletscope.dashboard.store.description import COLLECTED, PLAN
from tripletscope.dashboard.store.dimension_names import kept_names
from tripletscope.dashboard.store.plans import standing_of
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui.choosing import in_order
from tripletscope.dashboard.ui.context import Context
from tripletscope.dashboard.ui.looks import Result, look_of, noted_look
from tripletscope.dashboard.ui.naming import names_of_dimensions
from tripletscope.dashboard.ui.opened_map import opened_map
from tripletscope.dashboard.ui.pictures import embedded_pictures
from tripletscope.dashboard.ui.shown_clustering import look_of_tree

#: Name of the page, and of what is kept of its settings beside the data.
PAGE = "report"
#: Objects of which a report has large pictures, and pixels of those of more.
_FEW, _SMALL = 60, 128
#: Tasks that are about one map, and are told of only for the one that is open.
_OF_MAP = {task for task, _ in REPORT_PARTS["map"]} - {"fit", "choose_tail"}


def offered(context: Context) -> tuple[dict[str, str], list[str]]:
    """Results that can be told of: titles by key, and those that usually are.

    Usually, of all maps, only the one that is open is told of, with what was computed for it; of
    other computations the newest with its settings. What pages compute when they are looked at is
    not, such as the first kernel, as long as nothing is made of it.
    """
    listed = [run for run in services().workspace.runs(context.info.id) if run.task in TOLD]
    opened = opened_map(context.info)
    # Stable: the newest first, and what is whole before what is not.
    listed.sort(key=lambda run: (opened is None or run.key != opened.key, not run.complete))
    unasked = _unasked(listed)
    usual: dict[tuple[str, str], str] = {}
    for run in listed:
        is_another = opened is not None and run.key != opened.key and (
            is_map(run.task, run.record["kind"])
        )
        if run.key in unasked or is_another or not _chose(run, opened):
            continue
        if run.task in _OF_MAP and (opened is None or _method(run) != _method(opened)):
            continue
        # One source of uncertainty is told of: the newest.
        task = "uncertainty" if run.task in UNCERTAIN else run.task
        usual.setdefault((task, _method(run)), run.key)
    titles = {
        run.key: run.listed_name if run.task == "fit" else
        f"{TASKS[run.task].words}: {run.listed_name}" for run in in_order(listed)
    }
    return titles, [*usual.values()]


def is_map(task: str, kind: str) -> bool:
    return (task, kind) == ("fit", "embedding")


def _chose(run: RunInfo, opened: RunInfo | None) -> bool:
    """Whether a choice of tails is that of the open map; True of any other result."""
    if run.task != "choose_tail":
        return True
    alpha = run.record["numbers"]["alpha"]
    return opened is not None and opened.record["method"] == run.record["method"] and (
        opened.record["parameters"]["alpha"] == alpha
    )


def _unasked(listed: list[RunInfo]) -> set[str]:
    """Keys of what pages computed because they were looked at.

    A fit of which something else was made is told of with that, and tails with their map.
    """
    methods = {_method(run) for run in listed if not run.unasked}
    return {run.key for run in listed
            if run.unasked and run.task != "choose_tail"
            and (run.task != "fit" or _method(run) not in methods)}


def _method(run: RunInfo) -> str:
    return json.dumps([*run.settings.values(), run.table], sort_keys=True, default=str)


def chosen(report: ReportSettings, titles: dict[str, str], usual: list[str]) -> list[str]:
    """Keys of the results that a report tells of."""
    keys = {*usual}.difference(report.results_left_out).union(report.results_added)
    return [key for key in titles if key in keys]


def sections_of(context: Context, keys: list[str]) -> dict[str, Section]:
    """What the program writes of some results, by part."""
    info, workspace = context.info, services().workspace
    runs = {run.key: run for run in workspace.runs(info.id)}
    looks = looks_of(context, keys)
    first = workspace.first_map(info.id)  # towards which others are turned
    content = (
        info.id, info.titled, info.fingerprint, info.gold, info.catch_trials,
        json.dumps(info.exclusions, sort_keys=True, default=str), info.extra.get("asked", ""),
        json.dumps(info.extra.get(COLLECTED, {})),
        json.dumps(kept_names(info), sort_keys=True), tuple(sorted(info.pictures.items())),
        tuple(edition_of(runs.get(key)) for key in keys), edition_of(first),
        joblib.hash(looks), info.extra.get(PLAN, {}).get("sha256"), *map(edition_of, runs.values()),
    )
    return _written(content, keys, context, looks)


def looks_of(context: Context, keys: Iterable[str]) -> dict[str, Any]:
    """How the pages show some results: maps, trees, and what else declares a look."""
    info, workspace = context.info, services().workspace
    runs = [run for key in keys if (run := workspace.run(info.id, key)) is not None]
    looks = {}
    for fit in runs:
        if is_map(fit.task, fit.kind) and hasattr(fit.fresh(), "n_components"):
            shown = ShownResults(tuple(runs), context.triplets, info.name)
            result = Result(info, context.triplets, fit, uncertainty_of(shown, fit), None)
            looks[fit.key] = look_of(context.session, result)
        elif (fit.task, fit.kind) == ("fit", "cluster"):
            looks[fit.key] = look_of_tree(context.session, info, fit.key)
        elif look_class(fit) is not None:
            looks[fit.key] = noted_look(context, fit)
        elif fit.task == "directions":  # on their map, which may be none of these results
            found = context.find(fit.fresh(), "fit")
            if found is not None:
                result = Result(info, context.triplets, found, None, None)
                looks[fit.key] = look_of(context.session, result)
    return looks


@st.cache_resource(max_entries=8, show_spinner="Writing the report")
def _written(
    content: tuple, keys: list[str], _context: Context,
    _looks: dict[str, Any],
) -> dict[str, Section]:
    info, workspace = _context.info, services().workspace
    runs = tuple(filter(None, (workspace.run(info.id, key) for key in keys)))
    fits = [run for run in runs if (run.task, run.kind) == ("fit", "dimensions")]
    return written(Material(
        info.titled, workspace.cleaning(info), runs, looks=_looks,
        pictures=_pictures(info, _context.answers.objects),
        dimension_names={run.key: names_of_dimensions(info, run) for run in fits},
        standing=standing_of(
            workspace, info, told=keys,
            opened=next((run.key for run in runs if is_map(run.task, run.kind)), ""),
        ),
        collected=info.extra.get(COLLECTED, {}), **_context.collected,
    ))


def _pictures(info: DatasetInfo, objects: pd.DataFrame) -> Mapping[int, str]:
    """Pictures of objects, smaller ones where there are many; a heap has none."""
    if len(objects) > MOST_PICTURED:
        return {}
    return embedded_pictures(info, objects, **({"size": _SMALL} if len(objects) > _FEW else {}))


def report_of(context: Context) -> bytes:
    """The report as a web page, as it is set."""
    report = ReportSettings.from_dict(context.info.extra.get(PAGE, {}))
    sections = sections_of(context, chosen(report, *offered(context)))
    return page(document(report, sections, context.info.name)).encode()
