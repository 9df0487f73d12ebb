"""How often people answer as another observer does."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from tripletscope.core.inference.evaluation.choosing import ChoiceAccuracy
from tripletscope.dashboard.figures.chart import Axis, Plot
from tripletscope.dashboard.figures.layers import Series
from tripletscope.dashboard.figures.points import transparent
from tripletscope.dashboard.figures.series import bold
from tripletscope.dashboard.interface.theme import FAINT, SCREEN, Canvas, interval

#: Half the height of a band, in rows.
_HALF = 0.32
#: Beside what is drawn, so that chance does not lie on the names.
_ROOM = 0.03
#: Width of the names of kinds of questions, in sizes of the letters.
_NAMES = 20.0


def agreement_bars(
    found: Sequence[ChoiceAccuracy], observer: str, *, caption: str = "", canvas: Canvas = SCREEN
) -> go.Figure:
    """Agreement with people for each kind of question, with chance and ceiling.

    found: As `tripletscope.core.inference.evaluation.choosing.observer_agreement` gives them.
    """
    share = [one.accuracy for one in found]
    kinds = ["two options" if one.kind.shown == 2 else str(one.kind) for one in found]
    bounds = [(one.ceiling.lower.value, one.ceiling.upper.value) if one.ceiling.is_precise else ()
              for one in found]
    drawn = [
        *(edge for one in share for edge in (one.low, one.high)), *(one.chance for one in found),
        *(bound for both in bounds for bound in both),
    ]
    points = Series(
        x=[one.value for one in share], y=list(range(len(found))), size=10.0,
        low=[one.low for one in share], high=[one.high for one in share], text=[
            bold(kind, f"{interval(one.value, one.low, one.high)} of {one.n:,} trials")
            for kind, one in zip(kinds, share, strict=True)
        ],
    )
    figure = Plot(
        [points],
        Axis(f"agreement of people with {observer}", ends=(min(drawn) - _ROOM, max(drawn) + _ROOM),
             further={"tickformat": ".2~f"}),
        Axis(names=kinds, width=_NAMES), revision="agreement",
    ).figure(caption, canvas)
    line = {"color": FAINT, "width": 1.0}
    for row, (one, ends) in enumerate(zip(found, bounds, strict=True)):
        across = {"y0": row - _HALF, "y1": row + _HALF}
        if ends:
            figure.add_shape(
                type="rect", x0=ends[0], x1=ends[1], **across, line={**line, "dash": "dash"},
                fillcolor=transparent(FAINT, 0.2), layer="below",
            )
        figure.add_shape(
            type="line", x0=one.chance, x1=one.chance, **across, line={**line, "dash": "dot"}
        )
    return figure
