"""Calibration, abstention and the dimension: by hand, and on planted data."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.geometry import coverage_radius
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.progress import Stopped
from tripletscope.core.inference.uncertainty import (
    Abstention,
    Calibration,
    Samples,
    abstention,
    bootstrap,
    calibrate,
    laplace,
    predicted,
    uncertainty_by_dimension,
)
from tripletscope.core.inference.uncertainty.calibration import (
    Truth,
    estimated_truth,
    held_by_ellipses,
    simulated_answers,
    tally,
)
from tripletscope.core.models.embedding import CKL, SOE, STE, TSTE
from tripletscope.core.models.simulation.simulate import random_questions, simulate


@pytest.mark.parametrize(
    ("method", "chance"),
    [
        (STE(), np.exp(-1) / (np.exp(-1) + np.exp(-4))),
        (TSTE(alpha=1.0), (1 / 2) / (1 / 2 + 1 / 5)),
        (CKL(mu=0.5), 4.5 / (1.5 + 4.5)),
    ],
)
def test_simulated_answers_follow_the_method_s_own_model(method, chance):
    """Of 20,000 answers 4.5 standard errors are 0.016 at most: a 1-in-100,000 accident."""
    truth = Truth(np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]]), 0.0, 0.0)
    questions = np.tile([[0, 1, 2], [0, 2, 1]], (10_000, 1))
    rows = simulated_answers(method, truth, questions, np.random.default_rng(0))
    assert np.mean(rows[:, 1] == 1) == pytest.approx(chance, abs=0.016)


@pytest.mark.parametrize(("method", "level"), [(STE(), 0.6), (SOE(), 0.3)])
def test_the_noise_of_the_data_is_found_again(method, level, truth):
    noise = "logistic" if method.is_likelihood else "lognormal"
    triplets = simulate(truth, 3000, noise=noise, level=level, seed=1)
    found = estimated_truth(method, triplets, seed=0)
    questions = random_questions(30, 20_000, np.random.default_rng(1))
    clean = simulated_answers(method, found, questions, np.random.default_rng(2))

    def wrong(rows: np.ndarray, positions: np.ndarray) -> float:
        near2, far2 = (
            np.sum((positions[rows[:, 0]] - positions[rows[:, c]]) ** 2, axis=1) for c in (1, 2)
        )
        return float(np.mean(near2 > far2))

    # a share of contradicted answers, which the map itself understates
    assert wrong(clean, found.positions) == pytest.approx(
        wrong(triplets.rows, truth), abs=0.025
    )


def test_the_search_for_the_noise_can_be_stopped(planted):
    calls = []

    def count(*_: float, **__: object) -> bool:
        calls.append(1)
        return len(calls) > most

    most = 10**9
    STE(n_init=1).fit(planted, progress=count)
    most = len(calls) + 1  # in the midst of the first simulated fit
    calls.clear()
    with pytest.raises(Stopped):
        estimated_truth(STE(n_init=1), planted, 0, count)
    assert len(calls) < 3 * most, "the other simulated fits are not begun"


def test_shares_inside_ellipses():
    rng = np.random.default_rng(0)
    reference = 10 * rng.normal(size=(40, 2))
    samples = Samples(reference + rng.normal(size=(2000, 40, 2)), reference)
    radius = coverage_radius(0.8, 2)
    angle = rng.uniform(0, 2 * np.pi, 40)
    off = np.column_stack([np.cos(angle), np.sin(angle)])
    off[::2] *= -1  # nothing that an alignment could take away
    inside, outside = 0.9 * radius * off, 1.12 * radius * off
    assert held_by_ellipses(samples, reference + inside)[1] > 0.75
    assert held_by_ellipses(samples, reference + outside)[1] < 0.25
    assert held_by_ellipses(samples, reference + outside)[2] > 0.75


def test_flat_ellipses_hold_what_lies_in_their_plane():
    rng = np.random.default_rng(0)
    reference = np.zeros((40, 3))
    reference[:, :2] = 10 * rng.normal(size=(40, 2))
    moved = np.zeros((2000, 40, 3))
    moved[..., :2] = rng.normal(size=(2000, 40, 2))
    samples = Samples(reference + moved, reference)
    above = np.zeros((40, 3))
    above[:, 2] = 0.1 * rng.choice([-1, 1], 40)  # no plane through the map lies nearer
    assert held_by_ellipses(samples, reference).tolist() == [1.0, 1.0, 1.0]
    assert held_by_ellipses(samples, reference + above)[2] < 0.1
    same = Samples(np.tile(reference, (20, 1, 1)), reference)
    assert held_by_ellipses(same, reference).tolist() == [1.0, 1.0, 1.0]


def test_without_an_ellipse_nothing_is_held():
    triplets = Triplets.from_array([[0, 1, 2], [3, 4, 5], [6, 7, 8]], 9)
    found = calibrate(STE(n_init=1), triplets, data_sets=2, maps=10)
    known = np.isfinite(found.coverage).all(axis=1)
    assert not known.all()
    none = replace(found, coverage=np.full((2, 3), np.nan))
    assert none.ellipse_judgement is None
    rng = np.random.default_rng(0)
    maps = rng.normal(size=(30, 9, 2))
    # The covariance of two people has one degree of freedom, and no radius in two dimensions.
    two = Samples(maps, maps[0], unit="participants", n_units=2)
    assert np.isnan(held_by_ellipses(two, maps[0])).all()
    assert two.is_rough


def test_one_answer_about_three_objects_can_be_calibrated():
    found = calibrate(STE(n_init=1), [[0, 1, 2]], data_sets=2, maps=10)
    assert np.isnan(found.coverage).all()  # no position is determined
    assert found.ellipse_judgement is None


def test_classes_of_confidence():
    counts, confidence, right = tally(
        np.array([0.52, 0.48, 0.97, 0.01, np.nan, 1.0]),
        np.array([True, True, True, False, True, False]),
    )
    assert counts.tolist() == [2, 0, 0, 0, 0, 0, 0, 0, 0, 3]
    assert right[0] == 1
    assert right[-1] == 2
    assert confidence[0] == pytest.approx(1.04)


def test_judgements_say_what_is_wrong():
    levels, counts = np.array([0.5, 0.8, 0.95]), np.array([10, 90])

    def judged(held: float, accuracy: list[float]) -> tuple[str | None, str]:
        coverage = np.full((20, 3), held)
        found = Calibration(
            levels, coverage, np.array([0.55, 0.9]), np.array(accuracy), counts, 0.1
        )
        return found.ellipse_judgement, found.order_judgement

    assert judged(0.95, [0.55, 0.9]) == ("about right", "about right")
    assert judged(0.7, [0.55, 0.9]) == ("too small", "about right")
    assert judged(1.0, [0.55, 0.9]) == ("too large", "about right")
    assert judged(0.95, [0.5, 0.7]) == ("about right", "overconfident")
    assert judged(0.95, [0.7, 1.0]) == ("about right", "underconfident")
    found = Calibration(
        levels, np.ones((2, 3)), np.array([0.55, 0.9]), np.array([0.65, 0.8]), counts, 0.1
    )
    assert found.expected_error == pytest.approx(0.1)


@pytest.mark.parametrize(("data_sets", "objects"), [(2, 8), (4, 8), (12, 8), (12, 30)])
def test_exact_ellipses(data_sets, objects):
    """They were called too small or too large in 56 % of pairs of data sets of eight objects."""
    rng, said = np.random.default_rng(0), []
    for _ in range(200):
        held = rng.binomial(objects, 0.95, data_sets) / objects
        found = Calibration(
            np.array([0.95]), held[:, None], np.array([0.55]), np.array([0.55]), np.array([10]), 0.1
        )
        said.append(found.ellipse_judgement in ("too small", "too large"))
    assert np.mean(said) < 0.08
    small = np.full((data_sets, 1), 0.6)
    assert replace(found, coverage=small).ellipse_judgement == "too small"


def test_calibration_of_planted_data(planted):
    """STE with plenty of answers: 95 % ellipses hold 0.85 to 1, probabilities within 0.04."""
    found = calibrate(STE(), planted, data_sets=4, maps=40)
    assert found.coverage.shape == (4, 3)
    assert 0.85 < found.coverage[:, 2].mean() <= 1.0
    assert found.coverage[:, 0].mean() < 0.75
    assert found.expected_error < 0.04
    assert found.counts.sum() == 4 * 20_000
    assert found.ellipse_judgement is not None
    again = calibrate(STE(), planted, data_sets=4, maps=40)
    assert np.array_equal(found.coverage, again.coverage)


def test_the_spread_over_the_maps_is_better_calibrated_than_the_published(planted):
    """In 12 other data sets of this kind the ratio was between 0.06 and 0.32."""
    few = planted.take(np.arange(700))
    errors = [
        calibrate(STE(), few, source="laplace", data_sets=6, spread=spread).expected_error
        for spread in ("joint", "published")
    ]
    assert errors[0] < 0.7 * errors[1]


def test_a_stop_keeps_the_data_sets_there_are(planted):
    few = planted.take(np.arange(300))
    found = calibrate(
        STE(), few, source="laplace", maps=20, data_sets=20, progress=lambda f, **_: f > 0.12
    )
    assert 2 <= len(found.coverage) < 20
    with pytest.raises(Stopped):
        calibrate(STE(), few, progress=lambda *_, **__: True)


# Abstention --------------------------------------------------------------------------------------


def test_error_and_abstention_rate_by_hand():
    found = Abstention(
        np.arange(5), np.array([0.95, 0.7, 0.3, 0.5, np.nan]), np.array([1.0, 1.0, 2.0, 1.0, 1.0])
    )
    error, abstained = found.at([0.5, 0.8, 0.99])
    assert error[:2].tolist() == pytest.approx([2 / 4, 0])
    assert np.isnan(error[2])
    assert abstained.tolist() == pytest.approx([2 / 6, 5 / 6, 1])


def test_abstaining_lowers_the_error(planted):
    few = planted.take(np.arange(600))
    found = abstention(STE(), few)
    assert len(found.held_out) == pytest.approx(120, abs=3)
    error, abstained = found.at([0.5, 0.8])
    assert error[1] < error[0]
    assert abstained[1] > abstained[0]
    train = np.setdiff1d(np.arange(600), found.held_out)
    samples = bootstrap(STE(), few.take(train))
    again = samples.probability(few.take(found.held_out), spread="joint")
    assert np.array_equal(again, found.probability)
    given = samples.response_probability(few.take(found.held_out))
    assert np.array_equal(given, found.response, equal_nan=True)
    assert np.array_equal(found.by_response.probability, found.response, equal_nan=True)
    with pytest.raises(ValueError, match="no response probabilities"):
        _ = replace(found, response=None).by_response


def test_the_data_s_own_split_is_used(planted):
    answers = planted.answers.assign(split=["train"] * 2000 + ["test"] * 500)
    found = abstention(STE(), Triplets(planted.rows, planted.objects, answers), source="laplace")
    assert np.array_equal(found.held_out, np.arange(2000, 2500))


def test_too_few_questions_to_hold_any_out():
    with pytest.raises(DataError, match="fewer than 5 different questions"):
        abstention(STE(), Triplets.from_array([[0, 1, 2], [1, 0, 2]]))


def test_predicted_answers(planted):
    samples = laplace(STE(), planted)
    questions = Triplets(planted.rows[:50], planted.objects)
    table = predicted(samples, questions, threshold=0.9)
    probability = samples.response_probability(questions)
    sure = np.maximum(probability, 1 - probability) > 0.9
    assert 0 < sure.sum() < len(sure)
    assert table["nearer"].notna().tolist() == sure.tolist()
    first = (probability > 0.9)
    assert (table["nearer"][first] == table["first"][first]).all()
    turned = probability < 0.1
    assert (table["nearer"][turned] == table["second"][turned]).all()
    assert np.allclose(table["response_probability"], np.maximum(probability, 1 - probability))
    certainty = samples.order_certainty(questions)
    assert np.allclose(table["order_certainty"], np.maximum(certainty, 1 - certainty))
    assert table["response_probability"].mean() < table["order_certainty"].mean()


def test_what_is_as_likely_as_not_is_left_open():
    embeddings = np.random.default_rng(0).normal(size=(20, 4, 2))
    embeddings[:, 2] = embeddings[:, 1]  # always in one place
    samples = Samples(embeddings, embeddings[0])
    table = predicted(samples, Triplets.from_array([[0, 1, 2], [0, 1, 3]], 4))
    assert table["order_certainty"].tolist()[0] == 0.5
    assert table["response_probability"].isna().all()
    assert table["nearer"].notna().tolist() == [False, True]


# Dimension ---------------------------------------------------------------------------------------


def test_uncertainty_is_least_in_the_true_dimension(planted):
    curve = uncertainty_by_dimension(STE(), planted, most=4, maps=20)
    assert curve.n_components.tolist() == [1, 2, 3, 4]
    assert np.argmin(curve.uncertainty) == 1
    assert (np.diff(curve.loss) < 0).all()
    with pytest.raises(Stopped):
        uncertainty_by_dimension(STE(), planted, progress=lambda f, **_: f > 0.3)


def test_each_number_of_dimensions_takes_its_part_of_the_progress(planted):
    seen = []
    uncertainty_by_dimension(
        STE(n_init=1), planted, most=2, maps=10, progress=lambda f, **_: seen.append(f)
    )
    assert seen == sorted(seen)
    assert 0.0 <= seen[0] < 0.5
    assert any(0.5 < fraction < 1.0 for fraction in seen)
    assert seen[-1] == 1.0
