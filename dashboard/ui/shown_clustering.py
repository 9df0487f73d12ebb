"""What the views of the page Clusters share: a clustering, and where its tree is cut."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from tripletscope.core.data.lazy import cached_property
from tripletscope.core.run import TASKS, Run
from tripletscope.core.similarity.clusters.clustering import Clustering, Hierarchy
from tripletscope.core.similarity.clusters.dendrogram import Dendrogram
from tripletscope.core.similarity.clusters.stability import Stability
from tripletscope.dashboard.results import MapLook, TreeLook
from tripletscope.dashboard.results.clusters import clusters_of, described, named, support_of
from tripletscope.dashboard.results.presentation import ShownResults
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.store.dataset import DatasetInfo
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui.context import Context
from tripletscope.dashboard.ui.turning import turned
from tripletscope.dashboard.words import words

PAGE = "clusters"
#: Before the key of a result: where the session notes how its tree is cut.
_CUT = f"{PAGE}.cut@"


@dataclass(frozen=True)
class ShownClustering(Context):
    """A clustering, cut as the user wants it, with the places for a picture and for settings."""

    run: Run
    name: str
    picture: Any
    side: Any

    @cached_property
    def fitted(self) -> Clustering:
        return self.run.fitted()

    @cached_property
    def tree(self) -> Dendrogram | None:
        """Its tree, where it is a hierarchy of at least two objects."""
        if not isinstance(self.fitted, Hierarchy) or self.fitted.tree_.n_leaves < 2:
            return None
        return self.fitted.tree_

    @property
    def _noted(self) -> str:
        """Where the session notes the cut."""
        return f"{_CUT}{self.run.key}"

    @cached_property
    def _cut(self) -> tuple[int, float]:
        number, height = self.session.drafts.get(self._noted, (self.fitted.n_clusters_, None))
        number = min(number, self.tree.n_leaves)
        return number, self.tree.height_for(number) if height is None else height

    @property
    def n_clusters(self) -> int:
        return self._cut[0] if self.tree else self.fitted.n_clusters_

    @property
    def height(self) -> float:
        """Where the tree is cut."""
        return self._cut[1]

    def cut_into(self, n_clusters: int) -> None:
        """Cut so that so many clusters are left; the next run of the page shows it."""
        self.session.drafts[self._noted] = (n_clusters, None)

    def ask_for_number(self, place: str, **further: Any) -> None:
        """A box with the number of clusters, which cuts the tree."""
        number = st.number_input(
            "Clusters", 1, self.tree.n_leaves, self.n_clusters,
            key=self.session.key_following(place, self.n_clusters), **further,
        )
        if number != self.n_clusters:
            self.cut_into(number)
            st.rerun()

    def cut_at(self, height: float) -> None:
        """Cut at a height; the next run of the page shows it."""
        height = float(np.clip(height, 0.0, 1.05 * self.tree.heights[-1]))
        self.session.drafts[self._noted] = (self.tree.n_clusters_at(height), height)

    @cached_property
    def clusters(self) -> np.ndarray:
        """(n,) cluster of every object, 0 being the largest; -1 for objects without one."""
        return cut_of(self.session, self.run)

    @cached_property
    def column(self) -> pd.Series:
        """(n,) names of the clusters."""
        return named(self.clusters)

    @cached_property
    def order(self) -> np.ndarray:
        """Objects as they stand in the tree, or by cluster."""
        if self.tree is not None:
            return self.tree.order
        placed = np.flatnonzero(self.clusters >= 0)
        return placed[np.argsort(self.clusters[placed], kind="stable")]

    def select(self, clusters: Iterable[int]) -> None:
        """Select all objects of some clusters."""
        chosen = np.isin(self.clusters, list(clusters))
        self.session.select_positions(np.flatnonzero(chosen).tolist())

    @property
    def is_of_answers(self) -> bool:
        """Whether it was computed from the answers as they now are."""
        return self.run.data == TASKS["fit"].fingerprint(self.run.fresh(), self.triplets, {})

    @cached_property
    def method(self) -> Clustering:
        """As it was set, not fitted, with as many clusters as are shown."""
        return self.run.fresh().set_params(n_clusters=self.n_clusters)

    @property
    def any_number(self) -> Clustering:
        """The same with however many clusters."""
        return self.run.fresh().set_params(n_clusters=None)

    @cached_property
    def stability(self) -> Stability | None:
        """What became of these clusters when the answers were resampled, as far as computed."""
        run = self.find(self.method, "stability")
        return run.result() if run and self.is_of_answers else None

    def presented(
        self, *further: Run, marks: str | None = None, rows: int | None = None, **how: Any
    ) -> ShownResults:
        """The clustering as it is cut, and what tests of such clusterings have shown."""
        workspace, same = services().workspace, {"method": self.run.method, "data": self.run.data}
        again = [
            workspace.run(self.info.id, listed.key)
            for task in ("stability", "count_clusters")
            for listed in workspace.runs(self.info.id, task, "cluster")
            if self.is_of_answers and listed.record.items() >= same.items()
        ]
        looks: dict[str, MapLook | TreeLook] = {
            run.key: replace(
                turned(self.info, run) if run.task == "fit" else MapLook(), marks=marks
            ) for run in further
        }
        if self.tree:
            looks[self.run.key] = TreeLook(self.n_clusters, self.height, marks, rows)
        return self.shown(self.run, *again, *further, looks=looks, **how)

    @cached_property
    def support(self) -> np.ndarray | None:
        """(m - 1,) support of every branch: that of a tree does not depend on where it is cut."""
        return support_of(self.presented(), self.run) if self.tree else None

    def caption(self) -> str:
        """Method, data and number of clusters, as below the tree."""
        shown = self.presented()
        return words(
            "tree of", method=described(shown, self.run), about=shown.about,
            clusters=words.count(self.n_clusters, "cluster"),
        )


def look_of_tree(session: Session, info: DatasetInfo, key: str) -> TreeLook:
    """How a session shows the tree of a result, with as many rows as fit on paper."""
    drafts = session.drafts
    return TreeLook(
        *drafts.get(f"{_CUT}{key}", (None, None)), drafts.get(f"{PAGE}.marks.tree@{info.id}")
    )


def cut_of(session: Session, run: Run) -> np.ndarray:
    """(n,) clusters of a clustering, as it is cut in a session."""
    look = TreeLook(session.drafts.get(f"{_CUT}{run.key}", (None,))[0])
    return clusters_of(ShownResults((run,), None, "", looks={run.key: look}), run)


class ShownClusters(NamedTuple):
    """Clusters as the page Clusters shows them: what they are called, and whose objects are."""

    name: str
    column: pd.Series


def clusters_shown(session: Session, info: DatasetInfo) -> ShownClusters | None:
    """The clustering that is open on the page Clusters, or the newest; None if there is none."""
    listed = {run.key: run for run in services().workspace.runs(info.id, "fit", "cluster")}
    if not listed:
        return None
    chosen = listed.get(session.drafts.get(place_of_clustering(info)), next(iter(listed.values())))
    run = services().workspace.run(info.id, chosen.key)
    return ShownClusters(chosen.name, named(cut_of(session, run)))


def place_of_clustering(info: DatasetInfo) -> str:
    """Where the session notes which clustering of a data set is shown."""
    return f"{PAGE}.shown@{info.id}"
