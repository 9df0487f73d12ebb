"""Similarity ratings: a number for a pair of objects, by one rater or several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
import pandas as pd

from tripletscope.core.data.errors import DataError
from tripletscope.core.engine.declared import with_random_state
from tripletscope.core.ratings.dissimilarities import (
    Dissimilarities,
    JudgedPairs,
    Ordered,
    RatedDissimilarities,
    named_objects,
    named_raters,
    numbers_of,
    only_code,
    pair_number,
    refuse_few,
    square_matrices,
    squares,
)

#: Smaller relative differences of dissimilarities are rounding.
_EQUAL = 1e-9
#: Pairs of most people from which on another order of their ratings is other data.
_PAIRS = 10
#: Standardisations of raters.
STANDARDS = {
    "none": "As rated",
    "range": "Each rater's smallest and largest",
    "z": "Each rater's mean and spread",
}


class Ratings(RatedDissimilarities):
    """Ratings of the similarity, or dissimilarity, of two objects.

    Parameters
    ----------
    table : DataFrame
        Columns ``item1``, ``item2`` and ``rating``; ``participant`` for several raters.
    direction : {"similar", "dissimilar"}
        Meaning of large numbers. Similarities are subtracted from the largest of all ratings.
    standardise : {"none", "range", "z"}
        Whether each rater's dissimilarities get a common range, or a common mean and standard
        deviation, before averaging. ``z`` assumes that raters of different pairs rated equally
        similar ones on average.

    Raises
    ------
    DataError
        If a rating is no number, or there are fewer than three objects.

    Notes
    -----
    The order in a pair does not count. Ratings of an object with itself are left out. Several
    ratings of a pair by one rater count once, by their mean. Errors are over raters. For one rater
    they are over the ratings of a pair, with one standard deviation for all pairs, and unknown if
    no pair was rated twice.

    Examples
    --------
    >>> import pandas as pd
    >>> import tripletscope as ts
    >>> table = pd.DataFrame({
    ...     "participant": ["ann"] * 3 + ["bob"] * 3, "item1": ["cat", "cat", "dog"] * 2,
    ...     "item2": ["dog", "bus", "bus"] * 2, "rating": [7, 1, 2, 6, 1, 1]})
    >>> ratings = ts.ratings.Ratings(table, direction="similar")
    >>> ratings.ids
    ['bus', 'cat', 'dog']
    >>> print(ratings.dissimilarities().mean)
    [[0.  6.  5.5]
     [6.  0.  0.5]
     [5.5 0.5 0. ]]
    >>> len(ratings.triplets())  # bob's ratings of the bus are a tie
    5
    """

    kind = "ratings"
    title = "Similarity ratings"
    judgement = "rating"
    columns = ("participant", "item1", "item2", "rating")

    def __init__(
        self, table: pd.DataFrame, *, direction: str = "similar", standardise: str = "none"
    ) -> None:
        if direction not in ("similar", "dissimilar"):
            raise ValueError(f"direction is {direction!r}; it must be 'similar' or 'dissimilar'.")
        if standardise not in STANDARDS:
            raise ValueError(
                f"standardise is {standardise!r}; it must be one of {', '.join(STANDARDS)}."
            )
        self.options = {"direction": direction, "standardise": standardise}
        self.table = table = self._columns_first(table)
        rating = numbers_of(table, "rating")
        self.ids, (first, second) = named_objects(table["item1"], table["item2"])
        self.raters, rater = named_raters(table)
        refuse_few(len(self.ids), f"the ratings are about {len(self.ids)} objects")
        self.notes = []
        if direction == "similar":
            top = rating.max()
            self.notes.append(f"Dissimilarity is {top:g}, the largest rating, minus each rating.")
            rating = top - rating
        alike = first == second
        if alike.any():
            self.notes.append(
                f"{alike.sum():,} ratings of an object with itself are omitted: their mean is "
                f"{table['rating'][alike].astype(float).mean():.4g}, that of the others "
                f"{table['rating'][~alike].astype(float).mean():.4g}."
            )
        self._is_pair = ~alike
        first, second, rater, rating = (x[~alike] for x in (first, second, rater, rating))
        self._unit, self._pair = rater, pair_number(first, second, len(self.ids))
        self._value = self._standardised(rating)

    def at_random(self, rng: np.random.Generator) -> Ratings | None:
        """The same ratings in another order of each person's pairs; None where people have few."""
        if len(self.raters) < 2:
            return None
        rating = self.table["rating"].to_numpy().copy()
        is_pair = (self.table["item1"] != self.table["item2"]).to_numpy()
        each = [rows[is_pair[rows]]
                for rows in self.table.groupby("participant", observed=True).indices.values()]
        if np.median([len(rows) for rows in each]) < _PAIRS:
            return None
        for rows in each:
            rating[rows] = rng.permutation(rating[rows])
        return type(self)(self.table.assign(rating=rating), **self.options)

    @classmethod
    def from_matrices(
        cls, matrices: Mapping[str, Any] | Sequence[Any], ids: Sequence[str] | None = None,
        **options: Any,
    ) -> Self:
        """Ratings from square matrices, one for each rater.

        Parameters
        ----------
        matrices : mapping of str to array-like, or sequence of array-like, each (n, n)
            By name of the rater; NaN for pairs without a rating. Different halves are two ratings
            of each pair, by the order of its objects.
        ids : sequence of str, optional
            Names of the objects; by default numbers from 1.
        **options
            Of the class.

        Examples
        --------
        >>> import tripletscope as ts
        >>> one, two = [[0, 1, 4], [1, 0, 3], [4, 3, 0]], [[0, 2, 4], [2, 0, 4], [4, 4, 0]]
        >>> rated = ts.ratings.Ratings.from_matrices(
        ...     {"ann": one, "bob": two}, direction="dissimilar")
        >>> rated.dissimilarities().mean[0].tolist()
        [0.0, 1.5, 4.0]
        """
        if not isinstance(matrices, Mapping):
            matrices = {f"{k + 1}": matrix for k, matrix in enumerate(matrices)}
        parts = []
        for rater, matrix, names in square_matrices(matrices, ids):
            rated = np.isfinite(matrix) & ~np.eye(len(matrix), dtype=bool)
            if np.array_equal(matrix[rated & rated.T], matrix.T[rated & rated.T]):
                rated &= ~np.tril(rated.T)  # written twice, judged once
            first, second = np.nonzero(rated)
            parts.append(pd.DataFrame({
                "participant": rater, "item1": names[first], "item2": names[second],
                "rating": matrix[rated],
            }))
        table = pd.concat(parts, ignore_index=True)
        return cls(table if len(parts) > 1 else table.drop(columns="participant"), **options)

    def _judged(self) -> tuple[JudgedPairs, str, int]:
        """One value for each rater and pair."""
        n = len(self.ids)
        n_pairs = n * (n - 1) // 2
        both, place = np.unique(self._unit * n_pairs + self._pair, return_inverse=True)
        value = np.bincount(place, self._value) / np.bincount(place)
        judged = JudgedPairs(n, both // n_pairs, both % n_pairs, value)
        return judged, "raters", len(self.raters)

    @with_random_state
    def dissimilarities(self, replicates: int = 200, *, seed: int = 0) -> Dissimilarities:
        judged, *_ = self._judged()
        if judged.n_units > 1:
            return super().dissimilarities(replicates, seed=seed)
        return self._of_one(judged.means(), replicates, seed)

    def _of_one(self, mean: np.ndarray, replicates: int, seed: int) -> Dissimilarities:
        """Errors over the ratings of a pair, for one or unnamed raters."""
        n, count = len(self.ids), np.bincount(self._pair, minlength=len(mean)).astype(float)
        freedom = float(np.maximum(count - 1, 0).sum())
        error, drawn = np.full(len(mean), np.nan), np.empty((0, len(mean)))
        if freedom:
            off = self._value - mean[self._pair]
            spread = np.sqrt(off @ off / freedom)
            with np.errstate(divide="ignore"):
                error = np.where(count > 0, spread / np.sqrt(count), np.nan)
            noise = np.random.default_rng(seed).standard_normal((replicates, len(mean)))
            drawn = mean + noise * error
        return Dissimilarities(
            self.ids, squares(mean, n), squares(error, n), squares(count, n), len(self.raters),
            "trials", squares(drawn, n), self.notes,
        )

    def _ordered(self) -> list[Ordered]:
        (judged, *_), parts = self._judged(), []
        for rater in range(judged.n_units):
            mine = judged.unit == rater
            values = np.full(judged.n_pairs, np.nan)
            values[judged.pair[mine]] = judged.value[mine]
            size = np.sqrt(np.mean(judged.value[mine] ** 2))
            parts.append(Ordered(
                rater, squares(values, len(self.ids)), _EQUAL * size,
                np.count_nonzero(self._unit == rater) / 2.0,
            ))
        return parts

    def _shared(self, codes: np.ndarray, rows: np.ndarray, owner: np.ndarray) -> np.ndarray:
        """Of the two ratings that are compared, whatever others the person gave."""
        n = len(self.ids)
        n_pairs = n * (n - 1) // 2
        both, place = np.unique(self._unit * n_pairs + self._pair, return_inverse=True)
        of_pairs = only_code(place, codes[self._is_pair])
        near, far = (
            of_pairs[np.searchsorted(both, owner * n_pairs + pair_number(rows[:, 0], other, n))]
            for other in rows[:, 1:].T
        )
        return np.where(near == far, near, -1)

    def _standardised(self, value: np.ndarray) -> np.ndarray:
        """Dissimilarities of raters on one scale, none below zero."""
        how = self.options["standardise"]
        if how == "none" or not len(value):
            self._check_positive(value)
            return value
        standardised = np.empty(len(value))
        centre, spread = value.mean(), value.std()
        for rater in np.unique(self._unit):
            mine = value[self._unit == rater]
            if np.ptp(mine) == 0:
                who = self.raters[rater] if self.raters else "The rater"
                raise DataError(
                    f"{who} gave all pairs the same rating",
                    remedy="Leave this rater out, or do not standardise.",
                )
            if how == "z":
                mine = centre + spread * (mine - mine.mean()) / mine.std()
            else:
                mine = value.max() * (mine - mine.min()) / np.ptp(mine)
            standardised[self._unit == rater] = mine
        self.notes.append(f"Raters were standardised: {STANDARDS[how].lower()}.")
        return standardised - min(standardised.min(), 0.0)

    def _check_positive(self, value: np.ndarray) -> None:
        if (value < 0).any():
            raise DataError(
                f"a dissimilarity is below zero: {value.min():g}",
                row=int(np.argmax(value < 0)),
                remedy="If large values mean similar, choose that direction.",
            )
