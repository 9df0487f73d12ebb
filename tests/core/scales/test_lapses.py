"""Difference scaling of observers who lapse: planted rates, and the likelihood by itself."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from scipy.special import expit
from scipy.stats import chi2, norm

from tests.paths import SAMPLES
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.inference.held_out.score import cross_validate
from tripletscope.core.run import key
from tripletscope.core.scales import MLDS, as_trials, bootstrap_scale, diagnose, recorded
from tripletscope.core.scales.binomial import p_of_lapse
from tripletscope.core.studies.quality.importing import read

SCALE = np.linspace(0, 1, 8) ** 0.6


def observer(
    seed: int, lapse: float = 0.0, prefers: float = 0.0, sigma: float = 0.12, n: int = 400,
    name: str = "a",
) -> pd.DataFrame:
    """Trials of pairs: the larger interval, but for a lapse, or what is preferred."""
    rng = np.random.default_rng(seed)
    s = np.sort(rng.random((n, len(SCALE))).argsort(axis=1)[:, :4], axis=1)
    turned = rng.random(n) < 0.5
    s[turned] = s[turned][:, [2, 3, 0, 1]]
    gap = np.abs(SCALE[s[:, 3]] - SCALE[s[:, 2]]) - np.abs(SCALE[s[:, 1]] - SCALE[s[:, 0]])
    second = gap / sigma + prefers + rng.standard_normal(n) > 0
    second = np.where(rng.random(n) < lapse, rng.random(n) < 0.5, second)
    table = pd.DataFrame(s, columns=["S1", "S2", "S3", "S4"]).assign(Obs=name)
    return table.assign(resp=second.astype(int))


def test_planted_rates_are_in_their_intervals():
    inside = []
    for seed in range(12):
        lapse = (0.0, 0.05, 0.2, 0.4)[seed % 4]
        found = MLDS(lapses="one").fit(observer(seed, lapse))
        inside.append(found.lapse_low_[0] <= lapse <= found.lapse_high_[0])
        assert found.lapse_low_[0] <= found.lapse_[0] <= found.lapse_high_[0]
    assert np.mean(inside) >= 0.85


def test_without_lapses_their_noise_is_taken_for_the_observers():
    table = observer(3, 0.2)
    plain, found = MLDS().fit(table), MLDS(lapses="one").fit(table)
    assert plain.sigma_ > 1.6 * 0.12
    assert found.sigma_ == pytest.approx(0.12, abs=0.03)
    assert found.aic_ < plain.aic_ - 10
    assert np.abs(found.scale_ - SCALE).max() < 0.06


@pytest.mark.parametrize("order", [False, True])
def test_nothing_is_more_likely(order):
    table = observer(5, 0.15, 0.5 * order)
    found = MLDS(lapses="one", order=order).fit(table)
    trials = as_trials(recorded(table))

    def lost(x: np.ndarray) -> float:
        linear = trials.design[:, 1:] @ x[: len(SCALE) - 1] + order * x[-2]
        rate = expit(x[-1])
        chance = rate / 2 + (1 - rate) * norm.cdf(np.where(trials.response, linear, -linear))
        return -np.log(chance).sum()

    x = np.append(found.values_[:-1], [0.0] * (not order) + [found.values_[-1]])
    assert lost(x) == pytest.approx(-found.log_likelihood_, abs=1e-6)
    best = minimize(lost, x + 0.05, method="BFGS")
    assert best.fun > -found.log_likelihood_ - 1e-4


def test_intervals_are_those_of_the_profile():
    table = observer(8, 0.2)
    found = MLDS(lapses="one").fit(table)
    trials = as_trials(recorded(table))
    design, agrees = trials.design[:, 1:], trials.response

    def worth(rate: float) -> float:
        def lost(x: np.ndarray) -> float:
            linear = design @ x
            return -np.log(
                rate / 2 + (1 - rate) * norm.cdf(np.where(agrees, linear, -linear))
            ).sum()
        return -minimize(lost, found.unconstrained_[1:], method="BFGS").fun

    for end in (found.lapse_low_[0], found.lapse_high_[0]):
        fallen = 2 * (found.log_likelihood_ - worth(end))
        assert fallen == pytest.approx(chi2.ppf(0.95, 1), abs=0.15)


def test_each_has_a_rate_of_their_own():
    answers = read(SAMPLES / "difference_scaling" / "answers.csv",
                   objects=SAMPLES / "difference_scaling" / "objects.csv")
    found = MLDS(stimulus="contrast_percent", lapses="each").fit(answers)
    assert found.observers_.tolist() == ["ann", "ben", "eva"]
    assert (found.lapse_low_ <= [0.0, 0.0, 0.25]).all()
    assert (found.lapse_high_ >= [0.0, 0.0, 0.25]).all()
    assert found.lapse_low_[2] > found.lapse_high_[:2].max()
    assert found.aic_ < MLDS(stimulus="contrast_percent", lapses="one").fit(answers).aic_ - 20


def test_a_preferred_interval_is_found():
    table = observer(11, prefers=0.6)
    found = MLDS(order=True).fit(table)
    assert found.preference_[0] == pytest.approx(0.6, abs=3 * found.preference_errors_[0])
    assert found.preference_errors_[0] < 0.15
    assert abs(MLDS(order=True).fit(observer(11)).preference_[0]) < 0.3


def test_who_came_first_must_be_known():
    rows = np.array([[1, 0, 2], [2, 1, 3], [1, 2, 0], [2, 3, 1]])
    with pytest.raises(DataError, match="which interval came first"):
        MLDS(order=True).fit(Triplets.from_array(rows))


def test_answers_that_lapses_could_explain_all_stay_finite():
    rows = np.array([[1, 0, 2], [1, 2, 0], [2, 1, 3], [2, 1, 3], [1, 0, 3], [2, 0, 3]])
    found = MLDS(lapses="one").fit(Triplets.from_array(rows))
    assert np.isfinite(found.scale_).all()
    assert not found.finite_


@pytest.mark.parametrize("scheme", ["model", "answers"])
def test_bands_hold_the_scale(scheme):
    table = observer(14, 0.2)
    samples = bootstrap_scale(MLDS(lapses="one"), table, resamples=200, scheme=scheme)
    low, high = samples.interval()
    assert ((low <= SCALE) & (high >= SCALE)).mean() >= 0.75
    assert samples.sigmas.mean() < 0.16


def test_bands_over_participants_keep_their_rates():
    tables = [observer(k, 0.3 * (k == 0), name=f"o{k}", n=100) for k in range(8)]
    table = pd.concat(tables, ignore_index=True)
    samples = bootstrap_scale(MLDS(lapses="each"), table, resamples=40, unit="participants")
    assert samples.n_units == 8
    assert np.isfinite(samples.scales).all()


def test_advice_is_given_where_there_are_lapses():
    assert diagnose(MLDS(), observer(20, 0.2), simulations=20).advises_lapses
    found = diagnose(MLDS(), observer(21), simulations=20)
    assert not found.advises_lapses
    assert found.lapse_aic > -1
    asked = diagnose(MLDS(lapses="one"), observer(20, 0.2), simulations=200)
    assert (asked.lapse, asked.lapse_p, asked.advises_lapses) == (None, None, False)
    assert asked.outside < 0.1


def test_p_of_a_lapse_by_hand():
    assert p_of_lapse(0.0) == 1.0
    assert p_of_lapse(3.0) == pytest.approx(chi2.sf(3.0, 1) / 2)


def test_keys_depend_on_participants_only_where_the_fit_does():
    tables = [observer(1, name="a", n=60), observer(1, name="b", n=60)]
    one, other = (recorded(table).answers for table in tables)
    assert key("fit", MLDS(), one) == key("fit", MLDS(), other)
    assert key("fit", MLDS(lapses="each"), one) != key("fit", MLDS(lapses="each"), other)
    assert "lapses" not in MLDS().get_params() or key("fit", MLDS(lapses="none"), one) == key(
        "fit", MLDS(), one
    )


def test_errors_are_held_out_with_lapses_too():
    answers = recorded(observer(30, 0.2)).answers
    found = cross_validate(MLDS(lapses="one"), answers, folds=3)
    assert 0.05 < found.error < 0.35
