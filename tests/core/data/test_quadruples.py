"""Comparisons of pairs: what is known of them, and what takes them beside triplets."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import as_triplets
from tripletscope.core.inference.held_out.score import cross_validate
from tripletscope.core.inference.uncertainty import bootstrap
from tripletscope.core.models.embedding import SOE
from tripletscope.core.people.predictions import who_predicts_whom
from tripletscope.core.run import key
from tripletscope.core.scales import MLDS, as_trials, scales_by

ROWS = [[0, 1, 2, 3], [3, 2, 0, 1], [0, 2, 1, 3]]


@pytest.fixture
def people() -> Quadruples:
    """Two observers who compare intervals between the squares of 0 to 6, with little noise."""
    rng = np.random.default_rng(0)
    rows = np.sort([rng.choice(7, 4, replace=False) for _ in range(600)], axis=1)
    larger = np.diff((rows / 2.0) ** 2, axis=1)[:, [0, 2]] + rng.normal(size=(600, 2)) / 2
    second = larger[:, 1] > larger[:, 0]
    rows = np.where(second[:, None], rows, rows[:, [2, 3, 0, 1]])
    answers = pd.DataFrame({
        "participant": np.repeat(["ann", "bob"], 300), "side": np.where(second, "right", "left"),
    })
    objects = pd.DataFrame({"id": list("abcdefg"), "x": np.arange(7.0) ** 2})
    return Quadruples(rows, objects=objects, answers=answers, name="squares")


def test_what_takes_triplets_alone_says_so(people):
    with pytest.raises(DataError, match="comparisons of pairs are not triplets") as error:
        as_triplets(people)
    assert "squares" in str(error.value)
    assert "MLDS, cross_validate and bootstrap take comparisons of pairs" in str(error.value)


def test_they_know_their_objects_and_answers(people):
    assert people.n_objects == 7
    assert people.labels == list("abcdefg")
    bob = people.take(people.answers["participant"] == "bob")
    assert len(bob) == 300
    assert set(bob.answers["participant"]) == {"bob"}
    assert bob.objects.equals(people.objects)
    plain = Quadruples(ROWS, weight=[1, 0, 2])
    assert plain.ids == ["0", "1", "2", "3"]
    assert plain.weight.tolist() == [1, 0, 2]
    assert plain.take([2]).weight.tolist() == [2]
    with pytest.raises(DataError, match="not a non-negative number"):
        Quadruples(ROWS, weight=[1, -1, 2])
    with pytest.raises(ValueError, match="read-only"):
        plain.rows[0, 0] = 1


def test_a_question_is_the_same_whichever_way_it_is_put():
    questions = Quadruples([*ROWS, [1, 0, 3, 2]]).questions
    assert questions[0] == questions[1] == questions[3] != questions[2]


def test_the_fingerprint_is_of_content_and_not_of_layout(people):
    turned = Quadruples(
        np.asfortranarray(people.rows), objects=people.objects, answers=people.answers
    )
    assert turned.fingerprint_of() == people.fingerprint_of()
    assert key("fit", MLDS(), people) != key("fit", MLDS(stimulus="x"), people)
    assert people.fingerprint_of("participant") != people.fingerprint_of()


def test_which_interval_came_first_is_read_from_the_side(people):
    trials = as_trials(people)
    assert np.array_equal(trials.response, people.answers["side"] == "right")
    shown = np.where(trials.response[:, None], people.rows, people.rows[:, [2, 3, 0, 1]])
    assert np.all(trials.design[np.arange(600), shown[:, 3]] == 1)


def test_scales_errors_and_observers_take_them(people):
    fitted = MLDS(stimulus="x").fit(people)
    np.testing.assert_allclose(fitted.scale_, np.arange(7.0) ** 2 / 36, atol=0.06)
    assert fitted.levels_.tolist() == (np.arange(7.0) ** 2).tolist()
    found = cross_validate(MLDS(), people, folds=3)
    assert found.n_answers == 600
    assert found.error < 0.25
    groups = scales_by(MLDS(), people, stimulus="x", maps=10)
    assert groups.names.tolist() == ["all", "ann", "bob"]
    np.testing.assert_allclose(groups.values[0], fitted.scale_)
    assert who_predicts_whom(MLDS(), people, folds=2).accuracy.min() > 0.75


def test_maps_of_resampled_comparisons(people):
    samples = bootstrap(SOE(n_components=1, n_init=1), people, replicates=5)
    assert samples.embeddings.shape == (5, 7, 1)
    assert np.isfinite(samples.embeddings).all()
