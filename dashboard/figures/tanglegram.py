"""Two trees of the same objects facing each other."""

from __future__ import annotations

import html
from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from tripletscope.core.cluster.dendrogram import Dendrogram
from tripletscope.core.cluster.tanglegram import Tanglegram
from tripletscope.dashboard.figures.colours import look
from tripletscope.dashboard.figures.dendrogram import DendrogramData, Rows, add_branches, reach
from tripletscope.dashboard.figures.fonts import width_of, wrapped
from tripletscope.dashboard.figures.labels import short_labels
from tripletscope.dashboard.figures.placing import row_labels
from tripletscope.dashboard.figures.points import transparent
from tripletscope.dashboard.figures.theme import (
    FAINT,
    FONT_SIZE,
    NARROW,
    SCREEN,
    Canvas,
    finished,
    note_hidden,
    template,
    with_rows,
)

_ROW, _TALLEST = 17.0, 5_000.0
#: Shares of the width: of the lines between the trees, and of a column of names at most.
_LINES, _NAMES = 0.16, 0.2
_WIDEST = 9.0  # em of a name
#: How much wider bold text is, and larger the title of an axis as plotly has it.
_BOLD, _TITLE = 1.08, 1.2


def screen_height(n_leaves: int) -> float:
    """Height in pixels at which leaves can be read, if they are not too many."""
    return min(max(_ROW * n_leaves + 90.0, 240.0), _TALLEST)


def tanglegram(
    found: Tanglegram,
    objects: pd.DataFrame,
    clusters: np.ndarray,
    *,
    titles: tuple[str, str],
    selected: Collection[int] = (),
    caption: str = "",
    revision: str = "",
    canvas: Canvas = SCREEN,
) -> go.Figure:
    """Draw two trees with lines between equal leaves.

    objects: With a column ``label``.
    clusters (n,): Of the first tree, 0 for the largest; lines and both trees have their colours.
    titles: What the trees are called.
    selected: Objects whose lines stand out.
    caption, revision, canvas: As for a dendrogram.
    Returns: Leaves carry the position of their object in ``customdata``.
    """
    figure = go.Figure()
    trees = (found.first, found.second)
    n_rows = max(tree.n_leaves for tree in trees)
    canvas = with_rows(canvas, n_rows + 4)  # titles may have several lines
    pitch = max((canvas.height - 90.0) / max(n_rows, 1), 0.1)
    tall = canvas.screen and canvas.height > 700
    width = min(canvas.width, NARROW) if canvas.screen else canvas.width
    size, names, written = _names(trees, objects, selected, pitch, width)
    widest = float(width_of([names[i] for kept in written for i in kept], size).max(initial=0.0))
    column = ((_BOLD if len(selected) else 1.0) * widest + 0.8 * FONT_SIZE) / width
    tree_share = (1 - _LINES) / 2 - column
    places = []
    for tree, side, axis in zip(trees, (0, 1), ("x", "x2"), strict=True):
        rows, data = Rows(tree, tree.n_leaves), DendrogramData(tree, objects, clusters)
        floor, top = reach(tree)
        add_branches(figure, data, rows, floor, axis)
        place = np.full(len(objects), np.nan)
        place[tree.order] = rows.places[rows.nodes]
        places.append(place)
        limits = [top + 0.03 * (top - floor), floor]
        figure.update_layout({
            "xaxis2" if side else "xaxis": {
                "range": limits[::-1] if side else limits, "zeroline": False, "showgrid": False,
                "domain": [1 - tree_share, 1] if side else [0, tree_share],
                "title": "<br>".join(
                    html.escape(line, quote=False)
                    for line in wrapped(titles[side], tree_share * width, _TITLE * FONT_SIZE)
                ), "nticks": 5,
                "side": "top" if tall else "bottom",
            }
        })
    reserved = column / (1 - 2 * tree_share)
    _add_lines(figure, places, clusters, selected, reserved)
    mark = float(np.clip(0.3 * pitch, 1.5, 5))
    for side, place in enumerate(places):
        shown, kept = np.flatnonzero(np.isfinite(place)), written[side]
        figure.add_scatter(
            x=np.full(len(shown), reserved if not side else 1 - reserved), y=place[shown],
            xaxis="x3", mode="markers", customdata=shown.tolist(),
            hovertext=[html.escape(str(objects["label"].iloc[i]), quote=False) for i in shown],
            hovertemplate="%{hovertext}<extra></extra>", showlegend=False, cliponaxis=False,
            marker={"size": mark,
                    "color": [look(c)[0] if c >= 0 else FAINT for c in clusters[shown].tolist()]},
        )
        # Beside marks that are not seen: plotly forgets texts that were empty before.
        figure.add_scatter(
            x=np.full(len(kept), reserved if not side else 1 - reserved), y=place[kept],
            xaxis="x3", mode="markers+text", name="names", hoverinfo="skip", showlegend=False,
            text=[_label(names[i], i in selected) for i in kept], textfont={"size": size},
            textposition="middle right" if side else "middle left", cliponaxis=False,
            marker={"size": mark, "opacity": 0},
        )
    n_leaves = sum(tree.n_leaves for tree in trees)
    note_hidden(figure, n_leaves - sum(map(len, written)), n_leaves)
    figure.update_layout(
        template=template(canvas), uirevision=revision, dragmode="zoom", showlegend=False,
        xaxis3={"domain": [tree_share, 1 - tree_share], "range": [0, 1], "visible": False,
                "fixedrange": True},
        yaxis={"range": [n_rows, 0], "visible": False},
    )
    return finished(figure, caption, canvas, top=100 if tall else 34)


def _names(
    trees: Sequence[Dendrogram], objects: pd.DataFrame, selected: Collection[int], pitch: float,
    width: float,
) -> tuple[float, list[str], list[list[int]]]:
    """Size of the names, the names, and the objects of each tree that are named."""
    written = []
    size = 0.85 * FONT_SIZE
    for tree in trees:
        first = np.flatnonzero(np.isin(tree.order, list(selected))).tolist()
        small, rows = row_labels(np.arange(tree.n_leaves), pitch, 0.85 * FONT_SIZE, first)
        size = min(size, small)
        written.append(tree.order[rows].tolist())
    labels = short_labels(objects["label"].tolist(), min(_WIDEST, _NAMES * width / size))
    return size, labels, written


def _label(text: str, marked: bool) -> str:
    text = html.escape(text, quote=False)
    return f"<b>{text}</b>" if marked else text


def _add_lines(
    figure: go.Figure, places: list[np.ndarray], clusters: np.ndarray,
    selected: Collection[int], reserved: float,
) -> None:
    """From every leaf to its equal, one trace for every colour and strength."""
    both = np.isfinite(places[0]) & np.isfinite(places[1])
    chosen = np.isin(np.arange(len(clusters)), list(selected))
    for marked in (False, True):
        for group in np.unique(clusters[both]).tolist():
            members = np.flatnonzero(both & (clusters == group) & (chosen == marked))
            if not len(members):
                continue
            gap = np.full(len(members), np.nan)
            ends = np.full(len(members), reserved + 0.015)
            strength = 1.0 if marked else 0.3 if len(selected) else 0.6
            colour = look(group)[0] if group >= 0 else FAINT
            figure.add_scatter(
                x=np.column_stack([ends, 1 - ends, gap]).ravel(), xaxis="x3", mode="lines",
                y=np.column_stack([places[0][members], places[1][members], gap]).ravel(),
                line={"color": transparent(colour, strength),
                      "width": (2.4 if marked else 1.0)},
                hoverinfo="skip", showlegend=False, name="same leaves",
            )
