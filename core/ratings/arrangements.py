"""Spatial arrangements: people place objects so that distances are dissimilarities."""

from __future__ import annotations

import numpy as np
import pandas as pd

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.geometry import distances
from tripletscope.core.ratings.dissimilarities import (
    JudgedPairs,
    Ordered,
    RatedDissimilarities,
    named_objects,
    named_raters,
    numbered_sets,
    numbers_of,
    refuse_few,
)

#: Evidence of two objects in one place, as a share of the mean.
_LEAST_EVIDENCE = 1e-3
#: Sizes of arrangements have settled when none changes by more than this share.
_SETTLED, _MOST_ROUNDS = 1e-8, 1000


class Arrangements(RatedDissimilarities):
    """Positions of objects on a screen or a table, in one or several arrangements per person.

    Parameters
    ----------
    table : DataFrame
        Columns ``item``, ``x`` and ``y``; ``participant``; and ``trial`` if people arranged several
        sets of objects. Without ``trial`` each person has one arrangement.
    margin : float
        For comparisons: differences of distances up to this share of the arrangement's root mean
        square are ties.

    Raises
    ------
    DataError
        If a coordinate is no number, an object is twice in one arrangement, or there are fewer
        than three objects.

    Notes
    -----
    Every set fills the screen, so that its size is arbitrary. Sizes are estimated, in turn with the
    person's dissimilarities: means over the person's arrangements, weighted by their evidence, the
    squared distance on the screen. People count equally, at a root mean square of 1. Errors are
    over people; for one person over arrangements, with fixed sizes.

    References
    ----------
    Kriegeskorte, N., & Mur, M. (2012). Inverse MDS: inferring dissimilarity structure from
    multiple item arrangements. Frontiers in Psychology, 3, 245.

    Examples
    --------
    >>> import pandas as pd
    >>> import tripletscope as ts
    >>> table = pd.DataFrame({"item": ["cat", "dog", "bus"], "x": [0, 3, 0], "y": [0, 0, 4]})
    >>> arranged = ts.ratings.Arrangements(table)
    >>> (arranged.dissimilarities().mean * 50**0.5 / 3**0.5).round(2).tolist()
    [[0.0, 4.0, 5.0], [4.0, 0.0, 3.0], [5.0, 3.0, 0.0]]
    """

    kind = "arrangements"
    title = "Spatial arrangements"
    judgement = "placed object"
    columns = ("participant", "trial", "item", "x", "y")

    def __init__(self, table: pd.DataFrame, *, margin: float = 0.1) -> None:
        if not 0 <= margin < 1:
            raise ValueError(f"margin is {margin!r}; it must be a share from 0 to below 1.")
        self.options, self.notes = {"margin": float(margin)}, []
        self.table = table = self._columns_first(table)
        positions = np.column_stack([numbers_of(table, "x"), numbers_of(table, "y")])
        self.ids, (item,) = named_objects(table["item"])
        self.raters, rater = named_raters(table)
        refuse_few(len(self.ids), f"{len(self.ids)} objects were arranged")
        number, self._owner = numbered_sets(table, rater)
        twice = pd.DataFrame({"trial": number, "item": item}).duplicated()
        if twice.any():
            row = int(np.argmax(twice))
            raise DataError(
                f"{self.ids[item[row]]} is twice in one arrangement", row=row,
                remedy="Name the column that numbers a person's arrangements trial.",
            )
        self._placed = np.bincount(number)
        self._squares = []
        for k in range(len(self._owner)):
            square = np.full((len(self.ids),) * 2, np.nan)
            items = item[number == k]
            square[np.ix_(items, items)] = distances(positions[number == k])
            self._squares.append(square)

    def _judged(self) -> tuple[JudgedPairs, str, int]:
        n = len(self.ids)
        upper = np.triu_indices(n, 1)
        people = np.unique(self._owner)
        if len(people) == 1:
            values = np.array([square[upper] for square in self._squares])
            scaled, mean = _evident(values)
            size = np.sqrt(np.nanmean(mean**2))
            unit, pair = np.nonzero(np.isfinite(values))
            judged = JudgedPairs(
                n, unit, pair, scaled[unit, pair] / size, _evidence(values)[unit, pair]
            )
            return judged, "trials", len(self.raters)
        each = []
        for person in people:
            arrangements = np.flatnonzero(self._owner == person)
            mean = _evident(np.array([self._squares[k][upper] for k in arrangements]))[1]
            each.append(mean / np.sqrt(np.nanmean(mean**2)))
        return JudgedPairs.of(np.array(each), n), "raters", len(people)

    def _ordered(self) -> list[Ordered]:
        # The shape of k points has 2k - 4 coordinates: shift, turn and size are free. Two
        # distances make a comparison.
        upper = np.triu_indices(len(self.ids), 1)
        return [
            Ordered(
                int(owner), square,
                self.options["margin"] * float(np.sqrt(np.nanmean(square[upper] ** 2))),
                placed - 2.0,
            )
            for owner, square, placed in zip(
                self._owner, self._squares, self._placed, strict=True
            ) if placed > 2
        ]


def _evidence(values: np.ndarray) -> np.ndarray:
    """(t, p) evidence of each distance on the screen: its square."""
    return values**2 + _LEAST_EVIDENCE * np.nanmean(values**2)


def _evident(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Distances (t, p) at the arrangements' estimated sizes, and their weighted mean (p,).

    values (t, p): On the screen; NaN for missing pairs.
    """
    finite = np.isfinite(values)
    plain, evidence = np.where(finite, values, 0.0), np.where(finite, _evidence(values), 0.0)
    total = evidence.sum(axis=0)
    size = np.ones(len(values))

    def mean() -> np.ndarray:
        with np.errstate(invalid="ignore", divide="ignore"):
            return (evidence * plain * size[:, None]).sum(axis=0) / total

    for _ in range(_MOST_ROUNDS):
        now = np.where(total > 0, mean(), 0.0)
        sizes = (plain**2).sum(axis=1)
        new = np.sqrt(np.where(finite, now**2, 0.0).sum(axis=1) / np.where(sizes > 0, sizes, 1.0))
        new *= len(new) / new.sum() if new.sum() > 0 else 1.0
        settled = np.abs(new - size).max() <= _SETTLED
        size = new
        if settled:
            break
    return plain * size[:, None] + np.where(finite, 0.0, np.nan), mean()
