"""Conjoint measurement against another maximiser of its likelihood, and its false alarms."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from scipy.stats import chi2, norm

from tripletscope.core.data.errors import DataError
from tripletscope.core.reading.measuring import read_conjoint
from tripletscope.core.run import run
from tripletscope.core.scales import MLCM, ConjointComparisons, conjoint_scales
from tripletscope.dashboard.results.conjoint import conjoint_said


def judged(rng, n: int, value, levels: int = 3) -> pd.DataFrame:
    """Comparisons by an observer with unit noise."""
    shown = pd.DataFrame(rng.integers(0, levels, (n, 4)), columns=["a1", "b1", "a2", "b2"])
    lead = value(shown.a1, shown.b1) - value(shown.a2, shown.b2) + rng.normal(size=n)
    return shown.assign(first=(lead > 0).astype(int))


def negative(values: np.ndarray, design: np.ndarray, first: np.ndarray, link: str) -> float:
    """Minus the log-likelihood of a design, written out."""
    lead = np.where(first == 1, 1.0, -1.0) * (design @ values)
    log_p = norm.logcdf(lead) if link == "probit" else -np.logaddexp(0.0, -lead)
    return -float(log_p.sum())


@pytest.mark.parametrize("link", ["probit", "logit"])
def test_scales_are_those_of_another_maximiser(link):
    table = judged(np.random.default_rng(3), 500, lambda a, b: 0.8 * a + 0.5 * b * b)
    scales = conjoint_scales(table, link=link, replicates=20)

    def code(levels: pd.Series) -> np.ndarray:
        return np.column_stack([levels == 1, levels == 2]).astype(float)

    parts = {name: code(table[f"{name}1"]) - code(table[f"{name}2"]) for name in "ab"}
    designs = {"a": parts["a"], "b": parts["b"], "additive": np.hstack([parts["a"], parts["b"]])}
    for name, design in designs.items():
        best = minimize(negative, np.zeros(design.shape[1]), (design, table["first"], link),
                        method="BFGS", options={"gtol": 1e-8})
        model = scales.models[name]
        assert model.values == pytest.approx(best.x, abs=1e-4), name
        assert model.log_likelihood == pytest.approx(-best.fun, abs=1e-6)
    combined = {
        side: np.eye(9)[3 * table[f"a{side}"] + table[f"b{side}"]][:, 1:] for side in (1, 2)
    }
    best = minimize(negative, np.zeros(8), (combined[1] - combined[2], table["first"], link))
    assert scales.models["saturated"].log_likelihood == pytest.approx(-best.fun, abs=1e-4)
    more = 2 * (scales.models["saturated"].log_likelihood
                - scales.models["additive"].log_likelihood)
    assert scales.tests.set_index("model").loc["additive", "p"] == pytest.approx(chi2.sf(more, 4))


def test_bands_are_as_wide_as_the_errors():
    """Of the additive model, by the curvature of its likelihood."""
    table = judged(np.random.default_rng(4), 600, lambda a, b: 0.5 * a + 0.4 * b)
    scales = conjoint_scales(table, replicates=1000)
    curves = scales.curves().query("number > 1")
    half = ((curves["high"] - curves["low"]) / (2 * 1.96)).to_numpy()

    def code(levels: pd.Series) -> np.ndarray:
        return np.column_stack([levels == 1, levels == 2]).astype(float)

    design = np.hstack([code(table[f"{k}1"]) - code(table[f"{k}2"]) for k in "ab"])
    lead = design @ scales.models["additive"].values
    information = norm.pdf(lead) ** 2 / (norm.cdf(lead) * norm.cdf(-lead))
    errors = np.sqrt(np.diag(np.linalg.inv(design.T @ (information[:, None] * design))))
    assert half == pytest.approx(errors, rel=0.15)


def test_additive_observers_are_seldom_denied():
    told, enough = [], []
    for seed in range(30):
        table = judged(np.random.default_rng(seed), 240, lambda a, b: 0.8 * a + 0.5 * b)
        scales = conjoint_scales(table, replicates=2)
        told.append(scales.interaction is not None)
        enough.append(scales.is_enough)
    assert all(enough)
    assert np.mean(told) < 0.12
    few = judged(np.random.default_rng(0), 60, lambda a, b: 9.0 * a * b)
    few = conjoint_scales(few, replicates=2)
    assert not few.is_enough
    assert few.interaction is few.contributes("a") is None


def test_people_who_differ_are_not_taken_for_one_observer():
    """Each judges by a dimension of their own, so that together the contributions seem to add."""
    parts = [
        judged(np.random.default_rng(k), 240, value).assign(participant=f"p{k}")
        for k, value in enumerate((lambda a, b: 2.0 * a, lambda a, b: 2.0 * b))
    ]
    scales = conjoint_scales(pd.concat(parts, ignore_index=True), replicates=2)
    assert scales.n_people == 2
    assert scales.is_enough
    assert scales.interaction is scales.contributes("a") is scales.contributes("b") is None
    (said,) = conjoint_said(scales)
    assert said.startswith("No test is shown: it would take 2 participants for one")
    alone = conjoint_scales(parts[0], replicates=2)
    assert alone.contributes("a") < 1e-3


def test_a_wrong_answer_is_named_by_its_row():
    with pytest.raises(DataError, match=r"row 3.*'7' is neither 1 nor 0"):
        read_conjoint(b"a1,a2,b1,b2,resp\n1,2,1,2,1\n2,1,1,2,7\n" + 4 * b"2,1,2,1,0\n", "some.csv")


def test_a_dimension_of_no_account_is_seldom_told():
    told = [
        conjoint_scales(
            judged(np.random.default_rng(seed), 240, lambda a, b: 0.8 * a), replicates=2
        ).contributes("b") is not None for seed in range(30)
    ]
    assert np.mean(told) < 0.12


def test_interactions_and_three_dimensions_are_found():
    table = judged(np.random.default_rng(1), 600, lambda a, b: 1.2 * a * b)
    scales = conjoint_scales(table, replicates=20)
    assert scales.interaction < 1e-3
    assert scales.contributes("a") < 1e-3
    rng = np.random.default_rng(2)
    table["c1"], table["c2"] = rng.choice(["x", "y"], (2, len(table)))
    scales = conjoint_scales(table, replicates=20)
    assert scales.levels["c"] == ["x", "y"]
    assert len(scales.surface) == 18
    assert scales.contributes("a") is None  # the nested tests do not say it of one of three
    again = conjoint_scales(table, replicates=20)
    assert again.curves().equals(scales.curves())


@pytest.mark.parametrize("change", ["c1", "a2", "participant", "first"])
def test_a_fit_has_its_comparisons_and_says_what_the_function_says(change):
    table = judged(np.random.default_rng(5), 300, lambda a, b: a + 0.5 * b)
    table["c1"], table["c2"] = np.random.default_rng(2).choice(["x", "NA", '"y'], (2, 300))
    table["participant"] = np.repeat(["p", "q"], 150)
    given = ConjointComparisons(table, "some.csv")
    fitted = run("fit", MLCM(replicates=5, link="logit"), given).fitted()
    alone = conjoint_scales(table, link="logit", replicates=5)
    assert fitted.scales.curves().equals(alone.curves())
    assert fitted.scales.tests.equals(alone.tests)
    assert fitted.scales.surface.equals(alone.surface)
    assert fitted.scales.n_people == 2
    assert fitted.comparisons.notes == given.notes, "nothing that only this fit has found"
    for again in (fitted.comparisons, ConjointComparisons(given.table)):
        assert again.fingerprint_of() == given.fingerprint_of()
    other = table.copy()
    other.loc[0, change] = other.loc[other[change] != other.loc[0, change], change].iloc[0]
    assert ConjointComparisons(other).fingerprint_of() != given.fingerprint_of()


def test_what_a_fit_has_found_is_not_said_of_the_next():
    table = pd.DataFrame({"a1": [1, 2, 3] * 20, "a2": [3, 1, 2] * 20,
                          "b1": [1, 1, 2, 2] * 15, "b2": [2, 1, 1, 2] * 15})
    table["first"] = (table["a1"] > table["a2"]).astype(int)  # which no number is too large for
    given, said = ConjointComparisons(table), []
    for link in ("probit", "logit", "probit"):
        fitted = MLCM(replicates=2, link=link).fit(given)
        said.append(len(fitted.scales.notes))
        given = fitted.comparisons
    assert said[0] > 0
    assert said == said[:1] * 3


def test_what_cannot_be_scaled_is_refused():
    table = judged(np.random.default_rng(0), 50, lambda a, b: a + b)
    with pytest.raises(DataError, match="two dimensions"):
        conjoint_scales(table.drop(columns="b2"))
    with pytest.raises(DataError, match="A has 1 levels"):
        conjoint_scales(table.assign(a1=1, a2=1))
    with pytest.raises(DataError, match="neither 1 nor 0"):
        conjoint_scales(table.assign(first=2))
    with pytest.raises(DataError, match="not those of conjoint measurement"):
        read_conjoint(b"a,b,c\n1,2,3\n")
    certain = table.assign(first=(table.a1 + table.b1 > table.a2 + table.b2).astype(int))
    certain = certain[certain.a1 + certain.b1 != certain.a2 + certain.b2]
    assert any("infinite" in note for note in conjoint_scales(certain, replicates=2).notes)
