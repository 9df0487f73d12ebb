"""How people differ in how often they seem to guess."""

from __future__ import annotations

from collections.abc import Iterator

from tripletscope.core.models.embedding import STE
from tripletscope.core.people.careless import LOW
from tripletscope.core.run import Run
from tripletscope.dashboard.figures.quality import MOST_RATES, lapse_rates
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.results.shown import Element, ShownResults, Statement, presents

_TALL = 0.7


@presents("with_lapses")
def lapses_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    """Rates of answers like guesses of all people, where the answers tell them."""
    found, words, method = run.result(), shown.words, shown.words.method(run.fresh())
    if not found.told:
        why = "withheld" if found.heavier is not None else "not converged"
        key = f"lapses {why}" if run.method == STE.name else "lapses of ste"
        yield Statement(words(key, method=method))
        return
    out, table = int(found.stand_out.sum()), found.table
    low, people = words.percent(LOW, 0), words.count(len(table), "participant")
    yield Statement(words(
        "lapses found" if out else "no lapses found", method=method, low=low,
        usual=words.percent(found.usual), number=words.count(out, "participant"),
    ))
    text = words("lapses of", method=method, low=low, people=people,
                 shown=words.whole(min(len(table), MOST_RATES)))
    yield Drawing(
        "lapse-rates", words("title lapses"), text, words("alt lapses", number=people), _TALL,
        lambda canvas: lapse_rates(table, usual=found.usual, caption=text, canvas=canvas),
        lambda: table, (run.key,),
    )
