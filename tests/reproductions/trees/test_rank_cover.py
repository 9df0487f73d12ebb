"""The rank cover tree: its levels, its questions, and what it finds."""

from __future__ import annotations

import numpy as np
import pytest

from tripletscope.core.trees.oracle import Vectors
from tripletscope.reproductions.trees.rank_cover import RankCoverTree

RNG = np.random.default_rng(3)
POINTS, QUERIES = RNG.normal(size=(400, 5)), RNG.normal(size=(100, 5))


def searched(coverage: float) -> tuple[float, float]:
    """Share of nearest neighbours that are missed, and questions of a query."""
    found, asked = RankCoverTree(coverage=coverage).fit(POINTS).kneighbors(QUERIES)
    apart = Vectors(POINTS).about(QUERIES).distances()
    return np.mean(found[:, 0] != apart.argmin(axis=1)), asked.mean()


def test_all_is_found_where_everything_is_covered_and_less_for_fewer_questions():
    assert searched(1000)[0] == 0
    (missed, asked), (missed_less, asked_more) = searched(1), searched(4)
    assert missed > missed_less
    assert asked < asked_more


@pytest.mark.parametrize(
    ("n_objects", "n_levels"), [(3, 1), (4, 1), (16, 2), (63, 2), (200, 3)]
)
def test_levels_are_as_many_as_published(n_objects, n_levels):
    assert RankCoverTree(coverage=4).fit(POINTS[:n_objects]).n_levels_ == n_levels


def test_every_question_is_counted():
    tree = RankCoverTree(coverage=4).fit(POINTS)
    assert tree.n_questions_ == tree.oracle_.n_questions > len(POINTS)
    before = tree.oracle_.n_questions
    _, asked = tree.kneighbors(QUERIES)
    assert asked.sum() == tree.oracle_.n_questions - before
