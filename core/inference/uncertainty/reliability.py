"""Calibration of probabilities, measured on held-out responses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from tripletscope.core.data.quadruples import as_answers
from tripletscope.core.data.triplets import Answers, Triplets, as_triplets
from tripletscope.core.engine.declared import Number, Seed
from tripletscope.core.engine.method import Method, make_method
from tripletscope.core.engine.progress import Progress, Stopped, silent
from tripletscope.core.engine.short_repr import short_repr
from tripletscope.core.engine.task import task
from tripletscope.core.inference.held_out.score import (
    clustered_mean,
    question_folds,
    require_groups,
)
from tripletscope.core.inference.held_out.units import (
    Unit,
    known_people,
    n_participants,
    sampling_units,
)
from tripletscope.core.inference.uncertainty.response import (
    ResponseModel,
    evidence,
    fit_response,
    margin_evidence,
)
from tripletscope.core.inference.uncertainty.sources import Maps, Source, Spread, samples_from
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding

#: Classes of equally many responses.
_BINS = 10
#: Cluster resamples for the interval of the expected calibration error, and the most clusters in
#: each: more are merged at random, which takes a hundredth of the time.
_DRAWS, _CLUSTERS = 400, 5_000
#: Least probability of a sure prediction.
SURE = 0.9
#: Largest departures, on average and of sure predictions, that count as about right.
_TOLERATED, _TOLERATED_SURE = 0.02, 0.03
#: Departure by chance above which responses are too few.
_VAGUE = 0.05

Folds = Annotated[int, Number(
    2, 100, "Folds", "Responses are split into this many folds; each is predicted from the "
    "others.", advanced=True
)]


@short_repr
@dataclass(frozen=True)
class Bins:
    """Held-out responses in classes of about equally many, the least certain first.

    Attributes
    ----------
    said : ndarray, shape (m,)
        Mean probability of the predicted response.
    right : ndarray, shape (m,)
        Share that was given as predicted.
    low, high : ndarray, shape (m,)
        Wilson's 95 % interval of it at the effective number of responses.
    counts : ndarray of int, shape (m,)
    """

    said: np.ndarray
    right: np.ndarray
    low: np.ndarray
    high: np.ndarray
    counts: np.ndarray


@short_repr
@dataclass(frozen=True)
class Sure:
    """Held-out responses that were predicted with a high probability.

    Attributes
    ----------
    said, right : float
        Mean probability, and share given as predicted; NaN where there are none.
    low, high : float
        95 % interval of the share.
    count : int
    """

    said: float
    right: float
    low: float
    high: float
    count: int

    @property
    def judgement(self) -> str | None:
        """One of {"about right", "overconfident", "underconfident", "not surely off"}.

        None where there are no such responses.
        """
        if not self.count:
            return None
        gap = self.right - self.said
        if abs(gap) <= _TOLERATED_SURE:
            return "about right"
        if self.low <= self.said <= self.high:
            return "not surely off"
        return "overconfident" if gap < 0 else "underconfident"


@dataclass(frozen=True)
class Reliability:
    """Held-out responses with their predicted probabilities.

    Attributes
    ----------
    response : ndarray, shape (T,)
        Response probability of each response as given, from maps and a calibration that have not
        seen it; NaN if unknown.
    order : ndarray, shape (T,)
        Its order certainty; NaN, too, where there are no samples.
    weight : ndarray, shape (T,)
    part : ndarray of int, shape (T,)
        Participant of each response; its group where `n_people` is None.
    n_people : int or None
        Participants whom the intervals are over; None where responses are the unit.
    slope, power, lapse : float
        Of the `tripletscope.core.inference.uncertainty.response.ResponseModel`, from all responses.
    method : dict
        The method, as `tripletscope.core.engine.method.described`.
    """

    response: np.ndarray
    order: np.ndarray
    weight: np.ndarray
    part: np.ndarray
    n_people: int | None
    slope: float
    power: float
    lapse: float
    method: dict

    def bins(self, which: str = "response") -> Bins:
        """Ten classes of about equally many responses; fewer where many probabilities are equal.

        Parameters
        ----------
        which : {"response", "order"}
            By response probability or by order certainty.
        """
        said, right, kept = self._judged(which)
        classes = _classes(said)
        result = []
        for number in range(classes.max(initial=-1) + 1):
            members = classes == number
            weight = self.weight[kept[members]]
            result.append((
                np.average(said[members], weights=weight),
                *self._share(right[members], kept[members]), members.sum(),
            ))
        said, right, low, high, counts = np.array(result).reshape(-1, 5).T
        return Bins(said, right, low, high, counts.astype(int))

    def expected_error(self, which: str = "response") -> float:
        """Expected calibration error: mean absolute gap of `Bins.right` and `Bins.said`."""
        return float(_expected_error(self._sums(which).sum(axis=0)))

    def error_interval(self, which: str = "response") -> tuple[float, float]:
        """95 % interval of the expected calibration error, resampling participants or questions.

        An absolute gap cannot be negative, so that the interval tends to lie high.
        """
        sums = self._sums(which)
        number = len(sums)
        rng = np.random.default_rng(0)
        drawn = [
            _expected_error(np.bincount(rng.integers(number, size=number), minlength=number)
                            @ sums.reshape(number, -1))
            for _ in range(_DRAWS if number else 0)
        ]
        low, high = np.quantile(drawn, [0.025, 0.975]) if drawn else (np.nan, np.nan)
        return float(low), float(high)

    def error_by_chance(self, which: str = "response") -> float:
        """Expected calibration error of exact probabilities with so many responses.

        Responses are taken as independent; those of few people scatter more.
        """
        said, _, kept = self._judged(which)
        if not len(said):
            return float("nan")
        weight = self.weight[kept]
        variance = np.bincount(_classes(said), weight**2 * said * (1.0 - said))
        return float(np.sqrt(2.0 / np.pi * variance).sum() / weight.sum())

    def sure(self, which: str = "response", threshold: float = SURE) -> Sure:
        """Accuracy of responses that were predicted with at least this probability."""
        said, right, kept = self._judged(which)
        is_sure = said >= threshold
        if not is_sure.any():
            return Sure(*[float("nan")] * 4, 0)
        mean = float(np.average(said[is_sure], weights=self.weight[kept[is_sure]]))
        return Sure(mean, *self._share(right[is_sure], kept[is_sure]), int(is_sure.sum()))

    @property
    def model(self) -> ResponseModel:
        """Response model of all responses."""
        counted = np.isfinite(self.response) & (self.weight > 0)
        return ResponseModel(self.method, self.slope, self.power, self.lapse, int(counted.sum()))

    @property
    def judgement(self) -> str | None:
        """Whether response probabilities hold for real responses.

        One of {"hold", "do not hold", "too few"}; None where no response can be predicted.
        """
        if not np.isfinite(self.response).any():
            return None
        chance = self.error_by_chance()
        if self.expected_error() > max(_TOLERATED, 1.5 * chance):
            return "do not hold"
        return "too few" if chance > _VAGUE else "hold"

    def _judged(self, which: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Probability of the prediction, whether it was right (1/2 for a tie), and positions."""
        answers = {"response": self.response, "order": self.order}[which]
        kept = np.flatnonzero(np.isfinite(answers) & (self.weight > 0))
        answers = answers[kept]
        return np.maximum(answers, 1.0 - answers), 0.5 + np.sign(answers - 0.5) / 2.0, kept

    def _share(self, right: np.ndarray, kept: np.ndarray) -> tuple[float, float, float]:
        part = np.unique(self.part[kept], return_inverse=True)[1]
        # Known participants come first; trials of unknown ones are no people.
        people = None if self.n_people is None else len(
            np.unique(self.part[kept][self.part[kept] < self.n_people])
        )
        # One participant alone has no spread between participants.
        people = None if people is None or people < 2 else people
        return clustered_mean(right, self.weight[kept], part, people=people)

    def _sums(self, which: str) -> np.ndarray:
        """(P, 3 m) weights, weighted probabilities and successes of every part in every class.

        More than `_CLUSTERS` parts are merged into as many random groups.
        """
        said, right, kept = self._judged(which)
        if not len(said):
            return np.zeros((0, 3))
        classes, weight = _classes(said), self.weight[kept]
        part = np.unique(self.part[kept], return_inverse=True)[1]
        m, parts = int(classes.max()) + 1, int(part.max()) + 1
        if parts > _CLUSTERS:
            part = (np.random.default_rng(1).permutation(parts) % _CLUSTERS)[part]
            parts = _CLUSTERS
        cell = part * m + classes
        return np.column_stack([
            np.bincount(cell, values, parts * m).reshape(parts, m)
            for values in (weight, weight * said, weight * right)
        ])


def _classes(said: np.ndarray) -> np.ndarray:
    """Class of each response, from 0, with equal probabilities in one class.

    Classes cut by row order would be off where a file lists answers to a question by response.
    """
    _, value, counts = np.unique(said, return_inverse=True, return_counts=True)
    middle = np.cumsum(counts) - (counts + 1) // 2
    classes = middle * min(_BINS, len(said)) // max(len(said), 1)
    return np.unique(classes, return_inverse=True)[1][value]


def _expected_error(sums: np.ndarray) -> float:
    """Expected calibration error, from the sums over all parts."""
    weight, said, right = sums.reshape(3, -1)
    total = weight.sum()
    return np.abs(right - said).sum() / total if total else float("nan")


@task("Predicting held-out responses", "embedding", columns=("participant",))
def reliability(
    method: OrdinalEmbedding, triplets: Triplets, *, source: Source = "bootstrap",
    unit: Unit = "auto", folds: Folds = 5, maps: Maps = 20, spread: Spread = "joint",
    seed: Seed = 0, progress: Progress = silent,
) -> Reliability:
    """How often held-out responses are given as predicted, and with which probability.

    Every fold is predicted by maps of the others, and calibrated by the other folds' predictions.

    Parameters
    ----------
    method : OrdinalEmbedding
    triplets : Triplets or array-like of int, shape (T, 3)
    unit
        It is also the unit of the intervals.

    Raises
    ------
    DataError
        If there are fewer groups of answers than folds.
    Stopped
        If `progress` asks to stop before all folds are done.

    References
    ----------
    Guo, C., Pleiss, G., Sun, Y., & Weinberger, K. Q. (2017). On calibration of modern neural
    networks. ICML. Expected calibration error; here in classes of equally many responses.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.read("sample_data/ekman_colors/answers.csv")
    >>> found = ts.reliability(ts.STE(), answers)
    >>> found.sure().count > 0
    True
    """
    triplets = as_triplets(triplets)
    chosen = sampling_units(triplets, unit).unit

    def predicted(train: Triplets, test: Triplets, done: float) -> tuple[np.ndarray, np.ndarray]:
        def watched(fraction: float, **details: object) -> bool:
            return progress(min(done + fraction / folds, 0.999), **details)

        # The same unit in every fold, unless one has a single participant left.
        unit_there = chosen if n_participants(train) > 1 else "answers"
        samples = samples_from(source, method, train, maps, seed, watched, unit=unit_there)
        return (
            evidence(method, samples.embeddings, test.rows),
            samples.order_certainty(test, spread=spread),
        )

    return _cross_validated(method, triplets, predicted, unit, folds, seed, progress)


def margin_reliability(method: Method, triplets: Answers, *, folds: int = 5) -> Reliability:
    """`reliability` of a method without samples: kernels, forests, a single map.

    Response probabilities are calibrated from its margins; there is no order certainty.
    """

    def predicted(train: Triplets, test: Triplets, _: float) -> tuple[np.ndarray, np.ndarray]:
        fitted = make_method(method).fit(train)
        return margin_evidence(fitted, test), np.full(len(test), np.nan)

    return _cross_validated(method, as_answers(triplets), predicted, "auto", folds, 0, silent)


def _cross_validated(
    method: Method, triplets: Answers, predicted: Callable[..., tuple[np.ndarray, np.ndarray]],
    unit: str, folds: int, seed: int, progress: Progress,
) -> Reliability:
    require_groups(triplets, folds)
    people = known_people(triplets, unit)
    fold = question_folds(triplets, folds, np.random.default_rng(seed))
    strength, order, response = np.full((3, len(triplets)), np.nan)
    for number in range(folds):
        test = fold == number
        strength[test], order[test] = predicted(
            triplets.take(~test), triplets.take(test), number / folds
        )
        if progress((number + 1) / folds) and number + 1 < folds:
            raise Stopped
    for number in range(folds):
        test = fold == number
        model = fit_response(method, strength[~test], triplets.weight[~test])
        response[test] = model.probability(strength[test])
    model = fit_response(method, strength, triplets.weight)
    return Reliability(
        response, order, triplets.weight.astype(float),
        triplets.groups if people is None else people.part,
        None if people is None else people.number, model.slope, model.power,
        model.lapse, model.method,
    )
