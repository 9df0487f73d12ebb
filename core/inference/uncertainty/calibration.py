"""Coverage of ellipses and calibration of order certainty, by simulated data like the user's."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np
from scipy.special import stdtrit
from sklearn.base import clone

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.geometry import procrustes, rms
from tripletscope.core.data.triplets import Triplets, as_triplets, numbered_objects
from tripletscope.core.engine.declared import Number, Seed
from tripletscope.core.engine.parallel import CancelToken, in_parallel
from tripletscope.core.engine.progress import Progress, Stopped, silent
from tripletscope.core.engine.task import task
from tripletscope.core.inference.held_out.units import Unit, participants_of, sampling_units
from tripletscope.core.inference.uncertainty.heterogeneity import heterogeneity
from tripletscope.core.inference.uncertainty.samples import Samples
from tripletscope.core.inference.uncertainty.sources import Maps, Source, Spread, samples_from
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding
from tripletscope.core.models.optimise.loss import answer_losses, margins
from tripletscope.core.models.simulation.simulate import answer, personal_maps, random_questions

#: Nominal coverage of the ellipses.
LEVELS = (0.5, 0.8, 0.95)
#: Classes of probabilities from 1/2 to 1.
_BINS = 10
#: Comparisons of every data set.
_JUDGED = 20_000
#: Fewest maps of an object that has an ellipse.
_LEAST_MAPS = 10
#: Sizes of the truth, relative to the map, and noise levels to interpolate between.
_SIZES = (0.3, 0.45, 0.6, 0.75, 0.9, 1.05, 1.3)
_NOISES = (0.0, 0.1, 0.2, 0.4, 0.7, 1.2, 2.0)
#: Crowds like the user's, whose common map stands for that of very many people.
_CROWDS = 25
#: Half-axes of ellipses and distances that count as 0, relative to the map.
_FLAT = 1e-6
#: Largest departure that counts as about right.
_TOLERATED = 0.03


@dataclass(frozen=True)
class Truth:
    """A truth to simulate answers about.

    positions (n, d).
    noise: Of the logarithms of distances, for methods without a model of answers.
    error: Share of training answers that a map contradicts.
    heterogeneity: Difference between the maps of participants, as in
        `tripletscope.core.models.simulation.simulate.personal_maps`; None for one observer.
    """

    positions: np.ndarray
    noise: float
    error: float
    heterogeneity: float | None = None


def simulated_answers(
    method: OrdinalEmbedding, truth: Truth, questions: np.ndarray, rng: np.random.Generator,
) -> np.ndarray:
    """Rows (anchor, near, far) by the method's likelihood, or else log-normal noise on distances.

    questions (T, 3): Anchor and two options.
    """
    if not method.is_likelihood:
        return answer(truth.positions, questions, rng, noise="lognormal", level=truth.noise)
    probability = np.exp(-answer_losses(method._loss(), truth.positions, questions))
    rows = questions.copy()
    swaps = rng.random(len(rows)) > probability
    rows[swaps, 1:] = rows[swaps, :0:-1]
    return rows


def estimated_truth(
    method: OrdinalEmbedding, triplets: Triplets, seed: int, progress: Progress = silent, *,
    differ: float | None = None,
) -> Truth:
    """A truth with the shape of the user's map and about as much noise in its answers.

    A map agrees with its own answers better than the truth does: the noise is that at which maps of
    simulated answers contradict as many of them.

    differ: `Truth.heterogeneity`.
    """
    fitted = clone(method).fit(triplets, progress=progress)
    if fitted.stopped_:
        raise Stopped
    shape = fitted.embedding_ - fitted.embedding_[fitted.placed_].mean(axis=0)
    single = clone(method).set_params(n_init=1)
    levels = _SIZES if method.is_likelihood else _NOISES

    def at(level: float) -> Truth:
        if method.is_likelihood:
            return Truth(level * shape, 0.0, np.nan, differ)
        return Truth(shape, level, np.nan, differ)

    errors = []
    for level, child in zip(levels, np.random.SeedSequence(seed).spawn(len(levels)), strict=True):
        simulated = _like(method, triplets, at(level), np.random.default_rng(child))
        # These maps are not the user's, and the first fit has reported its end.
        again = clone(single).fit(simulated, progress=lambda *_, **__: progress(1.0))
        if again.stopped_:
            raise Stopped
        errors.append(again.triplet_error_)
    # Errors of neighbouring levels may cross by chance; np.interp needs them in order.
    rising = -1 if method.is_likelihood else 1
    order = np.maximum.accumulate(np.array(errors)[::rising])
    level = float(np.interp(fitted.triplet_error_, order, levels[::rising]))
    return replace(at(level), error=float(fitted.triplet_error_))


def _like(
    method: OrdinalEmbedding, triplets: Triplets, truth: Truth, rng: np.random.Generator
) -> Triplets:
    """Simulated answers to the user's questions, by the same participants where they differ.

    Each answer is simulated by itself, also the two of an odd one out.
    """
    rows = triplets.rows.copy()
    swaps = rng.random(len(rows)) < 0.5  # near comes first in the rows: that must not help
    rows[swaps, 1:] = rows[swaps, :0:-1]
    n = triplets.n_objects
    if truth.heterogeneity is None:
        return Triplets.from_array(
            simulated_answers(method, truth, rows, rng), n, weight=triplets.weight
        )
    who, number = participants_of(triplets)
    # All maps as one of many objects, whose questions are about one map each. Unknown participants
    # have the map of the group, the last one.
    maps = personal_maps(truth.positions, number, truth.heterogeneity, rng)
    positions = np.concatenate([*maps, truth.positions])
    shift = (np.where(who >= 0, who, number) * n)[:, None]
    answered = simulated_answers(method, replace(truth, positions=positions), rows + shift, rng)
    kept = triplets.answers.filter(["participant", "weight"])
    return Triplets(answered - shift, numbered_objects(n), kept)


def _of_very_many(
    method: OrdinalEmbedding, triplets: Triplets, truth: Truth, rng: np.random.Generator
) -> np.ndarray:
    """(n, d) map of very many such people, which is not quite the mean of their maps."""
    crowds = [_like(method, triplets, truth, rng) for _ in range(_CROWDS)]
    rows = np.concatenate([crowd.rows for crowd in crowds])
    many = Triplets.from_array(rows, triplets.n_objects, weight=np.tile(triplets.weight, _CROWDS))
    single = clone(method).set_params(n_init=1)
    return single.fit(many, init_embedding=truth.positions).embedding_


@dataclass(frozen=True)
class Calibration:
    """How often ellipses and order certainty hold.

    Attributes
    ----------
    levels : ndarray, shape (l,)
        Nominal coverage of the ellipses.
    coverage : ndarray, shape (s, l)
        Their coverage in each of s simulated data sets; NaN where there are none.
    confidence : ndarray, shape (m,)
        Mean order certainty of the likelier order, in classes of it; NaN for empty ones.
    accuracy : ndarray, shape (m,)
        Share of comparisons in each class whose likelier order is the true one.
    counts : ndarray of int, shape (m,)
        Comparisons in each class.
    error : float
        Training error of the map of the data; that of the simulation is about the same.
    heterogeneity : float or None
        Difference between simulated participants
        (`tripletscope.core.inference.uncertainty.heterogeneity.heterogeneity`); None where one
        observer was simulated.
    n_participants : int or None
        Number of simulated participants.
    """

    levels: np.ndarray
    coverage: np.ndarray
    confidence: np.ndarray
    accuracy: np.ndarray
    counts: np.ndarray
    error: float
    heterogeneity: float | None = None
    n_participants: int | None = None

    @property
    def expected_error(self) -> float:
        """Expected calibration error of order certainty against the true order."""
        filled = self.counts > 0
        gap = np.abs(self.accuracy - self.confidence)[filled]
        return float(np.average(gap, weights=self.counts[filled]))

    @property
    def held(self) -> np.ndarray:
        """Coverage of the largest ellipses, in data sets that have any."""
        return self.coverage[np.isfinite(self.coverage).all(axis=1), -1]

    @property
    def order(self) -> tuple[float, float]:
        """Mean order certainty, and the share of comparisons whose likelier order is true."""
        filled = self.counts > 0
        said, right = (
            float(np.average(values[filled], weights=self.counts[filled]))
            for values in (self.confidence, self.accuracy)
        )
        return said, right

    @property
    def ellipse_judgement(self) -> str | None:
        """One of {"about right", "too small", "too large", "not surely off"}.

        None where too few maps had ellipses. For response probabilities, see
        `tripletscope.core.inference.uncertainty.reliability.Reliability.judgement`.
        """
        held = self.held
        if not len(held):
            return None
        off = held.mean() - self.levels[-1]
        if _TOLERATED < abs(off) <= self._half_width(held):
            return "not surely off"
        return _judgement(off, _TOLERATED, "too small", "too large")

    @property
    def order_judgement(self) -> str:
        """One of {"about right", "overconfident", "underconfident"}."""
        said, right = self.order
        return _judgement(right - said, _TOLERATED, "overconfident", "underconfident")

    def _half_width(self, held: np.ndarray) -> float:
        """How far shares (b,) held by exact ellipses are off by chance, at 5 %."""
        # Few data sets may all hold every object: they vary at least as a dozen objects do.
        number, level = len(held), self.levels[-1]
        spread = held.std(ddof=1) if number > 1 else np.inf
        quantile = float(stdtrit(max(number - 1, 1), 0.975))
        least = 2.0 * np.sqrt(level * (1.0 - level) / 12)
        return max(quantile * spread, least) / float(np.sqrt(number))


def _judgement(off: float, tolerated: float, low: str, high: str) -> str:
    if abs(off) <= tolerated:
        return "about right"
    return low if off < 0 else high


def held_by_ellipses(
    samples: Samples, truth: np.ndarray, covariances: np.ndarray | None = None,
    levels: tuple[float, ...] = LEVELS,
) -> np.ndarray:
    """(l,) shares of the true positions inside their ellipses; NaN where no object has one.

    No object has one where participants are too few for the dimensions, and none that answers do
    not determine. The truth (n, d) is aligned
    to `Samples.centre` by rotation, reflection, shift and scale.

    covariances (n, d, d): By default those of the samples.
    """
    covariances = samples.covariances if covariances is None else covariances
    has_ellipse = (samples.counts >= _LEAST_MAPS) & np.isfinite(covariances).all(axis=(1, 2))
    if not has_ellipse.any():
        return np.full(len(levels), np.nan)
    centres = samples.centre[has_ellipse]
    off = procrustes(truth[has_ellipse], centres)(truth[has_ellipse]) - centres
    variances, axes = np.linalg.eigh(covariances[has_ellipse])
    along = np.einsum("ni,nij->nj", off, axes)
    # An ellipse may be flat: all maps of three objects lie in one plane, or each is the same.
    least = _FLAT * rms(centres)
    flat = variances <= least**2
    outside = np.where(np.abs(along) > least, np.inf, 0.0)
    distance = np.sqrt(np.sum(
        np.where(flat, outside, along**2 / np.where(flat, 1.0, variances)), axis=1
    ))
    reach = np.array([samples.radius(q) for q in levels])
    return np.where(np.isnan(reach), np.nan, np.mean(distance[:, None] <= reach, axis=0))


@task("Simulating data like these", "embedding", columns=("participant",))
def calibrate(
    method: OrdinalEmbedding, triplets: Triplets, *, source: Source = "bootstrap",
    unit: Unit = "auto",
    data_sets: Annotated[
        int, Number(2, 1000, "Data sets", "Number of simulated data sets. More make the result "
                                          "more precise.")
    ] = 12,
    maps: Maps = 60, spread: Spread = "joint", seed: Seed = 0, progress: Progress = silent,
) -> Calibration:
    """How often ellipses and order certainty hold on simulated data like the user's.

    Objects, questions and number of dimensions are those of the data; answers follow the method's
    own model, with about as much noise. If the sampling unit is participants, each has a map of its
    own, and the maps differ by the `heterogeneity` of the data; ellipses are then to contain the
    map of very many such people. This cannot tell whether the model itself is wrong.

    Parameters
    ----------
    method : OrdinalEmbedding
    triplets : Triplets or array-like of int, shape (T, 3)
    progress : Progress
        Called after every data set.

    Returns
    -------
    Calibration
        Of the data sets that were done, if stopped after the second.

    Raises
    ------
    DataError
        If there are fewer than three objects.
    Stopped
        If `progress` asks to stop before two data sets are done.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.read("sample_data/ekman_colors/answers.csv")
    >>> found = ts.calibrate(ts.STE(), answers, data_sets=2, maps=10)
    >>> found.coverage.shape == (2, len(found.levels))
    True
    """
    triplets = as_triplets(triplets)
    if triplets.n_objects < 3:
        raise DataError("calibration needs three objects", file=triplets.name)
    first, *children = np.random.SeedSequence(seed).spawn(data_sets + 1)
    truth_seed = int(first.generate_state(1)[0])

    def at_first(*_: Any, **__: Any) -> bool:
        return progress(0.0)

    units = sampling_units(triplets, unit)
    differ = None
    if units.unit != "answers":
        differ = heterogeneity(method, triplets, seed=seed, progress=at_first).value
    truth = estimated_truth(method, triplets, truth_seed, at_first, differ=differ)
    target = truth.positions
    if differ is not None:
        target = _of_very_many(method, triplets, truth, np.random.default_rng(truth_seed))
    pieces = [
        (method, triplets, truth, target, source, units.unit, maps, spread, child)
        for child in children
    ]
    coverage, tallies = [], np.zeros((3, _BINS))
    for shares, tally in in_parallel(_measured, pieces, partial=True):
        coverage.append(shares)
        tallies += tally
        if progress(len(coverage) / len(pieces)):
            break
    if len(coverage) < 2:
        raise Stopped
    counts, confidence, right = tallies
    with np.errstate(invalid="ignore"):
        return Calibration(
            np.array(LEVELS), np.array(coverage), confidence / counts, right / counts,
            counts.astype(int), truth.error, differ,
            None if differ is None else units.number,
        )


def _measured(
    method: OrdinalEmbedding, triplets: Triplets, truth: Truth, target: np.ndarray, source: str,
    unit: str, maps: int, spread: str, seed: np.random.SeedSequence, halt: CancelToken,
) -> tuple[np.ndarray, np.ndarray] | None:
    """Coverage on one simulated data set, and counts, confidences and successes by class."""
    rng = np.random.default_rng(seed)
    simulated = _like(method, triplets, truth, rng)
    try:
        samples = samples_from(
            source, method, simulated, maps, int(rng.integers(2**31)), halt, unit=unit
        )
    except Stopped:  # by `halt`: the result is not needed
        return None
    questions = random_questions(triplets.n_objects, _JUDGED, rng)
    right_way = margins(target, questions) > 0
    shares = held_by_ellipses(samples, target)
    return shares, tally(samples.order_certainty(questions, spread=spread), right_way)


def tally(probability: np.ndarray, true: np.ndarray) -> np.ndarray:
    """(3, m) counts, summed confidences and successes, in classes of confidence from 1/2 to 1.

    Of probabilities (T,) that the first object is nearer, and whether it is; NaN if unknown.
    """
    finite = np.isfinite(probability)
    probability, true = probability[finite], true[finite]
    confidence = np.maximum(probability, 1.0 - probability)
    right = (probability > 0.5) == true
    number = np.minimum(((confidence - 0.5) * 2 * _BINS).astype(int), _BINS - 1)
    return np.array([
        np.bincount(number, weights, _BINS)
        for weights in (np.ones(len(right)), confidence, right.astype(float))
    ])

