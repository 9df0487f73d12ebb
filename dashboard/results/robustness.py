"""Views beside random sets of their sizes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tripletscope.core.inference.uncertainty.robustness import FEWEST, STATISTICS
from tripletscope.core.run import Run
from tripletscope.dashboard.results.presentation import (
    Element,
    Numbers,
    ShownResults,
    Statement,
    presents,
)
from tripletscope.dashboard.words import words


@presents("robustness")
def robustness_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    """Which views differ from random sets of their sizes; a figure is that of the multiverse."""
    result = run.result()
    if result.ways < FEWEST:
        yield Statement(words("robust too few", people=result.n_people, ways=round(result.ways)))
    elif not np.isfinite(result.value[:, 1:]).any(axis=0).all():
        yield Statement(words("robust too little"))
    elif not result.changed and not result.other_questions:
        yield Statement(words("robust alike", p=float(np.nanmin([1.0, *result.p.ravel()]))))
    for name, k in result.changed:
        s = STATISTICS.index(name)
        yield Statement(words(
            f"robust {name}", view=result.views[k], value=result.value[s, k], p=result.p[s, k],
            all=result.value[s, 0], low=result.chance_low[s, k], high=result.chance_high[s, k],
        ))
    if result.other_questions:
        yield Statement(words("robust questions", views=result.other_questions))
    if result.changed:
        yield Statement(words("robust advice"))
    yield Numbers(words("random sets"), lambda: result.table)
