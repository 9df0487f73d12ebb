"""Stress of dissimilarities against that of random orders of them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import tripletscope as ts
from tripletscope.core.data.geometry import distances
from tripletscope.core.engine.progress import Stopped
from tripletscope.core.inference.held_out.stress import permuted_stress
from tripletscope.core.models.embedding import MDS, NMDS


def square(values: np.ndarray) -> np.ndarray:
    upper = np.triu(values, 1)
    return upper + upper.T


@pytest.mark.parametrize("method", [NMDS(), MDS(n_components=1)])
def test_random_numbers_are_chance(method):
    found = [
        permuted_stress(method, square(np.random.default_rng(seed).uniform(size=(10, 10))),
                        permutations=19)
        for seed in range(4)  # rates: ``benchmarks/verdicts.py measured``
    ]
    assert all(one.is_chance for one in found)
    assert min(one.p for one in found) >= 1 / 20


@pytest.mark.parametrize("method", [NMDS(), MDS()])
def test_noisy_distances_are_none(method):
    rng = np.random.default_rng(0)
    places = rng.normal(size=(10, 2))
    apart = np.linalg.norm(places[:, None] - places, axis=2)
    apart = square(apart + rng.normal(scale=0.4, size=apart.shape)).clip(0)
    apart[2, 5] = apart[5, 2] = np.nan
    found = permuted_stress(method, apart)
    assert not found.is_chance
    assert found.stress < found.permuted.min()
    weights = np.isfinite(apart) * square(rng.uniform(1, 2, size=apart.shape))
    assert not permuted_stress(method, apart, weights).is_chance
    few = permuted_stress(method, apart, permutations=5)
    assert few.is_chance, "of so few nothing can be told"


def test_a_stop_ends_it():
    with pytest.raises(Stopped):
        permuted_stress(MDS(), square(np.ones((5, 5))), progress=lambda *_, **__: True)


@pytest.mark.parametrize("seed", [0, 1])
def test_people_who_sort_at_random_have_no_map(seed):
    """Piles of a person make a map by themselves; that of three people fits better than chance."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame({
        "participant": np.repeat(["a", "b", "c"], 12), "item": [f"o{k:02}" for k in range(12)] * 3,
        "pile": rng.integers(4, size=36).astype(str),
    })
    piles = ts.ratings.Piles(table)
    assert permuted_stress(NMDS(n_init=1), piles, permutations=19).is_chance
    alike = table.assign(pile=np.tile(np.arange(12) // 3, 3).astype(str))
    assert not permuted_stress(NMDS(n_init=1), ts.ratings.Piles(alike), permutations=19).is_chance


def test_of_people_who_rated_a_pair_each_the_pairs_change_places():
    """Within a person nothing could: a map without an error was "random order"."""
    apart = distances(np.random.default_rng(0).normal(size=(10, 2)))
    first, second = np.triu_indices(10, 1)
    ratings = ts.ratings.Ratings(pd.DataFrame({
        "participant": [f"p{k}" for k in range(len(first))], "item1": first.astype(str),
        "item2": second.astype(str), "rating": apart[first, second],
    }), direction="dissimilar")
    assert not permuted_stress(NMDS(n_init=1), ratings, permutations=19).is_chance


def test_pairs_that_nobody_rated_lose_no_object():
    rng = np.random.default_rng(1)
    pairs = np.array([(k, (k + 1) % 10) for k in range(10)] + [(0, 5), (2, 7)])
    ratings = ts.ratings.Ratings(pd.DataFrame({
        "participant": np.arange(12) % 3, "item1": pairs[:, 0].astype(str),
        "item2": pairs[:, 1].astype(str), "rating": rng.random(12),
    }), direction="dissimilar")
    assert len(permuted_stress(NMDS(n_init=1), ratings, permutations=5).permuted) == 5


def test_data_at_random_keep_what_each_person_did():
    rng = np.random.default_rng(0)
    first, second = np.triu_indices(6, 1)
    ratings = pd.DataFrame({
        "participant": np.repeat(["a", "b"], 15), "item1": np.tile(first, 2).astype(str),
        "item2": np.tile(second, 2).astype(str), "rating": rng.permutation(30).astype(float),
    })
    other = ts.ratings.Ratings(ratings).at_random(rng)
    pairs = ["participant", "item1", "item2"]
    pd.testing.assert_frame_equal(other.table[pairs], ratings[pairs])
    for (_, mine), (_, drawn) in zip(*(
        table.groupby("participant")["rating"] for table in (ratings, other.table)
    ), strict=True):
        assert sorted(mine) == sorted(drawn)
        assert mine.tolist() != drawn.tolist()
    assert ts.ratings.Ratings(ratings[:15]).at_random(rng) is None, "of one person"
    assert ts.ratings.Ratings(ratings[12:18]).at_random(rng) is None, "of three pairs each"
    counts = np.array([[40, 9, 1, 2], [11, 38, 1, 5], [0, 2, 48, 3], [4, 4, 4, 30]])
    heard = ts.ratings.Confusions.from_matrix({"p": counts, "q": 2 * counts})
    for mine, drawn in zip(heard._counts, heard.at_random(rng)._counts, strict=True):
        np.testing.assert_array_equal(np.diag(mine), np.diag(drawn))
        np.testing.assert_array_equal(mine.sum(axis=1), drawn.sum(axis=1))
    no_errors = ts.ratings.Confusions.from_matrix(np.diag([5, 5, 5]))
    np.testing.assert_array_equal(no_errors.at_random(rng)._counts, no_errors._counts)


def errors_of(rng, n: int, trials: int) -> np.ndarray:
    """(n, n) counts of stimuli of their own difficulty, and of responses of their own frequency."""
    hard = rng.uniform(0.1, 0.5, n)
    share = np.tile(rng.dirichlet(np.full(n, 2.0)), (n, 1)) * ~np.eye(n, dtype=bool)
    share *= (hard / share.sum(axis=1))[:, None]
    return np.array([rng.multinomial(trials, row) for row in share + np.diag(1 - hard)])


def test_letters_that_are_confused_in_threes_and_pairs_are_no_chance():
    """Errors that lie around a hard letter fit a map better than three that are near each other."""
    ids = list("ABCDEFGHIO")
    near = np.full((10, 10), 3.0)
    for group in ("CGO", "BDO", "EF", "AH", "BE"):
        for one in group:
            for other in group:
                near[ids.index(one), ids.index(other)] = 25.0
    np.fill_diagonal(near, 120.0)
    for seed in range(3):
        rng = np.random.default_rng(seed)
        heard = ts.ratings.Confusions.from_matrix(rng.poisson(near), ids)
        found = permuted_stress(NMDS(), heard, permutations=19)
        assert found.structured
        assert not found.is_chance
        # And of people who find other letters hard, none of whom confuses two that are near.
        parts = [errors_of(rng, 10, 150)], [errors_of(rng, 10, 15) for _ in range(10)]
        for counts in map(sum, parts):
            alone = ts.ratings.Confusions.from_matrix(counts, ids)
            assert permuted_stress(NMDS(), alone, permutations=19).is_chance
