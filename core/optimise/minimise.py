"""Minimisation on plain arrays, from one start or from several."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tripletscope.core.computing.parallel import Halt, in_parallel
from tripletscope.core.computing.progress import Progress, as_coarse_as, is_coarse, silent
from tripletscope.core.optimise.lbfgs import CONVERGED, GOING, Descent

Objective = Callable[[np.ndarray], tuple[float, np.ndarray]]


@dataclass(frozen=True)
class Optimum:
    """Where a minimisation ended.

    x: The best point seen.
    converged: Whether the loss had stopped falling.
    stopped: Whether the progress object asked to stop.
    """

    x: np.ndarray
    loss: float
    n_iter: int
    converged: bool
    stopped: bool = False


def minimise(
    objective: Objective,
    start: np.ndarray,
    *,
    max_iter: int = 1000,
    tol: float = 1e-9,
    progress: Progress = silent,
) -> Optimum:
    """Minimise a smooth loss, 0 or more, by L-BFGS (Nocedal & Wright 2006, algorithm 7.5).

    Shapes: start (m,).
    objective: ``x -> (loss, gradient)``.
    tol: Converged when one iteration lowers the loss by less than this share of it (or of 1, where
        the loss is smaller than 1).
    progress: Told of every iteration, unless it is coarse; where answers are few, of some
        milliseconds' at once, with the last iterate. A stop keeps that.

    SciPy's implementation works for itself as long in every iteration as five thousand answers
    take to evaluate, which is most of the time where answers are few. This one also copes with
    kinks.
    """
    descent = Descent(start, *objective(start))
    fraction, state = 0.0, CONVERGED if descent.loss <= tol else GOING
    stopped = progress(fraction, loss=descent.loss, snapshot=start)
    while state == GOING and not stopped and descent.n_iter < max_iter:
        state = descent.proceed(objective, tol, max_iter - descent.n_iter)
        losses = descent.losses[-1:] if is_coarse(progress) else descent.losses
        for n_iter, loss in enumerate(losses, descent.n_iter - len(losses) + 1):
            fraction = max(fraction, _share_done(descent.fall, n_iter, max_iter, tol))
            stopped = progress(fraction, loss=loss, snapshot=descent.x) or stopped
    return Optimum(
        descent.x.copy(), descent.loss, descent.n_iter, state == CONVERGED and not stopped,
        bool(stopped),
    )


def _share_done(fall: float, n_iter: int, max_iter: int, tol: float) -> float:
    """How far a minimisation has come, from how fast the loss still falls."""
    fallen = math.log(min(max(fall, tol), 1.0)) / math.log(tol) if 0 < tol < 1 else 0.0
    return max(0.98 * fallen, n_iter / max_iter)


def _merged(progress: Progress, n_starts: int, first: int) -> Callable[[int], Progress]:
    """Progresses of several starts, in several threads, that report to one."""
    lock, fractions, stops = threading.Lock(), [0.0] * n_starts, []

    def of(start: int) -> Progress:
        def report(fraction: float, **details: Any) -> bool:
            with lock:
                fractions[start] = fraction
                mean = sum(fractions) / n_starts
                if progress(mean, **details, start=first + start):
                    stops.append(start)
                return bool(stops)

        return as_coarse_as(progress, report)

    return of


def restarts(
    minimise_from: Callable[[np.ndarray, Progress], Optimum],
    starts: Sequence[np.ndarray],
    *,
    first: int = 0,
    progress: Progress = silent,
) -> list[Optimum]:
    """Minimise from every start, in threads.

    Shapes: starts (m,).
    minimise_from: ``(start, progress) -> Optimum``.
    first: Number of the first of them, for `progress`.
    Returns: In the order of the starts, the same whatever the number of threads.
    """
    progress_of = _merged(progress, len(starts), first)

    def one(number: int, start: np.ndarray, halt: Halt) -> Optimum:
        result = minimise_from(start, progress_of(number))
        progress_of(number)(1.0)
        return result

    return list(in_parallel(one, enumerate(starts), shared=True))
