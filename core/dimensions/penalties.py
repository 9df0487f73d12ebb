"""How much a weight should cost: the penalty that predicts trials which were held out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from tripletscope.core.computing.progress import Progress, Stopped, part, silent
from tripletscope.core.data.triplets import Triplets, as_triplets
from tripletscope.core.dimensions.penalised import penalised, random_weights, without_empty
from tripletscope.core.dimensions.sparse import chosen, similarities_of
from tripletscope.core.dimensions.trials import ChoiceTrials, trials_of
from tripletscope.core.evaluation.score import question_folds, require_groups
from tripletscope.core.method import Method, Number
from tripletscope.core.task import task

#: What is tried, in units of the log-likelihood for a weight of 1. The way is upwards: a dimension
#: that is empty stays so.
PENALTIES = 2.0 ** np.arange(-1, 6)
#: A fit along the way need not be as exact as the last one.
_TOLERANCE = 1e-6
#: One part of so many is held out where a fit chooses for itself.
_PARTS = 10


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
        """The largest penalty that is at most one standard error behind the best.

        The standard error is that of the difference in the same trials, which is much smaller
        than that of either likelihood.
        """
        return float(self.penalties[self.behind <= self.behind_errors].max())


@task("Choosing the penalty", "dimensions")
def penalty_curve(
    method: Method,
    triplets: Triplets,
    *,
    folds: Annotated[
        int, Number(2, 20, "Folds", "The trials are split into this many folds.")
    ] = 5,
    points: Annotated[
        int, Number(2, 7, "Penalties", "Tried from 0.5 up, each twice the one before.")
    ] = 7,
    seed: Annotated[int, Number(0, 2**31 - 1, "Seed", advanced=True)] = 0,
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
    method: Method, triplets: Triplets, trials: ChoiceTrials, progress: Progress
) -> float:
    """The penalty that a tenth of the trials speaks for.

    Where the trials cannot be divided, it is the middle one.
    """
    groups = triplets.groups[trials.answer]
    if len(np.unique(groups[trials.weight > 0])) < _PARTS:
        return float(PENALTIES[len(PENALTIES) // 2])
    fold = question_folds(triplets, _PARTS, np.random.default_rng(method.seed))[trials.answer]
    return _curve(method, trials, fold, [0], PENALTIES, progress).chosen


def _curve(
    method: Method, trials: ChoiceTrials, fold: np.ndarray, held_out: range | list[int],
    penalties: np.ndarray, progress: Progress,
) -> PenaltyCurve:
    found = [
        _path(
            method, trials, fold == k, penalties,
            part(progress, number / len(held_out), (number + 1) / len(held_out)),
        )
        for number, k in enumerate(held_out)
    ]
    likely = np.concatenate([likely for likely, _, _ in found], axis=1)
    weight = np.concatenate([weight for _, weight, _ in found])
    mean, error = _mean(likely, weight)
    behind, behind_error = _mean(likely[np.argmax(mean)] - likely, weight)
    return PenaltyCurve(
        np.array(penalties), mean, error, behind, behind_error,
        np.mean([kept for _, _, kept in found], axis=0), likely.shape[1],
    )


def _path(
    method: Method, trials: ChoiceTrials, held_out: np.ndarray, penalties: np.ndarray,
    progress: Progress,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(p, Q) log-probability of held-out choices, their weight, and (p,) dimensions."""
    learned = trials.take(~held_out)
    asked = trials.take(held_out & (trials.weight > 0))
    x = random_weights(trials.n_objects, method.n_components, method.seed)
    likely, kept = [], []
    for number, penalty in enumerate(penalties):
        low, high = number / len(penalties), (number + 1) / len(penalties)
        found = penalised(
            learned, penalty, x, max_iter=method.max_iter, tol=_TOLERANCE,
            progress=part(progress, low, high),
        )
        if found.stopped or (progress(high) and high < 1.0):
            raise Stopped
        x = without_empty(found.x)
        probability = chosen(similarities_of(x, asked.rows), asked.kind)[:, 2]
        likely.append(np.log(np.maximum(probability, 1e-30)))
        kept.append(int((x.max(axis=0) > method.threshold).sum()))
    return np.array(likely), asked.weight, np.array(kept)


def _mean(values: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Weighted means of rows, and their standard errors."""
    share = weight / weight.sum()
    mean = values @ share
    return mean, np.sqrt(((values - mean[:, None]) ** 2) @ share**2)
