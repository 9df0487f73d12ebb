"""Choosing: tests by hand, suggestions that hold, learning curves that fall."""

from __future__ import annotations

from dataclasses import replace

import joblib
import numpy as np
import pandas as pd
import pytest

from tests.core.inference.held_out.test_paired import answered_by, held_out
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.progress import Stopped
from tripletscope.core.inference.held_out.compare import (
    fewer_elsewhere,
    is_chance,
    learning_curve,
    neighbour_overlap,
    recommend_dimension,
    suggest_dimension,
    tune,
)
from tripletscope.core.inference.held_out.score import ErrorEstimate, cross_validate
from tripletscope.core.inference.held_out.share import wilson
from tripletscope.core.models.embedding import STE, TSTE
from tripletscope.core.models.simulation.simulate import random_questions, simulate


def test_fewer_dimensions_are_taken_where_they_cost_hardly_anything():
    even = np.zeros(5)
    assert suggest_dimension({1: 0.205 + even, 2: 0.2 + even}, 0.25) == 2, "a standard error of 0"
    noise = np.array([0.0, 0.01, -0.01, 0.005, -0.005])
    errors = {1: 0.3 + noise, 2: 0.2 - noise, 3: 0.199 + noise, 4: 0.21 + noise}
    assert suggest_dimension(errors, 0.25) == 2
    assert suggest_dimension({1: 0.1 + noise, 2: 0.2 + noise}, 0.25) == 1
    far = {1: 0.28 + 20 * noise, 2: 0.2 - 20 * noise}
    assert suggest_dimension(far, 0.25) == 2, "not significantly worse, but by 8 points"


def test_dimensions_are_recommended_by_paired_differences():
    """Over people where the estimates are; over folds as from the errors of the folds."""
    triplets = answered_by(8, 400)
    better, worse = held_out(triplets, 0.30, 0), held_out(triplets, 0.40, 1)
    found = recommend_dimension({1: worse, 2: better, 3: better}, triplets, 0.25)
    assert (found.n_components, found.best, list(found.behind)) == (2, 2, [1, 3])
    assert found.behind[1].unit == "participants"
    assert found.behind[1].difference == pytest.approx(worse.error - better.error)
    assert found.needed == pytest.approx(2 * 18 * np.log(18))
    assert found.needed <= found.n_questions
    assert found.undecided == [2, 3]
    assert not found.is_at_the_edge
    alike = recommend_dimension({1: held_out(triplets, 0.301, 2), 2: better}, triplets, 0.25)
    assert alike.undecided == [1, 2]
    assert alike.is_at_the_edge
    few = triplets.take(np.arange(20))
    only = recommend_dimension({3: held_out(few, 0.3, 0)}, few, 0.25)
    assert only.n_components == 3
    assert only.needed > only.n_questions == 20
    plain = {d: replace(e, unit="answers", n_units=None) for d, e in ((1, worse), (2, better))}
    by_folds = suggest_dimension({d: e.fold_errors for d, e in plain.items()}, 0.25)
    assert recommend_dimension(plain, triplets, 0.25).n_components == by_folds


@pytest.mark.parametrize("d", [1, 2, 3])
def test_the_planted_dimension_is_suggested(d):
    positions = np.random.default_rng(d).normal(size=(25, d)) * 2
    answers = simulate(positions, 4000, noise="logistic", seed=d)
    errors = {
        k: cross_validate(STE(n_components=k, n_init=1), answers).fold_errors for k in range(1, 6)
    }
    assert suggest_dimension(errors, 0.25) == d


def test_few_decide_nothing():
    """200 answers about 12 objects in a plane: one dimension was recommended in 17 of 24 maps."""
    decided = []
    for seed in range(6):
        positions = np.random.default_rng(seed).normal(size=(12, 2))
        found = [recommend_dimension(
            {k: cross_validate(STE(n_components=k, n_init=1), answers) for k in (1, 2, 3)},
            answers, 0.25,
        ) for answers in (simulate(positions, number, noise="logistic", seed=seed)
                          for number in (200, 6000))]
        few, many = found
        assert not few.is_decided
        assert few.n_components == few.best or few.behind[few.n_components].difference <= 0.01
        decided.append(many.is_decided and many.n_components == 2)
    assert sum(decided) >= 5


def test_the_lowest_of_many_flips():
    """Of ten errors of coin flips, one was told from guessing in a fifth of all data sets."""
    triplets = answered_by(8, 200)
    told, alone = [], []
    for seed in range(50):
        errors = {d: held_out(triplets, 0.5, 10 * seed + d) for d in range(1, 11)}
        found = recommend_dimension(errors, triplets, 0.25)
        told.append(not found.is_chance)
        alone.append(wilson(errors[found.best].error, 200)[1] < 0.5)
        assert not (found.is_chance and found.is_decided)
    assert sum(told) <= 3
    assert sum(alone) >= 6
    twice = answered_by(8, 400)
    trials = Triplets(
        twice.rows, twice.objects, twice.answers.assign(trial=[f"t{k // 4}" for k in range(400)])
    )
    errors = {d: held_out(twice, 0.43, 3) for d in (1, 2)}
    assert not recommend_dimension(errors, twice, 0.25).is_chance
    assert recommend_dimension(errors, trials, 0.25).is_chance, "four answers are one toss"
    assert not recommend_dimension(
        {d: held_out(trials, 0.3, d) for d in (1, 2)}, trials, 0.25
    ).is_chance


def elsewhere(errors: dict[str, dict[int, ErrorEstimate]], answers: Triplets, ratio: float):
    """What each method says of fewer dimensions of the other one."""
    found = {name: recommend_dimension(own, answers, ratio) for name, own in errors.items()}
    return {name: fewer_elsewhere(name, found, errors, answers, ratio) for name in found}


def in_the_plane(*, heavy: bool) -> Triplets:
    """Answers with the heavy tails that t-STE has in the plane, or without."""
    truth = 3 * np.random.default_rng(0).normal(size=(24, 2))
    if not heavy:
        return simulate(truth, 6500, noise="logistic", level=0.7, seed=0)
    rng = np.random.default_rng(0)
    rows = random_questions(24, 6500, rng)
    near, far = (1 / (1 + ((truth[rows[:, 0]] - truth[rows[:, k]]) ** 2).sum(1)) for k in (1, 2))
    other = rng.random(6500) >= near / (near + far)
    rows[other] = rows[other][:, [0, 2, 1]]
    return Triplets.from_array(rows, 24)


@pytest.mark.parametrize("heavy", [False, True])
def test_another_method_needs_fewer_dimensions(heavy):
    """In the plane t-STE has heavy tails, and lighter ones with each dimension more."""
    answers = in_the_plane(heavy=heavy)
    found = elsewhere({
        method.title: {d: cross_validate(method(n_components=d, n_init=2), answers)
                       for d in (1, 2, 3, 4)} for method in (TSTE, STE)
    }, answers, 1 / 4)
    if heavy:
        assert found["t-STE"] is None
    else:
        assert found["STE"] is None
        assert (found["t-STE"].method, found["t-STE"].n_components) == ("STE", 2)
        assert found["t-STE"].gain.difference > 0


@pytest.mark.parametrize(("own", "other", "same", "says"), [
    ([0.2, 0.125, 0.095, 0.095], [0.2, 0.092, 0.092, 0.092], 0.98, True),
    ([0.2, 0.098, 0.095, 0.095], [0.2, 0.098, 0.098, 0.098], 0.98, False),
    ([0.2, 0.125, 0.095, 0.095], [0.2, 0.100, 0.100, 0.100], 0.98, False),
    ([0.2, 0.155, 0.095, 0.095], [0.2, 0.103, 0.103, 0.103], 0.5, False),
    ([0.2, 0.125, 0.095, 0.095], [0.2, 0.095, 0.065, 0.065], 0.98, False),
    ([0.2, 0.125, 0.095, 0.095], [0.2, 0.095], 0.98, False),
    ([0.3, 0.200, 0.120, 0.120], [0.2, 0.090, 0.080, 0.080], 0.0, False),
    ([0.1, 0.100, 0.100, 0.100], [0.1, 0.100, 0.100, 0.100], 0.98, False),
    ([0.5, 0.500, 0.500, 0.500], [0.5, 0.500, 0.500, 0.500], 0.98, False),
], ids=["better", "alike with two", "errs more", "may err more", "needs three, too",
        "not tried with more", "undecided", "alike", "guesses"])
def test_fewer_dimensions_elsewhere_are_no_matter_of_chance(own, other, same, says):
    """Where the other method is no such one, in at most one of 20 data sets.

    same: Share of the answers whose luck all errors have in common.
    """
    times = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        answers = Triplets.from_array(rng.random((8000, 24)).argsort(axis=1)[:, :3], 24)
        luck = rng.random(8000)
        drawn = {name: {d: estimate(np.where(rng.random(8000) < same, luck, rng.random(8000)) < p)
                        for d, p in enumerate(errors, start=1)}
                 for name, errors in (("own", own), ("other", other))}
        times += elsewhere(drawn, answers, 1 / 9)["own"] is not None
    # Of the other one, more than two dimensions may be recommended by chance.
    assert times >= 15 if says else times <= 1


def estimate(wrong: np.ndarray) -> ErrorEstimate:
    """Of ten folds."""
    errors = wrong.reshape(10, -1).mean(axis=1)
    low, high = wilson(float(wrong.mean()), len(wrong), 0.95)
    return ErrorEstimate(
        float(wrong.mean()), low, high, len(wrong), "", errors, wrong.astype(np.float32)
    )


def test_guesses_are_told():
    positions, chance = np.random.default_rng(0).normal(size=(10, 2)), []
    for seed in range(20):
        coins = Triplets.from_array(
            random_questions(10, 150, np.random.default_rng(seed)), 10
        )
        chance.append(is_chance(cross_validate(STE(n_init=1), coins, seed=seed)))
        told = simulate(positions, 600, noise="flip", level=0.1, seed=seed)
        assert not is_chance(cross_validate(STE(n_init=1), told, seed=seed))
    assert sum(chance) >= 18


def test_a_learning_curve_falls_and_repeats_itself(planted):
    method = STE(n_init=1)
    curve = learning_curve(method, planted, points=4, repeats=3)
    assert curve.errors.shape == (3, 4)
    assert curve.n_answers.tolist() == sorted(curve.n_answers)
    assert curve.n_answers[-1] == pytest.approx(0.8 * len(planted), rel=0.02)
    assert curve.mean[0] > curve.mean[-1] + 0.02
    gain, low, high = curve.gain()
    assert low < gain < high
    with joblib.parallel_config("threading", n_jobs=2):
        again = learning_curve(method, planted, points=4, repeats=3)
    assert np.array_equal(curve.errors, again.errors)


def test_the_band_of_a_learning_curve_is_over_people(planted):
    """Half of the people answer at random: their number decides on the error."""
    who = np.arange(len(planted)) % 10
    rows = planted.rows.copy()
    guessed = (who < 5) & (np.random.default_rng(0).random(len(rows)) < 0.5)
    rows[guessed, 1:] = rows[guessed, :0:-1]
    answers = pd.DataFrame({"participant": [f"p{one}" for one in who]})
    mixed = Triplets(rows, planted.objects, answers)
    people, alone = (
        learning_curve(STE(n_init=1), mixed, points=3, repeats=3, unit=unit)
        for unit in ("auto", "answers")
    )
    assert (people.unit, people.n_units, alone.unit) == ("participants", 10, "answers")
    assert np.array_equal(people.errors, alone.errors)
    assert people.influence.shape == (3, 10)
    np.testing.assert_allclose(people.influence.sum(axis=1), 0, atol=1e-12)
    assert (people.influence[-1, :5] > 0).all()
    # Errors of about 0.5 and 0.1, five of each: the mean has a standard error of 0.07.
    assert 0.1 < people.half_width[-1] < 0.25
    fall, low, high = people.gain()
    assert low < fall < high
    assert high - fall < people.half_width[-1], "all fall alike, whoever errs more"


def test_a_learning_curve_can_be_stopped_and_needs_answers(planted):
    with pytest.raises(Stopped):
        learning_curve(STE(n_init=1), planted, points=3, repeats=2, progress=lambda *_, **__: True)
    with pytest.raises(DataError, match="fewer than 50 different questions"):
        learning_curve(STE(), planted.take(np.arange(20)))


def test_answers_of_weight_zero_are_none(planted):
    weight = np.zeros(len(planted))
    weight[1000:1080] = 1.0
    answers = Triplets.from_array(planted.rows, planted.n_objects, weight=weight)
    curve = learning_curve(STE(n_init=1), answers, points=3, repeats=2)
    assert np.isfinite(curve.errors).all()
    assert curve.n_answers[-1] <= 80
    with pytest.raises(DataError, match="3 different questions cannot be divided into 5 folds"):
        tune(STE(), Triplets.from_array([[0, 1, 2], [1, 0, 2], [2, 0, 1]], 3), most=1)


def test_neighbour_overlap():
    positions = np.random.default_rng(0).normal(size=(40, 2))
    assert neighbour_overlap(positions, 3 * positions[:, ::-1]) == 1.0
    other = np.random.default_rng(1).normal(size=(40, 3))
    assert neighbour_overlap(positions, other) == pytest.approx(10 / 39, abs=0.12)
    assert neighbour_overlap(positions[:3], other[:3], 10) == 1.0


def test_tuning_lowers_the_error_where_answers_are_few():
    positions = np.random.default_rng(0).normal(size=(40, 3))
    few = simulate(positions, 500, noise="logistic", level=0.5, seed=1)
    unseen = simulate(positions, 5000, noise="none", seed=2)
    found = tune(STE(n_init=4), few, most=3)
    assert found.errors.shape == (15, 5)
    assert found.errors.mean(axis=1).argmin() == found.best
    tuned = STE(**found.setting()).fit(few)
    plain = STE(prior=0.0).fit(few)
    assert tuned.score(unseen) > plain.score(unseen) + 0.02
    assert found.setting()["prior"] > 0.03, "few answers want a firm hand"


def test_tuning_does_not_look_at_the_datas_own_test_answers(planted):
    split = np.where(np.arange(len(planted)) < 400, "train", "test")
    answers = planted.answers.assign(split=split)
    given = Triplets(planted.rows, planted.objects, answers)
    found = tune(STE(n_init=1), given, most=1, folds=2)
    alone = tune(STE(n_init=1), planted.take(np.arange(400)), most=1, folds=2)
    assert np.array_equal(found.errors, alone.errors)
