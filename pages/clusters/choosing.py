"""Which clustering the page Clusters shows, and the form that makes another one."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from tripletscope.core.models.embedding.default import DEFAULT_EMBEDDING
from tripletscope.core.run import cluster_distances, key
from tripletscope.core.similarity.clusters import AgglomerativeClustering
from tripletscope.core.similarity.clusters.clustering import Clustering, Hierarchy
from tripletscope.dashboard.results.clusters import described
from tripletscope.dashboard.results.findings import usual_clustering
from tripletscope.dashboard.results.presentation import ShownResults
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui import analysis
from tripletscope.dashboard.ui.choosing import choose_run
from tripletscope.dashboard.ui.context import Context
from tripletscope.dashboard.ui.controls import doing, parameter_form, pick_method, pressed
from tripletscope.dashboard.ui.distances import ask_for_distances
from tripletscope.dashboard.ui.elements import CHOOSE, errors_shown, run_button
from tripletscope.dashboard.ui.opened_map import map_method
from tripletscope.dashboard.ui.shown_clustering import PAGE, ShownClustering, place_of_clustering
from tripletscope.dashboard.words.formats import count

#: Up to so many objects the first tree is computed without being asked for.
_QUICK = 5_000


def make_clustering(context: Context) -> ShownClustering | None:
    """The chosen clustering, beside the form that makes another one."""
    return choose_clustering(context, further=_settings)


def choose_clustering(
    context: Context, *, further: Callable[[Context], None] | None = None
) -> ShownClustering | None:
    """The clustering that is chosen beside the picture; None where there is none yet."""
    info, listed = context.info, context.runs("fit", "cluster")
    if context.job is None and not listed and info.n_objects <= _QUICK:
        usual = usual_clustering(map_method(info))
        _compute(context, usual, unasked=True)
    picture, side = context.picture_and_side()
    with side:
        if listed:
            st.header("Shown", anchor=False)
            run = choose_run(
                context.session, listed, place_of_clustering(info), "this clustering", lost=""
            )
        if further is not None:
            further(context)
    if listed:
        fit = services().workspace.run(info.id, run.key)
        return ShownClustering.of(context, run=fit, name=run.name, picture=picture, side=side)
    with picture:
        context.empty(
            "Nothing has been computed yet",
            f"These are {count(info.n_objects, 'object')}. Choose a method on the right and "
            "press Cluster.",
        )
    return None


def _settings(context: Context) -> None:
    st.header("Method", anchor=False)
    kind = pick_method(
        context.session, ("cluster",), f"{PAGE}.method", "Method", AgglomerativeClustering.name
    )
    method = context.settled(kind(**parameter_form(
        context.session, kind, f"{PAGE}.{kind.name}", inner=DEFAULT_EMBEDDING.name,
        automatic=analysis.FROM_ANSWERS,
        hidden=("n_clusters",) if issubclass(kind, Hierarchy) else (),  # cut after it is made
    )))
    if run_button(context.session, f"{PAGE}.run", "Cluster"):
        _compute(context, method)
        place = place_of_clustering(context.info)
        context.session.drafts[place] = key("fit", method, context.triplets)
        st.rerun()
    with st.expander("Your own distances", key=f"{PAGE}.own"):
        _distances(context, method)


def _distances(context: Context, method: Clustering) -> None:
    """Cluster a matrix that was uploaded by the chosen method."""
    table = ask_for_distances(context, f"{PAGE}.distances")
    is_asked = pressed(
        context.session, f"{PAGE}.distances.run", "Cluster these distances", width="stretch",
        why=CHOOSE if table is None else "",
        help="Uses the method above, but ignores its choice of similarity.",
    )
    if table is None or not is_asked:
        return
    with errors_shown(), doing(context.session, st.spinner("Clustering")):
        run = cluster_distances(method, table)
        name = described(ShownResults((run,), context.triplets, context.info.name), run)
        services().workspace.add_run(context.info, run, name)
        context.session.drafts[place_of_clustering(context.info)] = run.key
        st.rerun()


def _compute(context: Context, method: Clustering, *, unasked: bool = False) -> None:
    title = f"{method.title}: {context.info.name}"
    context.submit(title, [(method, "fit", {})], unasked=unasked)
