"""Observers whose scales are planted."""

from __future__ import annotations

import numpy as np
import pandas as pd

from tripletscope.core.data.triplets import Triplets


def observers(
    seed: int, *, people: int = 12, usable: int = 45, levels: int = 12, shape: float = 0.3,
    consistency: float = 0.3, outside: int = 0,
) -> tuple[Triplets, np.ndarray]:
    """Triads about levels, and the scales (people, levels) from 0 to 1 that they follow.

    Scales are powers of the stimulus whose exponents, and whose ranges in units of the noise,
    differ by log standard deviations of `shape` and `consistency`. Everybody also gives `outside`
    answers whose anchor lies at an end, which compare no intervals.
    """
    rng = np.random.default_rng(seed)
    x = np.linspace(0.0, 1.0, levels)
    truth = x ** (0.7 * np.exp(shape * rng.standard_normal(people)))[:, None]
    reach = 8.0 * np.exp(consistency * rng.standard_normal(people))
    rows = []
    for scale, length in zip(truth, reach, strict=True):
        low, middle, high = np.sort(rng.random((usable, levels)).argsort(axis=1)[:, :3]).T
        apart = (scale[high] - scale[middle]) - (scale[middle] - scale[low])
        upper = length * apart + rng.standard_normal(usable) > 0
        rows.append(np.column_stack(
            [middle, np.where(upper, low, high), np.where(upper, high, low)]
        ))
        ends = np.sort(rng.random((outside, levels)).argsort(axis=1)[:, :3])
        rows.append(ends)
    who = np.repeat([f"p{p:02}" for p in range(people)], usable + outside)
    objects = pd.DataFrame({"id": [f"level {k}" for k in range(levels)], "x": x})
    return Triplets(np.concatenate(rows), objects, pd.DataFrame({"participant": who})), truth
