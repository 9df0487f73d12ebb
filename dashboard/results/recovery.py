"""Recovery of the right feature space in simulations."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from tripletscope.core.features.recovery import Recovered
from tripletscope.core.run import Run
from tripletscope.dashboard.figures.observers import square_matrix
from tripletscope.dashboard.results.features import not_held_out
from tripletscope.dashboard.results.presentation import (
    Advice,
    Element,
    Numbers,
    ShownResults,
    Statement,
    presents,
)
from tripletscope.dashboard.words import words

#: Most indistinguishable pairs that are named.
_MOST = 3


@presents("recover_spaces", told_in="features")
def recovery_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    result = run.result()
    yield from recovery_said(result)
    yield shown.drawing(
        run, "recovery", 0.62,
        partial(
            square_matrix, result.best, result.spaces, title=words("share of simulations"),
            across=words("best space"), down=words("simulated from"), limits=(0.0, 1.0),
        ),
        lambda: result.table, number=result.repeats, how=words(f"model {result.model}"),
        scheme=words(f"held out {result.scheme}"),
    )
    yield Numbers(words("numbers"), lambda: result.table)
    yield from not_held_out(result)
    yield Advice(words("recovery is needed"))


def recovery_said(result: Recovered) -> Iterator[Statement]:
    """Which spaces cannot be distinguished, and how many choices would do."""
    confused = result.confused
    if not confused:
        least = float(np.minimum(result.wins, result.wins.T)[np.triu_indices(len(result.wins), 1)]
                      .min())
        yield Statement(words("spaces recovered", least=least, number=result.repeats))
    for i, j in confused[:_MOST]:
        loss = 1 - min(result.wins[i, j], result.wins[j, i])
        said = words("spaces confused", one=result.spaces[i], other=result.spaces[j], share=loss)
        needed = np.maximum(result.needed[i, j], result.needed[j, i])  # NaN where either is
        more = words("choices not known") if np.isnan(needed) else words(
            "choices needed", number=int(round(needed, -2)), there=result.n_choices
        )
        yield Statement(f"{said} {more}")
    if len(confused) > _MOST:
        yield Statement(words("more confused", number=len(confused) - _MOST))
