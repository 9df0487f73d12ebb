"""Whether observers share a scale: likelihoods of three models, and when they are told apart."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from scipy.stats import norm

from tests.core.scales.observers import observers
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.run import key
from tripletscope.core.scales import MLDS, compare_scales
from tripletscope.dashboard.results.group_scales import common_scale_said

METHOD = MLDS(stimulus="x")


def compared(seed: int, lapses: str = "none", simulations: int = 39, **planted):
    data, _ = observers(seed, **planted)
    method = MLDS(stimulus="x", lapses=lapses)
    return data, compare_scales(method, data, simulations=simulations)


def test_deviances_are_those_of_separate_fits():
    data, found = compared(0, people=3, levels=6, usable=200)
    who = data.answers["participant"].to_numpy()
    alone = [MLDS(stimulus="x").fit(data.take(who == name)) for name in found.names]
    assert found.deviances[0] == pytest.approx(METHOD.fit(data).deviance_, rel=1e-8)
    assert found.deviances[2] == pytest.approx(sum(one.deviance_ for one in alone), rel=1e-8)
    np.testing.assert_array_equal(found.own, [one.scale_ for one in alone])
    assert found.n_parameters.tolist() == [5, 7, 15]
    assert found.gains.sum() == pytest.approx(found.deviances[1] - found.deviances[2])


def test_the_common_scale_is_the_most_likely_one():
    """By an optimiser that knows nothing of the model's form."""
    data, found = compared(3, people=3, levels=5, usable=150)
    trials = METHOD.trials(data)
    signed = np.where(trials.response[:, None], trials.design, -trials.design)[:, 1:]
    whose = np.searchsorted(np.sort(found.names), data.answers["participant"])[trials.answer]

    def deviance(values: np.ndarray) -> float:
        sizes = np.exp(np.append(0.0, values[4:]))[whose]
        return -2.0 * norm.logcdf(sizes * (signed @ values[:4])).sum()

    best = min((minimize(deviance, np.append(start * np.arange(1, 5), [0.0, 0.0]), method="BFGS")
                for start in (0.5, 2.0)), key=lambda one: one.fun)
    assert found.deviances[1] == pytest.approx(best.fun, abs=1e-4)
    np.testing.assert_allclose(found.common[1:], best.x[:4] / best.x[3], atol=1e-3)


@pytest.mark.parametrize("lapses", ["none", "each"])
def test_observers_of_one_scale_are_not_told_apart(lapses):
    """Only in noise, if that differs; the rates are in ``benchmarks/planted/scales.py``."""
    _, alike = compared(1, lapses, people=3, usable=200, shape=0.0, consistency=0.0)
    assert "not seen to differ in shape" in common_scale_said(alike)
    assert "nor in noise" in common_scale_said(alike)
    _, found = compared(1, lapses, people=3, usable=400, shape=0.0, consistency=0.8)
    assert "not seen to differ in shape" in common_scale_said(found)
    assert "but in noise" in common_scale_said(found) or lapses == "each"


def test_the_observer_of_another_scale_is_named():
    data, _ = observers(5, people=4, usable=250, shape=0.0, consistency=0.2)
    x = np.linspace(0.0, 1.0, 12) ** 2.5
    rng = np.random.default_rng(0)
    rows = data.rows.copy()
    for row in np.flatnonzero(data.answers["participant"] == "p02"):
        low, high = sorted(rows[row, 1:])
        upper = x[high] + x[low] - 2 * x[rows[row, 0]] + rng.normal(0, 0.1) > 0
        rows[row, 1:] = (low, high) if upper else (high, low)
    found = compare_scales(METHOD, Triplets(rows, data.objects, data.answers), simulations=39)
    said = common_scale_said(found)
    assert "differ in shape, most clearly p02:" in said
    assert found.table.set_index("name")["p"].drop("p02").min() > 0.05


def test_consistent_observers_have_no_finite_scale_and_are_compared_all_the_same():
    _, found = compared(2, people=3, levels=8, usable=60, shape=0.0, consistency=3.0)
    assert not found.finite.all()
    assert np.isfinite(found.deviances).all()
    assert 0 < found.shape[2] <= 1
    assert (found.gains >= 0).all()
    assert (found.simulated_gains >= 0).all()


def test_groups_of_several_people_are_refused():
    data, _ = observers(0, people=4)
    grouped = data.with_columns({"group": np.arange(len(data)) % 2})
    with pytest.raises(DataError, match="'0' of 'group' is of 4 participants"):
        compare_scales(METHOD, grouped, by="group", simulations=20)


def test_one_observer_with_enough_answers_is_no_comparison():
    data, _ = observers(0, people=2, usable=60)
    few = data.take(np.flatnonzero(
        (data.answers["participant"] == "p00") | (np.arange(len(data)) % 9 == 0)
    ))
    with pytest.raises(DataError, match="fewer than two values of 'participant'"):
        compare_scales(METHOD, few, simulations=20)


PREFERENCES = (1.0, -1.0, 0.0)


def preferring(*, recorded: bool, at_random: bool, seed: int = 0) -> Quadruples:
    """Observers of one scale who prefer the second interval, or the first."""
    rng = np.random.default_rng(seed)
    scale, tables = np.linspace(0, 1, 9) ** 1.5, []
    for person, preference in enumerate(PREFERENCES):
        pairs = np.sort(np.argsort(rng.random((300, 9)), axis=1)[:, :4], axis=1)
        turned = at_random & (rng.random(300) < 0.5)
        first, second = (
            np.where(turned[:, None], one, other)
            for one, other in ((pairs[:, 2:], pairs[:, :2]), (pairs[:, :2], pairs[:, 2:]))
        )
        further = np.diff(scale[second]) - np.diff(scale[first])
        chosen = rng.random(300) < norm.cdf(further[:, 0] / 0.15 + preference)
        near, far = np.where(chosen[:, None], first, second), np.where(
            chosen[:, None], second, first
        )
        tables.append(pd.DataFrame(np.hstack([near, far])).assign(
            participant=f"p{person}", side=np.where(chosen, "right", "left")
        ))
    table = pd.concat(tables, ignore_index=True)
    columns = ["participant", "side"] if recorded else ["participant"]
    return Quadruples(table[[0, 1, 2, 3]].to_numpy(), answers=table[columns])


def test_a_preference_for_an_interval_is_no_other_shape_where_the_order_is_recorded():
    for at_random in (False, True):
        data = preferring(recorded=True, at_random=at_random)
        found = compare_scales(MLDS(), data, simulations=39)
        assert not found.shapes_differ
        assert not found.is_chance
        np.testing.assert_allclose(found.preference, PREFERENCES, atol=0.35)
        assert found.n_parameters.tolist() == [11, 13, 27]
        assert found.prefers
        said = common_scale_said(found)
        assert "prefer one interval whatever it holds (the second, in units of σ: p" in said
        assert "Preference for first or second" in said
        alone = MLDS(order=True).fit(data.take(np.arange(300)))
        np.testing.assert_allclose(found.own[0], alone.scale_)


def test_without_the_order_a_difference_in_shape_may_be_a_preference():
    found = compare_scales(
        MLDS(), preferring(recorded=False, at_random=False), simulations=39
    )
    assert found.shapes_differ
    assert np.isnan(found.preference).all()
    assert "which interval came first" in common_scale_said(found)


def test_who_prefers_no_interval_is_not_told_of():
    rng, told = np.random.default_rng(5), 0
    for seed in range(8):
        data = preferring(recorded=True, at_random=True, seed=seed)
        # Sides exchanged at random, and the answers with them: a preference has no side.
        turned = rng.random(len(data)) < 0.5
        right = (data.answers["side"] == "right").to_numpy() ^ turned
        table = data.answers.assign(side=np.where(right, "right", "left"))
        found = compare_scales(MLDS(), Quadruples(data.rows, answers=table), simulations=20)
        told += found.prefers
    assert told <= 1


def test_preferences_of_guesses_are_no_scale():
    rng = np.random.default_rng(3)
    data = preferring(recorded=True, at_random=True)
    second = rng.random(len(data)) < 0.8  # the place alone
    shown = np.where((data.answers["side"] == "right").to_numpy()[:, None], data.rows,
                     data.rows[:, [2, 3, 0, 1]])
    rows = np.where(second[:, None], shown, shown[:, [2, 3, 0, 1]])
    table = data.answers.assign(side=np.where(second, "right", "left"))
    found = compare_scales(MLDS(), Quadruples(rows, answers=table), simulations=39)
    assert found.is_chance
    assert (found.preference > 0.5).all()


def test_answers_that_differ_in_sides_alone_are_other_data():
    data = preferring(recorded=True, at_random=True)
    turned = data.with_columns({"side": data.answers["side"].to_numpy()[::-1]})
    alike, preferring_one, compared_scales = (
        [key(task, method, one, {}) for one in (data, turned)]
        for task, method in (
            ("fit", MLDS()), ("fit", MLDS(order=True)), ("compare_scales", MLDS())
        )
    )
    assert alike[0] == alike[1]
    assert preferring_one[0] != preferring_one[1]
    assert compared_scales[0] != compared_scales[1]


def test_the_table_is_corrected_for_all_observers():
    _, found = compared(4, people=5, usable=80, shape=0.0, simulations=99)
    assert isinstance(found.table, pd.DataFrame)
    gains = found.table["gain"].to_numpy()
    above = (found.simulated_gains >= gains).mean(axis=0)
    assert (found.table["p"] >= above - 1e-9).all()


def turned(data: Triplets, which: np.ndarray) -> Triplets:
    rows = np.where(which[:, None], data.rows[:, [0, 2, 1]], data.rows)
    return Triplets(rows, data.objects, data.answers)


def test_nothing_is_said_of_guesses_of_other_levels_and_of_dust():
    """Guesses "may be pooled", as may two observers of other levels; and rounding was evidence."""
    data, _ = observers(0, people=3, usable=200, levels=6, shape=0.0, consistency=0.0)
    coins = turned(data, np.random.default_rng(1).random(len(data)) < 0.5)
    assert "may be guesses" in common_scale_said(compare_scales(METHOD, coins, simulations=39))

    far, _ = observers(0, people=2, usable=400, shape=0.0)
    is_first = far.answers["participant"] == "p00"
    apart = far.take(np.flatnonzero(np.where(
        is_first, (far.rows < 6).all(axis=1), (far.rows >= 6).all(axis=1)
    )))
    found = compare_scales(METHOD, apart, simulations=39)
    assert not found.shapes_differ
    assert "not asked about enough of the same" in common_scale_said(found)

    backwards = compare_scales(METHOD, turned(data, np.ones(len(data), bool)), simulations=39)
    assert "falls with the stimulus" in common_scale_said(backwards)

    x = np.linspace(0.0, 1.0, 6) ** 0.7
    low, high = np.sort(data.rows[:, 1:], axis=1).T
    upper = x[high] + x[low] > 2 * x[data.rows[:, 0]]
    never = turned(data, (data.rows[:, 1] == low) != upper)
    found = compare_scales(METHOD, never, simulations=39)
    assert not found.finite.any()
    assert found.sensitivity[2] == 1.0
