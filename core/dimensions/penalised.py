"""Non-negative weights of the largest likelihood minus a price on their sum."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import Bounds, OptimizeResult, minimize

from tripletscope.core.computing.parallel import single_blas_thread
from tripletscope.core.computing.progress import Progress, part, silent
from tripletscope.core.data.choices import Choices
from tripletscope.core.dimensions.likelihood import TrialBatch, padded

#: Weights at the start are uniform up to this.
_START = 0.3
#: Steps that the model of the curvature remembers.
_MEMORY = 10
#: A fit begins with these shares of the penalty, and looks at them less closely. At the whole of it
#: at once, random weights end in no dimensions, or in far too many that are all alike.
_RAMP, _RAMP_TOLERANCE = (0.125, 0.25, 0.5), 1e-5


class Weights(NamedTuple):
    """Where a descent has ended.

    Shapes: x (n, d).
    losses: After every iteration.
    """

    x: np.ndarray
    losses: np.ndarray
    converged: bool
    stopped: bool


def random_weights(n: int, d: int, seed: int) -> np.ndarray:
    """(n, d) positive weights to begin at."""
    return np.random.default_rng(seed).uniform(0.0, _START, (n, d))


def penalised(
    trials: Choices, penalty: float, start: np.ndarray, *, max_iter: int, tol: float,
    progress: Progress = silent,
) -> Weights:
    """Weights of the least loss, by L-BFGS with bounds (Zhu et al., 1997), on all trials.

    As weights cannot be negative, the sum of their absolute values is linear, and the loss smooth.

    trials: At least one of a weight above 0.
    start (n, d): Dimensions without a positive weight stay so.
    tol: Converged when an iteration lowers the loss by less than this fraction.
    """
    n, d = start.shape
    batch = TrialBatch.of(trials)
    x = np.zeros((n, padded(d)), np.float32)
    gradients = np.empty((batch.n_parts, *x.shape), np.float32)
    losses: list[float] = []
    stopped = False

    def objective(flat: np.ndarray) -> tuple[float, np.ndarray]:
        x[:, :d] = flat.reshape(n, d)
        loss = batch.evaluate(x, gradients) + penalty * flat.sum()
        return loss, gradients[0, :, :d].astype(float).ravel() + penalty

    def after(intermediate_result: OptimizeResult) -> None:
        nonlocal stopped
        losses.append(float(intermediate_result.fun))
        stopped = progress(
            len(losses) / (max_iter + 1), loss=losses[-1],
            snapshot=intermediate_result.x.reshape(n, d),
        )
        if stopped:
            raise StopIteration

    with single_blas_thread():
        result = minimize(
            objective, start.ravel(), jac=True, method="L-BFGS-B", bounds=Bounds(0.0, np.inf),
            callback=after, options={"maxiter": max_iter, "ftol": tol, "maxcor": _MEMORY},
        )
    return Weights(
        result.x.reshape(n, d), np.array(losses), bool(result.success) and not stopped, stopped
    )


def from_random(
    trials: Choices, penalty: float, n_components: int, *, max_iter: int, tol: float,
    seed: int, progress: Progress = silent,
) -> Weights:
    """As `penalised`, from random weights by way of lower penalties."""
    result = Weights(
        random_weights(trials.n_objects, n_components, seed), np.zeros(0), False, False
    )
    steps = len(_RAMP) + 1
    losses = []
    for number, share in enumerate((*_RAMP, 1.0)):
        result = penalised(
            trials, share * penalty, result.x, max_iter=max_iter,
            tol=tol if share == 1.0 else _RAMP_TOLERANCE,
            progress=part(progress, number / steps, (number + 1) / steps),
        )
        losses.append(result.losses)
        if result.stopped:
            break
        result = result._replace(x=without_empty(result.x))
    return result._replace(losses=np.concatenate(losses))


def without_empty(x: np.ndarray) -> np.ndarray:
    """The dimensions that have a weight, as an empty one cannot come back; one at least."""
    filled = x.any(axis=0)
    return x[:, filled] if filled.any() else x[:, :1]
