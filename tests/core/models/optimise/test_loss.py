"""Losses: their values, derivatives and limits, and the sums over answers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tripletscope.core.data.geometry import distances
from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.method import methods
from tripletscope.core.engine.parallel import CancelToken
from tripletscope.core.inference.uncertainty.curvature import Normal
from tripletscope.core.inference.uncertainty.sampling import advance, chain_at
from tripletscope.core.models.embedding import CKL, GNMDS, LORE, SOE, STE, TSTE
from tripletscope.core.models.embedding.ckl import _ckl
from tripletscope.core.models.embedding.gnmds import _gnmds
from tripletscope.core.models.embedding.ste import _ste
from tripletscope.core.models.embedding.tste import _tste
from tripletscope.core.models.optimise import loss as loss_module
from tripletscope.core.models.optimise.elementary import (
    compiled,
    exp_negative,
    log1p_unit,
    log_positive,
    softplus,
)
from tripletscope.core.models.optimise.layout import AnswerLayout
from tripletscope.core.models.optimise.loss import Loss, Objective, margins
from tripletscope.core.models.optimise.minimise import minimise
from tripletscope.core.models.simulation.simulate import simulate


@compiled
def _three_constants(near2, far2, weight, constants, by_near, by_far):
    """CKL's loss, whose smoothing is put together from three constants."""
    mu = constants[0] + constants[1] * constants[2]
    total = 0.0
    for t in range(near2.size):
        far = far2[t] + mu
        both = near2[t] + far + mu
        total += weight[t] * log_positive(both / far)
        by_near[t] = weight[t] / both
        by_far[t] = weight[t] * (1.0 / both - 1.0 / far)
    return total


def single_losses(loss: Loss, near2: np.ndarray, far2: np.ndarray) -> list[float]:
    """Loss of every answer by itself."""
    slopes = np.empty((2, 1))
    return [
        loss.kernel(near, far, np.ones(1), loss.constants, *slopes)
        for near, far in zip(near2[:, None], far2[:, None], strict=True)
    ]


def test_a_loss_has_as_many_constants_as_it_likes(planted):
    one, three = Loss(_ckl, (1.75,)), Loss(_three_constants, (1.0, 0.25, 3.0))
    near2, far2 = np.linspace(0.1, 4.0, 20), np.linspace(3.0, 0.2, 20)
    assert single_losses(one, near2, far2) == single_losses(three, near2, far2)
    answers, start = AnswerLayout.of(planted), np.random.default_rng(0).normal(size=60)
    normal, found = Normal(np.zeros((2, 30)), np.ones(60)), []
    for loss in (one, three):
        objective = Objective(answers, loss, 2, prior=0.1)
        assert objective.in_one_part
        chain = chain_at(answers, loss, normal, np.random.default_rng(1))
        plain = objective(start)[0]
        maps = advance(*chain, 64, 8, CancelToken())[0]
        found.append((plain, minimise(objective, start).x, maps))
    for ours, theirs in zip(*found, strict=True):
        assert np.array_equal(ours, theirs)


def test_what_cannot_be_a_loss_is_said_where_it_is_declared():
    with pytest.raises(ValueError, match="must be compiled"):
        Loss(lambda *_: 0.0)
    for wrong in ("0.1", None, float("nan"), np.ones(2)):
        with pytest.raises(ValueError, match="must be a finite number"):
            Loss(_ckl, (wrong,))


def evaluate(loss: Loss, near2, far2, weight=1.0) -> tuple[float, float, float]:
    """Loss of one answer and its two derivatives."""
    by_near, by_far = np.empty(1), np.empty(1)
    value = loss.kernel(
        np.array([near2]), np.array([far2]), np.array([weight]), loss.constants, by_near, by_far
    )
    return value, by_near[0], by_far[0]


def losses() -> dict[str, Loss]:
    """Each once: of most methods it is the same in any number of dimensions."""
    found, known = {}, set()
    for method in methods("embedding").values():
        for settings in ({}, {"n_components": 3}, {"n_components": 1}):
            loss = method(**settings)._loss()
            if (loss.kernel, loss.parameters) not in known:
                known.add((loss.kernel, loss.parameters))
                found[f"{method.title} {settings}"] = loss
    return found


LOSSES = losses()


# The short exp and log ------------------------------------------------------------------------


@given(st.floats(-699, 0))
def test_exp(x):
    assert exp_negative(x) == pytest.approx(math.exp(x), rel=4e-16)


@given(st.floats(0, 1))
def test_log1p(x):
    assert log1p_unit(x) == pytest.approx(math.log1p(x), rel=1e-15)


@given(st.floats(1e-300, 1e300))
def test_log(x):
    assert log_positive(x) == pytest.approx(math.log(x), rel=1e-15, abs=1e-16)


@pytest.mark.parametrize("name", LOSSES)
def test_a_weight_of_two_counts_twice(name):
    loss, rng = LOSSES[name], np.random.default_rng(7)
    near2, far2 = rng.exponential(1.0, (2, 3000)) ** 8  # from nothing to 10^7
    slopes = np.empty((2, 2, 3000))
    total = loss.kernel(near2, far2, np.ones(3000), loss.constants, *slopes[0])
    assert total == pytest.approx(math.fsum(single_losses(loss, near2, far2)), rel=1e-12)
    assert total + total == pytest.approx(
        loss.kernel(near2, far2, np.full(3000, 2.0), loss.constants, *slopes[1]), rel=1e-12
    )
    assert slopes[1] == pytest.approx(2.0 * slopes[0], rel=1e-12)


def test_softplus_far_out():
    assert softplus(1e6) == (1e6, 1.0)
    value, slope = softplus(-1e6)
    assert 0 <= value < 1e-300
    assert 0 <= slope < 1e-300
    assert softplus(0.0) == (pytest.approx(math.log(2)), 0.5)


# Losses of one answer -------------------------------------------------------------------------


@pytest.mark.parametrize("name", LOSSES)
@given(near2=st.floats(0.01, 50), far2=st.floats(0.01, 50), weight=st.floats(0.1, 5))
def test_derivatives(name, near2, far2, weight):
    loss, step = LOSSES[name], 1e-5
    by = evaluate(loss, near2, far2, weight)[1:]
    for side, (near, far) in enumerate(((step, 0.0), (0.0, step))):
        above = evaluate(loss, near2 + near, far2 + far, weight)
        below = evaluate(loss, near2 - near, far2 - far, weight)
        slope = (above[0] - below[0]) / (2 * step)
        # Next to a rounded corner the slope changes within the step; elsewhere hardly at all.
        change = abs(above[1 + side] - below[1 + side])
        assert by[side] == pytest.approx(slope, rel=1e-4, abs=1e-7 + change)


@pytest.mark.parametrize("name", LOSSES)
def test_losses_ask_for_near_to_be_nearer(name):
    value, by_near, by_far = evaluate(LOSSES[name], 1.0, 1.5)
    assert evaluate(LOSSES[name], 1.5, 1.0)[0] > value > 0
    assert by_near > 0 > by_far


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("pair", [(0.0, 0.0), (0.0, 1e12), (1e12, 0.0), (1e200, 1e200)])
def test_losses_stay_finite(name, pair):
    assert np.isfinite(evaluate(LOSSES[name], *pair)).all()


def test_ste_is_minus_log_of_its_probability():
    # van der Maaten & Weinberger (2012): p = exp(-1) / (exp(-1) + exp(-4)) = 0.952574...
    assert evaluate(STE()._loss(), 1.0, 4.0)[0] == pytest.approx(-math.log(0.9525741268224334))


def test_tste_is_minus_log_of_its_probability():
    # With alpha = 1: s = 1 / (1 + d^2), so p = (1/2) / (1/2 + 1/5) = 5/7.
    loss = TSTE(alpha=1.0)._loss()
    assert evaluate(loss, 1.0, 4.0)[0] == pytest.approx(-math.log(5 / 7))
    # With alpha = 3: s = (1 + d^2 / 3)^-2; near 9/16, far 9/49.
    loss = TSTE(alpha=3.0)._loss()
    assert evaluate(loss, 1.0, 4.0)[0] == pytest.approx(-math.log(49 / (49 + 16)))


def test_tste_with_large_alpha_is_ste_at_half_the_squared_distance():
    loss = Loss(_tste, (1e9,))
    assert evaluate(loss, 1.3, 2.9)[0] == pytest.approx(
        evaluate(Loss(_ste), 1.3 / 2, 2.9 / 2)[0], rel=1e-6
    )


def test_ckl_is_minus_log_of_its_probability():
    # Tamuz et al. (2011): p = (4 + 1/2) / (1 + 4 + 1) = 3/4.
    assert evaluate(CKL(mu=0.5)._loss(), 1.0, 4.0)[0] == pytest.approx(-math.log(3 / 4))


def test_ckl_with_large_mu_is_flat():
    value, by_near, by_far = evaluate(Loss(_ckl, (1e12,)), 1.0, 4.0)
    assert value == pytest.approx(math.log(2))
    assert abs(by_near) < 1e-11
    assert abs(by_far) < 1e-11


def test_tste_with_alpha_one_is_ckl_with_mu_one():
    for pair in ((0.0, 0.0), (1.0, 4.0), (30.0, 2.0)):
        assert evaluate(TSTE(alpha=1.0)._loss(), *pair) == pytest.approx(
            evaluate(CKL(mu=1.0)._loss(), *pair)
        )


def test_gnmds_is_the_hinge_but_for_its_corner():
    loss = GNMDS()._loss()
    assert evaluate(loss, 1.0, 2.0) == (0.0, 0.0, 0.0)
    # 1 + 1 - 1.2 = 0.8, beyond the rounding of width 1/2: less by 1/4.
    assert evaluate(loss, 1.0, 1.2) == pytest.approx((0.55, 1.0, -1.0))
    assert evaluate(Loss(_gnmds, (1e-9,)), 1.0, 1.2) == pytest.approx((0.8, 1.0, -1.0))
    sharp = GNMDS(rounded=False)._loss()
    assert evaluate(sharp, 1.0, 1.2) == pytest.approx((0.8, 1.0, -1.0))
    assert evaluate(sharp, 1.0, 2.5) == (0.0, 0.0, 0.0)


def test_soe_is_the_squared_hinge_of_distances():
    # Terada & von Luxburg (2014): (1 + 3/2 - 2)^2; derivative by d^2 is that by d over 2 d.
    assert evaluate(SOE(margin=1.5)._loss(), 1.0, 4.0) == pytest.approx((0.25, 0.5, -0.25))
    assert evaluate(SOE(margin=1.0)._loss(), 1.0, 9.0) == (0.0, 0.0, 0.0)


def test_soe_scales_with_its_margin():
    assert evaluate(SOE(margin=3.0)._loss(), 9.0, 18.0)[0] == pytest.approx(
        9 * evaluate(SOE(margin=1.0)._loss(), 1.0, 2.0)[0]
    )


def test_lore_is_logistic_in_distances():
    assert evaluate(LORE()._loss(), 1.0, 4.0)[0] == pytest.approx(math.log1p(math.exp(-1)))


def test_alpha_is_at_least_one():
    assert TSTE(n_components=1)._loss().parameters == (1.0,)
    assert TSTE(n_components=4)._loss().parameters == (3.0,)


# Sums over answers ----------------------------------------------------------------------------


def plain_loss(loss: Loss, positions: np.ndarray, triplets: Triplets) -> float:
    total = 0.0
    for (anchor, near, far), weight in zip(triplets.rows, triplets.weight, strict=True):
        near2 = np.sum((positions[anchor] - positions[near]) ** 2)
        far2 = np.sum((positions[anchor] - positions[far]) ** 2)
        total += evaluate(loss, near2, far2, weight)[0]
    return total


def several_parts(monkeypatch):
    """Have a few hundred answers handled in parts, as many are."""
    monkeypatch.setattr(loss_module, "SEVERAL_PARTS", 100)
    monkeypatch.setattr(loss_module, "_PART", 40)


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("n_components", [1, 2, 5])
def test_objective_is_the_plain_sum_and_its_gradient(name, n_components, monkeypatch):
    several_parts(monkeypatch)
    rng = np.random.default_rng(1)
    positions = rng.normal(size=(12, n_components))
    simulated = simulate(positions, 300, noise="flip", level=0.3, seed=2)
    triplets = Triplets.from_array(simulated.rows, 12, weight=rng.uniform(0, 2, 300))
    objective = Objective(AnswerLayout.of(triplets), LOSSES[name], n_components)
    x = positions.T.ravel()
    value, gradient = objective(x)
    assert value == pytest.approx(plain_loss(LOSSES[name], positions, triplets), rel=1e-12)
    step = 1e-6
    for k in range(x.size):
        e = np.zeros_like(x)
        e[k] = step
        slope = (objective(x + e)[0] - objective(x - e)[0]) / (2 * step)
        assert gradient[k] == pytest.approx(slope, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("n_components", [1, 2, 5])
@pytest.mark.parametrize("kind", ["triplets", "pairs"])
def test_compiled_code_evaluates_the_same_loss(name, n_components, kind):
    rng = np.random.default_rng(2)
    rows, weight = np.array([rng.permutation(9)[:4] for _ in range(150)]), rng.uniform(0, 2, 150)
    given = Quadruples(rows, weight=weight) if kind == "pairs" else (
        Triplets.from_array(rows[:, :3], 9, weight=weight)
    )
    objective = Objective(AnswerLayout.of(given), LOSSES[name], n_components, prior=0.3)
    x, gradient = rng.normal(size=9 * n_components), np.empty(9 * n_components)
    for _ in range(2):  # what a first evaluation leaves in the buffers is gone in the second
        value = objective.evaluation(objective.block, x, gradient)
    plain_value, plain_gradient = objective(x)
    assert value == pytest.approx(plain_value, rel=1e-12)
    assert gradient == pytest.approx(plain_gradient, rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("name", LOSSES)
def test_order_of_answers_and_rigid_motion_do_not_matter(name):
    rng = np.random.default_rng(5)
    positions = rng.normal(size=(15, 2))
    triplets = simulate(positions, 400, seed=5)
    turned = positions @ np.linalg.qr(rng.normal(size=(2, 2)))[0] + [3.0, -1.0]
    shuffled = triplets.take(rng.permutation(400))
    value = Objective(AnswerLayout.of(triplets), LOSSES[name], 2)(positions.T.ravel())[0]
    other = Objective(AnswerLayout.of(shuffled), LOSSES[name], 2)(turned.T.ravel())[0]
    assert other == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("n_components", [1, 2, 5])
def test_comparisons_of_pairs_have_a_gradient_too(name, n_components, monkeypatch):
    several_parts(monkeypatch)
    rng = np.random.default_rng(3)
    rows = np.array([rng.permutation(9)[:4] for _ in range(200)])
    answers = AnswerLayout.of(Quadruples(rows, weight=rng.uniform(0, 2, 200)))
    objective = Objective(answers, LOSSES[name], n_components, prior=0.7)
    x, step = rng.normal(size=9 * n_components), 1e-6
    gradient = objective(x)[1]
    for e in step * np.eye(x.size):
        slope = (objective(x + e)[0] - objective(x - e)[0]) / (2 * step)
        assert gradient @ e / step == pytest.approx(slope, rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("name", LOSSES)
def test_a_triplet_is_a_comparison_of_two_pairs(name):
    positions = np.random.default_rng(0).normal(size=(9, 3))
    triplets = simulate(positions, 200, noise="flip", level=0.3, seed=1)
    pairs = Quadruples(triplets.rows[:, [0, 1, 0, 2]])
    x = positions.T.ravel()
    value, gradient = Objective(AnswerLayout.of(triplets), LOSSES[name], 3)(x)
    other_value, other_gradient = Objective(AnswerLayout.of(pairs), LOSSES[name], 3)(x)
    assert other_value == pytest.approx(value)
    assert other_gradient == pytest.approx(gradient)
    assert margins(positions, pairs.rows) == pytest.approx(margins(positions, triplets.rows))


def test_thinned_answers_are_some_of_all(planted):
    answers = AnswerLayout.of(planted)
    assert len(answers.thinned(10_000)) == len(planted)
    few = answers.thinned(300)
    assert 250 < len(few) <= 300
    every = len(planted) // len(few) + 1
    assert np.array_equal(few.parts[0].roles, answers.parts[0].roles[:, ::every])
    assert set(few.parts[0].roles[0]) == set(range(planted.n_objects))


def test_the_prior_is_a_ridge():
    positions = np.random.default_rng(0).normal(size=(6, 3))
    answers, loss = AnswerLayout.of(simulate(positions, 20, seed=1)), STE()._loss()
    x = positions.T.ravel()
    value, gradient = Objective(answers, loss, 3)(x)
    pulled_value, pulled_gradient = Objective(answers, loss, 3, prior=0.4)(x)
    assert pulled_value == pytest.approx(value + 0.2 * x @ x)
    assert pulled_gradient == pytest.approx(gradient + 0.4 * x)


def test_margins_are_differences_of_distances():
    positions = np.random.default_rng(0).normal(size=(7, 3))
    distance = distances(positions)
    i, j, k, m = rows = np.array([np.random.default_rng(s).permutation(7)[:4] for s in range(9)]).T
    assert margins(positions, rows.T) == pytest.approx(distance[k, m] - distance[i, j])
    assert margins(positions, rows[:3].T) == pytest.approx(distance[i, k] - distance[i, j])


def test_a_weight_counts_like_so_many_repeats():
    positions = np.random.default_rng(0).normal(size=(6, 2))
    triplets = simulate(positions, 20, seed=1)
    weight = np.arange(20) % 4
    weighted = Triplets.from_array(triplets.rows, 6, weight=weight)
    repeated = triplets.take(np.repeat(np.arange(20), weight))
    x = positions.T.ravel()
    loss = STE()._loss()
    value, gradient = Objective(AnswerLayout.of(weighted), loss, 2)(x)
    other_value, other_gradient = Objective(AnswerLayout.of(repeated), loss, 2)(x)
    assert value == pytest.approx(other_value)
    assert gradient == pytest.approx(other_gradient)
