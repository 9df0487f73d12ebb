"""Whether features explain the answers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tripletscope.core.explaining.correlation import MapCorrelation
from tripletscope.core.explaining.explain import Explained, surely_above
from tripletscope.core.explaining.left_over import LeftOver
from tripletscope.core.explaining.unique import UniqueParts
from tripletscope.core.explaining.weights import FeatureWeights
from tripletscope.dashboard.drawing.explaining import in_order, parts_of, shares_of
from tripletscope.dashboard.report.document import Block
from tripletscope.dashboard.report.material import Material, plain
from tripletscope.dashboard.report.parts.method import joined
from tripletscope.dashboard.report.parts.part import part
from tripletscope.dashboard.wording import Words

#: Features whose shares are told.
_FEW = 5


@part("features", "results", 7.5)
def features(material: Material) -> Iterator[Block]:
    """Predictions by features, what each counts, and what they leave over."""
    words = material.words
    for task, sentences in (
        ("explain", _of_accuracy), ("feature_weights", _of_weights), ("unique_parts", _of_parts),
        ("map_correlation", _of_map), ("left_over", _of_rest),
    ):
        for run in material.all_of(task):
            figures = list(material.drawn(run))
            places = words.listing([f"@fig-{figure.name}" for figure in figures])
            yield joined(*sentences(words, run.result()), words("see figure", place=places))
            yield from figures


def _of_accuracy(words: Words, found: Explained) -> Iterator[str]:
    """As `surely_above` has it.

    Silent on: random features (tests/dashboard/views/test_features.py::test_random_features).
    """
    table = in_order(found.table)
    rows = surely_above(table)
    scheme = rows["held_out"].iloc[0]
    best = rows.loc[rows["accuracy"].idxmax()]
    surely = best["surely"]
    yield words(
        f"features best {scheme}" if surely else f"features none {scheme}",
        best=plain(best["space"]), how=words(f"model {best['model']}"),
        accuracy=words.share(best["accuracy"]), interval=words.interval(best["low"], best["high"]),
        over=words.over(found.unit, found.n_units), chance=words.share(best["chance"]),
        choices=words.whole(int(best["choices"])),
    )
    nothing = [
        plain(name) for name, own in rows.groupby("space", sort=False)
        if not own["surely"].any()
    ]
    if surely and nothing:
        yield words("features at chance", names=words.listing(nothing))
    if np.isnan(found.ceiling_upper[0]):
        yield words("features no ceiling")


def _of_weights(words: Words, found: FeatureWeights) -> Iterator[str]:
    yield words("features weigh", over=words.over(found.unit, found.n_units), names=words.listing([
        f"{plain(row.name)} {words.share(row.value)} ({words.interval(row.low, row.high)})"
        for row in shares_of(found).head(_FEW).itertuples()
    ]))


def _of_parts(words: Words, found: UniqueParts) -> Iterator[str]:
    scheme, _ = parts_of(found)
    k = found.schemes.index(scheme)
    yield words(
        f"parts together {scheme}", total=words.share(found.total[k]),
        interval=words.interval(found.total_low[k], found.total_high[k]),
        over=words.over(found.unit, found.n_units),
    )
    adds = [
        f"{plain(name)} {words.share(found.unique[i, k])} "
        f"({words.interval(found.unique_low[i, k], found.unique_high[i, k])})"
        for i, name in enumerate(found.predictors) if found.adds[i, k]
    ]
    yield words("parts add", names=words.listing(adds)) if adds else words("parts add none")


def _of_map(words: Words, found: MapCorrelation) -> Iterator[str]:
    best = int(found.value.argmax())
    yield words(
        "features correlate" if found.surely[best] else "features correlate none",
        best=plain(found.spaces[best]), value=words.share(found.value[best]),
        interval=words.interval(found.low[best], found.high[best]),
    )


def _of_rest(words: Words, found: LeftOver) -> Iterator[str]:
    yield words(
        "left over something" if found.is_something else "left over nothing",
        gain=words.share(found.gain), interval=words.interval(found.gain_low, found.gain_high),
        over=words.over(found.unit, found.n_units),
    )
