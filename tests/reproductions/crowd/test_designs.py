"""Questions that are repeated, and questions about landmarks."""

from __future__ import annotations

import pandas as pd
import pytest

from tripletscope.reproductions.crowd.designs import (
    check_landmarks,
    check_repetition,
    landmarks,
    repetition,
)
from tripletscope.reproductions.item import DOES_NOT_HOLD, HOLDS


def test_all_strategies_ask_the_same_number():
    table = repetition(sizes=(8, 30), times=(3,), noises=(0.2,), different=150, runs=2)
    assert len(table) == 4
    assert table["accuracy"].between(0.4, 1).all()
    own = table[table["strategy"] == "random"]
    assert (own["gain"] == 0).all()


def _repetition(few: float, loud: float, many: float) -> pd.DataFrame:
    return pd.DataFrame([
        {"objects": n, "times": 3, "noise": p, "strategy": "repeated", "accuracy": 0.8,
         "gain": many if n == 100 else loud if p == 0.3 else few, "error": 0.01, "runs": 20}
        for n in (20, 100) for p in (0.0, 0.1, 0.3)
    ])


@pytest.mark.parametrize(("few", "loud", "many", "verdict"), [
    (0.05, -0.05, -0.05, HOLDS), (0.0, -0.05, -0.05, DOES_NOT_HOLD),
    (0.05, 0.0, -0.05, DOES_NOT_HOLD), (0.05, -0.05, 0.05, DOES_NOT_HOLD),
    (0.05, -0.05, 0.0, DOES_NOT_HOLD),
])
def test_verdicts_on_repetition(few, loud, many, verdict):
    assert check_repetition(_repetition(few, loud, many)).shows == verdict


def test_landmarks_are_compared_with_as_many_random_questions():
    table = landmarks(n_objects=30, numbers=(3,), noise=0.0, runs=2)
    # All pairs of three landmarks, each with the 28 other objects.
    assert set(table["answers"]) == {84}
    assert set(table["strategy"]) == {"landmark", "random"}


@pytest.mark.parametrize(("gain", "random", "verdict"), [
    (-0.1, 0.9, HOLDS), (0.0, 0.9, DOES_NOT_HOLD), (-0.1, 0.61, DOES_NOT_HOLD),
    (-0.01, 0.9, DOES_NOT_HOLD),
])
def test_verdicts_on_landmarks(gain, random, verdict):
    table = pd.DataFrame([
        {"landmarks": 5, "answers": 980, "strategy": "landmark", "accuracy": random + gain,
         "gain": gain, "error": 0.01, "spread": 0.1, "runs": 10},
        {"landmarks": 5, "answers": 980, "strategy": "random", "accuracy": random, "gain": 0.0,
         "error": 0.0, "spread": 0.1, "runs": 10},
    ])
    assert check_landmarks(table).shows == verdict
