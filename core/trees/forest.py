"""Random forests from comparisons alone (CompRF): leaves, neighbours and a kernel.

References
----------
Haghiri, S., Garreau, D., & von Luxburg, U. (2018). Comparison-based random forests. ICML.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Self

import numpy as np
from scipy.sparse import csr_array
from sklearn.utils.validation import check_is_fitted

from tripletscope.core.engine.declared import Number, Seed
from tripletscope.core.engine.docstrings import parametric
from tripletscope.core.engine.progress import Progress, silent
from tripletscope.core.trees.estimator import ComparingEstimator, find_leaves, grow_trees
from tripletscope.core.trees.growing import SplitRule
from tripletscope.core.trees.nodes import Nodes
from tripletscope.core.trees.oracle import Oracle, converse
from tripletscope.core.trees.search import nearest

LeafSize = Annotated[int, Number(
    1, 100_000, "Leaf size", "Cells of at most this many objects are not divided."
)]
Trees = Annotated[
    int, Number(1, 10_000, "Trees M", "More trees reduce the error, slowly beyond a hundred.")
]


@parametric
@dataclass(kw_only=True, eq=False, repr=False)
class ComparisonForest(ComparingEstimator):
    """Comparison trees with random pivots: nearest neighbours and a kernel, without labels.

    For the same number of questions, several trees with small leaves find nearest neighbours far
    more often than one tree with a large leaf.

    Parameters
    ----------
    metric : str or Oracle
        For vectors, such as "euclidean"; "precomputed" or "kernel" for rows of a matrix; or an
        oracle for its object numbers: `tripletscope.MapOracle` answers from a map.

    Attributes
    ----------
    trees_ : list of Nodes
    leaf_size_ : int
        Leaf size of the trees.
    oracle_ : Oracle
        Answers the questions, also about further objects.
    objects_ : ndarray of int32, shape (n,)
        The oracle's numbers of the training objects.
    n_questions_ : int
        Questions that growing the trees took.

    Examples
    --------
    >>> import numpy as np
    >>> import tripletscope as ts
    >>> points = np.random.default_rng(0).normal(size=(100, 3))
    >>> forest = ts.ComparisonForest(n_estimators=10, leaf_size=5).fit(points)
    >>> forest.kneighbors(points[:2], 3).shape
    (2, 3)
    """

    metric: str | Oracle = "euclidean"
    n_estimators: Trees = 100
    leaf_size: LeafSize = 1
    max_samples: Annotated[float, Number(
        0.01, 1.0, "Subsample fraction r",
        "Each tree is grown from this fraction of objects. Below 1, the others give the "
        "out-of-bag error."
    )] = 1.0
    seed: Seed = 0

    def fit(self, X: Any, y: Any = None, *, progress: Progress = silent) -> Self:
        """Grow the trees.

        Parameters
        ----------
        X : array-like
            Objects, as `metric` says: vectors (n, d), matrix (n, n), or numbers (n,) or (n, 1).
        y : ignored
        progress : Progress

        Raises
        ------
        Stopped
            If `progress` asks to stop.
        """
        oracle, objects = self._training(X)
        self.leaf_size_ = self.leaf_size
        return self._grow(oracle, objects, [np.arange(len(objects))], {}, progress)

    def _grow(
        self, oracle: Oracle, objects: np.ndarray, groups: list[np.ndarray], how: dict[str, Any],
        progress: Progress,
    ) -> Self:
        """Grow `n_estimators` trees of every group of objects, with leaves of `leaf_size_`."""
        before = oracle.n_questions
        root = np.random.SeedSequence(self.seed)
        samples, seeds = [], []
        for seed in root.spawn(self.n_estimators * len(groups)):
            group = groups[len(seeds) // self.n_estimators]
            rng = np.random.default_rng(seed)
            if self.max_samples < 1:
                size = max(int(self.max_samples * len(group)), 1)
                group = np.sort(rng.choice(group, size, replace=False))
            samples.append(objects[group])
            seeds.append(int(rng.integers(2**63)))
        self.trees_ = grow_trees(
            oracle, samples, seeds, SplitRule(self.leaf_size_, **how), progress=progress
        )
        self.oracle_, self.objects_ = oracle, objects
        self._place = np.full(oracle.n_objects, -1, dtype=np.int32)
        self._place[objects] = np.arange(len(objects))
        self.n_questions_ = oracle.n_questions - before
        return self

    def apply(self, X: Any = None) -> np.ndarray:
        """(m, M) leaf of each object in each tree; by default of the training objects."""
        check_is_fitted(self)
        if X is None:
            # Only objects that a tree was grown without need questions.
            n_objects = self.oracle_.n_objects
            leaves = np.column_stack([nodes.leaf_of(n_objects) for nodes in self.trees_])
            leaves = leaves[self.objects_]
            for column, (left_out, reached) in zip(leaves.T, self._left_out(), strict=True):
                column[left_out] = reached
            return leaves
        return np.column_stack(self._leaves(*self._queries(X)))

    def _leaves(self, oracle: Oracle, x: np.ndarray, is_own: bool) -> list[np.ndarray]:
        return find_leaves(oracle, self.trees_, [x] * len(self.trees_), is_own)

    def proximity(self, X: Any = None) -> np.ndarray:
        """Share of the trees in which objects share a leaf with the training objects: a kernel.

        Returns
        -------
        ndarray, shape (m, n)
            Without `X` (n, n), symmetric and positive semi-definite.
        """
        training = self._in_leaves(self.apply())
        other = training if X is None else self._in_leaves(self.apply(X))
        return (other @ training.T).toarray() / len(self.trees_)

    def _in_leaves(self, leaves: np.ndarray) -> csr_array:
        """(m, nodes of all trees) 1 where an object is in a leaf."""
        sizes = [len(nodes.child) for nodes in self.trees_]
        columns = leaves + (np.cumsum(sizes) - sizes)
        ends = np.arange(len(leaves) + 1) * len(sizes)
        return csr_array(
            (np.ones(columns.size), columns.ravel(), ends), shape=(len(leaves), sum(sizes))
        )

    def distances(self) -> np.ndarray:
        """(n, n) distances of the kernel: sqrt(2 - 2 proximity)."""
        return np.sqrt(np.maximum(2 - 2 * self.proximity(), 0))

    def kneighbors(self, X: Any = None, n_neighbors: int = 1) -> np.ndarray:
        """The nearest training objects that share a leaf with each object, nearest first.

        Parameters
        ----------
        X : array-like
            By default the training objects, which are not their own neighbours.
        n_neighbors : int

        Returns
        -------
        ndarray of int, shape (m, n_neighbors)
            Positions in the training data; -1 where the leaves hold fewer.
        """
        if X is None:
            oracle, x, is_own, leaves = self.oracle_, self.objects_, True, list(self.apply().T)
        else:
            oracle, x, is_own = self._queries(X)
            leaves = self._leaves(oracle, x, is_own)
        candidates = []
        for i, row in enumerate(np.column_stack(leaves)):
            near = [nodes.members(leaf) for nodes, leaf in zip(self.trees_, row, strict=True)]
            neighbours = np.unique(np.concatenate(near))
            candidates.append(neighbours[neighbours != x[i]] if is_own else neighbours)
        ((neighbours, _),) = converse(oracle, [nearest(x, candidates, n_neighbors)])
        return np.where(neighbours >= 0, self._place[neighbours], -1)

    def _left_out(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """For each tree, the training objects it was grown without, and their leaves."""
        left_out = [np.flatnonzero(~np.isin(self.objects_, t.order)) for t in self.trees_]
        # They are pivots of no cell: their numbers need no distinction from the tree's own.
        leaves = find_leaves(
            self.oracle_, self.trees_, [self.objects_[out] for out in left_out], False
        )
        yield from zip(left_out, leaves, strict=True)

    def tree(self, number: int) -> Nodes:
        """One tree, with its members and pivots as positions in the training data."""
        check_is_fitted(self)
        nodes = self.trees_[number]
        pivots = np.where(nodes.pivots >= 0, self._place[nodes.pivots], -1)
        return nodes._replace(order=self._place[nodes.order], pivots=pivots)

    def _pivot_importances(self, moments: np.ndarray) -> np.ndarray:
        """(n,) share of each pivot in the impurity that splits removed; sums to 1."""
        importance = np.zeros(len(self.objects_))
        for number in range(len(self.trees_)):
            nodes = self.tree(number)
            sums = np.vstack([np.zeros(moments.shape[1]), np.cumsum(moments[nodes.order], axis=0)])
            within = sums[nodes.stop] - sums[nodes.start]
            size = np.maximum(nodes.stop - nodes.start, 1)
            explained = (within**2).sum(axis=1) / size
            inner = np.flatnonzero(nodes.child >= 0)
            left = nodes.child[inner]
            gain = np.maximum(explained[left] + explained[left + 1] - explained[inner], 0)
            for side in range(2):
                np.add.at(importance, nodes.pivots[inner, 0, side], gain)
        total = importance.sum()
        return importance / total if total > 0 else importance
