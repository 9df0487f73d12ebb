"""Typical and odd objects: depths in the answers, and on the map."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from tripletscope.core.features.typicality import CHANCE, Typicality
from tripletscope.core.run import Run
from tripletscope.dashboard.figures.theme import SCREEN, Canvas
from tripletscope.dashboard.figures.typicality import depth_height, depth_rows
from tripletscope.dashboard.results.presentation import (
    Element,
    Numbers,
    ShownResults,
    Statement,
    presents,
)
from tripletscope.dashboard.words import unmarked, words
from tripletscope.dashboard.words.sentences import distinct

#: Names in a sentence; rows of the figure, of which more are cut in the middle.
_NAMED, _ROWS = 5, 40
_FOUND = {1: "typical", 0: "not told apart", -1: "odd"}


@presents("typicality", told_in="map")
def typicality_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    """Whether objects differ, which are typical and odd, and a row for each."""
    result: Typicality = run.result()
    labels = distinct(shown.answers.labels)
    yield from typicality_said(result, labels)
    rows = rows_of(result, labels)

    def draw(caption: str, canvas: Canvas) -> go.Figure:
        return depth_rows(
            rows, value=words(f"depth {result.role}"), average=CHANCE[result.role],
            pictures=shown.pictures_on(canvas), faint=words(_FOUND[0]), selected=shown.selected,
            caption=caption, canvas=canvas,
        )

    yield shown.drawing(
        run, "typicality", depth_height(len(rows)) / SCREEN.width, draw,
        partial(depths_of, result, labels), alt="alt typicality", picks=True,
        said=words(f"counted {result.role}"), over=result.depth.over, first=labels[result.order[0]],
        rows=words.count(len(rows), "row"),
    )
    yield Numbers(words("title depths"), partial(depths_of, result, labels),
                  objects=tuple(result.order.tolist()), about=words("about depths"))


def typicality_said(result: Typicality, labels: list[str]) -> Iterator[Element]:
    """Objects that are surely typical or odd, ranks, and depths on the map."""
    order, names = result.order, np.array([unmarked(label) for label in labels], dtype=object)
    if not result.differs:
        yield Statement(words("typical alike", p=result.p))
    else:
        above = [names[i] for i in order if result.side[i] > 0]
        below = [names[i] for i in order[::-1] if result.side[i] < 0]
        sides = "; ".join(
            words(key, objects=words.first(some, _NAMED))
            for key, some in (("typical above", above), ("typical below", below)) if some
        )
        key = "typical differ" if sides else "typical unnamed"
        yield Statement(words(key, p=result.p, sides=sides))
        apart, one = np.sum(result.highest[order] - 1), order[0]
        yield Statement(words(
            "typical ranks", apart=2 * apart / (len(order) * (len(order) - 1)), first=names[one],
            highest=result.highest[one], lowest=result.lowest[one], objects=len(order),
        ) if apart else words("typical unranked"))
        if np.isfinite(result.agreement):
            yield Statement(words("typical map", agreement=result.agreement))
    if result.are_alike:
        yield Statement(words("typical company", company=result.company))


def rows_of(result: Typicality, labels: list[str]) -> pd.DataFrame:
    """Rows of the figure, the most typical on top; of many, the first and the last."""
    order, depth = result.order, result.depth
    rows = pd.DataFrame({
        "name": [labels[i] for i in order], "value": depth.value[order], "low": depth.low[order],
        "high": depth.high[order], "object": order,
        "kind": [words(_FOUND[k]) for k in result.side[order]],
    })
    left_out = len(rows) - _ROWS
    if left_out <= 0:
        return rows
    half = _ROWS // 2
    gap = rows[half : half + 1].assign(
        name=words("others between", number=left_out), value=np.nan, object=-1
    )
    return pd.concat([rows[:half], gap, rows[-half:]], ignore_index=True)


def depths_of(result: Typicality, labels: list[str]) -> pd.DataFrame:
    """A row for every object with a depth."""
    table = pd.DataFrame({
        "object": labels, "from rank": result.highest, "to rank": result.lowest,
        "depth": result.depth.value, "from": result.depth.low, "to": result.depth.high,
        "found": [words(_FOUND[k]) for k in result.side], "trials": result.n_answers,
        "lens depth on the map": result.lens,
    }).iloc[result.order].dropna(axis="columns", how="all").reset_index(drop=True)
    table.insert(1, "rank", 1 + table.index)
    return table
