"""Comparison of geometries by their predictions."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pandas as pd

from tripletscope.core.inference.evaluation.geometry import Geometries
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
from tripletscope.dashboard.wording import Words


@presents("compare_geometries", told_in="comparison")
def geometry_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    """Log-likelihood of held-out choices under each geometry beyond that of the Euclidean map."""
    result, words = run.result(), shown.words
    yield from geometry_said(words, result)
    table = pd.DataFrame({
        "name": [_name(words, result, model) for model in result.models], "value": result.gain,
        "low": result.gain_low, "high": result.gain_high, "p": result.p,
    })
    yield shown.drawing(
        run, "geometry", rows_height(len(table)) / SCREEN.width,
        partial(interval_rows, table, value=words("gain in log-likelihood")),
        lambda: table, over=words.over(result.unit, result.n_units),
    )
    yield Numbers(words("numbers"), lambda: result.table)
    yield from map(Advice, result.notes)
    if result.surely:
        yield Advice(words("geometries alike"))


def _name(words: Words, result: Geometries, model: str) -> str:
    return words(f"geometry {model}", exponent=result.exponent)


def geometry_said(words: Words, result: Geometries) -> Iterator[Statement]:
    """Whether the Euclidean map holds against each alternative."""
    surely = result.surely
    if not result.predicts:
        yield Statement(words("geometry unknown", choices=result.n_choices))
        return
    if not surely:
        least = min(result.p)
        yield Statement(words("geometry holds", p=least, choices=result.n_choices))
        return
    best = max(surely, key=lambda name: result.gain[result.models.index(name)])
    k = result.models.index(best)
    yield Statement(words(
        f"geometry better {best}", name=_name(words, result, best), p=result.p[k],
        gain=(result.gain[k], result.gain_low[k], result.gain_high[k]),
        over=(result.unit, result.n_units), context=result.context,
    ))
    if rest := [_name(words, result, name) for name in surely if name != best]:
        yield Statement(words("geometry better too", names=rest))
    yield Statement(words("geometry accuracy", accuracy=result.accuracy[k],
                         euclidean=result.euclidean_accuracy))
