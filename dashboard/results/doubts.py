"""What a result does not mean, in sentences: of `tripletscope.core.inference.validity`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tripletscope.core.inference.validity import (
    Doubt,
    another_method,
    by_gravity,
    doubts,
    more_dimensions,
)
from tripletscope.core.run import Run
from tripletscope.dashboard.results.families import dimensions_ahead, others_ahead
from tripletscope.dashboard.results.presentation import ShownResults
from tripletscope.dashboard.words import LinkedSentence, words

#: Where the documentation says what helps.
HELP = {
    **dict.fromkeys(("guessing", "random order"), "guessing"),
    **dict.fromkeys(("popularity", "another method"), "choosing#which-method-for-a-map"),
    **dict.fromkeys(("parts", "weak links"), "choosing#which-questions"),
    "more dimensions": "pages/compare#methods-and-dimensions",
    "few answers": "choosing#how-many-answers", "copies": "pages/data#exclusions",
    "unfinished": "convergence", "degenerate": "pages/embedding#dissimilarities",
    "no clusters": "pages/clusters#number-and-stability", "ties": "pages/clusters#height-cut",
}


def doubts_said(found: Iterable[Doubt | None], *besides: str) -> Iterator[LinkedSentence]:
    """A sentence for each doubt, but those with some codes."""
    for doubt in found:
        if doubt is not None and doubt.code not in besides:
            yield LinkedSentence(words(f"doubt {doubt.code}", **doubt.values), HELP[doubt.code])


def doubts_of(shown: ShownResults, run: Run | None, error: Run | None = None) -> list[Doubt]:
    """Doubts about a result, with its held-out error if that is known; of answers alone without.

    Errors of other methods, and of more dimensions, count that are shown with it.
    """
    found = doubts(
        shown.answers, run.fitted() if run else None, error=error.result() if error else None
    )
    if run is not None and run.parameters.get("n_components"):
        found += [another_method(others_ahead(shown, run)),
                  more_dimensions(dimensions_ahead(shown, run))]
    return by_gravity(found)
