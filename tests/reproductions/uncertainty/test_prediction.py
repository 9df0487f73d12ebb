"""Figures 3 and 10: prediction with abstention."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tripletscope.reproductions.item import DOES_NOT_HOLD, HOLDS, HOLDS_WITH_THEIRS
from tripletscope.reproductions.registry import items
from tripletscope.reproductions.uncertainty.prediction import OPEN, WRONG, predictions
from tripletscope.reproductions.uncertainty.published import BOOTSTRAP, LONG_CHAINS, SHORT_CHAIN

FIGURE_3, FIGURE_10 = (items()[f"uncertainty-figure-{n}"] for n in (3, 10))


def rows(source: str, few: tuple[float, float], many: tuple[float, float]) -> list[dict]:
    """Error and share left open at a threshold of .8, with few and with many answers."""
    return [
        {"source": source, "quantity": quantity, "share": share, "threshold": threshold,
         "y": 0.0 if quantity == OPEN and threshold == 0.5 else factor * value,
         "spread": 0.01, "repeats": 5}
        for share, values in ((0.5, few), (10.0, many))
        for quantity, value in zip((WRONG, OPEN), values, strict=True)
        for threshold, factor in ((0.5, 2.0), (0.8, 1.0))
    ]


def test_surer_answers_are_right_more_often_and_fewer():
    table = predictions(
        sources=(BOOTSTRAP,), shares=(0.01,), thresholds=(0.5, 0.7, 0.9), repeats=2
    )
    curves = {q: own.sort_values("threshold")["y"].to_numpy() for q, own in
              table.groupby("quantity")}
    assert (np.diff(curves[WRONG]) < 0).all()
    assert (np.diff(curves[OPEN]) > 0).all()
    assert curves[OPEN][0] < 0.01


@pytest.mark.parametrize(
    ("many", "verdict"), [((0.01, 0.1), HOLDS), ((0.2, 0.1), DOES_NOT_HOLD),
                          ((0.01, 0.95), DOES_NOT_HOLD)]
)
def test_figure_3_wants_less_error_and_less_open_with_more_answers(many, verdict):
    table = pd.DataFrame(rows(BOOTSTRAP, (0.1, 0.9), many))
    assert FIGURE_3.check(table).shows == verdict


@pytest.mark.parametrize(("error", "verdict"), [(0.05, HOLDS), (0.3, DOES_NOT_HOLD)])
def test_figure_3_looks_at_every_number_of_answers(error, verdict):
    table = rows(BOOTSTRAP, (0.1, 0.9), (0.01, 0.1))
    between = [
        {**row, "share": 5.0} for row in rows(BOOTSTRAP, (error, 0.5), (0.01, 0.1))
        if row["share"] == 0.5
    ]
    assert FIGURE_3.check(pd.DataFrame(table + between)).shows == verdict


@pytest.mark.parametrize(
    ("short", "long", "verdict"),
    [
        ((0.2, 0.3), (0.2, 0.4), HOLDS), ((0.2, 0.3), (0.06, 0.4), HOLDS_WITH_THEIRS),
        ((0.01, 0.3), (0.2, 0.4), DOES_NOT_HOLD), ((0.2, 0.95), (0.2, 0.4), DOES_NOT_HOLD),
    ],
)
def test_figure_10_compares_chains_with_the_bootstrap(short, long, verdict):
    table = pd.DataFrame(
        rows(BOOTSTRAP, (0.05, 0.9), (0.01, 0.1)) + rows(SHORT_CHAIN, short, (0.005, 0.05))
        + rows(LONG_CHAINS, long, (0.005, 0.05))
    )
    assert FIGURE_10.check(table).shows == verdict
