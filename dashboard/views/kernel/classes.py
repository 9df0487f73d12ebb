"""How well a kernel tells the objects' labels apart."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from tripletscope.core.kernel.classification import Classification, classify
from tripletscope.dashboard import export
from tripletscope.dashboard.figures.colours import is_quantity
from tripletscope.dashboard.figures.observers import square_matrix
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.controls import parameter_form
from tripletscope.dashboard.interface.theme import Canvas, count
from tripletscope.dashboard.views.kernel.context import PAGE, KernelContext, choose_kernel
from tripletscope.dashboard.views.page import tab

_SQUARE = Canvas(640.0, 480.0)


@tab(PAGE, "Classes", 4, needs=choose_kernel)
def show_classes(here: KernelContext) -> None:
    """Error and confusions of a classifier on held-out labels."""
    columns = [c for c in here.columns if not is_quantity(here.triplets.objects[c])]
    if not columns:
        with here.picture:
            panels.empty(
                "There are no labels",
                "Classes are learned from a categorical column of the stimulus metadata. Add one "
                "on the page Data.",
            )
        return
    with here.side:
        options = parameter_form(
            here.session, classify, f"{PAGE}.classify", columns={"objects": columns}
        )
    run = here.computed(
        "classify", options, "Predicts held-out labels; hyperparameters are chosen on inner folds."
    )
    with here.picture:
        if run is None:
            here.empty(
                "Nothing has been computed yet",
                "Compute shows how well labels are predicted from similarities to labelled "
                "objects.",
            )
            return
        _confusions(here, run.options, run.result())


def _confusions(
    here: KernelContext, options: dict[str, Any], found: Classification
) -> None:
    names = [str(name) for name in found.classes]
    counts = found.confusion
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    known = int((found.truth >= 0).sum())
    repeats, folds = found.fold_errors.shape
    st.markdown(panels.plain(
        f"{100 * found.error:.1f} % of the labels in {options['labels']} are predicted wrongly "
        f"(standard error {100 * found.standard_error:.1f} %, over {count(repeats, 'repeat')} of "
        f"{folds} folds, allowing for the objects that they share); always predicting the most "
        f"frequent one errs in {100 * found.chance:.1f} %."
    ))
    text = (
        f"{here.about} Labels {options['labels']} of {count(known, 'object')}, "
        f"{'support vector machine' if options['algorithm'] == 'svm' else 'nearest neighbours'}, "
        f"{folds} folds{', the first repeat' if repeats > 1 else ''}. Rows: true label; columns: "
        "predicted."
    )

    def draw(canvas: Canvas) -> Any:
        return square_matrix(
            shares, names, title="proportion of the row", across="predicted", down="true",
            limits=(0.0, 1.0), caption=text, canvas=canvas,
        )

    def table() -> pd.DataFrame:
        return pd.DataFrame(counts, index=names, columns=names).rename_axis("true").reset_index()

    panels.figure_panel(
        here.session, draw, key="kernel.confusions", alt=text, canvas=_SQUARE, caption=text,
        name=export.file_name(here.info.name, "confusions"), table=table,
    )
    _wrong(here, found, names)


def _wrong(here: KernelContext, found: Classification, names: list[str]) -> None:
    """Whose labels were predicted wrongly, by name."""
    wrong = np.flatnonzero((found.truth >= 0) & (found.predicted != found.truth))
    if not len(wrong):
        return
    st.markdown(f"**{count(len(wrong), 'object')} predicted wrongly**")
    st.dataframe(
        pd.DataFrame({
            "object": [here.triplets.labels[i] for i in wrong],
            "true": [names[k] for k in found.truth[wrong]],
            "predicted": [names[k] for k in found.predicted[wrong]],
        }),
        hide_index=True, placeholder="", key="kernel.wrong", height=min(38 + 35 * len(wrong), 300),
    )
    st.button(
        "Select them", key="kernel.wrong.select",
        on_click=here.session.select_positions, args=(wrong.tolist(),),
    )
