"""Equations beside how they are computed, and the majority vote."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tripletscope.reproductions.item import DOES_NOT_HOLD, HOLDS
from tripletscope.reproductions.registry import items
from tripletscope.reproductions.uncertainty.equations import check_recomputed
from tripletscope.reproductions.uncertainty.majority import votes
from tripletscope.reproductions.uncertainty.published import BOOTSTRAP, SHORT_CHAIN

POSTERIOR, VOTE = items()["uncertainty-equation-3"], items()["uncertainty-section-3.3"]


@pytest.mark.parametrize("number", [1, 2, 4, 5, 6])
def test_the_program_computes_what_is_defined(number):
    item = items()[f"uncertainty-equation-{number}"]
    table = item.experiment()
    assert table["definition"].nunique() >= 10
    assert item.check(table).shows == HOLDS
    assert check_recomputed(table.assign(difference=1e-6)).shows == DOES_NOT_HOLD


def test_chains_have_the_means_of_the_posterior():
    table = POSTERIOR.experiment(effective=500)
    assert len(table) == 12
    assert POSTERIOR.check(table).shows == HOLDS
    off = table.assign(program=table["program"] + 5 * table["error"])
    assert POSTERIOR.check(off).shows == DOES_NOT_HOLD


def test_votes_and_certainties_are_of_the_same_maps():
    table = votes(shares=(0.01,), repeats=1)
    assert table["source"].tolist() == [BOOTSTRAP, SHORT_CHAIN]
    assert table["vote"].between(0.0, 0.5).all()
    assert (table["vote"] != table["equation 4"]).all()


@pytest.mark.parametrize(("more", "verdict"), [(0.05, HOLDS), (-0.05, DOES_NOT_HOLD)])
def test_votes_are_to_be_farther_off_with_both_sources(more, verdict):
    rng = np.random.default_rng(0)
    table = pd.DataFrame([
        {"source": source, "share": share, "equation 4": base, "equation 4 wrong": 0.1,
         "vote wrong": 0.1, "vote": base + (more if source == BOOTSTRAP else 0.05)}
        for source in (BOOTSTRAP, SHORT_CHAIN) for share in (1.0, 5.0) for base in rng.random(10)
    ])
    assert VOTE.check(table).shows == verdict
