"""A map in the plane, with ellipses, labels or pictures."""

from __future__ import annotations

import html
from collections.abc import Collection, Mapping

import numpy as np
import plotly.graph_objects as go

from tripletscope.core.geometry import ellipsoids, outlines
from tripletscope.dashboard.figures.labels import short_labels
from tripletscope.dashboard.figures.placing import place_labels
from tripletscope.dashboard.figures.points import (
    DIM,
    MapData,
    MapStyle,
    mark_size,
    point_traces,
    shades,
    transparent,
)
from tripletscope.dashboard.interface.theme import Canvas


def plane(data: MapData, style: MapStyle, canvas: Canvas) -> go.Figure:
    figure = go.Figure()
    positions = data.positions[:, :2]
    shown = np.isfinite(positions).all(axis=1)
    low, high = _window(positions[shown], _loops(positions, data, 0.95))
    if style.uncertainty:
        loops = _loops(positions, data, style.coverage)
        _add_ellipses(figure, loops, data, style, canvas)
    pictures = data.pictures if style.marks == "pictures" else {}
    if pictures:
        _add_pictures(figure, positions, pictures, data.selected, float(np.max(high - low)))
    texts = _texts(data, style, positions, low, high, canvas)
    for trace in point_traces(data, style, shown, go.Scatter):
        members = np.array(trace.customdata, dtype=int)
        trace.x, trace.y = positions[members, 0], positions[members, 1]
        trace.mode = "markers+text"
        trace.text = [texts[i][0] for i in members]
        trace.textposition = [texts[i][1] for i in members]
        trace.textfont = {"size": 0.92 * canvas.font}
        trace.marker.size = canvas.scale * mark_size(shown.sum())
        if pictures:
            # The pictures are drawn instead; their points still take clicks and lassos.
            trace.selectedpoints, trace.unselected = None, None
            trace.marker.opacity = [
                0.0 if i in pictures else DIM if data.selected and i not in data.selected else 1.0
                for i in members
            ]
            trace.marker.size = [canvas.scale * (26 if i in pictures else 8) for i in members]
        figure.add_trace(trace)
    plain = {
        "visible": True, "showgrid": False, "zeroline": False, "showticklabels": False,
        "ticks": "", "showline": True, "mirror": True, "title": None, "automargin": False,
    }
    figure.update_xaxes(plain, range=[low[0], high[0]], constrain="range")
    figure.update_yaxes(plain, range=[low[1], high[1]], constrain="range", scaleanchor="x")
    return figure


def _loops(positions: np.ndarray, data: MapData, coverage: float) -> np.ndarray:
    """(n, points, 2) outlines of the ellipses; NaN where there is none."""
    covariances = data.covariances
    if covariances is None:
        covariances = np.full((len(positions), 2, 2), np.nan)
    return outlines(positions, ellipsoids(covariances[:, :2, :2], coverage, data.degrees))


def _window(positions: np.ndarray, loops: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper corner of the points, with a margin and most of the ellipses.

    It does not depend on what is shown of them, so that a zoom survives a change of style; and a
    few huge ellipses do not make everything else small.
    """
    if not len(positions):
        return np.array([-1.0, -1.0]), np.array([1.0, 1.0])
    low, high = positions.min(axis=0), positions.max(axis=0)
    margin = 0.07 * max(float(np.max(high - low)), 1e-9)
    low, high = low - margin, high + margin
    reach = 0.25 * (high - low)
    inside = np.clip(loops[np.isfinite(loops).all(axis=(1, 2))], low - reach, high + reach)
    if inside.size:
        low = np.minimum(low, inside.min(axis=(0, 1)))
        high = np.maximum(high, inside.max(axis=(0, 1)))
    return low, high


def _add_ellipses(
    figure: go.Figure, loops: np.ndarray, data: MapData, style: MapStyle, canvas: Canvas
) -> None:
    selected = np.zeros(len(loops), dtype=bool)
    selected[list(data.selected)] = True
    # Many ellipses must be lighter to be told apart.
    crowd = min(1.0, (60 / max(len(loops), 1)) ** 0.5)
    for group in shades(data, style):
        for chosen in (False, True):
            members = group.members[selected[group.members] == chosen]
            drawn = loops[members]
            drawn = drawn[np.isfinite(drawn).all(axis=(1, 2))]
            if not len(drawn):
                continue
            # One trace, ellipses separated by gaps: far quicker to draw than one trace each.
            gaps = np.full((len(drawn), 1, 2), np.nan)
            path = np.concatenate([drawn, gaps], axis=1).reshape(-1, 2).astype(np.float32)
            if chosen:
                fill, edge = 0.32, 0.9
            elif len(data.selected):
                fill, edge = 0.03 * crowd, 0.2 * crowd
            else:
                fill, edge = 0.14 * crowd, 0.75 * crowd
            figure.add_scatter(
                x=path[:, 0], y=path[:, 1], mode="lines", fill="toself", name="ellipses",
                fillcolor=transparent(group.colour, fill),
                line={"color": transparent(group.colour, edge), "width": canvas.scale,
                      "simplify": canvas.screen},
                hoverinfo="skip", showlegend=False,
            )


def _add_pictures(
    figure: go.Figure,
    positions: np.ndarray,
    pictures: Mapping[int, str],
    selected: Collection[int],
    span: float,
) -> None:
    places = positions[list(pictures)]
    places = places[np.isfinite(places).all(axis=1)]
    apart = np.linalg.norm(places[:, None] - places[None], axis=2)
    np.fill_diagonal(apart, np.inf)
    typical = float(np.median(apart.min(axis=1))) if len(places) > 1 else span
    size = float(np.clip(0.9 * typical, 0.045 * span, 0.09 * span))
    # All at once: plotly checks every picture again for each that is added alone.
    figure.update_layout(images=[
        {
            "source": source, "x": positions[i, 0], "y": positions[i, 1], "xref": "x", "yref": "y",
            "xanchor": "center", "yanchor": "middle", "sizex": size, "sizey": size,
            "sizing": "contain", "layer": "above",
            "opacity": 0.25 if len(selected) > 0 and i not in selected else 1.0,
        }
        for i, source in pictures.items() if np.isfinite(positions[i]).all()
    ])


def _texts(
    data: MapData,
    style: MapStyle,
    positions: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    canvas: Canvas,
) -> list[tuple[str, str]]:
    """Text and place of every label; empty where it is not shown or would cover another."""
    labels = short_labels(data.objects["label"].tolist())
    shown = np.isfinite(positions).all(axis=1)
    if style.marks == "labels":
        named = np.flatnonzero(shown)
    elif style.marks == "pictures":
        named = np.array([i for i in np.flatnonzero(shown) if i not in data.pictures], dtype=int)
    else:
        named = np.array([i for i in sorted(data.selected) if shown[i]], dtype=int)
    texts = [("", "top center")] * len(labels)
    if not len(named):
        return texts
    # Legend, colour bar and caption take some of the canvas; where its shape is not the map's,
    # the axes reach further than the map.
    area = np.array([0.85 * canvas.width, 0.8 * canvas.height])
    size = np.maximum(high - low, 1e-12)
    scale = np.min(area / size)
    pixels = scale * (positions[named] - low)
    beyond = (area - scale * size) / 2
    rank = {int(i): k for k, i in enumerate(named)}
    first = [rank[i] for i in data.selected if i in rank]
    places = place_labels(
        pixels, [labels[i] for i in named], font_size=0.92 * canvas.font, first=first,
        room=[*-beyond, *(scale * size + beyond)],
    )
    for i, place in zip(named, places, strict=True):
        if place is not None:
            texts[i] = (html.escape(labels[i], quote=False), place)
    return texts
