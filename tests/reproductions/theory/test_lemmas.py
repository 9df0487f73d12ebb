"""Lemmas and figures of the proof: what is tried, and verdicts of tables made by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tripletscope.reproductions.item import DOES_NOT_HOLD, HOLDS
from tripletscope.reproductions.registry import items
from tripletscope.reproductions.theory import annuli, constructions, cuts, drawing, lemmas, shapes

RNG = np.random.default_rng(6)
SUPPLEMENT = "forests-supplement"
#: What small runs of each item say.
SMALL = {
    "lemma-2.1": ({"kinds": ("cube 1", "cell"), "n_cells": 1, "n_cuts": 1000}, HOLDS),
    "lemma-2.2": ({"kinds": ("cube 2", "cell"), "n_cells": 1, "n_cuts": 1000}, HOLDS),
    "lemma-2.3": ({"step": 0.1}, HOLDS),
    "lemma-2.4": ({"step": 0.05}, HOLDS),
    "lemma-2.5": ({"radii": (0.1,)}, HOLDS),
    "lemma-2.6": ({"ratios": (12, 100)}, DOES_NOT_HOLD),
    "remark-2.1": ({"n_objects": 80, "n_pairs": 50}, HOLDS),
    "figure-1": ({"step": 0.09}, HOLDS),
    "figure-2": ({"step": 0.02}, HOLDS),
    "figure-3": ({"step": 0.02}, HOLDS),
    "figure-7": ({"step": 0.02}, HOLDS),
    "figure-8": ({"step": 0.02}, DOES_NOT_HOLD),
}


@pytest.mark.parametrize("key", SMALL)
def test_small_runs(key):
    small, verdict = SMALL[key]
    item = items()[f"{SUPPLEMENT}-{key}"]
    settings = {**item.settings(quick=True), **small}
    table = item.experiment(seed=1, **settings)
    assert item.check(table).shows == verdict
    assert table.equals(item.experiment(seed=1, **settings))
    assert table.equals(item.experiment(seed=2, **settings)) == item.exact


def test_nearest_points_of_the_cell():
    inside, beside = np.array([0.5, 0.4]), np.array([0.55, -0.5])
    near = constructions.nearest_of_cell(np.array([inside, beside]))
    assert near[0].tolist() == inside.tolist()
    edge = np.linspace(constructions.CELL, np.roll(constructions.CELL, -1, axis=0), 2000)
    least = np.linalg.norm(edge - beside, axis=2).min()
    assert np.linalg.norm(near[1] - beside) == pytest.approx(least, abs=1e-4)


def test_heights_over_planes():
    x, y, centre = RNG.normal(size=(3, 1, 4))
    height = cuts.heights(centre, x, y)[0, 0]
    foot = centre - height * (x - y) / np.linalg.norm(x - y)
    assert np.linalg.norm(foot - x) == pytest.approx(np.linalg.norm(foot - y))
    assert (height > 0) == (np.linalg.norm(centre - x) < np.linalg.norm(centre - y))


def test_widths_of_intersections():
    x, apart = RNG.random((20, 2)), np.full(20, 0.8)
    points = 6 * RNG.random((200_000, 2)) - (2, 3)
    for place, (left, right) in enumerate(annuli.ends(x, apart, 0.1)):
        inner, outer, inner_2, outer_2 = annuli.radii(x, apart, 0.1)[place]
        one, two = np.linalg.norm(points, axis=1), np.linalg.norm(points - (0.8, 0), axis=1)
        inside = points[(inner <= one) & (one <= outer) & (inner_2 <= two) & (two <= outer_2), 0]
        assert left <= inside.min() < left + 0.1
        assert right >= inside.max() > right - 0.1


def test_reflections_are_the_other_pivots_of_tangents():
    x, centre = np.array([0.7, 0.2]), np.array([0.1, -0.3])
    images = drawing.reflections(x, centre, 0.2)
    height = [cuts.heights(centre[None], x[None], y[None])[0, 0] for y in images]
    assert np.abs(height) == pytest.approx(0.2)


def test_examples_are_of_their_cases():
    places = np.array(list(shapes.EXAMPLES.values()))
    assert annuli.cases(places, np.ones(4), shapes.RADIUS).tolist() == [0, 1, 2, 3]


def _cuts(good: float, bad: float) -> pd.DataFrame:
    rows = [("cube 1", 50, about, curve, share) for about, curve, share in (
        (cuts.GOOD, cuts.GOOD, good), (cuts.GOOD, cuts.LEAST, 0.2),
        (cuts.BAD, cuts.BAD, bad), (cuts.BAD, cuts.MOST, 0.3),
    )]
    return pd.DataFrame(rows, columns=["cell", "ratio", "about", "curve", "share"])


def test_bounds_of_cuts():
    # As c grows, 2 (1/4)^2 in one dimension; and 64 d / c bounds bad cuts for c > 15.
    good, bad = cuts.bounds("cube 1", "even density", 1e9)
    assert good == pytest.approx(2 / 16)
    assert cuts.bounds("cube 3", "even density", 16)[1] <= 64 * 3 / 16
    sloping = cuts.bounds("cube 1", "sloping density", 1e9)
    assert (sloping[0], sloping[1]) == pytest.approx((good / 3, 3 * bad))


@pytest.mark.parametrize(
    ("key", "good", "bad"),
    [
        ("lemma-2.1", _cuts(0.4, 0.1), _cuts(0.1, 0.1)),
        ("lemma-2.2", _cuts(0.4, 0.1), _cuts(0.4, 0.5)),
        ("lemma-2.6",
         pd.DataFrame({"where": [lemmas.INSIDE, lemmas.BESIDE, lemmas.REPAIRED],
                       "ratio": 20, "share": [0.9, 0.9, 0.8]}),
         pd.DataFrame({"where": [lemmas.INSIDE, lemmas.BESIDE, lemmas.REPAIRED],
                       "ratio": 20, "share": [0.9, 1.2, 0.8]})),
        ("remark-2.1",
         pd.DataFrame({"distance": ["Euclidean", lemmas.NO_METRIC], "wrong": [0.0, 0.5]}),
         pd.DataFrame({"distance": ["Euclidean", lemmas.NO_METRIC], "wrong": [0.1, 0.5]})),
    ],
)
def test_verdicts_on_lemmas(key, good, bad):
    check = items()[f"{SUPPLEMENT}-{key}"].check
    assert check(good).shows == HOLDS
    assert check(bad).shows == DOES_NOT_HOLD


_SHARES = dict.fromkeys((("", name) for name in annuli.CASES), 0.25)
_OFF = {("Case II", name): 0.2 for name in ("width", "as printed", "corrected")}
_CONES = {("", "points of A"): 9, ("", "outside of both sectors"): 0,
          ("", "of γ in Π, outside of A"): 0}
_BROUGHT = {("", "balls"): 2, ("", "in A and a ball"): 9}
_PAIRS = {("", "pairs"): 9, ("", "most"): 1.0}


@pytest.mark.parametrize(
    ("place", "good", "bad"),
    [
        ("figure-2", _CONES, _CONES | {("", "outside of both sectors"): 1}),
        ("figure-2", _CONES, _CONES | {("", "of γ in Π, outside of A"): 1}),
        ("figure-3", {("", "B_x"): 1, ("", "annuli"): 2, ("", "outside"): 0},
         {("", "B_x"): 1, ("", "annuli"): 2, ("", "outside"): 1}),
        ("lemma-2.3", _BROUGHT | {("", "outside of β"): 0}, _BROUGHT | {("", "outside of β"): 1}),
        ("lemma-2.4", _PAIRS | {("", "least"): -0.9}, _PAIRS | {("", "least"): -1.1}),
        ("lemma-2.5", {("r = 1", "within 1 ρ"): 0, ("r = 1", "within 1.5 ρ"): 0.1},
         {("r = 1", "within 1 ρ"): 0.1, ("r = 1", "within 1.5 ρ"): 0.1}),
        ("figure-7", _SHARES | {("", "same"): 1}, _SHARES | {("", "same"): 0.9}),
        ("figure-8", _OFF | {("Case II", "as printed"): 0.0}, _OFF),
    ],
)
def test_verdicts_on_figures(place, good, bad):
    check = items()[f"{SUPPLEMENT}-{place}"].check
    piece = [("", "cell A", constructions.CELL)]
    assert check(drawing.table_of(piece, good)).shows == HOLDS
    assert check(drawing.table_of(piece, bad)).shows == DOES_NOT_HOLD


def _two_balls(good: float, bad: float, share: float = 0.6) -> pd.DataFrame:
    """Balls around (0, 0) and (4, 0), an upright good cut at `good`, a level bad one at `bad`."""
    return drawing.table_of(
        [("", "balls", drawing.circle((0, 0), 1)), ("", "balls", drawing.circle((4, 0), 1)),
         ("", "good cut", np.array([[good, -9], [good, 9]])),
         ("", "bad cut", np.array([[-9, bad], [9, bad]]))],
        {("", "good cuts"): share, ("", "bad cuts"): 0.1},
    )


@pytest.mark.parametrize(
    ("given", "verdict"),
    [((2.0, 0.0), HOLDS), ((0.5, 0.0), DOES_NOT_HOLD), ((9.0, 0.0), DOES_NOT_HOLD),
     ((2.0, 3.0), DOES_NOT_HOLD), ((2.0, 0.0, 0.05), DOES_NOT_HOLD)],
)
def test_cuts_are_judged_as_they_are_drawn(given, verdict):
    assert items()[f"{SUPPLEMENT}-figure-1"].check(_two_balls(*given)).shows == verdict


def test_one_card_has_a_lemma_with_its_figure():
    also = {place for item in items().values() for place in item.also}
    assert {"thesis-lemma-17", "thesis-figure-3.9", "forests-supplement-figure-4"} <= also
