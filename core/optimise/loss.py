"""Total loss of a map over many answers, and its gradient, from the loss of one answer.

A loss is a compiled function of the two squared distances of an answer. It never sees
coordinates; `Objective` gathers the distances, calls it, and scatters its derivatives. The three
steps run over blocks of answers that stay in the processor's cache, and release the interpreter's
lock, so that several fits share the machine.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from functools import cache, cached_property

import numba
import numpy as np
from numba.core import types
from numba.extending import intrinsic

from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import Triplets

#: Answers per block: four buffers of this length fit in a second-level cache.
BLOCK = 8192

# The numpy error model leaves divisions unguarded, and without NaN assumptions ("nnan", "ninf")
# a loss may still be checked for finiteness. Both matter for vectorisation.
_REORDER = {"contract", "reassoc", "nsz", "arcp", "afn"}
# Sums that may be reordered come out differently in different surroundings. A function that is
# called has two: by itself and in the caller's object code. Which one runs would depend on whether
# the caller was compiled just now or taken from the cache; inlined, there is only one.
compiled = numba.njit(
    nogil=True, cache=True, error_model="numpy", fastmath=_REORDER, forceinline=True
)
_exact = numba.njit(nogil=True, cache=True, error_model="numpy", fastmath={"contract"})


# Vectorisable exp and log --------------------------------------------------------------------
# The library functions are called one value at a time. These short ones the compiler turns into
# vector instructions: about 1 ns instead of 10 ns per answer, to within 1e-15.


@intrinsic
def _as_float(context, bits):
    def generate(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], context.get_value_type(types.float64))

    return types.float64(types.int64), generate


@intrinsic
def _as_bits(context, number):
    def generate(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], context.get_value_type(types.int64))

    return types.int64(types.float64), generate


_LOG2_E = 1 / math.log(2)
_LN2_HIGH = 0.6931471803691238  # the leading bits of log(2), so that k * _LN2_HIGH is exact
_LN2_LOW = 1.9082149292705877e-10
_ROUND = 1.5 * 2.0**52  # adding it leaves the nearest whole number in the lowest bits


@_exact
def exp_negative(x: float) -> float:
    """exp(x) for x <= 0; below -700 it stays at exp(-700)."""
    shifted = max(x, -700.0) * _LOG2_E + _ROUND
    k = shifted - _ROUND
    r = max(x, -700.0) - k * _LN2_HIGH - k * _LN2_LOW
    # Taylor series for |r| <= log(2) / 2
    p = 1.0 / 479001600
    p = p * r + 1.0 / 39916800
    p = p * r + 1.0 / 3628800
    p = p * r + 1.0 / 362880
    p = p * r + 1.0 / 40320
    p = p * r + 1.0 / 5040
    p = p * r + 1.0 / 720
    p = p * r + 1.0 / 120
    p = p * r + 1.0 / 24
    p = p * r + 1.0 / 6
    p = p * r + 0.5
    p = p * r + 1.0
    p = p * r + 1.0
    return p * _as_float((_as_bits(shifted) + 1023) << 52)


@_exact
def _atanh_series(s: float) -> float:
    """2 atanh(s) for |s| <= 1/3."""
    q = s * s
    p = 1.0 / 33
    p = p * q + 1.0 / 31
    p = p * q + 1.0 / 29
    p = p * q + 1.0 / 27
    p = p * q + 1.0 / 25
    p = p * q + 1.0 / 23
    p = p * q + 1.0 / 21
    p = p * q + 1.0 / 19
    p = p * q + 1.0 / 17
    p = p * q + 1.0 / 15
    p = p * q + 1.0 / 13
    p = p * q + 1.0 / 11
    p = p * q + 1.0 / 9
    p = p * q + 1.0 / 7
    p = p * q + 1.0 / 5
    p = p * q + 1.0 / 3
    p = p * q + 1.0
    return 2.0 * s * p


@_exact
def log1p_unit(x: float) -> float:
    """log(1 + x) for 0 <= x <= 1."""
    return _atanh_series(x / (2.0 + x))


@_exact
def log_positive(x: float) -> float:
    """log(x) for normal positive x."""
    bits = _as_bits(x)
    # Shifting by sqrt(1/2) brings the mantissa to [sqrt(1/2), sqrt(2)).
    k = (bits - 0x3FE6A09E667F3BCD) >> 52
    mantissa = _as_float(bits - (k << 52))
    return (
        k * _LN2_HIGH + (k * _LN2_LOW + _atanh_series((mantissa - 1.0) / (mantissa + 1.0)))
    )


@_exact
def softplus(z: float) -> tuple[float, float]:
    """log(1 + exp(z)) and its derivative."""
    e = exp_negative(-abs(z))
    share = 1.0 / (1.0 + e)
    return max(z, 0.0) + log1p_unit(e), share if z > 0.0 else e * share


# Gather and scatter --------------------------------------------------------------------------
# Positions are stored one component after the other, (d, n), and handled two components at a time:
# that halves the passes over the indices, and needs no code for each dimension. Unsigned indices
# spare the wrap-around test.


@compiled
def gather(positions, anchor, near, far, near2, far2):
    near2[:] = 0.0
    far2[:] = 0.0
    for c in range(0, positions.shape[0], 2):
        x, y = positions[c], positions[c + 1]
        for t in range(anchor.size):
            a, j, k = anchor[t], near[t], far[t]
            near2[t] += (x[a] - x[j]) ** 2 + (y[a] - y[j]) ** 2
            far2[t] += (x[a] - x[k]) ** 2 + (y[a] - y[k]) ** 2


@compiled
def _scatter(positions, anchor, near, far, by_near, by_far, gradient):
    for c in range(0, positions.shape[0], 2):
        x, y = positions[c], positions[c + 1]
        down_x, down_y = gradient[c], gradient[c + 1]
        t = 0
        while t < anchor.size:
            a = anchor[t]
            pull_x = pull_y = 0.0
            while t < anchor.size and anchor[t] == a:
                j, k = near[t], far[t]
                by_j, by_k = 2.0 * by_near[t], 2.0 * by_far[t]
                u, v = by_j * (x[a] - x[j]), by_k * (x[a] - x[k])
                down_x[j] -= u
                down_x[k] -= v
                pull_x += u + v
                u, v = by_j * (y[a] - y[j]), by_k * (y[a] - y[k])
                down_y[j] -= u
                down_y[k] -= v
                pull_y += u + v
                t += 1
            down_x[a] += pull_x
            down_y[a] += pull_y


@compiled
def _gather_pairs(positions, first, second, third, fourth, near2, far2):
    near2[:] = 0.0
    far2[:] = 0.0
    for c in range(0, positions.shape[0], 2):
        x, y = positions[c], positions[c + 1]
        for t in range(first.size):
            i, j = first[t], second[t]
            near2[t] += (x[i] - x[j]) ** 2 + (y[i] - y[j]) ** 2
            i, j = third[t], fourth[t]
            far2[t] += (x[i] - x[j]) ** 2 + (y[i] - y[j]) ** 2


@compiled
def _scatter_pairs(positions, first, second, third, fourth, by_near, by_far, gradient):
    for c in range(positions.shape[0]):
        x, down = positions[c], gradient[c]
        for t in range(first.size):
            i, j = first[t], second[t]
            u = 2.0 * by_near[t] * (x[i] - x[j])
            down[i] += u
            down[j] -= u
            i, j = third[t], fourth[t]
            u = 2.0 * by_far[t] * (x[i] - x[j])
            down[i] += u
            down[j] -= u


@compiled
def _grouped(rows, weight, n_objects):
    """Columns of `rows` and weights, in the order of the first column; by a counting sort."""
    n_answers, n_roles = rows.shape
    place = np.zeros(n_objects + 1, dtype=np.int64)
    for t in range(n_answers):
        place[rows[t, 0] + 1] += 1
    for i in range(n_objects):
        place[i + 1] += place[i]
    roles = np.empty((n_roles, n_answers), dtype=np.uint32)
    ordered = np.empty(n_answers)
    for t in range(n_answers):
        p = place[rows[t, 0]]
        place[rows[t, 0]] += 1
        ordered[p] = weight[t]
        for role in range(n_roles):
            roles[role, p] = rows[t, role]
    return roles, ordered


@_exact
def _margins(positions, rows, margin):
    third, last = (0, 2) if rows.shape[1] == 3 else (2, 3)
    for t in range(len(rows)):
        near2 = far2 = 0.0
        for c in range(positions.shape[1]):
            near2 += (positions[rows[t, 0], c] - positions[rows[t, 1], c]) ** 2
            far2 += (positions[rows[t, third], c] - positions[rows[t, last], c]) ** 2
        margin[t] = math.sqrt(far2) - math.sqrt(near2)


def margins(positions: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """(T,) distance of the far pair minus distance of the near pair.

    Parameters
    ----------
    positions : ndarray, shape (n, d)
    rows : ndarray of int, shape (T, 3) or (T, 4)
        Anchor, near and far; or i, j, k and l, where i and j are said to be nearer.
    """
    margin = np.empty(len(rows))
    _margins(
        np.ascontiguousarray(positions, float), np.ascontiguousarray(rows, np.uint32), margin
    )
    return margin


def squared_distances(positions: np.ndarray, roles: np.ndarray) -> np.ndarray:
    """(2, T) squared distances from anchor to near and to far.

    Parameters
    ----------
    positions : ndarray, shape (d, n)
    roles : ndarray of uint32, shape (3, T)
    """
    found = np.empty((2, roles.shape[1]))
    gather(paired(positions), *roles, *found)
    return found


def paired(positions: np.ndarray) -> np.ndarray:
    """(d or d + 1, n) positions with an even number of components, the added one 0."""
    return np.concatenate([positions, np.zeros((len(positions) % 2, positions.shape[1]))])


@dataclass(frozen=True)
class Loss:
    """The loss of one answer.

    Parameters
    ----------
    kernel : compiled function ``(near2, far2, weight, parameters, by_near, by_far) -> float``
        Takes squared distances from anchor to near and to far and weights of some answers, fills
        in the derivatives by the two squared distances, returns the sum of weighted losses.
    parameters : tuple of float
        Constants of the loss, one at most: compiled code takes kernels by their address, and so
        with one signature.
    """

    kernel: Callable
    parameters: tuple[float, ...] = ()


_VECTOR = types.float64[::1]
CONSTANTS = types.UniTuple(types.float64, 1)
#: Type of a kernel with one constant, for compiled code that takes any of them by its address.
KERNEL = types.FunctionType(
    types.float64(_VECTOR, _VECTOR, _VECTOR, CONSTANTS, _VECTOR, _VECTOR)
)


@compiled
def evaluate(
    kernel, constants, roles, weight, prior, n_components, positions, by_position, buffers, x,
    gradient,
):
    """What `Objective` does, for compiled code and answers that make a single block."""
    n = positions.shape[1]
    total = 0.0
    for c in range(n_components):
        for i in range(n):
            here = x[c * n + i]
            positions[c, i] = here
            by_position[c, i] = prior * here
            total += here * here
    total *= 0.5 * prior
    near2, far2, by_near, by_far = buffers[0], buffers[1], buffers[2], buffers[3]
    first, second, third = roles[0], roles[1], roles[2]
    if roles.shape[0] == 3:
        gather(positions, first, second, third, near2, far2)
        total += kernel(near2, far2, weight, constants, by_near, by_far)
        _scatter(positions, first, second, third, by_near, by_far, by_position)
    else:
        _gather_pairs(positions, first, second, third, roles[3], near2, far2)
        total += kernel(near2, far2, weight, constants, by_near, by_far)
        _scatter_pairs(positions, first, second, third, roles[3], by_near, by_far, by_position)
    for c in range(n_components):
        gradient[c * n : (c + 1) * n] = by_position[c]
    return total


def single_losses(loss: Loss, near2: np.ndarray, far2: np.ndarray) -> np.ndarray:
    """(T,) loss of every answer by itself, from squared distances to near and far, shape (T,).

    Parameters
    ----------
    loss : Loss
        With at most one constant.
    """
    found = np.empty(len(near2))
    _compiled_singles()(
        loss.kernel, loss.parameters or (0.0,), np.ascontiguousarray(near2),
        np.ascontiguousarray(far2), found,
    )
    return found


def _singles(kernel, constants, near2, far2, found):
    near, far, by_near, by_far = np.empty(1), np.empty(1), np.empty(1), np.empty(1)
    one = np.ones(1)
    for t in range(found.size):
        near[0], far[0] = near2[t], far2[t]
        found[t] = kernel(near, far, one, constants, by_near, by_far)


@cache
def _compiled_singles() -> Callable:
    signature = types.void(KERNEL, CONSTANTS, _VECTOR, _VECTOR, _VECTOR)
    return numba.njit(signature, nogil=True, cache=True, error_model="numpy")(_singles)


class PreparedAnswers:
    """Answers laid out for `Objective`.

    Attributes
    ----------
    roles : ndarray of uint32, shape (3, T) or (4, T)
        Objects of every answer, grouped by the first: anchor, near, far; or i, j, k, l, where i
        and j are said to be more similar than k and l.
    weight : ndarray, shape (T,)
    trial : ndarray of int, shape (T,), or None
        In which trial each was given; None where each has its own.
    n_objects : int
    """

    def __init__(self, given: Triplets | Quadruples) -> None:
        self.n_objects = given.n_objects
        self.roles, self.weight = _grouped(given.rows, given.weight, given.n_objects)
        self.trial = given.trials
        if self.trial is not None:
            self.trial = self.trial[np.argsort(given.rows[:, 0], kind="stable")]

    def __len__(self) -> int:
        return len(self.weight)

    def thinned(self, n_answers: int) -> PreparedAnswers:
        """At most so many of the answers, evenly spread over the anchors."""
        thin = copy(self)
        step = -(-len(self) // n_answers)
        thin.roles = np.ascontiguousarray(self.roles[:, ::step])
        thin.weight = np.ascontiguousarray(self.weight[::step])
        thin.trial = None if self.trial is None else self.trial[::step]
        return thin

    def reweighted(self, weight: np.ndarray) -> PreparedAnswers:
        """The same answers with other weights, shape (T,); those of weight 0 are left out."""
        found = copy(self)
        found.weight = weight.astype(float)
        if not weight.all():
            kept = np.flatnonzero(weight)
            found.roles = np.ascontiguousarray(self.roles[:, kept])
            found.weight = found.weight[kept]
            found.trial = None if self.trial is None else self.trial[kept]
        return found

    @property
    def placed(self) -> np.ndarray:
        """(n,) bool: objects that some answer of a weight above 0 mentions."""
        roles = self.roles if self.weight.all() else self.roles[:, self.weight > 0]
        return np.bincount(roles.ravel(), minlength=self.n_objects) > 0


class Objective:
    """Loss and gradient of a map over all answers, as an optimiser wants them.

    Parameters
    ----------
    answers : PreparedAnswers
        May be shared by several objectives.
    loss : Loss
    n_components : int
    prior : float
        Strength of a normal prior on the positions: ``prior / 2`` times the sum of the squared
        coordinates is added.

    Notes
    -----
    An instance holds buffers: use one per thread.
    """

    def __init__(
        self, answers: PreparedAnswers, loss: Loss, n_components: int, prior: float = 0.0
    ) -> None:
        self.loss, self.prior, self.answers = loss, prior, answers
        self.shape = (n_components, answers.n_objects)
        triplets = len(answers.roles) == 3
        self._gather = gather if triplets else _gather_pairs
        self._scatter = _scatter if triplets else _scatter_pairs
        # An odd last component is paired with noughts.
        self._positions = np.zeros((n_components + n_components % 2, answers.n_objects))
        self._buffers = buffers = np.empty((4, min(BLOCK, len(answers))))
        self._blocks = []
        for low in range(0, len(answers), BLOCK):
            block = slice(low, low + BLOCK)
            weight = answers.weight[block]
            self._blocks.append(
                (tuple(answers.roles[:, block]), weight, tuple(buffers[:, : len(weight)]))
            )

    @property
    def in_one_block(self) -> bool:
        """Whether the answers are so few that compiled code may evaluate them by itself."""
        return len(self._blocks) == 1

    @cached_property
    def arguments(self) -> tuple:
        """The first arguments of `evaluate`."""
        return (
            self.loss.kernel, self.loss.parameters or (0.0,), self.answers.roles,
            self.answers.weight, float(self.prior), self.shape[0], self._positions,
            np.zeros_like(self._positions), self._buffers,
        )

    def __call__(self, x: np.ndarray) -> tuple[float, np.ndarray]:
        """Total weighted loss and its gradient at the flattened (d, n) positions `x`."""
        positions, n_components = self._positions, self.shape[0]
        positions[:n_components] = x.reshape(self.shape)
        gradient = self.prior * positions
        total = 0.5 * self.prior * float(x @ x)
        kernel, parameters = self.loss.kernel, self.loss.parameters
        for roles, weight, (near2, far2, by_near, by_far) in self._blocks:
            self._gather(positions, *roles, near2, far2)
            total += kernel(near2, far2, weight, parameters, by_near, by_far)
            self._scatter(positions, *roles, by_near, by_far, gradient)
        return total, gradient[:n_components].ravel()
