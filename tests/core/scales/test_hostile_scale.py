"""Difference scaling where data are hostile, few, or of several observers."""

from __future__ import annotations

import joblib
import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_1samp

from tests.core.scales.test_scale import some_trials, table
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets, numbered_objects
from tripletscope.core.inference.held_out.score import cross_validate
from tripletscope.core.models.simulation.simulate import answer, questions_of
from tripletscope.core.scales import (
    MLDS,
    ScaleSamples,
    bootstrap_scale,
    recorded,
)
from tripletscope.core.scales.binomial import has_finite_optimum


def test_separation_is_noticed_and_survived():
    rows = np.array([[2, 1, 3], [3, 2, 4], [1, 0, 2], [2, 0, 4], [1, 0, 4], [3, 1, 4]])
    for data in (rows, np.tile(rows, (5, 1))):
        found = MLDS().fit(Triplets.from_array(data, 5))
        assert not found.finite_
        assert np.isfinite(found.unconstrained_).all()
        assert np.isfinite(found.standard_errors_).all()
        assert 0 < found.sigma_ < 1
        assert found.triplet_error_ < 0.2
        low, high = bootstrap_scale(MLDS(), Triplets.from_array(data, 5), resamples=100).interval()
        assert np.isfinite(low).all()
        assert np.all(low <= high)
    # one contradiction for each makes the optimum finite
    both = np.concatenate([np.tile(rows, (5, 1)), rows[:, [0, 2, 1]]])
    assert MLDS().fit(Triplets.from_array(both, 5)).finite_


def test_levels_that_were_never_asked_about_lie_between_their_neighbours():
    data = some_trials()
    keep = (data.rows != 2).all(axis=1)
    found = MLDS().fit(data.take(keep))
    assert not found.finite_
    assert found.scale_[1] < found.scale_[2] < found.scale_[3]


def test_separation_is_found_exactly():
    design = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    all_ = np.ones(3)
    assert not has_finite_optimum(design, all_, all_)
    assert has_finite_optimum(design, np.array([1.0, 1.0, 0.0]), all_)
    assert has_finite_optimum(design, np.full(3, 0.5), all_)
    assert not has_finite_optimum(np.array([[1.0, 1.0], [2.0, 2.0]]), np.full(2, 0.5), np.ones(2))
    # quasi-complete: the second coefficient is pinned down, the first is not
    assert not has_finite_optimum(design[:2], np.array([1.0, 0.5]), np.ones(2))


def test_what_cannot_be_scaled():
    with pytest.raises(DataError, match="no answer compares two intervals"):
        MLDS().fit(Triplets.from_array([[0, 1, 2], [2, 1, 0]], 3))
    with pytest.raises(DataError, match="needs three levels"):
        MLDS(stimulus="x").fit(
            Triplets([[0, 1, 2]], pd.DataFrame({"id": list("abc"), "x": [1, 2, 1]}))
        )
    with pytest.raises(ValueError, match="link of MLDS is 'log'"):
        MLDS(link="log").fit(some_trials())


@pytest.mark.parametrize(
    ("columns", "problem"),
    [
        ({"resp": [2.0]}, "row 2: a response is neither 0 nor 1"),
        ({"S2": ["x"]}, "row 2: a stimulus is not a number"),
        ({"S2": [3.0]}, "row 2: the second stimulus of a triad does not lie between the others"),
    ],
)
def test_wrong_tables_are_explained(columns, problem):
    right = {"resp": [1.0], "S1": [0.1], "S2": [0.2], "S3": [0.4]}
    assert len(recorded(pd.DataFrame(right)).answers) == 1
    with pytest.raises(DataError, match=problem):
        recorded(pd.DataFrame({**right, **columns}))
    with pytest.raises(DataError, match="need columns resp, S1, S2, S3"):
        recorded(pd.DataFrame(right).drop(columns="resp"))


def test_descending_triads_mean_the_same():
    up = pd.DataFrame({"Response": [1, 0], "s1": [0.1, 0.1], "s2": [0.2, 0.2], "s3": [0.4, 0.4]})
    down = pd.DataFrame({"resp": [0, 1], "S1": [0.4, 0.4], "S2": [0.2, 0.2], "S3": [0.1, 0.1]})
    assert recorded(up).answers.rows.tolist() == [[1, 0, 2], [1, 2, 0]]
    for one in (up, down):
        assert np.array_equal(recorded(one).answers.rows, recorded(up).answers.rows)
        assert recorded(one).second.tolist() == [True, False]


def test_one_observer_of_several():
    trials = table("kktriad")
    both = recorded(pd.concat([trials.assign(Obs="a"), trials.assign(resp=0, Obs="b")]))
    np.testing.assert_allclose(MLDS().fit(both.of("a")).scale_, MLDS().fit(trials).scale_)


def test_the_same_resamples_on_any_number_of_threads_and_a_stop_keeps_some():
    one = bootstrap_scale(MLDS(), some_trials(), resamples=300)
    with joblib.parallel_config("threading", n_jobs=2):
        two = bootstrap_scale(MLDS(), some_trials(), resamples=300)
    assert np.array_equal(one.unconstrained, two.unconstrained)
    few = bootstrap_scale(
        MLDS(), some_trials(), resamples=300, progress=lambda done, **_: done > 0.5
    )
    assert np.array_equal(few.unconstrained, one.unconstrained[:200])


def test_both_ways_of_resampling_agree_where_the_model_holds():
    model, answers = (
        bootstrap_scale(MLDS(), some_trials(), resamples=2000, scheme=scheme).scales.std(axis=0)
        for scheme in ("model", "answers")
    )
    np.testing.assert_allclose(model, answers, rtol=0.25)


def test_observers_who_differ_make_wider_bands():
    """Ten observers, each with a power function of an exponent of the own."""
    rng = np.random.default_rng(0)
    x = np.linspace(0, 1, 8)
    questions = questions_of("triads", 8, 200, rng)
    rows = [
        answer((4 * x**exponent)[:, None], questions, rng, noise="logistic", level=0.7)
        for exponent in np.exp(rng.normal(0, 0.5, 10))
    ]
    who = pd.DataFrame({"participant": np.repeat([f"o{i}" for i in range(10)], 200)})
    pooled = Triplets(np.concatenate(rows), numbered_objects(8), who)
    by = {
        unit: bootstrap_scale(MLDS(), pooled, resamples=400, unit=unit)
        for unit in ("auto", "answers", "both")
    }
    assert [(one.unit, one.n_units) for one in by.values()] == [
        ("participants", 10), ("answers", 2000), ("both", 10)
    ]
    spread = {unit: one.scales[:, 1:-1].std(axis=0).mean() for unit, one in by.items()}
    assert min(spread["auto"], spread["both"]) > 1.5 * spread["answers"]
    # Student's 2.262 standard deviations, and 10/9 of the variance, are percentile 0.85.
    low, _ = by["auto"].interval()
    np.testing.assert_allclose(low, np.quantile(by["auto"].scales, 0.00855, axis=0), atol=2e-3)
    for unit, more in (("auto", np.sqrt(10 / 9)), ("answers", 1.0), ("both", 1.0)):
        errors = more * by[unit].unconstrained.std(axis=0, ddof=1)
        np.testing.assert_allclose(by[unit].standard_errors(unconstrained=True), errors)


def test_intervals_over_few_participants_are_students():
    """Two people have three different resamples, whose percentiles lie between the two."""
    rng = np.random.default_rng(0)
    each = np.column_stack([np.zeros(3), rng.normal(3, 0.5, 3), rng.normal(8, 0.5, 3)])
    drawn = each[rng.integers(3, size=(20_000, 3))].mean(axis=1)
    found = ScaleSamples(np.arange(3.0), drawn, each.mean(axis=0), "participants", 3)
    same = ttest_1samp(each[:, 1:], 0).confidence_interval()
    low, high = found.interval(unconstrained=True)
    np.testing.assert_allclose([low[1:], high[1:]], [same.low, same.high], rtol=0.02)
    np.testing.assert_allclose(
        found.standard_errors(unconstrained=True)[1:], each[:, 1:].std(axis=0, ddof=1) / np.sqrt(3),
        rtol=0.02,
    )
    low, high = found.interval()
    assert low[0] == high[0] == 0
    assert low[2] == high[2] == 1


def test_it_is_a_method_like_others():
    found = cross_validate(MLDS(), some_trials(), folds=3)
    assert 0 < found.error < 0.3
