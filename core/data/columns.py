"""Columns of answers as numbers."""

from __future__ import annotations

import numpy as np
import pandas as pd

from tripletscope.core.data.answers import HELD_TOGETHER
from tripletscope.core.data.named import column_of
from tripletscope.core.data.places import different
from tripletscope.core.data.triplets import Answers

#: Names of the sides of two or three options.
_SIDES = (("left", "right"), ("first", "second", "third"), ("left", "middle", "right"))


def codes_of(triplets: Answers, column: str) -> tuple[np.ndarray, list[str]]:
    """(T,) codes of the values of a column, -1 if empty; all 0 without the column."""
    answers = triplets.answers
    if column not in answers:
        return np.zeros(len(triplets), dtype=np.int64), ["all"]
    values = answers[column]
    if not isinstance(values.dtype, pd.CategoricalDtype):
        values = values.astype("str").astype("category")
    values = values.cat.remove_unused_categories()
    return values.cat.codes.to_numpy(dtype=np.int64), values.cat.categories.astype("str").tolist()


def marked_by(triplets: Answers, column: str) -> np.ndarray:
    """(T,) bool: answers for which a column is true; it may be one of texts."""
    cells = column_of(triplets.answers, column, triplets.name, "response").astype("str").str.lower()
    return cells.isin(("true", "1", "yes")).to_numpy()


def sides_of(triplets: Answers) -> tuple[np.ndarray, list[str]]:
    """(T,) codes of the chosen sides, -1 if unknown, and the names of all sides.

    The names include sides that nobody chose: those are the strongest preferences.
    """
    codes, names = codes_of(triplets, "side")
    for sides in _SIDES:
        if names and set(names) <= set(sides):
            return np.append([sides.index(name) for name in names], -1)[codes], list(sides)
    return codes, names


def one_per_trial(triplets: Answers) -> np.ndarray:
    """(T,) bool: the first answer of every trial."""
    if triplets.trials is None:
        return np.ones(len(triplets), dtype=bool)
    return ~pd.Series(triplets.trials).duplicated().to_numpy()


def trials_of_people(triplets: Answers, who: np.ndarray, n: int) -> np.ndarray:
    """(n,) trials of each person (T,), -1 without one; of ratings, the pairs that were rated."""
    counted = who >= 0
    if triplets.are_rated:
        pairs = triplets.compared_pairs[counted]
        most = int(pairs.max(initial=0)) + 1
        return np.bincount(different((who[counted, None] * most + pairs).ravel()) // most,
                           minlength=n)
    return np.bincount(who[counted & one_per_trial(triplets)], minlength=n)


def independent_share(triplets: Answers) -> np.ndarray:
    """(T,) share of each answer that does not follow from others; 1 but for comparisons of ratings.

    Those of one person's ratings count as one for each rated pair: the agreement of independent
    ranks varies as that of 2.25 times as many comparisons, of ranks that agree as that of half as
    many at worst.

    References
    ----------
    Kendall, M. G. (1948). Rank correlation methods. Griffin. Chapter 4.
    """
    share = np.ones(len(triplets))
    rated = np.flatnonzero(triplets.held_together)
    if not len(rated):
        return share
    group, names = pd.factorize(triplets.answers[HELD_TOGETHER].iloc[rated])

    def by_group(codes: np.ndarray) -> np.ndarray:
        """(g,) number of different values (r, k) of each group."""
        whose = np.repeat(group, codes.shape[1])
        most = int(codes.max()) + 1
        return np.bincount(different(whose * most + codes.ravel()) // most, minlength=len(names))

    pairs, questions = (
        by_group(codes[rated]) for codes in (triplets.compared_pairs, triplets.questions[:, None])
    )
    share[rated] = np.minimum(pairs / questions, 1.0)[group]
    return share


def divided(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """Shares; NaN where the whole is 0."""
    return np.divide(part, whole, out=np.full(len(whole), np.nan), where=whole > 0)
