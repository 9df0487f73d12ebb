"""A map looked at closely, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from tripletscope.core.data.geometry import coverage_radius
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.inference.held_out.inspection import answers_at_odds, inspect_objects
from tripletscope.core.models.embedding import STE


@pytest.fixture
def fitted() -> STE:
    found = STE()
    found.embedding_ = np.array([[0.0, 0], [1, 0], [3, 0], [-4, 0], [0, 0]])
    found.placed_ = np.array([True] * 4 + [False])
    found.n_objects_ = 5
    return found


@pytest.fixture
def triplets() -> Triplets:
    rows = [[0, 1, 2], [0, 2, 1], [1, 3, 0], [2, 1, 3]]  # right, wrong by 2, wrong by 4, right
    return Triplets.from_array(rows, ids=list("abcde"))


def test_objects(fitted, triplets):
    table = inspect_objects(fitted, triplets, n_neighbours=2)
    assert table["neighbours"].tolist() == [
        ["b", "c"], ["a", "c"], ["b", "a"], ["a", "b"], []
    ]
    assert table["answers"].tolist() == [3, 4, 3, 2, 0]
    assert table["contradicted"].tolist()[:4] == pytest.approx([2 / 3, 1 / 2, 1 / 3, 1 / 2])
    assert np.isnan(table["contradicted"][4])
    assert "uncertainty" not in table


def test_uncertainty_is_relative_to_the_map(fitted, triplets):
    covariances = np.tile(np.eye(2), (5, 1, 1))
    covariances[4] = np.nan
    table = inspect_objects(fitted, triplets, covariances, coverage=0.8)
    spread = np.sqrt((0 + 1 + 9 + 16) / 4)
    assert table["uncertainty"][:4].tolist() == pytest.approx(
        [coverage_radius(0.8, 2) / spread] * 4
    )
    assert np.isnan(table["uncertainty"][4])
    assert table["determined"].tolist() == [True] * 4 + [False]
    few = inspect_objects(fitted, triplets, covariances, coverage=0.8, degrees=7)
    assert few["uncertainty"][0] == pytest.approx(coverage_radius(0.8, 2, 7) / spread)


def test_answers_at_odds_come_clearest_first(fitted, triplets):
    assert answers_at_odds(fitted, triplets).tolist() == [2, 1]
    assert answers_at_odds(fitted, triplets, [2]).tolist() == [1]
    assert answers_at_odds(fitted, triplets, [4]).tolist() == []


def test_what_a_map_contradicts_does_not_depend_on_its_size(fitted, triplets):
    fitted.embedding_ *= 0.01
    assert answers_at_odds(fitted, triplets).tolist() == [2, 1]


def test_two_objects_are_neighbours_and_one_has_none(fitted, triplets):
    fitted.placed_ = np.array([True, False, True, False, False])
    table = inspect_objects(fitted, triplets)
    assert table["neighbours"].tolist() == [["c"], [], ["a"], [], []]
    fitted.placed_[2] = False
    assert inspect_objects(fitted, triplets)["neighbours"].tolist() == [[]] * 5
