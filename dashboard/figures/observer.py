"""How often people answer as another observer does."""

from __future__ import annotations

from collections.abc import Sequence

from tripletscope.core.inference.evaluation.choosing import ChoiceAccuracy
from tripletscope.dashboard.figures.chart import Axis, Plot, as_figure
from tripletscope.dashboard.figures.layers import Level, Series
from tripletscope.dashboard.figures.series import bold
from tripletscope.dashboard.wording.formats import interval

#: Half the height of a band, in rows.
_HALF = 0.32
#: Beside what is drawn, so that chance does not lie on the names.
_ROOM = 0.03
#: Width of the names of kinds of questions, in sizes of the letters.
_NAMES = 20.0


@as_figure
def agreement_bars(found: Sequence[ChoiceAccuracy], observer: str) -> Plot:
    """Agreement with people for each kind of question, with chance and ceiling.

    found: As `tripletscope.core.inference.evaluation.choosing.observer_agreement` gives them.
    """
    share = [one.accuracy for one in found]
    kinds = ["two options" if one.kind.shown == 2 else str(one.kind) for one in found]
    levels = []
    for row, one in enumerate(found):
        within = (row - _HALF, row + _HALF)
        if one.ceiling.is_precise:
            ends = (one.ceiling.lower.value, one.ceiling.upper.value)
            levels.append(Level(at=ends[0], to=ends[1], within=within, dash="dash"))
        levels.append(Level(at=one.chance, within=within))
    drawn = [edge for one in share for edge in (one.low, one.high)]
    drawn += [end for level in levels for end in (level.at, level.to) if end is not None]
    points = Series(
        x=[one.value for one in share], y=list(range(len(found))), size=10.0,
        low=[one.low for one in share], high=[one.high for one in share], text=[
            bold(kind, f"{interval(one.value, one.low, one.high)} of {one.n:,} trials")
            for kind, one in zip(kinds, share, strict=True)
        ],
    )
    return Plot(
        [*levels, points],
        Axis(f"agreement of people with {observer}", ends=(min(drawn) - _ROOM, max(drawn) + _ROOM),
             further={"tickformat": ".2~f"}),
        Axis(names=kinds, width=_NAMES), revision="agreement",
    )
