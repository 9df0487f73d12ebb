"""Shared by models of sparse non-negative dimensions: predictions, and their explanations."""

from __future__ import annotations

import math
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from scipy.special import softmax

from tripletscope.core.data.choices import Choices
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Answers, Triplets, as_triplets
from tripletscope.core.engine.declared import Number
from tripletscope.core.engine.method import Method
from tripletscope.core.engine.progress import Progress, silent
from tripletscope.core.models.dimensions.likelihood import (
    MOST_CENTRAL,
    NEARER,
    kinds_of,
    scored,
    trials_of,
)
from tripletscope.core.models.optimise.elementary import compiled
from tripletscope.core.models.optimise.responses import hits, shares

#: Pairs of a trial's columns; pair k belongs together if the object of column k is odd.
PAIRS = ((1, 2), (0, 2), (0, 1))


FitSeed = Annotated[
    int, Number(
        0, 2**31 - 1, "Seed", "The same seed gives the same dimensions, bit for bit.", advanced=True
    )
]


class SparseDimensions(Method):
    """Objects as sums of a few non-negative dimensions, from choices among three.

    The similarity of two objects is the sum over dimensions of the product of their weights. Of
    three objects, a pair of similarity s belongs together with a probability proportional to
    exp(s).

    Attributes
    ----------
    embedding_ : ndarray, shape (n, d)
        Weights from 0 up; the dimension with the largest sum first.
    embedding_sd_ : ndarray, shape (n, d), or None
        Uncertainty of each weight; see `caution`.
    n_dimensions_ : int
    n_objects_ : int
    placed_ : ndarray of bool, shape (n,)
        False for objects without trials.
    losses_ : ndarray, shape (steps,)
        The loss in the course of the fit.
    converged_, stopped_ : bool
    """

    #: A warning about `embedding_sd_`, or empty.
    caution: ClassVar[str] = ""

    def fit(
        self, triplets: Triplets, y: Any = None, *, sample_weight: Any = None,
        progress: Progress = silent,
    ) -> Self:
        """Fit the dimensions.

        Parameters
        ----------
        triplets : Triplets or array-like of int, shape (T, 3)
            Odd-one-out trials at best, as their two answers with one ``trial``.
        progress : Progress
            Snapshots are weights, of shape (n, remaining dimensions).

        Raises
        ------
        DataError
            If there are no usable trials, too few objects, or choices of another kind.
        Stopped
            If `progress` asks to stop before a penalty is chosen.
        """
        triplets = self._to_learn(triplets, y, sample_weight, as_triplets)
        trials = trials_of(triplets)
        if not trials.placed.any():
            raise DataError("there are no trials to learn from", remedy="Include at least one.")
        self._find(triplets, trials, progress)
        self.n_objects_, self.placed_ = trials.n_objects, trials.placed
        self.n_dimensions_ = self.embedding_.shape[1]
        return self

    def _find(self, triplets: Triplets, trials: Choices, progress: Progress) -> None:
        """Set all other attributes, from trials of which at least one has a weight above 0."""
        raise NotImplementedError

    def similarities(self) -> np.ndarray:
        """(n, n) dot products of the objects' weights."""
        self._require_fit()
        return self.embedding_ @ self.embedding_.T

    def distances(self) -> np.ndarray:
        """(n, n) similarity of the most similar pair minus that of each; 0 on the diagonal."""
        similar = self.similarities()
        np.fill_diagonal(similar, -np.inf)
        difference = np.max(similar, initial=-np.inf) - similar
        np.fill_diagonal(difference, 0.0)
        return difference

    def margins(self, triplets: Answers) -> np.ndarray:
        """(T,) similarity of the nearer pair minus that of the farther."""
        rows = self._to_predict(triplets).rows
        pairs = [0, 1, 0, 2] if rows.shape[1] == 3 else [0, 1, 2, 3]
        near = products(self.embedding_, rows[:, pairs[:2]])
        return near - products(self.embedding_, rows[:, pairs[2:]])

    def probabilities(self, rows: Any) -> np.ndarray:
        """Probability of each of three objects to be the odd one out.

        Parameters
        ----------
        rows : array-like of int, shape (Q, 3)

        Returns
        -------
        ndarray, shape (Q, 3)
            Columns as in `rows`.
        """
        self._require_fit()
        return softmax(similarities_of(self.embedding_, three(rows)), axis=1)

    def contributions(self, rows: Any) -> np.ndarray:
        """Contribution of each dimension to the similarities of three objects.

        Parameters
        ----------
        rows : array-like of int, shape (Q, 3)

        Returns
        -------
        ndarray, shape (Q, 3, d)
            Column j is of the pair without the object in column j of `rows`; the exponentials of
            its sum over dimensions are proportional to `probabilities`.
        """
        self._require_fit()
        x = self.embedding_[three(rows)]
        return np.stack([x[:, i] * x[:, j] for i, j in PAIRS], axis=1)

    def score(self, triplets: Triplets, y: Any = None, sample_weight: Any = None) -> float:
        """Weighted share of trials whose choice is the most probable one; ties count their share.

        That is odd-one-out accuracy, with chance one third; for data without such trials, the share
        of predicted triplets, with chance one half; see `chance`.

        Raises
        ------
        DataError
            If no trial has a weight.
        """
        trials = _scored(self._to_score(triplets, y, sample_weight, as_triplets))
        right = hits(trials, trials.sign[trials.stage] * self._shares(trials))
        return float(np.average(right, weights=trials.weight))

    def chance(self, triplets: Triplets) -> float:
        """Accuracy of guessing in the trials of `score`."""
        trials = _scored(self._to_predict(triplets, convert=as_triplets))
        return float(trials.chance[0])

    def log_likelihood(self, triplets: Triplets) -> np.ndarray:
        """(Q,) log-probability of the choice in each trial of `trials_of` the data."""
        trials = trials_of(self._to_predict(triplets, convert=as_triplets))
        return np.log(np.maximum(self._shares(trials)[trials.bounds[:-1]], 1e-30))

    def leaving_out(self, triplets: Triplets) -> np.ndarray:
        """Loss of accuracy without each dimension, by the same fit.

        Parameters
        ----------
        triplets : Triplets or array-like of int, shape (T, 3)

        Returns
        -------
        ndarray, shape (d,)
            As shares of the trials of `score`. A dimension with a small loss may matter for a few
            objects; redundant dimensions replace each other.

        Raises
        ------
        DataError
            If no trial has a weight.
        """
        trials = _scored(self._to_predict(triplets, convert=as_triplets))
        whole, without = _accuracies(
            self.embedding_, trials.triples, kinds_of(trials), trials.weight
        )
        return (whole - without) / trials.weight.sum()

    def _shares(self, trials: Choices) -> np.ndarray:
        """(E,) probability of choosing each pair of the trials."""
        self._require_fit()
        return shares(trials, products(self.embedding_, trials.pairs))


def _scored(triplets: Triplets) -> Choices:
    """The trials for accuracy."""
    trials = scored(trials_of(triplets))
    if not trials.weight.sum() > 0:
        raise DataError("there is no trial to predict", remedy="Give trials with a weight above 0.")
    return trials


def three(rows: Any) -> np.ndarray:
    rows = np.atleast_2d(np.asarray(rows))
    if rows.ndim != 2 or rows.shape[1] != 3 or rows.dtype.kind not in "iu":
        raise ValueError(f"rows have shape {rows.shape}; they must be whole numbers, (Q, 3).")
    return rows


def similarities_of(x: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """(Q, 3) dot products of the pairs of each row."""
    return np.column_stack([products(x, rows[:, pair]) for pair in PAIRS])


def products(x: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Dot products of the rows of x in pairs (E, 2)."""
    return _dots(np.ascontiguousarray(x, dtype=float), np.ascontiguousarray(pairs, dtype=np.int64))


@compiled
def _dots(x, pairs):
    result = np.empty(len(pairs))
    for t in range(len(pairs)):
        a, b = x[pairs[t, 0]], x[pairs[t, 1]]
        total = 0.0
        for k in range(x.shape[1]):
            total += a[k] * b[k]
        result[t] = total
    return result


@compiled
def _hit(ab, ac, bc, kind):
    """Whether the first pair is the predicted choice; a share for ties."""
    if kind == MOST_CENTRAL:
        ab, ac, bc = -ab, -ac, -bc
    if kind == NEARER:
        bc = -math.inf
    most = max(ab, ac, bc)
    if ab < most:
        return 0.0
    return 1.0 / ((ab == most) + (ac == most) + (bc == most))


@compiled
def _accuracies(x, rows, kind, weight):
    """Weight of the correctly predicted trials, by all dimensions and without each."""
    whole, without = 0.0, np.zeros(x.shape[1])
    for t in range(len(rows)):
        a, b, c = x[rows[t, 0]], x[rows[t, 1]], x[rows[t, 2]]
        ab = ac = bc = 0.0
        for k in range(x.shape[1]):
            ab += a[k] * b[k]
            ac += a[k] * c[k]
            bc += b[k] * c[k]
        all_in = weight[t] * _hit(ab, ac, bc, kind[t])
        whole += all_in
        for k in range(x.shape[1]):
            if a[k] * b[k] == 0.0 and a[k] * c[k] == 0.0 and b[k] * c[k] == 0.0:
                without[k] += all_in
            else:
                without[k] += weight[t] * _hit(
                    ab - a[k] * b[k], ac - a[k] * c[k], bc - b[k] * c[k], kind[t]
                )
    return whole, without
