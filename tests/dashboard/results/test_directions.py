"""Directions on a map: what is said of columns, their arrows, and the tables."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import tripletscope as ts
from tripletscope.core.features.directions import directions_on
from tripletscope.dashboard.figures.points import RING
from tripletscope.dashboard.figures.theme import Canvas
from tripletscope.dashboard.results.directions import (
    DirectedMap,
    between_of,
    columns_of,
    directions_of,
    directions_said,
)
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.results.map_recipe import MapLook, Turn
from tripletscope.dashboard.results.presentation import Numbers, ShownResults, Statement

RNG = np.random.default_rng(0)
SEEN = RNG.normal(size=(30, 3))
LONG = "a column with a name of sixty letters, which is long for a map"


@pytest.fixture(scope="module")
def answers():
    found = ts.simulate(SEEN, 3000, noise="logistic", seed=0)
    return found.with_objects(found.objects.assign(**{
        "width": SEEN[:, 0], LONG: SEEN[:, 1], "noise": RNG.normal(size=30),
        "kind": np.where(SEEN[:, 2] > 0, "up", "down"), "same": 1.0,
    }))


def computed(answers, d):
    names = answers.objects.columns[2:].tolist()
    return ts.run("directions", ts.STE(n_components=d, n_init=2), answers,
                  {"columns": names, "replicates": 20, "permutations": 199})


@pytest.fixture(scope="module")
def solid(answers):
    return computed(answers, 3)


def test_every_column_is_told_of(answers, solid):
    parts = list(directions_of(ShownResults((solid,), answers, "Cups"), solid))
    said = " ".join(part.text for part in parts if isinstance(part, Statement))
    assert all(f"“{name}”" in said for name in ("width", LONG, "noise", "kind", "same"))
    drawing = next(part for part in parts if isinstance(part, Drawing))
    assert "first two principal axes" in drawing.caption
    tables = [part.table() for part in parts if isinstance(part, Numbers)]
    assert tables[0]["found"].tolist() == ["arrow", "arrow", "as by chance", "apart",
                                           "all the same"]
    assert tables[1]["first"].tolist() == ["width"]
    assert tables[1]["from"][0] < tables[1]["degrees"][0] < tables[1]["to"][0]


def test_arrows_in_space_have_cones(answers, solid):
    looks = {"": MapLook(flat=False)}
    drawn = DirectedMap(ShownResults((solid,), answers, "Cups", looks=looks), solid)
    figure = drawn.draw(Canvas(700, 500))
    cones = [trace for trace in figure.data if trace.name == "wedges"]
    assert len(cones) == 4  # of uncertainty, and heads
    assert "Cones" in drawn.caption
    result = solid.result()
    for k, cone in enumerate(cones[1::2]):
        corners = np.column_stack([cone.x, cone.y, cone.z])
        sides = corners[1:] - corners[0]
        angle = sides @ result.direction[k] / np.linalg.norm(sides, axis=1)
        np.testing.assert_allclose(np.degrees(np.arccos(angle)), result.half_angle[k], atol=1e-4)


def test_arrows_turn_with_the_map_and_fit_into_it(answers):
    run = computed(answers, 2)
    turn = Turn(np.array([[0.0, 1.0], [-1.0, 0.0]]), "another")
    plain, turned = (
        DirectedMap(ShownResults((run,), answers, "Cups", looks={"": look}), run)
        for look in (MapLook(coverage=0.95), MapLook(turn=turn))
    )
    assert plain.arrows
    for one, other in zip(plain.arrows, turned.arrows, strict=True):
        np.testing.assert_allclose(one.direction @ turn.rotation, other.direction)
    assert not plain.style.uncertainty
    pictured = replace(plain.shown, pictures={0: "data:image/png;base64,"}, looks={})
    assert DirectedMap(pictured, run).style.marks == "points", "pictures would lie on arrows"
    result = run.result()
    first, second = (columns_of(result, each.rotation)["angle"] for each in (plain, turned))
    assert (second - first).dropna().mod(360).round(6).isin([90]).all()
    figure = plain.draw(Canvas(600, 500))
    heads = next(t for t in figure.data if t.name == RING and t.mode == "markers")
    middle = np.nanmean(plain.where.positions, axis=0)
    low, high = np.transpose([figure.layout.xaxis.range, figure.layout.yaxis.range])
    tips = np.column_stack([heads.x, heads.y])
    assert ((tips > low) & (tips < high)).all()
    for tip, arrow, angle in zip(tips, plain.arrows, heads.marker.angle, strict=True):
        step = (tip - middle) / np.linalg.norm(tip - middle)
        np.testing.assert_allclose(step, arrow.direction, atol=1e-9)
        up = np.radians(angle)
        np.testing.assert_allclose([np.sin(up), np.cos(up)], step, atol=1e-9)
    lengths = np.linalg.norm(tips - middle, axis=1)
    np.testing.assert_allclose(
        (lengths / lengths[0]) ** 2, result.explained[result.drawn] / result.explained[0]
    )


def test_nothing_is_said_of_random_columns():
    columns = {f"c{k}": pd.Series(RNG.normal(size=30)) for k in range(4)}
    columns["kinds"] = pd.Series(list("ab") * 15)
    said = [part.text for part in directions_said(directions_on(SEEN[:, :2], columns))]
    assert len(said) == 2
    assert "not seen to be apart" in said[0]
    assert said[1].startswith("No direction")


def test_reasons_without_an_arrow_have_their_sentences():
    result = directions_on(SEEN[:, :2], {"a": pd.Series(SEEN[:, 0])})
    kinds = ("peak", "trough", "curved", "few", "backwards", "chance", "short", "constant")
    said = [[p.text for p in directions_said(replace(result, found=[kind]))] for kind in kinds]
    assert [len(texts) for texts in said] == [1] * len(kinds)
    assert len({text for texts in said for text in texts}) == len(kinds)
    assert len(between_of(directions_on(SEEN[:, :2], {
        name: pd.Series(SEEN[:, k]) for k, name in enumerate("ab")
    }))) == 1
