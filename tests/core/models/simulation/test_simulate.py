"""Simulated answers follow the model that they name."""

from __future__ import annotations

import numpy as np
import pytest

from tripletscope.core.data.geometry import rms
from tripletscope.core.models.simulation.simulate import (
    DESIGNS,
    answer,
    comparisons_of,
    majority,
    personal_maps,
    questions_of,
    random_questions,
    simulate,
)
from tripletscope.core.models.simulation.truth import (
    TRUTHS,
    gaussian_process_observers,
    known_truth,
    scale_function,
    true_positions,
)

N_ANSWERS = 40_000
#: Four standard errors of a share in that many answers.
SLACK = 4 * 0.5 / np.sqrt(N_ANSWERS)
PLANAR = ("mixture", "moons", "rings", "circle")
LINE = np.array([[0.0], [1.0], [1.5]])


def share_of_first(noise: str, level: float) -> float:
    """How often object 1 is said to be nearer to 0 than object 2 is."""
    questions = np.tile([0, 1, 2], (N_ANSWERS, 1))
    rows = answer(LINE, questions, np.random.default_rng(1), noise=noise, level=level)
    assert set(map(tuple, rows.tolist())) <= {(0, 1, 2), (0, 2, 1)}
    return float(np.mean(rows[:, 1] == 1))


def test_questions_are_uniform_over_triples_of_different_objects():
    questions = random_questions(4, 24_000, np.random.default_rng(0))
    triples, counts = np.unique(questions, axis=0, return_counts=True)
    assert len(triples) == 24
    assert all(len(set(t)) == 3 for t in triples.tolist())
    assert np.abs(counts - 1000).max() < 5 * np.sqrt(1000)


def test_without_noise_the_nearer_is_chosen():
    assert share_of_first("none", 0.0) == 1.0


def test_flipped_answers():
    assert share_of_first("flip", 0.2) == pytest.approx(0.8, abs=SLACK)


def test_logistic_answers_follow_ste():
    # d^2 are 1 and 2.25, so STE says 1 / (1 + exp(-1.25)).
    assert share_of_first("logistic", 1.0) == pytest.approx(1 / (1 + np.exp(-1.25)), abs=SLACK)
    # positions half as large: the difference of squares is a quarter
    assert share_of_first("logistic", 2.0) == pytest.approx(1 / (1 + np.exp(-0.3125)), abs=SLACK)


def test_crowd_answers_follow_ckl():
    # d^2 are 1 and 2.25
    assert share_of_first("crowd", 0.0) == pytest.approx(2.25 / 3.25, abs=SLACK)
    assert share_of_first("crowd", 0.5) == pytest.approx(2.75 / 4.25, abs=SLACK)


def test_lognormal_distances():
    # log(1.5) in units of sqrt(2) * 0.3 is 0.9557; the normal distribution function there.
    assert share_of_first("lognormal", 0.3) == pytest.approx(0.8304, abs=SLACK + 1e-4)


def test_noisy_positions_get_worse_with_noise():
    shares = [share_of_first("positions", level) for level in (0.0, 0.1, 0.5, 5.0)]
    assert shares[0] == 1.0
    assert shares == sorted(shares, reverse=True)
    assert shares[-1] == pytest.approx(0.5, abs=0.05)


def test_unknown_noise_is_refused():
    with pytest.raises(ValueError, match="noise is 'loud'; it must be one of none, flip"):
        simulate(LINE, 3, noise="loud")


def test_positions_are_not_changed():
    positions = np.random.default_rng(0).normal(size=(5, 2))
    before = positions.copy()
    for noise in ("none", "flip", "lognormal", "positions", "logistic", "crowd"):
        simulate(positions, 50, noise=noise, level=0.3)
    assert np.array_equal(positions, before)


def test_same_seed_same_answers():
    first, second, other = (simulate(np.eye(4), 100, noise="flip", level=0.3, seed=s).rows
                            for s in (1, 1, 2))
    assert np.array_equal(first, second)
    assert not np.array_equal(first, other)


# Truths ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("truth", TRUTHS.options)
def test_truths_have_the_shape_asked_for_and_repeat_themselves(truth):
    d = {"normal": 3, "cube": 3, "helix": 3, **dict.fromkeys(PLANAR, 2)}.get(truth, 1)
    found = true_positions(truth, 20, 3, np.random.default_rng(0))
    assert found.shape == (20, d)
    assert np.isfinite(found).all()
    assert np.array_equal(found, true_positions(truth, 20, 3, np.random.default_rng(0)))


def test_an_unknown_truth_is_refused():
    with pytest.raises(ValueError, match="truth is 'flat'"):
        true_positions("flat", 5, 2, np.random.default_rng(0))


@pytest.mark.parametrize("name", ["sigmoid", "cubic", "polynomial", "sinusoid"])
def test_scales_run_from_0_to_1(name):
    values = scale_function(name, np.linspace(0, 1, 401))
    assert (values.min(), values.max()) == pytest.approx((0, 1), abs=1e-9)
    assert np.all(np.diff(values) >= 0) == (name in ("sigmoid", "cubic"))


def test_clusters_have_the_published_means_and_covariances():
    found = true_positions("mixture", 60_000, 2, np.random.default_rng(0))
    means = np.array([[2, 2], [-2, -1], [4, -2]])
    np.testing.assert_allclose(found.mean(axis=0), means.mean(axis=0), atol=0.06)
    within = np.mean([[[2, 0], [0, 1]], [[1, 0], [0, 1]], [[1, 0.7], [0.7, 2]]], axis=0)
    between = np.cov(means.T, ddof=0)
    np.testing.assert_allclose(np.cov(found.T), within + between, atol=0.12)


def test_the_circle_is_evenly_spaced():
    found = true_positions("circle", 8, 2, np.random.default_rng(0))
    steps = np.linalg.norm(found - np.roll(found, 1, axis=0), axis=1)
    np.testing.assert_allclose(steps, 2 * np.sin(np.pi / 8))


def test_half_moons_and_rings_are_told_apart_by_their_groups():
    for truth, inner in (("moons", 1.0), ("rings", 0.5)):
        found, known = known_truth(truth, 400, 2, np.random.default_rng(0))
        group = known["group"].cat.codes.to_numpy()
        assert np.bincount(group).tolist() == [200, 200]
        centre = np.array([[0.0, 0.0], [1.0, 0.5]] if truth == "moons" else [[0.0, 0.0]] * 2)
        reach = np.linalg.norm(found - centre[group], axis=1)
        np.testing.assert_allclose(reach, np.where(group == 0, 1.0, inner), atol=0.35)


def test_the_helix_turns_once_in_an_octave_and_rises():
    found, known = known_truth("helix", 37, 1, np.random.default_rng(0))
    octave = known["stimulus"].to_numpy()
    assert (octave[0], octave[-1]) == (0, 3)
    above = found[12:] - found[:-12]  # twelve steps of 3/36 octaves: the same chroma
    np.testing.assert_allclose(above, np.tile([0, 0, 1], (25, 1)), atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(found[:, :2], axis=1), 1)


def test_observers_agree_at_the_ends_and_differ_more_with_short_length_scales():
    x = np.linspace(0, 1, 21)
    spreads = []
    for length in (2.0, 0.88, 0.54):
        found = gaussian_process_observers(x, 3000, length, np.random.default_rng(0))
        np.testing.assert_allclose(found[:, 0], 0, atol=1e-5)
        np.testing.assert_allclose(found[:, -1], 1, atol=1e-5)
        spreads.append(found.std(axis=0)[10])
        logistic = 1 / (1 + np.exp(-25 * (x - 0.5)))
        np.testing.assert_allclose(found.mean(axis=0), logistic, atol=5 * spreads[-1] / 50)
        # by hand, conditional variance at 1/2 given both ends
        near, far = np.exp(-0.125 / length**2), np.exp(-0.5 / length**2)
        assert spreads[-1] == pytest.approx(np.sqrt(1 - 2 * near**2 / (1 + far)), rel=0.06)
    assert spreads == sorted(spreads)


# Designs ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("design", DESIGNS)
def test_designs_ask_valid_questions_as_many_as_wanted(design):
    found = questions_of(design, 12, 300, np.random.default_rng(0), repeats=5)
    assert found.shape == (300, 3)
    assert found.min() >= 0
    assert found.max() < 12
    assert all(len(set(row)) == 3 for row in found.tolist())


def test_designs_are_what_they_are_called():
    rng = np.random.default_rng(0)
    repeated = questions_of("repeated", 12, 301, rng, repeats=3).reshape(-1, 3, 3)
    assert len(repeated) == 100
    assert np.all(repeated == repeated[:, :1])
    landmark = questions_of("landmark", 50, 270, rng)
    assert len(np.unique(landmark[:, 1:])) == 4  # 6 pairs of 4 allow 288 questions, 3 of 3 144
    triads = questions_of("triads", 9, 4000, rng)
    assert np.all(np.median(triads, axis=1) == triads[:, 0])
    assert np.mean(triads[:, 1] < triads[:, 2]) == pytest.approx(0.5, abs=0.04)
    many = questions_of("landmark", 5, 100, rng)  # there are only 30
    assert len(np.unique(many, axis=0)) == 30
    with pytest.raises(ValueError, match="design is 'all'"):
        questions_of("all", 5, 10, rng)


def test_majority_by_hand():
    rows = np.array([[0, 1, 2], [0, 2, 1], [0, 2, 1], [3, 1, 2], [3, 1, 2], [3, 2, 1]])
    assert majority(rows, 3).tolist() == [[0, 2, 1], [3, 1, 2]]
    with pytest.raises(ValueError, match="odd"):
        majority(rows, 2)


def test_distances_answer_every_question_about_unequal_ones():
    distances = np.array([[0, 1, 2, 2], [1, 0, 3, 4], [2, 3, 0, 5], [2, 4, 5, 0.0]])
    rows = comparisons_of(distances)
    expected = {
        (a, b, c) for a in range(4) for b in range(4) for c in range(4)
        if len({a, b, c}) == 3 and distances[a, b] < distances[a, c]
    }
    assert len(rows) == len(expected) == 11
    assert {tuple(row) for row in rows.tolist()} == expected
    points = np.random.default_rng(0).normal(size=(30, 2))
    distances = np.linalg.norm(points[:, None] - points, axis=2)
    some = comparisons_of(distances, most=500, seed=1)
    assert 450 < len(some) <= 500
    assert (distances[some[:, 0], some[:, 1]] < distances[some[:, 0], some[:, 2]]).all()
    assert np.array_equal(some, comparisons_of(distances, most=500, seed=1))


@pytest.mark.parametrize("scale", [1.0, 7.0])
def test_people_differ_as_much_as_was_asked_for_whatever_the_size_of_the_map(scale):
    group = scale * np.random.default_rng(0).normal(size=(40, 3)) + 5.0
    maps = personal_maps(group, 200, 0.4, np.random.default_rng(1))
    assert maps.shape == (200, 40, 3)
    off = maps - group
    # 24,000 normal numbers: 4.5 standard errors of their standard deviation are 2 %.
    assert off.std() == pytest.approx(0.4 * rms(group), rel=0.02)
    assert np.abs(off.mean(axis=0)).max() < 0.2 * rms(group)
    same = personal_maps(group, 2, 0.0, np.random.default_rng(1))
    assert np.array_equal(same, [group, group])
