"""Pieces of which geometric constructions are drawn, as rows of a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd

DRAWN, MEASURED = "drawn", "measured"


def circle(centre: np.ndarray, radius: float, turn: tuple[float, float] = (0, 1)) -> np.ndarray:
    """(121, 2) a circle, or an arc from one share of a turn to another."""
    angle = 2 * np.pi * np.linspace(*turn, 121)
    return np.asarray(centre) + radius * np.column_stack([np.cos(angle), np.sin(angle)])


def closed(corners: np.ndarray) -> np.ndarray:
    """A polygon with its first corner again at the end."""
    return np.concatenate([corners, corners[:1]])


def cut_line(x: np.ndarray, y: np.ndarray, half_length: float = 0.7) -> np.ndarray:
    """(2, 2) a piece of the line halfway between two points."""
    along = np.array([x[1] - y[1], y[0] - x[0]])
    along *= half_length / np.linalg.norm(along)
    return np.array([(x + y) / 2 - along, (x + y) / 2 + along])


def reflections(x: np.ndarray, centre: np.ndarray, radius: float) -> np.ndarray:
    """(241, 2) images of x in all tangents of a circle: the orthotomic of the circle."""
    angle = 2 * np.pi * np.linspace(0, 1, 241)
    normal = np.column_stack([np.cos(angle), np.sin(angle)])
    return x - 2 * ((x - centre) @ normal.T - radius)[:, None] * normal


def table_of(
    pieces: Iterable[tuple[str, str, np.ndarray]], measured: Mapping[tuple[str, str], float],
) -> pd.DataFrame:
    """Rows of curves, by panel and kind, and rows of what was measured, by panel and name."""
    rows = []
    for panel, kind, points in pieces:
        rows += [(DRAWN, panel, kind, x, y, np.nan) for x, y in points]
        rows.append((DRAWN, panel, kind, np.nan, np.nan, np.nan))
    rows += [
        (MEASURED, panel, name, np.nan, np.nan, float(value))
        for (panel, name), value in measured.items()
    ]
    return pd.DataFrame(rows, columns=["row", "panel", "kind", "x", "y", "value"])


def values(table: pd.DataFrame) -> pd.Series:
    """What was measured, by panel and name; see `table_of`."""
    own = table[table["row"] == MEASURED]
    # Where all are empty, they are read as numbers.
    own = own.assign(panel=own["panel"].astype(object).fillna(""))
    return own.set_index(["panel", "kind"])["value"]
