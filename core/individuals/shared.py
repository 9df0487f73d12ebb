"""Fits of one map whose axes every person weights, and of how much people differ in it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import minimize_scalar

from tripletscope.core.computing.progress import Progress, silent
from tripletscope.core.data.choices import Choices
from tripletscope.core.individuals.likelihood import Likelihood
from tripletscope.core.individuals.spread import Parabolas, Spread, best_spread
from tripletscope.core.optimise.loss import Loss
from tripletscope.core.optimise.minimise import Optimum, adapted, minimise

#: How often a spread is estimated anew at most, and by what change it has converged.
_ROUNDS, _SETTLED = 3, 0.02
#: Share of the loss by which an iteration lowers it at least.
_TOLERANCE = 1e-6
#: Log weights beyond this are not followed.
_STEEPEST = 5.0


@dataclass(frozen=True)
class Shared:
    """A map with weights, as it was found.

    Shapes: x (n, d).
    logs (P, d): Log weights.
    of_people: What held-out answers say of the log weights; None if the fit was stopped.
    """

    x: np.ndarray
    logs: np.ndarray
    spread: Spread
    optimum: Optimum
    of_people: Parabolas | None = None


class SharedMap:
    """Fits of one map with log weights of a given or of the likeliest spread.

    fold (S,): In which each stage is held out, to estimate the spread.
    """

    def __init__(
        self, choices: Choices, fold: np.ndarray, loss: Loss, prior: float
    ) -> None:
        self._prior = prior
        self._all = Likelihood(choices, loss)
        self._parts = [
            tuple(Likelihood(choices.take(which), loss) for which in (fold != k, fold == k))
            for k in np.unique(fold)
        ]

    def at(
        self, x: np.ndarray, logs: np.ndarray, spread: Spread, progress: Progress = silent,
        likelihood: Likelihood | None = None,
    ) -> Shared:
        """The likeliest positions and log weights of a spread."""
        n, d = x.shape
        likelihood = likelihood or self._all
        root = spread.matrix(d)
        raised = np.linalg.pinv(root, rcond=1e-6)

        def objective(flat: np.ndarray) -> tuple[float, np.ndarray]:
            places, z = flat[: n * d].reshape(n, d), flat[n * d :].reshape(-1, d)
            w = weights_of(z @ root)
            loss, by_places, by_weights = likelihood(places, w)
            by_z = (by_weights * w) @ root + z
            loss += 0.5 * (self._prior * float(np.sum(places**2)) + float(np.sum(z**2)))
            return loss, np.concatenate(
                [(by_places + self._prior * places).ravel(), by_z.ravel()]
            )

        start = np.concatenate([x.ravel(), (logs @ raised).ravel()])
        result = minimise(objective, start, progress=progress, max_iter=500, tol=_TOLERANCE)
        z = result.x[n * d :].reshape(-1, d)
        return Shared(result.x[: n * d].reshape(n, d).copy(), z @ root, spread, result)

    def fitted(
        self, begun: Shared, *, attention: bool = True, progress: Progress = silent
    ) -> Shared:
        """The likeliest map, its weights, and the spread of these that held-out answers have.

        The answers that a map is fitted to would say too much of how people differ: those whom
        it fits best, by chance or for their many answers, look more consistent than they are.
        """
        now = begun
        steps = len(self._parts) + 1
        for number in range(_ROUNDS):
            parts = []
            for k, (learned, _) in enumerate(self._parts):
                share = (number + k / steps) / _ROUNDS
                part_of = self.at(
                    now.x, now.logs, now.spread, adapted(progress, low=share, high=share), learned
                )
                if part_of.optimum.stopped:
                    return now
                parts.append(part_of)
            of_people = self._of_people(parts)
            spread, _ = best_spread(of_people, attention=attention)
            moved = max(
                abs(spread.consistency - now.spread.consistency),
                abs(spread.attention - now.spread.attention),
            )
            share = (number + 1 - 1 / steps) / _ROUNDS
            now = self.at(now.x, now.logs, spread, adapted(progress, low=share, high=share))
            now = replace(now, of_people=of_people)
            if moved < _SETTLED or now.optimum.stopped:
                break
        return now


    def _of_people(self, parts: list[Shared]) -> Parabolas:
        """What held-out answers say of log weights, given fits to the others.

        A map of few answers is too sure of those that it has not seen. What all log weights lack
        for that is found first: the likelihood is a parabola only near its top.
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
            # Told of the logs as if the others had all been right about how sure to be.
            of_part = Parabolas.about(one.logs, slopes, others.curvature(one.x, w))
            result = of_part if result is None else result + of_part
        return result


def weights_of(logs: np.ndarray) -> np.ndarray:
    """Weights of log weights, within bounds that arithmetic holds."""
    return np.exp(np.clip(logs, -_STEEPEST, _STEEPEST))
