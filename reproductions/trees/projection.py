"""Trees that see vectors: peers that use more than comparisons."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from scipy.sparse.linalg import ArpackError, svds
from sklearn.base import BaseEstimator

from tripletscope.core.engine.parallel import single_blas_thread


class _Cut(NamedTuple):
    """A cell's division: the first `n_lower` in `order` are at most at the threshold."""

    direction: np.ndarray
    threshold: float
    order: np.ndarray
    n_lower: int


def _largest(vectors: np.ndarray) -> np.ndarray:
    """(d,) largest size of each coordinate."""
    return np.maximum(vectors.max(axis=0), -vectors.min(axis=0))


def _resized(vectors: np.ndarray) -> np.ndarray:
    """Vectors times a power of two, with squares that are neither zero nor infinite."""
    exponent = int(np.frexp(_largest(vectors).max())[1])
    return vectors * 2.0 ** -np.clip(exponent, -1000, 1000)


def _rounding(vectors: np.ndarray, direction: np.ndarray) -> float:
    """The largest difference of projections that rounding alone can make."""
    n_terms = np.count_nonzero(direction)
    if n_terms < 2:
        return 0.0
    return 2 * n_terms * np.finfo(float).eps * float(_largest(vectors) @ np.abs(direction))


@dataclass(kw_only=True, eq=False, repr=False)
class _ProjectionTree(BaseEstimator):
    """Halves cells at the median of a projection.

    Objects with equal projections stay together, so that each is in the leaf that its search
    reaches: a cell is cut where the projection changes nearest to its median, or is a leaf.

    members_, direction_, threshold_: Of every node.
    child_: The lower child; the upper one follows it. -1 for a leaf.
    """

    leaf_size: int = 16

    def _directions(self, vectors: np.ndarray, rng: np.random.Generator) -> Iterator[np.ndarray]:
        """(d,) directions to project a cell to; later ones if all projections are equal."""
        raise NotImplementedError

    def _cut(self, vectors: np.ndarray, rng: np.random.Generator) -> _Cut | None:
        """A cell's division; None if there is none."""
        for direction in self._directions(vectors, rng):
            height = vectors @ direction
            order = np.argsort(height, kind="stable")
            ordered = height[order]
            cuts = 1 + np.flatnonzero(np.diff(ordered) > _rounding(vectors, direction))
            if len(cuts):
                n_lower = int(cuts[np.argmin(np.abs(2 * cuts - len(order)))])
                below, above = ordered[n_lower - 1 : n_lower + 1]
                middle = below / 2 + above / 2
                threshold = middle if below <= middle < above else below
                return _Cut(direction, threshold, order, n_lower)
        return None

    def fit(self, X: np.ndarray) -> Self:
        """Grow the tree of vectors (n, d)."""
        rng = np.random.default_rng(getattr(self, "seed", 0))
        self.members_, self.child_, self.direction_, self.threshold_ = [], [], [], []
        waiting = [np.arange(len(X))]
        with single_blas_thread():
            for members in waiting:
                self.members_.append(members)
                self.child_.append(-1)
                self.direction_.append(None)
                self.threshold_.append(np.nan)
                cell = X[members]
                if len(members) <= self.leaf_size or (cell == cell[0]).all():
                    continue
                cut = self._cut(cell, rng)
                if cut is None:
                    continue
                self.child_[-1] = len(waiting)
                self.direction_[-1] = cut.direction
                self.threshold_[-1] = cut.threshold
                waiting += [members[cut.order[: cut.n_lower]], members[cut.order[cut.n_lower :]]]
        return self


@dataclass(kw_only=True, eq=False, repr=False)
class KDTree(_ProjectionTree):
    """Cells halved along a coordinate (Bentley 1975; Friedman 1977).

    coordinate: The "widest" or "random".

    At random, the median goes up, and coordinates that leave fewer than two objects on a side are
    drawn again, as in Haghiri, Ghoshdastidar & von Luxburg (2017).
    """

    coordinate: str = "widest"
    seed: int = 0

    def _directions(self, vectors: np.ndarray, rng: np.random.Generator) -> Iterator[np.ndarray]:
        for axis in np.argsort(-_resized(vectors).var(axis=0), kind="stable"):
            yield np.eye(1, vectors.shape[1], axis)[0]

    def _cut(self, vectors: np.ndarray, rng: np.random.Generator) -> _Cut | None:
        if self.coordinate == "widest":
            return super()._cut(vectors, rng)
        for axis in rng.permutation(vectors.shape[1]):
            height = vectors[:, axis]
            # Objects at the median go up.
            threshold = np.nextafter(np.median(height), -np.inf)
            n_lower = np.count_nonzero(height <= threshold)
            if 2 <= n_lower <= len(height) - 2:
                direction = np.eye(1, vectors.shape[1], axis)[0]
                return _Cut(direction, threshold, np.argsort(height, kind="stable"), n_lower)
        return None


@dataclass(kw_only=True, eq=False, repr=False)
class PATree(_ProjectionTree):
    """Cells halved along their principal axis (McNames 2001)."""

    def _directions(self, vectors: np.ndarray, rng: np.random.Generator) -> Iterator[np.ndarray]:
        centred, axes = _resized(vectors - vectors.mean(axis=0)), None
        if min(centred.shape) >= 3:
            start = rng.standard_normal(min(centred.shape))
            with suppress(ArpackError):
                axes = svds(centred, k=1, v0=start, tol=1e-3, return_singular_vectors="vh")[2]
        yield (np.linalg.svd(centred, full_matrices=False)[2] if axes is None else axes)[0]


@dataclass(kw_only=True, eq=False, repr=False)
class RPTree(_ProjectionTree):
    """Cells halved along a random direction (Dasgupta & Freund 2008, split at the median)."""

    seed: int = 0

    def _directions(self, vectors: np.ndarray, rng: np.random.Generator) -> Iterator[np.ndarray]:
        yield rng.standard_normal(vectors.shape[1])
