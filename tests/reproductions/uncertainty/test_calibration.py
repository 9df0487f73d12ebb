"""Figures 2, 7 and 9: what is measured, and what the checks make of it."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest

from tripletscope.core.engine.progress import Stopped
from tripletscope.core.models.embedding import STE
from tripletscope.reproductions.item import DOES_NOT_HOLD, HOLDS, HOLDS_WITH_THEIRS
from tripletscope.reproductions.registry import items
from tripletscope.reproductions.uncertainty.calibration import (
    ANSWERS,
    ERROR,
    NOISE,
    UNCERTAINTY,
    noisy_answers,
)
from tripletscope.reproductions.uncertainty.dimension import AVERAGE, LOSS, by_dimension, digits_in
from tripletscope.reproductions.uncertainty.published import (
    BOOTSTRAP,
    DRAWS,
    LONG_CHAINS,
    SHORT_CHAIN,
    n_comparisons,
    share_of_answers,
)

FIGURE_2, FIGURE_7, FIGURE_9 = (items()[f"uncertainty-figure-{n}"] for n in (2, 7, 9))


def dimension_rows(true: int, least: int, later: float = 0.02) -> list[dict]:
    rows = []
    for d in range(1, 6):
        for quantity, curve, y in (
            (AVERAGE, f"STE, {BOOTSTRAP}", 0.05 + 0.01 * abs(d - least)),
            (AVERAGE, f"STE, {SHORT_CHAIN}", 0.04 if d < true else 0.02 if d == true else later),
            (LOSS, "STE, map", 1.0 / d),
        ):
            rows.append({
                "part": "dimension", "quantity": quantity, "curve": curve, "true": true, "x": d,
                "y": y, "spread": 0.001, "repeats": 5, "least": 5 * (d == least),
            })
    return rows


def curves(boot: float = 0.4, long: float = 0.2, methods: tuple[str, ...] = ("ste",)) -> list[dict]:
    """Curves that fall with answers and rise with noise, from and to such values."""
    rows = []
    at = {BOOTSTRAP: (boot, 0.05), SHORT_CHAIN: (0.1, 0.01), LONG_CHAINS: (long, 0.01),
          "map": (0.3, 0.0)}
    for method, (source, (few, many)) in product(methods, at.items()):
        quantity = ERROR if source == "map" else UNCERTAINTY
        for part, values in ((ANSWERS, (few, many)), (NOISE, (few, 0.49))):
            rows += [
                {"part": part, "quantity": quantity, "method": method, "source": source,
                 "x": x, "y": y, "spread": 0.01, "repeats": 5, "rhat": np.nan}
                for x, y in enumerate(values, 1)
            ]
    return rows


def test_the_settings_are_the_papers():
    assert n_comparisons(50) == 58_800
    truth = np.random.default_rng(0).normal(size=(50, 2))
    assert len(share_of_answers(truth, 0.01, 0.0, 0)) == 588
    points = digits_in("digits", 3, 0)
    assert points.shape == (50, 3)
    assert not np.array_equal(points, digits_in("digits", 3, 1))


def test_the_published_chain_is_worth_few_maps_and_surer_than_long_ones():
    answers = noisy_answers()
    short, long = (DRAWS[s](STE(), answers, 0) for s in (SHORT_CHAIN, LONG_CHAINS))
    assert len(short.embeddings) == 500
    assert short.effective < 50
    assert short.average_uncertainty < long.average_uncertainty


def test_curves_of_figure_9_repeat_themselves_and_stop():
    settings = {"shares": (0.01,), "noises": (1.0,), "share": 0.01, "repeats": 1}
    found = FIGURE_9.experiment(**settings)
    assert found.equals(FIGURE_9.experiment(**settings))
    assert set(found["source"]) == {"map", BOOTSTRAP, SHORT_CHAIN}
    assert SHORT_CHAIN not in set(found[found["method"] == "gnmds"]["source"])
    with pytest.raises(Stopped):
        FIGURE_9.experiment(**settings, progress=lambda fraction, **_: True)


def test_figure_7_has_a_row_for_each_dimension():
    table = by_dimension(data="digits", true=(2,), most=2, repeats=2)
    assert table.groupby("curve")["x"].apply(list).map(sorted).tolist() == [[1, 2]] * 3
    assert (table.groupby("curve")["least"].sum() == 2).all()


@pytest.mark.parametrize(("least", "verdict"), [(3, HOLDS), (2, DOES_NOT_HOLD)])
def test_figure_7_holds_where_the_least_is_at_the_true_dimension(least, verdict):
    found = FIGURE_7.check(pd.DataFrame(dimension_rows(3, least)))
    assert found.shows == verdict
    assert f"least at {least} " in found.ours


@pytest.mark.parametrize(
    ("settings", "least", "verdict"),
    [
        ({}, 3, HOLDS), ({"long": 0.45}, 3, HOLDS_WITH_THEIRS), ({"boot": 0.05}, 3, DOES_NOT_HOLD),
        ({}, 2, DOES_NOT_HOLD),
    ],
)
def test_figure_2_asks_which_is_the_more_cautious(settings, least, verdict):
    table = pd.DataFrame(curves(**settings) + dimension_rows(3, least))
    assert FIGURE_2.check(table).shows == verdict


@pytest.mark.parametrize("later", [0.04, 0.005])
def test_figure_2_wants_a_chain_that_stays_constant(later):
    table = pd.DataFrame(curves() + dimension_rows(3, 3, later))
    assert FIGURE_2.check(table).shows == DOES_NOT_HOLD


def test_a_curve_that_turns_on_its_way_is_told():
    rows = curves(methods=("tste", "gnmds"))
    between = [
        {**row, "x": 1.5, "y": 0.45} for row in rows
        if (row["part"], row["x"], row["source"], row["method"]) == (NOISE, 1, BOOTSTRAP, "tste")
    ]
    assert FIGURE_9.check(pd.DataFrame(rows + between)).shows == HOLDS
    turned = [{**row, "y": 0.2} for row in between]
    assert FIGURE_9.check(pd.DataFrame(rows + turned)).shows == DOES_NOT_HOLD


@pytest.mark.parametrize(("few", "verdict"), [(0.4, HOLDS), (0.01, DOES_NOT_HOLD)])
def test_figure_9_wants_curves_that_fall_with_answers(few, verdict):
    table = pd.DataFrame(curves(few, methods=("tste", "gnmds")))
    assert FIGURE_9.check(table).shows == verdict
