"""What the views of the page Clusters share: a clustering, and where its tree is cut."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone

from tripletscope.core.cluster.clustering import Clustering, Hierarchy
from tripletscope.core.cluster.dendrogram import Dendrogram
from tripletscope.core.cluster.stability import Stability
from tripletscope.core.run import TASKS, Run
from tripletscope.dashboard import analysis
from tripletscope.dashboard.interface.theme import count
from tripletscope.dashboard.keeping.services import services
from tripletscope.dashboard.results.clusters import by_size, named
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.views.opening import answers_of
from tripletscope.dashboard.views.page import Context

PAGE = "clusters"
#: Before the key of a result: where the session notes how its tree is cut.
_CUT = f"{PAGE}.cut@"


@dataclass(frozen=True)
class ShownClustering(Context):
    """A clustering, cut as the user wants it, with the places for a picture and for settings.

    run: The fit.
    name: What the user calls it.
    """

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

    # The cut ---------------------------------------------------------------------------------

    @property
    def _noted(self) -> str:
        return _noted(self.run)

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

    def cut_at(self, height: float) -> None:
        """Cut at a height; the next run of the page shows it."""
        height = float(np.clip(height, 0.0, 1.05 * self.tree.heights[-1]))
        self.session.drafts[self._noted] = (self.tree.n_clusters_at(height), height)

    # Clusters --------------------------------------------------------------------------------

    @cached_property
    def clusters(self) -> np.ndarray:
        """(n,) cluster of every object, 0 being the largest; -1 for objects without one."""
        return by_size(self.tree.cut(self.n_clusters) if self.tree else self.fitted.labels_)

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

    # What else is known ----------------------------------------------------------------------

    @property
    def is_of_answers(self) -> bool:
        """Whether it was computed from the answers as they now are."""
        return self.run.data == TASKS["fit"].fingerprint(self.run.fresh(), self.triplets, {})

    @cached_property
    def method(self) -> Clustering:
        """As it was set, not fitted, with as many clusters as are shown."""
        return self.run.fresh().set_params(n_clusters=self.n_clusters)

    @property
    def described(self) -> str:
        """Its method in words."""
        return described(self.run.fresh(), of_distances="distances" in self.run.options)

    @cached_property
    def stability(self) -> Stability | None:
        """What became of these clusters when the answers were resampled, as far as computed."""
        found = self.find(self.method, "stability")
        return found.result() if found and self.is_of_answers else None

    @cached_property
    def support(self) -> np.ndarray | None:
        """(m - 1,) support of every branch: that of a tree does not depend on where it is cut."""
        if self.tree is None or not self.is_of_answers:
            return None
        for listed in services().workspace.runs(self.info.id, "stability", "cluster"):
            record = listed.record
            if record["method"] != self.run.method or record["data"] != self.run.data:
                continue
            if record["parameters"] | {"n_clusters": None} != self.run.parameters | {
                "n_clusters": None
            }:
                continue
            found: Stability = services().workspace.run(self.info.id, listed.key).result()
            if np.array_equal(found.linkage[:, 2:], self.tree.linkage[:, 2:]):
                return found.support
        return None

    def caption(self) -> str:
        """Method, parameters and data, in a sentence or two."""
        words = [self.described]
        if getattr(self.fitted, "linkage", None) == "average":  # others were named
            words.append("average linkage")
        if "distances" in self.run.options:
            words.append(f"on the distances of {self.run.options['distances']}")
        elif hasattr(self.fitted, "basis") and self.fitted.basis is None:
            words.append(f"on {analysis.describe(self.fitted.similarity())}")
        if not self.run.complete:
            words.append("stopped early")
        text = f"{', '.join(words)}. {self.info.name}: {count(self.info.n_objects, 'object')}"
        if self.is_of_answers:
            text += f", {answers_of(self.info)}"
        left = int((self.clusters < 0).sum())
        if left:
            text += f"; {left:,} without usable answers"
        return f"{text}. {count(self.n_clusters, 'cluster')}."


def number_cut(session: Session, key: str) -> int | None:
    """Into how many clusters somebody has cut the tree of a result, if anybody has."""
    return session.drafts.get(f"{_CUT}{key}", (None,))[0]


def cut_of(session: Session, run: Run) -> np.ndarray:
    """(n,) clusters of a clustering as `ShownClustering.clusters` of the same session."""
    fitted = run.fitted()
    if not isinstance(fitted, Hierarchy) or fitted.tree_.n_leaves < 2:
        return by_size(fitted.labels_)
    number, _ = session.drafts.get(_noted(run), (fitted.n_clusters_, None))
    return by_size(fitted.tree_.cut(min(number, fitted.tree_.n_leaves)))


def _noted(run: Run) -> str:
    """Where the session notes the cut."""
    return f"{_CUT}{run.key}"


def described(method: Clustering, *, of_distances: bool = False) -> str:
    """A method in words; what it would be based on does not matter where distances are given."""
    if of_distances and hasattr(method, "basis"):
        method = clone(method).set_params(basis=None)
    return analysis.describe(method)
