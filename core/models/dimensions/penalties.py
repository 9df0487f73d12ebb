"""Weights under a penalty on their sum, and the penalty that best predicts held-out trials."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np

from tripletscope.core.data.choices import Choices
from tripletscope.core.data.triplets import Triplets, as_triplets
from tripletscope.core.engine.declared import Number, Seed
from tripletscope.core.engine.method import Method
from tripletscope.core.engine.parallel import single_blas_thread
from tripletscope.core.engine.progress import Progress, Stopped, part, silent
from tripletscope.core.engine.task import task
from tripletscope.core.inference.held_out.score import question_folds, require_groups
from tripletscope.core.models.dimensions.likelihood import TrialBatch, padded, trials_of
from tripletscope.core.models.dimensions.sparse import products
from tripletscope.core.models.optimise.minimise import NOT_NEGATIVE, minimise
from tripletscope.core.models.optimise.responses import choice_losses

#: Upper end of the uniform starting weights.
_START = 0.3
#: A fit begins with these shares of the penalty, at lower precision. With the whole penalty
#: at once, random weights end in no dimensions, or in far too many equal ones.
_RAMP, _RAMP_TOLERANCE = (0.125, 0.25, 0.5), 1e-5
#: Penalties to try, in units of the log-likelihood for a weight of 1; ascending, as an
#: empty dimension stays so.
PENALTIES = 2.0 ** np.arange(-1, 6)
#: Where dimensions begin to vanish, steps from a penalty to twice as much.
_STEPS = 4
#: Fits along the way need less precision than the last one. With 1e-5 they take 1.3 times as long
#: for the same penalty; with 1e-4, .7 times, for one that predicts new trials a little worse.
_TOLERANCE = 3e-5
#: Share of the time for the large steps.
_ROUGH = 0.3
#: When a fit chooses the penalty: parts of the trials, trials to hold out, and most parts for it.
_PARTS, _HELD_OUT, _MOST = 10, 3000, 3
#: One-sided quantile of 5 %.
SURELY = 1.645


class Weights(NamedTuple):
    """Result of a descent: weights (n, d), and the losses after every iteration."""

    x: np.ndarray
    losses: np.ndarray
    converged: bool
    stopped: bool


def random_weights(n: int, d: int, seed: int) -> np.ndarray:
    """(n, d) positive weights to start from."""
    return np.random.default_rng(seed).uniform(0.0, _START, (n, d))


def penalised(
    trials: Choices, penalty: float, start: np.ndarray, *, max_iter: int, tol: float,
    progress: Progress = silent,
) -> Weights:
    """Weights of the least loss, by L-BFGS with bounds, on all trials.

    As weights cannot be negative, the sum of their absolute values is linear, and the loss smooth.

    trials: At least one with a weight.
    start (n, d): Dimensions without a positive weight stay so.
    tol: Converged when an iteration lowers the loss by less than this fraction.
    """
    n, d = start.shape
    batch = TrialBatch.of(trials)
    x = np.zeros((n, padded(d)), np.float32)
    gradients = np.empty((len(batch.pieces), *x.shape), np.float32)
    losses: list[float] = []

    def objective(flat: np.ndarray) -> tuple[float, np.ndarray]:
        x[:, :d] = flat.reshape(n, d)
        loss = batch.evaluate(x, gradients) + penalty * flat.sum()
        return loss, gradients[0, :, :d].astype(float).ravel() + penalty

    def report(fraction: float, *, loss: float, snapshot: np.ndarray) -> bool:
        losses.append(loss)
        return progress(len(losses) / (max_iter + 1), loss=loss, snapshot=snapshot.reshape(n, d))

    with single_blas_thread():
        result = minimise(
            objective, start.ravel(), max_iter=max_iter, tol=tol, bounds=NOT_NEGATIVE,
            progress=report,
        )
    return Weights(result.x.reshape(n, d), np.array(losses), result.converged, result.stopped)


def from_random(
    trials: Choices, penalty: float, n_components: int, *, max_iter: int, tol: float,
    seed: int, progress: Progress = silent,
) -> Weights:
    """`penalised` from random weights by way of lower penalties."""
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
    """The dimensions with a weight, at least one: an empty one cannot come back."""
    filled = x.any(axis=0)
    return x[:, filled] if filled.any() else x[:, :1]


@dataclass(frozen=True)
class PenaltyCurve:
    """Prediction of held-out trials, by penalty.

    Attributes
    ----------
    penalties : ndarray, shape (p,)
        Ascending.
    log_likelihood : ndarray, shape (p,)
        Mean log-probability of the choice in a held-out trial; guessing has log(1/3) among three.
    errors : ndarray, shape (p,)
        Its standard error, over trials.
    behind : ndarray, shape (p,)
        Difference from the best, in the same trials.
    behind_errors : ndarray, shape (p,)
        Standard error of that difference.
    n_dimensions : ndarray, shape (p,)
        Mean over folds.
    n_trials : int
        Held-out trials.
    """

    penalties: np.ndarray
    log_likelihood: np.ndarray
    errors: np.ndarray
    behind: np.ndarray
    behind_errors: np.ndarray
    n_dimensions: np.ndarray
    n_trials: int

    @property
    def best(self) -> float:
        """The penalty of the largest held-out likelihood."""
        return float(self.penalties[np.argmax(self.log_likelihood)])

    @property
    def chosen(self) -> float:
        """The best penalty, if it predicts held-out trials better than no dimensions.

        By a one-sided test of level 5 % in the same trials; otherwise the largest penalty, which
        leaves none. The largest penalty within one standard error of the best lost half of the best
        one's dimensions in simulations.
        """
        if not self.n_dimensions[-1] and self.behind[-1] <= SURELY * self.behind_errors[-1]:
            return float(self.penalties[-1])
        return self.best


@task("Choosing the penalty", "dimensions")
def penalty_curve(
    method: Method, triplets: Triplets, *,
    folds: Annotated[
        int, Number(2, 20, "Folds", "The trials are split into this many folds.")
    ] = 5,
    points: Annotated[
        int, Number(2, 7, "Penalties", "Penalties from 0.5 up, each twice the previous one, and in "
                    "steps of 19 % where dimensions begin to vanish.")
    ] = 7,
    seed: Seed = 0, progress: Progress = silent,
) -> PenaltyCurve:
    """Held-out log-likelihood of SPoSE by its penalty.

    Parameters
    ----------
    method : SPoSE
        Its penalty is not used.
    triplets : Triplets or array-like of int, shape (T, 3)

    Raises
    ------
    DataError
        If there are fewer groups of trials than folds, or choices are of another kind.
    ValueError
        If the method has no penalty.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.read("sample_data/odd_one_out/answers.csv")
    >>> curve = ts.dimensions.penalty_curve(ts.dimensions.SPoSE(n_components=10), answers, folds=2)
    >>> curve.chosen in curve.penalties
    True
    """
    if not hasattr(method, "penalty"):
        raise ValueError(f"{method.title} has no penalty: it is for SPoSE.")
    triplets = as_triplets(triplets)
    trials = trials_of(triplets)
    require_groups(triplets, folds)
    fold = question_folds(triplets, folds, np.random.default_rng(seed))[trials.answer]
    return _curve(method, trials, fold, range(folds), PENALTIES[:points], progress)


def choose_penalty(
    method: Method, triplets: Triplets, trials: Choices, progress: Progress
) -> float:
    """The penalty by a held-out tenth of the trials, or more of few; the middle one for too few."""
    groups = triplets.groups[trials.answer]
    n_trials = np.count_nonzero(trials.weight)
    if len(np.unique(groups[trials.weight > 0])) < _PARTS:
        return float(PENALTIES[len(PENALTIES) // 2])
    fold = question_folds(triplets, _PARTS, np.random.default_rng(method.seed))[trials.answer]
    parts = range(min(-(-_HELD_OUT * _PARTS // n_trials), _MOST))
    return _curve(method, trials, fold, parts, PENALTIES, progress).chosen


def _curve(
    method: Method, trials: Choices, fold: np.ndarray, held_out: range,
    penalties: np.ndarray, progress: Progress,
) -> PenaltyCurve:
    start = random_weights(trials.n_objects, method.n_components, method.seed)
    penalties, begun = _steps(method, trials.take(fold != held_out[0]), penalties, start,
                              part(progress, 0.0, _ROUGH))
    result = [
        _path(method, trials, fold == k, penalties, start, begun if number == 0 else [],
              part(progress, _ROUGH + (1 - _ROUGH) * number / len(held_out),
                   _ROUGH + (1 - _ROUGH) * (number + 1) / len(held_out)))
        for number, k in enumerate(held_out)
    ]
    likely, weight, kept = zip(*result, strict=True)
    likely, weight = np.concatenate(likely, axis=1), np.concatenate(weight)
    mean, error = _mean(likely, weight)
    behind, behind_error = _mean(likely[np.argmax(mean)] - likely, weight)
    return PenaltyCurve(
        penalties, mean, error, behind, behind_error,
        np.mean(kept, axis=0), likely.shape[1],
    )


def _steps(
    method: Method, learned: Choices, penalties: np.ndarray, x: np.ndarray, progress: Progress,
) -> tuple[np.ndarray, list[np.ndarray]]:
    """Penalties up to the last that leaves all dimensions, and small steps from there on.

    One large step may empty nearly all dimensions, and skip the best penalty.
    Returns: Penalties, and weights (n, d) under the first of them.
    """
    fits: list[np.ndarray] = []
    for number, penalty in enumerate(penalties):
        result = penalised(
            learned, penalty, x, max_iter=method.max_iter, tol=_TOLERANCE,
            progress=part(progress, number / len(penalties), (number + 1) / len(penalties)),
        )
        if result.stopped:
            raise Stopped
        x = without_empty(result.x)
        fits.append(x)
        if (x.max(axis=0) > method.threshold).sum() < method.n_components:
            low = max(number - 1, 0)
            count = _STEPS * (len(penalties) - 1 - low)
            fine = penalties[low] * 2.0 ** (np.arange(1, count + 1) / _STEPS)
            return np.concatenate([penalties[: low + 1], fine]), fits[: low + 1]
    return np.array(penalties), fits


def _path(
    method: Method, trials: Choices, held_out: np.ndarray, penalties: np.ndarray,
    x: np.ndarray, begun: list[np.ndarray], progress: Progress,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(p, Q) log-probability of held-out choices, (Q,) their weight, and (p,) dimensions.

    begun: Weights under the first penalties, as far as they are there.
    """
    learned = trials.take(~held_out)
    test = trials.take(held_out & (trials.weight > 0))
    likely, kept = [], []
    for number, penalty in enumerate(penalties):
        low, high = number / len(penalties), (number + 1) / len(penalties)
        if number < len(begun):
            x = begun[number]
        elif x.any():  # empty dimensions stay so
            result = penalised(
                learned, penalty, x, max_iter=method.max_iter, tol=_TOLERANCE,
                progress=part(progress, low, high),
            )
            if result.stopped:
                raise Stopped
            x = without_empty(result.x)
        if progress(high) and high < 1.0:
            raise Stopped
        likely.append(-choice_losses(test, products(x, test.pairs))[0])
        kept.append(int((x.max(axis=0) > method.threshold).sum()))
    return np.array(likely), test.weight, np.array(kept)


def _mean(values: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Weighted means of rows, and their standard errors."""
    share = weight / weight.sum()
    mean = values @ share
    return mean, np.sqrt(((values - mean[:, None]) ** 2) @ share**2)
