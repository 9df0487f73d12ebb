"""Numbers of clusters, their certainty, and their agreement with labels."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from tripletscope.dashboard.figures.chart import Axis, Plot, as_figure
from tripletscope.dashboard.figures.colours import look
from tripletscope.dashboard.figures.labels import WIDTH, escape, shorten
from tripletscope.dashboard.figures.layers import Cells, Layer, Level, Series
from tripletscope.dashboard.figures.matrix import blocks
from tripletscope.dashboard.figures.placing import named_rows
from tripletscope.dashboard.figures.series import series_of
from tripletscope.dashboard.figures.theme import (
    FAINT,
    FONT_SIZE,
    SCREEN,
    SEQUENTIAL,
    Canvas,
    finished,
    note_hidden,
)

#: Cells of a heat map along one side; of more objects neighbours share a cell.
_CELLS = 500
#: Most objects with names in hovers; share of the height for names beside the heat map.
_HOVERED, _SHARE = 150, 0.25
#: Most cells of a table with numbers.
_WRITTEN = 600


@as_figure
def count_curve(
    numbers: np.ndarray,
    values: np.ndarray,
    errors: np.ndarray | None,
    *,
    title: str,
    best: int | None = None,
    shown: int | None = None,
    most: float | None = None,
    expected: tuple[np.ndarray, np.ndarray] | None = None,
    counted: np.ndarray | None = None,
) -> Plot:
    """A criterion against the number of clusters.

    Shapes: numbers, values (k,).
    errors (k,) or None: Half the height of the bars.
    best, shown: The recommended number, as a diamond, and another one, as a line.
    most: The highest possible value; bars end there.
    expected (k,): Mean without clusters, and what must be exceeded: a dashed line above a band.
    counted (k,) or None: Which numbers can be recommended; others are hollow.
    """
    layers: list[Layer | Level] = []
    if expected is not None:
        mean, needed = expected
        layers.append(Series(
            x=numbers, y=needed, low=mean, high=needed, band=True, line=True, points=False,
            colour=FAINT, dash="dash", width=1.2,
            hover=f"%{{x}} clusters are seen above {title} %{{y:.3f}}",
        ))
    if shown is not None and numbers[0] <= shown <= numbers[-1]:
        layers.append(Level(at=shown, upright=True))
    counted = np.ones(len(numbers), dtype=bool) if counted is None else counted
    highest = None if errors is None else values + errors
    if errors is not None and most is not None:
        highest = np.minimum(highest, np.maximum(most, values))
    layers.append(Series(
        x=numbers, y=values, low=None if errors is None else values - errors, high=highest,
        line=True, size=np.where(numbers == best, 13.0, 7.0),
        symbol=[
            "diamond" if n == best else "circle" if is_counted else "circle-open"
            for n, is_counted in zip(numbers, counted, strict=True)
        ],
        hover=f"%{{x}} clusters: {title} %{{y:.3f}}",
    ))
    step = max(1, int(np.ceil(len(numbers) / 8)))
    return Plot(
        layers,
        Axis("clusters", grid=False, ends=(numbers[0] - 0.5, numbers[-1] + 0.5),
             further={"dtick": step, "tick0": 0}),
        Axis(title), revision=title,
    )


def together_matrix(
    together: np.ndarray, order: np.ndarray, clusters: np.ndarray, labels: list[str], *,
    caption: str = "", canvas: Canvas = SCREEN,
) -> go.Figure:
    """How often two objects are in one cluster.

    Shapes: together (n, n), order (m,), clusters (n,).
    """
    every = max(-(-len(order) // _CELLS), 1)
    values = blocks(together[np.ix_(order, order)], every).astype(np.float32)
    starts = np.arange(0, len(order), every)
    middle = (starts + np.minimum(starts + every, len(order)) - 1) / 2
    figure = go.Figure(
        go.Heatmap(
            z=values, x=middle, y=middle, zmin=0, zmax=1, colorscale=SEQUENTIAL,
            colorbar={"title": {"text": "together", "side": "right"}, "thickness": 12,
                      "outlinewidth": 0, "tickformat": ".0%"},
            hovertemplate="%{z:.0%} together<extra></extra>", hoverongaps=False,
        )
    )
    if len(order) <= _HOVERED:
        names = [escape(shorten(labels[i], 20.0)) for i in order]
        figure.data[0].update(
            text=[[f"{a}<br>{b}" for b in names] for a in names],
            hovertemplate="%{text}<br>%{z:.0%} together<extra></extra>",
        )
    _add_edges(figure, clusters[order])
    side = 0.7 * min(canvas.least_width, canvas.height)
    size, rows, names = named_rows(
        labels, order, side / max(len(order), 1), 0.8 * FONT_SIZE, _SHARE * canvas.height
    )
    note_hidden(figure, len(order) - len(rows), len(order))
    ticks = {"tickvals": rows, "ticktext": names, "showgrid": False, "zeroline": False,
             "ticks": "", "tickfont": {"size": size}, "ticklabeloverflow": "allow"}
    reach = len(order) + 0.5
    figure.update_layout(
        dragmode="zoom", uirevision="together",
        xaxis={**ticks, "tickangle": -90, "range": [-0.035 * len(order) - 1, reach - 1],
               "constrain": "domain"},
        yaxis={**ticks, "range": [reach - 1, -0.035 * len(order) - 1], "scaleanchor": "x",
               "constrain": "domain"},
    )
    return finished(figure, caption, canvas)


def _add_edges(figure: go.Figure, clusters: np.ndarray) -> None:
    """A stripe in the colour of every cluster, along the upper and the left edge."""
    borders = np.flatnonzero(np.diff(clusters)) + 1
    starts = np.concatenate([[0], borders])
    stops = np.append(borders, len(clusters))
    place = -0.02 * len(clusters) - 0.5
    for start, stop in zip(starts.tolist(), stops.tolist(), strict=True):
        group = int(clusters[start])
        along = [start - 0.5, stop - 0.5]
        for x, y in ((along, [place, place]), ([place, place], along)):
            figure.add_scatter(
                x=x, y=y, mode="lines", showlegend=False, name="cluster",
                line={"color": look(group)[0] if group >= 0 else FAINT, "width": 7},
                hoverinfo="skip",
            )


@as_figure
def cross_table(table: pd.DataFrame) -> Plot:
    """Counts of objects by cluster (rows) and label (columns), coloured by share of the row."""
    counts = table.to_numpy()
    share = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    cells = Cells(
        values=share, title="share of the cluster", percent=True, gap=2, data=counts,
        written=np.where(counts > 0, counts.astype(str), "") if counts.size <= _WRITTEN else None,
        hover="%{customdata:,} objects, %{z:.0%} of the cluster",
    )
    columns = Axis(
        names=list(table.columns), width=WIDTH,
        further={"tickangle": 0 if table.shape[1] <= 8 else -60},
    )
    return Plot([cells], columns, Axis(names=list(table.index), row=0.0))


@as_figure
def purity_curve(table: pd.DataFrame, chance: float) -> Plot:
    """Purity of clusters, and of random ones, against the number of answers.

    table: Columns ``answers``, ``mean``, ``low`` and ``high``.
    """
    return Plot(
        [
            *series_of(table, "", "answers", "mean", line=True, band=True,
                       hover="%{x:,} answers: purity %{y:.3f}"),
            Level(at=chance, note="random clusters", side="bottom right", dash="dash", width=1.2),
        ],
        Axis("answers", "log"), Axis("purity"),
    )
