"""How pairs of objects are seen: a value of each pair of a choice, and the way back.

Objects have rows of parameters, such as coordinates or weights of dimensions; so may the units of
choices, such as people.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numba
import numpy as np
from numba import types

from tripletscope.core.models.optimise.elementary import address, compiled, found_for
from tripletscope.core.models.optimise.layout import NO_UNITS
from tripletscope.core.models.optimise.rows import (
    add_gradient,
    add_of_three,
    set_of_three,
    set_squared_distances,
)


class PairModel(NamedTuple):
    """How pairs of objects are seen; both functions are compiled.

    forward ``(x, w, roles, unit, low, high, values)``: Sets the values (m, b) of the pairs of
        choices from `low` to `high`, by rows x (n, c) of objects and w (u, k) of units. The roles
        (r, T) of a choice are objects, see `pair_of`; its unit (T,) is a row of w.
    back ``(x, w, roles, unit, low, high, by, by_x, by_w)``: Adds to the gradients by x and w, from
        the slopes (m, b) by those values.
    """

    forward: Callable
    back: Callable


@cache
def _types(rows: types.Array) -> tuple[types.FunctionType, types.FunctionType]:
    """Types of `PairModel.forward` and `PairModel.back`, for rows of 32 or 64 bits."""
    values = types.float64[:, ::1]
    choices = (rows, rows, types.uint32[:, ::1], types.int64[::1], types.int64, types.int64)
    return (
        types.FunctionType(types.void(*choices, values)),
        types.FunctionType(types.void(*choices, values, rows, rows)),
    )


forward_at = found_for(lambda rows: _types(rows)[0])
back_at = found_for(lambda rows: _types(rows)[1])


@cache
def addresses(pairs: PairModel, number: np.dtype) -> tuple[int, int]:
    """Addresses of both functions in this process, for rows of such numbers."""
    of_rows = _types(numba.from_dtype(number)[:, ::1])
    return address(pairs.forward, of_rows[0]), address(pairs.back, of_rows[1])


def values_of(
    seen: PairModel, pairs: np.ndarray, x: np.ndarray, w: np.ndarray | None = None,
    unit: np.ndarray = NO_UNITS,
) -> np.ndarray:
    """(E,) values of single pairs (E, 2), of which each has a row of `w` if `seen` looks at it."""
    x, values = np.ascontiguousarray(x), np.empty((1, len(pairs)))
    w = np.empty((0, 0), x.dtype) if w is None else np.ascontiguousarray(w)
    seen.forward(x, w, np.ascontiguousarray(pairs.T, np.uint32), unit, 0, len(pairs), values)
    return values[0]


@compiled
def pair_of(roles, e):
    """The two roles of pair `e`: of three objects, first and second, first and last, the others."""
    if roles.shape[0] == 3:
        return (1 if e == 2 else 0), (1 if e == 0 else 2)
    return 2 * e, 2 * e + 1


@compiled
def _two_pairs(roles, e, f, low, high):
    i, j = pair_of(roles, e)
    k, m = pair_of(roles, f)
    return roles[i, low:high], roles[j, low:high], roles[k, low:high], roles[m, low:high]


@compiled
def _squares(x, w, roles, unit, low, high, values):
    shown = values.shape[0]
    if roles.shape[0] == 3 and shown == 3:
        objects = roles[0, low:high], roles[1, low:high], roles[2, low:high]
        set_of_three(x, objects, values)
        return
    for e in range(0, shown, 2):
        f = min(e + 1, shown - 1)  # the last one alone is set twice
        set_squared_distances(x, _two_pairs(roles, e, f, low, high), values[e], values[f])


@compiled
def _squares_back(x, w, roles, unit, low, high, by, by_x, by_w):
    shown = by.shape[0]
    if roles.shape[0] == 3 and shown == 3:
        objects = roles[0, low:high], roles[1, low:high], roles[2, low:high]
        add_of_three(x, objects, by, by_x)
        return
    zeros = np.zeros(by.shape[1])
    for e in range(0, shown, 2):
        f = min(e + 1, shown - 1)
        add_gradient(
            x, _two_pairs(roles, e, f, low, high), roles.shape[0] == 3, by[e],
            by[f] if f > e else zeros, by_x,
        )


#: Squared distances in a map by rows.
SQUARES = PairModel(_squares, _squares_back)
