"""Ten objects: answers about them, a map and clusters."""

from __future__ import annotations

import numpy as np
import pytest

from tripletscope.reproductions.crowd.example import (
    _among,
    _arcs,
    check_mapped,
    check_remaining,
    mapped,
    remaining,
)
from tripletscope.reproductions.item import DOES_NOT_HOLD, HOLDS


@pytest.mark.parametrize(("labels", "pieces"), [
    ([0, 0, 1, 1], 2), ([0, 1, 1, 0], 2), ([0, 1, 0, 1], 4),
])
def test_pieces_on_a_circle(labels, pieces):
    assert _arcs(np.array(labels)) == pieces


def test_answers_about_the_drawn_alone():
    rows = np.array([[0, 1, 2], [4, 3, 0], [3, 4, 0]])
    assert _among(rows, np.array([4, 3, 0]), 5).tolist() == [[0, 1, 2], [1, 0, 2]]


def test_the_number_of_answers_left():
    table = remaining(draws=20)
    # 190,376 · 10 · 9 · 8 / (100 · 99 · 98), as many as there are triples.
    assert table["answers"].mean() == pytest.approx(141, abs=10)
    assert check_remaining(table).shows == HOLDS
    assert check_remaining(table.assign(answers=table["answers"] + 40)).shows == DOES_NOT_HOLD


def test_maps_of_ten_colours():
    table = mapped(draws=2)
    assert len(table) == 20
    assert set(table["cluster"]) == {1, 2}
    assert check_mapped(table).shows == HOLDS
    assert check_mapped(table.assign(pieces=4)).shows == DOES_NOT_HOLD
    assert check_mapped(table.assign(predicts=0.5)).shows == DOES_NOT_HOLD
