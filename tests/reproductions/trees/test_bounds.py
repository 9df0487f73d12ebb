"""Theorems of the tree chapter: measured beside their bounds, and verdicts of hand-made tables."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tripletscope.core.trees.quality import expansion_rates
from tripletscope.reproductions.item import DOES_NOT_HOLD, HOLDS
from tripletscope.reproductions.outcome import rebuild
from tripletscope.reproductions.registry import items
from tripletscope.reproductions.trees import growth, heights, neighbours, searching, splits
from tripletscope.reproductions.trees.samples import sample

SMALL = {
    "thesis-theorem-1": {"sizes": {"line": (128, 512), "digits": (150, 300)}, "n_trees": 4},
    "thesis-corollary-2": {"sizes": {"line": (128, 512), "digits": (150, 300)}, "n_trees": 4},
    "thesis-theorem-3": {"sets": {"line": 2**12, "digits": 400}, "leaf_sizes": (16, 256),
                         "n_trees": 2, "n_queries": 50},
    "thesis-remark-4": {"sets": {"square": 8, "cube": 8}, "n_objects": 1024,
                        "leaf_sizes": (8, 32, 128), "n_queries": 200},
    "thesis-lemma-5": {"sets": ("line", "square"), "n_objects": 100},
    "thesis-lemma-6": {"n_objects": 256, "n_trees": 20},
    "thesis-lemma-7": {"sizes": (50, 100), "n_queries": 20},
    "thesis-algorithm-1": {"leaf_sizes": (1, 16), "n_objects": 300},
    "thesis-algorithm-2": {"leaf_sizes": (1, 16), "n_objects": 300, "n_queries": 50},
}


@pytest.mark.parametrize("key", SMALL)
def test_small_runs_hold(key):
    item = items()[key]
    settings = {**item.settings(quick=True), **SMALL[key]}
    table = item.experiment(seed=2, **settings)
    assert item.check(table).shows == HOLDS
    assert table.equals(item.experiment(seed=2, **settings))


def test_questions_grow():
    table = growth.questions(sizes=(200, 300, 400), n_queries=50, repeats=(2, 2))
    build = table[table["what"] == growth.BUILD].pivot_table("questions", "n", "tree")
    assert (build.loc[400] > build.loc[200]).all()
    assert (build["Rank cover tree"] > 2 * build["Comparison tree"]).all()


def test_all_pairs_of_pivots():
    # Of four in a row: what is as near to both goes to the first of a pair.
    found = splits.smaller_shares(np.arange(4.0)[:, None])
    assert found.tolist() == [0.25, 0.5, 0.5, 0.25, 0.5, 0.25, 0.25, 0.5, 0.25, 0.5, 0.5, 0.25]


def test_the_strong_rate_of_an_even_line():
    points = sample("line", 12, np.random.default_rng(0))
    runs = [points[i:j] for i in range(12) for j in range(i + 1, 13)]
    largest = max(expansion_rates(np.abs(run - run.T)).max() for run in runs)
    assert largest == heights.strong_rate("line", points, []) == 3


def _levels(most: float, above: float, last: float = 3.0) -> pd.DataFrame:
    """Bounds and means that grow by 1 with the first doubling, and by `last` - 2 with the last."""
    rows = [
        {"data": "Digits", "n": n, "what": what, "curve": curve, "above": above,
         "value": value * (n if what == heights.BUILD else 1)}
        for n, mean in ((100, 1.0), (200, 2.0), (400, last))
        for what in (heights.HEIGHT, heights.BUILD, heights.QUERY)
        for curve, value in (
            (heights.MOST, most), ("mean", mean), (heights.BOUND, 50.0), (heights.ANYWAY, 40.0)
        )
    ]
    return pd.DataFrame(rows)


@pytest.mark.parametrize("key", ["thesis-theorem-1", "thesis-corollary-2"])
def test_verdict_on_bounds_of_height(key):
    check = items()[key].check
    assert check(_levels(10, 0.0)).shows == HOLDS
    assert check(_levels(60, 0.2)).shows == DOES_NOT_HOLD
    assert check(_levels(10, 0.0, last=5.0)).shows == DOES_NOT_HOLD
    assert "3 of 3" in check(_levels(10, 0.0)).why


def _growth(ours: float = 10.0, bend: float = 0.0) -> pd.DataFrame:
    """Questions that grow by one with each doubling; as log² n they would bend by 2 / 17."""
    return pd.DataFrame([
        {"tree": kind, "what": what, "n": n, "questions": questions + more, "spread": 0.0,
         "bend": bend, "bend_error": 0.02, "repeats": 20}
        for kind, questions in ((growth.OURS, ours), (growth.OTHER, 20.0))
        for what in (growth.BUILD, growth.QUERY) for n, more in ((256, 0), (512, 1))
    ])


@pytest.mark.parametrize(("table", "verdict"), [
    (_growth(), HOLDS), (_growth(bend=-1.0), HOLDS), (_growth(bend=0.01), HOLDS),
    (_growth(bend=2 / 17), DOES_NOT_HOLD), (_growth(ours=30.0), DOES_NOT_HOLD),
])
def test_verdict_on_growth(table, verdict):
    assert items()["thesis-table-2.1"].check(table).shows == verdict


def _curves(x: str, y: str, measured: float, bound: float, **further: float) -> pd.DataFrame:
    rows = [
        {"data": "Digits", "size": "half", x: place, "curve": curve, y: value, **further}
        for place in (15, 30) for curve, value in (("measured", measured), ("bound", bound))
    ]
    return pd.DataFrame(rows)


@pytest.mark.parametrize(
    ("check", "good", "bad"),
    [
        (neighbours._check_exact, _curves("leaf_size", "missed", 0.1, 0.2),
         _curves("leaf_size", "missed", 0.3, 0.2)),
        (neighbours._check_one_branch, _curves("n", "missed", 0.1, 0.2, most=0.5),
         _curves("n", "missed", 0.1, 0.2, most=1.2)),
        (splits._check_unbalanced,
         _curves("beta", "share", 0.1, 0.2).drop(columns="size"),
         _curves("beta", "share", 0.3, 0.2).drop(columns="size")),
    ],
)
def test_verdicts_beside_bounds(check, good, bad):
    assert check(good).shows == HOLDS
    assert check(bad).shows == DOES_NOT_HOLD


@pytest.mark.parametrize(("left", "bound", "verdict"), [
    ((0.5, 0.0), 0.6, HOLDS), ((0.5, 0.2), 0.6, DOES_NOT_HOLD), ((0.9, 0.0), 0.6, DOES_NOT_HOLD),
])
def test_verdict_on_sizes_by_depth(left, bound, verdict):
    table = pd.DataFrame([
        {"size": "half", "depth": depth, "curve": curve, "share": share}
        for depth, measured in ((1, 1.0), (2, left[0]), (30, left[1]))
        for curve, share in (("measured", measured), ("bound", 1.0 if depth == 1 else bound))
    ])
    assert splits._check_sizes(table).shows == verdict


@pytest.mark.parametrize(("beyond", "verdict"), [(-0.1, HOLDS), (0.0, DOES_NOT_HOLD)])
def test_verdict_on_dimensions(beyond, verdict):
    table = pd.DataFrame({
        "data": ["Square", "Cube"], "dimension": 2.0, "beyond": [-0.2, beyond], "error": 0.02,
        "repeats": 20, "leaf_size": 512, "curve": neighbours.MEASURED, "missed": 0.1,
    })
    assert items()["thesis-remark-4"].check(table).shows == verdict


def test_verdicts_on_algorithms():
    grown = pd.DataFrame({
        "leaf_size": 16, "questions are": [searching.DEFINED, searching.COUNTED],
        "questions": [1000, 1002], "misplaced": 0, "largest_leaf": 16,
    })
    check = items()["thesis-algorithm-1"].check
    assert check(grown).shows == HOLDS
    for wrong in ({"misplaced": 1}, {"largest_leaf": 17}, {"questions": [1000, 1200]}):
        assert check(grown.assign(**wrong)).shows == DOES_NOT_HOLD
    searched = pd.DataFrame({
        "leaf_size": 16, "questions are": [searching.DEFINED, searching.COUNTED],
        "questions": [20.0, 20.0], "wrong": 0, "differ": 0, "most": [30, 25],
    })
    check = items()["thesis-algorithm-2"].check
    assert check(searched).shows == HOLDS
    for wrong in ({"wrong": 1}, {"differ": 1}, {"most": [30, 31]}):
        assert check(searched.assign(**wrong)).shows == DOES_NOT_HOLD


def test_algorithms_go_on_with_answers_about_digits():
    answers = searching.digit_answers()
    assert (answers.n_objects, len(answers)) == (100, 20_000)


def test_counting_what_crowds_around_a_query():
    apart = np.array([[0.5, 1.0, 1.5, 2.0, 4.0]])
    # Within twice 0.5 beyond the object at 1: those at 1, 1.5 and 2.
    assert neighbours.crowding(apart).tolist() == [3]


def test_quick_runs_are_kept_as_tables():
    outcome = rebuild("thesis-lemma-7", quick=True)
    assert outcome.observations[0].shows == HOLDS
