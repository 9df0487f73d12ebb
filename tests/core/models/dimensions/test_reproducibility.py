"""Dimensions that are there come back; weights vary as resamples say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import tripletscope as ts
from tripletscope.core.data.errors import DataError
from tripletscope.core.engine.progress import Stopped
from tripletscope.core.models.dimensions.reproducibility import (
    DimensionReproducibility,
    best_matches,
    bootstrap_dimensions,
    dimension_reproducibility,
    matched,
    standardised,
)
from tripletscope.core.run import key, run

TRUTH = np.repeat(np.eye(3), 8, axis=0) * 2
METHOD = ts.dimensions.SPoSE(n_components=6, penalty=4.0)


@pytest.fixture(scope="module")
def answers() -> ts.Triplets:
    return ts.dimensions.simulate_choices(TRUTH, 1500, seed=4, participants=10)


def test_best_matches_are_those_of_numpy():
    rng = np.random.default_rng(0)
    one, other = rng.random((9, 3)), rng.random((9, 4))
    expected = np.corrcoef(one.T, other.T)[:3, 3:].max(axis=1)
    np.testing.assert_allclose(best_matches(one, other), expected)
    assert best_matches(np.ones((9, 1)), other) == 0
    assert (best_matches(one, np.zeros((9, 0))) == 0).all()


@pytest.mark.parametrize("halves", [False, True])
def test_planted_dimensions_come_back(answers, halves):
    found = dimension_reproducibility(METHOD, answers, runs=2, halves=halves)
    assert found.correlations.shape == (2, 3)
    assert (found.found == 1).all()
    assert (found.share == 1).all()
    assert 0.95 < found.overall <= 1
    assert np.array_equal(found.reference, METHOD.fit(answers).embedding_)


def test_the_mean_is_that_of_fishers_z():
    given = np.array([[0.5, 0.9], [0.7, 0.9]])
    found = DimensionReproducibility(given, np.array([2, 2]), np.zeros((3, 2)), False)
    np.testing.assert_allclose(found.mean, [np.tanh(np.arctanh([0.5, 0.7]).mean()), 0.9])
    np.testing.assert_allclose(found.found, [0, 1])
    np.testing.assert_allclose(found.share, [0.5, 0.5])


def test_chance_does_not_come_back_in_halves():
    noise = ts.dimensions.simulate_choices(np.zeros((24, 1)), 1500, seed=5)
    method = ts.dimensions.SPoSE(n_components=4, penalty=0.5)
    found = dimension_reproducibility(method, noise, runs=6)
    assert found.correlations.shape[1] == 4
    assert found.found.mean() < 0.3


def test_halves_with_fewer_dimensions_say_that_weak_ones_need_trials(answers):
    """Planted dimensions of which one is weak; neither equal ones nor chance."""
    weak = np.hstack([TRUTH, np.r_[np.tile([1.0, 0.0], 12)][:, None]])
    found = dimension_reproducibility(
        METHOD, ts.dimensions.simulate_choices(weak, 4000, seed=3), runs=4
    )
    assert found.correlations.shape[1] == 4
    assert found.grows
    assert not replace(found, halves=False).grows
    assert not dimension_reproducibility(METHOD, answers, runs=4).grows
    for seed in range(4):
        noise = ts.dimensions.simulate_choices(np.zeros((24, 1)), 1500, seed=seed)
        method = ts.dimensions.SPoSE(n_components=4, penalty=1.0 * 2**seed)
        assert not dimension_reproducibility(method, noise, runs=4).grows


def test_it_can_be_stopped(answers):
    with pytest.raises(Stopped):
        dimension_reproducibility(METHOD, answers, runs=2, progress=lambda *_, **__: True)


def test_resamples_vary_as_new_data_do(answers):
    """The standard deviation over resamples against that over new trials of the same observer."""
    found = bootstrap_dimensions(METHOD, answers, replicates=30, unit="answers")
    fits = []
    for seed in range(12):
        choices = ts.dimensions.simulate_choices(TRUTH, 1500, seed=100 + seed)
        weights = METHOD.fit(choices).embedding_
        order = np.argmax(np.corrcoef(TRUTH.T, weights.T)[:3, 3:], axis=1)
        fits.append(weights[:, order])
    there = TRUTH > 0
    ours = np.argmax(np.corrcoef(TRUTH.T, found.embedding.T)[:3, 3:], axis=1)
    ratio = found.sd[:, ours][there].mean() / np.std(fits, axis=0, ddof=1)[there].mean()
    assert 0.7 < ratio < 1.4
    assert found.n_units == 1500
    assert bootstrap_dimensions(METHOD, answers, replicates=10).unit == "participants"


def test_runs_know_them(answers):
    kept = run("fit", METHOD, answers)
    assert kept.kind == "dimensions"
    assert np.array_equal(kept.fitted().embedding_, METHOD.fit(answers).embedding_)
    assert kept.key != key("fit", ts.dimensions.SPoSE(n_components=6, penalty=5.0), answers)


def test_intervals_over_few_participants_are_as_wide_as_their_errors(answers):
    found = bootstrap_dimensions(METHOD, answers, replicates=60)
    there = found.low > 0
    reach = (found.high - found.low)[there] / 2
    # Student's quantile for ten participants.
    assert np.median(reach / found.sd[there]) == pytest.approx(2.26, rel=0.12)
    assert found.low.min() == 0


def test_a_score_comes_with_its_chance_and_needs_weights(answers):
    fitted = METHOD.fit(answers)
    assert fitted.chance(answers) == 1 / 3
    assert fitted.chance(ts.Triplets.from_array([[0, 1, 2], [0, 2, 3]], 24)) == 1 / 2
    central = ts.Triplets(
        [[1, 0, 2], [2, 0, 1]], answers.objects, pd.DataFrame({"trial": [0, 0]})
    )
    assert fitted.chance(central) == 1 / 3
    nothing = answers.reweighted(np.zeros(len(answers)))
    for asked in (fitted.score, fitted.leaving_out):
        with pytest.raises(DataError, match="no trial to predict"):
            asked(nothing)


def test_dimensions_are_found_again_in_another_order_and_size():
    rng = np.random.default_rng(0)
    one = np.maximum(rng.normal(size=(200, 6)), 0.0)
    order = rng.permutation(6)
    other = 3.0 * one[:, order] + 0.02 * rng.random((200, 6))
    rows, columns, r = matched(standardised(one), standardised(other))
    np.testing.assert_array_equal(order[columns], rows)
    assert (r > 0.99).all()
    assert len(matched(standardised(one), standardised(other[:, :2]))[0]) == 2
    assert matched(standardised(one), standardised(np.ones((200, 1))))[2] == 0, "constant"
