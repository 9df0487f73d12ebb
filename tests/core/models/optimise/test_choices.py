"""The likelihood of choices among several pairs, and the sums over them."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from joblib import parallel_config

from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.parallel import CancelToken
from tripletscope.core.inference.uncertainty.curvature import Normal, second_derivatives
from tripletscope.core.inference.uncertainty.sampling import advance, chain_at
from tripletscope.core.models.embedding import CKL, STE, TSTE
from tripletscope.core.models.embedding.starts import spectral_start
from tripletscope.core.models.optimise import loss as loss_module
from tripletscope.core.models.optimise.layout import AnswerLayout, order_of
from tripletscope.core.models.optimise.loss import Loss, Objective, map_losses, near_losses
from tripletscope.core.models.optimise.minimise import minimise
from tripletscope.core.models.optimise.responses import losses_of
from tripletscope.core.reading.tasks import chosen_first

N = 9
METHODS = {
    "STE": STE(), "STE 3-D": STE(n_components=3), "STE 1-D": STE(n_components=1), "t-STE": TSTE(),
    "t-STE 4-D": TSTE(n_components=4), "CKL": CKL(),
}


def trials(kinds: list[str], rng: np.random.Generator) -> Triplets:
    """One trial of each of these kinds: odd, central, triplet, or how many of how many."""
    rows, trial = [], []
    for number, kind in enumerate(kinds):
        a, b, c, *others = rng.permutation(N).tolist()
        if kind == "odd":
            found = [(a, b, c), (b, a, c)]
        elif kind == "central":
            found = [(a, b, c), (c, b, a)]
        elif kind == "triplet":
            found = [(a, b, c)]
        else:
            chosen, shown = int(kind[0]), int(kind[-1])
            options = [b, c, *others]
            found = [
                (a, options[j - 1], options[k - 1])
                for _, j, k in chosen_first(shown, chosen, "ranked" in kind)
            ]
        rows += found
        trial += [number] * len(found)
    weight = rng.uniform(0.2, 2.0, len(kinds))[trial]
    return Triplets(
        rows, pd.DataFrame({"id": [str(i) for i in range(N)]}),
        pd.DataFrame({"trial": trial, "weight": weight}),
    )


KINDS = ["odd", "central", "triplet", "1 of 4", "2 of 4", "3 of 5", "2 ranked of 5", "1 of 3"]


def plain_loss(method, data: Triplets, positions: np.ndarray) -> float:
    """Minus the log likelihood, by the definition."""
    def s(pairs: np.ndarray) -> np.ndarray:
        squares = np.sum((positions[pairs[:, 0]] - positions[pairs[:, 1]]) ** 2, axis=1)
        if isinstance(method, CKL):
            return -np.log(squares + method.mu)
        if isinstance(method, TSTE):
            alpha = method.alpha or max(method.n_components - 1, 1)
            return -(alpha + 1) / 2 * np.log1p(squares / alpha)
        return -squares

    choices, total = data.choices, 0.0
    for k in range(len(choices)):
        values = choices.sign[k] * s(choices.pairs[choices.bounds[k] : choices.bounds[k + 1]])
        total -= data.weight[choices.answer[k]] * np.log(by_orders(values, choices.n_chosen[k]))
    return total


def by_orders(values: np.ndarray, n_chosen: int) -> float:
    """Probability of a set, summed over the orders in which it may have been chosen."""
    strength, found = np.exp(values - values.max()), 0.0
    for order in permutations(range(n_chosen)):
        one, left = 1.0, strength.sum()
        for e in order:
            one *= strength[e] / left
            left -= strength[e]
        found += one
    return found


@pytest.mark.parametrize("name", METHODS)
@settings(max_examples=20)
@given(kinds=st.lists(st.sampled_from(KINDS), min_size=1, max_size=12), seed=st.integers(0, 99))
def test_the_loss_is_minus_the_log_likelihood_and_has_its_gradient(name, kinds, seed):
    rng, method = np.random.default_rng(seed), METHODS[name]
    data = trials(kinds, rng)
    d = method.n_components
    positions = rng.normal(size=(N, d))
    objective = Objective(AnswerLayout.of(data, True), method._loss(), d)
    x, step = positions.T.ravel(), 1e-6
    value, gradient = objective(x)
    assert value == pytest.approx(plain_loss(method, data, positions), rel=1e-11)
    for e in step * np.eye(x.size):
        slope = (objective(x + e)[0] - objective(x - e)[0]) / (2 * step)
        assert gradient @ e / step == pytest.approx(slope, rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("kind", ["triplets", "pairs"])
def test_answers_about_two_pairs_take_a_faster_path_with_the_same_result(name, kind):
    rng, method = np.random.default_rng(4), METHODS[name]
    rows, weight = np.array([rng.permutation(N)[:4] for _ in range(600)]), rng.uniform(0, 2, 600)
    data = Quadruples(rows, weight=weight) if kind == "pairs" else (
        Triplets.from_array(rows[:, :3], N, weight=weight)
    )
    answers, loss = AnswerLayout.of(data, True), method._loss()
    x = rng.normal(size=method.n_components * N)
    value, gradient = Objective(answers, loss, method.n_components, 0.2)(x)
    slow = Objective(answers, replace(loss, kernel=None), method.n_components, 0.2)(x)
    assert slow[0] == pytest.approx(value, rel=1e-12)
    assert slow[1] == pytest.approx(gradient, rel=1e-10, abs=1e-12)


def of_squares(loss: Loss, squares: np.ndarray, chosen: int) -> tuple[np.ndarray, np.ndarray]:
    """Losses of choices, and their derivatives by the squared distances of the pairs."""
    similarity, slope = loss.similarities(squares)
    losses, by = losses_of(similarity, chosen)
    return losses, by * slope


@settings(max_examples=40)
@given(st.integers(1, 8), st.integers(1, 4), st.integers(0, 99))
def test_derivatives_of_large_sets(chosen, others, seed):
    squares = np.random.default_rng(seed).exponential(2.0, (chosen + others, 1))
    loss, step = STE()._loss(), 1e-6
    lost, by = of_squares(loss, squares, chosen)
    if chosen <= 5:
        assert lost[0] == pytest.approx(-np.log(by_orders(-squares[:, 0], chosen)), rel=1e-11)
    for e in range(chosen + others):
        above, below = squares.copy(), squares.copy()
        above[e], below[e] = above[e] + step, below[e] - step
        slope = of_squares(loss, above, chosen)[0] - of_squares(loss, below, chosen)[0]
        assert by[e] == pytest.approx(slope / (2 * step), abs=1e-7)
    assert by.sum() == pytest.approx(0.0, abs=1e-12)  # similarities matter by their differences


@pytest.mark.parametrize("chosen", [1, 2, -1])
@pytest.mark.parametrize("method", [STE(), TSTE(), CKL()], ids=lambda m: m.title)
def test_choices_far_out_stay_finite(chosen, method):
    for squares in ([0.0, 0.0, 0.0], [1e12, 0.0, 3.0], [0.0, 1e12, 1e12], [1e150, 1.0, 1e150]):
        lost, by = of_squares(method._loss(), np.array(squares)[:, None], chosen)
        assert np.isfinite(lost).all()
        assert np.isfinite(by).all()
        assert lost[0] >= 0


@pytest.mark.parametrize("method", [STE(), TSTE(n_components=4), CKL()], ids=lambda m: m.title)
def test_a_choice_of_two_is_a_triplet(method):
    near2, far2 = np.random.default_rng(0).exponential(2.0, (2, 50))
    loss, slopes = method._loss(), np.empty((2, 50))
    total = loss.kernel(near2, far2, np.ones(50), loss.constants, *slopes)
    lost, by = of_squares(loss, np.array([near2, far2]), 1)
    assert lost.sum() == pytest.approx(total, rel=1e-12)
    assert by == pytest.approx(slopes, rel=1e-12)
    near, far = np.exp(loss.similarities(np.array([near2, far2]))[0])
    assert near_losses(loss, near2, far2) == pytest.approx(-np.log(near / (near + far)), rel=1e-9)


def test_odd_one_out_by_hand():
    # Squared distances 1, 4 and 9: exp(-1) / (exp(-1) + exp(-4) + exp(-9)).
    lost, _ = of_squares(STE()._loss(), np.array([[1.0], [4.0], [9.0]]), 1)
    assert lost[0] == pytest.approx(-np.log(0.9522698261237778))


@pytest.mark.parametrize("d", [1, 2, 5])
def test_many_choices_have_the_bits_of_one_thread(d, monkeypatch):
    for name, value in {"SEVERAL_PARTS": 100, "_PART": 30}.items():
        monkeypatch.setattr(loss_module, name, value)
    rng = np.random.default_rng(3)
    data, method = trials(["odd"] * 1500 + KINDS * 20, rng), STE(n_components=d)
    x = rng.normal(size=d * N)
    objective = Objective(AnswerLayout.of(data, True), method._loss(), d, 0.3)
    assert not objective.in_one_part
    found = []
    for threads in (1, 2, 4):
        with parallel_config(n_jobs=threads):
            found.append(objective(x))
    for value, gradient in found[1:]:
        assert value == found[0][0]
        assert np.array_equal(gradient, found[0][1])
    plain = plain_loss(method, data, x.reshape(d, N).T) + 0.15 * x @ x
    assert found[0][0] == pytest.approx(plain, rel=1e-11)


@pytest.mark.parametrize("kinds", [["odd"] * 40, ["2 of 4"] * 40, ["odd", "1 of 4"] * 20])
def test_compiled_iterations_find_what_the_interpreter_finds(kinds):
    rng = np.random.default_rng(0)
    data, x = trials(kinds, rng), rng.normal(size=2 * N)
    objective = Objective(AnswerLayout.of(data, True), STE()._loss(), 2, 0.1)
    assert objective.in_one_part == (len(set(kinds)) == 1)
    compiled = minimise(objective, x)
    plain = minimise(lambda x: objective(x), x)
    assert compiled.x == pytest.approx(plain.x, abs=1e-6)
    assert compiled.loss == pytest.approx(plain.loss)


def test_what_is_no_choice_and_whoever_does_not_read_them_get_answers():
    rng = np.random.default_rng(0)
    odd, plain = trials(["odd"] * 5, rng), trials(["triplet"] * 5, rng)
    assert [part.chosen for part in AnswerLayout.of(odd, True).parts] == [1]
    for found in (AnswerLayout.of(odd, False), AnswerLayout.of(plain, True)):
        assert [part.chosen for part in found.parts] == [0]
    assert len(AnswerLayout.of(odd, True)) == 5
    assert len(AnswerLayout.of(odd, False)) == 10


def test_reweighted_choices_are_drawn_trials():
    data = trials(KINDS * 10, np.random.default_rng(4))
    answers, rows = AnswerLayout.of(data, True), order_of(data, True)
    assert np.array_equal(answers.weight, data.weight[rows])
    drawn = np.random.default_rng(5).integers(0, 3, data.n_trials)
    few = answers.reweighted(answers.weight * drawn[data.trials[rows]])
    kept = np.flatnonzero(drawn[data.trials] > 0)
    weight = (data.weight * drawn[data.trials])[kept]
    part = data.take(kept)
    again = Triplets(part.rows, part.objects, part.answers.assign(weight=weight))
    x, loss = np.random.default_rng(6).normal(size=2 * N), STE()._loss()
    assert Objective(few, loss, 2)(x)[0] == pytest.approx(
        Objective(AnswerLayout.of(again, True), loss, 2)(x)[0], rel=1e-12
    )
    assert np.array_equal(few.placed, AnswerLayout.of(again, True).placed)


def test_thinned_choices_are_of_every_kind():
    answers = AnswerLayout.of(trials(KINDS * 50, np.random.default_rng(4)), True)
    few = answers.thinned(100)
    assert 50 < len(few) <= 100
    assert [part.chosen for part in few.parts] == [part.chosen for part in answers.parts]


def test_choices_begin_where_their_answers_would():
    data = trials(["odd", "central", "2 of 4", "2 ranked of 5"] * 20, np.random.default_rng(7))
    start, other = (
        spectral_start(AnswerLayout.of(data, choices).comparisons, 2, np.random.default_rng(0))
        for choices in (True, False)
    )
    assert start == pytest.approx(other, abs=1e-8)


@pytest.mark.parametrize("name", METHODS)
def test_curvature_is_that_of_the_gradient(name):
    method, rng = METHODS[name], np.random.default_rng(8)
    d, answers = method.n_components, AnswerLayout.of(trials(KINDS * 4, rng), True)
    x, step = rng.normal(size=d * N), 1e-5
    objective = Objective(answers, method._loss(), d)
    hessian = second_derivatives(answers, method._loss(), x.reshape(d, N))
    for row, e in zip(hessian, step * np.eye(x.size), strict=True):
        slope = (objective(x + e)[1] - objective(x - e)[1]) / (2 * step)
        assert row == pytest.approx(slope, rel=1e-3, abs=0.02)


@pytest.mark.parametrize("name", METHODS)
def test_chains_go_by_the_same_likelihood(name):
    method, rng = METHODS[name], np.random.default_rng(9)
    d, answers = method.n_components, AnswerLayout.of(trials(KINDS * 4, rng), True)
    normal = Normal(np.zeros((d, N)), np.ones(d * N))
    chain = chain_at(answers, method._loss(), normal, rng, start=rng.normal(size=d * N))
    last = advance(*chain, 16, 8, CancelToken())[0][-1].ravel()
    assert chain.state.value[0] == pytest.approx(
        -Objective(answers, method._loss(), d)(last)[0], rel=1e-10
    )


def test_more_than_eight_in_no_order_are_compared_one_by_one():
    rows = [(0, j, k) for j in range(1, 10) for k in (10, 11)]
    data = Triplets(
        rows, pd.DataFrame({"id": [str(i) for i in range(12)]}),
        pd.DataFrame({"trial": np.zeros(18, int)}),
    )
    assert data.choices.n_chosen.tolist() == [9]
    positions, loss = np.random.default_rng(0).normal(size=(12, 2)), STE()._loss()
    single = Triplets(rows, data.objects)
    x = positions.T.ravel()
    value, gradient = Objective(AnswerLayout.of(data, True), loss, 2)(x)
    plain_value, plain_gradient = Objective(AnswerLayout.of(single, True), loss, 2)(x)
    assert value == pytest.approx(plain_value)
    assert gradient == pytest.approx(plain_gradient)
    ends = positions[data.choices.pairs]
    squares = np.sum((ends[:, 0] - ends[:, 1]) ** 2, axis=1)
    assert map_losses(loss, positions, data.choices) == pytest.approx(
        losses_of(-squares[:, None], 9)[0]
    )


def test_losses_of_stages_are_in_the_order_of_the_data():
    data, rng = trials(KINDS * 5, np.random.default_rng(2)), np.random.default_rng(3)
    positions, choices = rng.normal(size=(N, 2)), data.choices
    losses = map_losses(STE()._loss(), positions, choices)
    for k in rng.permutation(len(choices))[:12]:
        ends = positions[choices.pairs[choices.bounds[k] : choices.bounds[k + 1]]]
        values = -np.sum((ends[:, 0] - ends[:, 1]) ** 2, axis=1)
        assert losses[k] == pytest.approx(
            -np.log(by_orders(choices.sign[k] * values, choices.n_chosen[k]))
        )
    assert losses @ choices.weight == pytest.approx(plain_loss(STE(), data, positions))


def test_the_less_similar_of_two_pairs_is_a_triplet_turned_round():
    data = trials(["triplet"] * 20, np.random.default_rng(1))
    pairs = data.choices.pairs.reshape(-1, 2, 2)[:, ::-1].reshape(-1, 2)
    turned = replace(data.choices, pairs=pairs, sign=-data.choices.sign)
    x, loss = np.random.default_rng(2).normal(size=2 * N), STE()._loss()
    value = Objective(AnswerLayout.of_choices(turned), loss, 2)(x)[0]
    assert value == pytest.approx(Objective(AnswerLayout.of(data, True), loss, 2)(x)[0])
    assert value == pytest.approx(map_losses(loss, x.reshape(2, N).T, turned) @ turned.weight)
