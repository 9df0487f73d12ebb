"""How many clusters there are, and what becomes of them when the answers are resampled."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from tripletscope.core.cluster.counting import (
    ClusterAdvice,
    ClusterCounts,
    count_clusters,
    recommend_clusters,
)
from tripletscope.core.cluster.stability import Stability, stability
from tripletscope.core.inference.evaluation.units import over_units
from tripletscope.dashboard import export
from tripletscope.dashboard.figures.clusters import count_curve, together_matrix
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.controls import joint_form
from tripletscope.dashboard.interface.theme import Canvas, count
from tripletscope.dashboard.results.clusters import by_size, stable_and_lost
from tripletscope.dashboard.state import widgets
from tripletscope.dashboard.views.clusters.choosing import choose_clustering
from tripletscope.dashboard.views.clusters.clustering import PAGE, ShownClustering
from tripletscope.dashboard.views.page import tab

_THIRD = Canvas(320.0, 260.0)
_SQUARE = Canvas(760.0, 640.0)


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
    counts, resampled = (run.result() if run else None for run in found)
    with shown.picture:
        if counts is None and resampled is None:
            shown.empty(
                "Nothing has been computed yet",
                "Compute shows which numbers of clusters the data support, and which clusters and "
                "merges recur in bootstrap replicates.",
            )
            return
        advice = recommend_clusters(counts) if counts is not None else None
        _verdict(shown, advice, counts, resampled)
        _curves(shown, counts, resampled, advice)
    if resampled is not None:
        _together(shown, resampled)
        _merges(shown, resampled)


def _verdict(
    shown: ShownClustering, advice: ClusterAdvice | None, counts: ClusterCounts | None,
    resampled: Stability | None,
) -> None:
    """The recommended number of clusters with its reason, and a button that applies it."""
    sentences = []
    found = advice is not None and (advice.n_clusters or 1) > 1
    if found:
        sentences.append(f"Recommended: {count(advice.n_clusters, 'cluster')}.")
    if advice is not None:
        sentences.append(advice.reason)
    told = None if resampled is None else stable_and_lost(resampled, counts)
    if told is not None:
        sure, lost = told
        sentences.append(
            f"Of the {count(len(resampled.recovery), 'cluster')} shown, {sure or 'none'} "
            f"{'is' if sure < 2 else 'are'} stable under resampling and {lost or 'none'} "
            f"{'dissolves' if lost < 2 else 'dissolve'}."
        )
    st.markdown(panels.plain(" ".join(sentences)))
    if shown.tree is not None and found:
        n = advice.n_clusters
        st.button(
            f"Cut into {n:,}", key=f"{PAGE}.cut", on_click=shown.cut_into, args=(n,),
            disabled=n == shown.n_clusters, help="Applies to the whole page.",
        )


def _curves(
    shown: ShownClustering, counts: ClusterCounts | None, resampled: Stability | None,
    advice: ClusterAdvice | None,
) -> None:
    """One curve for every criterion, side by side, with the recommended number marked in each."""
    curves = []
    best = advice.n_clusters if advice else None
    if counts is not None:
        curves.append((
            "silhouette", counts.numbers, counts.silhouettes, None, None, counts.expected,
            "Mean silhouette: how much closer objects are to their own cluster than to the next; "
            f"highest for {counts.best_by_silhouette}, and it always names a number. Dashed: parts "
            "of a line, a ring or a cloud of the same extent, whichever are most compact, with "
            "standard deviations.",
        ))
    if resampled is not None:
        agreement = resampled.agreement
        curves.append((
            "stability", resampled.numbers, agreement.mean(axis=0), agreement.std(axis=0), 1.0,
            None,
            f"Agreement (adjusted Rand index) with the clusters of {len(agreement):,} bootstrap "
            f"replicates{over_units(resampled.unit, resampled.n_units)}, with standard deviations; "
            f"highest for {resampled.most_stable}.",
        ))
    for column, (name, x, y, errors, most, expected, about) in zip(
        st.columns(len(curves)), curves, strict=True
    ):
        if best is not None and best in x:
            about += " Diamond: the recommended number."
        text = f"{shown.described}. {shown.info.name}. {about}"

        def draw(
            canvas: Canvas, name=name, x=x, y=y, errors=errors, most=most, text=text,
            expected=expected,
        ) -> Any:
            return count_curve(
                x, y, errors, title=name, best=best, shown=shown.n_clusters, most=most,
                expected=expected, caption=text, canvas=canvas,
            )

        def table(name=name, x=x, y=y, errors=errors, expected=expected) -> pd.DataFrame:
            found = pd.DataFrame({"clusters": x, name: y})
            if expected is not None:
                found = found.assign(continuum=expected[0], sd=expected[1])
            return found if errors is None else found.assign(error=errors)

        with column:
            panels.figure_panel(
                shown.session, draw, key=f"{PAGE}.curve.{name}", alt=text, canvas=_THIRD,
                caption=about, table=table,
                name=export.file_name(shown.info.name, shown.run.method, name),
            )


def _together(shown: ShownClustering, resampled: Stability) -> None:
    st.subheader("Co-clustering of objects", anchor=False)
    clusters = by_size(resampled.labels)
    order = shown.order
    text = (
        f"{shown.described}, {count(len(resampled.recovery), 'cluster')}. "
        f"{shown.info.name}. Share of "
        f"{count(len(resampled.agreement), 'bootstrap replicate')}"
        f"{over_units(resampled.unit, resampled.n_units)} that put two objects into one cluster; "
        f"objects in the order of the {'tree' if shown.tree else 'clusters'}, clusters along the "
        "edges."
    )
    labels = shown.triplets.labels

    def draw(canvas: Canvas) -> Any:
        return together_matrix(
            resampled.together, order, clusters, labels, caption=text, canvas=canvas
        )

    def table() -> pd.DataFrame:
        names = [labels[i] for i in order]
        found = pd.DataFrame(resampled.together[np.ix_(order, order)], columns=names)
        found.insert(0, "object", names)
        return found

    panels.figure_panel(
        shown.session, draw, key=f"{PAGE}.together", alt=text, canvas=_SQUARE, caption=text,
        table=table, name=export.file_name(shown.info.name, shown.run.method, "together"),
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
