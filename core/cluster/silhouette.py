"""Silhouettes: how much nearer objects are to their own cluster than to the next."""

from __future__ import annotations

import numpy as np

from tripletscope.core.kernel.space import Space

#: Above so many objects a random sample of them is looked at.
_MOST = 3_000


def silhouettes(space: Space, divisions: np.ndarray) -> np.ndarray:
    """Mean silhouette of several clusterings.

    Shapes: divisions (k, m).
    Returns: (k,): NaN where there are not between 2 and m - 1 clusters.

    References
    ----------
    Rousseeuw, P. J. (1987). Silhouettes: a graphical aid to the interpretation and validation of
    cluster analysis. Journal of Computational and Applied Mathematics, 20, 53-65.
    """
    from sklearn.metrics import silhouette_score  # imported late: slow to import

    if len(space) > _MOST:
        some = np.sort(np.random.default_rng(0).choice(len(space), _MOST, replace=False))
        space, divisions = space.part(some), divisions[:, some]
    distances = space.distances()
    values = np.full(len(divisions), np.nan)
    for i, labels in enumerate(divisions):
        if 2 <= len(np.unique(labels)) < len(labels):
            values[i] = silhouette_score(distances, labels, metric="precomputed")
    return values
