"""A close look at a fitted map: neighbours, contradicted answers, sizes of ellipses."""

from __future__ import annotations

import numpy as np
import pandas as pd

from tripletscope.core.data.geometry import ellipsoids, map_size
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding


def inspect_objects(
    fitted: OrdinalEmbedding, triplets: Triplets, covariances: np.ndarray | None = None, *,
    coverage: float = 0.95, degrees: float | None = None, n_neighbours: int = 5,
) -> pd.DataFrame:
    """Table of all objects of a map, fitted to these triplets.

    coverage, degrees: See `tripletscope.core.data.geometry.coverage_radius`.
    Columns: ``id``, ``label``, ``neighbours`` (labels, nearest first), ``answers`` about the
        object, ``contradicted`` (share of them), and, with covariances (n, d, d), whether the
        position is ``determined`` by the answers, and ``uncertainty``: radius of the circle as
        large as the ellipse, as a share of `tripletscope.core.data.geometry.map_size`.
    """
    positions = fitted.embedding_
    labels = np.array(triplets.labels, dtype=object)
    table = pd.DataFrame({"id": triplets.ids, "label": labels})
    table["neighbours"] = [labels[near].tolist() for near in nearest_objects(fitted, n_neighbours)]
    wrong = fitted.margins(triplets) < 0
    n = triplets.n_objects
    answers = triplets.answers_per_object
    misses = sum(np.bincount(triplets.rows[:, role], wrong, n) for role in range(3))
    table["answers"] = answers
    table["contradicted"] = np.where(answers > 0, misses / np.maximum(answers, 1), np.nan)
    if covariances is not None:
        table["determined"] = np.isfinite(covariances).all(axis=(1, 2))
        size = map_size(positions[fitted.placed_]) or 1.0
        table["uncertainty"] = ellipsoids(covariances, coverage, degrees).size / size
    return table


def answers_at_odds(
    fitted: OrdinalEmbedding, triplets: Triplets, objects: list[int] | None = None
) -> np.ndarray:
    """Positions of contradicted answers, about some objects or all, the clearest first."""
    margins = fitted.margins(triplets)
    chosen = margins < 0
    if objects is not None:
        chosen &= np.isin(triplets.rows, objects).any(axis=1)
    places = np.flatnonzero(chosen)
    return places[np.argsort(margins[places], kind="stable")]


def nearest_objects(fitted: OrdinalEmbedding, number: int = 5) -> list[np.ndarray]:
    """Positions of the nearest placed objects of every object, which has none if it is not placed.

    They are in order, the nearest first.
    """
    from sklearn.neighbors import NearestNeighbors  # imported late: it is slow to import

    found = [np.empty(0, dtype=int)] * len(fitted.placed_)
    where = np.flatnonzero(fitted.placed_)
    if len(where) < 2:
        return found
    placed = fitted.embedding_[where]
    near = NearestNeighbors(n_neighbors=min(number, len(where) - 1)).fit(placed)
    for i, neighbours in zip(where, near.kneighbors(return_distance=False), strict=True):
        found[i] = where[neighbours]
    return found
