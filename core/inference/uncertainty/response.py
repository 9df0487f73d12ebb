"""Response probabilities, calibrated on held-out responses.

Order certainty tends to 1 with more answers, though a person may still answer otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit

from tripletscope.core.data.triplets import Answers
from tripletscope.core.engine.method import Method, as_record, make_method
from tripletscope.core.engine.progress import Progress, Stopped, silent
from tripletscope.core.inference.held_out.score import n_groups, question_folds
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding
from tripletscope.core.models.optimise.loss import answer_losses, margins
from tripletscope.core.models.optimise.minimise import minimise

#: Parts of the questions, held out in turn.
FOLDS = 5
#: Prior standard deviations of the logarithms of slope and power: without them, a few responses
#: that are all predicted rightly would make the slope infinite.
_SLOPES, _POWERS = 2.0, 0.5


@dataclass(frozen=True)
class ResponseModel:
    """Probability of a response from the evidence for it.

    lapse / 2 + (1 - lapse) / (1 + exp(-slope * evidence ** power)), where the power keeps the sign:
    without it, noise that grows with distance would pass for lapses.

    Attributes
    ----------
    method : dict
        The method, as `described`; it decides on what `evidence` is.
    slope, power : float
        Both are 1 where the evidence is the log odds of a correct likelihood.
    lapse : float
        From 0 to 1.
    n_responses : int
        Held-out responses learned from. Without any, the slope is 1 for a likelihood, otherwise 0.
    """

    method: dict
    slope: float
    power: float
    lapse: float
    n_responses: int

    def probability(self, evidence: np.ndarray) -> np.ndarray:
        """(T,) probability of each response, from `evidence` (T,); NaN where it is."""
        strength = self.slope * np.sign(evidence) * np.abs(evidence) ** self.power
        return self.lapse / 2.0 + (1.0 - self.lapse) * expit(strength)

    def from_maps(self, embeddings: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """(T,) probability of each response, from maps (b, n, d)."""
        return self.probability(evidence(make_method(self.method), embeddings, rows))


def has_likelihood(method: Method) -> bool:
    """Whether a method has a likelihood of responses."""
    return isinstance(method, OrdinalEmbedding) and method.is_likelihood


def evidence(method: Method, embeddings: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Evidence (T,) of maps for each response, above 0 where they agree; NaN without all objects.

    The log odds of the method's mean likelihood over the maps; otherwise the mean difference of the
    two distances, by the root mean square of all. An answer from a choice among several pairs is
    about two of them, as if no other had been shown.

    rows (T, 3) or (T, 4).
    embeddings (b, n, d): NaN for objects that have no place.
    """
    total, count = np.zeros((2, len(rows)))
    for positions in embeddings:
        one = _probability(method, positions, rows) if has_likelihood(method) else _margin(
            positions, rows
        )
        finite = np.isfinite(one)
        total += np.where(finite, one, 0.0)
        count += finite
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = total / count
    if not has_likelihood(method):
        return mean
    # A mean of exactly 0 or 1 is rounding.
    return logit(np.clip(mean, np.finfo(float).tiny, 1.0 - np.finfo(float).eps))


def margin_evidence(fitted: Method, answers: Answers) -> np.ndarray:
    """(T,) `evidence` of a fitted method without maps: margins by its mean distance."""
    size = float(np.nanmean(fitted.distances()))
    return fitted.margins(answers) / (size or 1.0)


def _probability(method: Method, positions: np.ndarray, rows: np.ndarray) -> np.ndarray:
    finite = np.isfinite(positions[rows]).all(axis=(1, 2))
    result = np.full(len(rows), np.nan)
    result[finite] = np.exp(-answer_losses(method._loss(), positions, rows[finite]))
    return result


def _margin(positions: np.ndarray, rows: np.ndarray) -> np.ndarray:
    placed = positions[np.isfinite(positions[:, 0])]
    # Root mean square of the distances, without their matrix.
    size = np.sqrt(2.0 * placed.var(axis=0).sum()) if len(placed) else 0.0
    return margins(positions, rows) / (size or 1.0)


def fit_response(method: Method, evidence: np.ndarray, weight: np.ndarray) -> ResponseModel:
    """Most probable slope, power and lapse of held-out responses with this evidence (T,).

    One more response, against all evidence, is added, so that no response is impossible.
    """
    counted = np.isfinite(evidence) & (weight > 0)
    number = int(counted.sum())
    if not number:
        return ResponseModel(as_record(method), float(has_likelihood(method)), 1.0, 0.0, 0)
    weight, side = weight[counted], np.sign(evidence[counted])
    # Evidence of 0 has no logarithm, and no side on which it would matter.
    size = np.log(np.where(side == 0, 1.0, np.abs(evidence[counted])))

    def loss(x: np.ndarray) -> tuple[float, np.ndarray]:
        power, lapse = np.exp(x[1]), expit(x[2])
        strength = side * np.exp(x[0] + power * size)
        agreed = expit(strength)
        answers = lapse / 2.0 + (1.0 - lapse) * agreed
        value = x[0] ** 2 / (2.0 * _SLOPES**2) + x[1] ** 2 / (2.0 * _POWERS**2)
        value -= weight @ np.log(answers) + np.log(lapse)
        by_strength = weight * (1.0 - lapse) * agreed * (1.0 - agreed) * strength / answers
        by_lapse = -(weight @ ((0.5 - agreed) / answers)) - 1.0 / lapse
        return value, np.array([
            x[0] / _SLOPES**2 - by_strength.sum(),
            x[1] / _POWERS**2 - power * (by_strength @ size),
            by_lapse * lapse * (1.0 - lapse),
        ])

    result = minimise(
        loss, np.array([0.0, 0.0, logit(0.02)]),
        bounds=(np.array([-10.0, -2.0, -15.0]), np.array([10.0, 2.0, 4.0])),
    ).x
    slope, power = np.exp(result[:2])
    return ResponseModel(
        as_record(method), float(slope), float(power), float(expit(result[2])), number
    )


def learned_response(
    method: Method, triplets: Answers, drawn: Callable[[Answers], np.ndarray], *, seed: int = 0,
    progress: Progress = silent,
) -> ResponseModel:
    """A response model of responses that are held out in turn.

    drawn: From answers to maps of them (b, n, d).
    """
    result = np.full(len(triplets), np.nan)
    if n_groups(triplets) >= FOLDS:
        fold = question_folds(triplets, FOLDS, np.random.default_rng(seed))
        for held_out in range(FOLDS):
            if progress(held_out / FOLDS):
                raise Stopped
            test = fold == held_out
            result[test] = evidence(method, drawn(triplets.take(~test)), triplets.rows[test])
    return fit_response(method, result, triplets.weight)
