"""What is said of people who gave few answers."""

from __future__ import annotations

import numpy as np
import pytest

from tripletscope.core.people.floor import Floor
from tripletscope.dashboard.results.people import floor_said
from tripletscope.dashboard.wording import ENGLISH, Words


def floor(given: list[int], what: str = "map") -> Floor:
    names = np.array([f"p{k}" for k in range(len(given))])
    return Floor(names, np.array(given), np.full(len(given), 87), what, 2)


def test_who_gave_enough():
    assert floor_said(ENGLISH, floor([87, 90])) == ""


def test_who_gave_too_few():
    some = floor_said(ENGLISH, floor([87, 40]))
    assert some.startswith("Nothing is said of 1 of 2 participants: the positions of the objects ")
    assert "need 87 answers of one, and they gave 40" in some
    assert "1 of 2 groups by class" in floor_said(ENGLISH, floor([87, 40]), "class")
    assert "single participants: weights of 2 axes" in floor_said(ENGLISH, floor([1], "weights"))
    assert "single groups by class" in floor_said(ENGLISH, floor([1], "scale"), "class")


@pytest.mark.parametrize("what", ["map", "scale", "weights"])
def test_in_german(what):
    assert floor_said(Words("de"), floor([40], what)).startswith("Nichts gesagt wird über einzelne")
