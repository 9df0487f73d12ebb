"""Confusions and the biased choice model."""

from __future__ import annotations

import numpy as np
import pytest

from tests.core.ratings.planted import confused, points
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.geometry import distances, procrustes_disparity
from tripletscope.core.models.embedding import NMDS, STE
from tripletscope.core.ratings import Confusions

UPPER = np.triu_indices(12, 1)


@pytest.fixture(scope="module")
def truth() -> np.ndarray:
    return points(12)


def test_distances_of_the_model_come_back_without_bias(truth):
    counts = confused(truth, 200_000)
    found = Confusions.from_matrix(counts).dissimilarities()
    right = 1.5 * distances(truth)[UPPER]
    near = right < 4  # others were hardly ever confused
    assert np.allclose(found.mean[UPPER][near], right[near], atol=0.12)
    off = (found.mean[UPPER] - right)[near] / found.standard_error[UPPER][near]
    assert np.mean(np.abs(off) < 1.96) > 0.85


def test_errors_hold_the_truth(truth):
    """Of pairs that were confused now and then, by the delta method."""
    right = 1.5 * distances(truth)[UPPER]
    near, held = right < 2.0, []
    for seed in range(100):
        found = Confusions.from_matrix(confused(truth, 400, seed)).dissimilarities(0)
        off = (found.mean[UPPER] - right)[near] / found.standard_error[UPPER][near]
        held.append(np.abs(off) < 1.96)
    assert 0.92 < np.mean(held) < 0.98


def test_resamples_spread_as_the_delta_method_has_it(truth):
    found = Confusions.from_matrix(confused(truth, 2_000)).dissimilarities(400)
    near = 1.5 * distances(truth)[UPPER] < 2.0
    ratio = found.replicates.std(axis=0)[UPPER][near] / found.standard_error[UPPER][near]
    assert ratio.mean() == pytest.approx(1, abs=0.08)
    assert procrustes_disparity(
        NMDS(n_init=2).fit_dissimilarities(found.mean).embedding_, truth
    ) < 0.05


def test_several_people_are_added_and_resampled(truth):
    counts = {f"p{k}": confused(truth, 300, k) for k in range(6)}
    several = Confusions.from_matrix(counts)
    found = several.dissimilarities()
    summed = Confusions.from_matrix(sum(counts.values())).dissimilarities()
    assert np.allclose(found.mean, summed.mean)
    assert (found.unit, found.n_raters) == ("raters", 6)
    # These people differ in their biases alone, which are not part of the dissimilarities.
    assert np.median(found.standard_error[UPPER] / summed.standard_error[UPPER]) < 1.6
    answers = several.triplets()
    assert answers.n_trials == 6
    errors = sum(c.sum() - np.trace(c) for c in counts.values())
    assert answers.weight.sum() == pytest.approx(errors)


def test_errors_are_answers_where_there_are_enough(truth):
    answers = Confusions.from_matrix(confused(truth, 300)).triplets()
    assert procrustes_disparity(STE().fit(answers).embedding_, truth) < 0.25
    assert len(Confusions.from_matrix(np.diag(np.full(12, 50)) + np.eye(12, k=1)).triplets()) == 0


def test_what_is_no_table_of_counts_is_refused():
    with pytest.raises(DataError, match=r"row 1: 0\.5 is no count"):
        Confusions.from_matrix([[3, 0.5, 1], [0, 3, 1], [1, 1, 1]])
    with pytest.raises(DataError, match="3 was never shown"):
        Confusions.from_matrix([[3, 1, 1], [0, 3, 1], [0, 0, 0]])
    with pytest.raises(DataError, match="has shape"):
        Confusions.from_matrix(np.ones((2, 3)))
    with pytest.raises(ValueError, match="addition"):
        Confusions.from_matrix(np.ones((3, 3)), addition=0)
    some = Confusions.from_matrix([[3, 1, 0], [0, 3, 1], [2, 1, 4]])
    assert some.notes == ["2 of 9 counts are zero; 0.5 was added to every count."]


def test_one_confusion_each_is_a_judgement_each_however_few_answers_are_kept():
    counts = {}
    for person in range(8):
        matrix = 9 * np.eye(5)
        matrix[person % 5, (person + 1) % 5] = 1
        counts[f"p{person}"] = matrix
    confusions = Confusions.from_matrix(counts)
    answers = confusions.triplets()
    assert not answers.are_choices
    assert answers.weight[answers.choices.answer].sum() == pytest.approx(8)
    assert confusions.triplets(most=10).weight.sum() == pytest.approx(8)


def test_resamples_of_one_person_lie_about_the_mean_even_of_empty_cells():
    found = Confusions.from_matrix([[40, 9, 0], [11, 38, 1], [0, 2, 48]]).dissimilarities(4000)
    upper = np.triu_indices(3, 1)
    mean, error = found.mean[upper], found.standard_error[upper]
    resampled = found.replicates[:, *upper]
    assert np.allclose(resampled.mean(axis=0), mean, atol=0.08 * error.max())
    assert np.allclose(resampled.std(axis=0), error, rtol=0.05)


@pytest.mark.parametrize("trials", [10, 15, 20, 25, 50, 100])
def test_percents_of_few_trials_are_no_hundred(trials):
    """Errors at random of ten trials, written as percents, differed from chance in every table."""
    seen = 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        bias, counts = rng.dirichlet([3] * 10), np.zeros((10, 10))
        for k in range(10):
            wrong = rng.binomial(trials, 0.2 + 0.3 * rng.random())
            others = np.where(np.arange(10) == k, 0.0, bias)
            counts[k] = rng.multinomial(wrong, others / others.sum())
            counts[k, k] += trials - wrong
        percents = Confusions.from_matrix(np.round(counts * 100 / trials))
        seen += percents.differs_from_random(np.random.default_rng(0))
        assert f"{min(trials, 80)} responses to each stimulus" in percents.notes[0]
    assert seen <= 1
    doubled = Confusions.from_matrix(2 * np.round(counts * 100 / trials))
    assert not any("percents" in note for note in doubled.notes)
    if trials < 100 and 100 % trials == 0:  # errors are those of the counts
        of_counts = Confusions.from_matrix(counts, addition=0.5 * trials / 100)
        found, known = (one.dissimilarities(2).standard_error for one in (percents, of_counts))
        off = ~np.eye(10, dtype=bool)
        np.testing.assert_allclose(found[off], known[off], rtol=1e-6)
