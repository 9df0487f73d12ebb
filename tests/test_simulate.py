"""Simulated answers follow the model that they name."""

from __future__ import annotations

import numpy as np
import pytest

from core.simulate import answer, random_questions, simulate

N_ANSWERS = 40_000
#: Four standard errors of a share in that many answers.
SLACK = 4 * 0.5 / np.sqrt(N_ANSWERS)
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
    for noise in ("none", "flip", "lognormal", "positions", "logistic"):
        simulate(positions, 50, noise=noise, level=0.3)
    assert np.array_equal(positions, before)


def test_same_seed_same_answers():
    first, second, other = (simulate(np.eye(4), 100, noise="flip", level=0.3, seed=s).rows
                            for s in (1, 1, 2))
    assert np.array_equal(first, second)
    assert not np.array_equal(first, other)
