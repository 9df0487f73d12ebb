"""Tails that the answers choose are about as good as the best fixed ones."""

from __future__ import annotations

import numpy as np
import pytest
from joblib import parallel_config

import tripletscope as ts
from tripletscope.core.data.geometry import procrustes_disparity
from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.engine.progress import Stopped
from tripletscope.core.inference.held_out import tails
from tripletscope.core.inference.held_out.tails import choose_tail
from tripletscope.core.models.optimise.loss import margins
from tripletscope.core.models.simulation.simulate import simulate

CENTRES = np.array([[-1.5, -1.0], [1.5, -1.0], [-1.0, 1.5], [1.3, 1.2]])


def clustered(seed: int = 0) -> np.ndarray:
    return CENTRES[np.arange(24) % 4] + 0.35 * np.random.default_rng(seed).normal(size=(24, 2))


@pytest.mark.parametrize(("noise", "level"), [("logistic", 0.7), ("positions", 0.3)])
def test_light_tails_are_found_and_place_objects_far_better(noise, level):
    truth = clustered()
    answers = simulate(truth, 4000, noise=noise, level=level, seed=1)
    chosen = choose_tail(ts.TSTE(), answers)
    assert chosen.alpha >= 5
    fixed = {a: procrustes_disparity(truth, ts.TSTE(alpha=a).fit(answers).embedding_)
             for a in (1, chosen.alpha, 10, 100)}
    assert fixed[chosen.alpha] < 2 * min(fixed.values())
    assert fixed[chosen.alpha] < fixed[1] / 3


def test_heavy_tails_are_kept_where_they_are_right():
    truth = np.random.default_rng(3).normal(size=(24, 2))
    answers = simulate(truth, 4000, noise="crowd", level=0.1, seed=1)
    assert choose_tail(ts.TSTE(), answers).alpha <= 2


def test_what_decides_is_told():
    chosen = choose_tail(ts.TSTE(), simulate(clustered(), 1500, noise="logistic", seed=1))
    table = chosen.table
    assert table["alpha"].is_monotonic_increasing
    assert {1.0, chosen.alpha} <= {*table["alpha"]}
    best = table.loc[table["error"].idxmin()]
    assert best["behind"] == best["spread"] == 0
    assert best["near"]
    near = table[table["near"]]
    assert near.loc[near["log_likelihood"].idxmax(), "alpha"] == chosen.alpha
    assert chosen.method(3).get_params()["alpha"] == chosen.alpha


def test_without_questions_to_hold_out_nothing_is_chosen():
    rows = np.array([[0, 1, 2], [1, 2, 3], [2, 3, 0], [3, 0, 1]])
    chosen = choose_tail(ts.TSTE(), rows)
    assert chosen.alpha is None
    assert chosen.table.empty
    assert chosen.method().alpha is None


def test_of_many_answers_a_part_decides(monkeypatch):
    monkeypatch.setattr(tails, "_ENOUGH", 500)
    monkeypatch.setattr(tails, "_ENOUGH_PER_COORDINATE", 1)
    answers = simulate(clustered(), 3000, noise="logistic", seed=1)
    assert 400 <= choose_tail(ts.TSTE(), answers).n_answers <= 600


def test_answers_of_no_weight_do_not_count():
    answers = simulate(clustered(), 2000, noise="logistic", seed=1)
    coins = simulate(np.zeros((24, 2)), 2000, noise="flip", level=0.5, seed=2)
    both = ts.Triplets.from_array(np.concatenate([answers.rows, coins.rows]), 24)
    both = both.reweighted(np.repeat([1.0, 0.0], 2000))
    found, wanted = choose_tail(ts.TSTE(), both), choose_tail(ts.TSTE(), answers)
    assert found.n_answers == 2000
    assert found.alpha == wanted.alpha


def test_an_answer_of_weight_five_counts_as_five():
    truth = clustered()
    answers = simulate(truth, 1500, noise="logistic", seed=1)
    weight = np.where(margins(truth, answers.rows) < 0, 5, 1)
    weighted = choose_tail(ts.TSTE(), answers.reweighted(weight.astype(float))).table
    repeated = choose_tail(ts.TSTE(), answers.take(np.repeat(np.arange(1500), weight))).table
    # Folds differ, and with them the errors, but by far less than from those without weights.
    np.testing.assert_allclose(weighted["error"], repeated["error"], atol=0.02)
    np.testing.assert_allclose(
        weighted["log_likelihood"], repeated["log_likelihood"], atol=0.02
    )


def test_no_answers_choose_nothing():
    assert choose_tail(ts.TSTE(), ts.Triplets.from_array(np.zeros((0, 3), int), 4)).alpha is None


def test_the_choice_does_not_depend_on_threads():
    answers = simulate(clustered(), 1000, noise="logistic", seed=1)
    with parallel_config("threading", n_jobs=1):
        alone = choose_tail(ts.TSTE(), answers)
    with parallel_config("threading", n_jobs=4):
        together = choose_tail(ts.TSTE(), answers)
    np.testing.assert_array_equal(alone.log_likelihood, together.log_likelihood)
    assert alone.alpha == together.alpha


def test_comparisons_of_pairs_choose_too():
    rng = np.random.default_rng(0)
    ends = np.sort(rng.random((600, 9)).argsort(axis=1)[:, :4], axis=1)
    wide = ends[:, 3] - ends[:, 2] > ends[:, 1] - ends[:, 0]
    pairs = Quadruples(np.where(wide[:, None], ends, ends[:, [2, 3, 0, 1]]))
    assert choose_tail(ts.TSTE(n_components=1), pairs).alpha is not None


def test_a_stop_keeps_nothing():
    answers = simulate(clustered(), 1000, noise="logistic", seed=1)
    with pytest.raises(Stopped):
        choose_tail(ts.TSTE(), answers, progress=lambda *_, **__: True)


def test_a_run_gives_the_choice_again():
    answers = simulate(clustered(), 1000, noise="logistic", seed=1)
    run = ts.run("choose_tail", ts.TSTE(), answers)
    assert run.numbers["alpha"] == run.result().alpha == choose_tail(ts.TSTE(), answers).alpha
