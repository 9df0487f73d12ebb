"""Euclidean distances of all pairs, of vectors of any length.

SciPy's bit for bit, which adds up the squares in the same order but takes one pair at a time.
"""

from __future__ import annotations

from collections.abc import Callable

import numba
import numpy as np

from tripletscope.core.computing.parallel import Halt, in_parallel

#: Objects whose distances are found together, and the part of a row that stays in the cache.
_ROWS, _TILE = 8, 512
#: Rows that are handed out at a time.
_BLOCK = 256


def distances_from(columns: np.ndarray, first: int, stop: int, start: int = 0) -> np.ndarray:
    """Distances of some objects from those at `start` and later.

    columns (d, m): The vectors, one coordinate of all beside each other.
    Returns: (stop - first, m - start).
    """
    distances = np.empty((stop - first, columns.shape[1] - start))
    _distances(columns, first, start, distances)
    return distances


def condensed(m: int, rows: Callable[[int, int, int], np.ndarray]) -> np.ndarray:
    """Distances of m objects in SciPy's condensed form, without ever holding more.

    rows: ``rows(first, stop, start)`` gives the distances of objects `first` to `stop` - 1 from
        those at `start` and later.
    Returns: (m * (m - 1) / 2,).
    """
    distances = np.empty(m * (m - 1) // 2)
    parts = [(rows, m, first, distances) for first in range(0, m, _BLOCK)]
    for _ in in_parallel(_fill, parts, shared=True):
        pass
    return distances


def _fill(
    rows: Callable[[int, int, int], np.ndarray], m: int, first: int, distances: np.ndarray,
    halt: Halt,
) -> None:
    stop = min(first + _BLOCK, m)
    for i, row in enumerate(rows(first, stop, first), first):
        place = m * i - i * (i + 1) // 2
        distances[place : place + m - i - 1] = row[i + 1 - first :]


# Not allowed to fuse multiplications with additions, which SciPy's does not.
@numba.njit(nogil=True, cache=True, error_model="numpy")
def _distances(columns, first, start, distances):
    n_columns, m = columns.shape
    sums = np.empty((_ROWS, _TILE))
    for left in range(start, m, _TILE):
        size = min(_TILE, m - left)
        for top in range(0, len(distances), _ROWS):
            rows = min(_ROWS, len(distances) - top)
            sums[:] = 0.0
            for c in range(n_columns):
                there = columns[c, left : left + size]
                for r in range(rows):
                    here, added = columns[c, first + top + r], sums[r]
                    for j in range(size):
                        off = there[j] - here
                        added[j] += off * off
            for r in range(rows):
                row = distances[top + r]
                for j in range(size):
                    row[left - start + j] = np.sqrt(sums[r, j])
