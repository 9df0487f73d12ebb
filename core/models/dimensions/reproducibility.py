"""Reproducibility of dimensions: with another start, in half of the data, in another fit."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.stats import norm, t
from sklearn.base import clone

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets, as_triplets
from tripletscope.core.engine.declared import Number, Seed, Switch
from tripletscope.core.engine.method import Method
from tripletscope.core.engine.parallel import CancelToken, results_of
from tripletscope.core.engine.progress import Progress, silent
from tripletscope.core.engine.task import task
from tripletscope.core.inference.held_out.score import question_folds, require_groups
from tripletscope.core.inference.held_out.units import Unit, sampling_units
from tripletscope.core.models.dimensions.factors import Similarities
from tripletscope.core.models.dimensions.likelihood import trials_of
from tripletscope.core.models.dimensions.penalties import penalised
from tripletscope.core.ratings.dissimilarities import RatedDissimilarities

#: Above this correlation a dimension counts as reproduced.
FOUND_AGAIN = 0.8
#: Largest correlation for Fisher's z, which is infinite for 1.
NEAREST = 1.0 - 1e-6
#: A fit to resampled trials begins at the dimensions and need not be as precise.
_TOLERANCE = 1e-6


@dataclass(frozen=True)
class DimensionReproducibility:
    """Reproducibility of each dimension.

    Attributes
    ----------
    correlations : ndarray, shape (runs, d)
        Of each reference dimension with the most similar one of every other run, over objects with
        trials. Two dimensions may match the same one: a dimension that the other run does not
        divide.
    n_dimensions : ndarray of int, shape (runs,)
        Number of dimensions of the other runs.
    reference : ndarray, shape (n, d)
        The dimensions of a fit to all trials.
    halves : bool
        Whether the other runs learned from halves of the data.
    measured : bool, optional
        Whether similarities were measured, as ratings or piles, instead of answers given.
    unit : {"trials", "people", "pairs"}, optional
        What halves divide: of measured similarities the people, or the pairs of one person.
    """

    correlations: np.ndarray
    n_dimensions: np.ndarray
    reference: np.ndarray
    halves: bool
    measured: bool = False
    unit: str = "trials"

    @property
    def found(self) -> np.ndarray:
        """(d,) share of the runs with a correlation above .8 with each dimension."""
        return (self.correlations > FOUND_AGAIN).mean(axis=0)

    @property
    def mean(self) -> np.ndarray:
        """(d,) mean correlation over runs, by Fisher's z."""
        return fisher_mean(self.correlations, axis=0)

    @property
    def share(self) -> np.ndarray:
        """(runs,) share of the dimensions with a correlation above .8."""
        if not self.correlations.shape[1]:
            return np.zeros(len(self.correlations))
        return (self.correlations > FOUND_AGAIN).mean(axis=1)

    @property
    def overall(self) -> float:
        """Mean correlation over runs and dimensions, by Fisher's z; NaN without dimensions."""
        return float(fisher_mean(self.correlations.ravel(), axis=0))

    @property
    def grows(self) -> bool:
        """Whether dimensions recur, and every half of the data has fewer than all of it."""
        fewer = np.max(self.n_dimensions, initial=0) < self.correlations.shape[1]
        return bool(self.halves and fewer and (self.mean > FOUND_AGAIN).any())


def fisher_mean(correlations: np.ndarray, axis: int) -> np.ndarray:
    """Mean of correlations by Fisher's z; NaN of none."""
    if not correlations.shape[axis]:
        return np.full(np.delete(correlations.shape, axis), np.nan)
    return np.tanh(np.arctanh(np.clip(correlations, -NEAREST, NEAREST)).mean(axis=axis))


def standardised(table: np.ndarray) -> np.ndarray:
    """(n, d) columns with mean 0 and length 1; a constant column becomes 0, unlike any other."""
    difference = table - table.mean(axis=0)
    size = np.linalg.norm(difference, axis=0)
    return difference / np.where(size > 0, size, 1.0)


def best_matches(reference: np.ndarray, other: np.ndarray) -> np.ndarray:
    """(d,) correlation of each column with the most similar column of another table."""
    if not other.shape[1] or not len(other):
        return np.zeros(reference.shape[1])
    return (standardised(reference).T @ standardised(other)).max(axis=1)


def matched(one: np.ndarray, other: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pair columns of `standardised` tables (n, d) and (n, e), one to one, for the largest sum.

    Returns: (k,) columns of the one, their partners, and their correlations.
    """
    r = one.T @ other
    rows, columns = linear_sum_assignment(r, maximize=True)
    return rows, columns, r[rows, columns]


@task("Fitting the dimensions again", "dimensions", first={"runs": 2})
def dimension_reproducibility(
    method: Method, triplets: Triplets, *,
    runs: Annotated[
        int, Number(2, 50, "Runs", "Number of fits to compare with the fit to all trials.")
    ] = 6,
    halves: Annotated[bool, Switch(
        "Halves of the data",
        "Pairs of runs learn from the two halves of the trials, or of the people who judged "
        "similarities. Otherwise all runs learn from all data and differ only in their starts, "
        "which shows nothing about chance in the data."
    )] = True,
    seed: Seed = 0, progress: Progress = silent,
) -> DimensionReproducibility:
    """Reproducibility of the dimensions of a fit in other fits.

    Parameters
    ----------
    method : SPoSE, VICE or SymmetricNMF
        Not changed.
    triplets : Triplets, RatedDissimilarities or array-like of int, shape (T, 3)
    halves : bool
        Half of the trials has fewer dimensions than all: dimensions that halves miss may still be
        right. Dimensions reproduced with other starts alone may still be chance.
    seed : int
        For the divisions, and the other runs' starts.
    progress : Progress
        Called after every fit.

    Raises
    ------
    DataError
        If there are no usable trials, or too few to divide.

    References
    ----------
    Muttenthaler et al. (2022), as `VICE`: best matches, the share above .8, and Fisher's z.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.read("sample_data/odd_one_out/answers.csv")
    >>> method = ts.dimensions.SPoSE(n_components=10, penalty=4)
    >>> found = ts.dimensions.dimension_reproducibility(method, answers, runs=2)
    >>> found.correlations.shape == (2, found.reference.shape[1])
    True
    """
    measured, unit = isinstance(triplets, RatedDissimilarities), "trials"
    if measured:
        unit = "people" if triplets.raters[1:] else "pairs"
        placed = Similarities.measured(triplets).placed
    else:
        triplets = as_triplets(triplets)
        placed = trials_of(triplets).placed
        if halves:
            require_groups(triplets, 2)
    parts = [(method, triplets, None, 0, method.seed)]
    streams = np.random.SeedSequence(seed).spawn(runs)
    for run, stream in enumerate(streams):
        # Runs in pairs: one half, then the other.
        divided = streams[run - run % 2] if halves else None
        parts.append((method, triplets, divided, run % 2, int(stream.generate_state(1)[0] >> 1)))
    reference, *others = results_of(_fitted, parts, progress)
    return DimensionReproducibility(
        np.array([best_matches(reference[placed], other[placed]) for other in others]),
        np.array([other.shape[1] for other in others]), reference, halves, measured, unit,
    )


def _fitted(
    method: Method, data: Triplets | RatedDissimilarities, divided: np.random.SeedSequence | None,
    which: int, seed: int, halt: CancelToken,
) -> np.ndarray:
    """Weights of a fit to all data, or to one of its halves."""
    method = clone(method).set_params(seed=seed)
    if divided is None:
        return method.fit(data, progress=halt).embedding_
    rng = np.random.default_rng(divided)
    if isinstance(data, RatedDissimilarities):
        return method.fit_similarities(_half(data, rng, which), progress=halt).embedding_
    half = np.flatnonzero(question_folds(data, 2, rng) == which)
    return method.fit(data.take(half), progress=halt).embedding_


def _half(given: RatedDissimilarities, rng: np.random.Generator, which: int) -> Similarities:
    """Similarities by half of the people, or of half of the pairs.

    The latter where not two people are known, or those of a half judged too few objects.
    """
    if given.raters[1:]:
        order = rng.permutation(given.raters)
        with suppress(DataError):
            halves = [given.of_raters(order[k::2].tolist()) for k in range(2)]
            return Similarities.measured(halves[which], given.objects)
    similar = Similarities.measured(given)
    first, second = similar.pairs
    gone = rng.permutation(len(first))[1 - which :: 2]
    return similar.without(first[gone], second[gone])


@dataclass(frozen=True)
class DimensionBootstrap:
    """Variation of weights with other trials, or other people.

    Attributes
    ----------
    embedding : ndarray, shape (n, d)
        The weights.
    sd : ndarray, shape (n, d)
        Standard deviation over resamples.
    low, high : ndarray, shape (n, d)
        Middle 95 % of the resamples, from 0 up; for participants, widened about `embedding` as
        their number requires. The penalty shrinks weights: in simulations the intervals contained
        81 to 89 % of planted weights above zero.
    replicates : int
    unit : {"answers", "participants", "both"}
        Resampling unit.
    n_units : int
        Number of units.
    """

    embedding: np.ndarray
    sd: np.ndarray
    low: np.ndarray
    high: np.ndarray
    replicates: int
    unit: str
    n_units: int


@task("Resampling trials", "dimensions", columns=("participant",), first={"replicates": 10})
def bootstrap_dimensions(
    method: Method, triplets: Triplets, *,
    replicates: Annotated[
        int, Number(10, 10_000, "Resamples", "More of them make the intervals smoother.")
    ] = 100,
    unit: Unit = "auto", seed: Seed = 0, progress: Progress = silent,
) -> DimensionBootstrap:
    """Uncertainty of SPoSE's weights, by fits to resampled trials or people.

    Every fit begins at the dimensions of the fit to all trials, which keeps their order: the
    uncertainty is of weights on these dimensions, not of which dimensions there are.

    Parameters
    ----------
    method : SPoSE
        Not changed.
    triplets : Triplets or array-like of int, shape (T, 3)
    progress : Progress
        Called after every fit.

    Raises
    ------
    DataError
        If there are no usable trials, or participants are the unit and fewer than two are known.
    ValueError
        If the method has no penalty.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.read("sample_data/odd_one_out/answers.csv")
    >>> method = ts.dimensions.SPoSE(n_components=10, penalty=4)
    >>> found = ts.dimensions.bootstrap_dimensions(method, answers, replicates=10)
    >>> found.sd.shape == found.embedding.shape
    True
    """
    if not hasattr(method, "penalty"):
        raise ValueError(f"{method.title} has no penalty: weights of SPoSE are resampled.")
    triplets = as_triplets(triplets)
    units = sampling_units(triplets, unit)
    trials = trials_of(triplets)
    fitted = clone(method).fit(triplets)
    if not fitted.n_dimensions_:
        raise DataError(
            "no dimension is left whose weights could be resampled", file=triplets.name,
            remedy="Lower the penalty, or use more trials.",
        )
    streams = np.random.SeedSequence(seed).spawn(replicates)
    parts = [
        (trials, units, fitted.penalty_, fitted.embedding_, method.max_iter, stream)
        for stream in streams
    ]
    result = list(results_of(_resampled, parts, progress))
    low, high = np.quantile(result, [0.025, 0.975], axis=0)
    if units.degrees is not None:
        wider = np.sqrt(units.correction) * t.ppf(0.975, units.degrees) / norm.ppf(0.975)
        low, high = (
            np.maximum(fitted.embedding_ + wider * (end - fitted.embedding_), 0.0)
            for end in (low, high)
        )
    return DimensionBootstrap(
        fitted.embedding_, np.sqrt(units.correction) * np.std(result, axis=0, ddof=1), low, high,
        replicates, units.unit, units.number,
    )


def _resampled(trials, units, penalty, start, max_iter, stream, halt: CancelToken) -> np.ndarray:
    counts = units.drawn(np.random.default_rng(stream))[trials.answer]
    drawn = trials.reweighted(trials.weight * counts)
    # A weight of zero may become positive; a dimension of zeros could not.
    return penalised(drawn, penalty, start, max_iter=max_iter, tol=_TOLERANCE, progress=halt).x
