"""The card of an item: its claim, our picture, the verdict, computing it anew, and going on."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import streamlit as st

from tripletscope.core.engine.progress import Progress
from tripletscope.core.presets import DOCUMENTS
from tripletscope.dashboard.figures.theme import Canvas
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.controls import pick, pressed
from tripletscope.dashboard.interface.watching import watch
from tripletscope.dashboard.keeping.services import services
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.views.context import Context
from tripletscope.dashboard.views.page import tab
from tripletscope.dashboard.views.papers.chart import Chart
from tripletscope.dashboard.views.papers.continuations import CONTINUATIONS
from tripletscope.dashboard.views.papers.drawings import drawings_of
from tripletscope.dashboard.views.papers.going_on import go_on
from tripletscope.dashboard.views.papers.kept import keep_outcome, kept_outcome
from tripletscope.dashboard.views.papers.overview import (
    BADGES,
    NAMES,
    PAGE,
    other_places,
    places_in,
)
from tripletscope.dashboard.wording.formats import duration
from tripletscope.dashboard.working.pool import pool
from tripletscope.reproductions.data import BROUGHT, FOLDER, is_here
from tripletscope.reproductions.item import Item
from tripletscope.reproductions.outcome import Outcome, rebuild, shipped, verdicts
from tripletscope.reproductions.registry import items
from tripletscope.reproductions.verdict import WORDS

_WIDTH = 640.0
#: Names of runs of an item, in the order in which they are shown.
_SHIPPED, _FULL, _QUICK = "As shipped", "Rebuilt here", "Rebuilt here in short"


def _declare(document: str, order: int) -> None:
    def show(context: Context) -> None:
        _show_document(context, document)

    show.__name__ = f"show_{document}"
    tab(PAGE, NAMES[document], order)(show)


for _order, _document in enumerate(DOCUMENTS, 1):
    _declare(_document, _order)


def _show_document(context: Context, document: str) -> None:
    """Choose an item of a document, and show its card."""
    options = {
        key: f"{', '.join(places_in(item, document))} · {item.title} · {verdicts()[key].word}"
        for key, item in items().items() if places_in(item, document)
    }
    key = pick(context.session, f"{PAGE}.{document}", DOCUMENTS[document], options)
    item = items()[key]
    runs = _runs(item)
    picture, side = st.columns([2, 1], gap="large")
    with side:
        _verdict(item)
        outcome = _chosen(context, item, runs)
        if outcome is not None and outcome is not runs.get(_SHIPPED):
            _observation(outcome)
        _buttons(context, item, runs)
    with picture:
        st.markdown(f"**{panels.plain(item.claim)}**")
        if item.also:
            places = f"{DOCUMENTS[item.document]}, {item.label}; {other_places(item)}"
            st.caption(panels.plain(places))
        watch(context.job)
        if outcome is not None:
            _pictures(context, item, outcome)
        ours = outcome.observations[0].ours if outcome else ""
        _titled("*", {"Published": item.published, "Ours": ours})
        if outcome is not None:
            _settings(item, outcome)


def _runs(item: Item) -> dict[str, Outcome]:
    """What is known of an item, by what it is called."""
    folder = services().workspace.folder
    outcomes = {
        _FULL: kept_outcome(folder, item.key, False),
        _QUICK: kept_outcome(folder, item.key, True),
        _SHIPPED: shipped(item.key) if item.experiment else None,
    }
    return {name: outcome for name, outcome in outcomes.items() if outcome is not None}


def _chosen(context: Context, item: Item, runs: dict[str, Outcome]) -> Outcome | None:
    """The run that is shown: the newest, unless another one is chosen."""
    if not runs:
        return None
    newest = max(runs, key=lambda name: (runs[name].created, name != _SHIPPED))
    if len(runs) == 1:
        return runs[newest]
    # A new run is shown when it is there, whatever was chosen before.
    key = context.session.key_following(f"{PAGE}.run.{item.key}", runs[newest].created)
    chosen = st.selectbox("Shown", list(runs), list(runs).index(newest), key=key)
    return runs[chosen]


def _verdict(item: Item) -> None:
    """The word, what it rests on, and the rule that a reader can disagree with."""
    verdict = verdicts()[item.key]
    colour, icon = BADGES[verdict.word]
    other = f" on {panels.plain(item.stand_in)}" if item.stand_in else ""
    st.markdown(
        f":{colour}-badge[{icon} **{verdict.word.capitalize()}**]{other}", help=WORDS[verdict.word]
    )
    if verdict.share.startswith(("held", "did")):
        why = "; nothing is random, so one run suffices" if item.exact else ""
        st.markdown(f"The rule {verdict.share}{why}.")
    _titled("**", {"Rule": item.rule, "Not judged": item.not_judged, "Why": verdict.why})


def _titled(mark: str, texts: Mapping[str, str]) -> None:
    """Texts, as far as there are any, with their titles in bold or italics."""
    for title, text in texts.items():
        if text:
            st.markdown(f"{mark}{title}:{mark} {panels.plain(text)}")


def _observation(outcome: Outcome) -> None:
    """What a run of one's own shows, which is one seed and overrules no verdict."""
    observed = outcome.observations[0]
    st.markdown(panels.plain(
        f"At seed {outcome.seeds[0]}, which this run used, the claim {observed.shows}. "
        f"{observed.why}"
    ))
    st.caption(
        "A verdict is over several seeds, with the settings in full: one run"
        f"{' in short' if outcome.quick else ''} does not change it."
    )


def _buttons(context: Context, item: Item, runs: dict[str, Outcome]) -> None:
    if item.experiment is not None:
        lacks = [name for name in item.needs if not is_here(name)]
        _compute(context, item, quick=True, label="Rebuild in short", type="primary",
                 disabled=not all(map(is_here, item.needs_in_short)),
                 help="Smaller settings, which take seconds.")
        took = f"about {duration(runs[_SHIPPED].seconds)}" if _SHIPPED in runs else "minutes"
        _compute(context, item, quick=False, label="Rebuild in full", disabled=bool(lacks),
                 help=f"With the settings of the picture as shipped: {took}.")
        if lacks:
            runs_of_it = "In short and in full" if item.needs_in_short else "In full"
            needed = ", ".join(BROUGHT[name][1] for name in lacks)
            st.caption(panels.plain(
                f"{runs_of_it} it needs {needed}: name their folder by --data, or {FOLDER}, when "
                "the program is started."
            ))
    there = CONTINUATIONS.get(item.key)
    if there is not None and pressed(
        context.session, f"{PAGE}.open.{item.key}", f"Open in {there.page.capitalize()}",
        icon=":material/open_in_new:", width="stretch",
        help="Opens the page with these answers or settings.",
    ):
        go_on(context.session, item)


def _compute(context: Context, item: Item, *, quick: bool, label: str, **further: object) -> None:
    if pressed(
        context.session, f"{PAGE}.rebuild.{item.key}.{quick}", label,
        icon=":material/play_arrow:", width="stretch", **further,
    ):
        work = partial(_rebuild, item.key, quick)
        context.begin(f"{label}: {item.label}", "Rebuilding", work)
        st.rerun()


def _rebuild(key: str, quick: bool, progress: Progress) -> None:
    """Rebuild an item in another process, and keep what comes of it."""
    outcome = pool().call(partial(rebuild, key, quick=quick), progress=progress)
    keep_outcome(services().workspace.folder, outcome)


def _pictures(context: Context, item: Item, outcome: Outcome) -> None:
    for chart, drawing in drawings_of(item, outcome):
        panels.figure_panel(
            context.session, drawing.draw, key=f"{PAGE}.figure.{drawing.name}", alt=drawing.alt,
            name=drawing.name, table=drawing.table,
            canvas=Canvas(_WIDTH, _WIDTH * drawing.ratio), caption=_legend(chart, drawing),
            simulations={}, of=outcome.rows,
        )


def _legend(chart: Chart, drawing: Drawing) -> str:
    """What a figure shows, and how it is read."""
    published = " Hollow: the paper's values." if chart.published else ""
    spread = " Lines through marks: the spread over repetitions." if chart.spread else ""
    return f"{drawing.title}.{published}{spread}"


def _settings(item: Item, outcome: Outcome) -> None:
    if not (box := panels.folded("Settings", f"{PAGE}.settings")):
        return
    with box:
        _titled("*", {"Of the paper": item.setting, "Here": item.ours})
        st.caption(
            f"{_seeds(outcome)}, version {outcome.version}, {duration(outcome.seconds)}, "
            f"{panels.ago(outcome.created)}."
        )
        st.code(
            "from tripletscope.reproductions.outcome import rebuild\n"
            f'rebuild("{item.key}"{", quick=True" if outcome.quick else ""}).table',
            language="python",
        )


def _seeds(outcome: Outcome) -> str:
    first, *_, last = (*outcome.seeds, *outcome.seeds)
    return f"Seed {first}" if first == last else f"Seeds {first} to {last}, drawn is {first}"
