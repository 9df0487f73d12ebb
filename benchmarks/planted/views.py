"""Views that are random sets of people: how often one of them is said to change something."""

from __future__ import annotations

from collections.abc import Iterator

from planted import Case
from tests.core.inference.uncertainty.test_robustness import without_some


def cases() -> Iterator[Case]:
    yield Case(
        place="Compare, Multiverse", words="a view changes something", role="null",
        data="two views, each without some people by chance",
        says=lambda seed: bool(without_some(seed).changed),
    )
