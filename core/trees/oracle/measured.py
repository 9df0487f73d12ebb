"""Objects that are measured: vectors, distances, kernels and maps answer by compiled code."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from sklearn.metrics import pairwise_distances
from sklearn.metrics.pairwise import distance_metrics
from sklearn.preprocessing import OrdinalEncoder, normalize

from tripletscope.core.engine.method import Method
from tripletscope.core.trees.nearer import Measure, answers
from tripletscope.core.trees.oracle.asking import Oracle

#: Metrics for which a hyperplane decides the nearer of two objects, after this preparation.
_PLANES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "euclidean": lambda vectors: vectors,
    "l2": lambda vectors: vectors,
    "sqeuclidean": lambda vectors: vectors,
    "cosine": normalize,
}
#: Most distances in a table; 0.5 GB.
_TABLE = 2**26

#: Share of categories that differ, for data of any type.
MISMATCH = "mismatch"


def metrics() -> list[str]:
    """Names of the metrics that `Vectors` takes."""
    further = ["braycurtis", "canberra", "chebyshev", "correlation", "hamming", "sqeuclidean"]
    return sorted({*distance_metrics(), *further, MISMATCH} - {"precomputed", "haversine"})


class DistanceOracle(Oracle):
    """Objects with known distances.

    After `about`, x numbers the further objects; p and q number the objects as before.
    """

    def __init__(self, n_objects: int, measure: Measure | None, *, listed: bool = False) -> None:
        super().__init__(n_objects, listed=listed)
        self._measure = measure
        self._further = False

    def measure(self) -> Measure | None:
        return self._measure

    def about(self, further: Any) -> Self:
        """The same objects, compared from further ones of the same form; both count together."""
        other = copy.copy(self)
        other._further = True
        other._see(further)
        return other

    def distances(self, which: np.ndarray | None = None) -> np.ndarray:
        """(m, n) distances from the x's, or some of them, to the objects.

        For kernels and hyperplanes, possibly an increasing function of them.
        """
        queries = self._measure.queries
        return queries if which is None else queries[which]

    def _see(self, further: Any) -> None:
        raise NotImplementedError

    def _answer(self, questions: np.ndarray) -> np.ndarray:
        first = np.empty(len(questions), dtype=bool)
        answers(self._measure, *np.ascontiguousarray(questions.T, dtype=np.int32), first)
        return first

    def _offset(self) -> np.ndarray:
        return np.array([self.n_objects if self._further else 0, 0, 0])


class Vectors(DistanceOracle):
    """Vectors (n, d) under one of `metrics`; any type for "mismatch".

    Bytes and single precision are kept; other numbers become double.
    """

    def __init__(self, vectors: Any, metric: str = "euclidean", *, listed: bool = False) -> None:
        if metric not in metrics():
            raise ValueError(f"metric is {metric!r}; it must be one of {', '.join(metrics())}.")
        self.metric = metric
        if metric == MISMATCH:
            self._encoder = OrdinalEncoder(
                handle_unknown="use_encoded_value", unknown_value=-1
            ).fit(vectors)
        self._points = self._prepared(vectors)
        super().__init__(len(self._points), None, listed=listed)
        self._look(self._points)

    @property
    def vectors(self) -> np.ndarray:
        """(n, d) the objects as they are compared."""
        return self._points

    def distances(self, which: np.ndarray | None = None) -> np.ndarray:
        queries = self._queries if which is None else self._queries[which]
        return pairwise_distances(queries, self._points, metric=self._sklearn_metric)

    def extended(self, further: Any) -> Vectors:
        """The objects followed by further ones; both count together."""
        other = copy.copy(self)
        other._points = np.concatenate([self._points, self._prepared(further)])
        other.n_objects = len(other._points)
        other._look(other._points)
        return other

    @property
    def _sklearn_metric(self) -> str:
        if self.metric in _PLANES:
            return "euclidean"
        return "hamming" if self.metric == MISMATCH else self.metric

    def _prepared(self, vectors: Any) -> np.ndarray:
        if self.metric == MISMATCH:
            vectors = self._encoder.transform(vectors)
        vectors = np.asarray(vectors)
        if vectors.dtype not in (np.uint8, np.float32):
            vectors = vectors.astype(np.float64, copy=False)
        if self.metric in _PLANES:
            vectors = _PLANES[self.metric](vectors)
        return _plain(vectors)

    def _see(self, further: Any) -> None:
        self._look(self._prepared(further))

    def _look(self, queries: np.ndarray) -> None:
        self._queries = queries
        if self.metric in _PLANES:
            dtype = np.result_type(queries, self._points)
            self._measure = Measure(
                False, queries.astype(dtype, copy=False), self._points.astype(dtype, copy=False)
            )
        elif len(queries) * len(self._points) <= _TABLE:
            self._measure = _table(self.distances())
        else:
            self._measure = None

    def _answer(self, questions: np.ndarray) -> np.ndarray:
        if self._measure is not None:
            return super()._answer(questions)
        x, p, q = questions.T
        return self._pair_distances(x, p) <= self._pair_distances(x, q)

    def _pair_distances(self, x: np.ndarray, p: np.ndarray) -> np.ndarray:
        """Distances of pairs, one object p after the other."""
        order = np.argsort(p, kind="stable")
        distances = np.empty(len(p))
        for same in np.split(order, np.flatnonzero(np.diff(p[order])) + 1):
            distances[same] = pairwise_distances(
                self._queries[x[same]], self._points[p[same[:1]]], metric=self._sklearn_metric
            )[:, 0]
        return distances


class Distances(DistanceOracle):
    """A matrix of distances (n, n); `about` takes those of m further objects to all n."""

    def __init__(self, distances: Any, *, listed: bool = False) -> None:
        table = _square(distances, "distances")
        super().__init__(len(table), _table(table), listed=listed)

    def _see(self, further: Any) -> None:
        self._measure = _table(_plain(np.asarray(further)))


class KernelOracle(DistanceOracle):
    """A kernel (n, n): x is nearer to p if K_pp - 2 K_xp is smaller."""

    def __init__(self, kernel: Any, *, listed: bool = False) -> None:
        kernel = _square(kernel, "kernel")
        self._diagonal = np.diag(kernel).copy()
        super().__init__(len(kernel), None, listed=listed)
        self._see(kernel)

    def _see(self, further: Any) -> None:
        # K_xx is the same on both sides of a question.
        self._measure = _table(self._diagonal - 2 * np.asarray(further))


class MapOracle(Distances):
    """Answers by a fitted method: the map of an embedding, the distance of a kernel.

    Parameters
    ----------
    method : Method
        Fitted.
    probability : callable, optional
        From rows (anchor, first, second), shape (m, 3), to the probabilities that the first is
        nearer. Without it, answers have no certainty.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.read("sample_data/ekman_colors/answers.csv")
    >>> seen = ts.MapOracle(ts.STE().fit(answers))
    >>> tree = ts.ComparisonTree(metric=seen, leaf_size=4).fit(range(14))
    >>> seen.n_questions >= tree.n_questions_ > 0
    True
    """

    def __init__(
        self, method: Method, probability: Callable[[np.ndarray], np.ndarray] | None = None,
        *, listed: bool = False,
    ) -> None:
        super().__init__(method.distances(), listed=listed)
        self._probability = probability

    def remarks(self, questions: np.ndarray) -> dict[str, np.ndarray]:
        """``certainty``: the probability of the likelier answer, with a `probability`."""
        if self._probability is None:
            return {}
        probabilities = np.asarray(self._probability(np.asarray(questions)))
        return {"certainty": np.maximum(probabilities, 1 - probabilities)}


def _plain(array: np.ndarray) -> np.ndarray:
    """An array as compiled code expects it: contiguous, writeable."""
    return np.require(array, requirements=["C", "W"])


def _table(distances: np.ndarray) -> Measure:
    distances = distances if distances.dtype == np.float32 else distances.astype(float, copy=False)
    return Measure(True, _plain(distances), np.zeros((1, 1), dtype=distances.dtype))


def _square(values: Any, name: str) -> np.ndarray:
    values = np.asarray(values)
    if values.ndim != 2 or values.shape[0] != values.shape[1]:
        raise ValueError(f"{name} have shape {values.shape}; they must be square.")
    if not np.isfinite(values).all():
        raise ValueError(f"{name} must be finite.")
    return values
