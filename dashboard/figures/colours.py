"""Colours and symbols of a column of the objects."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import pandas as pd

from tripletscope.core.engine.short_repr import short_repr
from tripletscope.dashboard.figures.theme import PALETTE, SYMBOLS

#: Most different numbers that are categories rather than quantities.
_FEW = 6
_MISSING = "(missing)"
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")


@short_repr
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


def numbers_of(column: pd.Series) -> np.ndarray:
    """Values of a column as numbers, NaN where they are none."""
    return pd.to_numeric(column, errors="coerce").to_numpy(dtype=float)


#: Number of different looks of categories.
LOOKS = len(PALETTE) * len(SYMBOLS)


def look(rank: int) -> tuple[str, str]:
    """Colour and symbol of a category; symbols change once the palette is used up."""
    rank %= LOOKS
    return PALETTE[rank % len(PALETTE)], SYMBOLS[rank // len(PALETTE)]


def groups(column: pd.Series | None, n_objects: int) -> list[Group]:
    """Categories of a column, the largest first; one group without a column.

    Values like #0072B2 are their colours. A categorical column keeps its order, without missing
    values.
    """
    if column is None:
        return [Group("", np.arange(n_objects), PALETTE[0], SYMBOLS[0])]
    if isinstance(column.dtype, pd.CategoricalDtype):
        codes = column.cat.codes.to_numpy()
        return [
            Group(str(name), np.flatnonzero(codes == rank), *look(rank))
            for rank, name in enumerate(column.cat.categories)
        ]
    words = column.astype("str").fillna(_MISSING).to_numpy()
    labels, sizes = np.unique(words, return_counts=True)
    are_colours = all(map(_COLOUR.fullmatch, labels.tolist()))
    return [
        Group(
            str(labels[i]), np.flatnonzero(words == labels[i]),
            *((str(labels[i]), SYMBOLS[0]) if are_colours else look(rank)),
        )
        for rank, i in enumerate(np.argsort(-sizes, kind="stable"))
    ]
