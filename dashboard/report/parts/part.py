"""What a part of a report is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain

from tripletscope.dashboard.report.document import Block
from tripletscope.dashboard.report.material import Material
from tripletscope.dashboard.results.shown import TOLD_IN

#: Tasks whose results are told of, beside fits: those that a part says more of than their
#: presentation does, and those that say where they are told.
TOLD = (
    "bootstrap", "posterior", "laplace", "cross_validate", "split_error", "reliability",
    "calibrate", "abstention", "compare_active", "uncertainty_by_dimension", "stability",
    "count_clusters", "bootstrap_scale", "ordinal_scale", "diagnose", "errors_by_group",
    "compare_people", "compare_conditions", "with_lapses", "dimension_reproducibility",
    "penalty_curve", *chain.from_iterable(TOLD_IN.values()),
)
#: Chapters in their order; the keys are also those of their titles.
CHAPTERS = ("chapter method", "chapter results", "chapter end")


@dataclass(frozen=True)
class Part:
    """A part of a report.

    name: Also the key of its title, after "part".
    chapter: One of `CHAPTERS`.
    order: Within its chapter, at first.
    make: Makes its blocks.
    """

    name: str
    chapter: str
    order: float
    make: Callable[[Material], Iterator[Block]]


#: All parts by name.
PARTS: dict[str, Part] = {}


def part(
    name: str, chapter: str, order: float
) -> Callable[[Callable[[Material], Iterator[Block]]], Callable[[Material], Iterator[Block]]]:
    """Declare a function that makes a part."""

    def declare(make: Callable[[Material], Iterator[Block]]) -> Callable:
        PARTS[name] = Part(name, f"chapter {chapter}", order, make)
        return make

    return declare
