"""Minimisation on plain arrays, from one start or from several."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import OptimizeResult, minimize

from core.parallel import Halt, in_parallel
from core.progress import Progress, silent

Objective = Callable[[np.ndarray], tuple[float, np.ndarray]]


@dataclass(frozen=True)
class Optimum:
    """Where a minimisation ended.

    Attributes
    ----------
    x : ndarray
        The best point seen.
    loss : float
    n_iter : int
    converged : bool
        Whether the loss had stopped falling.
    stopped : bool
        Whether the progress object asked to stop.
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
    """Minimise a smooth loss, 0 or more, by L-BFGS (Liu & Nocedal 1989; SciPy's implementation).

    Parameters
    ----------
    objective : callable
        ``x -> (loss, gradient)``.
    start : ndarray, shape (m,)
    max_iter : int
    tol : float
        Converged when one iteration lowers the loss by less than this share of it (or of 1,
        where the loss is smaller than 1).
    progress : Progress
        Called after every iteration; a stop keeps the current iterate.

    Returns
    -------
    Optimum
    """
    last = Optimum(start, objective(start)[0], 0, converged=False)
    fraction = 0.0

    def report(intermediate_result: OptimizeResult) -> None:
        nonlocal last, fraction
        loss, x = float(intermediate_result.fun), intermediate_result.x
        fraction = max(fraction, _share_done(last.loss, loss, last.n_iter + 1, max_iter, tol))
        stop = progress(fraction, loss=loss, snapshot=x)
        last = Optimum(x.copy(), loss, last.n_iter + 1, converged=False, stopped=stop)
        if stop:
            raise StopIteration

    if progress(0.0, loss=last.loss, snapshot=start):
        return Optimum(start, last.loss, 0, converged=False, stopped=True)
    if last.loss <= tol:
        # There is nothing left to fall by, and gradients this small would only overflow.
        return Optimum(start, last.loss, 0, converged=True)
    found = minimize(
        objective, start, jac=True, method="L-BFGS-B", callback=report,
        options={"maxiter": max_iter, "maxfun": 20 * max_iter, "ftol": tol, "gtol": 0.0},
    )
    if last.stopped or not math.isfinite(found.fun):
        return last
    return Optimum(found.x, float(found.fun), int(found.nit), converged=found.status == 0)


def _share_done(before: float, now: float, n_iter: int, max_iter: int, tol: float) -> float:
    """How far a minimisation has come, from how fast the loss still falls."""
    fall = (before - now) / max(abs(before), abs(now), 1.0)
    fallen = math.log(min(max(fall, tol), 1.0)) / math.log(tol) if 0 < tol < 1 else 0.0
    return max(0.98 * fallen, n_iter / max_iter)


class _Shared:
    """Merges the reports of several starts, from several threads, into one progress."""

    def __init__(self, progress: Progress, n_starts: int) -> None:
        self._progress, self._lock = progress, threading.Lock()
        self._fractions = [0.0] * n_starts
        self._stop = False

    def of(self, start: int) -> Progress:
        def report(
            fraction: float,
            *,
            loss: float | None = None,
            snapshot: np.ndarray | None = None,
            start: int = start,
        ) -> bool:
            with self._lock:
                self._fractions[start] = fraction
                mean = sum(self._fractions) / len(self._fractions)
                self._stop |= self._progress(mean, loss=loss, snapshot=snapshot, start=start)
                return self._stop

        return report


def restarts(
    make_objective: Callable[[], Objective],
    starts: Sequence[np.ndarray],
    *,
    max_iter: int = 1000,
    tol: float = 1e-9,
    progress: Progress = silent,
) -> list[Optimum]:
    """Minimise from every start, in threads.

    Parameters
    ----------
    make_objective : callable
        Makes an objective for the use of one thread.
    starts : sequence of ndarray, shape (m,)

    Returns
    -------
    list of Optimum
        In the order of the starts, the same whatever the number of threads.
    """
    shared = _Shared(progress, len(starts))

    def one(number: int, start: np.ndarray, halt: Halt) -> Optimum:
        found = minimise(
            make_objective(), start, max_iter=max_iter, tol=tol, progress=shared.of(number)
        )
        shared.of(number)(1.0)
        return found

    return list(in_parallel(one, enumerate(starts), shared=True))
