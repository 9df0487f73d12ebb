"""Which of two objects is nearer, compiled: the one formula behind every measured oracle."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import types
from numba.extending import overload

from tripletscope.core.models.optimise.elementary import compiled


class Measure(NamedTuple):
    """Distances from the objects x of questions to the objects p and q.

    Attributes
    ----------
    tabled : bool
        Whether `queries` holds distances, or an increasing function of them, to all objects.
    queries : ndarray, shape (m, n) or (m, d)
        By object x: its row of the table, or its vector.
    points : ndarray, shape (n, d)
        Vectors of the objects p and q, of the same type; unused with a table.
    """

    tabled: bool
    queries: np.ndarray
    points: np.ndarray


def _working(value):
    raise NotImplementedError("compiled code only")


@overload(_working, inline="always")
def _compiled_working(value):
    """Bytes become single precision; floats keep theirs."""
    if isinstance(value, types.Integer):
        return lambda value: np.float32(value)
    return lambda value: value


@compiled
def workspace(measure):
    """Room for the point and the normal of the hyperplane that vectors are compared with."""
    zero = _working(measure.points[0, 0])
    size = measure.points.shape[1]
    # Two rows of one array would not be vectorised.
    return np.full(size, zero), np.full(size, zero)


@compiled
def nearer(measure, x, p, q, work, first):
    """Write whether p is at least as near as q to each x into `first`.

    For vectors, (x - (p + q) / 2) . (q - p) <= 0: half the work of two distances, without their
    cancellation for close p and q.
    """
    if measure.tabled:
        for i in range(x.size):
            row = measure.queries[x[i]]
            first[i] = row[p] <= row[q]
        return
    middle, across = work
    a, b = measure.points[p], measure.points[q]
    for f in range(a.size):
        middle[f] = (_working(a[f]) + _working(b[f])) / 2
        across[f] = _working(b[f]) - _working(a[f])
    for i in range(x.size):
        row = measure.queries[x[i]]
        side = across[0] - across[0]
        for f in range(a.size):
            side += (_working(row[f]) - middle[f]) * across[f]
        first[i] = side <= 0


@compiled
def answers(measure, x, p, q, first):
    """`nearer` for questions with a pair each."""
    if measure.tabled:
        for i in range(x.size):
            first[i] = measure.queries[x[i], p[i]] <= measure.queries[x[i], q[i]]
        return
    work = workspace(measure)
    for i in range(x.size):
        nearer(measure, x[i : i + 1], p[i], q[i], work, first[i : i + 1])
