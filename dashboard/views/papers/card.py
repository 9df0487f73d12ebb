"""The card of an item: its claim, our picture, the verdict, computing it anew, and going on."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from tripletscope.core.computing.progress import Progress
from tripletscope.core.papers.data import BROUGHT, FOLDER, is_here
from tripletscope.core.papers.item import DOCUMENTS, Assessment, Item
from tripletscope.core.papers.outcome import Outcome, rebuild, shipped
from tripletscope.core.papers.registry import items, original
from tripletscope.dashboard.drawing.drawing import Drawing
from tripletscope.dashboard.drawing.papers import drawings_of
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.controls import pick, pressed
from tripletscope.dashboard.interface.theme import Canvas, duration
from tripletscope.dashboard.interface.watching import watch
from tripletscope.dashboard.keeping.rebuilt import keep_outcome, kept_outcome
from tripletscope.dashboard.keeping.services import services
from tripletscope.dashboard.views.page import Context, tab
from tripletscope.dashboard.views.papers.going_on import go_on
from tripletscope.dashboard.views.papers.overview import BADGES, NAMES, PAGE, assessment_of
from tripletscope.dashboard.working.pool import pool

_WIDTH = 640.0
#: Names of runs of an item, in the order in which they are shown.
_SHIPPED, _FULL, _QUICK = "As shipped", "Rebuilt here", "Rebuilt here in short"


def _declare(document: str, order: int) -> None:
    """The tab of a document."""

    def show(context: Context) -> None:
        _show_document(context, document)

    show.__name__ = f"show_{document}"
    tab(PAGE, NAMES[document], order)(show)


for _order, _document in enumerate(DOCUMENTS, 1):
    _declare(_document, _order)


def _show_document(context: Context, document: str) -> None:
    """Choose an item of a document, and show its card."""
    known = {key: item for key, item in items().items() if item.document == document}
    key = pick(
        context.session, f"{PAGE}.{document}", DOCUMENTS[document],
        {key: f"{item.label} · {item.title} · {assessment_of(item).verdict}"
         for key, item in known.items()},
        default=next(iter(known)),
    )
    _show_card(context, known[key])


def _show_card(context: Context, item: Item) -> None:
    first = original(item)
    runs = _runs(first)
    picture, side = st.columns([3, 1], gap="large")
    with side:
        outcome = _chosen(context, first, runs)
        known = outcome.assessment if outcome else assessment_of(item)
        _verdict(item, known)
        if outcome is not None and outcome.quick:
            st.caption("From a run in short, which is too small to overrule one in full.")
        _buttons(context, item, runs)
    with picture:
        st.markdown(f"**{panels.plain(item.claim)}**")
        watch(context.job)
        if outcome is not None:
            _pictures(context, item, outcome)
        _numbers(item, known)
        _settings(first, outcome)


def _runs(item: Item) -> dict[str, Outcome]:
    """What is known of an item, by what it is called."""
    folder = services().workspace.folder
    found = {
        _FULL: kept_outcome(folder, item.key, False),
        _QUICK: kept_outcome(folder, item.key, True),
        _SHIPPED: shipped(item.key) if item.experiment else None,
    }
    return {name: outcome for name, outcome in found.items() if outcome is not None}


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


def _verdict(item: Item, known: Assessment) -> None:
    colour, icon = BADGES[known.verdict]
    st.badge(known.verdict.capitalize(), icon=icon, color=colour)
    first = original(item)
    if first.stand_in:
        st.caption(panels.plain(f"On {first.stand_in}."))
    st.write(panels.plain(known.why))
    if item.same_as:
        st.caption(panels.plain(f"The same as {DOCUMENTS[first.document]}, {first.label}."))


def _buttons(context: Context, item: Item, runs: dict[str, Outcome]) -> None:
    first = original(item)
    if first.experiment is not None:
        lacks = [name for name in first.needs if not is_here(name)]
        _compute(context, first, quick=True, label="Rebuild in short", type="primary",
                 help="Smaller settings, on data that come with the program: seconds.")
        took = f"about {duration(runs[_SHIPPED].seconds)}" if _SHIPPED in runs else "minutes"
        _compute(context, first, quick=False, label="Rebuild in full", disabled=bool(lacks),
                 help=f"With the settings of the picture as shipped: {took}.")
        if lacks:
            st.caption(panels.plain(
                f"In full it needs {', '.join(BROUGHT[name][1] for name in lacks)}: name their "
                f"folder by --data, or {FOLDER}, when the program is started."
            ))
    if first.opens is not None and pressed(
        context.session, f"{PAGE}.open.{item.key}", f"Open in {first.opens.page.capitalize()}",
        icon=":material/open_in_new:", width="stretch",
        help="The page with these answers or settings, to go on from there.",
    ):
        go_on(context.session, first)


def _compute(
    context: Context, item: Item, *, quick: bool, label: str, **further: object
) -> None:
    if pressed(
        context.session, f"{PAGE}.rebuild.{item.key}.{quick}", label,
        icon=":material/play_arrow:", width="stretch", **further,
    ):
        context.begin(f"{label}: {item.label}", "Rebuilding", _work(item.key, quick))
        st.rerun()


def _work(key: str, quick: bool) -> Callable[[Progress], None]:
    """Rebuild an item in another process, and keep what comes of it."""

    def work(progress: Progress) -> None:
        outcome = pool().call(partial(rebuild, key, quick=quick), progress=progress)
        keep_outcome(services().workspace.folder, outcome)

    return work


def _pictures(context: Context, item: Item, outcome: Outcome) -> None:
    for drawing in drawings_of(item, outcome):
        panels.figure_panel(
            context.session, drawing.draw, key=f"{PAGE}.figure.{drawing.name}", alt=drawing.alt,
            name=drawing.name, table=drawing.table,
            canvas=Canvas(_WIDTH, _WIDTH * drawing.ratio), caption=_legend(drawing, item),
            simulations={}, of=outcome.rows,
        )


def _legend(drawing: Drawing, item: Item) -> str:
    """What a figure shows, and how it is read."""
    charts = original(item).charts
    hollow = any(chart.published for chart in charts)
    bars = any(chart.spread for chart in charts)
    return drawing.title + "." + " Hollow: the paper's values." * hollow + (
        " Lines through marks: the spread over repetitions." * bars
    )


def _numbers(item: Item, known: Assessment) -> None:
    """The paper's figures, and below them ours."""
    first = original(item)
    for title, words in (("Published", first.published), ("Ours", known.ours)):
        if words:
            st.markdown(f"*{title}:* {panels.plain(words)}")


def _settings(item: Item, outcome: Outcome | None) -> None:
    if outcome is None:
        return
    with st.expander("Settings"):
        if item.setting:
            st.markdown(f"*Of the paper:* {panels.plain(item.setting)}")
        if item.ours:
            st.markdown(f"*Here:* {panels.plain(item.ours)}")
        st.caption(
            f"Seed {outcome.seed}, version {outcome.version}, {duration(outcome.seconds)}, "
            f"{panels.ago(outcome.created)}."
        )
        st.code(
            "from tripletscope.core.papers.outcome import rebuild\n"
            f'rebuild("{item.key}"{", quick=True" if outcome.quick else ""}).table',
            language="python",
        )
