"""A tree of merges: cuts, branches, rotations, and its Newick form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.cluster.hierarchy import leaves_list

from tripletscope.core.data.lazy import cached_property
from tripletscope.core.engine.short_repr import short_repr


@short_repr
@dataclass(frozen=True)
class Dendrogram:
    """Merges of m of n objects into one cluster.

    Nodes 0 to m - 1 are the leaves; merge i makes the branch m + i, as in SciPy.

    Attributes
    ----------
    linkage : ndarray of merges, shape (m - 1, 4)
        SciPy's: the two nodes, the height, the number of leaves; heights ascend. The first node is
        drawn first.
    objects : ndarray of int, shape (m,)
        Object at each leaf.
    n_objects : int
        n; objects without usable answers have no leaf.
    """

    linkage: np.ndarray
    objects: np.ndarray
    n_objects: int

    @property
    def n_leaves(self) -> int:
        return len(self.objects)

    @property
    def children(self) -> np.ndarray:
        """(m - 1, 2) the nodes merged."""
        return self.linkage[:, :2].astype(np.int64)

    @property
    def heights(self) -> np.ndarray:
        """(2 m - 1,) height of every node; 0 for leaves."""
        return np.concatenate([np.zeros(self.n_leaves), self.linkage[:, 2]])

    @cached_property
    def leaves(self) -> np.ndarray:
        """(m,) leaves in drawing order."""
        if self.n_leaves < 2:
            return np.arange(self.n_leaves)
        return leaves_list(self.linkage).astype(np.int64)

    @property
    def order(self) -> np.ndarray:
        """(m,) objects in drawing order."""
        return self.objects[self.leaves]

    @cached_property
    def places(self) -> np.ndarray:
        """(2 m - 1,) position of every node: leaves at 0, 1, ..., branches midway."""
        m = self.n_leaves
        place = np.empty(m + len(self.linkage))
        place[self.leaves] = np.arange(m)
        for i, (first, second) in enumerate(self.children.tolist()):
            place[m + i] = (place[first] + place[second]) / 2
        return place

    @cached_property
    def spans(self) -> np.ndarray:
        """(2 m - 1, 2) first and one past the last position of the leaves under every node."""
        m = self.n_leaves
        span = np.empty((m + len(self.linkage), 2), dtype=np.int64)
        span[self.leaves, 0] = np.arange(m)
        span[:m, 1] = span[:m, 0] + 1
        for i, (first, second) in enumerate(self.children.tolist()):
            span[m + i] = span[first, 0], span[second, 1]
        return span

    def members(self, node: int) -> np.ndarray:
        """Objects under a node, in drawing order."""
        start, stop = self.spans[node]
        return self.order[start:stop]

    def membership(self) -> np.ndarray:
        """(m - 1, n) bool: objects in each branch."""
        held = np.zeros((len(self.linkage), self.n_objects), dtype=bool)
        for branch, (start, stop) in zip(held, self.spans[self.n_leaves :], strict=True):
            branch[self.order[start:stop]] = True
        return held

    def n_clusters_at(self, height: float) -> int:
        """Number of clusters below a cut at `height`."""
        return self.n_leaves - int(np.searchsorted(self.linkage[:, 2], height, side="right"))

    def height_for(self, n_clusters: int) -> float:
        """Height of a cut into this many clusters: midway between two merges."""
        merged = self.n_leaves - int(np.clip(n_clusters, 1, self.n_leaves))
        low = self.linkage[merged - 1, 2] if merged > 0 else 0.0
        high = self.linkage[merged, 2] if merged < len(self.linkage) else 1.05 * low
        return float((low + high) / 2)

    def roots(self, n_clusters: int) -> np.ndarray:
        """Nodes of the clusters of a cut, in drawing order."""
        merged = self.n_leaves - int(np.clip(n_clusters, 1, self.n_leaves))
        m = self.n_leaves
        below = np.arange(m + merged)
        inner = self.children[:merged].ravel()
        nodes = np.setdiff1d(below, inner, assume_unique=True)
        return nodes[np.argsort(self.places[nodes])]

    def cut(self, n_clusters: int | None = None, *, height: float | None = None) -> np.ndarray:
        """Cluster of every object.

        Parameters
        ----------
        n_clusters : int, optional
            At most the number of leaves.
        height : float, optional
            Clusters below this height instead.

        Returns
        -------
        ndarray of int, shape (n,)
            From 0 in drawing order; -1 for objects without a leaf.
        """
        if (n_clusters is None) == (height is None):
            raise ValueError("give either a number of clusters or a height")
        if n_clusters is None:
            n_clusters = self.n_clusters_at(height)
        labels = np.full(self.n_objects, -1)
        for number, node in enumerate(self.roots(n_clusters)):
            labels[self.members(node)] = number
        return labels

    @cached_property
    def _highest(self) -> list[np.ndarray]:
        """Highest of 1, 2, 4, ... successive steps from leaf to leaf in drawing order."""
        steps = np.empty(max(self.n_leaves - 1, 0))
        # A branch joins the last leaf of its first side to the first leaf of its second.
        steps[self.spans[self.children[:, 1], 0] - 1] = self.linkage[:, 2]
        levels = [steps]
        while len(levels[-1]) > (wide := 2 ** (len(levels) - 1)):
            levels.append(np.maximum(levels[-1][:-wide], levels[-1][wide:]))
        return levels

    def joined_at(self, one: np.ndarray, other: np.ndarray) -> np.ndarray:
        """`cophenetic` heights of pairs of objects, without the matrix.

        Parameters
        ----------
        one, other : ndarray of int, shape (p,)

        Returns
        -------
        ndarray, shape (p,)
        """
        place = np.full(self.n_objects, -1)
        place[self.order] = np.arange(self.n_leaves)
        start, stop = np.sort([place[one], place[other]], axis=0)
        heights = np.where(np.equal(one, other), 0.0, self._top)
        joined = (start >= 0) & (start < stop)
        level = np.frexp(stop - start)[1] - 1
        for wide in np.unique(level[joined]):
            these = joined & (level == wide)
            highest = self._highest[wide]
            heights[these] = np.maximum(highest[start[these]], highest[stop[these] - 2**wide])
        return heights

    @property
    def _top(self) -> float:
        return float(self.linkage[-1, 2]) if len(self.linkage) else 1.0

    def cophenetic(self) -> np.ndarray:
        """(n, n) height of the lowest branch with both objects.

        For objects without a leaf, the root's height.
        """
        heights = np.full((self.n_objects, self.n_objects), self._top)
        for place, i in enumerate(self.order[:-1]):
            later = self.order[place + 1 :]
            heights[i, later] = heights[later, i] = np.maximum.accumulate(self._highest[0][place:])
        np.fill_diagonal(heights, 0.0)
        return heights

    def turned(self, branches: np.ndarray) -> Dendrogram:
        """The same tree with the two sides of some branches exchanged.

        Parameters
        ----------
        branches : ndarray of bool, shape (m - 1,)
        """
        linkage = self.linkage.copy()
        linkage[branches, :2] = linkage[branches, 1::-1]
        return replace(self, linkage=linkage)

    def newick(self, names: Sequence[str], support: np.ndarray | None = None) -> str:
        """The tree in Newick's format; branch lengths are differences of heights.

        Parameters
        ----------
        names : sequence of str
            Names of all n objects.
        support : ndarray, shape (m - 1,), optional
            Becomes the name of each branch.
        """
        m, heights = self.n_leaves, self.heights
        text = [_quoted(names[i]) for i in self.objects]
        for i, (first, second) in enumerate(self.children.tolist()):
            sides = ",".join(
                f"{text[side]}:{max(heights[m + i] - heights[side], 0.0):.6g}"
                for side in (first, second)
            )
            text.append(f"({sides})" + ("" if support is None else f"{support[i]:.3g}"))
            text[first] = text[second] = ""  # a chain of merges would keep a copy at every step
        return f"{text[-1] if text else ''};"


def _quoted(name: str) -> str:
    """A name in Newick's quotes, with quotes doubled."""
    return "'" + str(name).replace("'", "''").replace("\n", " ") + "'"
