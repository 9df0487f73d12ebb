"""Clusters against a column of the table of objects."""

from __future__ import annotations

from functools import partial

import pandas as pd

from tripletscope.core.data.errors import DataError
from tripletscope.core.similarity.clusters.agreement import agreement_curve, label_agreement
from tripletscope.dashboard.figures.colours import is_quantity
from tripletscope.dashboard.results import TreeLook
from tripletscope.dashboard.results.clusters import labels_of
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.controls import button, parameter_form, pick
from tripletscope.dashboard.ui.elements import show_error
from tripletscope.dashboard.ui.page import link_to, tab
from tripletscope.dashboard.ui.shown_clustering import PAGE, ShownClustering
from tripletscope.pages.clusters.choosing import choose_clustering


@tab(PAGE, "Agreement with labels", 3, needs=choose_clustering)
def show_agreement(shown: ShownClustering) -> None:
    """Purity, adjusted Rand index, mutual information and the cross table."""
    objects = shown.triplets.objects
    columns = label_columns(objects)
    with shown.picture:
        if not columns:
            panels.empty(
                "There is no column of labels",
                "Add stimulus metadata with a class, category or group on the page Data.",
            )
            link_to("data")
            return
    with shown.side:
        column = pick(
            shown.session, f"{PAGE}.label@{shown.info.id}", "Labels",
            {name: name for name in columns},
            help="Categorical columns of the stimulus metadata.",
        )
        if shown.tree is not None:
            shown.ask_for_number(f"{PAGE}.label.number@{shown.run.key}")
            kinds = objects.loc[shown.clusters >= 0, column].nunique()
            button(
                f"As many as labels: {kinds:,}", key=f"{PAGE}.label.same", width="stretch",
                why="" if kinds not in (0, shown.n_clusters) else
                "There are as many now." if kinds else "No object has a label.",
                on_click=shown.cut_into, args=(kinds,),
            )
    with shown.picture:
        try:
            agreement = label_agreement(shown.clusters, objects[column])
        except DataError as error:
            show_error(error)
            return
        shown.present(
            agreement, beside=[shown.run], by=partial(labels_of, column=column),
            looks={shown.run.key: TreeLook(shown.n_clusters)},
        )
        _curve(shown, column)


def _curve(shown: ShownClustering, column: str) -> None:
    if not shown.is_of_answers:
        return
    with shown.side:
        options = parameter_form(
            shown.session, agreement_curve, f"{PAGE}.agreement", hidden=("labels",),
            folded="Number of answers",
        ) | {"labels": column}
        run = shown.result(
            shown.any_number, "agreement_curve",
            "Clusters random subsets of the answers, to show how many are needed for agreement "
            "with the labels.", options=options, label="By number of answers",
        )
    if run is not None:
        shown.present(run)


def label_columns(objects: pd.DataFrame) -> list[str]:
    """Columns that name categories of objects."""
    return [
        name for name in objects.columns
        if name not in ("id", "label", "image") and not is_quantity(objects[name])
        and 2 <= objects[name].nunique() < len(objects)
    ]
