"""Fits of one map whose axes every person weights, and of how much people differ in it.

The log weights of a person are normal about 0: with standard deviation ``consistency`` in their
common part, which is how precise the answers are, and ``attention`` in the rest, which is what a
person looks at. Their accuracy is by Laplace's approximation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize_scalar

from tripletscope.core.data.choices import Choices
from tripletscope.core.engine.progress import Progress, part, silent
from tripletscope.core.models.optimise.loss import Loss
from tripletscope.core.models.optimise.minimise import Optimum, minimise
from tripletscope.core.people.weighted_axes import Likelihood

#: Bounds of a standard deviation of log weights.
_LEAST, _MOST = 0.01, 3.0
#: Most estimates of a spread, and the change that ends them.
_ROUNDS, _SETTLED = 3, 0.02
#: Least share by which an iteration lowers the loss.
_TOLERANCE = 1e-6
#: Largest log weight.
_STEEPEST = 5.0


@dataclass(frozen=True)
class PeopleVariance:
    """Standard deviations of log weights between people.

    consistency: Of their mean over the dimensions, times the square root of the number of these.
    attention: Of the rest, in every direction.
    """

    consistency: float
    attention: float

    def matrix(self, d: int) -> np.ndarray:
        """(d, d) symmetric square root of the covariance of log weights."""
        shared = np.full((d, d), 1.0 / d)
        return self.consistency * shared + self.attention * (np.eye(d) - shared)


@dataclass(frozen=True)
class Parabolas:
    """Quadratic log-likelihood of every person's log weights, up to a constant.

    Slope at 0, `pull` (P, d), and minus the curvature, `information` (P, d, d).
    """

    pull: np.ndarray
    information: np.ndarray

    @classmethod
    def about(cls, logs: np.ndarray, slopes: np.ndarray, information: np.ndarray) -> Parabolas:
        """From the gradient of minus the log-likelihood at other log weights (P, d)."""
        return cls(np.einsum("pkl,pl->pk", information, logs) - slopes, information)

    def __add__(self, other: Parabolas) -> Parabolas:
        return Parabolas(self.pull + other.pull, self.information + other.information)

    def gain(self, spread: PeopleVariance, middle: float = 0.0) -> tuple[float, np.ndarray]:
        """Log marginal likelihood of log weights about `middle`, over that of all at 0.

        And its slopes (3,) by both standard deviations and by the middle.
        """
        d = self.pull.shape[1]
        root, shared = spread.matrix(d), np.full((d, d), 1.0 / d)
        moved = self.information.sum(axis=2)
        pull = self.pull - middle * moved
        drawn = self.information @ root
        within = np.linalg.inv(np.eye(d) + root @ drawn)
        likely = np.einsum("pkl,pl->pk", within, pull @ root)
        total = float(moved.sum())
        value = (
            middle * self.pull.sum() - 0.5 * middle**2 * total
            + 0.5 * np.sum((pull @ root) * likely) + 0.5 * np.linalg.slogdet(within)[1].sum()
        )
        left = pull - np.einsum("pkl,pl->pk", drawn, likely)
        by_root = np.einsum("pk,pl->kl", likely, left) - np.einsum("pkl,plm->mk", drawn, within)
        slopes = [
            np.sum(by_root * shared), np.sum(by_root * (np.eye(d) - shared)),
            self.pull.sum() - middle * total - np.sum((likely @ root) * moved),
        ]
        return float(value), np.array(slopes)


def best_spread(of_people: Parabolas, *, attention: bool = True) -> PeopleVariance:
    """The likeliest spread of log weights.

    A gamma prior of shape 2 keeps the spread of few people from 0, where intervals would have no
    width. Without `attention` people do not differ in it.

    References
    ----------
    Chung, Y., Rabe-Hesketh, S., Dorie, V., Gelman, A., & Liu, J. (2013). A nondegenerate penalized
    likelihood estimator for variance parameters in multilevel models. Psychometrika, 78, 685-709.
    """
    number = 1 + (attention and of_people.pull.shape[1] > 1)

    def spread_of(values: np.ndarray) -> PeopleVariance:
        return PeopleVariance(*np.exp(values[:number]).tolist(), *[0.0] * (2 - number))

    def loss(values: np.ndarray) -> tuple[float, np.ndarray]:
        value, slopes = of_people.gain(spread_of(values), values[-1])
        by_logs = slopes[:number] * np.exp(values[:number]) + 1.0
        return -value - float(values[:number].sum()), -np.append(by_logs, slopes[-1])

    starts = [np.append(np.full(number, np.log(size)), 0.0) for size in (0.05, 0.2, 0.6)]
    low, high = np.full((2, number + 1), [[np.log(_LEAST)], [np.log(_MOST)]])
    low[-1], high[-1] = -_MOST, _MOST
    start = min(starts, key=lambda one: loss(one)[0])
    return spread_of(minimise(loss, start, bounds=(low, high)).x)


@dataclass(frozen=True)
class WeightUncertainty:
    """Accuracy of weights and axes.

    covariance (P, d, d): Of the log weights of every person, where the mean over people is 1 in
        every dimension.
    axes: Standard deviation of the direction of the least certain axis, in degrees; infinite if it
        is unknown, and 0 in one dimension.
    """

    covariance: np.ndarray
    axes: float


def accuracy_of(
    positions: np.ndarray, weights: np.ndarray, spread: PeopleVariance, prior: float,
    information: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> WeightUncertainty:
    """Laplace's approximation about positions (n, d) of placed objects and weights (P, d) together.

    `information` is that of `tripletscope.core.people.weighted_axes.Likelihood.information`.
    """
    of_positions, of_both, of_weights = information
    (n, d), number = positions.shape, len(weights)
    root = spread.matrix(d)
    inner = np.linalg.inv(np.eye(d) + root @ of_weights @ root)
    both = root @ of_both  # (P, d, n d)
    turns = _turns(positions)
    whole = of_positions - np.einsum("pki,pkl,plj->ij", both, inner, both, optimize=True)
    # Rotations do not change the prior: its slope takes back what it adds to the curvature.
    whole += prior * np.eye(n * d)
    if len(turns):
        basis = np.linalg.qr(turns.T)[0]
        whole -= prior * (1.0 - 1e-6) * basis @ basis.T
    of_positions_alone = np.linalg.inv(whole)
    degrees = 0.0
    if len(turns):
        lengths = np.einsum("ti,ti->t", turns, turns)
        variance = np.einsum("ti,ij,tj->t", turns, of_positions_alone, turns) / lengths**2
        degrees = float(np.rad2deg(np.sqrt(variance.max())))
    lean = (inner @ both).reshape(number * d, n * d)
    full = (lean @ of_positions_alone @ lean.T).reshape(number, d, number, d)
    full[np.arange(number), :, np.arange(number), :] += inner
    full = np.einsum("kl,plqm,mr->pkqr", root, full, root, optimize=True)
    share = weights / weights.sum(axis=0)
    mean = np.einsum("pk,pkqr->kqr", share, full)
    full -= mean[None]
    full -= np.einsum("qr,pkqr->pkr", share, full)[:, :, None, :]
    return WeightUncertainty(
        full[np.arange(number), :, np.arange(number), :], degrees if degrees < 90 else np.inf
    )


def rough_accuracy_of(spread: PeopleVariance, information: np.ndarray) -> WeightUncertainty:
    """Accuracy of weights for a map that is certain; nothing of its axes."""
    d = information.shape[1]
    root = spread.matrix(d)
    inner = np.linalg.inv(np.eye(d) + root @ information @ root)
    return WeightUncertainty(root @ inner @ root, np.inf if d > 1 else 0.0)


def _turns(positions: np.ndarray) -> np.ndarray:
    """(r, n d) directions of the rotations about each plane of two axes."""
    centred = positions - positions.mean(axis=0)
    n, d = positions.shape
    result = []
    for k in range(d):
        for q in range(k):
            turn = np.zeros((n, d))
            turn[:, k], turn[:, q] = centred[:, q], -centred[:, k]
            result.append(turn.ravel())
    return np.array(result).reshape(-1, n * d)


@dataclass(frozen=True)
class Shared:
    """A fitted map x (n, d) with log weights (P, d)."""

    x: np.ndarray
    logs: np.ndarray
    spread: PeopleVariance
    optimum: Optimum


def likeliest(
    likelihood: Likelihood, x: np.ndarray, logs: np.ndarray, spread: PeopleVariance, prior: float,
    *, max_iter: int = 500, tol: float = _TOLERANCE, progress: Progress = silent,
) -> Shared:
    """The likeliest positions and log weights of a spread, from (n, d) and (P, d) on."""
    n, d = x.shape
    root = spread.matrix(d)
    raised = np.linalg.pinv(root, rcond=1e-6)

    def objective(flat: np.ndarray) -> tuple[float, np.ndarray]:
        places, z = flat[: n * d].reshape(n, d), flat[n * d :].reshape(-1, d)
        w = weights_of(z @ root)
        loss, by_places, by_weights = likelihood(places, w)
        by_z = (by_weights * w) @ root + z
        loss += 0.5 * (prior * float(np.sum(places**2)) + float(np.sum(z**2)))
        return loss, np.concatenate([(by_places + prior * places).ravel(), by_z.ravel()])

    start = np.concatenate([x.ravel(), (logs @ raised).ravel()])
    result = minimise(objective, start, progress=progress, max_iter=max_iter, tol=tol)
    z = result.x[n * d :].reshape(-1, d)
    return Shared(result.x[: n * d].reshape(n, d).copy(), z @ root, spread, result)


class SharedMap:
    """Fits of one map with log weights of the likeliest spread, held out in each `fold`."""

    def __init__(self, choices: Choices, fold: np.ndarray, loss: Loss, prior: float) -> None:
        self._prior = prior
        self._all = Likelihood(choices, loss)
        self._parts = [
            tuple(Likelihood(choices.take(which), loss) for which in (fold != k, fold == k))
            for k in np.unique(fold)
        ]

    def fitted(
        self, begun: Shared, *, attention: bool = True, progress: Progress = silent
    ) -> Shared:
        """The likeliest map, its weights, and their spread on held-out answers.

        On training answers, people with the best fit would look more consistent than they are.
        """
        now = begun
        steps = len(self._parts) + 1
        for number in range(_ROUNDS):
            parts = []
            for k, (learned, _) in enumerate(self._parts):
                share = (number + k / steps) / _ROUNDS
                part_of = likeliest(
                    learned, now.x, now.logs, now.spread, self._prior,
                    progress=part(progress, share, share),
                )
                if part_of.optimum.stopped:
                    return now
                parts.append(part_of)
            spread = best_spread(self._of_people(parts), attention=attention)
            moved = max(
                abs(spread.consistency - now.spread.consistency),
                abs(spread.attention - now.spread.attention),
            )
            share = (number + 1 - 1 / steps) / _ROUNDS
            now = likeliest(
                self._all, now.x, now.logs, spread, self._prior,
                progress=part(progress, share, share),
            )
            if moved < _SETTLED or now.optimum.stopped:
                break
        return now

    def _of_people(self, parts: list[Shared]) -> Parabolas:
        """Parabolas of the log weights on held-out answers, given fits to the others.

        A common shift of all log weights first corrects that maps of few answers are too certain.
        """
        held = [others for _, others in self._parts]

        def loss(middle: float) -> float:
            return sum(
                others(one.x, weights_of(one.logs + middle))[0]
                for others, one in zip(held, parts, strict=True)
            )

        middle = minimize_scalar(
            loss, bounds=(-_STEEPEST, 1.0), method="bounded", options={"xatol": 0.05}
        ).x
        result = None
        for others, one in zip(held, parts, strict=True):
            w = weights_of(one.logs + middle)
            slopes = others(one.x, w)[2] * w
            # At the logs without the shift, as if the fit had been right about its certainty.
            of_part = Parabolas.about(one.logs, slopes, others.curvature(one.x, w))
            result = of_part if result is None else result + of_part
        return result


def weights_of(logs: np.ndarray) -> np.ndarray:
    """Weights of log weights, within bounds of arithmetic."""
    return np.exp(np.clip(logs, -_STEEPEST, _STEEPEST))
