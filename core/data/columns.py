"""Columns of answers as numbers."""

from __future__ import annotations

import numpy as np
import pandas as pd

from tripletscope.core.data.triplets import Judgements

#: Names of the sides of two or three options.
_SIDES = (("left", "right"), ("first", "second", "third"), ("left", "middle", "right"))


def codes_of(triplets: Judgements, column: str) -> tuple[np.ndarray, list[str]]:
    """(T,) codes of the values of a column, -1 if empty; all 0 without the column."""
    answers = triplets.answers
    if column not in answers:
        return np.zeros(len(triplets), dtype=np.int64), ["all"]
    values = answers[column]
    if not isinstance(values.dtype, pd.CategoricalDtype):
        values = values.astype("str").astype("category")
    values = values.cat.remove_unused_categories()
    return values.cat.codes.to_numpy(dtype=np.int64), values.cat.categories.astype("str").tolist()


def sides_of(triplets: Judgements) -> tuple[np.ndarray, list[str]]:
    """(T,) codes of the chosen sides, -1 if unknown, and the names of all sides.

    The names include sides that nobody chose: those are the strongest preferences.
    """
    codes, names = codes_of(triplets, "side")
    for sides in _SIDES:
        if names and set(names) <= set(sides):
            return np.append([sides.index(name) for name in names], -1)[codes], list(sides)
    return codes, names


def one_per_trial(triplets: Judgements) -> np.ndarray:
    """(T,) bool: the first answer of every trial."""
    if triplets.trials is None:
        return np.ones(len(triplets), dtype=bool)
    return ~pd.Series(triplets.trials).duplicated().to_numpy()


def divided(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """Shares; NaN where the whole is 0."""
    return np.divide(part, whole, out=np.full(len(whole), np.nan), where=whole > 0)
