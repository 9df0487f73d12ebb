"""What is said of typical and odd objects, their figure and table."""

from __future__ import annotations

import numpy as np
import pytest

import tripletscope as ts
from tripletscope.dashboard.figures.theme import FAINT, Canvas
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.results.presentation import Numbers, ShownResults, Statement
from tripletscope.dashboard.results.typicality import typicality_of

N = 60
ANGLE = 2 * np.pi * np.arange(N) / N
RING = 1.5 * np.column_stack([np.cos(ANGLE), np.sin(ANGLE)])
#: Of three objects in four.
PICTURES = {k: "data:image/gif;base64,R0lGODlhAQABAAAAACw=" for k in range(N) if k % 4}


def shown_of(places, names, **how):
    answers = ts.simulate(places, 6000, noise="logistic", seed=0)
    answers = answers.with_objects(answers.objects.assign(label=names))
    run = ts.run("typicality", ts.STE(n_init=1), answers)
    parts = list(typicality_of(ShownResults((run,), answers, "Cups", **how), run))
    said = " ".join(part.text for part in parts if isinstance(part, Statement))
    return said, next(one for one in parts if isinstance(one, Drawing)), parts, run.result()


def test_nothing_is_said_of_a_ring():
    said, drawing, _, result = shown_of(RING, [f"cup {k}" for k in range(N)])
    assert said.startswith("No object is more typical than another, as far as these answers show")
    assert "cup" not in said
    assert not result.side.any()
    assert "comparisons in which an object is the nearer one" in drawing.caption


@pytest.fixture(scope="module")
def cloud():
    places = np.random.default_rng(0).normal(size=(N, 2))
    places[:3] = [[6.0, 6.0], [6.0, 5.5], [0.0, 0.0]]
    names = ["<b>far</b>", "far", "middle", *["cup"] * (N - 3)]
    return shown_of(places, names, pictures=PICTURES, selected=(1,))


def test_typical_and_odd_objects_are_named(cloud):
    said, _, parts, result = cloud
    assert "Objects differ in how typical they are" in said
    above, below = said.split("surely more than the average")
    assert "and 10 more" in above
    assert result.side[:3].tolist() == [-1, -1, 1]
    assert "far" in below
    assert "are told apart" in below
    table = next(one for one in parts if isinstance(one, Numbers)).table()
    assert table["rank"].tolist() == [*range(1, N + 1)]
    assert set(table["object"][-2:]) == {"<b>far</b>", "far"}
    assert len(set(table["object"])) == N
    assert (table["from rank"] <= table["rank"]).all()


def test_of_many_objects_the_first_and_the_last_are_drawn(cloud):
    _, drawing, _, result = cloud
    drawn = drawing.draw(Canvas(640.0, 900.0, screen=True))
    ticks = list(drawn.layout.yaxis.ticktext)
    assert (len(ticks), ticks[20]) == (41, "… 20 others …")
    assert "&lt;b&gt;far&lt;/b&gt;" in ticks
    objects = np.concatenate([trace.customdata for trace in drawn.data if trace.showlegend])
    assert set(objects) == {*result.order[:20], *result.order[-20:]}
    undecided = next(one for one in drawn.data if str(one.name).startswith("not told apart"))
    assert undecided.marker.color == FAINT
    there = {k for k, one in enumerate([*result.order[:20], -1, *result.order[-20:]])
             if one in PICTURES}
    assert {image.y for image in drawn.layout.images} == there


def test_pictures_of_a_few_objects_are_left_out():
    _, drawing, *_ = shown_of(RING, [f"cup {k}" for k in range(N)], pictures={0: PICTURES[1]})
    assert not drawing.draw(Canvas(640.0, 900.0, screen=True)).layout.images
