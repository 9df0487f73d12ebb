"""A column of the objects, predicted by comparison forests."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from tripletscope.core.run import Run
from tripletscope.core.trees import ComparisonForest
from tripletscope.core.trees.prediction import grown_forest
from tripletscope.dashboard.figures.colours import is_quantity
from tripletscope.dashboard.figures.labels import short_labels
from tripletscope.dashboard.figures.matrix import most_similar
from tripletscope.dashboard.files import export
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.store.dataset import edition_of
from tripletscope.dashboard.ui.elements import csv_button
from tripletscope.dashboard.ui.looks import noted_look
from tripletscope.dashboard.ui.page import tab
from tripletscope.dashboard.ui.task import show_task
from tripletscope.dashboard.words.formats import count
from tripletscope.pages.trees.tree_context import PAGE, TreeContext, choose_space

_MOST_PIVOTS = 20


def _nothing_to_predict(context: TreeContext) -> tuple[str, str] | None:
    if context.explained:
        return None
    return (
        "There is nothing to predict",
        "Forests predict a column of the stimulus metadata"
        f"{' that is no feature' if context.has_features else ''}. Add one on the page Data.",
    )


def _kind(context: TreeContext) -> dict[str, Any]:
    """Whether a column is predicted as numbers or as classes."""
    return {"kind": lambda options: (
        "numbers" if is_quantity(context.triplets.objects[options["column"]]) else "classes"
    )}


def _forest(context: TreeContext, run: Run) -> None:
    """What a forest of all objects says: which pivots matter, and who shares leaves."""
    errors, options = run.result(), run.options
    if errors.best is None:
        return
    a, b = noted_look(context, run).of(errors)
    leaf_size, n_trees = int(errors.leaf_sizes[a]), int(errors.n_trees[b])
    settings = {name: options[name] for name in ("kind", "answers", "max_samples", "seed")}
    forest, objects = _grown_forest(
        (edition_of(context.fit), context.triplets.fingerprint), context, options["column"],
        **settings, leaf_size=leaf_size, n_estimators=n_trees,
    )
    importance = forest.pivot_importances_
    order = np.argsort(-importance, kind="stable")[:_MOST_PIVOTS]
    names, members = short_labels(context.triplets.labels), objects[order].tolist()
    ids = [context.triplets.ids[i] for i in objects]
    people = "" if options["answers"] == "fitted" else "the data, then "
    text = (
        f"The {count(len(order), 'pivot')} whose splits lower the "
        f"{'impurity of classes' if len(errors.classes) else 'variance'} most, in a forest of all "
        f"objects, leaf size {leaf_size}, {count(n_trees, 'tree')}. {options['column']}, answered "
        f"by {people}{context.source}. {context.about}"
    )

    def table() -> pd.DataFrame:
        rows = pd.DataFrame({"id": ids, "importance": importance})
        return rows.sort_values("importance", ascending=False)

    def proximities() -> pd.DataFrame:
        matrix = pd.DataFrame(forest.proximity(), index=ids, columns=ids)
        return matrix.rename_axis("id").reset_index()

    def further() -> None:
        csv_button(
            "Proximities (CSV)", proximities,
            export.file_name(context.info.name, options["column"], "proximities"),
            "trees.proximities.csv", icon=":material/grid_on:",
            help="How often any two objects share a leaf: a similarity matrix.",
        )

    st.header("Important pivots", anchor=False)
    context.figure(Drawing(
        "pivots", "Important pivots", text, text, 0.53, lambda canvas: most_similar(
            importance[order], [names[i] for i in members], members,
            title="share of the reduction", caption=text, canvas=canvas,
        ), table, picks=True, saved_as=f"{options['column']}-pivots",
    ), further=further)


@st.cache_resource(max_entries=8, show_spinner="Growing the forest")
def _grown_forest(
    content: tuple[tuple, str], _context: TreeContext, column: str, **settings: Any
) -> tuple[ComparisonForest, np.ndarray]:
    return grown_forest(_context.fitted, _context.triplets, column, **settings)


@tab(PAGE, "Prediction", 3, needs=choose_space)
def show_prediction(context: TreeContext) -> None:
    """Errors of forests by leaf size and number of trees, and the forest of the best."""
    show_task(
        context, "predict_column", refused=_nothing_to_predict(context),
        given=lambda method: _kind(context), columns={"objects": context.explained},
        after=partial(_forest, context),
        about="Predicts held-out values with several leaf sizes and numbers of trees.",
        promise="Compute shows how well a forest predicts a column of held-out objects from "
        f"comparisons alone, next to methods that see {context.source}.",
    )
