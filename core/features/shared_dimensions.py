"""Dimensions of several fits side by side: which are shared, and where objects differ."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Annotated

import numpy as np
import pandas as pd

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.quadruples import as_answers
from tripletscope.core.data.triplets import Answers
from tripletscope.core.engine.declared import Number, Seed
from tripletscope.core.engine.parallel import CancelToken, results_of
from tripletscope.core.engine.progress import Progress, silent
from tripletscope.core.engine.task import task
from tripletscope.core.features.feature_model import FeatureModel
from tripletscope.core.models.dimensions.reproducibility import (
    NEAREST,
    fisher_mean,
    matched,
    standardised,
)

#: Fewest common objects of all fits, and most dimensions of a fit.
FEWEST, MOST = 10, 500
#: Objects whose sum of weights is at most this share of the mean in every fit are left out.
_WEIGHTLESS = 0.05
#: Of one test for all pairs of dimensions of two fits.
LEVEL = 0.05
#: Resamples of the objects for an interval.
_RESAMPLES = 1000


@dataclass(frozen=True)
class SharedDimensions:
    """Dimensions of f fits of the same objects; the first is the reference, o are others.

    The largest fit has e dimensions; missing ones of smaller fits are NaN.

    Attributes
    ----------
    fits : list of str
    dimensions : list of str
        Names of the dimensions of all fits, one fit after the other.
    n_dimensions : ndarray of int, shape (f,)
    correlations : ndarray, shape (o, d, e)
        Of each dimension of the reference with each of another fit, over objects.
    place : ndarray of int, shape (o, d)
        The matched dimension of the other fit; -1 for none.
    low, high : ndarray, shape (o, d)
        95 % interval of its correlation over objects, given the matching; with 20 to 200 simulated
        objects and skewed weights, 85 to 96 % contained the true one.
    p : ndarray, shape (o, d)
        That any matched dimension of unrelated fits correlates as unusually.
    chance : ndarray, shape (o, d)
        Correlation that a shared pair exceeds; high for a dimension of one or two objects.
    mean : ndarray, shape (f, f)
        Mean correlation of matched dimensions of two fits, by Fisher's z.
    difference : ndarray, shape (o, d, m)
        Weight of each object in the other fit minus that in the reference, in standard deviations.
    objects : ndarray of int, shape (m,)
        Objects of all fits that have some weight in one of them.
    """

    fits: list[str]
    dimensions: list[str]
    n_dimensions: np.ndarray
    correlations: np.ndarray
    place: np.ndarray
    low: np.ndarray
    high: np.ndarray
    p: np.ndarray
    chance: np.ndarray
    mean: np.ndarray
    difference: np.ndarray
    objects: np.ndarray

    def names(self, fit: int) -> list[str]:
        """Names of the dimensions of a fit; the reference is 0."""
        begin = int(self.n_dimensions[:fit].sum())
        return self.dimensions[begin : begin + self.n_dimensions[fit]]

    @property
    def shared(self) -> np.ndarray:
        """(o, d) bool: dimensions of the reference that the other fit has, too."""
        return self.p <= LEVEL

    def table(self, k: int) -> pd.DataFrame:
        """One row for each dimension of the reference, beside another fit."""
        names, place = [*self.names(k + 1), ""], self.place[k]
        r = np.where(place < 0, np.nan, self.correlations[k][np.arange(len(place)), place])
        return pd.DataFrame({
            "dimension": self.names(0), "partner": [names[j] for j in place], "correlation": r,
            "low": self.low[k], "high": self.high[k], "chance": self.chance[k], "p": self.p[k],
            "shared": self.shared[k],
        })

    def parting(self, k: int, dimension: int, most: int) -> tuple[np.ndarray, np.ndarray]:
        """Objects that have the most less, and the most more, of a dimension in another fit."""
        difference = self.difference[k, dimension]
        order = np.argsort(difference, kind="stable")
        less, more = order[:most], order[::-1][:most]
        return self.objects[less[difference[less] < 0]], self.objects[more[difference[more] > 0]]


@task("Matching dimensions", "spaces")
def shared_dimensions(
    spaces: FeatureModel, answers: Answers, *,
    permutations: Annotated[int, Number(
        99, 10_000, "Permutations", "Of the objects, as if the fits were unrelated.",
    )] = 999,
    seed: Seed = 0, progress: Progress = silent,
) -> SharedDimensions:
    """Match the dimensions of several fits, and test which are shared.

    Parameters
    ----------
    spaces : FeatureModel or list of FeatureSpace
        Tables of weights, one column for each dimension: of people, of a network, of groups. The
        first is the reference.
    answers : Triplets or Quadruples
        Holds the objects.

    Raises
    ------
    DataError
        If there is only one table, one has distances alone or more than 500 columns, or fewer
        than ten objects are in all of them.

    Notes
    -----
    The matching is one to one and maximises the sum of correlations, as does that of permuted
    objects. Correlations are standardised by their dimension's permutations, because those of a
    dimension of one object are high or near zero. A pair is shared if it exceeds the largest of all
    pairs in 95 % of permutations (maxT of Westfall and Young), and so do its profiles: weights
    divided by the object's overall weight, which may be common to unrelated dimensions, and which a
    single dimension is. Objects near zero in all fits are left out. The test ignores noise in the
    weights, and objects with few trials in both fits.

    References
    ----------
    Mahner, F. P., et al. (2025). Dimensions underlying the representational alignment of deep
    neural networks with humans. Nature Machine Intelligence, 7, 848-859 (arXiv:2406.19087).
    Westfall, P. H., & Young, S. S. (1993). Resampling-based multiple testing. Wiley.

    Examples
    --------
    >>> import numpy as np, tripletscope as ts
    >>> rng = np.random.default_rng(0)
    >>> x, noise = rng.gamma(0.5, size=(2, 40, 3))
    >>> people = ts.features.FeatureSpace(name="people", values=x)
    >>> network = ts.features.FeatureSpace(name="network", values=x[:, [2, 0]] + noise[:, :2] / 4)
    >>> answers = ts.simulate(x, 100)
    >>> result = ts.dimensions.shared_dimensions([people, network], answers)
    >>> result.place[0].tolist(), result.shared[0].tolist()
    ([1, -1, 0], [True, False, True])
    """
    about = as_answers(answers)
    method = spaces if isinstance(spaces, FeatureModel) else FeatureModel.of(spaces)
    fits = method.spaces_about(about.n_objects)
    if len(fits) < 2:
        raise DataError("there is only one table", file=fits[0].name, remedy="Give at least two.")
    for fit in fits:
        if fit.values is None or fit.n_features > MOST:
            raise DataError("this is no table of dimensions", file=fit.name,
                            remedy=f"Give a row for each object and at most {MOST} columns.")
    in_all = np.logical_and.reduce([fit.known for fit in fits])
    size = np.array([np.abs(fit.values).sum(axis=1) for fit in fits])
    # Objects with hardly a trial are near zero in all fits.
    mean = size[:, in_all].mean(axis=1, keepdims=True)
    objects = np.flatnonzero(in_all & (size > _WEIGHTLESS * mean).any(axis=0))
    if len(objects) < FEWEST:
        raise DataError(
            f"{len(objects):,} objects have weights in all fits; {FEWEST} are needed",
            file=about.name, remedy="Choose fits of the same objects.",
        )
    weights = [fit.values[objects].astype(float) for fit in fits]
    first, *others = tables = [standardised(table) for table in weights]
    first_profile, *profiles = [_profiles(table) for table in weights]
    seeds = np.random.SeedSequence(seed).spawn(len(others))
    results = results_of(_paired, [
        ((first, other), (first_profile, profile), permutations, one)
        for other, profile, one in zip(others, profiles, seeds, strict=True)
    ], progress)
    place, p, low, high, chance = (np.array(values) for values in zip(*results, strict=True))
    mean = np.eye(len(fits))
    for i, j in combinations(range(len(fits)), 2):
        mean[i, j] = mean[j, i] = fisher_mean(matched(tables[i], tables[j])[2], axis=0)
    shape, d = (len(others), first.shape[1]), max(table.shape[1] for table in tables)
    r = np.full((*shape, d), np.nan)
    difference = np.full((*shape, len(objects)), np.nan, np.float32)
    for k, other in enumerate(others):
        r[k, :, : other.shape[1]] = first.T @ other
        has = place[k] >= 0
        difference[k, has] = (other[:, place[k, has]] - first[:, has]).T * np.sqrt(len(objects))
    return SharedDimensions(
        [fit.name for fit in fits], [name for fit in fits for name in fit.names],
        np.array([fit.n_features for fit in fits]), r, place, low, high, p, chance, mean,
        difference, objects,
    )


def _profiles(table: np.ndarray) -> np.ndarray:
    """(m, d) how the weight of each object is divided among dimensions, as `standardised`."""
    weight = np.abs(table).sum(axis=1, keepdims=True)
    return standardised(table / np.where(weight > 0, weight, 1.0))


def _paired(
    weights: tuple[np.ndarray, np.ndarray], profiles: tuple[np.ndarray, np.ndarray],
    permutations: int, seed: np.random.SeedSequence, halt: CancelToken,
) -> tuple[np.ndarray, ...]:
    """(d,) partner, p, both ends of the interval, and chance, of each dimension.

    Of `standardised` weights (m, d) and (m, e), and of their profiles.
    """
    one, other = weights
    rng, d = np.random.default_rng(seed), one.shape[1]
    has, partner, r = matched(one, other)
    place, result = np.full(d, -1), np.full((3, d), np.nan)
    place[has], result[0, has] = partner, r
    result[1:, has] = _interval(one[:, has], other[:, partner], r, rng)
    p, chance = _by_permutation(one, other, result[0], permutations, rng, halt)
    if min(d, other.shape[1]) > 1:
        # Objects with more weight in both fits correlate on any dimensions.
        alike = np.full(d, np.nan)
        alike[has] = np.einsum("mk,mk->k", profiles[0][:, has], profiles[1][:, partner])
        p = np.maximum(p, _by_permutation(*profiles, alike, permutations, rng, halt)[0])
    return place, np.where(place < 0, 1.0, p), result[1], result[2], chance


def _by_permutation(
    one: np.ndarray, other: np.ndarray, r: np.ndarray, permutations: int,
    rng: np.random.Generator, halt: CancelToken,
) -> tuple[np.ndarray, np.ndarray]:
    """(d,) p values of correlations (d,) of matched dimensions, and those at `LEVEL`."""
    unrelated = np.full((permutations, one.shape[1]), np.nan)
    for k in range(permutations):
        rows, _, values = matched(one[rng.permutation(len(one))], other)
        unrelated[k, rows] = values
        if halt():
            unrelated = unrelated[: k + 1]
            break
    middle, spread = np.nanmean(unrelated, axis=0), np.nanstd(unrelated, axis=0) + 1e-6
    highest = np.nanmax((unrelated - middle) / spread, axis=1)
    # The data are one of the permutations.
    reached = (highest[:, None] >= (r - middle) / spread).sum(axis=0)
    chance = np.minimum(middle + spread * np.quantile(highest, 1 - LEVEL), 1.0)
    return (1 + reached) / (1 + len(highest)), chance


def _interval(
    one: np.ndarray, other: np.ndarray, r: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """(2, k) 95 % intervals of correlations (k,), by the bootstrap of Fisher's z over objects."""
    m, z = len(one), []
    products = np.hstack([one, other, one * one, other * other, one * other])
    for _ in range(_RESAMPLES):
        counts = np.bincount(rng.integers(m, size=m), minlength=m) / m
        a, b, aa, bb, ab = (counts @ products).reshape(5, -1)
        spread = np.sqrt(np.maximum((aa - a * a) * (bb - b * b), 0))
        with np.errstate(invalid="ignore", divide="ignore"):
            drawn = np.nan_to_num((ab - a * b) / spread)  # a column may be constant by chance
        z.append(np.arctanh(np.clip(drawn, -NEAREST, NEAREST)))
    reach = 1.96 * np.std(z, axis=0, ddof=1)
    return np.tanh(np.arctanh(np.clip(r, -NEAREST, NEAREST)) + np.array([-reach, reach]))
