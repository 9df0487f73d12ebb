"""Held-out error by method and number of dimensions, and what it suggests."""

from __future__ import annotations

from collections import Counter

import streamlit as st

from tripletscope.core.engine.method import methods
from tripletscope.core.inference.held_out import score
from tripletscope.core.models.embedding.default import DEFAULT_EMBEDDING
from tripletscope.core.run import Run, key
from tripletscope.dashboard.figures.labels import short_people
from tripletscope.dashboard.results.dividing import dividing_columns
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui import analysis, panels
from tripletscope.dashboard.ui.ceiling_advice import PAGE
from tripletscope.dashboard.ui.context import Context
from tripletscope.dashboard.ui.controls import number, parameter_form, pick, several
from tripletscope.dashboard.ui.current_comparison import (
    DIMENSIONS,
    USUAL_METHODS,
    Comparison,
    current_comparison,
)
from tripletscope.dashboard.ui.page import tab
from tripletscope.dashboard.words import words

#: Without being asked for: up to so many answers, in so many dimensions.
_QUICK, _FEW = 50_000, 3


def _plan(context: Context) -> Comparison:
    current, triplets = context.session, context.triplets
    titles = {name: method.title for name, method in methods("embedding").items()}
    several(
        current, "compare.methods", "Methods", titles, default=USUAL_METHODS,
        help="All with default settings. LORE chooses its number of dimensions itself, up to the "
        "number given.",
    )
    left, right = st.columns(2)
    with left:
        number(current, "compare.low", "Dimensions", 1, 20, DIMENSIONS["low"])
    with right:
        number(current, "compare.high", "to", 1, 20, DIMENSIONS["high"])
    without = {
        f"{kind}/{name}": method.title for kind in ("kernel", "cluster")
        for name, method in methods(kind).items()
    }
    several(
        current, "compare.others", "Methods without dimensions", without,
        help="Kernels and clusterings predict answers, too. All with default settings.",
    )
    schemes = {"cross_validate": "Cross-validation"}
    if score.has_split(triplets):
        schemes["split_error"] = "The data's own test answers"
    scheme = "cross_validate"
    with st.expander("Error estimation", key="compare.estimation"):
        if len(schemes) > 1:
            scheme = pick(current, "compare.scheme", "Held-out error", schemes)
        if scheme == "cross_validate":
            parameter_form(current, score.cross_validate, "compare.cross_validate")
    return current_comparison(current, context.info, triplets)


@tab(PAGE, "Methods and dimensions", 1)
def show_dimensions(context: Context) -> None:
    picture, side = context.picture_and_side()
    with side:
        plan = _plan(context)
        complete = {run.key for run in services().workspace.runs(context.info.id) if run.complete}
        missing = [
            (method, task, options) for method, task, options in plan.pieces
            if key(task, method, context.triplets, options) not in complete
        ]
        context.compute_button(
            "compare.run", "Comparing methods", missing,
            "Fits every method in every number of dimensions and measures its held-out error. "
            "Keeps existing results.",
        )
        if missing and len(missing) < len(plan.pieces):
            done = len(plan.pieces) - len(missing)
            st.caption(
                f"{done} of {len(plan.pieces)} computations are done. Compute runs the others."
            )
    first = _first_look(context, plan)
    if context.job is None and first and not plan.runs(context.info, context.triplets):
        context.submit(f"Comparing dimensions: {context.info.name}", first)
        st.rerun()
    with picture:
        # Results may have arrived meanwhile.
        runs = _comparable(plan, plan.runs(context.info, context.triplets))
        if not runs:
            context.empty(
                "Nothing has been computed yet",
                "Choose methods and numbers of dimensions, then Compute. The curves appear as they "
                "are computed.",
            )
            return
        fits = [analysis.find(context.info, context.answers, run.fresh(), "fit") for run in runs]
        context.present(*runs, beside=[*filter(None, fits)])
        _by_group(context, runs)
        _uncertainty(context, plan)


def _comparable(plan: Comparison, runs: list[Run]) -> list[Run]:
    """Without methods in fewer dimensions than the first look takes, beside others in as many.

    Other pages leave such errors; nobody has compared them here.
    """
    numbers = Counter(run.method for run in runs if run.kind == "embedding")
    least = min(_FEW, plan.n_dimensions)
    if max(numbers.values(), default=0) < least:
        return runs
    return [run for run in runs if run.kind != "embedding" or numbers[run.method] >= least]


def _first_look(context: Context, plan: Comparison) -> list[analysis.Piece]:
    """What of a plan is computed without being asked for, as it takes seconds.

    The usual method in few dimensions; nothing where there are many answers, or too few to divide.
    """
    if len(context.triplets) > _QUICK:
        return []
    if plan.scheme == "cross_validate" and not score.can_divide(
        context.triplets, plan.options["folds"]
    ):
        return []
    return [
        piece for piece in plan.pieces
        if isinstance(piece[0], DEFAULT_EMBEDDING) and piece[0].n_components <= _FEW
    ]


def _by_group(context: Context, runs: list[Run]) -> None:
    names = dividing_columns(context.triplets.answers)
    columns = {name: name for name in sorted(names, key=lambda name: name == "participant")}
    if not columns:
        return
    if not (box := panels.folded(f"Error by {panels.plain(', '.join(columns))}", "compare.groups")):
        return
    with box:
        left, right = st.columns(2)
        with left:
            column = pick(context.session, "compare.group", "By", columns)
        with right:
            estimates = {analysis.describe(run.fresh()): run.result() for run in runs}
            name = pick(context.session, "compare.group.of", "Of", {n: n for n in estimates})
        errors = score.errors_by(estimates[name], context.triplets, column)
        if column in errors:
            short = short_people([str(value) for value in errors[column]])
            errors = errors.assign(**{column: list(short.values())})
        st.dataframe(
            errors.sort_values("error", ascending=False), hide_index=True, placeholder="",
            key="compare.groups",
            column_config={n: st.column_config.NumberColumn(format="%.3f")
                           for n in ("error", "low", "high")},
        )
        st.caption(
            f"The intervals are{words.over_each(errors['participants'])}, and treat the maps as "
            f"fixed. Questions selected by an active sampler are harder than random ones, so their "
            f"error is higher; chance is {score.CHANCE:g}."
        )


def _uncertainty(context: Context, plan: Comparison) -> None:
    if not (box := panels.folded("Average uncertainty by dimensions", "compare.uncertainty")):
        return
    with box:
        st.caption(
            "Mean probability that the maps order two distances wrongly, as published (Lohaus et "
            "al., 2019). With the bootstrap, it is lowest near the true number of dimensions; from "
            "the posterior, it levels off there."
        )
        options = context.options("uncertainty_by_dimension", place="compare.uncertainty")
        pieces = [
            (type(method)(), "uncertainty_by_dimension", options)
            for method in plan.methods[:: plan.n_dimensions]
            if options["source"] == "bootstrap" or method.is_likelihood
        ]
        runs = context.results(
            "uncertainty", "Uncertainty by dimensions", pieces,
            "Computes many plausible maps in every number of dimensions, for every method above.",
        )
        if any(runs):
            context.present(*filter(None, runs))
