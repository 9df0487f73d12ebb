"""Context and asymmetry by their predictions."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pandas as pd

from tripletscope.core.inference.evaluation.context_effects import ContextEffects
from tripletscope.core.run import Run
from tripletscope.dashboard.figures.explaining import interval_rows, rows_height
from tripletscope.dashboard.figures.theme import SCREEN
from tripletscope.dashboard.results.shown import (
    Advice,
    Element,
    Numbers,
    ShownResults,
    Statement,
    presents,
)
from tripletscope.dashboard.wording import words


@presents("context_effects", told_in="comparison")
def context_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    """Log-likelihood of held-out choices under each model beyond that of the Euclidean map."""
    result = run.result()
    yield from context_said(result)
    table = pd.DataFrame({
        "name": [words(f"effect {model}") for model in result.models], "value": result.gain,
        "low": result.gain_low, "high": result.gain_high, "p": result.p,
    })
    yield shown.drawing(
        run, "effects", rows_height(len(table)) / SCREEN.width,
        partial(interval_rows, table, value=words("gain in log-likelihood")),
        lambda: table, over=words.over(result.unit, result.n_units),
    )
    yield Numbers(words("numbers"), lambda: result.table)
    yield from map(Advice, result.notes)
    if result.surely:
        yield Advice(words("effects alike"))


def context_said(result: ContextEffects) -> Iterator[Statement]:
    """Whether the Euclidean map holds against context and asymmetry."""
    surely = result.surely
    if not result.predicts:
        yield Statement(words("effect unknown", choices=result.n_choices))
        return
    if not surely:
        least = min(result.p)
        yield Statement(words("effect holds", p=least, choices=result.n_choices))
        return
    best = max(surely, key=lambda name: result.gain[result.models.index(name)])
    k = result.models.index(best)
    yield Statement(words(
        f"effect better {best}", p=result.p[k],
        gain=(result.gain[k], result.gain_low[k], result.gain_high[k]),
        over=(result.unit, result.n_units), context=result.context,
    ))
    if rest := [words(f"effect {name}") for name in surely if name != best]:
        yield Statement(words("effect better too", names=rest))
    yield Statement(words("effect accuracy", accuracy=result.accuracy[k],
                         euclidean=result.euclidean_accuracy))
