"""The rank cover tree: a peer that needs comparisons only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Self

import numpy as np

from tripletscope.core.engine.declared import Number
from tripletscope.core.engine.docstrings import parametric
from tripletscope.core.engine.options import Seed
from tripletscope.core.engine.progress import Progress, Stopped, silent
from tripletscope.core.tree.objects import ComparingEstimator
from tripletscope.core.tree.oracle import Dialogue, Oracle, converse
from tripletscope.core.tree.search import nearest
from tripletscope.core.tree.tree import Neighbours

_NOBODY = np.zeros(0, dtype=np.int32)


@parametric
@dataclass(kw_only=True, eq=False, repr=False)
class RankCoverTree(ComparingEstimator):
    """Levels of ever fewer objects, each object below the nearest of the next level.

    metric: See `tripletscope.core.tree.objects.ComparingEstimator`.
    n_levels_: Levels; by default floor(log4 n), as in Haghiri, Ghoshdastidar & von Luxburg (2017).
    n_questions_: Questions that building the tree took.

    A knockout ranks candidates, with fewer questions than sorting.

    References
    ----------
    Houle, M. E., & Nett, M. (2015). Rank-based similarity search: Reducing the dimensional
    dependence. IEEE TPAMI 37. Section 3.
    """

    metric: str | Oracle = "euclidean"
    n_levels: Annotated[int | None, Number(
        1, 20, "Levels h", "Each level has the h-th root of n times fewer objects.",
        automatic="As many as leave about a quarter of the objects at each"
    )] = 4
    coverage: Annotated[float, Number(
        1.0, 1000.0, "Coverage ω", "Objects from which a search continues at each level."
    )] = 4.0
    seed: Seed = 0

    def fit(self, X: Any, y: Any = None, *, progress: Progress = silent) -> Self:
        """Build the tree, level by level from the top; X as `metric` says."""
        oracle, objects = self._training(X)
        before = oracle.n_questions
        self.n_levels_ = self.n_levels or max((len(objects).bit_length() - 1) // 2, 1)
        self.oracle_, self._rate = oracle, len(objects) ** (1 / self.n_levels_)
        rng = np.random.default_rng(self.seed)
        if self._rate > 1:
            level = rng.geometric(1 - 1 / self._rate, len(objects))
            level = np.minimum(level, self.n_levels_) - 1
        else:
            level = np.zeros(len(objects), dtype=int)
        self._top = objects[level == level.max()]
        #: For each level below the top, its objects under each object of the next.
        self._below: dict[int, dict[int, np.ndarray]] = {}
        for height in range(level.max() - 1, -1, -1):
            fresh = objects[level == height]
            ((parents, _),) = converse(oracle, [self._search(fresh, height + 1, 1, True)])
            above = objects[level > height]
            members, parents = np.append(above, fresh), np.append(above, parents[:, 0])
            order = np.argsort(parents, kind="stable")
            cuts = np.flatnonzero(np.diff(parents[order])) + 1
            self._below[height] = {
                int(parents[group[0]]): members[group] for group in np.split(order, cuts)
            }
            if progress(1 - height / (level.max() + 1)) and height:
                raise Stopped
        self.n_questions_ = oracle.n_questions - before
        return self

    def levels(self, n_objects: int) -> np.ndarray:
        """(n,) the highest level of each object, 0 for the lowest."""
        level = np.zeros(n_objects, dtype=int)
        for height in sorted(self._below):
            level[np.concatenate(list(self._below[height].values()))] = height
        level[self._top] = max(self._below, default=-1) + 1
        return level

    def kneighbors(self, X: Any, n_neighbors: int = 1) -> Neighbours:
        """Nearest neighbours, by numbers of the oracle, and the questions about each object."""
        oracle, x, is_own = self._queries(X)
        return Neighbours(*converse(oracle, [self._search(x, 0, n_neighbors, is_own)])[0])

    def _search(self, x: np.ndarray, bottom: int, k: int, is_own: bool) -> Dialogue:
        """The k nearest to each x among the objects of level `bottom`."""
        n_asked = np.zeros(len(x), dtype=np.int64)
        candidates = [self._top] * len(x)
        height = max(self._below, default=bottom - 1) + 1
        while True:
            if is_own:
                candidates = [c[c != i] for c, i in zip(candidates, x, strict=True)]
            quota = int(np.ceil(self.coverage * max(k / self._rate**height, 1)))
            neighbours, more = yield from nearest(x, candidates, quota if height > bottom else k)
            n_asked += more
            if height == bottom:
                return neighbours, n_asked
            height -= 1
            below = self._below[height]
            candidates = [
                np.concatenate([_NOBODY, *(below[v] for v in row if v in below)])
                for row in neighbours.tolist()
            ]
