"""Two trees of the same objects facing each other."""

from __future__ import annotations

import html
from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from tripletscope.core.similarity.clusters.tanglegram import Tanglegram
from tripletscope.dashboard.figures.colours import look
from tripletscope.dashboard.figures.dendrogram import (
    DendrogramData,
    Rows,
    add_branches,
    add_wedges,
    holds_selected,
    reach,
    row_titles,
)
from tripletscope.dashboard.figures.fonts import width_of, wrapped
from tripletscope.dashboard.figures.labels import escape
from tripletscope.dashboard.figures.placing import row_labels
from tripletscope.dashboard.figures.points import transparent
from tripletscope.dashboard.figures.theme import (
    FAINT,
    FONT_SIZE,
    SCREEN,
    Canvas,
    finished,
    note_hidden,
    with_rows,
)

_ROW, _TALLEST = 17.0, 5_000.0
#: Shares of the width: of the lines between the trees, and of a column of names at most.
_LINES, _NAMES = 0.16, 0.2
_WIDEST = 9.0  # em of a name
#: Relative width of bold text, and size of plotly's titles of axes.
_BOLD, _TITLE = 1.08, 1.2


def screen_height(*rows: Rows) -> float:
    """Height in pixels at which rows of trees are legible, if they are not too many."""
    return min(max(_ROW * max(one.total for one in rows) + 90.0, 240.0), _TALLEST)


def tanglegram(
    trees: Tanglegram,
    objects: pd.DataFrame,
    clusters: np.ndarray,
    *,
    titles: tuple[str, str],
    most: int | None = None,
    selected: Collection[int] = (),
    caption: str = "",
    revision: str = "",
    canvas: Canvas = SCREEN,
) -> go.Figure:
    """Draw two trees with lines between equal leaves.

    Parameters
    ----------
    trees : Tanglegram
        Of `untangle`.
    objects : DataFrame
        With a column ``label``.
    clusters : array, shape (n,)
        Of the first tree, 0 for the largest; for the colours of lines and both trees.
    titles : tuple of two str
        What the trees are called.
    most : int, optional
        Rows of a tree; with more leaves, the lowest branches are collapsed.
    selected : collection of int
        Objects whose lines stand out.
    caption : str
        Below the figure.
    revision : str
        Zoom survives a change of the figure with the same revision.
    canvas : Canvas
        What the figure is drawn for.

    Returns
    -------
    plotly.graph_objects.Figure
        Leaves carry the position of their object in ``customdata``.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.read("sample_data/ekman_colors/answers.csv")
    >>> one = ts.AgglomerativeClustering(n_clusters=3, basis=ts.K1()).fit(answers)
    >>> other = ts.ComparisonLinkage(n_clusters=3).fit(answers)
    >>> trees = ts.figures.untangle(one.tree_, other.tree_)
    >>> figure = ts.figures.tanglegram(
    ...     trees, answers.objects, one.labels_, titles=("k1", "triplets alone"))
    >>> type(figure).__name__
    'Figure'
    """
    figure = go.Figure()
    drawn = [
        (DendrogramData(tree, objects, clusters, selected=selected),
         Rows(tree, most or tree.n_leaves))
        for tree in (trees.first, trees.second)
    ]
    n_rows = max(rows.total for _, rows in drawn)
    canvas = with_rows(canvas, n_rows + 4)  # titles may have several lines
    pitch = max((canvas.height - 90.0) / max(n_rows, 1), 0.1)
    tall = canvas.screen and canvas.height > 700
    width = canvas.least_width
    size, names = _names(drawn, pitch, width)
    texts = [_plain(text) for named in names for text in named.values()]
    widest = float(width_of(texts, size).max(initial=0.0))
    column = ((_BOLD if len(selected) else 1.0) * widest + 0.8 * FONT_SIZE) / width
    tree_share = (1 - _LINES) / 2 - column
    titles = [wrapped(title, tree_share * width, _TITLE * FONT_SIZE) for title in titles]
    places = [_places(data, rows, len(objects)) for data, rows in drawn]
    reserved = column / (1 - 2 * tree_share)
    ends, mark = (reserved, 1 - reserved), float(np.clip(0.3 * pitch, 1.5, 5))
    for (data, rows), axis in zip(drawn, ("x", "x2"), strict=True):
        _add_tree(figure, data, rows, axis)
    _add_lines(figure, places, clusters, selected, reserved)
    for (data, rows), place, named, at in zip(drawn, places, names, ends, strict=True):
        _add_leaves(figure, data, place, at, mark)
        _add_names(figure, rows, named, at, size, mark)
    (left, right), side = map(_ends, drawn), "top" if tall else "bottom"
    usual = {"zeroline": False, "showgrid": False, "nticks": 5, "side": side}
    figure.update_layout(
        xaxis={**usual, "range": left, "domain": [0, tree_share], "title": _lines(titles[0])},
        xaxis2={**usual, "range": right[::-1], "domain": [1 - tree_share, 1],
                "title": _lines(titles[1])},
    )
    n_named = sum(len(rows.nodes) for _, rows in drawn)
    note_hidden(figure, n_named - sum(map(len, names)), n_named)
    figure.update_layout(
        uirevision=revision, dragmode="zoom", showlegend=False,
        xaxis3={"domain": [tree_share, 1 - tree_share], "range": [0, 1], "visible": False,
                "fixedrange": True},
        yaxis={"range": [n_rows, 0], "visible": False},
    )
    # Between the trees and what operates the figure.
    above = 60 + 20 * max(map(len, titles))
    return finished(figure, caption, canvas, top=max(above, 100) if tall else 34)


def _names(
    drawn: Sequence[tuple[DendrogramData, Rows]], pitch: float, width: float
) -> tuple[float, list[dict[int, str]]]:
    """Size of the names, and the names of each tree by their row."""
    size, written = 0.85 * FONT_SIZE, []
    for data, rows in drawn:
        chosen = np.flatnonzero(holds_selected(data, rows)).tolist()
        small, named = row_labels(rows.places[rows.nodes], pitch, 0.85 * FONT_SIZE, chosen)
        size = min(size, small)
        written.append(named)
    room = min(_WIDEST, _NAMES * width / size)
    titles = [row_titles(data, rows, room) for data, rows in drawn]
    return size, [
        {row: text[row] for row in named} for text, named in zip(titles, written, strict=True)
    ]


def _lines(title: list[str]) -> str:
    return "<br>".join(map(escape, title))


def _places(data: DendrogramData, rows: Rows, n_objects: int) -> np.ndarray:
    """(n,) places of objects in a tree, from above; NaN for those that have no leaf."""
    place = np.full(n_objects, np.nan)
    place[data.tree.order] = rows.leaf_places
    return place


def _ends(drawn: tuple[DendrogramData, Rows]) -> list[float]:
    """Ends of the axis of a tree, from the root on."""
    floor, top = reach(drawn[0].tree)
    return [top + 0.03 * (top - floor), floor]


def _add_tree(figure: go.Figure, data: DendrogramData, rows: Rows, axis: str) -> None:
    """The branches of a tree."""
    floor, _ = reach(data.tree)
    add_wedges(figure, data, rows, floor, axis)
    add_branches(figure, data, rows, floor, axis)


def _add_names(
    figure: go.Figure, rows: Rows, named: dict[int, str], at: float, size: float, mark: float
) -> None:
    """Names of rows, beside invisible marks: plotly forgets texts that were empty before."""
    figure.add_scatter(
        x=np.full(len(named), at), y=rows.places[rows.nodes[list(named)]], xaxis="x3",
        mode="markers+text", name="names", hoverinfo="skip", showlegend=False,
        text=list(named.values()), textfont={"size": size}, cliponaxis=False,
        textposition="middle right" if at > 0.5 else "middle left",
        marker={"size": mark, "opacity": 0},
    )


def _add_leaves(
    figure: go.Figure, data: DendrogramData, place: np.ndarray, at: float, size: float
) -> None:
    shown = np.flatnonzero(np.isfinite(place))
    clusters = data.clusters[shown].tolist()
    figure.add_scatter(
        x=np.full(len(shown), at), y=place[shown], xaxis="x3", mode="markers",
        customdata=shown.tolist(),
        hovertext=[escape(str(data.objects["label"].iloc[i])) for i in shown],
        hovertemplate="%{hovertext}<extra></extra>", showlegend=False, cliponaxis=False,
        marker={"size": size, "color": [look(c)[0] if c >= 0 else FAINT for c in clusters]},
    )


def _plain(text: str) -> str:
    return html.unescape(text.removeprefix("<b>").removesuffix("</b>"))


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
