"""Two trees of the same objects facing each other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import streamlit as st

from tripletscope.core.engine.method import methods
from tripletscope.core.similarity.clusters import AgglomerativeClustering, ComparisonLinkage
from tripletscope.core.similarity.clusters.clustering import Hierarchy
from tripletscope.core.similarity.clusters.dendrogram import Dendrogram
from tripletscope.core.similarity.clusters.tanglegram import Tanglegram, untangle
from tripletscope.dashboard.figures.dendrogram import Rows
from tripletscope.dashboard.figures.tanglegram import screen_height, tanglegram
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.store.dataset import edition_of
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.choosing import names_of
from tripletscope.dashboard.ui.controls import pick
from tripletscope.dashboard.ui.page import tab
from tripletscope.dashboard.ui.shown_clustering import PAGE, ShownClustering
from tripletscope.dashboard.words.formats import count
from tripletscope.pages.clusters.choosing import choose_clustering
from tripletscope.pages.clusters.tree import pick_rows

_WIDTH = 900.0


@tab(PAGE, "Tanglegram", 4, needs=choose_clustering)
def show_two_trees(shown: ShownClustering) -> None:
    """The shown tree beside another one."""
    info = shown.info
    others = {
        run.key: run for run in services().workspace.runs(info.id, "fit", "cluster")
        if run.key != shown.run.key
        and issubclass(methods("cluster")[run.record["method"]], Hierarchy)
    }
    if shown.tree is None:
        with shown.picture:
            panels.empty(
                "This clustering has no tree",
                "Choose one with a tree on the right, or compute one under “Clusters”: "
                f"{AgglomerativeClustering.title} or {ComparisonLinkage.title}.",
            )
        return
    with shown.side:
        if others:
            chosen = pick(
                shown.session, f"{PAGE}.other@{info.id}", "Compare with",
                names_of(list(others.values())),
            )
        else:
            other = _suggested(shown)
            shown.compute_button(
                f"{PAGE}.other.run", other.title, [(other, "fit", {})],
                f"Computes a second tree: {other.title.lower()}, {other.linkage} linkage.",
            )
    if not others:
        with shown.picture:
            panels.empty(
                "There is only one tree",
                f"Compute makes a second one, by {other.linkage} linkage. Any other can be "
                "computed under “Clusters”.",
            )
        return
    run = services().workspace.run(info.id, chosen)
    second = replace(shown, run=run, name=others[chosen].name)
    if second.tree is None:
        with shown.picture:
            st.caption("The other tree has only one leaf.")
        return
    with shown.side:
        most = pick_rows(shown)
    with shown.picture:
        _draw(shown, second, most)


def _suggested(shown: ShownClustering) -> AgglomerativeClustering:
    """Another tree worth comparing with."""
    basis = getattr(shown.fitted, "basis", None)
    same = isinstance(shown.fitted, AgglomerativeClustering) and shown.fitted.linkage == "average"
    return AgglomerativeClustering(basis=basis, linkage="complete" if same else "average")


@st.cache_data(max_entries=16, show_spinner="Aligning the trees")
def _untangled(keys: tuple[tuple, tuple], _first: Dendrogram, _second: Dendrogram) -> Tanglegram:
    return untangle(_first, _second)


def _draw(shown: ShownClustering, second: ShownClustering, most: int) -> None:
    pair = _untangled((edition_of(shown.run), edition_of(second.run)), shown.tree, second.tree)
    verdict = (
        f"Of {pair.pairs:,} pairs of lines, {pair.crossings:,} cross (entanglement "
        f"{100 * pair.entanglement:.1f} %; 0 % if both have the same leaf order)."
    )
    text = (
        f"Left: {shown.caption()} Right: {second.caption()} Colours show the clusters on the left, "
        f"also for branches on the right with objects of only one. {verdict}"
    )
    n = max(pair.first.n_leaves, pair.second.n_leaves)
    if most < n:
        text += f" Branches that merge first are collapsed, down to {most} rows."
    height = screen_height(Rows(pair.first, most), Rows(pair.second, most))
    shown.figure(Drawing(
        "two-trees", "Two trees", text, f"Two trees of {count(n, 'object')}. {text}",
        height / _WIDTH, lambda canvas: tanglegram(
            pair, shown.triplets.objects, shown.clusters, titles=(shown.name, second.name),
            most=most, selected=shown.selected, caption=text,
            revision=f"{shown.run.key} {second.run.key}", canvas=canvas,
        ), lambda: places(pair, shown.triplets.objects), picks=True,
    ))


def places(pair: Tanglegram, objects: pd.DataFrame) -> pd.DataFrame:
    """Where every object stands in both trees, from above; missing where it has no leaf."""
    table = objects[["id", "label"]].copy()
    for name, tree in (("left", pair.first), ("right", pair.second)):
        place = pd.Series(np.arange(tree.n_leaves), tree.order, dtype="Int64")
        table[name] = place.reindex(range(len(objects))).to_numpy()
    table = table[table[["left", "right"]].notna().any(axis=1)]
    return table.sort_values("left", kind="stable")
