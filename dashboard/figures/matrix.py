"""Kernels: all similarities at once, those to one object, and the spectrum."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from tripletscope.core.similarity.clusters.dendrogram import Dendrogram
from tripletscope.core.similarity.kernels.spectrum import Spectrum
from tripletscope.dashboard.figures.chart import Axis, Plot, as_figure
from tripletscope.dashboard.figures.colours import groups
from tripletscope.dashboard.figures.dendrogram import CUT_COLOUR, reach
from tripletscope.dashboard.figures.labels import WIDTH, escape, shorten, shorten_each
from tripletscope.dashboard.figures.layers import Bars, Series
from tripletscope.dashboard.figures.placing import named_rows
from tripletscope.dashboard.figures.series import bold
from tripletscope.dashboard.figures.theme import (
    DIVERGING,
    FAINT,
    FONT_SIZE,
    SCREEN,
    SEQUENTIAL,
    Canvas,
    finished,
    note_hidden,
)

#: More rows than this are drawn as means of blocks: a screen has no more pixels for them.
_MOST_ROWS = 400
#: Of similarities that are in memory at a time.
_BYTES = 2**25
_SHARE = 0.3  # of the width that names at the side take at most
_TREE = 0.16  # of the height that the tree takes
_FOOT = 5.0  # heights of a line that the bar of colours takes
_EDGE = 0.03  # of the matrix that the marks at the side take
#: Most rows whose cells name both objects.
_NAMED_CELLS = 100


def similarity_matrix(
    rows: Callable[[np.ndarray], np.ndarray],
    order: np.ndarray,
    objects: pd.DataFrame,
    *,
    tree: Dendrogram | None = None,
    colour: str | None = None,
    selected: Collection[int] = (),
    caption: str = "",
    canvas: Canvas = SCREEN,
) -> go.Figure:
    """Similarities of all objects in colours, with a mark for every object at the side.

    rows: (k, n) similarities of k objects to all, so that no more of them are in memory than are
        drawn. Where some are negative, the colours have their middle at 0.
    order (m,): Objects in the order of the rows; others are not drawn.
    tree: Drawn above the columns; its leaves are in the same order.
    Returns: The first trace names the objects of every row in ``meta.cells``, for clicks on a cell.
    """
    m, size = len(order), rows_of_a_block(len(order))
    shown = drawn_similarities(rows, order)
    members, foot = order.tolist(), min(_FOOT * FONT_SIZE / canvas.height, 0.4)
    figure = go.Figure(
        go.Heatmap(
            z=shown, x0=(size - 1) / 2, dx=size, y0=(size - 1) / 2, dy=size, **_colours(shown),
            meta={"cells": members if size == 1 else [
                members[i : i + size] for i in range(0, m, size)
            ]},
            **_hover(objects, order), **_bar(foot),
        )
    )
    _add_side(figure, order, objects, colour, selected)
    _add_chosen(figure, order, selected)
    if tree is not None and tree.n_leaves > 1:
        _add_tree(figure, tree)
    size, rows, names = _row_names(order, objects, selected, canvas)
    note_hidden(figure, m - len(rows), m)
    top = 1 - _TREE if tree is not None else 1.0
    figure.update_layout(
        dragmode="lasso", uirevision=f"matrix {m}",
        xaxis={
            "visible": False, "constrain": "domain", "range": [-0.5 - _EDGE * m, m - 0.5],
        },
        yaxis={
            "range": [m - 0.5, -0.5], "scaleanchor": "x", "constrain": "domain",
            "constraintoward": "top", "domain": [foot, top], "showgrid": False, "zeroline": False,
            "tickvals": rows, "ticktext": names, "tickfont": {"size": size}, "ticks": "",
            "ticklabeloverflow": "allow",
        },
        yaxis2={"visible": False, "domain": [top, 1.0], "fixedrange": True, "anchor": "x"},
    )
    return finished(figure, caption, canvas)


def rows_of_a_block(n_objects: int) -> int:
    """How many objects are drawn as one row."""
    return max(-(-n_objects // _MOST_ROWS), 1)


def drawn_similarities(
    rows: Callable[[np.ndarray], np.ndarray], order: np.ndarray
) -> np.ndarray:
    """Similarities of objects in an order, or their means over blocks, without that to itself.

    The latter says nothing and would take most of the scale.
    """
    m, size = len(order), rows_of_a_block(len(order))
    step, means = size * max(_BYTES // (8 * size * max(m, 1)), 1), []
    for start in range(0, m, step):
        part = rows(order[start : start + step])[:, order].astype(float)
        itself = np.arange(len(part))
        part[itself, start + itself] = np.nan
        means.append(blocks(part, size))
    return np.concatenate(means) if means else np.zeros((0, 0))


def _colours(shown: np.ndarray) -> dict[str, Any]:
    """Scale and ends of the colours, without the most extreme hundredth."""
    finite = shown[np.isfinite(shown)]
    low, high = np.percentile(finite, [1, 99]) if len(finite) else (0.0, 1.0)
    if low == high:  # nearly all are 0 where few pairs have a comparison in common
        low, high = finite.min(), finite.max()
    if low == high:
        high = low + 1.0  # of similarity to itself, where all others are 0
    if low >= 0:
        return {"colorscale": SEQUENTIAL, "zmin": low, "zmax": high}
    end = max(-low, high)
    return {"colorscale": DIVERGING, "zmin": -end, "zmax": end}


def _bar(foot: float) -> dict[str, Any]:
    """The colour bar below the matrix, with a share of the plot: the margin is for the caption."""
    return {"colorbar": {
        "title": {"text": "similarity", "side": "top"}, "orientation": "h",
        "thickness": 10, "len": 0.6, "y": foot, "yanchor": "top", "x": 0.5,
        "ypad": 4, "outlinewidth": 0, "nticks": 5,
    }}


def _hover(objects: pd.DataFrame, order: np.ndarray) -> dict[str, Any]:
    """Hover texts of cells; with the names of both objects where the cells are few."""
    if len(order) > _NAMED_CELLS:
        return {"hovertemplate": "similarity %{z:.3g}<extra></extra>"}
    labels = objects["label"].tolist()
    names = [escape(shorten(labels[i], 20.0)) for i in order.tolist()]
    return {
        "text": [[f"{down}<br>{across}" for across in names] for down in names],
        "hovertemplate": "%{text}<br>similarity %{z:.3g}<extra></extra>",
    }


def _add_side(
    figure: go.Figure, order: np.ndarray, objects: pd.DataFrame, colour: str | None,
    selected: Collection[int],
) -> None:
    place = np.full(len(objects), -1)
    place[order] = np.arange(len(order))
    column = objects[colour] if colour else None
    labels = [
        escape(label) for label in shorten_each(objects["label"].tolist(), 20.0)
    ]
    edge = -0.5 - 0.6 * _EDGE * len(order)
    for group in groups(column, len(objects)):
        members = group.members[place[group.members] >= 0]
        chosen = [i in selected for i in members.tolist()]
        figure.add_scatter(
            x=np.full(len(members), edge), y=place[members], mode="markers",
            customdata=members.tolist(), text=[labels[i] for i in members],
            hovertemplate="%{text}<extra></extra>", showlegend=column is not None,
            name=escape(shorten(group.label)),
            marker={
                "color": group.colour, "symbol": "square", "size": [10 if c else 5 for c in chosen],
            },
        )


def _add_chosen(
    figure: go.Figure, order: np.ndarray, selected: Collection[int]
) -> None:
    rows = np.flatnonzero(np.isin(order, list(selected))).tolist()
    if len(rows) != 2:
        return
    # At least as wide as can be seen, where rows are thin.
    half = max(0.5, 0.006 * len(order))
    for x, y in (rows, rows[::-1]):
        figure.add_shape(
            type="rect", x0=x - half, x1=x + half, y0=y - half, y1=y + half,
            line={"color": CUT_COLOUR, "width": 1.5}, layer="above",
        )


def _add_tree(figure: go.Figure, tree: Dendrogram) -> None:
    """The highest merges above the columns that they join."""
    floor, top = reach(tree)
    branches = np.arange(len(tree.linkage))[-_MOST_ROWS:]
    height = np.maximum(tree.heights, floor)
    children, merge = tree.children[branches], tree.n_leaves + branches
    (x0, x1), (low0, low1) = tree.places[children].T, height[children].T
    gap = np.full(len(branches), np.nan)
    figure.add_scatter(
        x=np.column_stack([x0, x0, x1, x1, gap]).ravel(),
        y=np.column_stack([low0, height[merge], height[merge], low1, gap]).ravel(),
        mode="lines", line={"color": FAINT, "width": 1.0}, yaxis="y2", name="tree",
        hoverinfo="skip", showlegend=False,
    )
    figure.update_layout(yaxis2={"range": [floor, top + 0.03 * (top - floor)]})


def _row_names(
    order: np.ndarray, objects: pd.DataFrame, selected: Collection[int], canvas: Canvas
) -> tuple[float, list[int], list[str]]:
    """Size of the names at the side, the rows that are named, and their names."""
    width = canvas.least_width
    side = min((1 - _TREE) * canvas.height - 6 * FONT_SIZE, (1 - _SHARE) * width)
    first = np.flatnonzero(np.isin(order, list(selected))).tolist()
    return named_rows(objects["label"].tolist(), order, side / max(len(order), 1),
                      0.8 * FONT_SIZE, _SHARE * width, first)


def blocks(values: np.ndarray, size: int) -> np.ndarray:
    """Means of square blocks, without missing values."""
    if size <= 1:
        return values
    down, across = (np.arange(0, side, size) for side in values.shape)
    finite = np.isfinite(values)
    total, count = (
        np.add.reduceat(np.add.reduceat(part, down, axis=0), across, axis=1)
        for part in (np.where(finite, values, 0.0), finite.astype(float))
    )
    return np.where(count > 0, total / np.maximum(count, 1.0), np.nan)


@as_figure
def most_similar(
    similarity: np.ndarray,
    names: Sequence[str],
    members: Sequence[int],
    *,
    title: str = "similarity",
) -> Plot:
    """Bars of similarity to one object, or another quantity, the highest on top.

    Shapes: similarity (k,), names, members length k.
    """
    bars = Bars(at=np.arange(len(names)), length=similarity, objects=members,
                text=[bold(name) for name in names], hover="%{hovertext}<br>%{x:.3f}")
    return Plot(
        [bars], Axis(title), Axis(names=names, width=WIDTH, row=1.0), revision=title,
        layout={"bargap": 0.25},
    )


@as_figure
def spectrum_figure(spectrum: Spectrum) -> Plot:
    """Eigenvalues with the band of those of shuffled answers."""
    rank = np.arange(1, len(spectrum.eigenvalues) + 1)
    low = np.quantile(spectrum.shuffled, 1 - spectrum.level, axis=0)
    signal, hover = rank <= spectrum.n_signal, "component %{x}: %{y:.4g}"
    return Plot(
        [
            Series(x=rank, low=low, high=spectrum.threshold, band=True, points=False, colour=FAINT,
                   name="permuted answers", opacity=0.25),
            Series(x=rank[signal], y=spectrum.eigenvalues[signal], name="above permuted answers",
                   size=7.0, hover=hover),
            Series(x=rank[~signal], y=spectrum.eigenvalues[~signal], name="within chance",
                   colour=FAINT, size=7.0, hover=hover),
        ],
        Axis("component", "whole"), Axis("eigenvalue"),
    )
