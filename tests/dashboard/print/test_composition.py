"""How figures are set: every choice changes what it says, and nothing else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

from tripletscope.dashboard.figures.diagnostics import loss_curves
from tripletscope.dashboard.figures.map import embedding_map
from tripletscope.dashboard.figures.map_2d import shape_of
from tripletscope.dashboard.figures.points import MapData, MapStyle
from tripletscope.dashboard.figures.theme import FONT_SIZE, Canvas
from tripletscope.dashboard.print.composition import (
    LEGENDS,
    PIXELS_PER_MM,
    PRESETS,
    Composition,
    composed,
    possible,
)


def draw(canvas: Canvas) -> go.Figure:
    """A map of two kinds of objects."""
    objects = pd.DataFrame({
        "id": list("abcdef"), "label": [f"name {c}" for c in "abcdef"], "kind": ["x", "y"] * 3,
    })
    positions = np.random.default_rng(0).normal(size=(6, 2))
    data = MapData(positions, objects, np.tile(np.eye(2) / 50, (6, 1, 1)))
    return embedding_map(data, MapStyle(colour="kind"), caption="STE.", canvas=canvas)


def points(figure: go.Figure) -> list:
    return [trace for trace in figure.data if trace.customdata is not None]


def names(figure: go.Figure) -> set[str]:
    texts = [text for trace in figure.data for text in trace.text or ()]
    return {*texts, *(note.text for note in figure.layout.annotations)} - {""}


def test_a_composition_comes_back_from_what_was_kept():
    chosen = Composition(120.0, 80.0, title="T", legend="top left", shapes=True)
    assert Composition.from_dict(chosen.to_dict()) == chosen
    assert Composition.from_dict({"width": 60.0, "of another version": 1}).width == 60.0
    assert Composition.from_dict({"legend": "nowhere"}).legend == "above"
    damaged = {
        "width": "x", "font": None, "height": "7", "points": float("nan"), "lines": -1.0,
        "legend": [], "caption": 3, "title": None, "dpi": True,
    }
    assert Composition.from_dict(damaged) == Composition()
    assert Composition.from_dict({"height": None, "dpi": 150, "width": 60}).width == 60


@pytest.mark.parametrize("preset", PRESETS.values(), ids=PRESETS)
def test_presets_have_their_size(preset):
    figure = composed(draw, Composition(**preset, caption=False), 0.5)
    scale = figure.layout.meta["scale"]
    assert scale * figure.layout.width == pytest.approx(preset["width"] * PIXELS_PER_MM)
    height = preset["height"] or preset["width"] / 2
    assert scale * figure.layout.height == pytest.approx(height * PIXELS_PER_MM)
    letters = scale * figure.layout.template.layout.font.size
    assert letters == pytest.approx(preset["font"] * 96 / 72)


def test_a_caption_makes_the_figure_taller_and_can_be_left_out():
    plain = composed(draw, Composition(), note="Without two people.")
    told = composed(draw, Composition(caption=True), note="Without two people.")
    assert plain.layout.title.text is None
    assert told.layout.title.text == "STE. Without two people."
    assert told.layout.height > plain.layout.height


def test_points_lines_and_names():
    usual, larger = composed(draw, Composition()), composed(draw, Composition(points=2, lines=3))
    for one, other in zip(points(usual), points(larger), strict=True):
        assert other.marker.size == 2 * one.marker.size
    widths = [[t.line.width for t in f.data if t.name == "ellipses"] for f in (usual, larger)]
    assert widths[1] == pytest.approx([3 * width for width in widths[0]])
    assert len(names(usual)) == 6
    unnamed = composed(draw, Composition(labels=False, caption=True))
    assert not names(unnamed)
    assert "hidden" not in unnamed.layout.title.text


def test_categories_differ_in_shape():
    assert {trace.marker.symbol for trace in points(composed(draw, Composition()))} == {"circle"}
    shaped = points(composed(draw, Composition(shapes=True)))
    assert len({trace.marker.symbol for trace in shaped}) == 2


def test_many_categories_differ_in_shape_in_space_too():
    objects = pd.DataFrame({
        "id": list("abcdefgh"), "label": list("abcdefgh"), "kind": list("stuvwxyz"),
    })
    data = MapData(np.random.default_rng(0).normal(size=(8, 3)), objects)
    style = MapStyle(colour="kind", flat=False)
    figure = composed(
        lambda canvas: embedding_map(data, style, caption="", canvas=canvas),
        Composition(shapes=True),
    )
    named = [t for t in points(figure) if t.name in objects["kind"].tolist()]
    assert {trace.type for trace in named} == {"scatter3d"}
    assert len({trace.marker.symbol for trace in named}) == 8


@pytest.mark.parametrize("place", LEGENDS)
def test_legends_stand_where_they_are_wanted(place):
    figure = composed(draw, Composition(legend=place, legend_title="a < b"))
    assert (figure.layout.showlegend is False) == (place == "none")
    assert figure.layout.legend.title.text == "a &lt; b"
    row, _, side = place.partition(" ")
    if side:
        assert (figure.layout.legend.yanchor, figure.layout.legend.xanchor) == (row, side)


def test_only_what_there_is_can_be_composed():
    there = possible(draw(Composition().canvas()))
    assert there.legend
    assert there.labels
    assert there.points
    assert there.lines
    assert there.shapes
    curves = possible(loss_curves({0: [2.0, 1.0], 1: [3.0, 2.0]}, Composition().canvas()))
    assert curves.lines
    assert not (curves.labels)
    assert not (curves.points)
    assert not (curves.shapes)


@pytest.mark.parametrize(
    ("width", "ratio"), [(85.0, 0.8), (85.0, 0.45), (60.0, 0.35), (180.0, 0.6)]
)
def test_numbers_of_a_colour_bar_have_room(width, ratio):
    def draw_sizes(canvas: Canvas) -> go.Figure:
        objects = pd.DataFrame({"id": list("abcdefgh"), "label": list("abcdefgh"),
                                "size": np.linspace(0.3, 61.0, 8)})
        positions = np.random.default_rng(0).normal(size=(8, 2))
        return embedding_map(MapData(positions, objects), MapStyle(colour="size"), canvas=canvas)

    composition = Composition(width=width)
    figure = composed(draw_sizes, composition, ratio)
    (bar,) = (trace.marker.colorbar for trace in points(figure))
    assert bar.len / FONT_SIZE / bar.nticks >= 2.5, "level, its numbers stand side by side"
    upright = composed(draw_sizes, replace(composition, legend="right"), ratio)
    (bar,) = (trace.marker.colorbar for trace in points(upright))
    letters = composition.canvas(ratio).height / FONT_SIZE
    title = 0 if bar.title.side == "right" else 2
    assert (bar.len * (letters - 2) - title) / bar.nticks >= 1.3
    assert bar.len == 1.0 or 0.6 * letters >= 14


@pytest.mark.parametrize("width", [85.0, 180.0])
@pytest.mark.parametrize("colour", ["", "size", "kind"])
def test_a_map_on_paper_has_the_shape_of_the_objects(width, colour):
    """At 85 mm one came out 37 mm high, on 58 % of the width."""
    n = 30
    objects = pd.DataFrame({"id": list(map(str, range(n))), "label": list(map(str, range(n))),
                            "size": np.arange(n), "kind": ["x", "y", "z"] * (n // 3)})
    positions = np.random.default_rng(0).uniform(size=(n, 2)) * [2, 1]
    composition, style = Composition(width=width), MapStyle(colour=colour or None)
    canvas = composition.canvas()
    ratio = shape_of(MapData(positions, objects), style, canvas)
    across, up = np.ptp(positions, axis=0) + 0.1 * np.ptp(positions)
    legend = (ratio - up / across) * canvas.width / FONT_SIZE
    assert -2 < legend < 5, "what is higher than the objects are is a line of a legend"
    assert shape_of(MapData(positions[:, ::-1], objects), style, canvas) > 1


@pytest.mark.parametrize("legend", LEGENDS)
def test_labels_stay_clear_of_the_legend(legend):
    """Names at the right edge, where a legend beside the frame or in a corner would be."""
    def draw_crowd(canvas: Canvas) -> go.Figure:
        x, y = np.meshgrid(np.linspace(0, 2, 4), np.linspace(0, 1, 8))
        positions = np.stack([x.ravel(), y.ravel()], axis=-1)
        names = [f"name {i:02d}" for i in range(32)]
        objects = pd.DataFrame({"id": names, "label": names, "kind": [*"abcdefgh"] * 4})
        return embedding_map(MapData(positions, objects), MapStyle(colour="kind"), canvas=canvas)

    figure = composed(draw_crowd, Composition(legend=legend), 0.8)
    at = {label: place for trace in figure.data if trace.name == "labels"
          for label, place in zip(trace.ids, trace.textposition, strict=True)}
    edge = [at.get(f"label {i}", "") for i in range(3, 32, 4)]
    assert not any(place.endswith("right") for place in edge)
    corners = {"top left": 28, "bottom left": 0, "top right": 31, "bottom right": 3}
    if legend in corners:
        assert f"label {corners[legend]}" not in at
        assert len(at) > 16


@pytest.mark.parametrize(("width", "height"), [(85.0, 221.0), (180.0, 240.0), (400.0, 400 / 0.75)])
def test_no_figure_is_longer_than_a_page_unless_it_is_asked_for(width, height):
    for wanted, composition in (
        (height, Composition(width)), (700.0, Composition(width, height=700.0))
    ):
        pixels = composition.scale * composition.canvas(9.0).height
        assert pixels / PIXELS_PER_MM == pytest.approx(wanted)
