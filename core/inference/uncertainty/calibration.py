"""Do the ellipses and the probabilities hold, for data like the user's? Measured by simulation."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np
from scipy.special import stdtrit
from sklearn.base import clone

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.geometry import procrustes, rms
from tripletscope.core.data.triplets import Triplets, as_triplets, numbered_objects
from tripletscope.core.engine.declared import Number
from tripletscope.core.engine.options import Seed
from tripletscope.core.engine.parallel import Halt, in_parallel
from tripletscope.core.engine.progress import Progress, Stopped, silent
from tripletscope.core.engine.task import task
from tripletscope.core.inference.evaluation.units import (
    Unit,
    participants_of,
    sampling_units,
)
from tripletscope.core.inference.uncertainty.heterogeneity import heterogeneity
from tripletscope.core.inference.uncertainty.samples import Samples
from tripletscope.core.inference.uncertainty.sources import Maps, Source, Spread, samples_from
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding
from tripletscope.core.models.optimise.loss import margins, single_losses
from tripletscope.core.models.simulation.simulate import answer, personal_maps, random_questions

#: Shares of the truth that ellipses are to hold.
LEVELS = (0.5, 0.8, 0.95)
#: Probabilities from 1/2 to 1 are looked at in so many classes.
_BINS = 10
#: Comparisons of every data set by which probabilities are judged.
_JUDGED = 20_000
#: An object that fewer maps place has no ellipse worth the name.
_LEAST_MAPS = 10
#: Sizes of the truth, relative to the map, and noise levels among which the user's is sought.
_SIZES = (0.3, 0.45, 0.6, 0.75, 0.9, 1.05, 1.3)
_NOISES = (0.0, 0.1, 0.2, 0.4, 0.7, 1.2, 2.0)
#: Crowds like the user's whose common map stands for that of very many people.
_CROWDS = 25
#: Half-axes of ellipses and distances from them, relative to the map, that are none.
_FLAT = 1e-6
#: Departures from what is promised that are called about right.
_TOLERATED = 0.03


@dataclass(frozen=True)
class Truth:
    """A known truth that answers like the user's are simulated about.

    Shapes: positions (n, d).
    noise: Of the logarithms of distances; used where the method has no model of answers.
    error: Share of its training answers that a map contradicts.
    heterogeneity: By how much the maps of participants differ; see
        `tripletscope.core.models.simulation.simulate.personal_maps`. None where all answers are
        about the truth itself, whoever gave them.
    """

    positions: np.ndarray
    noise: float
    error: float
    heterogeneity: float | None = None


def simulated_answers(
    method: OrdinalEmbedding,
    truth: Truth,
    questions: np.ndarray,
    rng: np.random.Generator,
) -> np.ndarray:
    """Rows (anchor, near, far) by the method's own model of answers.

    Where its loss is no likelihood: by log-normal noise on distances, as Lohaus et al. (2019).

    questions (T, 3): Anchor and the two objects to choose from.
    """
    if not method.is_likelihood:
        return answer(truth.positions, questions, rng, noise="lognormal", level=truth.noise)
    anchor, first, second = truth.positions[questions.T]
    first2, second2 = (np.sum((anchor - x) ** 2, axis=1) for x in (first, second))
    probability = np.exp(-single_losses(method._loss(), first2, second2))
    rows = questions.copy()
    turned = rng.random(len(rows)) > probability
    rows[turned, 1:] = rows[turned, :0:-1]
    return rows


def estimated_truth(
    method: OrdinalEmbedding,
    triplets: Triplets,
    seed: int,
    progress: Progress = silent,
    *,
    differ: float | None = None,
) -> Truth:
    """A truth with the shape of the user's map and about as much noise in its answers.

    A map always agrees with its own answers better than the truth would, so the noise is the one
    at which maps of simulated answers contradict as many of them as the user's map of the user's.

    differ: `Truth.heterogeneity` of it.
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
        # Its maps are not the user's, and the first fit has reported its end.
        again = clone(single).fit(simulated, progress=lambda *_, **__: progress(1.0))
        if again.stopped_:
            raise Stopped
        errors.append(again.triplet_error_)
    # Chance makes the errors of neighbouring levels cross now and then; np.interp wants order.
    rising = -1 if method.is_likelihood else 1
    order = np.maximum.accumulate(np.array(errors)[::rising])
    level = float(np.interp(fitted.triplet_error_, order, levels[::rising]))
    return replace(at(level), error=float(fitted.triplet_error_))


def _like(
    method: OrdinalEmbedding, triplets: Triplets, truth: Truth, rng: np.random.Generator
) -> Triplets:
    """Simulated answers to the user's questions, by the same participants where they differ.

    Each question is answered by itself: the two of an odd one out are two, and not one choice.
    """
    rows = triplets.rows.copy()
    turned = rng.random(len(rows)) < 0.5  # near comes first in the rows: that must not help
    rows[turned, 1:] = rows[turned, :0:-1]
    n = triplets.n_objects
    if truth.heterogeneity is None:
        return Triplets.from_array(
            simulated_answers(method, truth, rows, rng), n, weight=triplets.weight
        )
    who, number = participants_of(triplets)
    # All maps as one of many objects, whose questions are about the objects of one map each. Who
    # is not known has the map of the group, the last one.
    maps = personal_maps(truth.positions, number, truth.heterogeneity, rng)
    positions = np.concatenate([*maps, truth.positions])
    shift = (np.where(who >= 0, who, number) * n)[:, None]
    answered = simulated_answers(method, replace(truth, positions=positions), rows + shift, rng)
    kept = triplets.answers.filter(["participant", "weight"])
    return Triplets(answered - shift, numbered_objects(n), kept)


def _of_very_many(
    method: OrdinalEmbedding, triplets: Triplets, truth: Truth, rng: np.random.Generator
) -> np.ndarray:
    """(n, d) what very many such people would give: not quite the mean of their maps."""
    crowds = [_like(method, triplets, truth, rng) for _ in range(_CROWDS)]
    rows = np.concatenate([crowd.rows for crowd in crowds])
    many = Triplets.from_array(
        rows, triplets.n_objects, weight=np.tile(triplets.weight, _CROWDS)
    )
    single = clone(method).set_params(n_init=1)
    return single.fit(many, init_embedding=truth.positions).embedding_


@dataclass(frozen=True)
class Calibration:
    """How often ellipses and order certainty held.

    Attributes
    ----------
    levels : ndarray, shape (l,)
        Shares of the truth that the ellipses were to hold.
    coverage : ndarray, shape (s, l)
        Shares that they held, in each of s simulated data sets; NaN where there was none.
    confidence : ndarray, shape (m,)
        Mean order certainty of the likelier order, in classes of it; NaN for empty ones.
    accuracy : ndarray, shape (m,)
        Share of comparisons in each class in which it was the true one.
    counts : ndarray of int, shape (m,)
        Comparisons in each class.
    error : float
        Share of its training answers that the map contradicts, in the data; in the simulation it
        is about the same.
    heterogeneity : float or None
        By how much the simulated participants differ, as those of the data do
        (`tripletscope.core.inference.uncertainty.heterogeneity.heterogeneity`); None where the
        answers of one observer were simulated.
    n_participants : int or None
        How many there are.
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
        known = self.counts > 0
        gap = np.abs(self.accuracy - self.confidence)[known]
        return float(np.average(gap, weights=self.counts[known]))

    @property
    def held(self) -> np.ndarray:
        """Shares of the truth in the largest ellipses, of the data sets that have any."""
        return self.coverage[np.isfinite(self.coverage).all(axis=1), -1]

    @property
    def order(self) -> tuple[float, float]:
        """Mean order certainty, and the share of comparisons whose order was the true one."""
        known = self.counts > 0
        said, right = (
            float(np.average(values[known], weights=self.counts[known]))
            for values in (self.confidence, self.accuracy)
        )
        return said, right

    @property
    def ellipse_judgement(self) -> str | None:
        """One of {"about right", "too small", "too large", "not surely off"}.

        None where too few maps had ellipses. Of response probabilities it says nothing: see
        `tripletscope.core.inference.uncertainty.reliability.Reliability.judgement`.

        Silent on: exact ellipses
        (tests/core/inference/uncertainty/test_calibration.py::test_exact_ellipses).
        """
        held = self.held
        if not len(held):
            return None
        off = held.mean() - self.levels[-1]
        if _TOLERATED < abs(off) <= self._reach(held):
            return "not surely off"
        return _judgement(off, _TOLERATED, "too small", "too large")

    @property
    def order_judgement(self) -> str:
        """One of {"about right", "overconfident", "underconfident"}.

        Silent on: exact certainty
        (tests/core/inference/uncertainty/test_calibration.py::test_judgements_say_what_is_wrong).
        """
        said, right = self.order
        return _judgement(right - said, _TOLERATED, "overconfident", "underconfident")

    def _reach(self, held: np.ndarray) -> float:
        """How far shares (b,) held by exact ellipses are off by chance, at 5 %.

        Few data sets may all hold every object: they vary as a dozen objects do at least.
        """
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
    samples: Samples,
    truth: np.ndarray,
    covariances: np.ndarray | None = None,
    levels: tuple[float, ...] = LEVELS,
) -> np.ndarray:
    """(l,) shares of the true positions inside their ellipses; NaN where no object has one.

    No object has where the participants are too few for the dimensions.

    The truth is aligned to `Samples.centre` by rotation, reflection, shift and scale.

    Shapes: truth (n, d).
    covariances (n, d, d): By default those of the samples.
    """
    covariances = samples.covariances if covariances is None else covariances
    known = samples.counts >= _LEAST_MAPS
    if not known.any():
        return np.full(len(levels), np.nan)
    centres = samples.centre[known]
    off = procrustes(truth[known], centres)(truth[known]) - centres
    variances, axes = np.linalg.eigh(covariances[known])
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
    method: OrdinalEmbedding,
    triplets: Triplets,
    *,
    source: Source = "bootstrap",
    unit: Unit = "auto",
    data_sets: Annotated[
        int, Number(2, 1000, "Data sets", "Number of simulated data sets. More make the result "
                                          "more precise.")
    ] = 12,
    maps: Maps = 60,
    spread: Spread = "joint",
    seed: Seed = 0,
    progress: Progress = silent,
) -> Calibration:
    """How often ellipses and order certainty hold on simulated data like the user's.

    The same objects, questions and number of dimensions; answers by the method's own model, with
    about as much noise as in the data (`estimated_truth`). Where the sampling unit is
    participants, these are simulated, too: each answers the own questions by a map of its own,
    and the maps differ as much as `heterogeneity` finds in the data. What is to be inside the
    ellipses is then the map of very many such people. If the model itself is wrong for the data,
    this cannot tell.

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
    begun = int(first.generate_state(1)[0])

    def at_first(*_: Any, **__: Any) -> bool:
        return progress(0.0)

    units = sampling_units(triplets, unit)
    differ = None
    if units.unit != "answers":
        differ = heterogeneity(method, triplets, seed=seed, progress=at_first).value
    truth = estimated_truth(method, triplets, begun, at_first, differ=differ)
    target = truth.positions
    if differ is not None:
        target = _of_very_many(method, triplets, truth, np.random.default_rng(begun))
    pieces = [
        (method, triplets, truth, target, source, units.unit, maps, spread, child)
        for child in children
    ]
    coverage, tallies = [], np.zeros((3, _BINS))
    for held, tally in in_parallel(_measured, pieces, partial=True):
        coverage.append(held)
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
    method: OrdinalEmbedding,
    triplets: Triplets,
    truth: Truth,
    target: np.ndarray,
    source: str,
    unit: str,
    maps: int,
    spread: str,
    seed: np.random.SeedSequence,
    halt: Halt,
) -> tuple[np.ndarray, np.ndarray] | None:
    """Coverage on one simulated data set, and counts, confidences and successes by class."""
    rng = np.random.default_rng(seed)
    simulated = _like(method, triplets, truth, rng)
    try:
        samples = samples_from(
            source, method, simulated, maps, int(rng.integers(2**31)), halt, unit=unit
        )
    except Stopped:  # because of `halt`: nobody waits for this any more
        return None
    questions = random_questions(triplets.n_objects, _JUDGED, rng)
    right_way = margins(target, questions) > 0
    held = held_by_ellipses(samples, target)
    return held, tally(samples.order_certainty(questions, spread=spread), right_way)


def tally(probability: np.ndarray, true: np.ndarray) -> np.ndarray:
    """(3, m) counts, summed confidences and successes, in classes of confidence from 1/2 to 1.

    probability (T,): That the first object is nearer; NaN where nothing is known.
    true bool (T,): Whether it is.
    """
    known = np.isfinite(probability)
    probability, true = probability[known], true[known]
    confidence = np.maximum(probability, 1.0 - probability)
    right = (probability > 0.5) == true
    number = np.minimum(((confidence - 0.5) * 2 * _BINS).astype(int), _BINS - 1)
    return np.array([
        np.bincount(number, weights, _BINS)
        for weights in (np.ones(len(right)), confidence, right.astype(float))
    ])

