"""Figures 4.3, 4.6 and A.5: circle and helix."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tripletscope.reproductions.item import DOES_NOT_HOLD, HOLDS, HOLDS_WITH_THEIRS
from tripletscope.reproductions.outcome import rebuild
from tripletscope.reproductions.registry import items
from tripletscope.reproductions.scales import circle
from tripletscope.reproductions.scales.observer import LEAST_ERROR, LEAST_LOSS

FOUND = {"MLDS": 0.18, "STE": 0.07, "t-STE": 0.11, "LOE": 0.08, "NMDS": 0.13}


def errors(found=FOUND, by_loss=FOUND) -> pd.DataFrame:
    return pd.DataFrame([
        {"kind": "errors", "sigma": 0.1, "share": 1.0, "method": method, "kept": kept,
         "error": error, "error_sd": 0.01, "disparity": error, "disparity_sd": 0.01,
         "neighbours": 0.8, "neighbours_sd": 0.1, "repeats": 25}
        for kept, of in ((LEAST_ERROR, found), (LEAST_LOSS, by_loss))
        for method, error in of.items()
    ])


def test_the_circle_is_found_from_answers_alone():
    check = items()["thesis-figure-4.6"].check
    assert check(errors()).shows == HOLDS
    good_nmds = {**FOUND, "NMDS": 0.11}
    assert check(errors(by_loss=good_nmds)).shows == HOLDS_WITH_THEIRS
    found = check(errors(good_nmds))
    assert found.shows == DOES_NOT_HOLD
    assert "NMDS errs no more often than t-STE" in found.why
    assert check(errors({**FOUND, "MLDS": 0.1})).shows == DOES_NOT_HOLD
    assert check(errors({**FOUND, "LOE": 0.13})).shows == DOES_NOT_HOLD
    loud = errors({**FOUND, "MLDS": 0.05}).assign(sigma=0.5)
    assert "MLDS at σ = 0.5" in check(pd.concat([errors(), loud])).why


def test_neighbours_around_the_middle():
    angle = 2 * np.pi * np.arange(8) / 8
    ring = np.column_stack([np.cos(angle), np.sin(angle)])
    assert circle.kept_neighbours(ring) == 1.0
    assert circle.kept_neighbours(3 - 2 * ring[::-1]) == 1.0
    assert circle.kept_neighbours(ring[[0, 4, 1, 5, 2, 6, 3, 7]]) == 0.0


def test_the_truth_is_a_circle_in_a_square():
    truth = circle.colour_circle()
    assert truth.shape == (14, 2)
    assert truth.min() == 0.0
    assert truth.max() == pytest.approx(1.0)
    assert circle.kept_neighbours(truth) == 1.0


def test_maps_are_turned_to_the_truth():
    table = circle.circle(sigmas=(0.1,), shares=(1.0,), judged=2)
    maps = table[table["kind"] == "map"]
    assert list(maps["panel"].unique()) == ["truth", "STE", "t-STE", "LOE", "NMDS"]
    places = {name: rows[["x", "y"]].to_numpy(float) for name, rows in maps.groupby("panel")}
    assert np.abs(places["STE"] - places["truth"]).mean() < 0.1
    measured = table[table["kind"] == "errors"].set_index(["kept", "method"])
    assert set(measured["repeats"]) == {2}
    assert measured.loc[LEAST_ERROR, "disparity"].isna().to_dict() == {
        name: name == "MLDS" for name in FOUND
    }


def test_colours_take_two_dimensions_and_tones_three():
    outcome = rebuild("thesis-figure-4.3", quick=True)
    assert outcome.observations[0].shows == HOLDS
    table = outcome.table
    line = table["kind"] == "misfit"
    check = items()["thesis-figure-4.3"].check
    flat = table.assign(misfit=table["misfit"].where(~line, 0.3))
    assert check(flat).shows == DOES_NOT_HOLD
    # Of a straight line of tones, the octave is farther than half of it.
    tones = table["kind"] == "helix"
    straight = table.assign(value=table["value"].where(~tones, table["octave"]))
    assert "nearer to its octave" in check(straight).why


def test_a_reader_goes_on_with_the_circle():
    answers = circle.circle_answers()
    assert len(answers) == 3 * 364
    assert answers.objects["wavelength_nm"].iloc[0] == 434
