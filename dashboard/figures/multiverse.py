"""Specification curves: error, map and conclusions of many analyses, above what was chosen."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from tripletscope.dashboard.figures.chart import add_layers
from tripletscope.dashboard.figures.labels import escape, short_labels
from tripletscope.dashboard.figures.layers import NOTE, Bars, Level, Series
from tripletscope.dashboard.figures.points import transparent
from tripletscope.dashboard.figures.series import bold
from tripletscope.dashboard.figures.theme import (
    FAINT,
    FONT_SIZE,
    PALETTE,
    SCREEN,
    Canvas,
    broken,
    finished,
    with_rows,
)

#: Rows of letters of the two panels of numbers, and of a row of what was chosen.
_NUMBERS, _ROW = 8.0, 1.35
#: Least and largest size of a mark, and its share of the distance of two analyses.
_SMALL, _LARGE, _SHARE = 2.0, 9.0, 0.7
#: Letters of the names of rows, and their share of the width.
_LETTERS, _NAMES = 18.0, 0.24


def rows_of(groups: Sequence[pd.DataFrame]) -> float:
    """Height of the figure in rows of letters."""
    return 2 * _NUMBERS + _ROW * sum(len(group.columns) for group in groups) + 3


def specification_curve(
    table: pd.DataFrame, groups: Sequence[pd.DataFrame], concluded: pd.DataFrame, *, still: float,
    texts: Sequence[str], places: Sequence[int], titles: Sequence[str], caption: str = "",
    canvas: Canvas = SCREEN,
) -> go.Figure:
    """A column for each analysis.

    table: `Multiverse.table` with a column ``is_main``; with the ranges of random sets in columns
        such as ``error_chance_low``, if known.
    groups: A column of bool for each value of a choice, a table for each choice.
    concluded: A column of bool for each conclusion.
    still: How far maps of resampled answers lie from the main map.
    texts, places: Of each analysis, for the pointer, and what is told when it is clicked on.
    titles: Of the error, and of how far maps have moved.
    """
    parts = [*groups, *([concluded] if len(concluded.columns) else [])]
    canvas = with_rows(canvas, rows_of(parts))
    at, n_rows = np.arange(len(table)), sum(len(part.columns) for part in parts)
    matrix = _ROW * n_rows
    figure = make_subplots(
        3, 1, shared_xaxes=True, vertical_spacing=0.02,
        row_heights=[_NUMBERS, _NUMBERS, matrix],
    )
    is_main = table["is_main"].to_numpy()
    size = float(np.clip(_SHARE * (1 - _NAMES) * canvas.width / max(len(at), 1), _SMALL, _LARGE))
    look = {
        "colour": np.where(is_main, PALETTE[3], PALETTE[0]),
        "size": np.where(is_main, 1.5, 1) * size,
        "symbol": np.where(is_main, "diamond", "circle"), "text": texts, "objects": list(places),
    }
    for row, name in enumerate(("error", "moved"), 1):
        add_layers(figure, [
            Level(at=0.0, to=still) if name == "moved" and np.isfinite(still) else None,
            _random_sets(table, name),
            Series(x=at, y=table[name], low=table[f"{name}_low"], high=table[f"{name}_high"],
                   **look),
        ], row=row, col=1)
    ticks = _add_choices(figure, parts, concluded, texts, places, size)
    share = canvas.height / rows_of(parts)
    for row, title in enumerate(titles, 1):
        figure.update_yaxes(
            title=broken(escape(title), _NUMBERS * share, FONT_SIZE), zeroline=False,
            tickformat=".2~f", nticks=4, row=row, col=1,
        )
    _set_ranges(figure, table)
    names = short_labels([name for name, _ in ticks], _LETTERS)
    figure.update_yaxes(
        tickvals=[place for _, place in ticks], ticktext=[escape(one) for one in names],
        zeroline=False, range=[ticks[-1][1] + 0.5, -0.6] if ticks else [-0.5, -0.6], row=3, col=1,
        tickfont={"size": NOTE * FONT_SIZE},
    )
    figure.update_layout(dragmode="zoom", uirevision="multiverse", showlegend=False,
                         barmode="overlay")
    return finished(figure, caption, canvas, top=44)


def _add_choices(
    figure: go.Figure, parts: Sequence[pd.DataFrame], concluded: pd.DataFrame,
    texts: Sequence[str], places: Sequence[int], size: float,
) -> list[tuple[str, float]]:
    """What each analysis chose and concluded, by marks; names and places of the rows."""
    ticks, place = [], 0.0
    for part in parts:
        symbol, colour = ("square", PALETTE[2]) if part is concluded else ("circle", PALETTE[0])
        for name, column in part.items():
            stands = np.flatnonzero(column.to_numpy())
            add_layers(figure, [Series(
                x=stands, y=np.full(len(stands), place), size=size, symbol=symbol, colour=colour,
                text=[bold(str(name), texts[k]) for k in stands],
                objects=[places[k] for k in stands],
            )], row=3, col=1)
            ticks.append((str(name), place))
            place += 1.0
        place += 0.4
    return ticks


def _set_ranges(figure: go.Figure, table: pd.DataFrame) -> None:
    """Ends of the axes: of all analyses, of the errors, and of how far maps have moved."""
    figure.update_xaxes(showticklabels=False, showgrid=False, zeroline=False,
                        range=[-0.7, len(table) - 0.3])
    error, moved = (table[[one for one in table if one.startswith(name)]].to_numpy()
                    for name in ("error", "moved"))
    if "error_chance_low" in table:  # bars would begin at 0
        room = 0.06 * (np.nanmax(error) - np.nanmin(error)) or 0.05
        figure.update_yaxes(range=[np.nanmin(error) - room, np.nanmax(error) + room], row=1, col=1)
    farthest = np.nanmax([*moved.ravel(), 0.01])
    figure.update_yaxes(range=[-0.06 * farthest, 1.04 * farthest], row=2, col=1)


def _random_sets(table: pd.DataFrame, name: str) -> Bars | None:
    """Ranges of random sets behind the analyses of which they are known."""
    if f"{name}_chance_low" not in table:
        return None
    low, high = (table[f"{name}_chance_{end}"].to_numpy() for end in ("low", "high"))
    at = np.flatnonzero(np.isfinite(low))
    return Bars(at=at, length=(high - low)[at], base=low[at], width=0.8,
                colour=transparent(FAINT, 0.5))
