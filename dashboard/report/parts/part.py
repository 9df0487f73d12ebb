"""The parts of a report, and their declaration."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tripletscope.dashboard.report.document import Block
from tripletscope.dashboard.report.material import Material

#: Chapters in their order; the keys are also those of their titles.
CHAPTERS = ("chapter summary", "chapter method", "chapter results", "chapter end")


@dataclass(frozen=True)
class Part:
    """A part of a report.

    name: Also the key of its title, after "part".
    order: Within its chapter.
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
