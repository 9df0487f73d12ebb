"""Scales of paired preferences."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from scipy.stats import norm
from sklearn.linear_model import LogisticRegression

from tripletscope.core.data.errors import DataError
from tripletscope.core.engine.progress import Stopped
from tripletscope.core.ratings import paired_preferences
from tripletscope.core.ratings.preferences import _Fit

VALUES = np.array([-1.0, -0.5, 0.0, 0.3, 1.2])


def preferences(
    comparisons: int, seed: int, model: str = "bradley_terry", ties: float = 0.0,
    people: int = 0, differ: float = 0.0,
) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    first, second = rng.permuted(
        np.tile(np.arange(5), (comparisons, 1)), axis=1)[:, :2].T
    who = rng.integers(max(people, 1), size=comparisons)
    own = VALUES + rng.normal(0, differ, (max(people, 1), 5))
    lead = own[who, first] - own[who, second]
    if model == "thurstone":
        seen = lead + rng.normal(size=comparisons)
        tie, wins = np.abs(seen) < ties, seen > 0
    else:
        weight = np.exp(np.column_stack([lead / 2, -lead / 2]))
        even = np.full(comparisons, ties)
        chance = np.column_stack([weight, even]) / (weight.sum(axis=1) + even)[:, None]
        told = (rng.random(comparisons)[:, None] > np.cumsum(chance, axis=1)).sum(axis=1)
        tie, wins = told == 2, told == 0
    found = pd.DataFrame({
        "winner": np.where(wins, first, second), "loser": np.where(wins, second, first),
        "tie": tie,
    }).astype({"winner": str, "loser": str})
    return found.assign(participant=[f"p{k}" for k in who]) if people else found


def test_it_is_logistic_regression_without_an_intercept():
    table = preferences(600, 0)
    scale = paired_preferences(table, prior=0, replicates=2)
    design = np.zeros((600, 5))
    design[np.arange(600), table["winner"].astype(int)] = 1
    design[np.arange(600), table["loser"].astype(int)] = -1
    turned = np.where(np.arange(600) % 2, 1, -1)
    fitted = LogisticRegression(C=1e9, fit_intercept=False, tol=1e-10).fit(
        design * turned[:, None], turned)
    assert np.allclose(scale.values, fitted.coef_[0] - fitted.coef_[0].mean(), atol=1e-3)
    assert scale.probability("4", "0") == pytest.approx(expit(scale.values[4] - scale.values[0]))
    assert scale.table["object"].tolist() == ["4", "3", "2", "1", "0"]


@pytest.mark.parametrize(("model", "ties"), [
    ("bradley_terry", 0.0), ("bradley_terry", 0.6), ("thurstone", 0.0), ("thurstone", 0.4),
])
def test_planted_values_come_back(model, ties):
    scale = paired_preferences(preferences(40_000, 1, model, ties), model=model, replicates=20)
    assert np.allclose(scale.values, VALUES - VALUES.mean(), atol=0.06)
    if ties:
        assert scale.tie == pytest.approx(ties, abs=0.03)
    else:
        assert scale.tie is None
    assert scale.p_value > 0.04
    lead = scale.values[4] - scale.values[1]
    if not ties:
        right = expit(lead) if model == "bradley_terry" else norm.cdf(lead)
        assert scale.probability("4", "1") == pytest.approx(right)


@pytest.mark.parametrize("people", [0, 15])
def test_intervals_hold_the_truth(people):
    held = []
    for seed in range(12):
        table = preferences(600, seed, people=people, differ=0.5 if people else 0.0)
        scale = paired_preferences(table, replicates=40, seed=seed)
        # The values of people who differ are closer than those of each: logits of mean shares.
        right = (VALUES - VALUES.mean()) * (0.92 if people else 1.0)
        held.append((scale.low <= right) & (right <= scale.high))
    assert scale.unit == ("participants" if people else "answers")
    assert np.mean(held) > 0.85


def test_misfit_is_seen():
    """Preferences in a circle, of which no scale can tell."""
    cycle = pd.DataFrame({"winner": list("abc"), "loser": list("bca"), "count": [30, 30, 30]})
    back = cycle.rename(columns={"winner": "loser", "loser": "winner"}).assign(count=10)
    scale = paired_preferences(pd.concat([cycle, back]), replicates=100)
    assert np.allclose(scale.values, 0, atol=1e-4)
    assert (scale.degrees, scale.p_value) == (1, pytest.approx(1 / 101))
    assert scale.denies_one_scale
    assert scale.deviance == pytest.approx(2 * 3 * (30 * np.log(1.5) + 10 * np.log(0.5)))


def test_one_scale_is_seldom_denied():
    denied = []
    for seed in range(10):
        table = preferences(300, seed)
        denied.append(paired_preferences(table, replicates=60).denies_one_scale)
    assert sum(denied) <= 1


def test_few_and_odd_preferences():
    always = pd.DataFrame({"winner": list("aab"), "loser": list("bcc")})
    with pytest.raises(DataError, match="always preferred"):
        paired_preferences(always, prior=0)
    scale = paired_preferences(always, replicates=5)
    assert scale.table["object"].tolist() == ["a", "b", "c"]
    assert "only the prior limits" in scale.notes[0]
    with pytest.raises(DataError, match="A and c were never compared"):
        paired_preferences(pd.DataFrame({"winner": list("ac"), "loser": list("bd")}))
    with pytest.raises(DataError, match="row 1: b is compared with itself"):
        paired_preferences(pd.DataFrame({"winner": list("ab"), "loser": list("bb")}))
    with pytest.raises(DataError, match=r"row 0: 1.5 is no count"):
        paired_preferences(pd.DataFrame({"winner": ["a"], "loser": ["b"], "count": [1.5]}))
    with pytest.raises(ValueError, match="model is 'x'"):
        paired_preferences(always, model="x")
    with pytest.raises(Stopped):
        paired_preferences(always, progress=lambda *_, **__: True)


def test_unanimous_people_leave_uncertain_how_far_objects_are_apart():
    rows = [("a", "b"), ("b", "c"), ("a", "c")]
    table = pd.DataFrame([
        {"winner": one, "loser": other, "participant": f"p{k}"}
        for k in range(10) for one, other in rows
    ])
    for model in ("bradley_terry", "thurstone"):
        scale = paired_preferences(table, model=model, replicates=20)
        fewer = paired_preferences(table.head(9), model=model, replicates=20)
        assert (scale.high - scale.low > 1).all()
        assert (fewer.high - fewer.low > scale.high - scale.low).all()
        assert (scale.standard_error > 0.2).all()


def test_errors_of_the_posterior_are_those_of_resamples_where_there_are_answers():
    for model, ties in (("bradley_terry", 0.6), ("thurstone", 0.4), ("thurstone", 0.0)):
        scale = paired_preferences(preferences(3000, 1, model, ties), model=model, replicates=200)
        fit = _Fit(model, 0.1, scale.tie is not None)
        compared = scale.wins + scale.wins.T + scale.ties
        found = fit.errors(compared, scale.values, scale.tie or 0.0)
        assert np.allclose(found, scale.standard_error, rtol=0.2)


def test_ties_are_true_or_false():
    table = pd.DataFrame({"winner": ["a", "b", "a"], "loser": ["b", "a", "b"]})
    found = paired_preferences(table.assign(tie=[1.0, 0.0, np.nan]), replicates=2)
    assert found.ties[0, 1] == 1
    with pytest.raises(DataError, match="'false' in column tie is neither"):
        paired_preferences(table.assign(tie=["false", "true", "false"]), replicates=2)
    with pytest.raises(DataError, match=r"no object in column loser"):
        paired_preferences(table.assign(loser=["b", None, "b"]), replicates=2)
