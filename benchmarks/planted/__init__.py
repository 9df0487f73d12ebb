"""Planted data for what the program concludes: one module for each place, with `sentences`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Sentence:
    """One conclusion: words before and now, and (times said, runs) on null and planted data."""

    place: str
    before: str
    now: str
    null: str
    alarms: tuple[int, int]
    alarms_before: tuple[int, int] | None = None
    planted: str = ""
    said: tuple[int, int] | None = None

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
