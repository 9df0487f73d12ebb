"""Rates of answers like guesses, by participant."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import pandas as pd

from tripletscope.core.data.columns import sides_of
from tripletscope.core.models.embedding import STE
from tripletscope.core.people.lapses import LOW, LapseFit
from tripletscope.core.run import Run
from tripletscope.dashboard.figures.labels import short_people
from tripletscope.dashboard.figures.quality import MOST_RATES, lapse_rates
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.results.presentation import (
    Advice,
    Element,
    Numbers,
    ShownResults,
    Statement,
    presents,
)
from tripletscope.dashboard.words import unmarked, words

_TALL = 0.7
_NAMED = 5  # people in a sentence


@presents("with_lapses", told_in="groups")
def lapses_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    """Rates of answers like guesses of all people, where the answers determine them."""
    result, method = run.result(), words.method(run.fresh())
    if not result.rates_are_trustworthy:
        why = "withheld" if result.heavier is not None else "not converged"
        key = f"lapses {why}" if run.method == STE.name else "lapses of ste"
        yield Statement(words(key, method=method))
        if key == "lapses withheld":
            yield Advice(words("who guesses otherwise"))
        return
    out, table = int(result.stand_out.sum()), result.table
    low, people = words.percent(LOW, 0), words.count(len(table), "participant")
    yield Statement(words(
        "lapses found" if out else "no lapses found", method=method, low=low,
        usual=words.percent(result.usual), number=words.count(out, "participant"),
    ))
    if out:
        yield Advice(words("who guesses", names=_who(result)))
    text = words("lapses of", method=method, low=low, people=people,
                 shown=words.whole(min(len(table), MOST_RATES)))
    yield Drawing(
        "lapse-rates", words("title lapses"), text, words("alt lapses", number=people), _TALL,
        lambda canvas: lapse_rates(table, usual=result.usual, caption=text, canvas=canvas),
        lambda: table, (run.key,),
    )
    side = next(iter(sides_of(shown.answers)[1]), "")
    yield Numbers(words("rates and weights"), partial(_rates, table, side))


def _who(result: LapseFit) -> str:
    """People who clearly guess more often than usual, by descending rate."""
    short = short_people(result.participants.tolist())
    out = np.flatnonzero(result.stand_out)
    rates = np.transpose([result.lapse, result.low, result.high])
    return words.first([
        words("rate of", name=unmarked(short[result.participants[p]]),
              **dict(zip(("rate", "low", "high"), rates[p], strict=True)))
        for p in out[np.argsort(-result.lapse[out])]
    ], _NAMED)


def _rates(table: pd.DataFrame, side: str) -> pd.DataFrame:
    named = {
        "participant": "participant", "answers": "answers", "lapse": "like guesses",
        "lapse_low": "from", "lapse_high": "to", "weight": "weight",
        "first": f"{side} when guessing", "first_low": "side from", "first_high": "side to",
    }
    shown = table.assign(participant=short_people(table["participant"].tolist()).values())
    shown = shown.sort_values("lapse", ascending=False)[list(named)].rename(columns=named)
    return shown.dropna(axis=1, how="all")
