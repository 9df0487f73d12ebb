"""How much a weight should cost: the penalty that predicts trials which were held out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np

from tripletscope.core.computing.progress import Progress, Stopped, part, silent
from tripletscope.core.data.choices import Choices
from tripletscope.core.data.triplets import Triplets, as_triplets
from tripletscope.core.declared import Number
from tripletscope.core.dimensions.penalised import penalised, random_weights, without_empty
from tripletscope.core.dimensions.sparse import products
from tripletscope.core.dimensions.trials import trials_of
from tripletscope.core.evaluation.score import question_folds, require_groups
from tripletscope.core.method import Method
from tripletscope.core.optimise.responses import choice_losses
from tripletscope.core.options import Seed
from tripletscope.core.task import task

#: What is tried, in units of the log-likelihood for a weight of 1. The way is upwards: a dimension
#: that is empty stays so.
PENALTIES = 2.0 ** np.arange(-1, 6)
#: Where dimensions begin to go, so many steps to twice the penalty.
_STEPS = 4
#: A fit along the way need not be as exact as the last one.
_TOLERANCE = 1e-5
#: Share of the time that goes into the large steps.
_ROUGH = 0.3
#: Parts of which some are held out where a fit chooses for itself: so many trials, or few parts.
_PARTS, _HELD_OUT, _MOST = 10, 3000, 3
#: One-sided quantile of 5 %.
_SURELY = 1.645


@dataclass(frozen=True)
class PenaltyCurve:
    """How well held-out trials are predicted, by penalty.

    Attributes
    ----------
    penalties : ndarray, shape (p,)
        Ascending.
    log_likelihood : ndarray, shape (p,)
        Mean log-probability of the choice in a held-out trial; guessing has log(1/3) among three.
    errors : ndarray, shape (p,)
        Standard error of that, over trials.
    behind : ndarray, shape (p,)
        By how much each is below the best, in the same trials.
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
        """The best penalty, if it predicts held-out trials better than no dimensions do.

        By a one-sided test of level 5 % in the same trials; otherwise the largest penalty, which
        leaves none. In simulations the largest within one standard error of the best, which is
        often chosen, lost half of the dimensions that the best finds.

        Silent on: choices by coin (tests/core/dimensions/test_penalties.py::test_no_dimensions).
        """
        if not self.n_dimensions[-1] and self.behind[-1] <= _SURELY * self.behind_errors[-1]:
            return float(self.penalties[-1])
        return self.best


@task("Choosing the penalty", "dimensions")
def penalty_curve(
    method: Method,
    triplets: Triplets,
    *,
    folds: Annotated[
        int, Number(2, 20, "Folds", "The trials are split into this many folds.")
    ] = 5,
    points: Annotated[
        int, Number(2, 7, "Penalties", "Tried from 0.5 up, each twice the one before; in "
                    "steps of 19 % where dimensions begin to go.")
    ] = 7,
    seed: Seed = 0,
    progress: Progress = silent,
) -> PenaltyCurve:
    """Held-out log-likelihood of SPoSE by its penalty.

    Parameters
    ----------
    method : SPoSE
        Its penalty is not used.
    triplets : Triplets or array-like of int, shape (T, 3)
    folds, points, seed : int
    progress : Progress

    Returns
    -------
    PenaltyCurve

    Raises
    ------
    DataError
        If there are fewer groups of trials than folds, or choices are of another kind.
    ValueError
        If the method has no penalty.
    Stopped
        If `progress` asks to stop before the end.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.read("sample_data/odd_one_out/answers.csv")
    >>> curve = ts.penalty_curve(ts.SPoSE(n_components=10), answers, folds=2)
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
    """The penalty that a tenth of the trials speaks for, or of few more.

    Where the trials cannot be divided, it is the middle one.
    """
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
    penalties = _steps(method, trials.take(fold != held_out[0]), penalties, start,
                       part(progress, 0.0, _ROUGH))
    result = [
        _path(method, trials, fold == k, penalties, start,
              part(progress, _ROUGH + (1 - _ROUGH) * number / len(held_out),
                   _ROUGH + (1 - _ROUGH) * (number + 1) / len(held_out)))
        for number, k in enumerate(held_out)
    ]
    likely = np.concatenate([path.likely for path in result], axis=1)
    weight = np.concatenate([path.weight for path in result])
    mean, error = _mean(likely, weight)
    behind, behind_error = _mean(likely[np.argmax(mean)] - likely, weight)
    return PenaltyCurve(
        penalties, mean, error, behind, behind_error,
        np.mean([path.n_dimensions for path in result], axis=0), likely.shape[1],
    )


def _steps(
    method: Method, learned: Choices, penalties: np.ndarray, x: np.ndarray,
    progress: Progress,
) -> np.ndarray:
    """Penalties up to the last that leaves all dimensions, and small steps from there on.

    In one large step nearly all dimensions may go: the best, between chance ones that predict
    badly and none, would be missed.
    """
    for number, penalty in enumerate(penalties):
        result = penalised(
            learned, penalty, x, max_iter=method.max_iter, tol=_TOLERANCE,
            progress=part(progress, number / len(penalties), (number + 1) / len(penalties)),
        )
        if result.stopped:
            raise Stopped
        x = without_empty(result.x)
        if (x.max(axis=0) > method.threshold).sum() < method.n_components:
            low = max(number - 1, 0)
            count = _STEPS * (len(penalties) - 1 - low)
            fine = penalties[low] * 2.0 ** (np.arange(1, count + 1) / _STEPS)
            return np.concatenate([penalties[: low + 1], fine])
    return np.array(penalties)


class _Path(NamedTuple):
    """(p, Q) log-probability of held-out choices, (Q,) their weight, and (p,) dimensions."""

    likely: np.ndarray
    weight: np.ndarray
    n_dimensions: np.ndarray


def _path(
    method: Method, trials: Choices, held_out: np.ndarray, penalties: np.ndarray,
    x: np.ndarray, progress: Progress,
) -> _Path:
    learned = trials.take(~held_out)
    asked = trials.take(held_out & (trials.weight > 0))
    likely, kept = [], []
    for number, penalty in enumerate(penalties):
        low, high = number / len(penalties), (number + 1) / len(penalties)
        if x.any():  # what is empty stays so
            result = penalised(
                learned, penalty, x, max_iter=method.max_iter, tol=_TOLERANCE,
                progress=part(progress, low, high),
            )
            if result.stopped:
                raise Stopped
            x = without_empty(result.x)
        if progress(high) and high < 1.0:
            raise Stopped
        likely.append(-choice_losses(asked, products(x, asked.pairs))[0])
        kept.append(int((x.max(axis=0) > method.threshold).sum()))
    return _Path(np.array(likely), asked.weight, np.array(kept))


def _mean(values: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Weighted means of rows, and their standard errors."""
    share = weight / weight.sum()
    mean = values @ share
    return mean, np.sqrt(((values - mean[:, None]) ** 2) @ share**2)
