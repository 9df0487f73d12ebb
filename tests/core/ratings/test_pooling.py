"""Choices and ratings of the same objects in one map."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tests.core.ratings.planted import names, points, rated
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.geometry import procrustes_disparity
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.models.embedding import STE
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.core.ratings import Ratings, pool_ratings
from tripletscope.core.studies.quality.importing import read
from tripletscope.core.writing import write_answers


def chosen(truth: np.ndarray, number: int, seed: int) -> Triplets:
    answers = simulate(truth, number, noise="logistic", level=0.7, seed=seed)
    return Triplets(answers.rows, pd.DataFrame({"id": names(len(truth))}), name="choices")


def test_both_together_are_nearer_to_the_truth_than_either():
    off = []
    for seed in range(8):
        truth = points(15, seed)
        choices, ratings = chosen(truth, 200, seed), Ratings(rated(truth, 8, 1.2, seed=seed))
        compared = ratings.triplets(most=2000)
        given = choices, compared, pool_ratings(choices, compared)
        off.append([
            procrustes_disparity(STE(n_init=1).fit(each).embedding_, truth) for each in given
        ])
    alone, rating, both = np.mean(off, axis=0)
    assert both < 0.75 * min(alone, rating)


def test_what_is_pooled_stays_told_apart():
    truth = points(6)
    choices = chosen(truth, 10, 0)
    ratings = Ratings(rated(truth, 2))
    both = pool_ratings(choices, ratings, ratings)
    assert both.answers["source"].value_counts().tolist() == [
        len(ratings.triplets()), len(ratings.triplets()), 10]
    assert both.n_trials == 10 + 2 + 2
    assert both.weight[:10].tolist() == [1.0] * 10
    assert both.weight[10:].sum() == pytest.approx(2 * 2 * 15 / 2)
    assert both.answers["participant"].isna().sum() == 10
    more = Ratings(rated(points(8), 1))
    assert pool_ratings(choices, more).ids == list(names(8))
    other = Triplets.from_array([[0, 1, 2]], ids=["x", "y", "z"])
    with pytest.raises(DataError, match="No object of answers is one of choices"):
        pool_ratings(choices, other)


def worth(answers: Triplets) -> float:
    """Weight of all choices, as the methods with a likelihood add it up."""
    return float(answers.weight[answers.choices.answer].sum())


def test_answers_of_a_rater_are_held_out_together_but_are_no_one_choice(tmp_path):
    """Around one object, as of all others to it, they would else be one ranking."""
    table = pd.DataFrame([
        {"participant": f"p{k}", "item1": "a", "item2": other, "rating": place}
        for k in range(3) for place, other in enumerate("bcdef")
    ])
    answers = Ratings(table).triplets()
    assert not answers.are_choices
    assert worth(answers) == pytest.approx(3 * 5 / 2)
    assert answers.n_trials == 3
    for group in np.unique(answers.groups):
        held = answers.groups == group
        assert not set(answers.trials[held]) & set(answers.trials[~held])
    odd_ones = Triplets(
        [[0, 1, 2], [1, 0, 2], [0, 1, 3]], pd.DataFrame({"id": list("abcd")}),
        pd.DataFrame({"trial": [0, 0, 1]}),
    )
    both = pool_ratings(odd_ones, answers)
    assert worth(both) == pytest.approx(2 + 3 * 5 / 2)  # an odd one out is one choice
    assert both.n_trials == 2 + 3
    file = tmp_path / "both.csv"
    file.write_bytes(write_answers(both))
    again = read(file)
    assert worth(again) == pytest.approx(worth(both))
    assert again.n_trials == both.n_trials
