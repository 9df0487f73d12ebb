"""Two trees of the same objects facing each other."""

from __future__ import annotations

import html
import textwrap
from collections.abc import Collection

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from tripletscope.core.cluster.tanglegram import Tanglegram
from tripletscope.dashboard.figures.colours import look
from tripletscope.dashboard.figures.dendrogram import DendrogramData, Rows, add_branches, reach
from tripletscope.dashboard.figures.labels import short_labels
from tripletscope.dashboard.figures.points import transparent
from tripletscope.dashboard.interface.theme import FAINT, SCREEN, Canvas, finished, template

_ROW, _TALLEST = 17.0, 5_000.0
#: Share of the width that each tree has, and of what is between them that each label has.
_TREE, _LABEL = 0.33, 0.3
_LENGTH, _TITLE = 8.0, 28  # em of a label, and letters of a line of a title


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

    Parameters
    ----------
    found : Tanglegram
    objects : DataFrame, n rows
        With a column ``label``.
    clusters : ndarray of int, shape (n,)
        Of the first tree, 0 for the largest; lines and both trees have their colours.
    titles : pair of str
        What the trees are called.
    selected : collection of int
        Objects whose lines stand out.
    caption, revision, canvas
        As for a dendrogram.

    Returns
    -------
    go.Figure
        Leaves carry the position of their object in ``customdata``.
    """
    figure = go.Figure()
    trees = (found.first, found.second)
    n_rows = max(tree.n_leaves for tree in trees)
    pitch = (canvas.height - 90.0 * canvas.scale) / max(n_rows, 1)
    tall = canvas.screen and canvas.height > 700
    size = max(min(0.85 * canvas.font, 0.86 * pitch), 1.0)
    labels = short_labels(objects["label"].tolist(), _LENGTH) if size >= 4 else None
    places = []
    for tree, side, axis in zip(trees, (0, 1), ("x", "x2"), strict=True):
        rows, data = Rows(tree, tree.n_leaves), DendrogramData(tree, objects, clusters)
        floor, top = reach(tree)
        add_branches(figure, data, rows, floor, canvas, axis)
        place = np.full(len(objects), np.nan)
        place[tree.order] = rows.places[rows.nodes]
        places.append(place)
        limits = [top + 0.03 * (top - floor), floor]
        figure.update_layout({
            "xaxis2" if side else "xaxis": {
                "range": limits[::-1] if side else limits, "zeroline": False, "showgrid": False,
                "domain": [1 - _TREE, 1] if side else [0, _TREE],
                "title": _wrapped(titles[side]), "nticks": 5,
                "side": "top" if tall else "bottom",
            }
        })
    reserved = _LABEL if labels else 0.03
    _add_lines(figure, places, clusters, selected, reserved, canvas)
    for side, place in enumerate(places):
        shown = np.flatnonzero(np.isfinite(place))
        figure.add_scatter(
            x=np.full(len(shown), reserved if not side else 1 - reserved), y=place[shown],
            xaxis="x3", mode="markers+text" if labels else "markers", customdata=shown.tolist(),
            text=[_label(labels[i], i in selected) for i in shown] if labels else None,
            textposition="middle right" if side else "middle left", textfont={"size": size},
            hovertext=[html.escape(str(objects["label"].iloc[i]), quote=False) for i in shown],
            hovertemplate="%{hovertext}<extra></extra>", showlegend=False, cliponaxis=False,
            marker={"size": float(np.clip(0.3 * pitch, 1.5, 5 * canvas.scale)),
                    "color": [look(c)[0] if c >= 0 else FAINT for c in clusters[shown].tolist()]},
        )
    figure.update_layout(
        template=template(canvas), uirevision=revision, dragmode="zoom", showlegend=False,
        xaxis3={"domain": [_TREE, 1 - _TREE], "range": [0, 1], "visible": False,
                "fixedrange": True},
        yaxis={"range": [n_rows, 0], "visible": False},
    )
    return finished(figure, caption, canvas, top=100 if tall else 34)


def _wrapped(title: str) -> str:
    """A title in lines as wide as a tree."""
    return "<br>".join(html.escape(line, quote=False) for line in textwrap.wrap(title, _TITLE))


def _label(text: str, marked: bool) -> str:
    text = html.escape(text, quote=False)
    return f"<b>{text}</b>" if marked else text


def _add_lines(
    figure: go.Figure, places: list[np.ndarray], clusters: np.ndarray,
    selected: Collection[int], reserved: float, canvas: Canvas,
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
                      "width": (2.4 if marked else 1.0) * canvas.scale},
                hoverinfo="skip", showlegend=False, name="same leaves",
            )
