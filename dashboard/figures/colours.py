"""How a column of the objects becomes colours and symbols."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd

from dashboard.theme import PALETTE, SYMBOLS

#: Up to so many different whole numbers are categories rather than quantities.
_FEW = 6
_MISSING = "(missing)"


@dataclass(frozen=True)
class Group:
    """Objects that are drawn alike."""

    label: str
    members: np.ndarray
    colour: str
    symbol: str


def is_quantity(column: pd.Series) -> bool:
    """Whether a column is shown on a colour scale rather than as categories."""
    return (
        pd.api.types.is_numeric_dtype(column)
        and not pd.api.types.is_bool_dtype(column)
        and column.nunique() > _FEW
    )


def groups(column: pd.Series | None, n_objects: int) -> list[Group]:
    """Categories of a column, the largest first, each with a colour and a symbol.

    The palette is used up first, then again with the next symbol. Without a column everything is
    one group.
    """
    if column is None:
        return [Group("", np.arange(n_objects), PALETTE[0], SYMBOLS[0])]
    words = column.astype("str").fillna(_MISSING).to_numpy()
    labels, sizes = np.unique(words, return_counts=True)
    looks = [(colour, symbol) for symbol, colour in product(SYMBOLS, PALETTE)]
    return [
        Group(str(labels[i]), np.flatnonzero(words == labels[i]), *looks[rank % len(looks)])
        for rank, i in enumerate(np.argsort(-sizes, kind="stable"))
    ]
