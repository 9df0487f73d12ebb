"""How many dimensions there are: which are found again, and what they cost."""

from __future__ import annotations

from typing import Any

import streamlit as st

from tripletscope.core.dimensions.penalties import PenaltyCurve
from tripletscope.core.run import TASKS
from tripletscope.dashboard import export
from tripletscope.dashboard.figures.reproduced import (
    AGAIN,
    GUESSING,
    penalty_curve,
    reproducibility_curve,
)
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.controls import parameter_form
from tripletscope.dashboard.interface.theme import Canvas, count, number
from tripletscope.dashboard.results.dimensions import penalty_table
from tripletscope.dashboard.views.dimensions.context import DimensionsContext, choose_fit
from tripletscope.dashboard.views.dimensions.fitting import PAGE
from tripletscope.dashboard.views.page import tab

_CURVE = Canvas(800.0, 380.0)


@tab(PAGE, "How many", 5, needs=choose_fit)
def show_counting(context: DimensionsContext) -> None:
    """How well each is found again, and held-out likelihood by penalty."""
    _dimensions(context)
    _reproducibility(context)
    if not hasattr(context.method, "penalty"):
        st.subheader("Penalty", anchor=False)
        st.caption(
            f"{context.method.title} needs no penalty: a dimension stays if enough objects have a "
            "weight that is surely above zero."
        )
        return
    picture, side = st.columns([3, 1], gap="large")
    with side:
        st.subheader("Penalty", anchor=False)
        run, options = _asked(context, "penalty_curve")
        context.compute_button(
            f"{PAGE}.penalty.run", "Penalty", _missing(context, "penalty_curve", run, options),
            "Fits with several penalties, and predicts trials that were held out.",
            label="Compute the curve",
        )
    with picture:
        if run is None:
            context.empty(
                "The curve of the penalty has not been computed",
                "The curve shows how well held-out trials are predicted with more and with fewer "
                "dimensions. A fit without a given penalty chooses one by a tenth of the trials.",
            )
        else:
            _penalty(context, run.result())


def _reproducibility(context: DimensionsContext) -> None:
    picture, side = st.columns([3, 1], gap="large")
    with side:
        st.subheader("Reproducibility", anchor=False)
        run, options = _asked(context, "dimension_reproducibility")
        context.compute_button(
            f"{PAGE}.again.run", "Reproducibility",
            _missing(context, "dimension_reproducibility", run, options),
            "Fits again, and looks for each dimension in what comes of it.", label="Fit again",
        )
    with picture:
        table, data = context.reproduced, context.data
        if table is None:
            context.empty(
                "Nothing was fitted again yet",
                "Fit again shows which dimensions are found in halves of the trials, or from other "
                "starts.",
            )
            return
        text = (
            f"Correlation of each dimension with its best match in other fits: mean by Fisher's z, "
            f"and range. Dotted: {AGAIN:g}. Halves have fewer trials: what is not found there may "
            "still be right."
        )
        panels.figure_panel(
            context.session, lambda canvas: reproducibility_curve(
                data, table, caption=context.full(text), canvas=canvas
            ), key=f"{PAGE}.again", canvas=_CURVE, caption=text,
            name=export.file_name(context.info.name, "dimension-reproducibility"),
            alt="Falling curve of correlations, the best reproduced dimension first.",
            table=lambda: table.assign(
                dimension=table["dimension"] + 1,
                name=[data.names.get(int(k), "") for k in table["dimension"]],
            ),
        )


def _asked(context: DimensionsContext, task: str) -> tuple[Any, dict[str, Any]]:
    """Options of a task, and its result with these, else the newest with others."""
    options = parameter_form(context.session, TASKS[task].function, f"{PAGE}.{task}")
    method = context.method
    return context.find(method, task, options) or context.find(method, task), options


def _missing(
    context: DimensionsContext, task: str, run: Any, options: dict[str, Any]
) -> list[tuple]:
    known = run is not None and run.complete and run.options == options
    return [] if known else [(context.method, task, options)]


def _dimensions(context: DimensionsContext) -> None:
    data, method = context.data, context.method
    told = f"{count(data.n_dimensions, 'dimension')}, of at most {method.n_components:,}."
    penalty = getattr(context.fitted, "penalty_", None)
    if penalty is not None:
        chosen = "chosen by held-out trials" if method.penalty is None else "as it was set"
        told += f" Penalty {number(penalty)}, {chosen}."
        told += " There may be more: weak ones need more trials to be found."
    if data.n_dimensions == method.n_components:
        told += " All were used: allow for more."
    st.markdown(panels.plain(told))


def _penalty(context: DimensionsContext, found: PenaltyCurve) -> None:
    table = penalty_table(found)
    text = (
        f"Mean log-likelihood of {found.n_trials:,} held-out trials by penalty, and the number of "
        "dimensions. Bars: standard errors of the difference from the best, in the same trials. "
        f"Red: {number(found.chosen)}, "
        + ("which predicts best." if found.chosen == found.best else
           "where none is left: no penalty predicts surely better than guessing.")
    )
    panels.figure_panel(
        context.session, lambda canvas: penalty_curve(
            table, chosen=found.chosen, best=found.best, chance=GUESSING,
            caption=context.full(text), canvas=canvas,
        ), key=f"{PAGE}.penalty", name=export.file_name(context.info.name, "penalty"),
        canvas=_CURVE, caption=text, table=lambda: table,
        alt=f"Curve of the held-out log-likelihood, best at a penalty of {number(found.best)}.",
    )
