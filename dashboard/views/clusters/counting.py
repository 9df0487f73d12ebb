"""How many clusters there are, and what becomes of them when the answers are resampled."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from tripletscope.core.cluster.counting import count_clusters, recommend_clusters
from tripletscope.core.cluster.stability import Stability, stability
from tripletscope.dashboard import export
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.controls import joint_form
from tripletscope.dashboard.state import widgets
from tripletscope.dashboard.views.clusters.choosing import choose_clustering
from tripletscope.dashboard.views.clusters.clustering import PAGE, ShownClustering
from tripletscope.dashboard.views.page import tab


@tab(PAGE, "Number and stability", 2, needs=choose_clustering)
def show_numbers(shown: ShownClustering) -> None:
    """Silhouette and stability by number of clusters; how sure clusters and merges are."""
    if not shown.is_of_answers:
        with shown.picture:
            panels.empty(
                "There are no answers to resample",
                "This clustering is of distances, or of answers that have changed since. Choose "
                "another one on the right.",
            )
        return
    with shown.side:
        st.subheader("Resampling", anchor=False)
        shared = ("most", "seed")
        resampling, counting = joint_form(shown.session, [
            (stability, f"{PAGE}.stability", ()), (count_clusters, f"{PAGE}.count", shared),
        ])
        counting |= {name: resampling[name] for name in shared}
        any_number = shown.run.fresh().set_params(n_clusters=None)
        pieces = [
            (any_number, "count_clusters", counting), (shown.method, "stability", resampling)
        ]
        found = [
            shown.find(method, task, options)
            or shown.find(method, task)
            for method, task, options in pieces
        ]
        missing = [
            piece for piece in pieces if (known := shown.find(*piece)) is None or not known.complete
        ]
        shown.compute_button(
            f"{PAGE}.count.run", "How many clusters", missing,
            "Compares silhouettes with those of lines, rings and clouds without clusters, and the "
            "clusters of bootstrap replicates with these.",
        )
    runs = [run for run in found if run is not None]
    with shown.picture:
        if not runs:
            shown.empty(
                "Nothing has been computed yet",
                "Compute shows which numbers of clusters the data support, and which clusters and "
                "merges recur in bootstrap replicates.",
            )
            return
        shown.present(*runs, beside=(shown.run,), cuts={shown.run.key: shown.n_clusters})
        counts, resampled = found
        if counts is not None and shown.tree is not None:
            _cut(shown, recommend_clusters(counts.result()).n_clusters or 1)
    if resampled is not None:
        _merges(shown, resampled.result())


def _cut(shown: ShownClustering, number: int) -> None:
    """A button that applies the recommended number of clusters."""
    if number > 1:
        st.button(
            f"Cut into {number:,}", key=f"{PAGE}.cut", on_click=shown.cut_into, args=(number,),
            disabled=number == shown.n_clusters, help="Applies to the whole page.",
        )


def _merges(shown: ShownClustering, resampled: Stability) -> None:
    if not len(resampled.linkage):
        return
    st.subheader("Support of each merge", anchor=False)
    st.caption(
        "Found exactly: proportion of bootstrap trees with exactly this branch. Overlap: mean "
        "similarity of their most similar branch. Large branches are hardly ever found exactly. "
        "Choose rows to select their objects."
    )
    tree, labels = resampled.tree, shown.triplets.labels
    nodes = np.arange(len(tree.linkage))[::-1]  # the highest first
    table = pd.DataFrame({
        "objects": tree.linkage[nodes, 3].astype(int), "height": tree.linkage[nodes, 2],
        "found exactly": 100 * resampled.support[nodes],
        "overlap": resampled.branch_recovery[nodes],
        "members": [
            ", ".join(labels[i] for i in tree.members(tree.n_leaves + node)[:12])
            for node in nodes.tolist()
        ],
    })
    key = f"{PAGE}.merges@{shown.run.key}"

    def chosen() -> None:
        rows = widgets()[key]["selection"]["rows"]
        members = [tree.members(tree.n_leaves + int(nodes[row])) for row in rows]
        shown.session.select_positions(np.unique(np.concatenate([*members, []])).astype(int))

    st.dataframe(
        table, hide_index=True, placeholder="", key=key, height=360, on_select=chosen,
        selection_mode="multi-row",
        column_config={
            "height": st.column_config.NumberColumn(format="%.4g"),
            "found exactly": st.column_config.ProgressColumn(
                format="%.0f %%", min_value=0.0, max_value=100.0
            ),
            "overlap": st.column_config.NumberColumn(format="%.2f"),
            "members": st.column_config.TextColumn(width="large"),
        },
    )
    st.download_button(
        "CSV", lambda: export.csv(table),
        f"{export.file_name(shown.info.name, 'merges')}.csv", "text/csv",
        key=f"{PAGE}.merges.csv", on_click="ignore", icon=":material/download:",
    )
