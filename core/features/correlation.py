"""Rank correlation of feature distances with the distances of a map."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
import pandas as pd
from scipy.special import stdtr, stdtrit
from scipy.stats import kendalltau

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.geometry import distances
from tripletscope.core.data.quadruples import as_answers
from tripletscope.core.data.triplets import Answers
from tripletscope.core.engine.declared import Choice, Number, Seed
from tripletscope.core.engine.estimate import Estimate
from tripletscope.core.engine.method import MethodParameter, make_method
from tripletscope.core.engine.parallel import CancelToken, results_of
from tripletscope.core.engine.progress import Progress, Stopped, part, silent
from tripletscope.core.engine.task import task
from tripletscope.core.features.explain import LEVEL
from tripletscope.core.features.feature_model import FeatureModel
from tripletscope.core.features.intervals import crossed_variance
from tripletscope.core.features.splits import prepared
from tripletscope.core.inference.held_out.units import SamplingUnits, Unit, sampling_units
from tripletscope.core.inference.uncertainty.resampling import bootstrap
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding, map_of
from tripletscope.core.models.embedding.ste import STE

COEFFICIENTS = {"spearman": "Spearman", "tau": "Kendall's tau-a"}
#: Most objects for tau-a, which compares all pairs of pairs.
MOST_FOR_TAU = 200
#: Splits of people, or trials, into halves.
_HALVES = 8


@dataclass(frozen=True)
class MapCorrelation:
    """Rank correlation of the distances of s feature spaces with those of a map.

    Attributes
    ----------
    spaces : list of str
    coefficient : {"spearman", "tau"}
    correlation : Estimate, shape (s,)
        Over objects and answers: other objects, judged by other people.
    objects : Estimate, shape (s,)
        The same, with a percentile interval over objects alone, with the map as it is.
    behind : Estimate, shape (s,)
        Lead of the space with the highest correlation, over objects and answers.
    ceiling_lower : float
        Correlation of maps of two halves of the answers.
    ceiling_upper : float
        Highest expected correlation of a space with the map: the root of the map's reliability, by
        the Spearman-Brown formula.
    samples : ndarray, shape (r, s)
        Correlations for resampled objects.
    n_objects : int
    """

    spaces: list[str]
    coefficient: str
    correlation: Estimate
    objects: Estimate
    behind: Estimate
    ceiling_lower: float
    ceiling_upper: float
    samples: np.ndarray
    n_objects: int

    @property
    def significant(self) -> np.ndarray:
        """(s,) bool: above 0, at 2.5 % for all spaces together (one-sided, Bonferroni)."""
        value, low, _ = self.correlation.interval
        degrees = min(self.n_objects, self.correlation.n) - 1
        error = (value - low) / stdtrit(degrees, 0.975)
        t = np.divide(value, error, out=np.zeros(len(error)), where=error > 0)
        return stdtr(degrees, -t) * len(t) <= LEVEL

    @property
    def table(self) -> pd.DataFrame:
        """One row per space."""
        return pd.DataFrame({
            "space": self.spaces, "correlation": self.correlation.value,
            "low": self.correlation.low, "high": self.correlation.high,
            "objects_low": self.objects.low, "objects_high": self.objects.high,
            **self.behind.columns("behind"),
            "ceiling_lower": self.ceiling_lower, "ceiling_upper": self.ceiling_upper,
        })


@task("Correlating features with the map", "spaces", columns=("participant",))
def map_correlation(
    spaces: FeatureModel, answers: Answers, *,
    embedding: Annotated[
        OrdinalEmbedding | dict | None,
        MethodParameter(("embedding",), "Map", "Whose distances are compared.", automatic="STE"),
    ] = None,
    coefficient: Annotated[str, Choice(
        COEFFICIENTS, "Coefficient", "Kendall's tau-a suits features with many ties, such as "
        "categories, which Spearman's coefficient favours."
    )] = "spearman",
    replicates: Annotated[int, Number(20, 10_000, "Bootstrap replicates")] = 200,
    unit: Unit = "auto", seed: Seed = 0, progress: Progress = silent,
) -> MapCorrelation:
    """Rank correlation of feature distances with the distances of a map of the answers.

    Parameters
    ----------
    spaces : FeatureModel, FeatureSpace or list of FeatureSpace
    answers : Triplets, Quadruples or array-like of int, shape (T, 3) or (T, 4)
    embedding : OrdinalEmbedding, optional
        By default STE in two dimensions.

    Raises
    ------
    DataError
        If there are more than 200 objects for tau-a, or fewer than five.

    Notes
    -----
    Objects are drawn with replacement; a pair of an object with itself is left out. The interval
    over objects and answers is by Student's t at the smaller number of them and the variance
    ``2 (v_objects + v_answers) - v_both``, between the larger of the former and the last, because
    drawing both at once counts the noise of answers twice.

    References
    ----------
    Schütt, H. H., Kipnis, A. D., Diedrichsen, J., & Kriegeskorte, N. (2023). Statistical inference
    on representational geometries. eLife, 12, e82566. Nili, H., et al. (2014). A toolbox for
    representational similarity analysis. PLoS Computational Biology, 10, e1003553.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.read("sample_data/ekman_colors/answers.csv")
    >>> objects = ts.features.read_objects("sample_data/ekman_colors/objects.csv")
    >>> wavelength = ts.features.FeatureSpace.of(objects, answers, name="wavelength")
    >>> found = ts.features.map_correlation(wavelength, answers, replicates=20)
    >>> bool(0.3 < found.correlation.value[0] < found.ceiling_upper)
    True
    """
    answers = as_answers(answers)
    tables, has_features, _ = prepared(spaces, answers)
    method = STE() if embedding is None else make_method(embedding)
    fitted = method.fit(answers)
    objects = np.flatnonzero(has_features & fitted.placed_)
    if len(objects) < 5 or (coefficient == "tau" and len(objects) > MOST_FOR_TAU):
        raise DataError(
            f"{len(objects):,} objects are too {'few' if len(objects) < 5 else 'many'} for "
            f"{COEFFICIENTS[coefficient]}", file=answers.name,
            remedy="Give features of at least five objects." if len(objects) < 5
            else f"Choose Spearman's coefficient beyond {MOST_FOR_TAU} objects.",
        )
    ranked = _Ranked(
        [_Vector.of(space.dissimilarities()[np.ix_(objects, objects)]) for space in tables],
        coefficient, len(objects),
    )
    whole = _Vector.of(distances(fitted.embedding_[objects]))
    value = ranked.with_map(whole)
    maps = bootstrap(
        method, answers, replicates=replicates, unit=unit, seed=seed, reference=fitted.embedding_,
        progress=part(progress, high=0.6),
    )
    if len(maps.embeddings) < replicates:
        raise Stopped
    rng = np.random.default_rng(seed)
    others = [_Vector.of(distances(one[objects])) for one in maps.embeddings]
    drawn, noisy, both = _resampled(ranked, whole, others, rng, part(progress, 0.6, 0.9))
    units = sampling_units(answers, unit)
    lower = _between_halves(method, answers, objects, units, ranked, rng)
    degrees = min(len(objects), units.number) - 1
    reach = _half_width(drawn, noisy, both, maps.correction, degrees)
    best = int(np.argmax(value))
    ahead = _half_width(*(one[:, [best]] - one for one in (drawn, noisy, both)), maps.correction,
                   degrees)
    progress(1.0)

    def estimated(*interval: np.ndarray) -> Estimate:
        return Estimate(*interval, units.unit, units.number)

    lead = value[best] - value
    return MapCorrelation(
        [space.name for space in tables], coefficient,
        estimated(value, np.maximum(value - reach, -1.0), np.minimum(value + reach, 1.0)),
        estimated(value, *np.quantile(drawn, [0.025, 0.975], axis=0)),
        estimated(lead, lead - ahead, lead + ahead),
        lower, float(np.sqrt(2 * lower / (1 + lower))) if lower > 0 else 0.0, drawn, len(objects),
    )


def _resampled(
    ranked: _Ranked, whole: _Vector, others: list[_Vector], rng: np.random.Generator,
    progress: Progress,
) -> np.ndarray:
    """(3, r, s) correlations with other objects, with maps of other answers, and with both."""
    times = [np.bincount(rng.integers(ranked.n, size=ranked.n), minlength=ranked.n) for _ in others]
    pieces = [(ranked, whole, drawn) for drawn in times]
    pieces += [(ranked, one, None) for one in others]
    pieces += [(ranked, one, drawn) for one, drawn in zip(others, times, strict=True)]
    result = list(results_of(_Ranked.with_map, pieces, progress))
    return np.reshape(result, (3, len(others), -1))


def _half_width(
    objects: np.ndarray, answers: np.ndarray, both: np.ndarray, correction: float, degrees: int
) -> np.ndarray:
    """(s,) half the width of the interval over objects and answers, from replicates (r, s)."""
    variance = crossed_variance(
        objects.var(axis=0, ddof=1), answers.var(axis=0, ddof=1) * correction,
        both.var(axis=0, ddof=1),
    )
    return stdtrit(degrees, 0.975) * np.sqrt(variance)


@dataclass(frozen=True, eq=False)
class _Vector:
    """Distances of all pairs: which exist, and the rank of each among different values."""

    place: np.ndarray
    finite: np.ndarray

    @classmethod
    def of(cls, matrix: np.ndarray) -> _Vector:
        upper = matrix[np.triu_indices(len(matrix), 1)]
        finite = np.isfinite(upper)  # a replicate may not place an object
        upper = np.where(finite, upper, 0.0)
        scale = np.abs(upper).max(initial=0.0) or 1.0
        # Values that are equal but for rounding are ties.
        return cls(np.unique(np.round(upper / scale, 9), return_inverse=True)[1], finite)

    def ranks(self, weight: np.ndarray) -> np.ndarray:
        """(pairs,) mid-ranks, with a frequency of each pair."""
        held = np.bincount(self.place, weight)
        return (np.cumsum(held) - held / 2)[self.place]


@dataclass(frozen=True, eq=False)
class _Ranked:
    """Distances of feature spaces that are correlated with those of maps."""

    spaces: list[_Vector]
    coefficient: str
    n: int

    def with_map(
        self, other: _Vector, times: np.ndarray | None = None, halt: CancelToken | None = None
    ) -> np.ndarray:
        """(s,) correlations; with `times`, of objects drawn that often."""
        i, j = np.triu_indices(self.n, 1)
        weight = np.ones(len(i)) if times is None else (times[i] * times[j]).astype(float)
        weight *= other.finite
        kept = weight > 0
        if self.coefficient == "tau":
            return np.array([
                _tau_a(space.place[kept], other.place[kept], weight[kept].astype(np.int64))
                for space in self.spaces
            ])
        weight = weight / weight.sum()
        theirs = other.ranks(weight)
        theirs = theirs - weight @ theirs
        result = []
        for space in self.spaces:
            mine = space.ranks(weight)
            mine = mine - weight @ mine
            size = np.sqrt((weight @ mine**2) * (weight @ theirs**2))
            result.append(weight @ (mine * theirs) / size if size > 0 else 0.0)
        return np.array(result)


def _tau_a(one: np.ndarray, other: np.ndarray, times: np.ndarray) -> float:
    one, other = np.repeat(one, times), np.repeat(other, times)
    n = len(one) * (len(one) - 1) / 2
    untied = [
        n - float(np.sum(size * (size - 1) / 2))
        for size in (np.bincount(one).astype(float), np.bincount(other).astype(float))
    ]
    if not min(untied) > 0:
        return 0.0
    return float(kendalltau(one, other).statistic * np.sqrt(untied[0] * untied[1]) / n)


def _between_halves(
    method: OrdinalEmbedding, answers: Answers, objects: np.ndarray,
    units: SamplingUnits, ranked: _Ranked, rng: np.random.Generator,
) -> float:
    """Mean correlation of the maps of two halves of people, or of trials."""
    result = []
    for _ in range(_HALVES):
        maps = []
        for one in units.halves(rng):
            placed = map_of(method, answers.take(one))
            maps.append(_Vector.of(distances(placed[objects])))
        there = _Vector(maps[1].place, maps[0].finite & maps[1].finite)
        both = _Ranked(maps[:1], ranked.coefficient, ranked.n)
        result.append(float(both.with_map(there)[0]))
    return float(np.mean(result))
