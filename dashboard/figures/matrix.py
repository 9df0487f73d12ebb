"""Kernels: all similarities at once, those to one object, and the spectrum."""

from __future__ import annotations

import html
from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from tripletscope.core.kernel.spectrum import Spectrum
from tripletscope.dashboard.figures.colours import groups
from tripletscope.dashboard.figures.labels import (
    WIDTH,
    short_labels,
    short_names,
    shorten,
    shorten_each,
)
from tripletscope.dashboard.figures.placing import row_labels
from tripletscope.dashboard.figures.points import transparent
from tripletscope.dashboard.interface.theme import (
    FAINT,
    NARROW,
    PALETTE,
    SCREEN,
    SEQUENTIAL,
    Canvas,
    finished,
    note_hidden,
    template,
)

#: More rows than this are drawn as means of blocks: a screen has no more pixels for them.
_MOST_ROWS = 400
_SHARE = 0.3  # of the width that names at the side take at most


def similarity_matrix(
    values: np.ndarray,
    order: np.ndarray,
    objects: pd.DataFrame,
    *,
    colour: str | None = None,
    selected: Collection[int] = (),
    caption: str = "",
    canvas: Canvas = SCREEN,
) -> go.Figure:
    """Similarities of all objects in colours, with a mark for every object at the side.

    Parameters
    ----------
    values : ndarray, shape (n, n)
    order : ndarray of int, shape (m,)
        Objects in the order of the rows; those that are missing are not drawn.
    objects : DataFrame, n rows
        With column ``label``.
    colour : str, optional
        Column of the objects that the marks show.
    selected : collection of int
    """
    shown = values[np.ix_(order, order)].astype(float)
    # Similarity to itself says nothing and would take most of the scale.
    shown[np.diag_indices_from(shown)] = np.nan
    size = -(-len(order) // _MOST_ROWS)
    if size > 1:
        shown = _blocks(shown, size)
    low, high = np.nanpercentile(shown, [1, 99]) if np.isfinite(shown).any() else (0.0, 1.0)
    centre = (size - 1) / 2
    figure = go.Figure(
        go.Heatmap(
            z=shown, x0=centre, dx=size, y0=centre, dy=size, zmin=low, zmax=high,
            colorscale=SEQUENTIAL, hovertemplate="similarity %{z:.3f}<extra></extra>",
            colorbar={"title": {"text": "similarity"}, "thickness": 12, "len": 0.6,
                      "outlinewidth": 0},
        )
    )
    place = np.full(len(objects), -1)
    place[order] = np.arange(len(order))
    column = objects[colour] if colour else None
    labels = [
        html.escape(label, quote=False) for label in shorten_each(objects["label"].tolist(), 20.0)
    ]
    edge = -0.02 * len(order) - 1
    for group in groups(column, len(objects)):
        members = group.members[place[group.members] >= 0]
        chosen = [i in selected for i in members.tolist()]
        figure.add_scatter(
            x=np.full(len(members), edge), y=place[members], mode="markers",
            customdata=members.tolist(), text=[labels[i] for i in members],
            hovertemplate="%{text}<extra></extra>", showlegend=column is not None,
            name=html.escape(shorten(group.label), quote=False),
            marker={
                "color": group.colour, "symbol": "square",
                "size": [(10 if c else 5) * canvas.scale for c in chosen],
            },
        )
    size, rows, names = _row_names(order, objects, selected, canvas)
    note_hidden(figure, len(order) - len(rows), len(order))
    figure.update_layout(
        template=template(canvas), dragmode="lasso", uirevision=f"matrix {len(order)}",
        xaxis={"visible": False, "constrain": "domain"},
        yaxis={
            "autorange": "reversed", "scaleanchor": "x", "constrain": "domain", "showgrid": False,
            "zeroline": False, "tickvals": rows, "ticktext": names, "tickfont": {"size": size},
            "ticklabeloverflow": "allow",
        },
    )
    return finished(figure, caption, canvas)


def _row_names(
    order: np.ndarray, objects: pd.DataFrame, selected: Collection[int], canvas: Canvas
) -> tuple[float, list[int], list[str]]:
    """Size of the names at the side, the rows that are named, and their names."""
    width = min(canvas.width, NARROW) if canvas.screen else canvas.width
    side = min(canvas.height - 5 * canvas.font, (1 - _SHARE) * width - 5 * canvas.font)
    first = np.flatnonzero(np.isin(order, list(selected))).tolist()
    size, rows = row_labels(
        np.arange(len(order)), side / max(len(order), 1), 0.8 * canvas.font, first
    )
    members = order[rows].tolist()
    names = short_names(objects["label"].tolist(), members, min(WIDTH, _SHARE * width / size))
    return size, rows, [html.escape(names[i], quote=False) for i in members]


def _blocks(values: np.ndarray, size: int) -> np.ndarray:
    """Means of square blocks."""
    starts = np.arange(0, len(values), size)
    known = np.isfinite(values)
    total, count = (
        np.add.reduceat(np.add.reduceat(part, starts, axis=0), starts, axis=1)
        for part in (np.where(known, values, 0.0), known.astype(float))
    )
    return np.where(count > 0, total / np.maximum(count, 1.0), np.nan)


def most_similar(
    similarity: np.ndarray, names: Sequence[str], members: Sequence[int], *,
    title: str = "similarity", caption: str = "", canvas: Canvas = SCREEN,
) -> go.Figure:
    """Bars of similarity to one object, or another quantity, the highest on top.

    Parameters
    ----------
    similarity : ndarray, shape (k,)
    names : sequence of str, length k
    members : sequence of int, length k
        Positions of these objects.
    """
    labels = [html.escape(name, quote=False) for name in short_labels(names)]
    figure = go.Figure(
        go.Bar(
            x=similarity, y=np.arange(len(labels)), orientation="h", customdata=list(members),
            marker={"color": PALETTE[0]}, hovertext=labels,
            hovertemplate="%{hovertext}: %{x:.3f}<extra></extra>",
        )
    )
    figure.update_layout(
        template=template(canvas), dragmode="zoom", uirevision=title, bargap=0.25,
        xaxis={"title": title},
        yaxis={"autorange": "reversed", "tickvals": np.arange(len(labels)), "ticktext": labels,
               "showgrid": False},
    )
    return finished(figure, caption, canvas)


def spectrum_figure(
    found: Spectrum, *, caption: str = "", canvas: Canvas = SCREEN
) -> go.Figure:
    """Eigenvalues with the band of those of shuffled answers."""
    rank = np.arange(1, len(found.eigenvalues) + 1)
    low = np.quantile(found.shuffled, 1 - found.level, axis=0)
    figure = go.Figure()
    figure.add_scatter(
        x=np.concatenate([rank, rank[::-1]]), y=np.concatenate([low, found.threshold[::-1]]),
        fill="toself", fillcolor=transparent(FAINT, 0.25), line={"width": 0}, hoverinfo="skip",
        mode="lines", name="permuted answers",
    )
    signal = rank <= found.n_signal
    for name, which, colour in (("signal", signal, PALETTE[0]), ("within chance", ~signal, FAINT)):
        figure.add_scatter(
            x=rank[which], y=found.eigenvalues[which], mode="markers", name=name,
            marker={"size": 7 * canvas.scale, "color": colour},
            hovertemplate="component %{x}: %{y:.4g}<extra></extra>",
        )
    figure.update_layout(
        template=template(canvas), dragmode="zoom", uirevision="spectrum",
        xaxis={"title": "component", "zeroline": False},
        yaxis={"title": "eigenvalue", "zeroline": False},
    )
    return finished(figure, caption, canvas)
