"""How people differ in how often they seem to guess."""

from __future__ import annotations

from collections.abc import Iterator

from tripletscope.core.people.careless import LOW
from tripletscope.core.run import Run
from tripletscope.dashboard.figures.quality import MOST_RATES, lapse_rates
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.results.shown import ShownResults, presents

_TALL = 0.7


@presents("with_lapses")
def lapses_of(shown: ShownResults, run: Run) -> Iterator[Drawing]:
    """Rates of answers like guesses of all people, where the answers tell them."""
    found, words = run.result(), shown.words
    if not found.told:
        return
    table = found.table
    text = words("lapses of", method=words.method(run.fresh()), low=words.percent(LOW, 0),
                 shown=words.whole(min(len(table), MOST_RATES)),
                 people=words.count(len(table), "participant"))
    yield Drawing(
        "lapse-rates", words("title lapses"), text,
        words("alt lapses", number=words.count(len(table), "participant")), _TALL,
        lambda canvas: lapse_rates(table, usual=found.usual, caption=text, canvas=canvas),
        lambda: table, (run.key,),
    )
