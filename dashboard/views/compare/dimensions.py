"""Held-out error by method and number of dimensions, and what it suggests."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.method import Method, methods
from tripletscope.core.inference.evaluation.ceiling import Ceiling
from tripletscope.core.inference.evaluation.compare import Suggestion
from tripletscope.core.inference.evaluation.paired import behind_best
from tripletscope.core.inference.evaluation.score import (
    CHANCE,
    ErrorEstimate,
    cross_validate,
    errors_by,
    has_split,
    n_groups,
)
from tripletscope.core.inference.uncertainty import uncertainty_by_dimension
from tripletscope.core.models.embedding.default import DEFAULT_EMBEDDING
from tripletscope.core.run import Run, key
from tripletscope.dashboard import analysis, export
from tripletscope.dashboard.figures.curves import dimension_curves
from tripletscope.dashboard.figures.labels import short_people
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.controls import number, parameter_form, pick, several
from tripletscope.dashboard.interface.theme import WIDE, Canvas
from tripletscope.dashboard.keeping.catalogue import DatasetInfo
from tripletscope.dashboard.keeping.services import services
from tripletscope.dashboard.results.curves import methods_said
from tripletscope.dashboard.results.quality import ceiling_said, of_choices
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.views.choosing import dividing_columns
from tripletscope.dashboard.views.compare.comparing import PAGE, ceiling_of, choices_of
from tripletscope.dashboard.views.compare.recommending import (
    DIMENSIONS,
    USUAL_METHODS,
    Comparison,
    in_words,
    recommended,
    standing,
)
from tripletscope.dashboard.views.page import Context, tab
from tripletscope.dashboard.wording import ENGLISH

#: Without being asked for: up to so many answers, in so many dimensions.
_QUICK, _FEW = 50_000, 3
_LOW = Canvas(900.0, 260.0)
_TESTS = (
    "Methods and dimensions are compared by their errors on the same answers in the same folds, "
    "by a paired t test over participants where eight or more are known, else over folds (Nadeau "
    "and Bengio, 2003), with Holm's correction, at 5 %."
)
_COLUMNS = [
    "method", "dimensions", "held-out error", "low", "high", "training error",
    "loss per answer", "starts at the best", "iterations", "seconds",
]
#: By how much each row's error is above the lowest one.
_BEHIND = ["behind the best", "behind, low", "behind, high", "p"]


def _plan(current: Session, triplets: Triplets) -> Comparison:
    known = {name: method.title for name, method in methods("embedding").items()}
    several(
        current, "compare.methods", "Methods", known, default=USUAL_METHODS,
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
    if has_split(triplets):
        schemes["split_error"] = "The data's own test answers"
    scheme = "cross_validate"
    with st.expander("Error estimation"):
        if len(schemes) > 1:
            scheme = pick(current, "compare.scheme", "Held-out error", schemes)
        if scheme == "cross_validate":
            parameter_form(current, cross_validate, "compare.cross_validate")
    return standing(current, triplets)


@tab(PAGE, "Methods and dimensions", 1)
def show_dimensions(context: Context) -> None:
    picture, side = context.picture_and_side()
    with side:
        plan = _plan(context.session, context.triplets)
        there = {run.key for run in services().workspace.runs(context.info.id) if run.complete}
        missing = [
            (method, task, options) for method, task, options in plan.pieces
            if key(task, method, context.triplets, options) not in there
        ]
        context.compute_button(
            "compare.run", "Comparing methods", missing,
            "Fits every method in every number of dimensions and measures its error on held-out "
            "answers. Results that exist are not computed again.",
        )
        if missing and len(missing) < len(plan.pieces):
            done = len(plan.pieces) - len(missing)
            st.caption(
                f"{done} of {len(plan.pieces)} computations are done. Compute does the others."
            )
    first = _first_look(context, plan)
    if context.job is None and first and not plan.estimates(context.info, context.triplets):
        context.submit(f"Comparing dimensions: {context.info.name}", first)
        st.rerun()
    with picture:
        known = plan.estimates(context.info, context.triplets)  # results may arrive meanwhile
        table, estimates = _collected(context.info, context.triplets, plan, known)
        if table.empty or table["held-out error"].isna().all():
            context.empty(
                "Nothing has been computed yet",
                "Choose methods and numbers of dimensions, then Compute. The curves appear as they "
                "are computed.",
            )
            return
        found = recommended(known, context.triplets, plan.ratio)
        suggestions = {name: suggestion for name, (suggestion, _) in found.items()}
        ceiling = ceiling_of(context.triplets)
        _error_figure(context, table, estimates.values(), suggestions, ceiling)
    for name, said in found.items():
        st.markdown(panels.marked(in_words(name, *said)))
    for sentence in _of_methods(context.triplets, plan, suggestions, estimates):
        st.markdown(panels.marked(sentence))
    said = (ceiling_said(ENGLISH, ceiling), *(
        of_choices(ENGLISH, choice) for choice in choices_of(context.triplets)
    ))
    st.caption(panels.marked(f"{' '.join(said)} {_TESTS}"))
    _summary_table(table, "computing" if context.waiting else "")
    _by_group(context.session, context.triplets, estimates)
    _uncertainty_figure(context, plan)
    _loss_figure(context, table)


def _first_look(context: Context, plan: Comparison) -> list[analysis.Piece]:
    """What of a plan is computed without being asked for, as it takes seconds.

    The usual method in few dimensions; nothing where there are many answers, or too few to divide.
    """
    if len(context.triplets) > _QUICK:
        return []
    if plan.scheme == "cross_validate" and n_groups(context.triplets) < plan.options["folds"]:
        return []
    return [
        piece for piece in plan.pieces
        if isinstance(piece[0], DEFAULT_EMBEDDING) and piece[0].n_components <= _FEW
    ]


def _of_methods(
    triplets: Triplets, plan: Comparison, suggestions: dict[str, Suggestion],
    estimates: dict[str, ErrorEstimate],
) -> list[str]:
    """Which method predicts best, each in the number of dimensions recommended for it."""
    chosen = {}
    for method in plan.methods:
        suggestion = suggestions.get(method.title)
        if suggestion is not None and suggestion.n_components == method.n_components:
            name = f"{method.title} ({method.n_components}D)"
            chosen[name] = estimates[analysis.describe(method)]
    for method in plan.others:
        if analysis.describe(method) in estimates:
            chosen[method.title] = estimates[analysis.describe(method)]
    if not chosen:
        return []
    best, behind = behind_best(chosen, triplets, plan.ratio, any_pair=True)
    return list(methods_said(ENGLISH, best, behind))


def _collected(
    info: DatasetInfo, triplets: Triplets, plan: Comparison,
    known: Sequence[tuple[Method, ErrorEstimate]],
) -> tuple[pd.DataFrame, dict[str, ErrorEstimate]]:
    """What is there of a plan: a table of what was fitted, and the estimates by name."""
    rows: list[dict[str, Any]] = []
    estimates = {analysis.describe(method): estimate for method, estimate in known}
    names = []
    for method in (*plan.methods, *plan.others):
        fit = analysis.find(info, triplets, method, "fit")
        if fit is None or not fit.complete:
            continue
        row = {"method": method.title, "seconds": fit.seconds} | _of_map(fit, triplets)
        estimate = estimates.get(analysis.describe(method))
        if estimate is not None:
            row |= {"held-out error": estimate.error, "low": estimate.low, "high": estimate.high}
            row |= {
                f"{choice.kind}, right": choice.accuracy.value
                for choice in choices_of(triplets, analysis.describe(method), estimate)
                if choice.accuracy
            }
        rows.append(row)
        names.append(analysis.describe(method))
    # Accuracies of choices are columns of their own, where there are such choices.
    more = dict.fromkeys(name for row in rows for name in row if name not in _COLUMNS)
    table = pd.DataFrame(rows, columns=[*_COLUMNS, *more]).assign(**dict.fromkeys(_BEHIND, np.nan))
    if estimates:
        for name, apart in behind_best(estimates, triplets, plan.ratio)[1].items():
            if name in names:
                table.loc[names.index(name), _BEHIND] = (
                    apart.difference, apart.low, apart.high, apart.p
                )
    return table, estimates


def _of_map(fit: Run, triplets: Triplets) -> dict[str, Any]:
    """What there is to say of a map, and not of a kernel or of clusters."""
    if fit.kind != "embedding":
        return {}
    return {
        "dimensions": fit.parameters["n_components"],
        "training error": fit.numbers["triplet_error_"],
        "loss per answer": fit.numbers["loss_"] / (triplets.weight.sum() or 1.0),
        "iterations": fit.numbers["n_iter_"], "starts at the best": _stability(fit),
    }


def _stability(fit: Run) -> float:
    """Share of the starts that reached the lowest loss, to one in a thousand."""
    losses = fit.arrays["losses_"]
    return float(np.mean(losses <= losses.min() + 1e-3 * abs(losses.min())))


def _error_figure(
    context: Context, table: pd.DataFrame, estimates: Iterable[ErrorEstimate],
    suggestions: dict[str, Suggestion], ceiling: Ceiling,
) -> None:
    marked = {name: s.n_components for name, s in suggestions.items()}
    of_map = table["dimensions"].notna()
    levels = dict(table.loc[~of_map, ["method", "held-out error"]].dropna().to_numpy())
    shown = table.loc[of_map, "method"].unique()  # a single line has no legend
    text = (
        f"{context.size} {f'{shown[0]}: error' if len(shown) == 1 else 'Error'} on held-out "
        "answers, with 95 % intervals"
        f"{ENGLISH.over_each(estimate.n_units for estimate in estimates)}."
    )
    if ceiling.is_precise:
        text += " Band: the noise ceiling, from its lower to its upper bound."
    if marked:
        text += (
            " Circled: the fewest dimensions whose error is above the lowest by no more than one "
            "standard error, nor than one point."
        )

    def draw(canvas: Canvas) -> Any:
        return dimension_curves(
            table[of_map], ceiling=ceiling, marked=marked, levels=levels,
            caption=text, canvas=canvas,
        )

    panels.figure_panel(
        context.session, draw, key="compare.errors", alt=f"Held-out error by dimensions. {text}",
        name=export.file_name(context.info.name, "methods", "dimensions"), table=lambda: table,
        canvas=WIDE, caption=text,
    )


def _summary_table(table: pd.DataFrame, missing: str) -> None:
    """All numbers; in the place of those that are not there, a word."""
    shown = table.sort_values("held-out error")
    choices = [name for name in shown if name.endswith(", right")]
    percent = shown.assign(**{
        name: 100 * shown[name] for name in ("starts at the best", *_BEHIND[:3], *choices)
    })
    st.dataframe(
        percent, hide_index=True, key="compare.table", placeholder=missing,
        column_config={
            **{name: st.column_config.NumberColumn(format="%.3f")
               for name in ("held-out error", "low", "high", "training error")},
            **{name: st.column_config.NumberColumn(
                format="%.1f %%", help="Proportion of whole held-out trials that are predicted.",
            ) for name in choices},
            **{name: st.column_config.NumberColumn(
                f"{name} (points)", format="%.1f",
                help="Paired difference to the lowest error, with its 95 % interval.",
            ) for name in _BEHIND[:3]},
            "p": st.column_config.NumberColumn(
                format="%.2g", help="Paired test against the lowest error, with Holm's correction.",
            ),
            "dimensions": st.column_config.NumberColumn(format="%d"),
            "iterations": st.column_config.NumberColumn(format="%d"),
            "loss per answer": st.column_config.NumberColumn(
                format="%.4g", help="Not comparable between methods."
            ),
            "seconds": st.column_config.NumberColumn(
                format="%.2f", help="Of the fit to all answers, with all restarts."
            ),
            "starts at the best": st.column_config.ProgressColumn(
                "restarts at the lowest loss", format="%.0f %%", min_value=0.0, max_value=100.0,
                help="Restarts within 0.1 % of the lowest loss.",
            ),
        },
    )


def _by_group(
    current: Session, triplets: Triplets, estimates: dict[str, ErrorEstimate]
) -> None:
    names = dividing_columns(triplets.answers)
    columns = {name: name for name in sorted(names, key=lambda name: name == "participant")}
    if not columns or not estimates:
        return
    with st.expander(f"Error by {panels.plain(', '.join(columns))}"):
        left, right = st.columns(2)
        with left:
            column = pick(current, "compare.group", "By", columns)
        with right:
            name = pick(current, "compare.group.of", "Of", {n: n for n in estimates})
        found = errors_by(estimates[name], triplets, column)
        if column in found:
            short = short_people([str(value) for value in found[column]])
            found = found.assign(**{column: list(short.values())})
        st.dataframe(
            found.sort_values("error", ascending=False), hide_index=True, placeholder="",
            key="compare.groups",
            column_config={n: st.column_config.NumberColumn(format="%.3f")
                           for n in ("error", "low", "high")},
        )
        st.caption(
            f"The intervals are{ENGLISH.over_each(found['participants'])}, and take the maps as "
            "given. Questions selected by an active sampler are harder than random ones, so that "
            f"their error is higher; chance is {CHANCE:g}."
        )


def _uncertainty_figure(
    context: Context, plan: Comparison
) -> None:
    with st.expander("Average uncertainty by dimensions"):
        st.caption(
            "How likely the maps order two distances wrongly, on average over all comparisons, as "
            "published (Lohaus et al., 2019). With the bootstrap it is lowest near the "
            "true number of dimensions; from the posterior it levels off there."
        )
        options = parameter_form(context.session, uncertainty_by_dimension, "compare.uncertainty")
        found = {
            type(method)(): context.find(type(method)(), "uncertainty_by_dimension", options)
            for method in plan.methods[:: plan.n_dimensions]
            if options["source"] == "bootstrap" or method.is_likelihood
        }
        context.compute_button(
            "compare.uncertainty.run", "Uncertainty by dimensions",
            [(m, "uncertainty_by_dimension", options) for m, run in found.items() if run is None],
            "Computes many plausible maps in every number of dimensions, for every method above.",
        )
        runs = [run for run in found.values() if run]
        if runs:
            context.present(*runs)


def _loss_figure(context: Context, table: pd.DataFrame) -> None:
    with st.expander("Training loss by dimensions"):
        # Losses of different methods have different units: each is shown by its share.
        table = table[table["dimensions"].notna()]
        first = table.groupby("method")["loss per answer"].transform("max")
        relative = table.assign(**{"training loss, share of its highest":
                                   table["loss per answer"] / first})
        relative = relative.drop(columns=["low", "high"])
        text = (
            f"{context.info.name}. The loss falls with every dimension, so it cannot be used to "
            "choose their number."
        )

        def draw(canvas: Canvas) -> Any:
            return dimension_curves(
                relative, value="training loss, share of its highest", caption=text,
                canvas=canvas,
            )

        panels.figure_panel(
            context.session, draw, key="compare.losses", alt=text, canvas=_LOW, caption=text,
            name=export.file_name(context.info.name, "methods", "loss"), table=lambda: relative,
        )
