"""Weights of people on a shared map: found where they were planted, and no firmer than they are."""

from __future__ import annotations

import numpy as np
import pytest

from tests.core.people.planted import weighing
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.people import WeightedEuclidean
from tripletscope.core.people import weights as weights_module


def matched(fitted: WeightedEuclidean, positions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Correlation of each true axis with the found one that is most like it, and which that is."""
    d = positions.shape[1]
    alike = np.abs(np.corrcoef(positions.T, fitted.embedding_.T)[:d, d:])
    return alike.max(axis=1), alike.argmax(axis=1)


@pytest.fixture(scope="module")
def crowd():
    data, positions, weights = weighing()
    return data, positions, weights, WeightedEuclidean(n_init=2).fit(data)


def test_axes_and_weights_are_found(crowd):
    data, positions, weights, fitted = crowd
    alike, axes = matched(fitted, positions)
    assert alike.min() > 0.99
    found = fitted.weights_[:, axes]
    for k in range(2):
        assert np.corrcoef(np.log(found[:, k]), np.log(weights[:, k]))[0, 1] > 0.9
    np.testing.assert_allclose(fitted.weights_.mean(axis=0), 1.0)
    assert fitted.axes_are_fixed
    assert fitted.axes_error_ < 4
    assert fitted.attention_ == pytest.approx(0.7, abs=0.2)
    assert fitted.people_.tolist() == sorted(set(data.answers["participant"]))


def test_intervals_hold_the_true_weights(crowd):
    """In 100 planted crowds of 40 people with 60 answers each 92 % do; of 12 with 100, too."""
    _, positions, weights, fitted = crowd
    axes = matched(fitted, positions)[1]
    held = (fitted.low_[:, axes] < weights) & (weights < fitted.high_[:, axes])
    assert 0.87 < held.mean() <= 1.0
    assert np.all((fitted.low_ < fitted.weights_) & (fitted.weights_ < fitted.high_))


def test_people_with_few_answers_stay_near_the_group():
    data, _, _ = weighing(each=150)
    who = data.answers["participant"].to_numpy()
    order = np.concatenate([np.flatnonzero(who == p)[: 10 if i < 10 else None]
                            for i, p in enumerate(np.unique(who))])
    fitted = WeightedEuclidean(n_init=1).fit(data.take(order))
    assert fitted.n_answers_[:10].tolist() == [10] * 10
    width = np.log(fitted.high_ / fitted.low_)
    assert width[:10].mean() > 1.5 * width[10:].mean()
    apart = np.abs(np.diff(np.log(fitted.weights_), axis=1))
    assert apart[:10].mean() < apart[10:].mean()


def test_axes_are_not_fixed_where_people_are_alike():
    fitted = WeightedEuclidean(n_init=2).fit(weighing(attention=0.0)[0])
    assert fitted.p_attention_ > 0.05
    assert not fitted.axes_are_fixed
    assert fitted.axes_error_ == np.inf


def test_who_answers_is_predicted_as_they_see_it(crowd):
    data, _, _, fitted = crowd
    unnamed = Triplets(data.rows, data.objects)
    assert fitted.score(data) > fitted.score(unnamed) + 0.01
    w = fitted.weights_[fitted.rows_of(data)[:1]]
    i, j, k = data.rows[0]
    x = fitted.embedding_ * np.sqrt(w)
    expected = np.linalg.norm(x[i] - x[k]) - np.linalg.norm(x[i] - x[j])
    assert fitted.margins(data)[0] == pytest.approx(expected)
    np.testing.assert_allclose(fitted.map_of(fitted.people_[0]), fitted.embedding_ * np.sqrt(
        fitted.weights_[0]
    ))
    judged = fitted.judged(data)
    assert judged.right.mean() == pytest.approx(fitted.score(data))
    with pytest.raises(ValueError, match="there is no 'nobody'"):
        fitted.map_of("nobody")


def test_one_weight_for_all_axes_is_consistency(crowd):
    data, _, _, _ = crowd
    fitted = WeightedEuclidean(alike=True).fit(data)
    np.testing.assert_allclose(np.ptp(np.log(fitted.weights_), axis=1), 0.0, atol=1e-6)
    assert fitted.attention_ == 0.0


def test_answers_of_nobody_known_are_of_the_group(crowd):
    data, _, _, _ = crowd
    people = data.answers["participant"].where(np.arange(len(data)) % 3 > 0)
    some = Triplets(data.rows, data.objects, data.answers.assign(participant=people))
    fitted = WeightedEuclidean(n_init=1).fit(some)
    assert fitted.n_answers_.sum() == people.notna().sum()
    assert np.all(fitted.rows_of(some)[people.isna()] == len(fitted.people_))


def test_one_person_is_refused(crowd):
    data = crowd[0]
    alone = Triplets(data.rows, data.objects, data.answers.assign(participant="p"))
    with pytest.raises(DataError, match="names 1"):
        WeightedEuclidean().fit(alone)
    with pytest.raises(DataError, match="names nobody"):
        WeightedEuclidean(by="nothing").fit(data)


def test_a_stopped_fit_keeps_what_it_has(crowd):
    calls = []

    def progress(fraction, **_):
        calls.append(fraction)
        return len(calls) > 30

    fitted = WeightedEuclidean(n_init=2).fit(crowd[0], progress=progress)
    assert fitted.stopped_
    assert np.isfinite(fitted.embedding_).all()
    assert calls == sorted(calls)


def test_the_same_seed_gives_the_same_bits(crowd):
    data, _, _, fitted = crowd
    again = WeightedEuclidean(n_init=2).fit(data)
    assert np.array_equal(fitted.embedding_, again.embedding_)
    assert np.array_equal(fitted.weights_, again.weights_)


def test_many_weights_are_known_as_if_the_map_were(crowd, monkeypatch):
    data, _, _, fitted = crowd
    monkeypatch.setattr(weights_module, "_BIG", 10)
    rough = WeightedEuclidean(n_init=2).fit(data)
    assert np.array_equal(rough.weights_, fitted.weights_)
    assert rough.axes_error_ == np.inf
    width, given = np.log(fitted.high_ / fitted.low_), np.log(rough.high_ / rough.low_)
    assert 0.8 < np.mean(given / width) < 1.02
