"""What is said of feature spaces that are taken for each other."""

from __future__ import annotations

import numpy as np

from tripletscope.core.features.recovery import Recovered
from tripletscope.dashboard.results.recovery import recovery_said


def said(wins: list[list[float]], ahead: list[list[float]]) -> str:
    wins, ahead = np.array(wins), np.array(ahead)
    result = Recovered(
        ["a", "b"], "raw", "objects", wins, wins, wins, ahead, np.full((2, 2), 0.02), 1000, 400, 20,
    )
    return " ".join(part.text for part in recovery_said(result))


def test_recovered_spaces_are_said_to_be():
    assert "in at least 95% of 20" in said([[0.5, 1], [0.95, 0.5]], [[0, 0.1], [0.1, 0]])


def test_spaces_that_would_be_parted_by_more_answers():
    text = said([[0.5, 0.8], [1, 0.5]], [[0, 0.0164], [0.1, 0]])
    assert "a and b cannot be told apart" in text
    assert "in up to 20%" in text
    assert "About 4,000 choices, asked like these 1,000" in text


def test_spaces_that_no_answers_would_part():
    assert "not seen to help" in said([[0.5, 0.5], [1, 0.5]], [[0, 0.0], [0.1, 0]])
