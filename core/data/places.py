"""Positions in arrays of runs."""

from __future__ import annotations

import numpy as np


def run_starts(values: np.ndarray) -> np.ndarray:
    """First positions of runs of equal values."""
    return np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1]])[: len(values)])


def different(values: np.ndarray) -> np.ndarray:
    """Sorted different values of an array of any shape.

    By sorting: where most values differ, NumPy 2.3 hashes them in ten times as long.
    """
    ordered = np.sort(values, axis=None)
    return ordered[run_starts(ordered)]


def position_in_run(sizes: np.ndarray) -> np.ndarray:
    """Position of each item in its run, from 0, for runs of these sizes."""
    ends = np.cumsum(sizes)
    return np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(ends - sizes, sizes)
