"""Kernels on triplets: how similarly two objects rank the others, or are ranked by them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple, Self

import numba
import numpy as np
from scipy import sparse

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.landmarks import k2_landmarks
from tripletscope.core.data.triplets import Triplets, as_triplets
from tripletscope.core.engine.declared import Switch
from tripletscope.core.engine.method import register
from tripletscope.core.engine.progress import Progress, silent
from tripletscope.core.similarity.kernels.kernel import SINGLE_ABOVE, Kernel, smallest_eigenvalue

#: Features are counted in a full table of at most so many cells, or so many per answer.
_SMALL_TABLE, _CELLS_PER_ANSWER = 2**20, 16

#: Smaller differences between votes of fractional weights are rounding.
_TIE = 1e-6

_compiled = numba.njit(nogil=True, cache=True, error_model="numpy")


class Entries(NamedTuple):
    """Votes +weight or -weight for cells (row, column) of a feature table.

    Shapes: row, column (e,), sign int8 (e,), weight (e,).
    """

    row: np.ndarray
    column: np.ndarray
    sign: np.ndarray
    weight: np.ndarray
    shape: tuple[int, int]


@_compiled
def _add(row, column, sign, weight, net, total):
    for t in range(row.size):
        if weight[t] > 0.0:
            net[row[t], column[t]] += sign[t] * weight[t]
            total[row[t], column[t]] += weight[t]


@_compiled
def _count_k2(rows, weight, rank, net, total, further_net, further_total):
    """Count k2 of a landmark design from the answers; `rank` is -1 for no landmark."""
    n_objects, n_landmarks = net.shape[0], further_net.shape[0]
    for t in range(len(rows)):
        if weight[t] > 0.0:
            anchor = rank[rows[t, 0]]
            for side in (1, 2):
                vote = weight[t] if side == 1 else -weight[t]
                row, other = rows[t, side], rows[t, 3 - side]
                if rank[other] >= 0:
                    net[row, anchor * n_landmarks + rank[other]] += vote
                    total[row, anchor * n_landmarks + rank[other]] += weight[t]
                else:
                    further_net[rank[row], anchor * n_objects + other] += vote
                    further_total[rank[row], anchor * n_objects + other] += weight[t]


@_compiled
def _divide(net, total):
    """Turn counts into votes from -1 to 1, in place."""
    for i in range(net.shape[0]):
        for j in range(net.shape[1]):
            if total[i, j] > 0.0:
                share = net[i, j] / total[i, j]
                net[i, j] = share if abs(share) > _TIE else 0.0


@dataclass(kw_only=True, eq=False, repr=False)
class TripletKernel(Kernel):
    """Kernel of features counted from triplets, each scaled to length 1.

    Attributes
    ----------
    shift_ : float
        Reduction of the diagonal, for objects with usable answers.
    """

    reduce_diagonal: Annotated[bool, Switch(
        "Reduce the diagonal",
        "With few answers every object is far more similar to itself than to any other. "
        "Subtracting the smallest eigenvalue from the diagonal corrects this and keeps the kernel "
        "valid, as in all experiments of the paper."
    )] = True

    def fit(
        self, triplets: Triplets, y: Any = None, *, sample_weight: Any = None,
        progress: Progress = silent,
    ) -> Self:
        """Count features and multiply them.

        Parameters
        ----------
        triplets : Triplets or array-like of int, shape (T, 3)
            Repeats and contradictions of one comparison count together: its entry is the difference
            of the two answers' numbers (weights), divided by their sum.
        progress : Progress
            Called once; a stopped computation has no partial result.

        Raises
        ------
        DataError
            If there is no answer, or too many objects outside a landmark design.
        """
        data = self._to_learn(triplets, y, sample_weight, as_triplets)
        if not np.any(data.weight > 0):
            raise DataError(
                "there are no answers to learn from",
                file=data.name, remedy="Include at least one answer.",
            )
        features, placed = self._features(data)
        self._keep(features, placed)
        self.shift_ = 0.0
        # With fewer features than objects the smallest eigenvalue is 0.
        if self.reduce_diagonal and self.gram_ is not None and placed.any():
            objects = np.flatnonzero(placed)
            part = self.gram_ if placed.all() else self.gram_[np.ix_(objects, objects)]
            self.shift_ = smallest_eigenvalue(part)
            self.gram_[objects, objects] -= self.shift_
        progress(1.0)
        return self

    def _entries(self, triplets: Triplets) -> Entries:
        """The votes of all answers."""
        raise NotImplementedError

    def _features(self, triplets: Triplets) -> tuple[np.ndarray | sparse.csc_array, np.ndarray]:
        """Rows of length 1, or 0 without votes; and which rows have votes."""
        entries = self._entries(triplets)
        if _is_dense(entries.shape, len(triplets)):
            return _unit_rows(_votes(entries, triplets.n_objects))
        return _sparse(entries)


@register("kernel")
@dataclass(kw_only=True, eq=False, repr=False)
class K1(TripletKernel):
    """Kernel k1: how similarly two objects rank the others by similarity to themselves.

    Feature (i, j) of an anchor is the sign of its preference between i and j. With all comparisons
    answered, and without reducing the diagonal, k1 of two objects is Kendall's tau of their
    rankings of the n - 2 others, times C(n - 2, 2) / C(n - 1, 2) = (n - 3) / (n - 1): each also
    ranks the other, in pairs that no other object shares.

    References
    ----------
    Kleindessner, M., & von Luxburg, U. (2017). Kernel functions based on triplet comparisons.
    Advances in Neural Information Processing Systems 30. Section 2, equations (2) and (3).

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.read("sample_data/ekman_colors/answers.csv")
    >>> fitted = ts.K1().fit(answers)
    >>> fitted.kernel_.shape
    (14, 14)
    >>> round(fitted.score(answers), 2)  # of all answers, the share that it would give
    0.85
    """

    name = "k1"
    title = "k1 (own rankings)"

    def _entries(self, triplets: Triplets) -> Entries:
        anchor, near, far = triplets.rows.T
        rank, n_choices = _ranks(triplets.n_objects, near, far)
        near, far = rank[near], rank[far]
        high = np.maximum(near, far).astype(np.int64)
        column = high * (high - 1) // 2 + np.minimum(near, far)
        sign = np.where(near < far, 1, -1).astype(np.int8)
        shape = (triplets.n_objects, n_choices * (n_choices - 1) // 2)
        return Entries(anchor, column, sign, triplets.weight, shape)


@register("kernel")
@dataclass(kw_only=True, eq=False, repr=False)
class K2(TripletKernel):
    """Kernel k2: how similarly two objects are ranked by the others.

    Feature (i, j) of an object: whether i is more similar to it than to j.

    References
    ----------
    Kleindessner, M., & von Luxburg, U. (2017). Kernel functions based on triplet comparisons.
    Advances in Neural Information Processing Systems 30. Section 2, equation (5).

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.read("sample_data/ekman_colors/answers.csv")
    >>> ts.K2().fit(answers).distances().shape
    (14, 14)
    """

    name = "k2"
    title = "k2 (rankings by others)"

    def _entries(self, triplets: Triplets) -> Entries:
        n = triplets.n_objects
        anchor, near, far = triplets.rows.T
        anchor_rank, n_anchors = _ranks(n, anchor)
        other_rank, n_others = _ranks(n, near, far)
        column = anchor_rank[anchor].astype(np.int64) * n_others
        return Entries(
            np.concatenate([near, far]),
            np.concatenate([column + other_rank[far], column + other_rank[near]]),
            np.repeat(np.array([1, -1], dtype=np.int8), len(triplets)),
            np.tile(triplets.weight, 2),
            (n, n_anchors * n_others),
        )

    def _features(self, triplets: Triplets) -> tuple[np.ndarray | sparse.csc_array, np.ndarray]:
        n, (anchor, near, far) = triplets.n_objects, triplets.rows.T
        shape = (n, _ranks(n, anchor)[1] * _ranks(n, near, far)[1])
        landmarks = None if _is_dense(shape, len(triplets)) else k2_landmarks(triplets)
        if landmarks is not None and _is_dense((n, len(landmarks) ** 2), len(triplets)):
            return _landmark_features(triplets, landmarks)
        return super()._features(triplets)


def _landmark_features(triplets: Triplets, landmarks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Features of k2 where every answer has a landmark as its anchor and among its choices.

    All objects share the features (landmark, landmark). The far more numerous (landmark, other)
    belong to landmarks alone: as many columns as landmarks give the same products.
    """
    n, n_landmarks = triplets.n_objects, len(landmarks)
    rank = np.full(n, -1)
    rank[landmarks] = np.arange(n_landmarks)
    shared = _tables((n, n_landmarks**2), n)
    further = _tables((n_landmarks, n_landmarks * n), n)
    _count_k2(triplets.rows, triplets.weight, rank, *shared, *further)
    for net, total in (shared, further):
        _divide(net, total)
    values, vectors = np.linalg.eigh(further[0].astype(float) @ further[0].T.astype(float))
    features = np.zeros((n, n_landmarks**2 + n_landmarks), dtype=shared[0].dtype)
    features[:, : n_landmarks**2] = shared[0]
    features[landmarks, n_landmarks**2 :] = vectors * np.sqrt(np.maximum(values, 0.0))
    return _unit_rows(features)


def _ranks(n_objects: int, *columns: np.ndarray) -> tuple[np.ndarray, int]:
    """Rank of every object among those in some columns, and the number of these."""
    occurs = np.zeros(n_objects, dtype=bool)
    for column in columns:
        occurs[column] = True
    rank = np.cumsum(occurs, dtype=np.int32) - 1
    return np.where(occurs, rank, 0), int(occurs.sum())


def _is_dense(shape: tuple[int, int], n_answers: int) -> bool:
    return shape[0] * shape[1] <= max(_SMALL_TABLE, _CELLS_PER_ANSWER * n_answers)


def _tables(shape: tuple[int, int], n_objects: int) -> tuple[np.ndarray, np.ndarray]:
    """Empty tables for the net and the total number of votes."""
    precision = np.float32 if n_objects > SINGLE_ABOVE else np.float64
    return np.zeros(shape, precision), np.zeros(shape, precision)


def _votes(entries: Entries, n_objects: int) -> np.ndarray:
    net, total = _tables(entries.shape, n_objects)
    _add(entries.row, entries.column, entries.sign, entries.weight, net, total)
    _divide(net, total)
    return net


def _unit_rows(votes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows divided by their lengths, in place; and which of them have one."""
    length = np.sqrt(np.einsum("ij,ij->i", votes, votes))
    votes /= np.where(length > 0, length, 1.0)[:, None].astype(votes.dtype)
    return votes, length > 0


def net_votes(entries: Entries) -> sparse.csc_array:
    """(n, c) votes from -1 to 1 in the non-empty columns; ties are no votes."""
    n, counted = entries.shape[0], entries.weight > 0
    code = entries.column[counted] * n + entries.row[counted]
    order = np.argsort(code)
    code, weight = code[order], entries.weight[counted][order]
    starts = np.flatnonzero(np.diff(code, prepend=-1))
    sign = entries.sign[counted][order]
    net, total = (np.add.reduceat(values, starts) for values in (sign * weight, weight))
    kept = np.abs(net) > _TIE * total
    column, row = np.divmod(code[starts][kept], n)
    ends = np.append(np.flatnonzero(np.diff(column, prepend=-1)), len(column))
    return sparse.csc_array(
        (net[kept] / total[kept], row.astype(np.int32), ends), (n, len(ends) - 1)
    )


def _sparse(entries: Entries) -> tuple[sparse.csc_array, np.ndarray]:
    """`_unit_rows` where almost all cells are empty."""
    n, votes = entries.shape[0], net_votes(entries)
    length = np.sqrt(np.bincount(votes.indices, votes.data**2, n))
    votes.data = (votes.data / length[votes.indices]).astype(
        np.float32 if n > SINGLE_ABOVE else np.float64
    )
    return votes, length > 0
