"""How often people answer as another observer does."""

from __future__ import annotations

import html
from collections.abc import Sequence

import plotly.graph_objects as go

from tripletscope.core.inference.evaluation.choosing import ChoiceAccuracy
from tripletscope.dashboard.figures.points import transparent
from tripletscope.dashboard.interface.theme import (
    FAINT,
    PALETTE,
    SCREEN,
    Canvas,
    finished,
    interval,
    template,
)

#: Half the height of a band, in rows.
_HALF = 0.32
#: Beside what is drawn, so that chance does not lie on the names.
_ROOM = 0.03


def agreement_bars(
    found: Sequence[ChoiceAccuracy], observer: str, *, caption: str = "", canvas: Canvas = SCREEN
) -> go.Figure:
    """Agreement with people for each kind of question, with chance and ceiling.

    found: As `tripletscope.core.inference.evaluation.choosing.observer_agreement` gives them.
    """
    figure = go.Figure()
    for row, one in enumerate(found):
        lower, upper = one.ceiling.lower, one.ceiling.upper
        if one.ceiling.is_precise:
            figure.add_shape(
                type="rect", x0=lower.value, x1=upper.value, y0=row - _HALF, y1=row + _HALF,
                fillcolor=transparent(FAINT, 0.2), line={"color": FAINT, "dash": "dash",
                                                         "width": canvas.scale}, layer="below",
            )
        figure.add_shape(
            type="line", x0=one.chance, x1=one.chance, y0=row - _HALF, y1=row + _HALF,
            line={"color": FAINT, "dash": "dot", "width": 1.6 * canvas.scale},
        )
    share = [one.accuracy for one in found]
    drawn = [
        *(edge for one in share for edge in (one.low, one.high)), *(one.chance for one in found),
        *(bound.value for one in found if one.ceiling.is_precise
          for bound in (one.ceiling.lower, one.ceiling.upper)),
    ]
    kinds = ["two options" if one.kind.shown == 2 else str(one.kind) for one in found]
    figure.add_scatter(
        x=[one.value for one in share], y=list(range(len(found))), mode="markers",
        marker={"color": PALETTE[0], "size": 10 * canvas.scale},
        error_x={"type": "data", "array": [one.high - one.value for one in share],
                 "arrayminus": [one.value - one.low for one in share],
                 "thickness": 1.5 * canvas.scale, "width": 0},
        hovertext=[
            f"<b>{html.escape(kind, quote=False)}</b><br>"
            f"{interval(one.value, one.low, one.high)} of {one.n:,} trials"
            for kind, one in zip(kinds, share, strict=True)
        ],
        hovertemplate="%{hovertext}<extra></extra>", showlegend=False,
    )
    figure.update_layout(
        template=template(canvas), dragmode="zoom", uirevision="agreement",
        xaxis={"title": f"agreement of people with {html.escape(observer, quote=False)}",
               "tickformat": ".2~f", "zeroline": False,
               "range": [min(drawn) - _ROOM, max(drawn) + _ROOM]},
        yaxis={"tickvals": list(range(len(found))), "ticktext": kinds, "showgrid": False,
               "zeroline": False, "range": [len(found) - 0.5, -0.5]},
    )
    return finished(figure, caption, canvas)
