"""Minimisation on plain arrays, from one start or from several."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from core.loss import compiled
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


#: Steps that the model of the curvature remembers.
_MEMORY = 10
#: A step must lower the loss by this share of what the slope promised, ...
_FALL = 1e-4
#: ... and leave at most this share of the slope.
_FLATTENING = 0.9
#: Lengths tried along one direction.
_TRIALS = 30


def minimise(
    objective: Objective,
    start: np.ndarray,
    *,
    max_iter: int = 1000,
    tol: float = 1e-9,
    progress: Progress = silent,
) -> Optimum:
    """Minimise a smooth loss, 0 or more, by L-BFGS (Nocedal & Wright 2006, algorithm 7.5).

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

    Notes
    -----
    SciPy's implementation works for itself as long in every iteration as five thousand answers
    take to evaluate; this one a third of that. It also copes with kinks.
    """
    point = _Point(start, *objective(start))
    fraction, n_iter = 0.0, 0
    model = _Curvature(start.size)
    stopped = progress(fraction, loss=point.loss, snapshot=start)
    converged = point.loss <= tol
    while not (converged or stopped) and n_iter < max_iter:
        direction = model.descent(point)
        found = _along(direction, objective, point, model.first_length(point))
        if found is None and model.n_kept:
            model = _Curvature(start.size)
            continue
        if found is None:
            converged = math.isfinite(point.loss)
            break
        n_iter += 1
        model.learn(point, found)
        fall = (point.loss - found.loss) / max(point.loss, 1.0)
        fraction = max(fraction, _share_done(fall, n_iter, max_iter, tol))
        point, converged = found, fall <= tol
        stopped = progress(fraction, loss=point.loss, snapshot=point.x)
    return Optimum(point.x, point.loss, n_iter, converged and not stopped, stopped)


class _Point(NamedTuple):
    x: np.ndarray
    loss: float
    gradient: np.ndarray


class _Curvature:
    """What the last steps tell of the second derivatives."""

    def __init__(self, size: int) -> None:
        self._steps, self._changes = np.empty((2, _MEMORY, size))
        self._products = np.empty(_MEMORY)
        self.n_kept = 0

    def first_length(self, point: _Point) -> float:
        """The length to try first."""
        if self.n_kept:
            return 1.0
        # Nothing is known yet but the size of the map: this moves it by a hundredth.
        size, slope = np.linalg.norm(point.x), np.linalg.norm(point.gradient)
        return 0.01 * float(size or 1.0) / max(float(slope), 1e-300)

    def descent(self, point: _Point) -> np.ndarray:
        """Minus the gradient times the estimated inverse Hessian."""
        return _two_loops(
            point.gradient, self._steps, self._changes, self._products, self.n_kept
        )

    def learn(self, before: _Point, after: _Point) -> None:
        """Remember a step, unless the loss is not convex along it."""
        step, change = after.x - before.x, after.gradient - before.gradient
        product = step @ change
        if product > 1e-16 * (change @ change):
            place = self.n_kept % _MEMORY
            self._steps[place], self._changes[place], self._products[place] = (
                step, change, product
            )
            self.n_kept += 1


@compiled
def _two_loops(gradient, steps, changes, products, n_kept):
    size, memory = products.size, min(n_kept, products.size)
    direction = -gradient
    shares = np.empty(memory)
    for k in range(memory):
        place = (n_kept - 1 - k) % size
        shares[k] = _dot(steps[place], direction) / products[place]
        _add(direction, -shares[k], changes[place])
    if n_kept:
        newest = (n_kept - 1) % size
        direction *= products[newest] / _dot(changes[newest], changes[newest])
    for k in range(memory - 1, -1, -1):
        place = (n_kept - 1 - k) % size
        _add(direction, shares[k] - _dot(changes[place], direction) / products[place],
             steps[place])
    return direction


@compiled
def _dot(x, y):
    total = 0.0
    for i in range(x.size):
        total += x[i] * y[i]
    return total


@compiled
def _add(x, share, y):
    for i in range(x.size):
        x[i] += share * y[i]


def _along(
    direction: np.ndarray, objective: Objective, start: _Point, length: float
) -> _Point | None:
    """A point on the ray from `start` with the weak Wolfe conditions, or None if there is none.

    Brackets and divides (Lewis & Overton 2013, algorithm 4.6, which copes with kinks too), by
    the minimum of a cubic where that is well inside.
    """
    slope = float(direction @ start.gradient)
    if not slope < 0:
        return None
    low, high = (0.0, start.loss, slope), None
    best = None
    for _ in range(_TRIALS):
        x = start.x + length * direction
        found = _Point(x, *objective(x))
        here = (length, found.loss, float(direction @ found.gradient))
        if not found.loss <= start.loss + _FALL * length * slope:
            high = here
        elif here[2] < _FLATTENING * slope:
            low, best = here, found
        else:
            return found
        if high is None:
            length *= 4.0
        else:
            width = high[0] - low[0]
            inside = _cubic_minimum(low, high)
            length = min(max(inside, low[0] + 0.1 * width), high[0] - 0.1 * width)
    return best


def _cubic_minimum(a: tuple[float, float, float], b: tuple[float, float, float]) -> float:
    """Where the cubic through two points (place, value, slope) is least; else their middle."""
    middle = (a[0] + b[0]) / 2
    if not (math.isfinite(b[1]) and math.isfinite(b[2])):
        return middle
    bend = a[2] + b[2] - 3.0 * (a[1] - b[1]) / (a[0] - b[0])
    square = bend * bend - a[2] * b[2]
    if not square >= 0:
        return middle
    root = math.sqrt(square)
    across = b[2] - a[2] + 2.0 * root
    return b[0] - (b[0] - a[0]) * (b[2] + root - bend) / across if across else middle


def _share_done(fall: float, n_iter: int, max_iter: int, tol: float) -> float:
    """How far a minimisation has come, from how fast the loss still falls."""
    fallen = math.log(min(max(fall, tol), 1.0)) / math.log(tol) if 0 < tol < 1 else 0.0
    return max(0.98 * fallen, n_iter / max_iter)


def adapted(
    progress: Progress,
    show: Callable[[np.ndarray], np.ndarray] | None = None,
    *,
    low: float = 0.0,
    high: float = 1.0,
) -> Progress:
    """`progress` for a part of the work, from share `low` to `high`, shown in another form."""

    def report(
        fraction: float,
        *,
        loss: float | None = None,
        snapshot: np.ndarray | None = None,
        start: int = 0,
    ) -> bool:
        if show and snapshot is not None:
            snapshot = show(snapshot)
        fraction = low + (high - low) * fraction
        return progress(fraction, loss=loss, snapshot=snapshot, start=start)

    return report


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
    minimise_from: Callable[[np.ndarray, Progress], Optimum],
    starts: Sequence[np.ndarray],
    *,
    progress: Progress = silent,
) -> list[Optimum]:
    """Minimise from every start, in threads.

    Parameters
    ----------
    minimise_from : callable
        ``(start, progress) -> Optimum``.
    starts : sequence of ndarray, shape (m,)

    Returns
    -------
    list of Optimum
        In the order of the starts, the same whatever the number of threads.
    """
    shared = _Shared(progress, len(starts))

    def one(number: int, start: np.ndarray, halt: Halt) -> Optimum:
        found = minimise_from(start, shared.of(number))
        shared.of(number)(1.0)
        return found

    return list(in_parallel(one, enumerate(starts), shared=True))
