"""Minimisation on plain arrays by L-BFGS, from one start or from several, within bounds or not.

With a compiled objective the compiled steps do without the interpreter, which on a hundred answers
takes longer than the arithmetic, and whose lock keeps fits from running side by side.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numba
import numpy as np
from numba import types

from tripletscope.core.engine.parallel import CancelToken, in_parallel
from tripletscope.core.engine.progress import Progress, as_coarse_as, is_coarse, silent
from tripletscope.core.models.optimise.elementary import address, compiled, found_at
from tripletscope.core.models.optimise.loss import BLOCK_TYPE, EVALUATE, Objective

#: Steps that the model of the curvature remembers.
_MEMORY = 10
#: A step must lower the loss by this share of the slope's promise, and leave at most this share
#: of the slope.
_FALL = 1e-4
_FLATTENING = 0.9
#: Lengths tried along one direction.
_TRIALS = 30
#: Answers and coordinates, and iterations, at most in one go of some milliseconds.
_IN_ONE_GO = 300_000
_MOST_ITERATIONS = 200

#: State of a descent: under way, at its end, or failed because the loss is not finite.
GOING, CONVERGED, FAILED = 0, 1, 2
# Results of `_prepare` and `_advance`: a point to evaluate, a step, no way down.
_SEARCHING, _STEPPED, _STUCK = 0, 1, 2
# Rows of the vectors.
_X, _GRADIENT, _TRIAL, _TRIAL_GRADIENT, _DIRECTION, _BEST, _BEST_GRADIENT = range(7)
# Numbers: at the current point; along the direction, with place, value and slope of both ends of
# the bracket; of the best point in the bracket; of the last step.
_LOSS, _LENGTH, _SLOPE, _LOW, _HIGH, _BEST_LOSS, _LAST_FALL = 0, 1, 2, 3, 6, 9, 10
# Counts.
_KEPT, _TRIED, _HAS_HIGH, _HAS_BEST, _ITERATIONS = range(5)
#: ``x -> (loss, gradient)``.
Function = Callable[[np.ndarray], tuple[float, np.ndarray]]
#: Lowest and highest values of the variables, of each or of all.
Bounds = tuple[float | np.ndarray, float | np.ndarray]
#: Bounds of variables that are 0 or more.
NOT_NEGATIVE: Bounds = (0.0, np.inf)


class State(NamedTuple):
    """State of a descent, for a loss of m variables.

    vectors (7, m): Rows `_X` to `_BEST_GRADIENT`.
    numbers (11,): `_LOSS` to `_LAST_FALL`.
    counts (5,): `_KEPT` to `_ITERATIONS`.
    steps, changes (_MEMORY, m): Latest steps, and how they changed the gradient.
    products (_MEMORY,): Of each step with its change.
    low, high (m,): Bounds of the variables; of no length if none has any.
    """

    vectors: np.ndarray
    numbers: np.ndarray
    counts: np.ndarray
    steps: np.ndarray
    changes: np.ndarray
    products: np.ndarray
    low: np.ndarray
    high: np.ndarray


class Descent:
    """A minimisation under way; `losses` are those after each of the latest iterations."""

    def __init__(
        self, start: np.ndarray, loss: float, gradient: np.ndarray, bounds: Bounds | None = None
    ) -> None:
        self._vectors, self._numbers = np.zeros((7, start.size)), np.zeros(11)
        self._vectors[_X], self._vectors[_GRADIENT], self._numbers[_LOSS] = start, gradient, loss
        self._counts = np.zeros(5, dtype=np.int64)
        self._losses = np.empty(_MOST_ITERATIONS)
        steps, changes = np.empty((2, _MEMORY, start.size))
        self._state = State(
            self._vectors, self._numbers, self._counts, steps, changes, np.empty(_MEMORY),
            *(np.empty((2, 0)) if bounds is None else (
                np.broadcast_to(np.asarray(end, float), start.shape).copy() for end in bounds
            )),
        )

    @property
    def x(self) -> np.ndarray:
        """(m,) the current point; changed in place."""
        return self._vectors[_X]

    @property
    def loss(self) -> float:
        return float(self._numbers[_LOSS])

    @property
    def fall(self) -> float:
        """Fraction by which the last step lowered the loss."""
        return float(self._numbers[_LAST_FALL])

    @property
    def n_iter(self) -> int:
        return int(self._counts[_ITERATIONS])

    def proceed(self, objective: Function, tol: float, most: int) -> int:
        """One iteration, or several short ones, at most `most`; GOING, CONVERGED or FAILED."""
        before = self.n_iter
        if isinstance(objective, Objective) and objective.in_one_part:
            n = max(_IN_ONE_GO // objective.size, 1)
            state = _compiled_iterations()(
                address(objective.evaluation, EVALUATE), objective.block, self._state, tol,
                self._losses[: min(n, most)],
            )
        else:
            state = self._iteration(objective, tol)
        self.losses = self._losses[: self.n_iter - before].tolist()
        return state

    def _iteration(self, objective: Function, tol: float) -> int:
        result = _prepare(self._state)
        while result == _SEARCHING:
            loss, gradient = objective(self._vectors[_TRIAL].copy())
            self._vectors[_TRIAL_GRADIENT] = gradient
            result = _advance(loss, self._state)
        self._losses[0] = self.loss
        return _judged(result, self._numbers, tol)


_evaluation_at = found_at(EVALUATE)


def _iterations(evaluation, block, descent, tol, losses):
    """As many iterations as there is room for their losses, unless the descent ends before.

    Evaluations are called by address: inlined they would take 1.4 times as long and give other
    bits.
    """
    evaluate = _evaluation_at(evaluation)
    vectors, numbers = descent.vectors, descent.numbers
    state = GOING
    for iteration in range(losses.size):
        result = _prepare(descent)
        while result == _SEARCHING:
            loss = evaluate(block, vectors[_TRIAL], vectors[_TRIAL_GRADIENT])
            result = _advance(loss, descent)
        losses[iteration] = numbers[_LOSS]
        state = _judged(result, numbers, tol)
        if state != GOING:
            break
    return state


@cache
def _compiled_iterations() -> Callable:
    """`_iterations`, compiled once for all losses, before any of them exists."""
    vector, matrix = types.float64[::1], types.float64[:, ::1]
    state = types.NamedTuple(
        [matrix, vector, types.int64[::1], matrix, matrix, vector, vector, vector], State
    )
    signature = types.int64(types.int64, BLOCK_TYPE, state, types.float64, vector)
    return numba.njit(signature, nogil=True, cache=True, error_model="numpy")(_iterations)


@compiled
def _judged(result, numbers, tol):
    if result == _STUCK:
        return CONVERGED if math.isfinite(numbers[_LOSS]) else FAILED
    return CONVERGED if numbers[_LAST_FALL] <= tol else GOING


@compiled
def _prepare(descent):
    """Choose a direction, and the first point along it to evaluate."""
    vectors, numbers, counts, steps, changes, products, low, _ = descent
    x, gradient, direction = vectors[_X], vectors[_GRADIENT], vectors[_DIRECTION]
    while True:
        if low.size:
            _two_loops_inside(descent)
        else:
            _two_loops(direction, gradient, steps, changes, products, counts[_KEPT])
        slope = _dot(direction, gradient)
        if slope < 0.0:
            break
        if counts[_KEPT] == 0:
            return _STUCK
        counts[_KEPT] = 0
    length = 1.0
    if counts[_KEPT] == 0:
        # The first step moves the map by a hundredth of its size.
        size = math.sqrt(_dot(x, x))
        length = 0.01 * (size if size > 0.0 else 1.0) / max(math.sqrt(-slope), 1e-300)
    numbers[_SLOPE], numbers[_LENGTH] = slope, length
    numbers[_LOW], numbers[_LOW + 1], numbers[_LOW + 2] = 0.0, numbers[_LOSS], slope
    counts[_TRIED] = counts[_HAS_HIGH] = counts[_HAS_BEST] = 0
    _look(descent)
    return _SEARCHING


@compiled
def _advance(loss, descent):
    """Go on with the loss at the trial point, towards one with the weak Wolfe conditions.

    Brackets and divides (Lewis & Overton 2013, algorithm 4.6), by a cubic's minimum well inside.
    """
    vectors, numbers, counts = descent.vectors, descent.numbers, descent.counts
    length, first_slope = numbers[_LENGTH], numbers[_SLOPE]
    slope = _slope(descent)
    if not loss <= numbers[_LOSS] + _FALL * length * first_slope:
        numbers[_HIGH], numbers[_HIGH + 1], numbers[_HIGH + 2] = length, loss, slope
        counts[_HAS_HIGH] = 1
    elif slope < _FLATTENING * first_slope:
        numbers[_LOW], numbers[_LOW + 1], numbers[_LOW + 2] = length, loss, slope
        vectors[_BEST], vectors[_BEST_GRADIENT] = vectors[_TRIAL], vectors[_TRIAL_GRADIENT]
        numbers[_BEST_LOSS] = loss
        counts[_HAS_BEST] = 1
    else:
        _step(loss, descent)
        return _STEPPED
    counts[_TRIED] += 1
    if counts[_TRIED] == _TRIALS:
        if counts[_HAS_BEST]:
            vectors[_TRIAL], vectors[_TRIAL_GRADIENT] = vectors[_BEST], vectors[_BEST_GRADIENT]
            _step(numbers[_BEST_LOSS], descent)
            return _STEPPED
        if counts[_KEPT] == 0:
            return _STUCK
        counts[_KEPT] = 0
        return _prepare(descent)
    if counts[_HAS_HIGH]:
        low, high = numbers[_LOW], numbers[_HIGH]
        width = high - low
        inside = _cubic_minimum(numbers[_LOW : _LOW + 3], numbers[_HIGH : _HIGH + 3])
        length = min(max(inside, low + 0.1 * width), high - 0.1 * width)
    else:
        length *= 4.0
    numbers[_LENGTH] = length
    _look(descent)
    return _SEARCHING


@compiled
def _look(descent):
    """The point along the direction; variables that would leave their bounds stay on them."""
    vectors, length = descent.vectors, descent.numbers[_LENGTH]
    x, direction, trial = vectors[_X], vectors[_DIRECTION], vectors[_TRIAL]
    for i in range(x.size):
        trial[i] = x[i] + length * direction[i]
    for i in range(descent.low.size):
        trial[i] = min(max(trial[i], descent.low[i]), descent.high[i])


@compiled
def _slope(descent):
    """At the trial point, of the variables that still move; others would ask for longer steps."""
    vectors, low, high = descent.vectors, descent.low, descent.high
    direction, trial, gradient = vectors[_DIRECTION], vectors[_TRIAL], vectors[_TRIAL_GRADIENT]
    if not low.size:
        return _dot(direction, gradient)
    total = 0.0
    for i in range(trial.size):
        moves = trial[i] < high[i] if direction[i] > 0.0 else trial[i] > low[i]
        total += direction[i] * gradient[i] if moves else 0.0
    return total


@compiled
def _step(loss, descent):
    """Take the trial point, and learn from the step, unless the loss is not convex along it."""
    vectors, numbers, counts, steps, changes, products, _, _ = descent
    place = counts[_KEPT] % _MEMORY
    step, change = steps[place], changes[place]
    product = size2 = 0.0
    for i in range(step.size):
        along = vectors[_TRIAL, i] - vectors[_X, i]
        bend = vectors[_TRIAL_GRADIENT, i] - vectors[_GRADIENT, i]
        product += along * bend
        size2 += bend * bend
    if product > 1e-16 * size2:
        for i in range(step.size):
            step[i] = vectors[_TRIAL, i] - vectors[_X, i]
            change[i] = vectors[_TRIAL_GRADIENT, i] - vectors[_GRADIENT, i]
        products[place] = product
        counts[_KEPT] += 1
    vectors[_X], vectors[_GRADIENT] = vectors[_TRIAL], vectors[_TRIAL_GRADIENT]
    numbers[_LAST_FALL] = (numbers[_LOSS] - loss) / max(numbers[_LOSS], 1.0)
    numbers[_LOSS] = loss
    counts[_ITERATIONS] += 1


@compiled
def _two_loops(direction, gradient, steps, changes, products, n_kept):
    """Minus the gradient times the estimated inverse Hessian."""
    memory = min(n_kept, _MEMORY)
    for i in range(gradient.size):
        direction[i] = -gradient[i]
    shares = np.empty(memory)
    for k in range(memory):
        place = (n_kept - 1 - k) % _MEMORY
        shares[k] = _dot(steps[place], direction) / products[place]
        _add(direction, -shares[k], changes[place])
    if n_kept:
        newest = (n_kept - 1) % _MEMORY
        size = products[newest] / _dot(changes[newest], changes[newest])
        for i in range(direction.size):
            direction[i] *= size
    for k in range(memory - 1, -1, -1):
        place = (n_kept - 1 - k) % _MEMORY
        _add(direction, shares[k] - _dot(changes[place], direction) / products[place], steps[place])


@compiled
def _two_loops_inside(descent):
    """The same among variables that may move; those held by a bound have no part in it.

    Products of steps and changes are therefore taken anew (Kim, Sra & Dhillon 2010).
    """
    vectors, counts, low, high = descent.vectors, descent.counts, descent.low, descent.high
    x, gradient = vectors[_X], vectors[_GRADIENT]
    direction, free = vectors[_DIRECTION], vectors[_TRIAL]
    for i in range(x.size):
        moves = x[i] < high[i] if gradient[i] < 0.0 else x[i] > low[i]
        free[i] = 1.0 if moves else 0.0
        direction[i] = -gradient[i] * free[i]
    memory = min(counts[_KEPT], _MEMORY)
    products, shares, size = np.zeros(memory), np.empty(memory), 1.0
    for k in range(memory):
        step, change = _remembered(descent, k)
        product = square = along = 0.0
        for i in range(x.size):
            bend = free[i] * change[i]
            product += step[i] * bend
            square += bend * bend
            along += step[i] * direction[i]
        if product <= 1e-16 * square:
            continue
        size = size if products.any() else product / square
        products[k], shares[k] = product, along / product
        for i in range(x.size):
            direction[i] -= shares[k] * free[i] * change[i]
    for i in range(x.size):
        direction[i] *= size
    for k in range(memory - 1, -1, -1):
        if products[k] > 0.0:
            step, change = _remembered(descent, k)
            share = shares[k] - _dot(change, direction) / products[k]
            for i in range(x.size):
                direction[i] += share * free[i] * step[i]
    for i in range(x.size):
        if x[i] <= low[i]:
            direction[i] = max(direction[i], 0.0)
        if x[i] >= high[i]:
            direction[i] = min(direction[i], 0.0)


@compiled
def _remembered(descent, k):
    """A step, the newest first, and how it changed the gradient."""
    place = (descent.counts[_KEPT] - 1 - k) % _MEMORY
    return descent.steps[place], descent.changes[place]


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


@compiled
def _cubic_minimum(a, b):
    """Minimum of the cubic through two points (place, value, slope), or else their middle."""
    middle = (a[0] + b[0]) / 2.0
    if not (math.isfinite(b[1]) and math.isfinite(b[2])):
        return middle
    bend = a[2] + b[2] - 3.0 * (a[1] - b[1]) / (a[0] - b[0])
    square = bend * bend - a[2] * b[2]
    if not square >= 0.0:
        return middle
    root = math.sqrt(square)
    across = b[2] - a[2] + 2.0 * root
    return b[0] - (b[0] - a[0]) * (b[2] + root - bend) / across if across != 0.0 else middle


@dataclass(frozen=True)
class Optimum:
    """End of a minimisation: `x` is the best point; `stopped` says that `progress` ended it."""

    x: np.ndarray
    loss: float
    n_iter: int
    converged: bool
    stopped: bool = False


def minimise(
    objective: Function, start: np.ndarray, *, max_iter: int = 1000, tol: float = 1e-9,
    bounds: Bounds | None = None, progress: Progress = silent,
) -> Optimum:
    """Minimise a smooth loss by L-BFGS (Nocedal & Wright 2006, algorithm 7.5).

    bounds: Of the variables; the start is within them.

    It has converged when one iteration lowers the loss by less than `tol` times the loss, or times
    1 if that is more. An iteration of SciPy's takes as long for itself as five thousand answers,
    and does not cope with kinks.
    """
    descent = Descent(start, *objective(start), bounds)
    # Of losses from 0 up: no iteration can lower it by more.
    fraction, state = 0.0, CONVERGED if 0.0 <= descent.loss <= tol else GOING
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
    """Fraction of a minimisation that is done, from how fast the loss still falls."""
    fallen = math.log(min(max(fall, tol), 1.0)) / math.log(tol) if 0 < tol < 1 else 0.0
    return max(0.98 * fallen, n_iter / max_iter)


def _merged(progress: Progress, n_starts: int, first: int) -> Callable[[int], Progress]:
    """Progress of several starts, in several threads, that report to one."""
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
    minimise_from: Callable[[np.ndarray, Progress], Optimum], starts: Sequence[np.ndarray], *,
    first: int = 0, progress: Progress = silent,
) -> list[Optimum]:
    """The optimum from every start, whatever the number of threads.

    `minimise_from` takes a start and its progress; `first` is the number of the first start.
    """
    progress_of = _merged(progress, len(starts), first)

    def one(number: int, start: np.ndarray, halt: CancelToken) -> Optimum:
        result = minimise_from(start, progress_of(number))
        progress_of(number)(1.0)
        return result

    return list(in_parallel(one, enumerate(starts), shared=True))
