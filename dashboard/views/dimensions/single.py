"""One dimension: its objects, how sure their weights are, and what it has to do with columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from tripletscope.core.dimensions.relations import category_table, rank_correlation
from tripletscope.dashboard import export
from tripletscope.dashboard.figures.colours import is_quantity
from tripletscope.dashboard.figures.dimensions import histogram, object_sheet, sheet_height
from tripletscope.dashboard.figures.reproduced import (
    MOST_CATEGORIES,
    against_categories,
    against_quantity,
    object_intervals,
)
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.controls import pick
from tripletscope.dashboard.interface.theme import Canvas, count
from tripletscope.dashboard.views.dimensions.context import DimensionsContext, choose_fit
from tripletscope.dashboard.views.dimensions.files import with_pictures
from tripletscope.dashboard.views.dimensions.fitting import PAGE
from tripletscope.dashboard.views.dimensions.naming import LONGEST, rename_dimension
from tripletscope.dashboard.views.page import tab

_WIDTH = 1000.0
#: Objects that are shown at a time, with pictures and without; rows with intervals.
_PICTURED, _WRITTEN, _ROWS = 30, 60, 24


@tab(PAGE, "One dimension", 2, needs=choose_fit)
def show_one(context: DimensionsContext) -> None:
    """A dimension with its name, its objects, their intervals, and a column beside it."""
    dimension, along = _choose(context)
    _sheet(context, dimension, along)
    left, right = st.columns(2, gap="large")
    with left:
        _histogram(context, dimension)
    with right:
        _intervals(context, dimension)
    _against(context, dimension)


def _choose(context: DimensionsContext) -> tuple[int, bool]:
    data = context.data
    place = f"{PAGE}.dimension@{context.fit.key}"
    with st.container(horizontal=True, vertical_alignment="bottom"):
        options = {k: data.title(k) for k in range(data.n_dimensions)}
        dimension = pick(context.session, place, "Dimension", options, width=260)
        for label, icon, to in (
            ("Previous", "chevron_left", dimension - 1), ("Following", "chevron_right",
                                                          dimension + 1),
        ):
            st.button(
                label, key=f"{PAGE}.{label.lower()}", icon=f":material/{icon}:", type="tertiary",
                disabled=to not in options, on_click=context.set_to, args=(place, to),
            )
        name = data.names.get(dimension, "")
        key = context.session.key_following(f"{PAGE}.name@{context.fit.key}.{dimension}", name)
        typed = st.text_input(
            "Name", name, key=key, max_chars=LONGEST, width=260,
            placeholder="What do these have in common?",
            help="Kept with the data, and shown in all figures, tables and files.",
        )
        if " ".join((typed or "").split()) != name:
            rename_dimension(context.info, context.fit, dimension, typed or "")
            st.rerun()
        along = pick(context.session, f"{PAGE}.objects", "Objects", {
            "highest": "Highest weights", "along": "Evenly from highest to lowest",
        }, width=230)
    return dimension, along == "along"


def _sheet(context: DimensionsContext, dimension: int, along: bool) -> None:
    data = context.data
    most = _PICTURED if data.pictures else _WRITTEN
    which = data.along(dimension, most) if along else data.highest(dimension, most)
    what = "objects whose weights are evenly apart" if along else "objects with the highest weights"
    text = f"{data.title(dimension)}: {what}, with their weights as bars."
    panels.figure_panel(
        context.session, lambda canvas: object_sheet(
            data if canvas.screen else with_pictures(context, which), dimension, which,
            caption=context.full(text), canvas=canvas,
        ), key=f"{PAGE}.sheet", name=_name(context, dimension),
        canvas=Canvas(_WIDTH, sheet_height(data, len(which), Canvas(_WIDTH))), caption=text,
        alt=f"The {count(len(which), 'object')} of {data.title(dimension)}: "
        f"{', '.join(data.labels[i] for i in which[:12])}.",
        table=lambda: _table(context, dimension, which.tolist()),
        on_pick=context.session.select_positions, of=(context.content, dimension, along),
    )


def _name(context: DimensionsContext, dimension: int, what: str = "") -> str:
    parts = [context.info.name, "dimension", f"{dimension + 1}", what]
    return export.file_name(*filter(None, parts))


def _table(context: DimensionsContext, dimension: int, which: list[int]) -> pd.DataFrame:
    data = context.data
    table = pd.DataFrame({
        "object": [data.labels[i] for i in which], "weight": data.weights[which, dimension],
    })
    return table if data.sd is None else table.assign(sd=data.sd[which, dimension])


def _histogram(context: DimensionsContext, dimension: int) -> None:
    data = context.data
    some = len(data.highest(dimension))
    text = (
        f"Weights of all objects in {data.title(dimension)}: {count(some, 'object')} with more "
        f"than 2 % of the highest."
    )
    panels.figure_panel(
        context.session,
        lambda canvas: histogram(data, dimension, caption=context.full(text), canvas=canvas),
        key=f"{PAGE}.histogram", name=_name(context, dimension, "histogram"),
        canvas=Canvas(480.0, 460.0), alt=f"Histogram of the weights in {data.title(dimension)}.",
        table=lambda: _table(context, dimension, list(range(len(data.labels)))), caption=text,
        of=(context.content, dimension),
    )


def _intervals(context: DimensionsContext, dimension: int) -> None:
    data = context.data
    which = sorted(
        set(data.highest(dimension, _ROWS).tolist()),
        key=lambda i: -data.weights[i, dimension],
    )
    text = f"The highest weights in {data.title(dimension)}{_origin(context)}."
    panels.figure_panel(
        context.session,
        lambda canvas: object_intervals(
            data, dimension, which, caption=context.full(text), canvas=canvas
        ),
        key=f"{PAGE}.intervals", name=_name(context, dimension, "intervals"),
        canvas=Canvas(480.0, 460.0),
        alt=f"Points for the {count(len(which), 'highest weight')} with their intervals.",
        table=lambda: _table(context, dimension, which), caption=text,
        on_pick=context.session.select_positions, of=(context.content, dimension),
    )
    if data.sd is None:
        context.compute_button(
            f"{PAGE}.intervals.run", "Intervals", [(context.method, "bootstrap_dimensions", {})],
            "Fits to resampled trials, or people, from these dimensions.",
            label="Compute intervals",
        )


def _origin(context: DimensionsContext) -> str:
    """Where intervals come from, as the end of a sentence."""
    if context.fitted.embedding_sd_ is not None:
        return (
            ", with 95 % intervals of the posterior, which takes all trials as those of one "
            "observer"
        )
    run = context.resampled
    if run is None:
        return ""
    found = run.result()
    unit = "participants" if found.unit != "answers" else "trials"
    return (
        f", with 95 % intervals from {found.replicates:,} resamples of {unit}, which are too "
        "short: in simulations they held 81 to 89 % of weights above zero"
    )


# Columns -------------------------------------------------------------------------------------


def _against(context: DimensionsContext, dimension: int) -> None:
    objects = context.triplets.objects
    columns = [c for c in context.columns if len(objects[c].dropna().unique()) > 1]
    st.subheader("Against what is known of the objects", anchor=False)
    if not columns:
        st.caption(
            "The objects have no further columns. A table with one row per object, such as ratings "
            "or categories, can be added on the page Data."
        )
        return
    column = pick(
        context.session, f"{PAGE}.column@{context.info.id}", "Column",
        {c: c for c in columns}, width=260,
    )
    weights = context.data.weights[:, dimension]
    if is_quantity(objects[column]):
        _quantity(context, dimension, column, weights)
    else:
        _categories(context, dimension, column, weights)


def _quantity(
    context: DimensionsContext, dimension: int, column: str, weights: np.ndarray
) -> None:
    values = pd.to_numeric(context.triplets.objects[column], errors="coerce").to_numpy(dtype=float)
    r, low, high, n = rank_correlation(weights, values)
    title = context.data.title(dimension)
    about = "No correlation: too few objects, or all alike."
    if np.isfinite(r):
        reach = ", no interval, as the order has no exception" if np.isnan(low) else (
            f" [{low:.2f}, {high:.2f}], 95 % interval"
        )
        about = f"Rank correlation {r:.2f}{reach}, over {count(n, 'object')}."
    text = f"Weights in {title} against {column}. {about}"
    _panel(
        context, dimension, column, text, "points", Canvas(_WIDTH, 430.0),
        lambda canvas: against_quantity(
            context.data, dimension, values, column, caption=context.full(text), canvas=canvas
        ),
        lambda: pd.DataFrame({
            "object": context.data.labels, column: values, "weight": weights,
        }),
    )


def _categories(
    context: DimensionsContext, dimension: int, column: str, weights: np.ndarray
) -> None:
    values = context.triplets.objects[column]
    table = category_table(weights, values)
    best = table.dropna(subset=["auc"]).head(1)
    title = context.data.title(dimension)
    about = "" if len(best) else "No category has three objects, or all weights are alike. "
    if len(best):
        row = best.iloc[0]
        about = (
            f"An object of {row['category']} has a higher weight than another one with a "
            f"probability of {row['auc']:.2f} (95 % interval {row['low']:.2f} to "
            f"{row['high']:.2f}; chance 0.50). It is the category that stands out most, so that "
            "some of this is luck. "
        )
    if len(table) > MOST_CATEGORIES:
        about += f"The first {MOST_CATEGORIES} of {len(table):,} categories. "
    text = f"Weights in {title} by {column}; lines are means. {about}"
    rows = min(len(table), MOST_CATEGORIES)
    _panel(
        context, dimension, column, text, "categories", Canvas(_WIDTH, 110.0 + 24.0 * rows),
        lambda canvas: against_categories(
            context.data, dimension, table, values, caption=context.full(text), canvas=canvas
        ),
        lambda: table,
    )


def _panel(
    context: DimensionsContext, dimension: int, column: str, text: str, what: str,
    canvas: Canvas, draw: Any, table: Any,
) -> None:
    panels.figure_panel(
        context.session, draw, key=f"{PAGE}.against", canvas=canvas, caption=text,
        name=_name(context, dimension, column), table=table,
        alt=f"Weights in {context.data.title(dimension)} against {column}, as {what}.",
        on_pick=context.session.select_positions, of=(context.content, dimension, column, text),
    )
