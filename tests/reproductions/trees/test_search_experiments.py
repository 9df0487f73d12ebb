"""Figures of the tree chapter: what is measured, and verdicts of tables made by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tripletscope.core.engine.progress import Stopped
from tripletscope.core.trees import ComparisonTree
from tripletscope.reproductions.item import DOES_NOT_HOLD, HOLDS, HOLDS_WITH_THEIRS
from tripletscope.reproductions.registry import items
from tripletscope.reproductions.trees import covers, expansion, misses
from tripletscope.reproductions.trees.projection import KDTree, RPTree
from tripletscope.reproductions.trees.samples import indicators
from tripletscope.reproductions.trees.sharing import nearest_pairs, shared_sizes

RNG = np.random.default_rng(4)
POINTS, QUERIES = RNG.normal(size=(300, 3)), RNG.normal(size=(60, 3))


@pytest.mark.parametrize(
    "tree", [ComparisonTree(), RPTree(), KDTree(), KDTree(coordinate="random")]
)
def test_one_tree_tells_of_larger_leaves(tree):
    pairs = nearest_pairs(POINTS, QUERIES)
    nearest = pairs[1][np.argsort(pairs[0])]
    shared = shared_sizes(tree.set_params(leaf_size=8).fit(POINTS), QUERIES, pairs)
    # The same seed gives the same tree, only that it ends earlier.
    larger = shared_sizes(tree.set_params(leaf_size=64).fit(POINTS), QUERIES, pairs)
    assert np.array_equal(shared > 64, larger > 64)
    if isinstance(tree, ComparisonTree):
        found = tree.set_params(leaf_size=8).fit(POINTS).kneighbors(QUERIES).found[:, 0]
        assert np.array_equal(shared > 8, found != nearest)


def test_several_nearest_neighbours_are_as_good():
    points = np.repeat([[0.0], [10.0]], 2, axis=0)
    query, neighbour = nearest_pairs(points, np.array([[1.0]]))
    assert (query.tolist(), neighbour.tolist()) == ([0, 0], [0, 1])
    tree = ComparisonTree(leaf_size=1).fit(points)
    assert shared_sizes(tree, np.array([[1.0]]), (query, neighbour)) == 0


def test_indicators_measure_mismatches():
    points = RNG.integers(0, 4, (20, 6))
    square = ((indicators(points)[:, None] - indicators(points)) ** 2).sum(axis=2)
    assert np.array_equal(square, 2 * (points[:, None] != points).sum(axis=2))


def _misses(rates: dict[str, float], sets=("Digits", "MNIST")) -> pd.DataFrame:
    return pd.DataFrame([
        {"kind": "repetition", "data": name, "tree": kind, "repeat": repeat,
         "missed": rate + 0.01 * (repeat % 2)}
        for kind, rate in rates.items() for name in sets for repeat in range(5)
    ])


@pytest.mark.parametrize(
    ("widest", "rp", "pa", "verdict"),
    [(0.7, 0.8, 0.46, HOLDS), (0.4, 0.8, 0.46, HOLDS_WITH_THEIRS), (0.7, 0.4, 0.46, DOES_NOT_HOLD),
     (0.7, 0.8, 0.44, DOES_NOT_HOLD)],
)
def test_verdict_on_misses(widest, rp, pa, verdict):
    rates = {misses.OURS: 0.5, misses.KD_RANDOM: 0.9, misses.KD_WIDEST: widest, misses.RP: rp,
             misses.PA: pa}
    check = items()["thesis-figure-2.1"].check
    assert check(_misses(rates)).shows == verdict
    # On every data set.
    other = _misses({**rates, misses.RP: 0.5}, sets=("Wine",))
    assert check(pd.concat([_misses(rates), other])).shows == DOES_NOT_HOLD


def test_misses_of_digits():
    settings = items()["thesis-figure-2.1"].settings(quick=True) | {
        "leaf_sizes": (32, 256), "n_objects": 600, "n_queries": 100, "repeats": 2,
    }
    table = misses.misses(seed=1, **settings)
    rate = table[table["kind"] == "mean"].pivot_table("missed", "tree", "leaf_size")
    each = table[table["kind"] == "repetition"].groupby("tree")["missed"].mean()
    assert each.to_dict() == pytest.approx(rate.mean(axis=1).to_dict())
    assert (rate[32] > rate[256]).all()
    assert rate.loc[misses.KD_RANDOM, 32] > rate.loc[misses.OURS, 32]
    assert table.equals(misses.misses(seed=1, **settings))
    with pytest.raises(Stopped):
        misses.misses(seed=1, progress=lambda *r, **d: True, **settings)


def _costs(times: float, gain: float = 0.1) -> pd.DataFrame:
    rows = [{"kind": "compared", "data": "Chess", "times": t} for t in (times, 2 * times)]
    rows.append({"kind": "paired", "data": "Chess", "gain": gain, "error": 0.01, "queries": 100})
    return pd.DataFrame(rows)


def test_verdict_on_costs():
    check = items()["thesis-figure-2.2"].check
    assert check(_costs(100)).shows == HOLDS
    assert check(_costs(99)).shows == DOES_NOT_HOLD
    assert check(_costs(100, gain=0.0)).shows == DOES_NOT_HOLD


def test_trees_are_compared_at_equal_cost():
    excess = [np.full(4, value) for value in (0.4, 0.2, 0.1)]
    ours = [("n0", cost, build, own) for cost, build, own in zip(
        (10, 40, 160), (100.0, 50.0, 20.0), excess, strict=True
    )]
    cover = [("w", 20, 750.0, np.full(4, 0.25)), ("w", 1000, 1.0, np.zeros(4))]
    compared, paired = covers._compared("Digits", cover, ours)
    # Half the way, by the logarithm, from 10 to 40 questions.
    assert compared["times"] == pytest.approx(10.0)
    assert paired["gain"] == pytest.approx(0.05)


def test_rank_cover_trees_cost_more_to_build():
    table = covers.searches(
        sets=("digits",), coverages={"digits": (2, 4)}, leaf_sizes={"digits": (32, 256)},
        n_objects=700, n_queries=100,
    )
    build = table.groupby("tree")["to_build"]
    assert build.min()[covers.COVER] > 2 * build.max()[covers.COMPARISON]


def _rates(steep: float, other: float) -> pd.DataFrame:
    return pd.DataFrame(
        [(name, quartile, rate) for name, rate in ((expansion.STEEP[0], steep), ("Chess", other))
         for quartile in expansion.QUARTILES],
        columns=["data", "quartile", "rate"],
    )


def test_verdict_on_expansion():
    check = items()["thesis-figure-2.3"].check
    assert check(_rates(1000.0, 50.0)).shows == HOLDS
    assert check(_rates(200.0, 50.0)).shows == DOES_NOT_HOLD


def test_expansion_of_known_sets():
    # On an even line no ball holds more than three times as many.
    table = expansion.rates(sets=("line", "cube5"), n_objects=300, n_balls=50)
    largest = table[table["quartile"] == "largest"].set_index("data")["rate"]
    assert largest["Even line"] == 3
    assert largest["Five-cube"] > 10
