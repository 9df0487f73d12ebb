"""Shared and unique dimensions of several fits, and the objects that part them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd

from tripletscope.core.features.shared_dimensions import SharedDimensions
from tripletscope.core.models.dimensions.reproducibility import FOUND_AGAIN
from tripletscope.core.run import Run
from tripletscope.dashboard.figures.observers import square_matrix
from tripletscope.dashboard.figures.reproduced import matched_dimensions, matched_height
from tripletscope.dashboard.figures.theme import SCREEN
from tripletscope.dashboard.results.presentation import (
    Advice,
    Element,
    Numbers,
    ShownResults,
    Statement,
    presents,
)
from tripletscope.dashboard.words import words

_WIDTH = 900.0
#: Most names of dimensions, and of objects that part a pair.
_NAMED, _PARTING = 6, 5


@presents("shared_dimensions", told_in="interpretable")
def shared_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    """Shared dimensions of each other fit and the reference, and the similarity of all fits."""
    result = run.result()
    several = len(result.fits) > 2
    for k, name in enumerate(result.fits[1:]):
        yield from shared_said(shown, result, k)
        names, partners = result.names(k + 1), [int(j) for j in result.place[k] if j >= 0]
        # On the diagonal those that are matched.
        order = [*partners, *(j for j in range(len(names)) if j not in partners)]
        table = partial(_parted, shown, result, k)
        yield replace(shown.drawing(
            run, "shared-dimensions", matched_height(len(result.place[k])) / SCREEN.width, partial(
                matched_dimensions, result.table(k), result.correlations[k][:, order],
                [names[j] for j in order], titles=(result.fits[0], name),
                values=(words("correlation"), words("correlation with partner")),
                kinds=tuple(map(words, ("shared dimension", "other dimension", "chance reach"))),
            ), table, place=str(k + 1) if several else "", one=result.fits[0], other=name,
            objects=len(result.objects),
        ), is_folded=k > 0)
        yield Numbers(f"{words('numbers')}: {name}", table)
    if several:
        yield shown.drawing(
            run, "fits", 0.6, partial(
                square_matrix, result.mean, result.fits, title=words("mean correlation"),
                limits=(0.0, 1.0),
            ), lambda: pd.DataFrame(result.mean, result.fits, result.fits),
            objects=len(result.objects),
        )
    yield Advice(words("shared or weak"))


def _parted(shown: ShownResults, result: SharedDimensions, k: int) -> pd.DataFrame:
    """A row for each dimension, with the objects that have less and more of it in another fit."""
    parted = [result.parting(k, d, _PARTING) for d in range(len(result.place[k]))]
    return result.table(k).assign(**{
        f"more in {fit}": [", ".join(_labels(shown, objects[side])) for objects in parted]
        for side, fit in enumerate((result.fits[0], result.fits[k + 1]))
    })


def _labels(shown: ShownResults, objects: np.ndarray) -> list[str]:
    return [shown.answers.labels[i] for i in objects.tolist()]


def shared_said(shown: ShownResults, result: SharedDimensions, k: int) -> Iterator[Statement]:
    """Shared and unique dimensions of another fit and the reference."""
    table = result.table(k)
    both = {"one": result.fits[0], "other": result.fits[k + 1]}
    said = {**both, "number": len(table), "objects": len(result.objects),
            "low": table["chance"].min(), "high": table["chance"].max()}
    shared = table[table["shared"]].sort_values("correlation")
    if shared.empty:
        yield Statement(words("fits share none", **said))
        return
    r = shared["correlation"]
    yield Statement(words("fits share", **said, shared=len(r), least=r.iloc[0], most=r.iloc[-1],
                          same=int((r > FOUND_AGAIN).sum())))
    for fit, names, members in (
        (both["one"], table["dimension"], shared["dimension"]),
        (both["other"], result.names(k + 1), shared["partner"]),
    ):
        alone = [name for name in names if name not in set(members)]
        if alone:
            yield Statement(words("dimensions unique", fit=fit, number=len(alone),
                                  names=words.first(alone, _NAMED)))
    less, more = result.parting(k, int(shared.index[0]), _PARTING)
    yield Statement(words(
        "objects part", **both, name=shared["dimension"].iloc[0],
        correlation=shared[["correlation", "low", "high"]].iloc[0],
        less=_labels(shown, less), more=_labels(shown, more),
    ))
