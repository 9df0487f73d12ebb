"""The rank cover tree: a peer that needs comparisons only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from tripletscope.core.trees.oracle import Dialogue, Vectors, converse
from tripletscope.core.trees.search import nearest
from tripletscope.core.trees.tree import Neighbours

_NOBODY = np.zeros(0, dtype=np.int32)


@dataclass(kw_only=True)
class RankCoverTree:
    """Levels of ever fewer objects, each object below the nearest of the next level.

    coverage: Objects from which a search continues at each level.
    n_levels_: Levels, floor(log4 n), as in Haghiri, Ghoshdastidar & von Luxburg (2017).
    n_questions_: Questions that building the tree took.

    A knockout ranks candidates, with fewer questions than sorting.

    References
    ----------
    Houle, M. E., & Nett, M. (2015). Rank-based similarity search: Reducing the dimensional
    dependence. IEEE TPAMI 37. Section 3.
    """

    coverage: float
    seed: int = 0

    def fit(self, X: np.ndarray) -> Self:
        """Build the tree of vectors (n, d), level by level from the top."""
        self.oracle_, objects = Vectors(X), np.arange(len(X), dtype=np.int32)
        self.n_levels_ = max((len(objects).bit_length() - 1) // 2, 1)
        rate = len(objects) ** (1 / self.n_levels_)
        level = np.random.default_rng(self.seed).geometric(1 - 1 / rate, len(objects))
        level = np.minimum(level, self.n_levels_) - 1
        self._top = objects[level == level.max()]
        #: For each level below the top, its objects under each object of the next.
        self._below: dict[int, dict[int, np.ndarray]] = {}
        for height in range(level.max() - 1, -1, -1):
            fresh = objects[level == height]
            ((parents, _),) = converse(self.oracle_, [self._search(fresh, height + 1, True)])
            above = objects[level > height]
            members, parents = np.append(above, fresh), np.append(above, parents[:, 0])
            order = np.argsort(parents, kind="stable")
            cuts = np.flatnonzero(np.diff(parents[order])) + 1
            self._below[height] = {
                int(parents[group[0]]): members[group] for group in np.split(order, cuts)
            }
        self.n_questions_ = self.oracle_.n_questions
        return self

    def kneighbors(self, X: np.ndarray) -> Neighbours:
        """The nearest neighbour of each vector, by its position, and the questions about it."""
        search = self._search(np.arange(len(X), dtype=np.int32), 0, False)
        return Neighbours(*converse(self.oracle_.about(X), [search])[0])

    def _search(self, x: np.ndarray, bottom: int, is_own: bool) -> Dialogue:
        """The nearest to each x among the objects of level `bottom`."""
        n_asked = np.zeros(len(x), dtype=np.int64)
        candidates = [self._top] * len(x)
        height = max(self._below, default=bottom - 1) + 1
        while True:
            if is_own:
                candidates = [c[c != i] for c, i in zip(candidates, x, strict=True)]
            quota = int(np.ceil(self.coverage)) if height > bottom else 1
            neighbours, more = yield from nearest(x, candidates, quota)
            n_asked += more
            if height == bottom:
                return neighbours, n_asked
            height -= 1
            below = self._below[height]
            candidates = [
                np.concatenate([_NOBODY, *(below[v] for v in row if v in below)])
                for row in neighbours.tolist()
            ]
