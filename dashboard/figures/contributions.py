"""The dimensions of an object, of a pair's similarity, and of a trial's answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from tripletscope.dashboard.figures.chart import Axis, Plot, add_layers, as_figure
from tripletscope.dashboard.figures.dimensions import NOTHING, DimensionData
from tripletscope.dashboard.figures.labels import escape, shorten
from tripletscope.dashboard.figures.layers import Bars, Series
from tripletscope.dashboard.figures.points import transparent
from tripletscope.dashboard.figures.series import bold
from tripletscope.dashboard.figures.theme import (
    FAINT,
    FONT_SIZE,
    PALETTE,
    SCREEN,
    Canvas,
    finished,
    with_rows,
)
from tripletscope.dashboard.words.formats import number

#: Most dimensions of a rose and of bars.
PETALS, BARS = 14, 12
#: Dimensions of a trial with a colour.
_TOLD = 7
#: Width of the name of a dimension beside bars and around a rose, in sizes of the letters.
_BESIDE, _AROUND = 15.0, 7.0
#: Colours that dimensions take in turn.
_COLOURS = 8


@dataclass(frozen=True)
class ExplainedTrial:
    """An odd-one-out trial explained by dimensions.

    objects: The last one was chosen as the odd one.
    contributions (3, d): Products of weights, of the pair that stays if each object is odd.
    probabilities (3,): Of each object to be the odd one.
    """

    objects: tuple[int, int, int]
    contributions: np.ndarray
    probabilities: np.ndarray


def strongest(values: np.ndarray, most: int) -> np.ndarray:
    """Positions of the largest values, descending, without those next to 0."""
    order = np.argsort(-values, kind="stable")[:most]
    return order[values[order] > NOTHING * max(float(values.max(initial=0.0)), 0.0)]


def rose(
    data: DimensionData, things: Sequence[int], *, caption: str = "", canvas: Canvas = SCREEN
) -> go.Figure:
    """A rose for each of some objects: petals as long as weights of the strongest dimensions."""
    which = np.sort(strongest(data.weights[list(things)].max(axis=0), PETALS))
    figure = make_subplots(1, len(things), specs=[[{"type": "polar"}] * len(things)],
                           horizontal_spacing=0.24 / len(things))
    reach = float(data.weights[np.ix_(list(things), which)].max(initial=0.0)) or 1.0
    angles = np.arange(len(which)) * 360.0 / max(len(which), 1)
    names = [
        escape(shorten(title, _AROUND)) if data.names.get(k) else f"dim. {k + 1}"
        for k, title in zip(which.tolist(), _names(data, which), strict=True)
    ]
    for k, thing in enumerate(things):
        figure.add_trace(go.Barpolar(
            theta=angles, r=data.weights[thing, which], width=0.86 * 360.0 / max(len(which), 1),
            marker={"color": _colours(which), "line": {"width": 0}}, showlegend=False,
            hovertext=[data.hover(thing, d) for d in which.tolist()],
            hovertemplate="%{hovertext}<extra></extra>", name=data.labels[thing],
        ), 1, k + 1)
    figure.update_polars(
        bgcolor="rgba(0,0,0,0)", hole=0.08,
        radialaxis={"visible": True, "range": [0, reach], "showticklabels": True,
                    "tickfont": {"size": 0.75 * FONT_SIZE, "color": FAINT},
                    "showline": False, "gridcolor": transparent(FAINT, 0.3), "nticks": 4,
                    "ticks": ""},
        angularaxis={"tickvals": angles, "ticktext": names, "direction": "clockwise",
                     "rotation": 90, "gridcolor": transparent(FAINT, 0.3), "ticks": "",
                     "linecolor": transparent(FAINT, 0.3),
                     "tickfont": {"size": 0.85 * FONT_SIZE}},
    )
    figure.update_layout(uirevision="rose", showlegend=False)
    # Names around the roses have room, and so has the name of the object above each.
    edge = 3.4 * FONT_SIZE
    figure.update_layout(margin={"l": edge, "r": edge, "t": 2 * edge, "b": edge})
    for k, thing in enumerate(things):
        place = figure.layout["polar" if k == 0 else f"polar{k + 1}"].domain.x
        figure.add_annotation(
            text=f"<b>{escape(shorten(data.labels[thing], 16.0))}</b>",
            x=sum(place) / 2, y=1, yshift=3.6 * FONT_SIZE, xref="paper", yref="paper",
            xanchor="center", yanchor="bottom", showarrow=False, font={"size": FONT_SIZE},
        )
    return finished(figure, caption, canvas, top=2 * edge + 20)


@as_figure
def object_bars(data: DimensionData, thing: int) -> Plot:
    """The strongest dimensions of an object as bars, with the 95 % interval of each weight."""
    which = strongest(data.weights[thing], BARS)
    return Plot(
        [_weights(data, thing, which, _colours(which))], Axis("weight", zero=True),
        Axis(names=_names(data, which), width=_BESIDE), revision=f"bars {thing}",
        layout={"bargap": 0.3},
    )


def two_objects(
    data: DimensionData, one: int, other: int, *, caption: str = "", canvas: Canvas = SCREEN
) -> go.Figure:
    """Weights of two objects, and the contribution of each dimension to their similarity."""
    which = compared(data.weights[one], data.weights[other])
    product = data.weights[one, which] * data.weights[other, which]
    canvas = with_rows(canvas, 1.6 * len(which))
    names = [escape(shorten(data.labels[k], 14.0)) for k in (one, other)]
    figure = make_subplots(
        1, 3, shared_yaxes=True, horizontal_spacing=0.025, column_widths=[0.3, 0.3, 0.4],
        subplot_titles=[f"<b>{names[0]}</b>", f"<b>{names[1]}</b>", "similarity"],
    )
    total = float(data.weights[one] @ data.weights[other])
    bars = [
        _weights(data, one, which, PALETTE[0]), _weights(data, other, which, PALETTE[1]),
        Bars(at=np.arange(len(which)), length=product, rank=2, text=[
            bold(data.title(d), f"{number(float(p))} of {number(total)}")
            for d, p in zip(which.tolist(), product, strict=True)
        ]),
    ]
    for column, layer in enumerate(bars, 1):
        add_layers(figure, [layer], sideways=True, row=1, col=column)
    rows = Axis(names=_names(data, which), width=_BESIDE)
    figure.update_yaxes(**rows.settings([], rows=True))
    reach = float(data.weights[[one, other]].max()) * 1.05 or 1.0
    figure.update_xaxes(range=[reach, 0], title="weight", nticks=4, row=1, col=1)
    figure.update_xaxes(range=[0, reach], title="weight", nticks=4, row=1, col=2)
    figure.update_xaxes(title="product of weights", rangemode="tozero", nticks=5, row=1, col=3)
    figure.update_annotations(font_size=FONT_SIZE)
    figure.update_layout(
        dragmode="zoom", bargap=0.3, uirevision=f"{one} {other}",
        margin_t=1.8 * FONT_SIZE,
    )
    return finished(figure, caption, canvas, top=46)


def compared(one: np.ndarray, other: np.ndarray, most: int = BARS) -> np.ndarray:
    """Dimensions that make two objects similar, then those that only one of them has."""
    alike = strongest(one * other, most * 2 // 3)
    difference = np.abs(one - other)
    difference[alike] = 0.0
    return np.concatenate([alike, strongest(difference, most - len(alike))]).astype(int)


def trial_contributions(
    data: DimensionData, trial: ExplainedTrial, *, caption: str = "", canvas: Canvas = SCREEN
) -> go.Figure:
    """Contributions of dimensions to the similarity of each pair of a trial.

    At the end of each bar is the probability that the third object is the odd one.
    """
    total = trial.contributions.max(axis=0)
    which = strongest(total, _TOLD)
    short = [escape(shorten(data.labels[k], 12.0)) for k in trial.objects]
    pairs = [f"{short[a]} + {short[b]}" for a, b in ((1, 2), (0, 2), (0, 1))]
    pairs[2] = f"<b>{pairs[2]}</b>"
    parts = [
        (shorten(data.title(k), _BESIDE), trial.contributions[:, k], colour)
        for k, colour in zip(which.tolist(), _colours(which, distinct=True), strict=True)
    ]
    explained = sum((part for _, part, _ in parts), np.zeros(3))
    rest = np.maximum(trial.contributions.sum(axis=1) - explained, 0.0)
    if rest.max() > 0.005 * max(float(explained.max()), 1e-9):
        parts.append(("other dimensions", rest, transparent(FAINT, 0.45)))
    layers, begun = [], np.zeros(3)
    for name, part, colour in parts:
        layers.append(Bars(at=pairs, length=part, base=begun, name=name, colour=colour,
                           hover="%{y}<br>%{fullData.name}: %{x:.3g}"))
        begun = begun + part
    ends = explained + rest
    # An en space parts the words from their bar.
    odd = [f"\u2002{name} odd: {100 * p:.0f} %"
           for name, p in zip(short, trial.probabilities, strict=True)]
    layers.append(Series(x=ends, y=pairs, points=False, labels=odd, sides="middle right"))
    return Plot(
        layers, Axis("similarity (sum of products)", ends=(0, 1.28 * max(float(ends.max()), 1e-9))),
        Axis(grid=False), sideways=True, revision=str(trial.objects),
        layout={"barmode": "overlay", "bargap": 0.35, "showlegend": True},
    ).figure(caption, with_rows(canvas, 7.0 + 0.8 * len(which)))


# Parts ---------------------------------------------------------------------------------------


def _colours(which: np.ndarray, *, distinct: bool = False) -> list[str]:
    """A dimension has the same colour in every figure, unless `distinct` ones are needed."""
    colours: list[str] = []
    for k in which:
        colour = PALETTE[int(k) % _COLOURS]
        if distinct and colour in colours:
            colour = next((free for free in PALETTE[:_COLOURS] if free not in colours), colour)
        colours.append(colour)
    return colours


def _weights(data: DimensionData, thing: int, which: np.ndarray, colour: Any) -> Bars:
    low, high = data.ends(thing, which)
    return Bars(
        at=np.arange(len(which)), length=data.weights[thing, which], low=low, high=high,
        colour=colour, text=[data.hover(thing, d) for d in which.tolist()],
    )


def _names(data: DimensionData, which: np.ndarray) -> list[str]:
    return [data.title(k) for k in which.tolist()]
