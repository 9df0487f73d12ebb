"""What each named feature counts."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from tripletscope.core.evaluation.units import over_units
from tripletscope.core.explaining.weights import FOR_EACH, MOST, FeatureWeights
from tripletscope.dashboard import export
from tripletscope.dashboard.drawing.explaining import shares_of
from tripletscope.dashboard.figures.explaining import interval_rows, rows_height
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.theme import Canvas, count
from tripletscope.dashboard.views.features.context import PAGE, FeaturesContext, choose_spaces
from tripletscope.dashboard.views.page import tab

_WINDOW = 720
#: Features that are named as those that count most.
_FEW = 3


@tab(PAGE, "Weights", 2, needs=choose_spaces, slot=f"{PAGE}.weights")
def show_weights(context: FeaturesContext) -> None:
    """A row for every feature, with the interval of its share."""
    context = context.without_doubles(whole=True)
    features = sum(len(space.names) for space in context.spaces)
    fits = features <= MOST and len(context.answers) >= FOR_EACH * features
    picture, side = context.picture_and_side()
    run = None
    with side:
        if fits:
            run = context.result(
                "feature_weights", "Weighing features",
                "Finds the weights under which the answers are most likely, for the answers and "
                "for bootstrap replicates.",
            )
    with picture:
        if not fits:
            panels.empty(
                "Too many features to weigh each",
                f"{count(features, 'feature')} are chosen. At most {MOST} can be weighed, with "
                f"{FOR_EACH} answers for each: choose other feature spaces above. Tables of many "
                "columns are weighted under Accuracy, where a penalty helps.",
            )
            return
        if run is None:
            context.empty(
                "Nothing has been computed yet",
                "Compute shows what each feature counts beside the others, with its interval.",
            )
            return
        _show(context, run.result())


def _show(context: FeaturesContext, found: FeatureWeights) -> None:
    table = shares_of(found)
    text = (
        "Share of each feature in what decides a choice, weights of 0 or more, with 95 % "
        f"intervals from {len(found.samples):,} bootstrap replicates"
        f"{over_units(found.unit, found.n_units)}. {context.size}"
    )

    def draw(canvas: Canvas) -> Any:
        return interval_rows(
            table, value="share of the weights", caption=text, canvas=canvas
        )

    panels.figure_panel(
        context.session, draw, key=f"{PAGE}.weights", caption=text, window=_WINDOW,
        alt=f"Weights of {count(len(table), 'feature')}. {text}",
        canvas=Canvas(900.0, rows_height(len(table))), table=lambda: table,
        name=export.file_name(context.info.name, "features", "weights"),
    )
    for sentence in verdicts(found):
        st.markdown(f"- {panels.plain(sentence)}")


def verdicts(found: FeatureWeights) -> list[str]:
    """What the weights say, as sentences."""
    if len(found.features) == 1:
        return ["There is only one feature, which has all the weight. Choose several to compare "
                "them."]
    order = np.argsort(-found.share, kind="stable")
    counts = [k for k in order if not found.is_zero[k]]
    said = []
    if counts:
        named = ", ".join(
            f"{found.features[k]} {found.share[k]:.2f} "
            f"[{found.share_low[k]:.2f}, {found.share_high[k]:.2f}]" for k in counts[:_FEW]
        )
        more = f", and {len(counts) - _FEW} more" if len(counts) > _FEW else ""
        said.append(f"What counts: {named}{more}.")
    nothing = [found.features[k] for k in order if found.is_zero[k]]
    if nothing:
        said.append(
            f"Not seen to count beside the others: {', '.join(nothing[:10])}"
            + (f" and {len(nothing) - 10} more." if len(nothing) > 10 else ".")
        )
    said.append(
        "Features that go together share their weight in no certain way: Unique and shared says "
        "what each adds."
    )
    return said
