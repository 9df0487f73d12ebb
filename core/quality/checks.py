"""Questions whose answer is known: gold lists, or what a map makes obvious."""

from __future__ import annotations

from typing import Any

import numpy as np

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.method import Method


def obvious(fitted: Method, triplets: Triplets, least: float = 0.6) -> Triplets:
    """Questions whose answer a map makes obvious, to be used as gold questions.

    triplets: Answers, of which each question is looked at once.
    least: From this share of the sum of the two distances on, their difference is obvious: 0.6
        means that far is four times as far as near.
    Returns: One answer to each such question: the map's.
    """
    first = np.unique(triplets.questions, return_index=True)[1]
    rows = triplets.rows[first].copy()
    distances = fitted.distances()
    near, far = distances[rows[:, 0], rows[:, 1]], distances[rows[:, 0], rows[:, 2]]
    with np.errstate(invalid="ignore"):
        contrast = (far - near) / (far + near)
    turned = contrast < 0
    rows[turned] = rows[turned][:, [0, 2, 1]]
    clear = np.abs(contrast) >= least
    return Triplets(rows[clear], triplets.objects, name=f"obvious questions of {triplets.name}")


def gold_mistakes(triplets: Triplets, gold: Triplets) -> np.ndarray:
    """(T,) 1 where an answer contradicts a gold question, 0 where it agrees, NaN for no gold.

    gold (G, 3): Right answers about the same objects. Triplets are matched by the ids of their
        objects.
    """
    rows = _gold_rows(triplets, gold)
    n = np.int64(triplets.n_objects)

    def codes(which: np.ndarray) -> np.ndarray:
        anchor, near, far = which.T.astype(np.int64)
        return (anchor * n + near) * n + far

    right, wrong = codes(rows), codes(rows[:, [0, 2, 1]])
    if np.isin(right, wrong).any():
        row = int(np.argmax(np.isin(right, wrong)))
        raise DataError(
            "a gold question has two different answers", row=row, remedy="Keep the right one.",
        )
    answers = codes(triplets.rows)
    mistakes = np.full(len(triplets), np.nan)
    mistakes[np.isin(answers, right)] = 0.0
    mistakes[np.isin(answers, wrong)] = 1.0
    return mistakes


def _gold_rows(triplets: Triplets, gold: Any) -> np.ndarray:
    if not isinstance(gold, Triplets):
        return Triplets(gold, triplets.objects).rows
    place = {name: i for i, name in enumerate(triplets.ids)}
    unknown = [name for name in gold.ids if name not in place]
    used = gold.answers_per_object > 0
    lacking = [name for name, is_used in zip(gold.ids, used, strict=True)
               if is_used and name in unknown]
    if lacking:
        raise DataError(
            f"the gold questions name {lacking[0]!r}, which is not an object of {triplets.name}",
            file=gold.name, remedy="Name the objects as the answers do.",
        )
    lookup = np.array([place.get(name, -1) for name in gold.ids], dtype=np.int64)
    return lookup[gold.rows]
