"""Dimensions of several fits: which are shared, which are not, and the objects that part them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd

from tripletscope.core.dimensions.reproducibility import FOUND_AGAIN
from tripletscope.core.features.shared_dimensions import SharedDimensions
from tripletscope.core.run import Run
from tripletscope.dashboard.figures.observers import square_matrix
from tripletscope.dashboard.figures.reproduced import matched_dimensions, matched_height
from tripletscope.dashboard.results.shown import (
    Advice,
    Element,
    Numbers,
    ShownResults,
    Statement,
    presents,
)
from tripletscope.dashboard.wording import Words

_WIDTH = 900.0
#: Dimensions that are named, and objects that part a pair.
_NAMED, _PARTING = 6, 5


@presents("shared_dimensions", told_in="interpretable")
def shared_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    """What each other fit shares with the reference, and how alike all fits are."""
    result, words = run.result(), shown.words
    several = len(result.fits) > 2
    if several:
        yield from alike_said(words, result)
        yield shown.drawing(
            run, "fits", 0.6, lambda caption, canvas: square_matrix(
                result.mean, result.fits, title=words("mean correlation"), limits=(0.0, 1.0),
                caption=caption, canvas=canvas,
            ), lambda: pd.DataFrame(result.mean, result.fits, result.fits),
            objects=len(result.objects),
        )
    for k, name in enumerate(result.fits[1:]):
        yield from shared_said(shown, result, k)
        order = columns_of(result, k)
        names = result.names(k + 1)
        drawing = shown.drawing(
            run, "shared-dimensions", matched_height(len(result.place[k])) / _WIDTH, partial(
                matched_dimensions, result.table(k), result.correlations[k][:, order],
                [names[j] for j in order], titles=(result.fits[0], name),
                values=(words("correlation"), words("correlation with partner")),
                kinds=tuple(map(words, ("shared dimension", "other dimension", "chance reach"))),
            ), partial(_parted, shown, result, k), place=str(k + 1) if several else "",
            one=result.fits[0], other=name, objects=len(result.objects),
        )
        yield replace(drawing, is_folded=k > 0)
        yield Numbers(f"Numbers: {name}", partial(_parted, shown, result, k))
    yield Advice(words("shared or weak"))


def columns_of(result: SharedDimensions, k: int) -> list[int]:
    """Dimensions of another fit in the order of their partners; those without one come last."""
    partners = [int(j) for j in result.place[k] if j >= 0]
    return [*partners, *(j for j in range(result.n_dimensions[k + 1]) if j not in set(partners))]


def _parted(shown: ShownResults, result: SharedDimensions, k: int) -> pd.DataFrame:
    """A row for each dimension, with the objects that have less and more of it in another fit."""
    parted = [result.parting(k, d, _PARTING) for d in range(len(result.place[k]))]
    return result.table(k).assign(**{
        f"more in {fit}": [", ".join(_labels(shown, objects[side])) for objects in parted]
        for side, fit in enumerate((result.fits[0], result.fits[k + 1]))
    })


def _labels(shown: ShownResults, objects: np.ndarray) -> list[str]:
    return [shown.answers.labels[i] for i in objects.tolist()]


def alike_said(words: Words, result: SharedDimensions) -> Iterator[Statement]:
    """Which fits are most alike, and which no more than unrelated ones.

    Silent on: unrelated fits
    (tests/core/features/test_shared_dimensions.py::test_unrelated_fits_share_nothing).
    """
    i, j = np.triu_indices(len(result.fits), 1)
    sure = result.mean_p[i, j] * len(i) <= 0.05
    if sure.any():
        best = int(np.argmax(np.where(sure, result.mean[i, j], -1.0)))
        yield Statement(words(
            "fits alike", one=result.fits[i[best]], other=result.fits[j[best]],
            mean=result.mean[i[best], j[best]],
        ))
    if not sure.all():
        yield Statement(words("fits unlike", number=int((~sure).sum()), all=len(i)))


def shared_said(shown: ShownResults, result: SharedDimensions, k: int) -> Iterator[Statement]:
    """What another fit shares with the reference, and what neither has of the other.

    Silent on: unrelated fits
    (tests/core/features/test_shared_dimensions.py::test_unrelated_fits_share_nothing).
    """
    words, shared, r = shown.words, result.shared[k], result.matched[k]
    fits = {"one": result.fits[0], "other": result.fits[k + 1]}
    chance = result.chance[k]
    said = {**fits, "number": len(shared), "objects": len(result.objects),
            "low": float(np.nanmin(chance)), "high": float(np.nanmax(chance))}
    if not shared.any():
        yield Statement(words("fits share none", **said))
        return
    yield Statement(words(
        "fits share", **said, shared=int(shared.sum()), least=float(r[shared].min()),
        most=float(r[shared].max()), same=int((r[shared] > FOUND_AGAIN).sum()),
    ))
    names = result.names(0)
    for fit, unique in (
        (fits["one"], [names[d] for d in np.flatnonzero(~shared)]),
        (fits["other"], result.without_partner(k)),
    ):
        if unique:
            yield Statement(words("dimensions unique", fit=fit, number=len(unique),
                                  names=words.first(unique, _NAMED)))
    part = int(np.argmax(np.where(shared, -r, -np.inf)))
    less, more = result.parting(k, part, _PARTING)
    yield Statement(words(
        "objects part", name=names[part], **fits, correlation=(
            r[part], result.low[k, part], result.high[k, part],
        ), less=_labels(shown, less), more=_labels(shown, more),
    ))
