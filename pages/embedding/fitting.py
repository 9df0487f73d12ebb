"""Settings of a map, a fit that is watched, and the map that comes of it."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st

from tripletscope.core.data.triplets import Triplets
from tripletscope.core.inference.held_out.score import cross_validate, has_split
from tripletscope.core.inference.uncertainty import bootstrap
from tripletscope.core.models.embedding.default import DEFAULT_EMBEDDING
from tripletscope.core.models.embedding.ordinal import SAME_LOSS, agreeing
from tripletscope.core.studies.quality.consistency import rule_of_thumb
from tripletscope.dashboard.figures.diagnostics import loss_curves
from tripletscope.dashboard.figures.theme import Canvas
from tripletscope.dashboard.jobs.queue import Job
from tripletscope.dashboard.results.findings import usual_tasks
from tripletscope.dashboard.results.map_recipe import MapLook, Placed
from tripletscope.dashboard.results.maps import GivenMap, map_said
from tripletscope.dashboard.results.presentation import Advice, Statement
from tripletscope.dashboard.store.dataset import RunInfo
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui import analysis, panels
from tripletscope.dashboard.ui.chart import address, chart
from tripletscope.dashboard.ui.choosing import choose_run, schemes_of
from tripletscope.dashboard.ui.context import Context
from tripletscope.dashboard.ui.controls import method_form, parameter_form, pick, pressed, switch
from tripletscope.dashboard.ui.elements import run_button
from tripletscope.dashboard.ui.looks import Result
from tripletscope.dashboard.ui.opened_map import (
    choose_method,
    delete_map,
    error_shown,
    errors_compared,
    fit_and_show,
    is_chosen,
    is_none_open,
    map_method,
    maps_of,
    method_of,
    place_of,
    scheme_of,
    start_fit,
)
from tripletscope.dashboard.ui.page import tab
from tripletscope.dashboard.ui.watching import watch
from tripletscope.dashboard.words import words
from tripletscope.dashboard.words.formats import count, duration, number
from tripletscope.pages.embedding.mapped import show_map, show_objects

_LIVE = Canvas(900.0, 480.0)
PAGE = "embedding"


@tab(PAGE, "Map", 1)
def show_embedding(context: Context) -> None:
    """Settings beside the map, and below it what is to know of the fit and of every object."""
    if context.job is None:
        method = map_method(context.info)
        if is_none_open(context.info):
            start_fit(context, method, usual_tasks(context.triplets))
    listed = maps_of(context.info)
    _follow(context, listed)
    picture, side = context.drawer()
    with side:
        _settings(context)
        if listed:
            st.header("Maps", anchor=False)
            chosen = choose_run(
                context.session, listed, place_of(context.info), "this map",
                lost=", with its uncertainty and error,", delete=partial(delete_map, context.info),
            )
            _chosen(context)
    job = context.job
    with picture:
        _job(job, context.triplets)
        fitting = job is not None and job.active and job.step == 0
        if listed and not fitting:
            fit = services().workspace.run(context.info.id, chosen.key)
            method = fit.fresh()
            samples = analysis.find(context.info, context.answers, method, "bootstrap")
            error = error_shown(context, method)
            compared = errors_compared(context, method)
            result = Result(context.info, context.triplets, fit, samples, error, (*compared,))
            said, advice = _said(context, result)
            # The gravest doubt first; else how well the map predicts.
            above = result.doubt or said[:1]
            show_map(context.session, result, above)
    if listed and not fitting:
        _quality(result, [text for text in said if text not in above], advice)
        show_objects(context.session, result)


def _follow(context: Context, listed: list[RunInfo]) -> None:
    """Show the map of the data set; the one that is chosen here becomes it, for every page."""
    if not listed:
        return
    place, noted = place_of(context.info), f"{place_of(context.info)}.noted"
    drafts, mine = context.session.drafts, listed[0].key
    picked = next((run for run in listed if run.key == drafts.get(place)), None)
    if drafts.get(noted) != mine:  # nothing was shown yet, or another tab has chosen
        drafts[noted] = drafts[place] = mine
    elif picked is not None and picked.key != mine:
        drafts[noted] = picked.key  # first: where it cannot be kept, the former is shown again
        choose_method(context.info, method_of(picked))
        st.rerun()


def _chosen(context: Context) -> None:
    """Why this is the map of the data set, and the way back to the one that answers choose."""
    if not is_chosen(context.info):
        run = analysis.tails(context.info)
        if run is not None:
            with st.popover("Why this map?", type="tertiary", width="stretch"):
                context.present(services().workspace.run(context.info.id, run.key))
        return
    method = map_method(context.info)
    if context.find(method, "fit"):
        st.caption("Chosen by hand: every page, the report and the archive are about this map.")
    else:
        st.caption(f"Chosen by hand, but not computed: {words.method(method)}.")
    if pressed(context.session, "embedding.automatic", "Let the answers choose",
               icon=":material/undo:", type="tertiary"):
        choose_method(context.info, None)
        st.rerun()


def _settings(context: Context) -> None:
    st.header("Method", anchor=False)
    method = context.settled(
        method_form(
            context.session, "embedding", "embedding", DEFAULT_EMBEDDING.name,
            automatic=analysis.FROM_ANSWERS,
        )
    )
    tasks: dict[str, dict[str, Any]] = {}
    with st.expander("Uncertainty and error", key="embedding.tasks"):
        if switch(context.session, "embedding.bootstrap", "Bootstrap the positions", True):
            tasks["bootstrap"] = parameter_form(context.session, bootstrap, "embedding.bootstrap")
        scheme = pick(
            context.session, scheme_of(context.info), "Held-out error",
            schemes_of(has_split=has_split(context.triplets)),
            help="Error on held-out answers. All answers to one question, and all from one trial, "
            "are held out together.",
        )
        if scheme == "cross_validate":
            tasks[scheme] = parameter_form(
                context.session, cross_validate, "embedding.cross_validate"
            )
        elif scheme == "split_error":
            tasks[scheme] = {}
    if run_button(context.session, "fit", "Fit"):
        fit_and_show(context, method, tasks)
        st.rerun()


def _job(job: Job | None, triplets: Triplets) -> None:
    watch(job)
    if job is None or not job.active or job.step:
        return
    job.show("map", partial(_live_map, job, triplets))
    job.show("loss", partial(_live_losses, job))
    chart(None, key="live.map", height=int(_LIVE.height), live=address(f"jobs/{job.id}/map"),
          alt="The map while it is being computed")
    chart(None, key="live.loss", height=200, live=address(f"jobs/{job.id}/loss"),
          alt="Loss against iteration, one line per restart")


def _live_map(job: Job, triplets: Triplets) -> str | None:
    if job.snapshot is None:
        return None
    where = Placed(job.snapshot, None, None)
    return GivenMap(triplets.objects, where, "", "live", MapLook("points")).draw(_LIVE).to_json()


def _live_losses(job: Job) -> str | None:
    if job.step:
        return None  # what later steps report is no loss of the map: the error of folds, say
    losses = {start: list(curve) for start, curve in list(job.losses.items())}
    return loss_curves(losses).to_json() if losses else None


def _too_few(result: Result) -> str:
    """That the answers are far too few for the map; empty where there is no rule for them."""
    answers, d = result.triplets, result.fitted.n_components
    rule = rule_of_thumb(answers, d)
    if rule.is_met:
        return ""
    what, least = {
        "questions": ("different question", "d n ln n"), "pairs": ("rated pair", "2 d n"),
    }[rule.of]
    return (
        f"{count(rule.number, what)} are far too few for {count(answers.n_objects, 'object')} "
        f"in {count(d, 'dimension')}: the rule of thumb takes at least {least} = "
        f"{rule.needed:,.0f}. A map fits so few, even if the answers are random."
    )


def _said(context: Context, result: Result) -> tuple[list[str], list[str]]:
    """What is to be read of the map: sentences, and further ones in small letters."""
    if not result.error and context.waiting:
        return [], []
    beside = [*filter(None, [result.error]), *result.compared]
    parts = list(map_said(context.shown(result.fit, *beside), result.fit))
    return ([part.text for part in parts if isinstance(part, Statement)],
            [part.text for part in parts if isinstance(part, Advice)])


def _quality(result: Result, said: list[str], advice: list[str]) -> None:
    numbers = result.fit.numbers
    few = _too_few(result)
    if few:
        st.warning(few, icon=":material/warning:")
    losses, state = result.fit.arrays["losses_"], "stopped early"
    if result.fit.complete:
        state = "converged" if numbers["converged_"] else "not converged"
    advice = [*advice, (
        f"Loss {number(numbers['loss_'], 4)}; {agreeing(losses)} of "
        f"{count(len(losses), 'restart')} within {100 * SAME_LOSS:g} %; "
        f"{state} after {count(numbers['n_iter_'], 'iteration')}, {duration(result.fit.seconds)}."
    )]
    panels.explained(said, advice, PAGE)
