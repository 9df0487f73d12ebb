"""Dimensions of similarities: planted ones are found, random ones are not."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import tripletscope as ts
from tests.paths import ROOT
from tripletscope.core.data.errors import DataError
from tripletscope.core.engine.progress import Stopped
from tripletscope.core.models.dimensions.factors import Similarities, factorised
from tripletscope.core.models.dimensions.reproducibility import (
    best_matches,
    bootstrap_dimensions,
    dimension_reproducibility,
)
from tripletscope.core.models.dimensions.symmetric import NumberCurve, SymmetricNMF, number_curve
from tripletscope.core.run import key, run

THINGS = ROOT.parent / "shared" / "data" / "things" / "embedding.npy"


def sparse(n: int, d: int, seed: int) -> np.ndarray:
    """Weights of which a fifth are above zero."""
    rng = np.random.default_rng(seed)
    return (rng.random((n, d)) < 0.2) * rng.gamma(3, 1 / 3, (n, d))


def noisy(matrix: np.ndarray, noise: float, known: float, seed: int) -> np.ndarray:
    """With normal noise, in standard deviations of the similarities, and gaps."""
    rng, n = np.random.default_rng([seed, 1]), len(matrix)
    upper = np.triu_indices(n, 1)
    result = np.full((n, n), np.nan)
    values = matrix[upper] + noise * matrix[upper].std() * rng.normal(size=len(upper[0]))
    result[upper] = np.where(rng.random(len(values)) < known, values, np.nan)
    return np.fmax(result, result.T)


def similarities(values: np.ndarray) -> Similarities:
    return Similarities.of(values, np.ones_like(values))


def rated(n: int, people: int, shared: float, seed: int) -> ts.ratings.Ratings:
    """People's ratings of what three groups have in common, and of what each alone sees."""
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.eye(3), n // 3, axis=0)
    matrices = {}
    for who in range(people):
        own = rng.permutation(groups)
        seen = shared * groups @ groups.T + (1 - shared) * own @ own.T
        matrices[f"p{who}"] = noisy(seen, 0.5, 0.8, int(rng.integers(2**31)))
    return ts.ratings.Ratings.from_matrices(
        {who: matrix - np.nanmin(matrix) for who, matrix in matrices.items()}
    )


@pytest.mark.parametrize(("n", "d", "noise", "known"), [(80, 5, 0.5, 1.0), (150, 10, 0.7, 0.6)])
def test_planted_dimensions_are_found(n, d, noise, known):
    truth = sparse(n, d, seed=0)
    given = similarities(noisy(truth @ truth.T + 1.0, noise, known, seed=0))
    found = SymmetricNMF().fit_similarities(given)
    assert abs(found.n_dimensions_ - d) <= 0.1 * d
    assert (best_matches(truth, found.embedding_) > 0.8).all()
    assert found.converged_
    assert (np.diff(found.embedding_.sum(axis=0)) <= 0).all()


def test_weights_and_the_level_are_those_of_similarities_without_noise():
    truth = sparse(60, 3, seed=1)
    found = SymmetricNMF(n_components=3).fit_similarities(similarities(truth @ truth.T + 5.0))
    order = np.argmax(np.corrcoef(truth.T, found.embedding_.T)[:3, 3:], axis=1)
    np.testing.assert_allclose(found.embedding_[:, order], truth, atol=0.02)
    assert found.level_ == pytest.approx(5.0, abs=0.01)
    assert found.explained_ > 0.999


def test_no_dimensions_are_found_in_random_matrices():
    """None in 100 of each size from 10 to 100 objects."""
    for seed in range(4):
        for n in (12, 40):
            given = similarities(noisy(np.random.default_rng(seed).normal(size=(n, n)), 1, 1, seed))
            assert SymmetricNMF().fit_similarities(given).n_dimensions_ == 0


def test_no_dimensions_are_found_where_all_are_equally_similar():
    found = SymmetricNMF().fit_similarities(similarities(np.full((12, 12), 3.0)))
    assert (found.n_dimensions_, found.level_) == (0, 3.0)


def test_no_dimensions_are_found_in_the_piles_of_people_who_have_nothing_in_common():
    """A few people's piles are dimensions: without a test they would predict held-out pairs."""
    numbers, seeming = [], []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        piles = ts.ratings.Piles(pd.DataFrame([
            {"participant": f"p{who}", "item": f"i{item:02}", "pile": f"{pile}"}
            for who in range(3) for item, pile in enumerate(rng.integers(3, size=30))
        ]))
        curve = number_curve(SymmetricNMF(), piles, parts=4)
        numbers.append(curve.chosen)
        seeming.append(curve.best)
    assert not any(numbers)
    assert all(seeming)


def test_what_people_have_in_common_is_found_and_what_each_sees_alone_is_not():
    given = rated(24, 8, 0.7, seed=0)
    found = SymmetricNMF().fit(given)
    groups = np.repeat(np.eye(3), 8, axis=0)
    assert (best_matches(groups, found.embedding_) > 0.9).all()
    assert found.measured_
    again = dimension_reproducibility(SymmetricNMF(n_components=3), given, runs=2)
    assert (again.measured, again.unit) == (True, "people")
    assert (again.found == 1).all()
    assert SymmetricNMF().fit(rated(24, 8, 0.0, seed=1)).n_dimensions_ == 0


def test_halves_of_one_persons_pairs_are_compared():
    truth = sparse(40, 2, seed=2)
    matrix = noisy(truth @ truth.T, 0.1, 1.0, seed=2)
    given = ts.ratings.Ratings.from_matrices({"ann": matrix - np.nanmin(matrix)})
    again = dimension_reproducibility(SymmetricNMF(n_components=2), given, runs=2)
    assert again.unit == "pairs"
    assert (again.found == 1).all()


def test_dimensions_of_answers_predict_them():
    truth = np.repeat(np.eye(3), 10, axis=0) * 2
    answers = ts.dimensions.simulate_choices(truth, 4000, seed=1)
    for method in (SymmetricNMF(n_components=3), SymmetricNMF(n_components=3, basis="k1")):
        found = method.fit(answers)
        assert (best_matches(truth, found.embedding_) > 0.9).all()
        likely = found.log_likelihood(answers).mean()
        ideal = ts.dimensions.SPoSE(n_components=3, penalty=1.0).fit(answers)
        assert likely > ideal.log_likelihood(answers).mean() - 0.05
        assert not found.measured_


def test_shares_of_most_central_objects_count_the_pairs_that_were_left():
    central = ts.Triplets(
        [[1, 0, 2], [2, 0, 1]], pd.DataFrame({"id": ["a", "b", "c"]}),
        pd.DataFrame({"trial": [0, 0]}),
    )
    values, counts, _ = Similarities.chosen(central)
    assert counts.sum() == 6
    assert values.max() == 1


def test_the_number_is_the_smallest_within_one_standard_error_or_none():
    values = {
        "numbers": np.arange(4), "explained": np.array([0, 0.5, 0.58, 0.6]),
        "errors": np.full(4, 0.1), "behind": np.array([0.6, 0.1, 0.02, 0]), "n_pairs": 50,
        "measured": True,
    }
    for errors, by_chance, chosen in (
        ([0.1, 0.05, 0.03, 0], [], 2), ([0.1, 0.05, 0.01, 0], np.zeros(19), 3),
        ([0.4, 0.05, 0.03, 0], [], 0), ([0.1, 0.05, 0.03, 0], [*np.zeros(18), 0.7], 0),
    ):
        curve = NumberCurve(
            **values, behind_errors=np.array(errors), by_chance=np.array(by_chance, float)
        )
        assert (curve.best, curve.chosen) == (3, chosen)


def test_gaps_and_counts_count():
    """Pairs without a count do not matter, others in proportion to it."""
    truth = sparse(30, 2, seed=3)
    values, counts = truth @ truth.T, np.ones((30, 30))
    values[0, 1] = values[1, 0] = 50.0
    counts[0, 1] = counts[1, 0] = 0.0
    gap = SymmetricNMF(n_components=2).fit_similarities(Similarities.of(values, counts))
    assert gap.explained_ > 0.99
    counts[0, 1] = counts[1, 0] = 1e-6
    little = SymmetricNMF(n_components=2).fit_similarities(Similarities.of(values, counts))
    np.testing.assert_allclose(little.embedding_, gap.embedding_, atol=0.05)


def test_what_does_not_suit_is_refused():
    few = ts.ratings.Ratings.from_matrices([[[0, 1, 4], [1, 0, 3], [4, 3, 0]]])
    with pytest.raises(DataError, match="too few to hold some out"):
        SymmetricNMF().fit(few)
    assert SymmetricNMF(n_components=1).fit(few).embedding_.shape[0] == 3
    with pytest.raises(DataError, match="No similarity is known"):
        similarities(np.full((4, 4), np.nan))
    with pytest.raises(ValueError, match="VICE chooses the number"):
        number_curve(ts.dimensions.VICE(), few)
    with pytest.raises(ValueError, match="Symmetric NMF has no penalty"):
        bootstrap_dimensions(SymmetricNMF(), few)


def test_a_stop_keeps_the_weights_so_far_or_ends_the_choice_of_their_number():
    given = similarities(noisy(sparse(40, 2, 4) @ sparse(40, 2, 4).T, 0.5, 1.0, 4))
    stop = lambda *_, **__: True  # noqa: E731
    found = SymmetricNMF(n_components=2).fit_similarities(given, progress=stop)
    assert found.stopped_
    assert len(found.losses_) == 1
    with pytest.raises(Stopped):
        SymmetricNMF().fit_similarities(given, progress=stop)


def test_runs_of_measured_similarities_come_back():
    given = rated(12, 3, 0.8, seed=5)
    method = SymmetricNMF(n_components=3)
    kept = run("fit", method, given)
    assert kept.of_measured
    assert kept.key == key("fit", method, given)
    np.testing.assert_array_equal(kept.fitted().embedding_, method.fit(given).embedding_)
    curve = run("number_curve", SymmetricNMF(), given, {"parts": 2})
    assert curve.of_measured
    assert curve.result().by_chance.shape == (19,)
    assert not run("fit", method, given.triplets()).of_measured


def test_weights_are_in_the_order_of_the_data_set():
    given, method = rated(12, 3, 0.8, seed=5), SymmetricNMF(n_components=3)
    names = [*given.ids[::-1], "never judged"]
    ordered = given.among(names)
    assert ordered.objects == names
    assert given.among(given.ids) is given
    assert given.fingerprint != ordered.fingerprint
    found = method.fit(ordered)
    assert found.placed_.tolist() == 12 * [True] + [False]
    groups = np.repeat(np.eye(3), 4, axis=0)
    assert (best_matches(groups, found.embedding_[11::-1]) > 0.9).all()
    again = dimension_reproducibility(method, ordered, runs=2)
    assert again.reference.shape == (13, 3)
    with pytest.raises(DataError, match="is none of the objects"):
        given.among(names[1:])


@pytest.mark.skipif(not THINGS.exists(), reason="data for development")
def test_dimensions_of_things_are_found_in_a_part_of_the_pairs():
    """300 objects, 30 judgements of half of the pairs; more in ``benchmarks/similarities.py``."""
    truth = np.load(THINGS)[::6].astype(float)
    expected = truth @ truth.T
    share = np.clip(expected / expected[np.triu_indices(len(truth), 1)].max(), 0.0, 1.0)
    rng = np.random.default_rng(0)
    judged = np.triu(rng.binomial(30, share) / 30.0, 1)
    known = np.triu(rng.random(share.shape) < 0.5, 1)
    values = np.where(known | known.T, judged + judged.T, np.nan)
    found = factorised(similarities(values), 12, seed=0, max_iter=500, tol=2e-5)
    assert (best_matches(truth, found.x) > 0.8).sum() >= 9
