"""Which predictor adds something, and what several share."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from tripletscope.core.evaluation.units import over_units
from tripletscope.core.explaining.unique import UniqueParts
from tripletscope.dashboard import export
from tripletscope.dashboard.drawing.explaining import parts_of
from tripletscope.dashboard.figures.explaining import SCHEME_NAMES, interval_rows, rows_height
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.theme import Canvas, count, interval
from tripletscope.dashboard.views.features.context import PAGE, FeaturesContext, choose_spaces
from tripletscope.dashboard.views.page import tab

#: Predictors of which all subsets are tried.
MOST = 6


@tab(PAGE, "Unique and shared", 4, needs=choose_spaces, slot=f"{PAGE}.unique")
def show_unique(context: FeaturesContext) -> None:
    """A row for every predictor: what it explains alone, and what only it does."""
    context = context.without_doubles(whole=False)
    number = _number(context)
    fits = 2 <= number <= MOST
    picture, side = context.picture_and_side()
    run = None
    with side:
        if fits:
            run = context.result(
                "unique_parts", "Parting what features explain",
                "Predicts held-out choices by every subset of the predictors.",
            )
    with picture:
        if not fits:
            panels.empty(
                "Too many predictors" if number > MOST else "Only one predictor",
                f"{count(len(context.spaces), 'feature space')} {'is' if number < 2 else 'are'} "
                f"chosen. Choose two to {MOST} above: every subset of them is tried.",
            )
            return
        if run is None:
            context.empty(
                "Nothing has been computed yet",
                "Compute shows what each feature space explains alone, and what is lost without "
                "it.",
            )
            return
        _show(context, run.result())


def _number(context: FeaturesContext) -> int:
    """How many predictors there are: feature spaces, or the features of a single one."""
    if len(context.spaces) > 1:
        return len(context.spaces)
    features = len(context.spaces[0].names)
    return features if features <= MOST else 1


def _show(context: FeaturesContext, found: UniqueParts) -> None:
    scheme, table = parts_of(found)
    text = (
        f"Deviance of guessing that predictors explain on {SCHEME_NAMES[scheme]}, each alone and "
        "beyond all others, with 95 % intervals"
        f" over objects and, at once,{over_units(found.unit, found.n_units)}. {context.size}"
    )

    def draw(canvas: Canvas) -> Any:
        return interval_rows(table, value="deviance explained", caption=text, canvas=canvas)

    panels.figure_panel(
        context.session, draw, key=f"{PAGE}.unique", caption=text,
        alt=f"Parts explained by {count(len(found.predictors), 'predictor')}. {text}",
        canvas=Canvas(900.0, rows_height(1.5 * len(found.predictors) + 1)), table=lambda: table,
        name=export.file_name(context.info.name, "features", "unique"),
    )
    for sentence in verdicts(found, scheme):
        st.markdown(f"- {panels.plain(sentence)}")
    with st.expander("Every subset"):
        st.dataframe(
            _subsets(found, scheme), hide_index=True, placeholder="", key=f"{PAGE}.subsets",
            column_config={
                name: st.column_config.NumberColumn(format="%.3f")
                for name in ("explained", "accuracy", "in common alone", "from", "to")
            },
        )
    for note in found.notes:
        st.caption(panels.plain(note))


def verdicts(found: UniqueParts, scheme: str) -> list[str]:
    """What the parts say, as sentences."""
    k = found.schemes.index(scheme)
    total = interval(found.total[k], found.total_low[k], found.total_high[k])
    if found.total_low[k] <= 0:
        return [f"Together they are not seen to explain more than chance: {total} of the deviance."]
    said = [f"Together they explain {total} of the deviance of guessing."]
    adds = [
        f"{name} {interval(found.unique[i, k], found.unique_low[i, k], found.unique_high[i, k])}"
        for i, name in enumerate(found.predictors) if found.adds[i, k]
    ]
    rest = [name for i, name in enumerate(found.predictors) if not found.adds[i, k]]
    said.append(
        f"Adds something that the others do not have: {', '.join(adds)}." if adds else
        "None is seen to add anything to the others."
    )
    if rest and adds:
        said.append(f"Not seen to add anything to the others: {', '.join(rest)}.")
    joint = interval(found.joint[k], found.joint_low[k], found.joint_high[k])
    said.append(
        f"Predictors help each other: together they explain more than the sum of unique parts "
        f"allows (shared {joint})." if found.joint_high[k] < 0 else
        f"Shared by several, each of which would do: {joint}."
    )
    return said


def _subsets(found: UniqueParts, scheme: str) -> pd.DataFrame:
    k = found.schemes.index(scheme)
    return pd.DataFrame({
        "predictors": [
            ", ".join(name for name, there in zip(found.predictors, subset, strict=True) if there)
            for subset in found.subsets
        ],
        "explained": found.explained[:, k], "accuracy": found.subset_accuracy[:, k],
        "in common alone": found.common[:, k], "from": found.common_low[:, k],
        "to": found.common_high[:, k],
    })
