"""All dimensions: a strip of objects for each, how good it is, and what people call it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from tripletscope.core.inference.held_out.choice_accuracy import ChoiceAccuracy, choice_accuracies
from tripletscope.core.run import Run
from tripletscope.dashboard.archive.recipe import reproduction
from tripletscope.dashboard.figures.reproduced import AGAIN
from tripletscope.dashboard.files import export
from tripletscope.dashboard.print.browser import can_render
from tripletscope.dashboard.print.composition import PRESETS, Composition
from tripletscope.dashboard.print.render import FORMATS, NEED_BROWSER
from tripletscope.dashboard.results.dimension_details import Histograms, SomeDimensions
from tripletscope.dashboard.results.dimensions import facts_table, fitted_again, weights_table
from tripletscope.dashboard.results.quality import ceiling_in_short, of_choices, predicted_said
from tripletscope.dashboard.results.registry import drawn
from tripletscope.dashboard.state import widgets
from tripletscope.dashboard.store.dataset import DatasetInfo, edition_of
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.controls import pick
from tripletscope.dashboard.ui.elements import csv_button
from tripletscope.dashboard.ui.naming import names_of_dimensions, rename_dimensions, taken_over
from tripletscope.dashboard.ui.page import tab
from tripletscope.dashboard.words.formats import count
from tripletscope.pages.dimensions.context import ENOUGH, DimensionsContext, choose_fit
from tripletscope.pages.dimensions.fitting import PAGE

#: Dimensions on one page, with pictures and without.
_PICTURED, _WRITTEN = 6, 8
#: Highest objects that the table names, and dimensions of which histograms are drawn together.
_NAMED, _TOGETHER = 8, 60
_ORDERS = {
    "weight": "Sum of weights", "reproduced": "Reproducibility", "lost": "What would be lost",
    "name": "Name", "objects": "Number of objects",
}


@tab(PAGE, "Dimensions", 1, needs=choose_fit)
def show_overview(context: DimensionsContext) -> None:
    """Facts of the fit, strips of some dimensions, and the table of all."""
    shown = context.shown(context.fit)
    facts = facts_table(shown, context.fit, _NAMED).assign(lost=left_out(context))
    _facts(context, facts)
    _taken(context)
    order, page = _paged(context, facts)
    _strips(context, facts, page)
    _table(context, facts, order)


def left_out(context: DimensionsContext) -> np.ndarray:
    """By how much accuracy falls without each dimension, on trials that it was fitted to."""
    content = edition_of(context.fit), context.info.fingerprint
    return _left_out(content, context.fitted, context.triplets)


@st.cache_data(max_entries=16, show_spinner="Leaving out each dimension")
def _left_out(key: tuple, _fitted: Any, _answers: Any) -> np.ndarray:
    if _answers.n_trials > ENOUGH:
        chosen = np.random.default_rng(0).choice(_answers.n_trials, ENOUGH, replace=False)
        # Where nothing says what belongs to a trial, each answer is one.
        is_divided = _answers.trials is not None
        _answers = _answers.take(np.isin(_answers.trials, chosen) if is_divided else chosen)
    return _fitted.leaving_out(_answers)


def accuracy_of(context: DimensionsContext) -> ChoiceAccuracy | None:
    """Accuracy of odd-one-out choices on held-out trials, with chance and ceiling."""
    errors = (context.find(context.method, task) for task in ("split_error", "cross_validate"))
    run = max(filter(None, errors), key=lambda run: run.created, default=None)
    content = context.info.fingerprint, edition_of(run)
    accuracies = _accuracies(content, context.triplets, run.result() if run else None)
    return next((choice for choice in accuracies if choice.kind.name == "odd one out"), None)


@st.cache_data(max_entries=16, show_spinner="Counting repeated trials")
def _accuracies(key: tuple, _answers: Any, _estimate: Any) -> list[ChoiceAccuracy]:
    return choice_accuracies(_answers, _estimate)


def _facts(context: DimensionsContext, facts: pd.DataFrame) -> None:
    accuracy, number, reproduced, names = st.columns(4)
    _accuracy(context, accuracy)
    number.metric("Dimensions", f"{context.data.n_dimensions:,}")
    most = context.method.n_components
    number.caption("by held-out pairs" if most is None else f"of at most {most:,}")
    again = fitted_again(context.shown(context.fit), context.fit)
    if not again:
        reproduced.metric("Reproduced", "—", help="Computed on the tab How many.")
    else:
        reproduced.metric(
            "Reproduced", f"{(facts['reproduced'] > AGAIN).sum():,} of {len(facts):,}",
            help="Dimensions whose mean correlation with the most similar one of others is above "
            f"{AGAIN:g}.",
        )
        result = again[0].result()
        against = f"halves of the {result.unit}" if result.halves else "other starts"
        reproduced.caption(f"in {against}, r \\> {AGAIN:g}")
    names.metric("Named", f"{len(context.names):,} of {len(facts):,}")


def _explained(context: DimensionsContext, place: Any) -> None:
    """The share of the variance of what was measured."""
    place.metric("Explained", f"{100 * context.fitted.explained_:.1f} %",
                 help="Share of the variance of the similarities that the fit learned from.")
    curve = context.find(context.method, "number_curve")
    held_out = "" if curve is None else (
        f"; of held-out pairs {100 * curve.result().explained.max():.1f} %"
    )
    place.caption(f"of the fitted similarities{held_out}")


def _accuracy(context: DimensionsContext, place: Any) -> None:
    if context.fit.of_measured:
        _explained(context, place)
        return
    choices = accuracy_of(context)
    if choices is None:  # no odd-one-out trials
        place.metric("Accuracy", f"{100 * context.fitted.score(context.triplets):.1f} %",
                     help="Share of the training answers that the dimensions predict.")
        chance = 100 * context.fitted.chance(context.triplets)
        place.caption(f"of the fitted answers, chance {chance:.{int(chance != 50)}f} %")
        return
    text, share = f"chance {100 * choices.chance:.1f} %", choices.accuracy
    if share is None:
        place.metric("Held-out accuracy", "computing" if context.waiting else "—",
                     help="Not computed: choose it in the menu Fit.")
    else:
        about = " ".join((*predicted_said(choices), of_choices(choices)))
        place.metric("Held-out accuracy", f"{100 * share.value:.1f} %", help=about)
        text = f"[{100 * share.low:.1f}, {100 * share.high:.1f}], {text}"
    if known := ceiling_in_short(choices.ceiling):
        text += f", {known}"
    place.caption(panels.plain(text))


def _taken(context: DimensionsContext) -> None:
    """Which names come from another fit."""
    names = taken_over(context.info, context.fit)
    if not names:
        return
    worst = min(r for _, r, _ in names.values())
    origin = next(iter(names.values()))[2]
    row = st.container(horizontal=True, vertical_alignment="center")
    row.caption(panels.plain(
        f"{count(len(names), 'name')} taken over from {origin}: correlation with the dimensions "
        f"there at least {worst:.2f}."
    ))
    row.button(
        "Without names", key=f"{PAGE}.without", on_click=rename_dimensions,
        args=(context.info, context.fit, {}), type="tertiary",
        help="Starts this fit without names; the other fit keeps its names.",
    )


def _paged(context: DimensionsContext, facts: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """All dimensions in order, and those that are shown."""
    orders = {
        name: title for name, title in _ORDERS.items() if name != "reproduced" or name in facts
    }
    at_once = _PICTURED if context.data.pictures else _WRITTEN
    with st.container(horizontal=True, vertical_alignment="bottom"):
        by = pick(context.session, f"{PAGE}.order", "Order", orders, width=190)
        order = _ordered(facts, by)
        n_pages = -(-len(order) // at_once)
        page = 0
        if n_pages > 1:
            pages = {
                k: f"{k * at_once + 1} to {min((k + 1) * at_once, len(order))} of {len(order)}"
                for k in range(n_pages)
            }
            place = f"{PAGE}.page@{context.fit.key}"
            page = pick(context.session, place, "Shown", pages, width=150)
            context.steps(place, ("Before", "Next"), page, n_pages)
    return order, order[page * at_once : (page + 1) * at_once]


def _ordered(facts: pd.DataFrame, by: str) -> np.ndarray:
    if by == "name":  # those without a name come last
        named = facts["name"].str.casefold()
        return np.lexsort((facts["dimension"], named, named == ""))
    column = {"weight": "share"}.get(by, by)
    return np.argsort(-facts[column].to_numpy(dtype=float), kind="stable")


def _strips(context: DimensionsContext, facts: pd.DataFrame, page: np.ndarray) -> None:
    context.look(SomeDimensions(tuple(page.tolist()), facts))
    name = export.file_name(context.info.name, "dimensions")
    with st.container(horizontal=True):
        csv_button("Objects × dimensions (CSV)", lambda: object_table(context), name,
                   f"{PAGE}.objects.csv", icon=":material/table:")
        st.download_button(
            "Download everything", lambda: everything(context, facts), f"{name}.zip",
            "application/zip", key=f"{PAGE}.everything", on_click="ignore",
            icon=":material/folder_zip:",
            help="Figures of all dimensions, weights with names and uncertainty, the table below, "
            "settings, and a script that computes everything again.",
        )


def _table(context: DimensionsContext, facts: pd.DataFrame, order: np.ndarray) -> None:
    """All dimensions in a table in which names are typed."""
    st.header("All dimensions", anchor=False)
    st.caption("Type a name into the table: it is kept with the data, and appears everywhere.")
    shown = facts.iloc[order].assign(
        share=100 * facts["share"], lost=100 * facts["lost"]
    ).reset_index(drop=True)
    key = context.session.key_following(
        f"{PAGE}.table@{context.fit.key}", (tuple(order.tolist()), tuple(context.names.items()))
    )
    st.data_editor(
        shown, key=key, on_change=_rename,
        args=(context.info, context.fit, key, (shown["dimension"] - 1).tolist()), hide_index=True,
        height=min(38 + 35 * len(shown), 420), column_config=_COLUMNS, column_order=list(_COLUMNS),
        disabled=[c for c in shown.columns if c != "name"],
    )
    if box := panels.folded("Histograms of all dimensions", f"{PAGE}.histograms"):
        with box:
            context.look(Histograms(tuple(order.tolist()[:_TOGETHER])))


def _rename(info: DatasetInfo, fit: Run, key: str, order: list[int]) -> None:
    """Keep names typed into the table, before a result that came meanwhile orders it anew.

    order: Dimensions of the rows into which they were typed.
    """
    now = services().workspace.dataset(info.id)
    if now is None:  # deleted in another tab meanwhile
        return
    typed = {
        order[int(row)]: str(cells.get("name") or "")
        for row, cells in widgets()[key]["edited_rows"].items()
    }
    rename_dimensions(now, fit, {**names_of_dimensions(now, fit), **typed})


def object_table(context: DimensionsContext) -> pd.DataFrame:
    """A row for each object, with its weights in the dimensions, which have their names."""
    data = context.data
    return weights_table(data.objects, data.weights, data.names)


def runs_of(context: DimensionsContext) -> list[Run]:
    """The fit and what was computed beside it."""
    tasks = ("cross_validate", "split_error", "penalty_curve", "number_curve")
    runs = [context.find(context.method, task) for task in tasks]
    return [context.fit, *filter(None, (*runs, *context.again, context.resampled))]


def everything(context: DimensionsContext, facts: pd.DataFrame) -> bytes:
    """Figures, tables, settings and a script that computes all of it again, as one ZIP."""
    name = export.file_name(context.info.name, "dimensions")
    workspace, runs, data = services().workspace, runs_of(context), context.data
    files = {
        f"{name}.csv": export.csv(object_table(context)),
        f"{name}-table.csv": export.csv(facts),
        **reproduction(
            context.info, workspace.cleaning(context.info), runs,
            named={context.fit.key: data.names}, measured=workspace.measured(context.info),
        ),
    }
    if data.sd is not None:
        deviations = weights_table(data.objects, data.sd, data.names)
        files[f"{name}-sd.csv"] = export.csv(deviations)
    possible = can_render()
    composition = Composition(**PRESETS["Two columns"])
    for drawing in drawn(context.shown(*runs)):
        for form in FORMATS:
            if possible or form not in NEED_BROWSER:
                title = export.file_name(context.info.name, drawing.name)
                files[f"{title}.{form}"] = drawing.file(form, composition)
    return export.bundle(files)


_COLUMNS = {
    "dimension": st.column_config.NumberColumn("number", width="small"),
    "name": st.column_config.TextColumn("name", max_chars=80, width="medium"),
    "highest": st.column_config.TextColumn("highest objects", width="large"),
    "share": st.column_config.NumberColumn(
        "weight (%)", format="%.1f", help="Share of the sum of all weights."
    ),
    "objects": st.column_config.NumberColumn(
        "objects", help="Objects with more than 2 % of the highest weight."
    ),
    "lost": st.column_config.NumberColumn(
        "lost (points)", format="%.2f",
        help="Drop in training accuracy, in percentage points, if the dimension is left out "
        "without fitting again.",
    ),
    "reproduced": st.column_config.NumberColumn(
        "reproduced (r)", format="%.2f",
        help="Mean correlation with the most similar dimension of other fits, by Fisher's z.",
    ),
}
