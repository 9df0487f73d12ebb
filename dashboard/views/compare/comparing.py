"""What the views of the page Compare share."""

from __future__ import annotations

from tripletscope.core.evaluation.score import ErrorEstimate

PAGE = "compare"
_VAGUE = 0.1  # width of an interval


def worth_showing(repeats: ErrorEstimate | None) -> ErrorEstimate | None:
    """What repeated answers allow, unless there are so few that it says nothing."""
    return repeats if repeats and repeats.high - repeats.low < _VAGUE else None
