"""People as individuals: their weights, what these predict, and the groups they belong to."""

from __future__ import annotations

import html
from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from tripletscope.dashboard.figures.axes import log_axis
from tripletscope.dashboard.figures.labels import short_labels
from tripletscope.dashboard.figures.placing import place_labels, row_labels
from tripletscope.dashboard.figures.points import transparent
from tripletscope.dashboard.interface.theme import (
    FAINT,
    PALETTE,
    SCREEN,
    Canvas,
    finished,
    note_hidden,
    template,
    with_rows,
)

#: People whose names are written, and up to so many whose intervals are drawn.
_NAMED, _BARRED = 8, 60
#: Times the largest weight that a plane of weights shows of intervals.
_LONGEST = 1.6
#: Side of a plane of weights, as a share of the smaller side of the figure.
_PLANE = 0.78


def most_different(weights: np.ndarray) -> np.ndarray:
    """People by how unequally they weight the axes, the most unequal first.

    Shapes: weights (P, d).
    """
    logs = np.log(weights)
    apart = logs - logs.mean(axis=1, keepdims=True)
    return np.argsort(-np.sum(apart**2, axis=1) if weights.shape[1] > 1 else -np.abs(logs[:, 0]),
                      kind="stable")


def weights_figure(
    people: Sequence[str], weights: np.ndarray, low: np.ndarray, high: np.ndarray, *,
    caption: str = "", canvas: Canvas = SCREEN,
) -> go.Figure:
    """Weights of the axes: a plane of two, a triangle of three, strips of any other number.

    Shapes: people length P, weights, low, high (P, d).
    """
    hover = [
        html.escape(str(person), quote=False) + "<br>" + "<br>".join(
            f"axis {k + 1}: {w:.2f} ({a:.2f} to {b:.2f})"
            for k, (w, a, b) in enumerate(zip(*row, strict=True))
        ) for person, *row in zip(people, weights, low, high, strict=True)
    ]
    named = most_different(weights)[: _NAMED if len(people) > _NAMED else len(people)]
    text = [""] * len(people)
    for i, label in zip(named, short_labels([str(people[i]) for i in named], 9.0), strict=True):
        text[i] = html.escape(label, quote=False)
    draw = {2: _plane, 3: _triangle}.get(weights.shape[1], _strips)
    return draw(weights, low, high, text, hover, caption, canvas)


def _plane(
    weights: np.ndarray, low: np.ndarray, high: np.ndarray, text: list[str], hover: list[str],
    caption: str, canvas: Canvas,
) -> go.Figure:
    figure = go.Figure()
    barred = len(weights) <= _BARRED
    # Bars of the most consistent ones may be longer than all else: then they leave the frame.
    end = 1.08 * float(weights.max())
    if barred:
        end = max(end, min(1.03 * float(high.max()), _LONGEST * end))
    figure.add_scatter(
        x=[0, end], y=[0, end], mode="lines", hoverinfo="skip", showlegend=False,
        line={"color": FAINT, "dash": "dot", "width": canvas.scale},
    )
    arrows = np.full((3 * len(weights), 2), np.nan)
    arrows[0::3], arrows[1::3] = 0.0, weights
    figure.add_scatter(
        x=arrows[:, 0], y=arrows[:, 1], mode="lines", hoverinfo="skip", showlegend=False,
        line={"color": transparent(PALETTE[0], 0.3), "width": canvas.scale},
    )
    bars = {}
    if barred:
        bars = {
            f"error_{axis}": {
                "type": "data", "array": high[:, k] - weights[:, k],
                "arrayminus": weights[:, k] - low[:, k], "width": 0,
                "thickness": 0.8 * canvas.scale, "color": transparent(PALETTE[0], 0.35),
            } for k, axis in enumerate("xy")
        }
    places = _placed(weights / end, 1.0 / end, text, canvas)
    figure.add_scatter(
        x=weights[:, 0], y=weights[:, 1], mode="markers+text", showlegend=False,
        text=[one if places[i] else "" for i, one in enumerate(text)],
        textposition=[place or "top center" for place in places],
        textfont={"size": 0.85 * canvas.font}, hovertext=hover,
        hoverinfo="text", marker={"color": PALETTE[0], "size": 7 * canvas.scale}, **bars,
    )
    figure.add_scatter(
        x=[1.0], y=[1.0], mode="markers", name="mean of all",
        marker={"color": PALETTE[1], "size": 11 * canvas.scale, "symbol": "diamond"},
        hovertemplate="mean of all<extra></extra>",
    )
    axis = {"range": [0, end], "zeroline": True, "constrain": "domain"}
    figure.update_layout(
        template=template(canvas), dragmode="zoom", uirevision="weights",
        xaxis={**axis, "title": "weight of axis 1"},
        yaxis={**axis, "title": "weight of axis 2", "scaleanchor": "x"},
    )
    return finished(figure, caption, canvas)


def _placed(
    points: np.ndarray, mean: float, text: list[str], canvas: Canvas
) -> list[str]:
    """Where the names of people in a plane go, as Plotly says it; nothing where none has room.

    points (P, 2): As shares of the sides of the plane.
    mean: Where the mark of the mean is on both sides.
    text length P: Empty for people who are not named.
    """
    side = _PLANE * min(canvas.width, canvas.height)
    points = np.vstack([points, [mean, mean]])
    spots = place_labels(
        side * points, {i: html.unescape(one) for i, one in enumerate(text) if one},
        font_size=0.85 * canvas.font, room=(0.0, 0.0, side, side), radius=3.5 * canvas.scale,
        lines=False,
    )
    return [spots[i].position if i in spots else "" for i in range(len(text))]


def _triangle(
    weights: np.ndarray, low: np.ndarray, high: np.ndarray, text: list[str], hover: list[str],
    caption: str, canvas: Canvas,
) -> go.Figure:
    figure = go.Figure()
    for rows, name, further in (
        (weights, "people", {"color": PALETTE[0], "size": 7 * canvas.scale}),
        (np.ones((1, 3)), "mean of all",
         {"color": PALETTE[1], "size": 11 * canvas.scale, "symbol": "diamond"}),
    ):
        own = name == "people"
        figure.add_scatterternary(
            a=rows[:, 0], b=rows[:, 1], c=rows[:, 2], mode="markers+text" if own else "markers",
            marker=further, name=name, showlegend=not own, text=text if own else None,
            textposition="top center", textfont={"size": 0.85 * canvas.font},
            hovertext=hover if own else [name], hoverinfo="text",
        )
    titles = {f"{axis}axis": {"title": {"text": f"axis {k + 1}"}, "tickformat": ".0%",
                              "gridcolor": "rgba(127,127,127,0.25)", "linecolor": FAINT}
              for k, axis in enumerate("abc")}
    figure.update_layout(
        template=template(canvas), uirevision="weights",
        ternary={**titles, "sum": 1, "bgcolor": "rgba(0,0,0,0)", "domain": {"y": [0.14, 0.96]}},
    )
    return finished(figure, caption, canvas)


def _strips(
    weights: np.ndarray, low: np.ndarray, high: np.ndarray, text: list[str], hover: list[str],
    caption: str, canvas: Canvas,
) -> go.Figure:
    people, d = weights.shape
    beside = np.linspace(-0.3, 0.3, people) if people > 1 else np.zeros(1)
    rank = np.argsort(np.argsort(np.log(weights).mean(axis=1)))
    figure = go.Figure()
    for k in range(d):
        bars = {}
        if people <= _BARRED:
            bars = {"error_y": {
                "type": "data", "array": high[:, k] - weights[:, k],
                "arrayminus": weights[:, k] - low[:, k], "width": 0,
                "thickness": 0.8 * canvas.scale, "color": transparent(PALETTE[0], 0.35),
            }}
        figure.add_scatter(
            x=k + 1 + beside[rank], y=weights[:, k], mode="markers", showlegend=False,
            marker={"color": PALETTE[0], "size": 5 * canvas.scale}, hovertext=hover,
            hoverinfo="text", **bars,
        )
    figure.add_hline(1.0, line={"color": FAINT, "dash": "dot", "width": canvas.scale})
    figure.update_layout(
        template=template(canvas), dragmode="zoom", uirevision="weights",
        xaxis={"title": "axis", "tickvals": list(range(1, d + 1)), "zeroline": False,
               "range": [0.5, d + 0.5]},
        yaxis={"title": "weight",
               **log_axis(weights, *([low, high] if people <= _BARRED else []))},
    )
    return finished(figure, caption, canvas)


def gain_dots(table: pd.DataFrame, *, caption: str = "", canvas: Canvas = SCREEN) -> go.Figure:
    """By how much views of people raise the probability of held-out answers over one map.

    table: Columns ``model``, ``gain``, ``low``, ``high`` of log probabilities, ``accuracy``.
    """
    table = table[table["model"] != "one map"]
    canvas = with_rows(canvas, 2 * len(table))
    gain, low, high = (100 * np.expm1(table[c].to_numpy()) for c in ("gain", "low", "high"))
    figure = go.Figure()
    figure.add_scatter(
        x=gain, y=table["model"], mode="markers", showlegend=False,
        marker={"color": PALETTE[0], "size": 10 * canvas.scale},
        error_x={"type": "data", "array": high - gain, "arrayminus": gain - low, "width": 0,
                 "thickness": 1.5 * canvas.scale, "color": transparent(PALETTE[0], 0.55)},
        text=[f"{a:+.1f} to {b:+.1f} %<br>accuracy {c:.1%}"
              for a, b, c in zip(low, high, table["accuracy"], strict=True)],
        hovertemplate="%{y}: %{x:+.1f} %<br>%{text}<extra></extra>",
    )
    figure.add_vline(
        0.0, line={"color": FAINT, "dash": "dot", "width": canvas.scale},
        annotation_text="one map", annotation_font_size=0.9 * canvas.font,
        # The words stand where there is room for them.
        annotation_position="top right" if high.max() > -low.min() else "top left",
    )
    ends = np.concatenate([low, high, [0.0]])
    room = 0.06 * max(float(np.ptp(ends)), 1.0)
    figure.update_layout(
        template=template(canvas), dragmode="zoom", uirevision="gains",
        xaxis={"title": "gain in probability of held-out answers (%)", "zeroline": False,
               "range": [ends.min() - room, ends.max() + room]},
        yaxis={"range": [len(table) - 0.5, -0.9], "zeroline": False},
    )
    return finished(figure, caption, canvas)


def membership_bars(
    people: Sequence[str], membership: np.ndarray, *, caption: str = "",
    canvas: Canvas = SCREEN,
) -> go.Figure:
    """How surely each person belongs to each group, a bar for everyone.

    Shapes: people length P, membership (P, g).
    """
    main = membership.argmax(axis=1)
    order = np.lexsort((-membership.max(axis=1), main))
    short = short_labels([str(people[i]) for i in order], 8.0)
    figure = go.Figure()
    for g in range(membership.shape[1]):
        figure.add_bar(
            x=np.arange(len(order)), y=membership[order, g], name=f"group {g + 1}",
            marker={"color": PALETTE[g % len(PALETTE)], "line": {"width": 0}},
            hovertext=[html.escape(str(people[i]), quote=False) for i in order],
            hovertemplate="%{hovertext}: %{y:.2f}<extra>" + f"group {g + 1}</extra>",
        )
    size, rows = row_labels(
        np.arange(len(order)), 0.85 * canvas.width / max(len(order), 1), 0.85 * canvas.font
    )
    note_hidden(figure, len(order) - len(rows), len(order))
    figure.update_layout(
        template=template(canvas), barmode="stack", bargap=0.1, dragmode="zoom",
        legend_traceorder="normal", uirevision="membership",
        xaxis={"tickvals": rows, "ticktext": [html.escape(short[i], quote=False) for i in rows],
               "tickangle": -60, "tickfont": {"size": size}, "showgrid": False,
               "zeroline": False},
        yaxis={"title": "probability of membership", "range": [0, 1], "zeroline": False},
    )
    return finished(figure, caption, canvas)
