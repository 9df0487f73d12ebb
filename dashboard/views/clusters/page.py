"""The page Clusters: groups of objects, how many there are, and how sure they are."""

from __future__ import annotations

import streamlit as st

from tripletscope.core.cluster import Agglomerative
from tripletscope.core.cluster.clustering import Clustering, Hierarchy
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.embedding import STE
from tripletscope.core.io import read_distances
from tripletscope.core.run import cluster_distances, key
from tripletscope.dashboard import analysis
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.controls import parameter_form, pick_method, pressed, tabs
from tripletscope.dashboard.interface.theme import count
from tripletscope.dashboard.interface.watching import watch
from tripletscope.dashboard.keeping.catalogue import DatasetInfo
from tripletscope.dashboard.keeping.jobs import Job
from tripletscope.dashboard.keeping.services import services
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.views.choosing import choose_run
from tripletscope.dashboard.views.clusters.agreeing import show_agreement
from tripletscope.dashboard.views.clusters.clustering import PAGE, Shown, described
from tripletscope.dashboard.views.clusters.counting import show_numbers
from tripletscope.dashboard.views.clusters.facing import show_two_trees
from tripletscope.dashboard.views.clusters.tree import show_tree

#: Up to so many objects the first tree is computed without being asked for.
_QUICK = 5_000

_VIEWS = {
    "tree": ("Clusters", show_tree),
    "number": ("Number and stability", show_numbers),
    "labels": ("Agreement with labels", show_agreement),
    "two": ("Tanglegram", show_two_trees),
}


def show_clusters(current: Session, info: DatasetInfo) -> None:
    """The whole page for an open data set."""
    triplets = current.triplets()
    job = services().jobs.latest(current.id, current.slot(PAGE))
    listed = services().workspace.runs(info.id, "fit", "cluster")
    if job is None and not listed and info.n_objects <= _QUICK:
        job = _compute(current, info, triplets, Agglomerative(basis=STE()))
    titles = {name: title for name, (title, _) in _VIEWS.items()}
    view = tabs(current, f"{PAGE}.view", "View", titles)
    watch(job)
    picture, side = st.columns([3, 1], gap="large")
    shown = None
    with side:
        if listed:
            st.subheader("Shown", anchor=False)
            run = choose_run(current, listed, _place(info), "this clustering", lost="")
            fit = services().workspace.run(info.id, run.key)
            shown = Shown(current, info, triplets, fit, run.name)
        if view == "tree":
            _settings(current, info, triplets)
    if shown is None:
        with picture:
            if job is None or not job.active:
                panels.empty(
                    "Nothing has been computed yet",
                    f"These are {count(info.n_objects, 'object')}. Choose a method on the right "
                    "and press Cluster.",
                )
        return
    _VIEWS[view][1](shown, picture, side)


def _place(info: DatasetInfo) -> str:
    """Where the session notes which clustering of a data set is shown."""
    return f"{PAGE}.shown@{info.id}"


def _settings(current: Session, info: DatasetInfo, triplets: Triplets) -> None:
    st.subheader("Method", anchor=False)
    method = _method(current)
    if pressed(
        current, f"{PAGE}.run", "Cluster", type="primary", icon=":material/play_arrow:",
        width="stretch",
    ):
        _compute(current, info, triplets, method)
        current.drafts[_place(info)] = key("fit", method, triplets)
        st.rerun()
    with st.expander("Your own distances"):
        _distances(current, info, triplets, method)


def _distances(
    current: Session, info: DatasetInfo, triplets: Triplets, method: Clustering
) -> None:
    """Cluster an uploaded matrix by the chosen method."""
    file = st.file_uploader(
        "Matrix", key=f"{PAGE}.distances",
        help="A square table of distances or similarities, in any format, with the names "
        "of the objects in the first row and column, or without names in the order of the objects.",
    )
    asked = pressed(
        current, f"{PAGE}.distances.run", "Cluster these distances", width="stretch",
        disabled=file is None, help="By the method above; its choice of similarity is ignored.",
    )
    if file is None or not asked:
        return
    try:
        with st.spinner("Clustering"):
            matrix, objects, how = read_distances(file.getvalue(), triplets, file.name)
            found = cluster_distances(method, matrix, objects, triplets.n_objects, file.name)
    except DataError as error:
        st.error(panels.plain(str(error)), icon=":material/error:")
        return
    name = f"{described(method, of_distances=True)}, {file.name}"
    services().workspace.add_run(info, found, name)
    current.drafts[_place(info)] = found.key
    st.toast(panels.plain(how))
    st.rerun()


def _method(current: Session) -> Clustering:
    method = pick_method(current, ("cluster",), f"{PAGE}.method", "Method", Agglomerative.name)
    # A tree is cut after it is made.
    hidden = ("n_clusters",) if issubclass(method, Hierarchy) else ()
    values = parameter_form(
        current, method, f"{PAGE}.{method.name}", hidden=hidden, inner=STE.name
    )
    return method(**values)


def _compute(
    current: Session, info: DatasetInfo, triplets: Triplets, method: Clustering
) -> Job:
    title = f"{method.title}: {info.name}"
    return analysis.submit(current, info, triplets, PAGE, title, [(method, "fit", {})])
