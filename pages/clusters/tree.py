"""The tree or the map of a clustering, its clusters and their members."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from tripletscope.core.engine.method import make_method
from tripletscope.core.models.embedding.ordinal import Embedding
from tripletscope.core.similarity.kernels import K1
from tripletscope.dashboard.figures.colours import look
from tripletscope.dashboard.figures.dendrogram import Rows, cluster_name
from tripletscope.dashboard.files import export
from tripletscope.dashboard.results.clusters import (
    TREE_WIDTH,
    by_size,
    clusters_said,
    memberships,
    on_map,
    tree_of,
    usual_rows,
)
from tripletscope.dashboard.state import widgets
from tripletscope.dashboard.store.dataset import edition_of
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui import analysis, panels
from tripletscope.dashboard.ui.controls import number, pick
from tripletscope.dashboard.ui.elements import csv_button, looks_row
from tripletscope.dashboard.ui.opened_map import opened_map
from tripletscope.dashboard.ui.page import tab
from tripletscope.dashboard.ui.pictures import picture_addresses, with_pictures
from tripletscope.dashboard.ui.shown_clustering import PAGE, ShownClustering
from tripletscope.dashboard.words.formats import count
from tripletscope.pages.clusters.choosing import make_clustering

#: Trees of so few leaves are always drawn whole.
_FEW = 30
#: More rows than this no browser draws in a reasonable time.
_MOST_ROWS = 3_000
_MEMBERS = 40  # named in the table of clusters


@tab(PAGE, "Clusters", 1, needs=make_clustering)
def show_tree(shown: ShownClustering) -> None:
    """Clusters as a tree or on a map, with tables of clusters and objects."""
    with shown.picture:
        with looks_row(shown.picture):
            way, ways = "map", {"tree": "Tree", "map": "Map"}
            if shown.tree is not None:
                way = pick(shown.session, f"{PAGE}.way", "Show", ways, width=110)
                _cut_controls(shown)
            folded = way == "tree" and shown.tree.n_leaves > _FEW
            with st.popover("Leaves") if folded else nullcontext():
                marks = _pick_marks(shown, way)
                rows = pick_rows(shown) if way == "tree" else 0
        said = list(clusters_said(shown.presented(), shown.run))
        panels.verdict(shown.session, said)
        if way == "tree":
            _draw_tree(shown, marks, rows)
        else:
            _draw_map(shown, marks)
        panels.explained(said[1:], (), PAGE)
    _cluster_table(shown)
    _object_table(shown)


def _cut_controls(shown: ShownClustering) -> None:
    shown.ask_for_number(f"{PAGE}.number@{shown.run.key}", width=130, help=_suggestion(shown))
    top, at = float(shown.tree.heights[-1]), round(shown.height, 6)
    height = st.number_input(
        "Cut at height", 0.0, max(1.05 * top, at), at, step=max(top / 50, 1e-6), format="%.4g",
        width=150, key=shown.session.key_following(f"{PAGE}.height@{shown.run.key}", at),
        help="Objects that merge below it form one cluster. You can drag the dashed line.",
    )
    if height != at:
        shown.cut_at(height)
        st.rerun()


def _suggestion(shown: ShownClustering) -> str:
    n_silhouettes = len(shown.fitted.silhouettes_)
    if not n_silhouettes:
        return "From 1 to the number of objects."
    return (
        f"Initially {shown.fitted.n_clusters_:,}, with the highest mean silhouette of 2 to "
        f"{n_silhouettes + 1}. See also “Number and stability”."
    )


def _pick_marks(shown: ShownClustering, way: str) -> str:
    options = {"labels": "Names"}
    n_pictures = len(picture_addresses(shown.info, shown.triplets.objects, 64))
    if n_pictures:
        options["pictures"] = "Pictures"
    if way == "map":
        options["points"] = "Points"
    elif shown.tree.n_leaves > _FEW:
        options["none"] = "All in view"
    return pick(
        shown.session, f"{PAGE}.marks.{way}@{shown.info.id}",
        "Shown as" if way == "tree" else "Objects", options,
        default="pictures" if 2 * n_pictures > shown.info.n_objects else "labels", width=130,
    )


def pick_rows(shown: ShownClustering) -> int:
    """How many rows of a tree are drawn."""
    m = shown.tree.n_leaves
    if m <= _FEW:
        return m
    usual = usual_rows(m)
    return number(
        shown.session, f"{PAGE}.rows@{shown.info.id}", "Max. leaves", 5, min(m, _MOST_ROWS),
        usual, step=10, width=150,
        help="Collapses branches that merge first into wedges with their number of objects, down "
        "to this many rows.",
    ) or usual


def _draw_tree(shown: ShownClustering, marks: str, most: int) -> None:
    drawing = tree_of(shown.presented(marks=marks, rows=most), shown.run)

    def picked(nodes: list[int], mode: str) -> None:
        shown.session.select_positions(members_of(drawing.rows, nodes), mode)

    if marks == "none":
        drawing = replace(drawing, ratio=min(drawing.ratio, 1.0))  # seen as a whole
    shown.figure(
        drawing, shown.run, wide=TREE_WIDTH, is_main=True, further=partial(_files, shown),
        on_pick=picked, on_move=lambda name, height: shown.cut_at(height),
        places=shown.tree.objects.tolist(),
        content=(edition_of(shown.run), shown.n_clusters, shown.height, shown.support, marks, most,
                 shown.info.pictures, shown.info.fingerprint, shown.selected, drawing.caption),
    )
    further = ""
    if shown.support is None and shown.is_of_answers:
        further = " “Compute” on “Number and stability” adds the support of branches."
    st.caption(
        "Click a branch, a wedge or a leaf to select its objects on every page; with Shift, to "
        "add them. Drag the dashed line to cut elsewhere. Draw a box to zoom, double-click to see "
        f"all.{further}"
    )


def members_of(rows: Rows, nodes: list[int]) -> list[int]:
    """Objects of picked nodes; where several were, those of leaves and wedges among them.

    A lasso that takes in a branch need not be meant for all that hangs on it.
    """
    ends = np.intersect1d(nodes, rows.nodes)
    chosen = ends.tolist() if len(nodes) > 1 and len(ends) else nodes
    return list(dict.fromkeys(int(i) for node in chosen for i in rows.tree.members(node)))


def _files(shown: ShownClustering) -> None:
    name = export.file_name(shown.info.name, shown.run.method)
    csv_button(
        "Memberships (CSV)", lambda: memberships(shown.presented(), shown.clusters),
        f"{name}-clusters", f"{PAGE}.memberships", icon=":material/table:",
    )
    if shown.tree is not None:
        st.download_button(
            "Newick", lambda: shown.tree.newick(shown.triplets.labels, shown.support),
            f"{name}.nwk", "text/plain", key=f"{PAGE}.newick", on_click="ignore",
            icon=":material/account_tree:",
            help="The tree for other programs, with branch lengths, and branch support where it "
            "was computed.",
        )


def ground(shown: ShownClustering) -> analysis.Piece:
    """What makes the map on which clusters are shown: that of what was clustered, if it has one."""
    basis = getattr(shown.fitted, "basis", None)
    basis = K1() if basis is None else make_method(basis)
    if isinstance(basis, Embedding) and basis.n_components > 1:
        return basis, "fit", {}
    if isinstance(basis, Embedding):  # on a line there is nothing to see
        return K1(), "kernel_map", {}
    if not hasattr(shown.fitted, "basis") or not shown.is_of_answers:
        opened = opened_map(shown.info)
        if opened is not None:
            return services().workspace.run(shown.info.id, opened.key).fresh(), "fit", {}
    return basis, "kernel_map", {}


def _draw_map(shown: ShownClustering, marks: str) -> None:
    piece = ground(shown)
    run = shown.find(*piece)
    if run is None:
        panels.empty(
            "There is no map to show them on yet",
            f"Compute draws a map by {analysis.describe(piece[0])}.",
        )
        shown.compute_button(
            f"{PAGE}.map.run", "Map", [piece], "Computes the map that shows the clusters.",
        )
        return
    for drawing in on_map(shown.presented(run, marks=marks), shown.run):
        shown.figure(drawing, further=partial(_files, shown), is_main=True)


def _cluster_table(shown: ShownClustering) -> None:
    st.header(count(shown.n_clusters, "cluster").capitalize(), anchor=False)
    sizes = np.bincount(shown.clusters[shown.clusters >= 0], minlength=shown.n_clusters)
    members: list[list[str]] = [[] for _ in sizes]
    for i in shown.order.tolist():
        members[shown.clusters[i]].append(shown.triplets.labels[i])
    table = pd.DataFrame({
        "": [_swatch(rank) for rank in range(len(sizes))],
        "cluster": [cluster_name(rank) for rank in range(len(sizes))],
        "objects": sizes, "share": 100 * sizes / max(sizes.sum(), 1),
        "members": [_listed(names) for names in members],
    })
    recovery = _recovery(shown)
    if recovery is not None:
        table.insert(4, "stability", recovery)
    key = f"{PAGE}.table@{shown.run.key}.{shown.n_clusters}"

    def chosen() -> None:
        shown.select(widgets()[key]["selection"]["rows"])

    st.caption("Choose rows to select their objects on every page.")
    st.dataframe(
        table, hide_index=True, placeholder="", key=key, on_select=chosen,
        selection_mode="multi-row", height="auto" if len(sizes) <= 12 else 460,
        column_config={
            "": st.column_config.ImageColumn("", width=40),
            "share": st.column_config.ProgressColumn(
                format="%.0f %%", min_value=0.0, max_value=100.0
            ),
            "members": st.column_config.TextColumn(width="large"),
            "stability": st.column_config.NumberColumn(
                format="%.2f",
                help="Mean overlap (Jaccard) with the most similar cluster of the bootstrap "
                "replicates: below 0.5 the cluster dissolves, above 0.75 it is stable.",
            ),
        },
    )


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _MEMBERS:,} more" if len(names) > _MEMBERS else ""
    return ", ".join(names[:_MEMBERS]) + more


def _recovery(shown: ShownClustering) -> np.ndarray | None:
    """(k,) how well resampled answers find each cluster again, where that was computed."""
    stability = shown.stability
    if stability is None or not np.array_equal(by_size(stability.labels), shown.clusters):
        return None
    recovery, placed = np.empty(shown.n_clusters), stability.labels >= 0
    recovery[shown.clusters[placed]] = stability.recovery[stability.labels[placed]]
    return recovery


def _swatch(rank: int) -> str:
    colour = look(rank)[0].replace("#", "%23")
    return (
        "data:image/svg+xml;utf8,<svg xmlns='http://www.w3.org/2000/svg' width='24' height='24'>"
        f"<rect x='4' y='4' width='16' height='16' rx='3' fill='{colour}'/></svg>"
    )


def _object_table(shown: ShownClustering) -> None:
    chosen = shown.selected
    table = memberships(shown.presented(), shown.clusters)
    table = with_pictures(table, shown.info, shown.triplets.objects)
    table.insert(1 + ("picture" in table), "cluster", table.pop("cluster"))
    title = count(len(chosen), "selected object") if chosen else "All objects"
    st.header(title, anchor=False)
    st.dataframe(
        table.iloc[chosen] if chosen else table, hide_index=True, placeholder="",
        key=f"{PAGE}.objects", height="auto" if chosen else 300,
        column_config={"picture": st.column_config.ImageColumn("", width="small")},
    )
