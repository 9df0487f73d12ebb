"""Dimensions of several fits beside one another: which are shared, and what parts them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Annotated

import numpy as np
import pandas as pd
from scipy.optimize import linear_sum_assignment

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.quadruples import as_answers
from tripletscope.core.data.triplets import Judgements
from tripletscope.core.dimensions.reproducibility import NEAREST, fisher_mean, standardised
from tripletscope.core.engine.declared import Number
from tripletscope.core.engine.options import Seed
from tripletscope.core.engine.parallel import Halt, results_of
from tripletscope.core.engine.progress import Progress, silent
from tripletscope.core.engine.task import task
from tripletscope.core.features.combining import FeatureModel

#: Objects that all fits have in common at least.
FEWEST = 10
#: Of one test for all pairs of dimensions of two fits.
LEVEL = 0.05
#: Dimensions of a fit, so that pairs of dimensions stay few.
MOST = 500
#: Standard deviations of correlations are no smaller.
_LEAST = 1e-6


@dataclass(frozen=True)
class SharedDimensions:
    """Dimensions of f fits of the same objects; the first is the reference.

    The o others come in their order. Those with fewer than e dimensions, as many as the largest
    has, are filled up with NaN.

    Attributes
    ----------
    fits : list of str
    dimensions : list of str
        What the dimensions of all fits are called, one fit after the other.
    n_dimensions : ndarray of int, shape (f,)
    correlations : ndarray, shape (o, d, e)
        Of each dimension of the reference (rows) with each of the other fit, over objects.
    place : ndarray of int, shape (o, d)
        Dimension of the other fit that each is matched with, one to one; -1 for none.
    low, high : ndarray, shape (o, d)
        95 % interval of the correlation with it, over objects; the matching is taken as it is. In
        simulations with 20 to 200 objects and skewed weights they held 85 to 96 % of true ones.
    p : ndarray, shape (o, d)
        That any dimension of unrelated fits, matched in the same way, correlates as unusually.
    chance : ndarray, shape (o, d)
        Correlation beyond which a pair is shared. It is high of a dimension of one or two objects.
    mean : ndarray, shape (f, f)
        Mean correlation of matched dimensions of two fits, by Fisher's z; those of the larger fit
        that are left over take no part.
    mean_p : ndarray, shape (f, f)
        That unrelated fits reach such a mean; NaN on the diagonal.
    apart : ndarray, shape (o, d, m)
        By how much more of a dimension each object has in the other fit, in standard deviations;
        NaN of dimensions without a partner.
    objects : ndarray of int, shape (m,)
        Those that are in all fits.
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
    mean_p: np.ndarray
    apart: np.ndarray
    objects: np.ndarray

    def names(self, fit: int) -> list[str]:
        """What the dimensions of a fit are called; the reference is 0."""
        ends = np.cumsum(self.n_dimensions)
        return self.dimensions[ends[fit] - self.n_dimensions[fit] : ends[fit]]

    @property
    def shared(self) -> np.ndarray:
        """(o, d) bool: dimensions of the reference that the other fit has, too.

        Silent on: unrelated fits
        (tests/core/features/test_shared_dimensions.py::test_unrelated_fits_share_nothing).
        """
        return self.p <= LEVEL

    @property
    def matched(self) -> np.ndarray:
        """(o, d) correlation with the partner; NaN without one."""
        found = np.take_along_axis(
            self.correlations, np.maximum(self.place, 0)[:, :, None], axis=2
        )[:, :, 0]
        return np.where(self.place >= 0, found, np.nan)

    def without_partner(self, k: int) -> list[str]:
        """Dimensions of another fit that share nothing with the reference."""
        return [name for j, name in enumerate(self.names(k + 1))
                if j not in self.place[k, self.shared[k]]]

    def table(self, k: int) -> pd.DataFrame:
        """One row for each dimension of the reference, beside another fit."""
        names = [*self.names(k + 1), ""]
        return pd.DataFrame({
            "dimension": self.names(0), "partner": [names[j] for j in self.place[k]],
            "correlation": self.matched[k], "low": self.low[k], "high": self.high[k],
            "chance": self.chance[k], "p": self.p[k], "shared": self.shared[k],
            "highest": np.nanmax(self.correlations[k], axis=1),
        })

    def parting(self, k: int, dimension: int, most: int) -> tuple[np.ndarray, np.ndarray]:
        """Objects that have most less, and most more, of a dimension in another fit."""
        apart = self.apart[k, dimension]
        order = np.argsort(apart, kind="stable")
        less, more = order[:most], order[::-1][:most]
        return self.objects[less[apart[less] < 0]], self.objects[more[apart[more] > 0]]


@task("Matching dimensions", "spaces")
def shared_dimensions(
    spaces: FeatureModel,
    answers: Judgements,
    *,
    permutations: Annotated[int, Number(
        99, 10_000, "Permutations", "Of the objects, as if the fits were unrelated.",
    )] = 999,
    resamples: Annotated[int, Number(
        100, 10_000, "Resamples", "Of the objects, for the intervals.", advanced=True,
    )] = 1000,
    seed: Seed = 0,
    progress: Progress = silent,
) -> SharedDimensions:
    """Match the dimensions of several fits, and tell which are shared.

    Parameters
    ----------
    spaces : FeatureModel or list of FeatureSpace
        Tables of weights, one column for each dimension: of people, of a network, of groups. The
        first is the reference.
    answers : Triplets or Quadruples
        Whose objects they are about.
    permutations, resamples, seed : int
    progress : Progress

    Returns
    -------
    SharedDimensions

    Raises
    ------
    DataError
        If there is only one table, one has distances alone or too many columns, or fewer than ten
        objects are in all of them.
    Stopped
        If `progress` asks to stop before the end.

    Notes
    -----
    The matching is one to one and maximises the sum of correlations. Objects are permuted as if the
    fits were unrelated, and matched again. A correlation counts in standard deviations from the
    mean of its dimension in permutations, since a dimension of a single object is correlated with
    another such one, or not at all. A pair is shared if it is beyond the largest of all pairs in
    95 % of permutations (maxT of Westfall and Young). Weights are as they were fitted: noise in
    them, and objects that have fewer trials in both fits, are not taken into account.

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
    >>> found = ts.dimensions.shared_dimensions([people, network], answers)
    >>> found.place[0].tolist(), found.shared[0].tolist()
    ([1, -1, 0], [True, False, True])
    """
    about = as_answers(answers)
    method = spaces if isinstance(spaces, FeatureModel) else FeatureModel.of(spaces)
    fits = method.spaces_about(about.n_objects)
    _refuse(fits)
    objects = np.flatnonzero(np.logical_and.reduce([fit.known for fit in fits]))
    if len(objects) < FEWEST:
        raise DataError(
            f"{len(objects):,} objects are in all fits; {FEWEST} are needed", file=about.name,
            remedy="Choose fits of the same objects.",
        )
    tables = [standardised(fit.values[objects].astype(float)) for fit in fits]
    pairs = list(combinations(range(len(fits)), 2))
    seeds = np.random.SeedSequence(seed).spawn(len(pairs))
    results = list(results_of(_paired, [
        (tables[i], tables[j], permutations, resamples if i == 0 else 0, child)
        for (i, j), child in zip(pairs, seeds, strict=True)
    ], progress))
    mean, mean_p = np.eye(len(fits)), np.full((len(fits), len(fits)), np.nan)
    for (i, j), result in zip(pairs, results, strict=True):
        mean[i, j] = mean[j, i] = result[0]
        mean_p[i, j] = mean_p[j, i] = result[1]
    beside = [result[2:] for (i, _), result in zip(pairs, results, strict=True) if i == 0]
    place, p, low, high, chance = (np.array(values) for values in zip(*beside, strict=True))
    d, most = tables[0].shape[1], max(table.shape[1] for table in tables)
    r, apart = np.full((len(place), d, most), np.nan), np.full((*place.shape, len(objects)), np.nan)
    for k, other in enumerate(tables[1:]):
        r[k, :, : other.shape[1]] = tables[0].T @ other
        has = place[k] >= 0
        apart[k, has] = (other[:, place[k, has]] - tables[0][:, has]).T * np.sqrt(len(objects))
    return SharedDimensions(
        [fit.name for fit in fits], [name for fit in fits for name in fit.names],
        np.array([fit.n_features for fit in fits]), r, place, low, high, p,
        chance, mean, mean_p, apart.astype(np.float32), objects,
    )


def _refuse(fits: list) -> None:
    """Raise what hinders a comparison of tables of dimensions."""
    if len(fits) < 2:
        raise DataError(
            "there is only one table of dimensions", file=fits[0].name, remedy="Give at least two.",
        )
    for fit in fits:
        if fit.values is None or fit.n_features > MOST:
            what = "distances alone" if fit.values is None else f"{fit.n_features:,} columns"
            raise DataError(
                f"this table has {what}; it is no table of dimensions", file=fit.name,
                remedy=f"Give a table of at most {MOST} dimensions.",
            )


def _paired(
    one: np.ndarray, other: np.ndarray, permutations: int, resamples: int,
    seed: np.random.SeedSequence, halt: Halt,
) -> tuple:
    """Mean correlation and its p; of each dimension partner, p and interval; and chance.

    Shapes: one (m, d), other (m, e), standardised to length 1.
    """
    rng, d = np.random.default_rng(seed), one.shape[1]
    has, partner, r = _assigned(one, other)
    place, found = np.full(d, -1), np.full(d, np.nan)
    place[has], found[has] = partner, r
    unrelated = np.full((permutations, d), np.nan)
    for k in range(permutations):
        rows, _, values = _assigned(one[rng.permutation(len(one))], other)
        unrelated[k, rows] = values
        if halt():
            unrelated = unrelated[: k + 1]
            break
    middle, spread = np.nanmean(unrelated, axis=0), np.nanstd(unrelated, axis=0) + _LEAST
    highest = np.nanmax((unrelated - middle) / spread, axis=1)
    p = np.where(place < 0, 1.0, _share(highest, (found - middle) / spread))
    chance = np.minimum(middle + spread * np.quantile(highest, 1 - LEVEL), 1.0)
    low, high = np.full((2, d), np.nan)
    if resamples:
        low[has], high[has] = _interval(one[:, has], other[:, partner], r, resamples, rng)
    mean = fisher_mean(r, axis=0)
    means = np.nanmean(np.arctanh(np.clip(unrelated, -NEAREST, NEAREST)), axis=1)
    return float(mean), float(_share(np.tanh(means), mean)), place, p, low, high, chance


def _assigned(one: np.ndarray, other: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(k,) columns of the one, their partners and their correlations, which add up to most."""
    r = one.T @ other
    rows, columns = linear_sum_assignment(r, maximize=True)
    return rows, columns, r[rows, columns]


def _share(unrelated: np.ndarray, values: np.ndarray) -> np.ndarray:
    """P values: the share of permutations that reach each, counting the data as one of them."""
    reached = (unrelated >= np.asarray(values)[..., None]).sum(axis=-1)
    return (1 + reached) / (1 + len(unrelated))


def _interval(
    one: np.ndarray, other: np.ndarray, r: np.ndarray, resamples: int, rng: np.random.Generator
) -> np.ndarray:
    """(2, k) 95 % intervals of correlations (k,), by the bootstrap of Fisher's z over objects.

    Shapes: one, other (m, k).
    """
    m, z = len(one), []
    products = np.hstack([one, other, one * one, other * other, one * other])
    for _ in range(resamples):
        counts = np.bincount(rng.integers(m, size=m), minlength=m) / m
        a, b, aa, bb, ab = (counts @ products).reshape(5, -1)
        spread = np.sqrt(np.maximum((aa - a * a) * (bb - b * b), 0))
        with np.errstate(invalid="ignore", divide="ignore"):
            drawn = np.nan_to_num((ab - a * b) / spread)  # a column may be constant by chance
        z.append(np.arctanh(np.clip(drawn, -NEAREST, NEAREST)))
    reach = 1.96 * np.std(z, axis=0, ddof=1)
    return np.tanh(np.arctanh(np.clip(r, -NEAREST, NEAREST)) + np.array([-reach, reach]))
