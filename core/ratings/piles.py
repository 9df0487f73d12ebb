"""Sorting data: people put objects into piles."""

from __future__ import annotations

import numpy as np
import pandas as pd

from tripletscope.core.ratings.dissimilarities import (
    JudgedPairs,
    Ordered,
    RatedDissimilarities,
    is_blank,
    named_objects,
    named_raters,
    numbered_sets,
    refuse_few,
)

#: Smaller differences of shares are rounding.
_EQUAL = 1e-9


class Piles(RatedDissimilarities):
    """Objects that people put together.

    The dissimilarity of two objects is 1 minus the share of the people who put both together, of
    those who sorted both. Objects in several piles of a person are together by the share of their
    piles in common (Jaccard); for several sets of a person, the mean over the sets with both
    objects counts.

    Parameters
    ----------
    table : DataFrame
        Columns ``participant``, ``item`` and ``pile``, a row for every object in every pile;
        ``trial`` if people sorted several sets. Names of piles matter within one person and set
        only; rows without a pile are left out, and a note says so.

    Raises
    ------
    DataError
        If there are fewer than three objects, or an item has no name.

    Notes
    -----
    Errors are over people; one person's piles have none. In a person's comparisons, objects of the
    same pile are more similar than objects of other piles; pairs within the same pile, or within
    others, are not compared. Three objects make one comparison.

    References
    ----------
    Rosenberg, S., & Kim, M. P. (1975). The method of sorting as a data-gathering procedure in
    multivariate research. Multivariate Behavioral Research, 10(4), 489-502.

    Examples
    --------
    >>> import pandas as pd
    >>> import tripletscope as ts
    >>> table = pd.DataFrame({
    ...     "participant": ["ann"] * 4 + ["bob"] * 4, "item": ["cat", "dog", "bus", "car"] * 2,
    ...     "pile": ["a", "a", "b", "b", "x", "y", "z", "z"]})
    >>> piles = ts.ratings.Piles(table)
    >>> piles.ids, piles.dissimilarities().mean[2].tolist()
    (['bus', 'car', 'cat', 'dog'], [1.0, 1.0, 0.0, 0.5])
    >>> len(piles.triplets())  # ann's piles make 8, bob's one pair 4
    12
    """

    kind = "piles"
    title = "Sorting into piles"
    judgement = "sorted object"
    columns = ("participant", "trial", "item", "pile")

    def __init__(self, table: pd.DataFrame) -> None:
        self.options, self.notes = {}, []
        self.table = table = self._columns_first(table)
        self.ids, (item,) = named_objects(table["item"])
        nowhere = is_blank(table["pile"])
        if nowhere.any():
            self.notes.append(
                f"{int(nowhere.sum()):,} rows without a pile are omitted: unsorted objects were "
                "not put together."
            )
            table = table[~nowhere]
            self.ids, (item,) = named_objects(table["item"])
        self.raters, rater = named_raters(table)
        refuse_few(len(self.ids), f"{len(self.ids)} objects were sorted")
        pile = table["pile"].astype(str).to_numpy()
        number, self._owner = numbered_sets(table, rater)
        self._squares = [
            self._together(item[number == k], pile[number == k]) for k in range(len(self._owner))
        ]
        self._placed = np.bincount(number)

    def _together(self, item: np.ndarray, pile: np.ndarray) -> np.ndarray:
        """(n, n) one minus the share of piles in common; NaN for objects not sorted."""
        codes, names = pd.factorize(pile)
        inside = np.zeros((len(self.ids), len(names)))
        inside[item, codes] = 1.0
        both, each = inside @ inside.T, inside.sum(axis=1)
        with np.errstate(invalid="ignore"):
            distances = 1.0 - both / (each[:, None] + each - both)
        distances[each == 0], distances[:, each == 0] = np.nan, np.nan
        return distances

    def _judged(self) -> tuple[JudgedPairs, str, int]:
        upper = np.triu_indices(len(self.ids), 1)
        values = pd.DataFrame([square[upper] for square in self._squares])
        people = values.groupby(self._owner).mean()  # of the sets that had both
        return JudgedPairs.of(people.to_numpy(), len(self.ids)), "raters", len(people)

    def _ordered(self) -> list[Ordered]:
        return [
            Ordered(int(owner), square, _EQUAL, placed / 3.0)
            for owner, square, placed in zip(
                self._owner, self._squares, self._placed, strict=True
            )
        ]
