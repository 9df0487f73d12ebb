"""Simulated people, who differ: each has a map of their own about that of the group."""

from __future__ import annotations

import numpy as np

from tripletscope.core.geometry import rms


def personal_maps(
    positions: np.ndarray, n_people: int, heterogeneity: float, rng: np.random.Generator
) -> np.ndarray:
    """(p, n, d) maps of people, normal about the map of the group.

    positions (n, d): The map of the group.
    heterogeneity: Standard deviation of every coordinate between people, as a share of the size of
        the group's map: see `tripletscope.core.geometry.rms`.
    """
    noise = rng.standard_normal((n_people, *positions.shape))
    return positions + heterogeneity * rms(positions) * noise
