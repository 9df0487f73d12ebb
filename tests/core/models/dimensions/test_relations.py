"""Dimensions against columns of the objects: known truths, and intervals that cover them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from tripletscope.core.models.dimensions.relations import category_table, rank_correlation


def test_rank_correlation_is_spearmans_and_leaves_out_what_is_missing():
    weights = np.array([0.0, 1, 2, 3, 4, np.nan])
    r, low, high, n = rank_correlation(weights, np.array([1.0, 10, 100, 1e4, 1e3, 5]))
    assert (round(r, 6), n) == (0.9, 5)
    assert low < r < high <= 1
    assert np.isnan(rank_correlation(weights, np.ones(6))[0])


@pytest.mark.parametrize(("members", "others", "apart"), [(20, 20, 2.0), (10, 200, 1.0)])
def test_intervals_of_categories_cover(members, others, apart):
    rng = np.random.default_rng(1)
    truth, covered = norm.cdf(apart / np.sqrt(2)), 0
    names = pd.Series(["a"] * members + ["b"] * others)
    for _ in range(200):
        weights = np.concatenate([rng.normal(apart, 1, members), rng.normal(0, 1, others)])
        row = category_table(weights, names).set_index("category").loc["a"]
        covered += row["low"] <= truth <= row["high"]
    assert covered >= 180


def test_intervals_of_rank_correlations_cover():
    rng = np.random.default_rng(2)
    covered = 0
    for _ in range(200):
        x = rng.normal(size=60)
        y = 0.6 * x + 0.8 * rng.normal(size=60)
        _, low, high, _ = rank_correlation(np.exp(x), y)
        covered += low <= 6 / np.pi * np.arcsin(0.3) <= high
    assert 182 <= covered <= 199


def test_the_category_that_stands_out_comes_first():
    weights = np.array([3.0, 2, 2.5, 0, 0, 0, 0.1, 0.2, 1])
    names = pd.Series(["top"] * 3 + ["low"] * 4 + ["few", None])
    table = category_table(weights, names)
    assert table["category"].tolist() == ["top", "low", "few"]
    assert table.loc[0, "auc"] == 1
    assert table.loc[0, "low"] == pytest.approx(0.025 ** (1 / 3)), "three of three"
    assert np.isnan(table.loc[2, "auc"])
    assert table["objects"].sum() == 8


def test_no_interval_where_nothing_varies():
    r, low, high, n = rank_correlation(np.arange(4.0), np.arange(4.0) ** 2)
    assert (r, n) == (1, 4)
    assert np.isnan([low, high]).all()
    table = category_table(np.zeros(8), pd.Series(["a"] * 4 + ["b"] * 4))
    assert table[["auc", "low", "high"]].isna().all(axis=None)
