"""How many clusters there are, and what becomes of them when the answers are resampled."""

from __future__ import annotations

import streamlit as st

from tripletscope.core.similarity.clusters.counting import count_clusters, recommend_clusters
from tripletscope.core.similarity.clusters.stability import stability
from tripletscope.dashboard.results import TreeLook
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.controls import button, joint_form
from tripletscope.dashboard.ui.page import tab
from tripletscope.dashboard.ui.shown_clustering import PAGE, ShownClustering
from tripletscope.pages.clusters.choosing import choose_clustering


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
        st.header("Resampling", anchor=False)
        shared = ("most", "seed")
        resampling, counting = joint_form(shown.session, [
            (stability, f"{PAGE}.stability", ()), (count_clusters, f"{PAGE}.count", shared),
        ])
        counting |= {name: resampling[name] for name in shared}
        pieces = [
            (shown.any_number, "count_clusters", counting), (shown.method, "stability", resampling)
        ]
        runs = shown.results(
            "count", "How many clusters", pieces,
            "Compares silhouettes with those of lines, rings and clouds without clusters, and "
            "these clusters with those of bootstrap replicates.",
        )
        counts, stable = (
            run or shown.find(method, task)
            for run, (method, task, _) in zip(runs, pieces, strict=True)
        )
    with shown.picture:
        shown.present_or_promise(
            counts, stable, beside=(shown.run,), looks={shown.run.key: TreeLook(shown.n_clusters)},
            promise="Compute shows which numbers of clusters the data support, and which clusters "
            "and merges recur in bootstrap replicates.",
        )
        if counts is not None and stable is None and not shown.waiting:
            st.caption("How stable clusters are is not known.")
            with st.columns(3)[0]:
                shown.compute_button(
                    f"{PAGE}.stability.run", "Stability", pieces[1:],
                    "Shows which clusters and merges recur in bootstrap replicates, and adds the "
                    "support of branches to the tree.", label="Compute stability",
                )
        if counts is not None and shown.tree is not None:
            number = recommend_clusters(counts.result()).n_clusters or 1
            if number > 1:
                button(
                    f"Cut into {number:,}", key=f"{PAGE}.cut", on_click=shown.cut_into,
                    args=(number,), help="Applies to the whole page.",
                    why="There are as many now." if number == shown.n_clusters else "",
                )
