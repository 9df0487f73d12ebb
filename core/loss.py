"""Total loss of a map over many answers, and its gradient, from the loss of one answer.

A loss is a compiled function of the two squared distances of an answer. It never sees
coordinates; `Objective` gathers the distances, calls it, and scatters its derivatives. The three
steps run over blocks of answers that stay in the processor's cache, and release the interpreter's
lock, so that several fits share the machine.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numba
import numpy as np
from numba.core import types
from numba.extending import intrinsic

from core.triplets import Triplets

#: Answers per block: four buffers of this length fit in a second-level cache.
BLOCK = 8192

# The numpy error model leaves divisions unguarded, and without NaN assumptions ("nnan", "ninf")
# a loss may still be checked for finiteness. Both matter for vectorisation.
_REORDER = {"contract", "reassoc", "nsz", "arcp", "afn"}
compiled = numba.njit(nogil=True, cache=True, error_model="numpy", fastmath=_REORDER)
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
# Positions are stored one component after the other, (d, n): then the same loop is as fast for
# every dimension as one written out for it. Unsigned indices spare the wrap-around test.


@compiled
def _gather(positions, anchor, near, far, near2, far2):
    near2[:] = 0.0
    far2[:] = 0.0
    for c in range(positions.shape[0]):
        for t in range(anchor.size):
            x = positions[c, anchor[t]]
            u = x - positions[c, near[t]]
            v = x - positions[c, far[t]]
            near2[t] += u * u
            far2[t] += v * v


@compiled
def _scatter(positions, anchor, near, far, by_near, by_far, gradient):
    for c in range(positions.shape[0]):
        t = 0
        while t < anchor.size:
            a = anchor[t]
            x = positions[c, a]
            pull = 0.0
            while t < anchor.size and anchor[t] == a:
                u = 2.0 * by_near[t] * (x - positions[c, near[t]])
                v = 2.0 * by_far[t] * (x - positions[c, far[t]])
                gradient[c, near[t]] -= u
                gradient[c, far[t]] -= v
                pull += u + v
                t += 1
            gradient[c, a] += pull


@compiled
def _order_by(keys, n_keys):
    """Stable counting sort: about a fiftieth of the cost of a comparison sort."""
    place = np.zeros(n_keys + 1, dtype=np.int64)
    for key in keys:
        place[key + 1] += 1
    for key in range(n_keys):
        place[key + 1] += place[key]
    order = np.empty(keys.size, dtype=np.int64)
    for t in range(keys.size):
        order[place[keys[t]]] = t
        place[keys[t]] += 1
    return order


@dataclass(frozen=True)
class Loss:
    """The loss of one answer.

    Parameters
    ----------
    kernel : compiled function ``(near2, far2, weight, parameters, by_near, by_far) -> float``
        Takes squared distances from anchor to near and to far and weights of some answers, fills
        in the derivatives by the two squared distances, returns the sum of weighted losses.
    parameters : tuple of float
        Constants of the loss.
    """

    kernel: Callable
    parameters: tuple[float, ...] = ()


class Answers:
    """Answers laid out for `Objective`: grouped by anchor, one contiguous array per role."""

    def __init__(self, triplets: Triplets) -> None:
        order = _order_by(triplets.rows[:, 0].astype(np.uint32), triplets.n_objects)
        rows = triplets.rows[order].astype(np.uint32)
        self.n_objects = triplets.n_objects
        self.anchor, self.near, self.far = np.ascontiguousarray(rows.T)
        self.weight = triplets.weight[order]


class Objective:
    """Loss and gradient of a map over all answers, as an optimiser wants them.

    Parameters
    ----------
    answers : Answers
        May be shared by several objectives.
    loss : Loss
    n_components : int

    Notes
    -----
    An instance holds buffers: use one per thread.
    """

    def __init__(self, answers: Answers, loss: Loss, n_components: int) -> None:
        self.answers, self.loss = answers, loss
        self.shape = (n_components, answers.n_objects)
        size = min(BLOCK, len(answers.anchor))
        self._near2, self._far2, self._by_near, self._by_far = np.empty((4, size))

    def __call__(self, x: np.ndarray) -> tuple[float, np.ndarray]:
        """Total weighted loss and its gradient at the flattened (d, n) positions `x`."""
        positions = x.reshape(self.shape)
        gradient = np.zeros(self.shape)
        answers, total = self.answers, 0.0
        for low in range(0, len(answers.anchor), BLOCK):
            block = slice(low, low + BLOCK)
            anchor, near, far = answers.anchor[block], answers.near[block], answers.far[block]
            held = slice(0, len(anchor))
            near2, far2 = self._near2[held], self._far2[held]
            by_near, by_far = self._by_near[held], self._by_far[held]
            _gather(positions, anchor, near, far, near2, far2)
            total += self.loss.kernel(
                near2, far2, answers.weight[block], self.loss.parameters, by_near, by_far
            )
            _scatter(positions, anchor, near, far, by_near, by_far, gradient)
        return total, gradient.ravel()
