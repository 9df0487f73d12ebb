"""Planted data for what the program concludes: one module for each place, with `sentences`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Sentence:
    """One conclusion: words before and now, and (times said, runs) on null and planted data.

    neighbour: What is different next door, where the null data are those of a neighbouring model.
    rate: Of false alarms that is held; None where alarms are a description.
    """

    place: str
    before: str
    now: str
    null: str
    alarms: tuple[int, int]
    alarms_before: tuple[int, int] | None = None
    planted: str = ""
    said: tuple[int, int] | None = None
    neighbour: str = ""
    rate: float | None = 0.05

    def row(self) -> list[str]:
        return [
            self.place, self.before, self.now, self.null, share(self.alarms_before),
            share(self.alarms), self.planted, share(self.said),
        ]


def share(counted: tuple[int, int] | None) -> str:
    """`3 % ± 2 % of 60`; a standard error that does not vanish with the count."""
    if counted is None:
        return ""
    count, runs = counted
    rate = (count + 1) / (runs + 2)
    return f"{count / runs:.0%} ± {(rate * (1 - rate) / runs) ** 0.5:.0%} of {runs}"


@dataclass(frozen=True, kw_only=True)
class Case:
    """A conclusion on one kind of data, seed by seed.

    words: What is said.
    data: Model that the answers are drawn from.
    role: one of {"null", "neighbour", "planted"}: where it must not be said, by its own null or by
        a neighbouring model, and where it should be.
    neighbour: What is different next door, such as people who guess.
    says: Whether it is said, by seed.
    rate: Of false alarms that is held; None where alarms are a description.
    """

    place: str
    words: str
    data: str
    role: str
    says: Callable[[int], bool]
    neighbour: str = ""
    rate: float | None = 0.05
