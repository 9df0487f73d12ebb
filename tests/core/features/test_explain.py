"""Held-out predictions of choices from features whose part in them is known."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.features.explain import SCHEMES, above_chance, explain
from tripletscope.core.features.intervals import Crossed
from tripletscope.core.features.residual_map import residual_map
from tripletscope.core.features.spaces import FeatureSpace
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.core.ratings import Ratings

RAW, WEIGHTED, LINEAR = range(3)
OBJECTS, TRIALS = map(SCHEMES.index, ("objects", "trials"))
#: Of random features that an interval over people alone took for knowledge.
SEEDS = (5, 6)
rng = np.random.default_rng(5)
SEEN = rng.normal(size=(30, 2)) * [2.0, 1.0]


@pytest.fixture(scope="module")
def answers():
    return simulate(SEEN, 1200, noise="logistic", seed=1)


@pytest.fixture(scope="module")
def found(answers):
    return explain([
        FeatureSpace(name="seen", distances=cdist(SEEN, SEEN)),
        FeatureSpace(name="with others", values=np.column_stack(
            [SEEN / [2.0, 1.0], rng.normal(size=(30, 2))])),
        FeatureSpace(name="random", values=rng.normal(size=(30, 40))),
    ], answers, components=20, object_folds=2, folds=2)


def test_what_people_see_is_as_good_as_can_be(found):
    assert (found.accuracy.value[0, RAW] > 0.8).all()
    assert np.isnan(found.accuracy.value[0, [WEIGHTED, LINEAR]]).all()


def test_weights_and_transforms_find_what_matters(found):
    assert (found.gain.low[1, [WEIGHTED, LINEAR]] > 0).all()
    assert (found.behind.low[1, RAW] > 0).all()
    assert found.accuracy.value[1, WEIGHTED, TRIALS] > found.accuracy.value[0, RAW, TRIALS] - 0.03


def test_random_features_learn_objects_by_heart_but_say_nothing_of_others(found):
    assert found.accuracy.value[2, LINEAR, TRIALS] > 0.52
    assert found.accuracy.low[2, LINEAR, OBJECTS] < 0.5 < found.accuracy.high[2, LINEAR, OBJECTS]
    assert found.deviance_explained[2, LINEAR, OBJECTS] < 0.01


def test_sizes_and_table(found):
    assert found.n_choices[TRIALS] == found.n_answers[TRIALS] == 1200
    assert 0 < found.n_choices[OBJECTS] < 1200
    assert found.n_learned[TRIALS] == 600
    assert found.chance.tolist() == [0.5, 0.5]
    assert len(found.table) == 2 * (3 * 3 - 2)
    assert (found.table["low"] <= found.table["accuracy"]).all()


def test_an_odd_one_out_is_one_choice_of_three(answers):
    i, j, k = np.array([np.random.default_rng(s).permutation(30)[:3] for s in range(400)]).T
    apart = np.array([
        ((SEEN[a] - SEEN[b]) ** 2).sum(axis=1) for a, b in ((i, j), (i, k), (j, k))
    ])
    odd = np.array([k, j, i])[apart.argmin(axis=0), np.arange(400)]
    rest = np.sort([np.where(i == odd, k, i), np.where(j == odd, k, j)], axis=0)
    rows = np.stack([
        np.column_stack([*rest, odd]), np.column_stack([*rest[::-1], odd])], axis=1)
    trials = Triplets(
        rows.reshape(-1, 3), answers.objects,
        answers.answers.iloc[:0].reindex(range(800)).assign(trial=np.repeat(np.arange(400), 2)),
    )
    found = explain(FeatureSpace(name="seen", distances=cdist(SEEN, SEEN)), trials)
    assert found.chance[TRIALS] == pytest.approx(1 / 3)
    assert found.accuracy.value[0, RAW] == pytest.approx(1.0)
    assert found.n_choices[TRIALS] == 400
    assert found.n_answers[TRIALS] == 800
    noise = explain(FeatureSpace(name="x", values=rng.normal(size=(30, 1))), trials)
    assert noise.accuracy.low[0, RAW, TRIALS] < 1 / 3 < noise.accuracy.high[0, RAW, TRIALS]
    assert noise.of_two.low[0, RAW, TRIALS] < 1 / 2 < noise.of_two.high[0, RAW, TRIALS]


def test_objects_without_features_take_no_part(answers):
    values = SEEN[:, :1].copy()
    values[:4] = np.nan
    found = explain(FeatureSpace(name="some", values=values), answers)
    about = (answers.rows < 4).any(axis=1)
    assert (found.n_objects, found.n_left_out, found.n_dropped) == (26, 4, about.sum())


def test_too_few_objects_are_not_held_out_and_it_is_said():
    few = simulate(SEEN[:10], 400, noise="logistic", seed=0)
    found = explain(FeatureSpace(name="seen", values=SEEN[:10, :1]), few)
    assert np.isnan(found.accuracy.value[..., OBJECTS]).all()
    assert np.isfinite(found.accuracy.value[0, RAW, TRIALS])
    assert found.not_held_out == {"code": "few objects", "objects": 10, "fewest": 4, "folds": 3}


def test_too_few_answers_and_other_objects_are_refused(answers):
    space = FeatureSpace(name="seen", values=SEEN)
    with pytest.raises(DataError, match="30 answers are among the objects"):
        explain(space, answers.take(np.arange(30)))
    with pytest.raises(DataError, match="features of 20 objects, and answers about 30"):
        explain(FeatureSpace(name="x", values=SEEN[:20]), answers)


def test_comparisons_of_pairs_are_predicted():
    draw = np.random.default_rng(0)
    i, j, k, other = np.array([draw.permutation(30)[:4] for _ in range(300)]).T
    near, far = (np.linalg.norm(SEEN[a] - SEEN[b], axis=1) for a, b in ((i, j), (k, other)))
    rows = np.where(
        (near < far)[:, None], np.column_stack([i, j, k, other]), np.column_stack([k, other, i, j])
    )
    space = FeatureSpace(name="seen", distances=cdist(SEEN, SEEN))
    assert explain(space, Quadruples(rows, 30)).accuracy.value[0, RAW, TRIALS] == pytest.approx(1.0)


def of_people(seen, number, seed, n_people=12):
    """Answers of people who weight two dimensions a little differently."""
    rng = np.random.default_rng(seed)
    parts = [
        simulate(seen * np.exp(0.15 * rng.normal(size=2)), number // n_people, noise="logistic",
                 seed=1000 * seed + person)
        for person in range(n_people)
    ]
    who = np.repeat([f"p{person}" for person in range(n_people)], number // n_people)
    return Triplets(
        np.concatenate([part.rows for part in parts]), parts[0].objects,
        pd.DataFrame({"participant": who}),
    )


def spaces_of(seed, noise):
    """What people see of 25 objects, and two spaces: random, or that with noise."""
    rng = np.random.default_rng(seed)
    seen = rng.normal(size=(25, 2))
    found = [rng.normal(size=seen.shape) for _ in "ab"]
    if noise is not None:
        found = [seen + size * one for size, one in zip(noise, found, strict=True)]
    return seen, [
        FeatureSpace(name=name, distances=cdist(one, one))
        for name, one in zip("ab", found, strict=True)
    ]


@pytest.mark.parametrize("seed", SEEDS)
def test_random_features(seed):
    seen, spaces = spaces_of(seed, None)
    found = explain(spaces, of_people(seen, 24_000, seed))
    rows = above_chance(found.table)
    assert set(rows["held_out"]) == {"objects"}
    assert not rows["significant"].any()
    assert (found.behind.low <= 0)[np.isfinite(found.behind.low)].all()


def test_features_that_people_see_are_above_chance_and_ahead_of_poorer_ones():
    seen, spaces = spaces_of(0, (0.3, 1.5))
    found = explain(spaces, of_people(seen, 24_000, 0))
    rows = above_chance(found.table)
    assert rows["significant"][rows["space"] == "a"].all()
    assert found.behind.low[1, RAW, OBJECTS] > 0


def test_of_trials_only_what_is_not_learned_is_judged():
    rng = np.random.default_rng(3)
    few = of_people(SEEN[:10], 2400, 0)
    found = explain(FeatureSpace(name="x", values=rng.normal(size=(10, 8))), few)
    assert found.p[0, LINEAR, TRIALS] < 0.01
    rows = above_chance(found.table)
    assert rows["model"].tolist() == ["raw"]
    assert not rows["significant"].any()


@pytest.mark.parametrize("n", [2, 3, 4, 12])
def test_all_right_is_above_chance_only_of_choices_enough(n):
    """P was 0 of two choices, as nothing varies."""
    each = np.arange(n)
    crossed = Crossed(np.full(n, 1 / n), each, each, each, n, n)
    right = np.ones(n)
    assert (crossed.p_above(right, 0.5) < 0.025) is (crossed.share(right)[1] > 0.5) is (n > 6)


@pytest.fixture(scope="module")
def alone():
    """Answers in which no object recurs, with what people see and random numbers."""
    rng = np.random.default_rng(2)
    rows, x = rng.permutation(900).reshape(300, 3), rng.normal(size=(900, 6))
    d = np.square(x[rows[:, :1], :2] - x[rows[:, 1:], :2]).sum(axis=-1)
    wrong = rng.random(300) > 1 / (1 + np.exp(d[:, 0] - d[:, 1]))
    rows[wrong] = rows[wrong][:, [0, 2, 1]]
    return explain([
        FeatureSpace(name="seen", values=x), FeatureSpace(name="random", values=x[::-1]),
    ], Triplets.from_array(rows), object_folds=3, folds=2)


def test_objects_that_do_not_recur_are_held_out_with_their_question(alone):
    assert alone.n_choices.tolist() == [300, 300]
    assert alone.n_learned[OBJECTS] == 200
    table = above_chance(alone.table)
    assert table[table["space"] == "seen"]["significant"].all()
    assert alone.accuracy.value[0, WEIGHTED, OBJECTS] > alone.accuracy.value[0, RAW, OBJECTS] + 0.03


def test_random_features_of_objects_that_do_not_recur_say_nothing(alone):
    table = above_chance(alone.table)
    assert not table[table["space"] == "random"]["significant"].any()


@pytest.mark.parametrize("is_seen", [True, False])
def test_comparisons_of_one_matrix_are_held_out_by_pair(is_seen):
    rng = np.random.default_rng(4)
    features = rng.normal(size=(14, 2))
    square = cdist(features, features) if is_seen else np.triu(rng.random((14, 14)), 1)
    square = square + square.T
    data = Ratings.from_matrices({"ann": square}, direction="dissimilar").triplets()
    table = pd.DataFrame({"id": data.ids, "x": features[:, 0], "y": features[:, 1]})
    scores = explain(FeatureSpace.of(table, data, name="seen"), data).table
    assert set(scores["held_out"]) == set(SCHEMES)
    if is_seen:
        assert (scores["low"] > 0.7).all()
    else:
        assert (scores["low"] < 0.5).all()
        assert (scores["high"] < 0.8).all()
    with pytest.raises(DataError, match="one set of ratings"):
        residual_map(FeatureSpace.of(table, data, name="seen"), data)
