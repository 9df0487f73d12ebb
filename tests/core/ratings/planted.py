"""Raters of points whose places are known."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.cluster.hierarchy import fcluster, linkage

from tripletscope.core.data.geometry import distances


def points(n: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, 2))


def names(n: int) -> np.ndarray:
    return np.array([f"o{i:02d}" for i in range(n)])


def rated(
    truth: np.ndarray, raters: int, noise: float = 0.7, *, seed: int = 0, share: float = 1.0
) -> pd.DataFrame:
    """Ratings of similarity from 1 to 7, of a share of the pairs each."""
    rng, apart = np.random.default_rng(seed), distances(truth)
    first, second = np.triu_indices(len(truth), 1)
    parts = []
    for rater in range(raters):
        which = rng.random(len(first)) < share
        seen = apart[first, second] + rng.normal(0, noise, len(first))
        value = np.clip(np.round(7 - 6 * seen / apart.max()), 1, 7)
        parts.append(pd.DataFrame({
            "participant": f"p{rater}", "item1": names(len(truth))[first[which]],
            "item2": names(len(truth))[second[which]], "rating": value[which],
        }))
    return pd.concat(parts, ignore_index=True)


def sorted_into_piles(truth: np.ndarray, people: int, seed: int = 0) -> pd.DataFrame:
    rng, parts = np.random.default_rng(seed), []
    for person in range(people):
        seen = truth + rng.normal(0, 0.3, truth.shape)
        pile = fcluster(linkage(seen, "average"), rng.integers(3, 7), "maxclust")
        parts.append(pd.DataFrame({
            "participant": f"p{person}", "item": names(len(truth)), "pile": pile,
        }))
    return pd.concat(parts, ignore_index=True)


def arranged(
    truth: np.ndarray, people: int, trials: int, size: int, noise: float = 0.2, seed: int = 0
) -> pd.DataFrame:
    """Sets of objects that each fill the screen."""
    rng, parts = np.random.default_rng(seed), []
    for person in range(people):
        for trial in range(trials):
            some = rng.choice(len(truth), size, replace=False)
            placed = truth[some] + rng.normal(0, noise, (size, 2))
            placed = placed - placed.mean(axis=0)
            placed = placed / np.abs(placed).max()
            parts.append(pd.DataFrame({
                "participant": f"p{person}", "trial": trial, "item": names(len(truth))[some],
                "x": placed[:, 0], "y": placed[:, 1],
            }))
    return pd.concat(parts, ignore_index=True)


def confused(truth: np.ndarray, trials: int, seed: int = 0, slope: float = 1.5) -> np.ndarray:
    """Counts by the biased choice model."""
    rng = np.random.default_rng(seed)
    shares = np.exp(-slope * distances(truth)) * rng.dirichlet(np.full(len(truth), 5.0))
    return np.array([rng.multinomial(trials, p / p.sum()) for p in shares])
