"""Individual people: their weights, predictions by these, and groups."""

from __future__ import annotations

import html
from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from tripletscope.dashboard.figures.chart import Axis, Plot, as_figure
from tripletscope.dashboard.figures.labels import escape, short_labels
from tripletscope.dashboard.figures.layers import Bars, Level, Series, intervals
from tripletscope.dashboard.figures.placing import place_labels
from tripletscope.dashboard.figures.points import transparent
from tripletscope.dashboard.figures.series import bold, diagonal, series_of
from tripletscope.dashboard.figures.theme import FAINT, FONT_SIZE, PALETTE, SCREEN, Canvas, finished

#: Most people with names, and with intervals.
_NAMED, _BARRED = 8, 60
#: Reach of intervals in a plane of weights, relative to the largest weight.
_LONGEST = 1.6
#: Side of a plane of weights, as a share of the smaller side of the figure.
_PLANE = 0.78
#: The mark in the middle of people; width of the names of rows, in sizes of the letters.
_MEAN, _ROW = "mean of all", 20.0


def most_different(weights: np.ndarray) -> np.ndarray:
    """People by how unequally they weight the axes, the most unequal first.

    Shapes: weights (P, d).
    """
    logs = np.log(weights)
    deviation = logs - logs.mean(axis=1, keepdims=True)
    size = np.sum(deviation**2, axis=1) if weights.shape[1] > 1 else np.abs(logs[:, 0])
    return np.argsort(-size, kind="stable")


def weights_figure(
    people: Sequence[str], weights: np.ndarray, low: np.ndarray, high: np.ndarray, *,
    caption: str = "", canvas: Canvas = SCREEN,
) -> go.Figure:
    """Weights of the axes: a plane of two, a triangle of three, strips of any other number.

    Shapes: people length P, weights, low, high (P, d).
    """
    hover = [
        escape(str(person)) + "<br>" + "<br>".join(
            f"axis {k + 1}: {w:.2f} ({a:.2f} to {b:.2f})"
            for k, (w, a, b) in enumerate(zip(*row, strict=True))
        ) for person, *row in zip(people, weights, low, high, strict=True)
    ]
    named = most_different(weights)[: _NAMED if len(people) > _NAMED else len(people)]
    text = [""] * len(people)
    for i, label in zip(named, short_labels([str(people[i]) for i in named], 9.0), strict=True):
        text[i] = escape(label)
    draw = {2: _plane, 3: _triangle}.get(weights.shape[1], _strips)
    return draw(weights, low, high, text, hover, caption, canvas)


def _plane(
    weights: np.ndarray, low: np.ndarray, high: np.ndarray, text: list[str], hover: list[str],
    caption: str, canvas: Canvas,
) -> go.Figure:
    barred = len(weights) <= _BARRED
    # Bars of the most consistent ones may be longer than all else: then they leave the frame.
    end = 1.08 * float(weights.max())
    if barred:
        end = max(end, min(1.03 * float(high.max()), _LONGEST * end))
    arrows = np.full((3 * len(weights), 2), np.nan)
    arrows[0::3], arrows[1::3] = 0.0, weights
    places = _placed(weights / end, 1.0 / end, text, canvas)
    across = {}
    if barred:
        across["error_x"] = intervals(weights[:, 0], low[:, 0], high[:, 0], PALETTE[0])
    axis = {"zeroline": True, "constrain": "domain"}
    return Plot(
        [
            diagonal(0.0, end),
            Series(x=arrows[:, 0], y=arrows[:, 1], points=False, line=True, width=1.0,
                   colour=transparent(PALETTE[0], 0.3)),
            Series(
                x=weights[:, 0], y=weights[:, 1], low=low[:, 1] if barred else None,
                high=high[:, 1] if barred else None, size=7.0, text=hover, further=across,
                labels=[one if places[i] else "" for i, one in enumerate(text)],
                sides=[place or "top center" for place in places],
            ),
            Series(x=[1.0], y=[1.0], name=_MEAN, rank=1, symbol="diamond", size=11.0, hover=_MEAN),
        ],
        Axis("weight of axis 1", ends=(0, end), further=axis),
        Axis("weight of axis 2", ends=(0, end), further={**axis, "scaleanchor": "x"}),
        revision="weights",
    ).figure(caption, canvas)


def _placed(
    points: np.ndarray, mean: float, text: list[str], canvas: Canvas
) -> list[str]:
    """Plotly's text positions of the names of people in a plane; empty where there is no room.

    points (P, 2): As shares of the sides of the plane.
    mean: Position of the mark of the mean on both sides.
    """
    side = _PLANE * min(canvas.width, canvas.height)
    points = np.vstack([points, [mean, mean]])
    spots = place_labels(
        side * points, {i: html.unescape(one) for i, one in enumerate(text) if one},
        font_size=0.85 * FONT_SIZE, room=(0.0, 0.0, side, side), radius=3.5,
        lines=False,
    )
    return [spots[i].position if i in spots else "" for i in range(len(text))]


def _triangle(
    weights: np.ndarray, low: np.ndarray, high: np.ndarray, text: list[str], hover: list[str],
    caption: str, canvas: Canvas,
) -> go.Figure:
    figure = go.Figure()
    for rows, name, further in (
        (weights, "people", {"color": PALETTE[0], "size": 7}),
        (np.ones((1, 3)), "mean of all",
         {"color": PALETTE[1], "size": 11, "symbol": "diamond"}),
    ):
        are_people = name == "people"
        figure.add_scatterternary(
            a=rows[:, 0], b=rows[:, 1], c=rows[:, 2], marker=further, name=name,
            mode="markers+text" if are_people else "markers", showlegend=not are_people,
            text=text if are_people else None,
            textposition="top center", textfont={"size": 0.85 * FONT_SIZE},
            hovertext=hover if are_people else [name], hoverinfo="text",
        )
    titles = {f"{axis}axis": {"title": {"text": f"axis {k + 1}"}, "tickformat": ".0%",
                              "gridcolor": "rgba(127,127,127,0.25)", "linecolor": FAINT}
              for k, axis in enumerate("abc")}
    figure.update_layout(
        uirevision="weights",
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
    barred = people <= _BARRED
    return Plot(
        [
            *(Series(x=k + 1 + beside[rank], y=weights[:, k], low=low[:, k] if barred else None,
                     high=high[:, k] if barred else None, size=5.0, text=hover)
              for k in range(d)),
            Level(at=1.0),
        ],
        Axis("axis", ends=(0.5, d + 0.5), further={"tickvals": list(range(1, d + 1))}),
        Axis("weight", "log"), revision="weights",
    ).figure(caption, canvas)


@as_figure
def gain_dots(table: pd.DataFrame) -> Plot:
    """Gains of views of people over one map in the probability of held-out answers.

    table: Columns ``model``, ``gain``, ``low``, ``high`` of log probabilities, ``accuracy``.
    """
    table = table[table["model"] != "one map"]
    names = table["model"].tolist()
    table = table.assign(**{c: 100 * np.expm1(table[c]) for c in ("gain", "low", "high")})
    # The words stand where there is room for them.
    side = "top right" if table["high"].max() > -table["low"].min() else "top left"
    return Plot(
        [
            *series_of(
                table, "", "gain", "model", names=names, size=10.0, text=lambda row: bold(
                    row.model, f"{row.gain:+.1f} % ({row.low:+.1f} to {row.high:+.1f} %)",
                    f"accuracy {row.accuracy:.1%}"),
            ),
            Level(at=0.0, note="one map", side=side),
        ],
        Axis("gain in probability of held-out answers (%)"),
        Axis(names=names, row=2.0, width=_ROW, further={"range": [len(table) - 0.5, -0.9]}),
    )


def membership_bars(
    people: Sequence[str], membership: np.ndarray, *, caption: str = "",
    canvas: Canvas = SCREEN,
) -> go.Figure:
    """Probabilities of membership in each group, a bar for every person.

    Shapes: people length P, membership (P, g).
    """
    main = membership.argmax(axis=1)
    order = np.lexsort((-membership.max(axis=1), main))
    names = [str(people[i]) for i in order]
    return Plot(
        [
            Bars(at=np.arange(len(order)), length=membership[order, g], name=f"group {g + 1}",
                 rank=g, text=[bold(name) for name in names],
                 hover="%{hovertext}<br>%{fullData.name}: %{y:.2f}")
            for g in range(membership.shape[1])
        ],
        Axis(names=names, width=8.0, pitch=0.85 * canvas.width / max(len(order), 1),
             further={"tickangle": -60}),
        Axis("probability of membership", ends=(0, 1)), revision="membership",
        layout={"barmode": "stack", "bargap": 0.1, "legend_traceorder": "normal"},
    ).figure(caption, canvas)
