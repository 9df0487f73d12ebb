"""Scales from maps: positions against a physical stimulus, with bands."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from scipy.spatial.distance import pdist, squareform
from scipy.stats import spearmanr
from sklearn.base import clone

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.geometry import coverage_radius
from tripletscope.core.data.quadruples import as_answers
from tripletscope.core.data.triplets import Answers
from tripletscope.core.engine.declared import Column, Number, Seed
from tripletscope.core.engine.method import Method
from tripletscope.core.engine.parallel import CancelToken, results_of, single_blas_thread
from tripletscope.core.engine.progress import Progress, Stopped, silent
from tripletscope.core.engine.task import task
from tripletscope.core.inference.held_out.units import Unit, n_participants
from tripletscope.core.inference.uncertainty.sources import Maps, Source, samples_from
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding
from tripletscope.core.people.floor import Floor, floor_of
from tripletscope.core.people.groups import groups_of
from tripletscope.core.scales.binomial import LINKS
from tripletscope.core.scales.mlds import MLDS, standardised
from tripletscope.core.scales.observers import FEWEST, scales_of_observers
from tripletscope.core.scales.scale_samples import bootstrap_scale, may_rise
from tripletscope.core.scales.scale_trials import Stimulus, stimulus_of

#: Five objects have only twelve orders around a circle: none has p < .05.
FEWEST_AROUND = 6


@dataclass(frozen=True)
class OrdinalScale:
    """A map of one to three dimensions against a physical stimulus.

    In one dimension the scale runs from 0 to 1 and on the whole rises with the stimulus. In more,
    the first axis is the one along which the stimulus rises most; the widest axis has length 1.

    Attributes
    ----------
    objects : ndarray of int, shape (m,)
        Objects with answers, in the order of their stimulus.
    stimulus : ndarray, shape (m,)
        Ascending.
    values : ndarray, shape (m, d)
    maps : ndarray, shape (b, m, d)
        Resampled maps; NaN for objects that a map does not place.
    deviation : ndarray, shape (m, d)
        Standard deviation of each value.
    degrees : float or None
        Degrees of freedom of the deviations; None if as good as known. See `Samples`.
    unit : {"answers", "participants", "both"}
        Resampling unit.
    n_units : int or None
        Number of units.
    """

    objects: np.ndarray
    stimulus: np.ndarray
    values: np.ndarray
    maps: np.ndarray
    deviation: np.ndarray
    degrees: float | None = None
    unit: str = "answers"
    n_units: int | None = None

    def band(self, coverage: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
        """Ends (m, d) of the pointwise band."""
        reach = coverage_radius(coverage, 1, self.degrees) * self.deviation
        return self.values - reach, self.values + reach

    def is_monotone(self, coverage: float = 0.95) -> bool:
        """Whether a curve that never falls fits into the simultaneous band of the first axis.

        The band has Šidák's correction for the number of objects; see `may_rise`.
        """
        low, high = (end[:, 0] for end in self.band(coverage ** (1.0 / len(self.objects))))
        # Objects of the same stimulus value may stand in any order.
        new = np.flatnonzero(np.diff(self.stimulus, prepend=-np.inf))
        low, high = np.fmax.reduceat(low, new), np.fmin.reduceat(high, new)
        return may_rise(low, high)

    @property
    def rank_correlation(self) -> tuple[float, float, float]:
        """Spearman's correlation of the first axis with the stimulus, and its 95 % interval.

        By the spread over the maps, not their quantiles: noisier resampled maps all correlate less.
        """
        def correlation(positions: np.ndarray) -> float:
            placed = np.isfinite(positions[:, 0])
            return float(spearmanr(self.stimulus[placed], positions[placed, 0]).statistic)

        return self._over_maps(correlation, -1.0)

    @property
    def angles(self) -> np.ndarray:
        """(m,) angle of each object around the middle of a plane map, unrolled, in radians.

        For circles and helices: it grows by a full turn if the stimulus closes on itself.
        """
        turn = np.unwrap(self._directions(self.values))
        return (turn - turn[0]) * (-1.0 if turn[-1] < turn[0] else 1.0)

    def angle_band(self, coverage: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
        """Ends (m,) of the pointwise band of the angles, by their circular standard deviation."""
        off = np.exp(1j * (self._directions(self.maps) - self._directions(self.values)))
        length = np.clip(np.abs(np.nanmean(off, axis=0)), np.finfo(float).tiny, 1.0)
        reach = coverage_radius(coverage, 1, self.degrees) * np.sqrt(-2.0 * np.log(length))
        return self.angles - reach, self.angles + reach

    @property
    def ends_apart(self) -> tuple[float, float, float]:
        """Distance of the stimulus's ends, as a part of the widest distance, and its 95 % interval.

        Along a line it is 1, around a closed circle the distance of neighbours.
        """
        def share(positions: np.ndarray) -> float:
            placed = positions[np.isfinite(positions).all(axis=1)]
            return float(np.linalg.norm(placed[0] - placed[-1]) / (pdist(placed).max() or 1.0))

        return self._over_maps(share, 0.0)

    def _over_maps(
        self, statistic: Callable[[np.ndarray], float], least: float
    ) -> tuple[float, float, float]:
        """A statistic from `least` to 1, and its 95 % interval by the spread over the maps."""
        estimate = statistic(self.values)
        spread = float(np.nanstd([statistic(one) for one in self.maps], ddof=1))
        reach = coverage_radius(0.95, 1, self.degrees) * spread
        return estimate, max(estimate - reach, least), min(estimate + reach, 1.0)

    def not_round(self, seed: int = 0) -> str:
        """The reason why the map does not close into a circle with the stimulus, "" if it does.

        One of {"few", "angle", "ends", "order"}. In a circle, objects of neighbouring stimuli lie
        nearer than in other orders (permutation test, p < .05), the ends are significantly nearer
        than those of three quarters of a circle, and the angle grows by a full turn, give or take a
        quarter. Held-out answers must show that two dimensions predict better than one. Fewer than
        six objects cannot be tested.
        """
        n = len(self.objects)
        if n < FEWEST_AROUND:
            return "few"
        if self.ends_apart[2] >= np.sqrt(0.5):
            return "ends"
        if abs(self.angles[-1] - 2 * np.pi) > np.pi / 2:
            return "angle"
        distances = squareform(pdist(self.values))
        rng = np.random.default_rng(seed)
        orders = np.array([np.arange(n), *(rng.permutation(n) for _ in range(999))])
        lengths = distances[orders, np.roll(orders, 1, axis=1)].sum(axis=1)
        return "" if np.mean(lengths <= lengths[0] + 1e-9) <= 0.05 else "order"

    def _directions(self, positions: np.ndarray) -> np.ndarray:
        """(..., m) angles of positions (..., m, d) around their middle."""
        if positions.shape[-1] < 2:
            raise ValueError("one dimension has no angles; use two or three dimensions")
        plane = positions[..., :2] - np.nanmean(positions[..., :2], axis=-2, keepdims=True)
        return np.arctan2(plane[..., 1], plane[..., 0])


@task("Bootstrapping maps", "embedding", columns=("participant",))
def ordinal_scale(
    method: OrdinalEmbedding, triplets: Answers, *, stimulus: Stimulus = None,
    n_components: Annotated[int, Number(
        1, 3, "Dimensions", "One for a scale; two or three for circles and helices."
    )] = 1,
    source: Source = "bootstrap", unit: Unit = "auto", maps: Maps = 100, seed: Seed = 0,
    progress: Progress = silent,
) -> OrdinalScale:
    """A scale from any embedding, with its band.

    Parameters
    ----------
    method : OrdinalEmbedding
        Its own number of dimensions does not matter.
    triplets : Triplets or Quadruples

    Raises
    ------
    DataError
        If the stimulus of an object is no number.
    Stopped
        If `progress` asks to stop before there are two maps.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.read("sample_data/ekman_colors/answers.csv")
    >>> scale = ts.ordinal_scale(ts.STE(), answers, maps=10)
    >>> low, high = scale.band(0.95)
    >>> scale.values.shape, bool((low < high).all())
    ((14, 1), True)
    """
    triplets = as_answers(triplets)
    physical = stimulus_of(triplets, stimulus)
    shaped = clone(method).set_params(n_components=n_components)
    samples = samples_from(source, shaped, triplets, maps, seed, progress, unit=unit)
    objects = np.flatnonzero(samples.counts > 1)
    objects = objects[np.argsort(physical[objects], kind="stable")]
    place = oriented(samples.centre[objects], physical[objects])
    placed = place(samples.embeddings[:, objects])
    spread = np.nanstd(placed, axis=0, ddof=1) * np.sqrt(samples.correction)
    return OrdinalScale(
        objects, physical[objects], place(samples.centre[objects]), placed, spread,
        samples.degrees, samples.unit, samples.n_units,
    )


def oriented(positions: np.ndarray, stimulus: np.ndarray):
    """The transformation of positions (..., d) that `OrdinalScale` describes, from a map (m, d)."""
    centred = positions - positions.mean(axis=0)
    ranks = np.argsort(np.argsort(stimulus, kind="stable")).astype(float)
    slope = centred.T @ (ranks - ranks.mean())
    length = np.linalg.norm(slope)
    first = slope / length if length > 0 else np.eye(len(slope))[0]
    # The other axes are the principal ones of the rest; this makes `first` the last of all.
    left = centred - np.outer(centred @ first, first)
    _, axes = np.linalg.eigh(left.T @ left - np.outer(first, first) * (1.0 + np.sum(left**2)))
    turn = np.column_stack([first, *axes.T[:0:-1]])
    coordinates = positions @ turn
    low, size = coordinates.min(axis=0), np.ptp(coordinates, axis=0).max()
    return lambda points: (points @ turn - low) / (size or 1.0)


def normalised(values: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """(m,) one-dimensional scale from 0 to 1, mirrored if that is nearer to a reference (m,)."""
    scale = (values - values.min()) / (np.ptp(values) or 1.0)
    mirrored = 1.0 - scale
    better = np.sum((scale - reference) ** 2) <= np.sum((mirrored - reference) ** 2)
    return scale if better else mirrored


def scale_error(values: np.ndarray, truth: np.ndarray) -> float:
    """Mean squared error of a one-dimensional scale, both from 0 to 1 (Haghiri 2020, 4.3.1)."""
    truth = (truth - truth.min()) / np.ptp(truth)
    return float(np.mean((normalised(values, truth) - truth) ** 2))


@dataclass(frozen=True)
class GroupScales:
    """A scale with its band for all answers and for each group of them.

    Attributes
    ----------
    names : ndarray of str, shape (g,)
        "all" first.
    n_answers : ndarray of int, shape (g,)
        Answers that inform the scale.
    needed : ndarray of int, shape (g,)
        Fewest answers for a scale; see `tripletscope.core.people.floor`.
    stimulus : ndarray, shape (n,)
        Of every object, ascending.
    values, low, high : ndarray, shape (g, n)
        NaN for objects without answers of a group, and for groups without a scale.
    pooled : ndarray of bool, shape (g,)
        Whether shrunk towards the observers' mean; see `scales_by`.
    held : ndarray of bool, shape (g,)
        Whether only that makes the scale finite.
    noise : ndarray, shape (g,), or None
        σ of difference scaling, of each group alone, where its own scale is from 0 to 1; NaN where
        the answers leave the scale infinite or contradict it.
    """

    names: np.ndarray
    n_answers: np.ndarray
    needed: np.ndarray
    stimulus: np.ndarray
    values: np.ndarray
    low: np.ndarray
    high: np.ndarray
    pooled: np.ndarray
    held: np.ndarray
    noise: np.ndarray | None = None

    @property
    def floor(self) -> Floor:
        """Which groups gave answers enough."""
        return Floor(self.names[1:], self.n_answers[1:], self.needed[1:], "scale", 1)


@task("Computing a scale per group", "embedding", "scale", columns=("participant",))
def scales_by(
    method: Method, triplets: Answers, *, stimulus: Stimulus = None,
    by: Annotated[str | None, Column(
        "Groups", "Column of the response metadata: one scale per value, beside that of all "
        "answers.", of="answers"
    )] = "participant",
    most: Annotated[int, Number(
        1, 1000, "Max. groups", "Groups with the most answers are used."
    )] = 12,
    unit: Unit = "auto", maps: Maps = 100,
    coverage: Annotated[float, Number(0.5, 0.999, "Coverage of the band")] = 0.95,
    seed: Seed = 0, progress: Progress = silent,
) -> GroupScales:
    """Scales of participants or groups with enough answers, beside the pooled one.

    Difference scales of four or more groups of one person each shrink towards their mean, as far as
    people are alike (empirical Bayes, `tripletscope.core.scales.observers`), with posterior bands.
    An embedding is fitted in one dimension, with a bootstrapped band; in groups of one participant,
    answers are resampled, whatever the unit.

    For planted observers with power scales of 12 levels and different sensitivities, 95 % bands
    contain 92 to 94 % from 45 usable answers each on: ``benchmarks/verdicts.py scales``.
    """
    triplets = as_answers(triplets)
    physical = stimulus_of(triplets, stimulus)
    if isinstance(method, MLDS):
        method = clone(method).set_params(stimulus=stimulus)
    groups = {"all": np.arange(len(triplets))}
    if by is not None:
        groups.update(list(groups_of(triplets, by).items())[:most])
    floor = floor_of(method, triplets, groups, of_scale=True)
    enough = floor.reached
    enough[0] = True  # all answers together single out no person
    together = _together(method, triplets, by, list(groups.values()), enough, coverage, seed)
    pieces = [
        (method, triplets.take(members), stimulus, unit, maps, coverage, seed)
        for k, members in enumerate(groups.values()) if enough[k] and k not in together
    ]
    bands, held = np.full((len(groups), 3, triplets.n_objects), np.nan), np.zeros(len(groups), bool)
    for k, (band, by_prior) in together.items():
        bands[k], held[k] = band, by_prior
    alone = [k for k in np.flatnonzero(enough) if k not in together]
    for k, band in zip(alone, results_of(_scale_of, pieces, progress), strict=True):
        bands[k] = band
    order = np.argsort(physical, kind="stable")
    values, low, high = bands[:, :, order].transpose(1, 0, 2)
    return GroupScales(
        floor.names, floor.n_answers, floor.needed, physical[order], values, low, high,
        np.isin(np.arange(len(groups)), list(together)), held,
        _noise(method, triplets, groups.values(), enough) if isinstance(method, MLDS) else None,
    )


def _noise(
    method: MLDS, triplets: Answers, groups: Iterable[np.ndarray], enough: np.ndarray
) -> np.ndarray:
    """σ of each group that gave answers enough."""
    found = np.full(len(enough), np.nan)
    for k, members in enumerate(groups):
        with suppress(DataError):  # a group may leave no scale
            if enough[k]:
                fitted = clone(method).fit(triplets.take(members))
                if fitted.finite_ and fitted.sigma_ > 0:  # or the prior has set it, or guesses
                    found[k] = fitted.sigma_
    return found


def _together(
    method: Method, triplets: Answers, by: str | None, members: list[np.ndarray],
    enough: np.ndarray, coverage: float, seed: int,
) -> dict[int, tuple[np.ndarray, bool]]:
    """(3, n) value and band of observers, and whether the prior holds them, by number of the group.

    Empty unless at least `FEWEST` groups are one known participant each.
    """
    chosen = [k for k in np.flatnonzero(enough) if k > 0]
    if (
        by is None or not isinstance(method, MLDS) or method.lapses != "none" or method.order
        or len(chosen) < FEWEST
        or any(n_participants(triplets.take(members[k])) != 1 for k in chosen)
    ):
        return {}
    trials = method.trials(triplets)
    rows, which, sign = trials.comparisons()
    group = np.full(len(triplets), -1)
    for number, k in enumerate(chosen):
        group[members[k]] = number
    whose, named = group[trials.answer], group[trials.answer] >= 0
    totals, wins = np.zeros((2, len(chosen), len(rows)))
    np.add.at(totals, (whose[named], which[named]), trials.weight[named])
    won = named & (trials.response == (sign > 0))
    np.add.at(wins, (whose[won], which[won]), trials.weight[won])
    with single_blas_thread():
        scales = scales_of_observers(rows[:, 1:], wins, totals, LINKS[method.link])
    bands = np.stack(scales.band(coverage, seed), axis=1)
    together = {}
    for number, k in enumerate(chosen):
        mentioned = triplets.take(members[k]).answers_per_object > 0
        band = np.where(mentioned, bands[number][:, trials.level_of], np.nan)
        together[int(k)] = band, bool(scales.held[number])
    return together


def _scale_of(
    method: Method, triplets: Answers, stimulus: str | None, unit: str, maps: int,
    coverage: float, seed: int, halt: CancelToken,
) -> np.ndarray:
    """(3, n) value and band of every object."""
    bands = np.full((3, triplets.n_objects), np.nan)
    unit = unit if n_participants(triplets) > 1 else "answers"
    try:
        if isinstance(method, MLDS):
            samples = bootstrap_scale(
                method, triplets, resamples=10 * maps, unit=unit, seed=seed, progress=halt
            )
            level_of = method.trials(triplets).level_of
            mentioned = triplets.answers_per_object > 0
            scale = standardised(samples.estimate)
            ends = samples.interval(coverage)
            bands[:, mentioned] = np.array([scale, *ends])[:, level_of[mentioned]]
        else:
            scale = ordinal_scale(
                method, triplets, stimulus=stimulus, unit=unit, maps=maps, seed=seed,
                progress=halt,
            )
            ends = scale.band(coverage)
            bands[:, scale.objects] = np.array([scale.values, *ends])[..., 0]
    except (DataError, Stopped):  # too few answers, or stopped
        pass
    return bands
