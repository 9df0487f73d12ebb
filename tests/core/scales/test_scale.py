"""Difference scaling against R's package, hostile data, and scales from maps."""

from __future__ import annotations

import json
import tracemalloc

import joblib
import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from scipy.stats import chi2, norm

from tests.paths import FIXTURES
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.parallel import CancelToken
from tripletscope.core.models.embedding import CKL, STE, TSTE
from tripletscope.core.models.simulation.simulate import answer, questions_of, simulate
from tripletscope.core.models.simulation.truth import scale_function
from tripletscope.core.reading import load, propose
from tripletscope.core.reading.interpretation.interpret import interpret
from tripletscope.core.scales import (
    MLDS,
    as_trials,
    binomial,
    bootstrap_scale,
    diagnose,
    diagnostics,
    ordinal_scale,
    recorded,
    scale_error,
)
from tripletscope.core.scales.binomial import LINKS, Design, fit_many
from tripletscope.core.scales.mlds import standardised

FOLDER = FIXTURES / "mlds"
REFERENCE = json.loads((FOLDER / "reference.json").read_text())["datasets"]


def table(name: str) -> pd.DataFrame:
    return pd.read_csv(FOLDER / f"{name}.csv")


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("name", REFERENCE)
def test_as_in_r(name, link):
    found, expected = MLDS(link=link).fit(table(name)), REFERENCE[name][link]
    assert found.converged_
    assert found.finite_
    np.testing.assert_allclose(found.scale_, expected["standard_scale"], atol=1e-6)
    np.testing.assert_allclose(found.standard_errors_, expected["se"], rtol=1e-5, atol=1e-9)
    assert found.sigma_ == pytest.approx(expected["sigma_standard"], rel=1e-6)
    assert found.aic_ == pytest.approx(expected["AIC"], abs=1e-6)
    assert found.deviance_ == pytest.approx(expected["deviance"], abs=1e-6)
    assert found.log_likelihood_ == pytest.approx(expected["logLik"], abs=1e-6)
    assert 0 < found.daf_ < 1


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("rising", [True, False])
def test_errors_of_the_standardised_scale_are_those_of_its_slopes(link, rising):
    rows = table("kk1")
    found = MLDS(link=link).fit(rows if rising else rows.assign(resp=1 - rows.resp))
    assert (found.unconstrained_[-1] > 0) == rising
    little = 1e-6 * np.eye(len(found.scale_))
    above, below = (standardised(found.unconstrained_ + sign * little) for sign in (1, -1))
    slopes = (above - below) / 2e-6
    expected = np.sqrt(np.diag(slopes.T @ found.covariance_ @ slopes))
    np.testing.assert_allclose(found.scale_errors_, expected, rtol=1e-5, atol=1e-9)
    assert np.all(found.scale_errors_[1:-1] > 0)


@pytest.mark.parametrize("name", REFERENCE)
def test_the_bootstrap_of_r(name):
    found, expected = bootstrap_scale(MLDS(), table(name), resamples=4000), REFERENCE[name]["boot"]
    scales = found.scales
    sd = np.array(expected["sd"][:-1])  # the last of R's is sigma's
    noise = 5 * sd * np.sqrt(1 / 4000 + 1 / 10_000)
    assert np.all(np.abs(scales.mean(axis=0) - expected["mean"][:-1]) <= noise + 1e-12)
    np.testing.assert_allclose(scales.std(axis=0, ddof=1), sd, rtol=0.08, atol=1e-12)
    low, high = found.interval()
    np.testing.assert_allclose(low, expected["ci_lo"][:-1], atol=0.5 * sd.max())
    np.testing.assert_allclose(high, expected["ci_hi"][:-1], atol=0.5 * sd.max())
    assert found.sigmas.mean() == pytest.approx(expected["mean"][-1], rel=0.02)


@pytest.mark.parametrize("name", ["kk1", "kk2"])
def test_the_diagnostics_of_r(name):
    found = diagnose(MLDS(), table(name), simulations=500)
    assert found.runs == REFERENCE[name]["runs"]
    six = REFERENCE[name]["six_point"]
    assert found.n_six_points == six["n_six_points"]
    assert found.six_point == pytest.approx(six["lik6pt"], abs=1e-4)
    assert found.six_point_p == pytest.approx(six["p"], abs=0.06)


def test_triads_have_no_six_points():
    found = diagnose(MLDS(), table("kktriad"), simulations=50)
    assert (found.six_point, found.six_point_p, found.n_six_points) == (None, None, 0)
    assert 0 < found.runs_p <= 1


@pytest.mark.parametrize("name", ["kk1", "kktriad"])
def test_simulated_answers_are_fitted_as_if_one_by_one(name):
    fitted = MLDS().fit(table(name))
    trials = fitted.trials(table(name))
    link, points, seed = LINKS["probit"], np.zeros(len(trials)), np.random.SeedSequence(4)
    model = diagnostics._Model(
        fitted._comparisons(trials, table(name)), fitted._estimated, link, None
    )
    residuals, runs, _ = diagnostics._simulated(model, points, 15, seed, CancelToken())
    chance = norm.cdf(trials.design @ fitted.unconstrained_)
    response = np.random.default_rng(seed).random((15, len(trials))) < chance
    for number, own in enumerate(response):
        refitted = fit_many(
            Design(trials.design[:, 1:]), own[None].astype(float), np.ones(len(trials)), link
        ).values
        linear = trials.design[:, 1:] @ refitted[0]
        losses = -norm.logcdf(np.where(own, linear, -linear))
        expected = np.sort(np.where(own, 1, -1) * np.sqrt(2 * losses))
        np.testing.assert_allclose(residuals[number], expected, atol=1e-4)
        signs = own[np.argsort(linear, kind="stable")]
        assert abs(runs[number] - np.sum(signs[1:] != signs[:-1])) <= 2  # ties by rounding


def test_diagnostics_of_many_answers_fit_into_memory():
    rng = np.random.default_rng(0)
    x = np.linspace(0, 1, 6)[:, None]
    asked = questions_of("triads", 6, 40_000, rng)
    data = Triplets.from_array(answer(x, asked, rng, noise="positions", level=0.2), 6)
    diagnose(MLDS(), data.take(np.arange(500)), simulations=20)  # imports what it needs
    tracemalloc.start()
    with joblib.parallel_config(n_jobs=1):
        found = diagnose(MLDS(), data, simulations=200)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(found.residuals) == len(found.low) == 40_000
    # the residuals of all simulations are 32 MB; fitting a hundred sets took 10 times that
    assert peak < 200e6


def test_diagnostics_notice_an_observer_without_a_scale():
    """One whose answers go by a scale in the first half and by its opposite in the second."""
    rows = table("kk1")
    wrong = rows.assign(resp=np.where(np.arange(len(rows)) % 3 == 0, 1 - rows.resp, rows.resp))
    wrong = wrong.sort_values(["S1", "S4"])
    easy = diagnose(MLDS(link="probit"), rows, simulations=200)
    assert easy.runs_p > 0.02
    assert easy.outside < 0.15
    assert MLDS().fit(wrong).daf_ < MLDS().fit(rows).daf_ - 0.2


def test_an_observer_who_guesses_is_fitted_hardly_better_than_by_guessing():
    """By Wilks's theorem the gain has a chi-square distribution, one degree for each parameter."""
    rows = table("kk1")
    guessed = rows.assign(resp=np.random.default_rng(0).integers(2, size=len(rows)))
    fitted = MLDS().fit(guessed)
    gain = fitted.null_deviance_ - fitted.deviance_
    assert 0 < gain < chi2.ppf(0.999, len(fitted.levels_) - 1)


@pytest.mark.parametrize(
    ("name", "observer"), [("kk3", None), ("AutumnLab", None), ("Transparency", "O1"),
                           ("Transparency", "O6")],
)
def test_the_other_data_of_r_against_the_likelihood_itself(name, observer):
    """R's own values are at hand for three sets; of the others, its definition of the scale."""
    rows = table(name)
    rows = rows if observer is None else rows[rows["Obs"] == observer]
    stimuli, second = rows[["S1", "S2", "S3", "S4"]].to_numpy() - 1, rows["resp"].to_numpy() == 1
    m = stimuli.max() + 1

    def loss(free: np.ndarray) -> float:
        a, b, c, d = np.append(0.0, free)[stimuli].T
        return -np.sum(norm.logcdf(np.where(second, 1, -1) * (d - c - b + a)))

    best = minimize(loss, np.linspace(0.5, 5.0, m - 1), method="BFGS", options={"gtol": 1e-9})
    found = MLDS().fit(rows)
    np.testing.assert_allclose(found.scale_, np.append(0.0, best.x) / best.x[-1], atol=1e-4)
    assert found.deviance_ == pytest.approx(2 * best.fun, abs=1e-6)


#: Coefficients and deviance by glm of R 4.2.2, binomial with probit link, which is the model that
#: the package MLDS fits; Transparency with all observers pooled.
BY_GLM = {
    "kk3": (
        [0.09110346693, -0.2386213971, -0.2641468088, 0.5042165626, 1.153506499, 1.660524555,
         2.257771226, 3.263373705, 3.855764161, 4.833951343], 210.7559593,
    ),
    "AutumnLab": (
        [0.8627219755, 0.4907562463, 1.012268125, 1.592740688, 2.964909611, 3.886693006,
         5.746300069, 6.241752324, 8.817765945], 100.7424662,
    ),
    "Transparency": (
        [1.541547011, 2.303454425, 3.04909685, 3.638791545, 4.391896132, 4.968599485,
         5.490031934, 5.729118931, 5.796669713], 1900.220683,
    ),
}


@pytest.mark.parametrize("name", BY_GLM)
def test_the_other_data_of_r_against_its_glm(name):
    coefficients, deviance = BY_GLM[name]
    found = MLDS().fit(table(name).drop(columns="Obs", errors="ignore"))
    scale = np.append(0.0, coefficients) / coefficients[-1]
    np.testing.assert_allclose(found.scale_, scale, atol=1e-5)
    assert found.deviance_ == pytest.approx(deviance, abs=1e-5)


def test_heavy_tails_are_followed_beyond_where_normal_ones_end():
    """R gives -46.5788; cut off at 30, as the probit must be, it would be -46.5877."""
    rows = table("AutumnLab")
    found = MLDS(link="cauchit").fit(rows)
    assert found.unconstrained_[-1] > 35
    assert found.log_likelihood_ == pytest.approx(-46.5788, abs=5e-5)
    data = found._comparisons(found.trials(rows), rows)
    many = fit_many(data, data.successes[None], data.totals, LINKS["cauchit"]).values
    each = data.log_likelihoods(many[0], LINKS["cauchit"], data.successes, data.totals)
    assert each.sum() == pytest.approx(-46.5788, abs=5e-5)


@pytest.mark.parametrize("link", LINKS)
def test_likelihoods_stay_finite_and_fall_up_to_the_end_of_a_link(link):
    linear = -LINKS[link].farthest * np.array([0.5, 1.0, 2.0])
    design = Design(linear[:, None])
    near, end, beyond = design.log_likelihoods(np.ones(1), LINKS[link], np.ones(3), np.ones(3))
    assert near > end == beyond > -np.inf


@pytest.mark.parametrize("name", ["kk1", "kk3", "AutumnLab"])
@pytest.mark.parametrize("method", [STE, TSTE, CKL])
def test_maps_of_pairs_that_begin_in_order_agree_with_mlds(name, method):
    """From other starts they end folded, in poorer minima."""
    pairs = recorded(table(name)).answers
    ordered = method(n_components=1, init="order")
    assert ordered.fit(pairs).loss_ < method(n_components=1, n_init=4).fit(pairs).loss_
    found = ordinal_scale(ordered, pairs, stimulus="stimulus", maps=40)
    expected = MLDS().fit(pairs).scale_
    assert np.abs(found.values[:, 0] - expected).max() < 0.15
    assert found.rank_correlation[1] > 0.7
    assert found.is_monotone()
    folded = ordinal_scale(method(n_components=1, n_init=4), pairs, stimulus="stimulus", maps=40)
    assert np.abs(folded.values[:, 0] - expected).max() > 0.3


def test_an_order_to_begin_with_forces_no_rising_scale():
    rng = np.random.default_rng(0)
    truth = scale_function("polynomial", np.linspace(0, 1, 11))
    rows = np.array([rng.permutation(11)[:4] for _ in range(600)])
    seen = np.abs(truth[rows[:, 0::2]] - truth[rows[:, 1::2]]) + rng.normal(0, 0.1, (600, 2))
    wrong = seen[:, 0] > seen[:, 1]
    rows[wrong] = rows[wrong][:, [2, 3, 0, 1]]
    fitted = STE(n_components=1, init="order").fit(Quadruples(rows))
    assert scale_error(fitted.embedding_[:, 0], truth) < 0.002


@pytest.mark.parametrize("name", ["kk1", "kk2"])
def test_an_imported_file_of_pairs_gives_the_values_of_r(name):
    read_in = load(FOLDER / f"{name}.csv")
    imported = interpret(read_in, propose(read_in)[0])
    pairs = imported.pairs.quadruples(name, imported.triplets.objects)
    for stimulus in (None, "id"):
        found = MLDS(stimulus=stimulus).fit(pairs)
        np.testing.assert_allclose(
            found.scale_, REFERENCE[name]["probit"]["standard_scale"], atol=1e-6
        )
    assert diagnose(MLDS(), pairs, simulations=20).runs == REFERENCE[name]["runs"]
    assert found.levels_.tolist() == list(range(1, 12))


# The fit itself --------------------------------------------------------------------------------


def some_trials(seed: int = 0, n: int = 400) -> Triplets:
    """Triads by the method's own model: scale values 0, 1, 4, 9, 16 over 4, noise 1."""
    rng = np.random.default_rng(seed)
    truth = np.arange(6.0) ** 2 / 4
    low, middle, high = np.sort([rng.choice(6, 3, replace=False) for _ in range(n)], axis=1).T
    second = truth[high] - 2 * truth[middle] + truth[low] + rng.standard_normal(n) > 0
    return Triplets.from_array(
        np.column_stack([middle, np.where(second, low, high), np.where(second, high, low)]), 6
    )


def test_the_likelihood_is_at_its_highest():
    data = some_trials()
    found = MLDS().fit(data)
    trials = as_trials(data)

    def loss(values: np.ndarray) -> float:
        linear = trials.design[:, 1:] @ values
        return -np.sum(norm.logcdf(np.where(trials.response, linear, -linear)))

    best = minimize(loss, np.linspace(0.5, 5, 5), method="BFGS")
    np.testing.assert_allclose(found.unconstrained_[1:], best.x, atol=2e-4)
    assert -found.log_likelihood_ == pytest.approx(best.fun, abs=1e-6)
    np.testing.assert_allclose(found.scale_, np.arange(6.0) ** 2 / 25, atol=0.1)


@pytest.mark.parametrize("link", LINKS)
def test_many_fits_at_once_agree_with_one_at_a_time(link):
    trials = as_trials(some_trials())
    rows, which, _ = trials.comparisons()
    totals = np.bincount(which, trials.weight)
    chance = np.random.default_rng(0).uniform(0.3, 0.7, len(rows))
    wins = np.random.default_rng(1).binomial(totals.astype(int), chance, (5, len(rows)))
    found = fit_many(Design(rows[:, 1:]), wins.astype(float), totals, LINKS[link]).values
    for values, won in zip(found, wins, strict=True):
        each = np.concatenate([rows, rows])
        second = np.arange(len(each)) < len(rows)
        middle, low, high = [], [], []
        for row in each:
            anchor = np.flatnonzero(row == -2)
            ends = np.flatnonzero(row == 1)
            middle.append(anchor[0]), low.append(ends[0]), high.append(ends[1])
        data = np.where(second[:, None], np.c_[middle, low, high], np.c_[middle, high, low])
        weight = np.concatenate([won, totals - won])
        alone = MLDS(link=link).fit(Triplets.from_array(data, 6, weight=weight))
        np.testing.assert_allclose(values, alone.unconstrained_[1:], atol=2e-4)


def test_order_of_answers_and_weights():
    data = some_trials()
    found = MLDS().fit(data)
    shuffled = MLDS().fit(data.take(np.random.default_rng(0).permutation(len(data))))
    np.testing.assert_allclose(found.scale_, shuffled.scale_, atol=1e-10)
    twice = MLDS().fit(data.take(np.tile(np.arange(len(data)), 2)))
    weighted = MLDS().fit(Triplets.from_array(data.rows, 6, weight=np.full(len(data), 2.0)))
    np.testing.assert_allclose(twice.unconstrained_, weighted.unconstrained_, atol=1e-8)
    np.testing.assert_allclose(twice.standard_errors_, found.standard_errors_ / np.sqrt(2))
    assert weighted.deviance_ == pytest.approx(2 * found.deviance_)


def test_a_stimulus_column_orders_the_objects():
    data = some_trials()
    order = np.array([3, 0, 5, 1, 4, 2])  # object i has the physical value order[i]
    rows = np.argsort(order)[data.rows]
    objects = pd.DataFrame({"id": list("abcdef"), "size": 10.0 * order})
    found = MLDS(stimulus="size").fit(Triplets(rows, objects))
    plain = MLDS().fit(data)
    np.testing.assert_allclose(found.scale_, plain.scale_)
    np.testing.assert_array_equal(found.levels_, 10.0 * np.arange(6))
    np.testing.assert_allclose(found.distances(), plain.distances()[np.ix_(order, order)])
    assert found.triplet_error_ == pytest.approx(plain.triplet_error_)
    with pytest.raises(DataError, match="have no column 'weight'"):
        MLDS(stimulus="weight").fit(Triplets(rows, objects))
    objects.loc[2, "size"] = np.nan
    with pytest.raises(DataError, match="of object 'c' is not a number"):
        MLDS(stimulus="size").fit(Triplets(rows, objects))


def test_neighbouring_levels_are_joined():
    data = some_trials(n=900)
    trials = as_trials(data, most_levels=3)
    assert trials.levels.tolist() == [0.5, 2.5, 4.5]
    assert trials.level_of.tolist() == [0, 0, 1, 1, 2, 2]
    assert len(trials) < len(as_trials(data)), "within a level there is nothing to compare"
    found = MLDS(most_levels=3).fit(data)
    assert found.scale_.shape == (3,)
    assert as_trials(data, most_levels=6).levels.tolist() == list(range(6))
    objects = data.objects.assign(x=[1.0, 2.0, 4.0, 8.0, 16.0, 32.0])
    named = MLDS(stimulus="x", most_levels=3).fit(data.with_objects(objects))
    assert named.levels_.tolist() == [1.5, 6.0, 24.0]
    np.testing.assert_allclose(named.scale_, found.scale_)


def test_hundreds_of_levels_are_fitted_as_few_are(monkeypatch):
    trials = as_trials(some_trials())
    rows, which, _ = trials.comparisons()
    totals = np.bincount(which, trials.weight)
    wins = np.random.default_rng(1).binomial(totals.astype(int), 0.5, (3, len(rows)))
    kept = fit_many(Design(rows[:, 1:]), wins.astype(float), totals, LINKS["probit"]).values
    monkeypatch.setattr(binomial, "_MOST_PRODUCTS", 0)
    alone = fit_many(Design(rows[:, 1:]), wins.astype(float), totals, LINKS["probit"]).values
    np.testing.assert_allclose(alone, kept, atol=1e-9)


def test_anchors_at_an_end_count_only_if_asked_for():
    ends = simulate(np.arange(6.0)[:, None], 300, seed=1)
    inner = as_trials(ends)
    anchor, near, far = ends.rows.T
    between = (np.minimum(near, far) < anchor) & (anchor < np.maximum(near, far))
    assert len(inner) == between.sum()
    everything = as_trials(ends, outside=True)
    assert len(everything) == 300
    # |0 - 4| - |0 - 2|: the lower level cancels
    row = as_trials(Triplets.from_array([[0, 2, 4]] * 3, 5), outside=True).design[0]
    assert row.tolist() == [0, 0, -1, 0, 1] or row.tolist() == [0, 0, 1, 0, -1]


def test_quadruples_that_overlap():
    # 0 and 3 are further apart than 1 and 4: shared stretches cancel, nothing else does
    trials = as_trials(Quadruples([[0, 3, 1, 4]] * 3 + [[1, 4, 0, 3]], 5))
    assert np.abs(trials.design[0]).tolist() == [1, 1, 0, 1, 1]
    assert trials.response[:3].tolist() == [not trials.response[3]] * 3
