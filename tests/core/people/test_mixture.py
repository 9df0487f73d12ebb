"""Groups of people that nobody named."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tests.core.people.planted import answers_of
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.people import LatentClassMap


@pytest.fixture(scope="module")
def two_groups() -> tuple[Triplets, np.ndarray]:
    rng = np.random.default_rng(5)
    weights = np.array([[1.7, 0.3]] * 12 + [[0.3, 1.7]] * 8)
    return answers_of(1.3 * rng.normal(size=(15, 2)), weights, 120, rng), weights


@pytest.mark.parametrize("differ", ["maps", "weights"])
def test_planted_groups_are_found(two_groups, differ):
    data, weights = two_groups
    fitted = LatentClassMap(n_groups=2, differ=differ, n_init=2).fit(data)
    right = fitted.group_ == (weights[:, 0] < 1)
    assert right.all()
    np.testing.assert_allclose(fitted.membership_.sum(axis=1), 1.0)
    assert fitted.shares_ == pytest.approx([0.6, 0.4], abs=0.02)
    one = LatentClassMap(n_groups=1).fit(data)
    assert fitted.score(data) > one.score(data) + 0.02
    assert fitted.judged(data).log_share.mean() > one.judged(data).log_share.mean() + 0.05
    if differ == "weights":
        stretched = np.log(fitted.weights_[:, 0] / fitted.weights_[:, 1])
        assert abs(stretched[0] - stretched[1]) > 1.5
        np.testing.assert_allclose(fitted.shares_ @ fitted.weights_, 1.0)
        np.testing.assert_allclose(
            fitted.maps_[1], fitted.embedding_ * np.sqrt(fitted.weights_[1])
        )


@pytest.mark.parametrize("differ", ["maps", "weights"])
def test_groups_are_found_beside_people_of_other_precision(differ):
    rng = np.random.default_rng(5)
    weights = np.array([[1.7, 0.3]] * 12 + [[0.3, 1.7]] * 8)
    precision = np.where(np.arange(20) % 3, 1.3, 0.4)
    data = answers_of(1.5 * rng.normal(size=(15, 2)), weights * precision[:, None], 150, rng)
    fitted = LatentClassMap(n_groups=2, differ=differ, n_init=2, precise=True).fit(data)
    assert np.all(fitted.group_ == (weights[:, 0] < 1))
    assert fitted.precision_.mean() == pytest.approx(1.0)
    assert np.corrcoef(np.log(fitted.precision_), np.log(precision))[0, 1] > 0.3
    assert LatentClassMap(n_groups=2, differ=differ, n_init=2).fit(data).precision_.tolist() == [
        1.0
    ] * 20


@pytest.mark.parametrize("seed", range(3))
def test_groups_with_maps_of_their_own_do_not_guess_on_that_of_all(seed):
    """On one map of all, a group may look as if it guessed: of such crowds, half were seen."""
    rng = np.random.default_rng(seed)
    alike = np.ones((10, 2))
    parts = [answers_of(1.3 * rng.normal(size=(16, 2)), alike, 80, rng) for _ in range(2)]
    who = np.concatenate([[f"{k} {name}" for name in one.answers["participant"]]
                          for k, one in enumerate(parts)])
    data = Triplets(np.concatenate([one.rows for one in parts]), parts[0].objects,
                    pd.DataFrame({"participant": who}))
    fitted = LatentClassMap(n_groups=2, n_init=3, precise=True).fit(data)
    kind = np.array([name[0] == "1" for name in fitted.people_])
    assert fitted.converged_
    assert (fitted.group_ == kind).all() or (fitted.group_ != kind).all()
    assert fitted.precision_.min() > 0.5


def test_one_group_is_the_map_of_all(two_groups):
    data, _ = two_groups
    fitted = LatentClassMap(n_groups=1).fit(data)
    distances = [np.linalg.norm(x[:, None] - x, axis=2) for x in (fitted.maps_[0],
                                                                  fitted.embedding_)]
    np.testing.assert_allclose(*distances, atol=0.02)
    assert fitted.membership_.shape == (20, 1)


def test_people_who_are_not_known_answer_as_the_groups_share(two_groups):
    data, _ = two_groups
    fitted = LatentClassMap(n_groups=2, n_init=1).fit(data)
    unnamed = Triplets(data.rows, data.objects)
    known, unknown = fitted.judged(data).log_share, fitted.judged(unnamed).log_share
    assert known.mean() > unknown.mean() + 0.02


def test_a_stopped_search_keeps_what_it_has(two_groups):
    data, _ = two_groups
    fitted = LatentClassMap(n_groups=2).fit(data, progress=lambda fraction, **_: fraction > 0.3)
    assert fitted.stopped_
    assert np.isfinite(fitted.maps_).all()
