"""What is drawn is seen, on the ground of either theme and beside what is selected."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

import tripletscope.dashboard
from tripletscope.dashboard.figures.map import embedding_map
from tripletscope.dashboard.figures.map_2d import CROWD
from tripletscope.dashboard.figures.points import DIM_TEXT, RING, MapData, MapStyle
from tripletscope.dashboard.figures.prediction import predicted_against_true
from tripletscope.dashboard.figures.theme import AT_NIGHT, PALETTE, SCREEN, SEQUENTIAL, Canvas
from tripletscope.dashboard.print.browser import can_render
from tripletscope.dashboard.print.render import render

_SETTINGS = Path(tripletscope.dashboard.__file__).parent / ".streamlit" / "config.toml"
THEMES = ("light", "dark")


def ground(theme: str) -> str:
    return tomllib.loads(_SETTINGS.read_text())["theme"][theme]["backgroundColor"]


def contrast(colour: str, other: str) -> float:
    """Ratio of luminances as WCAG 2.2 has it; 1 for equal ones."""
    def luminance(text: str) -> float:
        parts = re.findall(r"\d+", text) if text.startswith("rgb") else [
            int(text[k : k + 2], 16) for k in (1, 3, 5)
        ]
        share = np.array(parts, dtype=float) / 255
        linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
        return float(linear @ [0.2126, 0.7152, 0.0722])

    low, high = sorted((luminance(colour), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def a_map(d: int, n: int = 12, **changes) -> MapData:
    rng = np.random.default_rng(3)
    names = [f"name {i}" for i in range(n)]
    objects = pd.DataFrame({"id": names, "label": names, "kind": ["x", "y"] * (n // 2)})
    return MapData(rng.normal(size=(n, d)), objects, **changes)


def points(figure: go.Figure) -> list:
    return [trace for trace in figure.data if trace.customdata is not None]


def test_no_colour_vanishes_at_night():
    assert min(contrast(colour, ground("dark")) for colour in (*PALETTE, *AT_NIGHT)) >= 3.0
    assert len(AT_NIGHT) == len(SEQUENTIAL), "the page exchanges one for the other"
    dark, pale = (contrast(colour, ground("dark")) for colour in (AT_NIGHT[0], AT_NIGHT[-1]))
    assert pale / dark > 3, "a scale has a range"


@pytest.mark.parametrize("theme", THEMES)
def test_labels_of_what_is_not_selected_are_read(theme):
    assert contrast(DIM_TEXT, ground(theme)) >= 4.0


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("colour", [None, "kind"])
def test_the_selection_is_told_by_rings_and_nothing_fades(d, colour):
    data, style = a_map(d, selected=(2, 5)), MapStyle(colour=colour, flat=False)
    figure, plain = embedding_map(data, style), embedding_map(a_map(d), style)
    (ring,) = (trace for trace in figure.data if trace.name == RING)
    assert not [trace for trace in plain.data if trace.name == RING]
    at = {i: place for trace in points(figure)
          for i, *place in zip(trace.customdata, trace.x, trace.y, strict=True)}
    assert sorted(map(list, zip(ring.x, ring.y, strict=True))) == sorted([at[2], at[5]])
    for trace, before in zip(points(figure), points(plain), strict=True):
        assert trace.marker.color == before.marker.color in PALETTE
        assert (trace.marker.opacity or 1) * (
            trace.unselected.marker.opacity or 1 if d < 3 else 1
        ) >= 0.6
        assert ring.marker.size > trace.marker.size


def test_selected_names_are_bold_and_begin_outside_of_their_rings():
    figure = embedding_map(a_map(2, selected=(2, 5)), MapStyle())
    faint, bold = (trace for trace in figure.data if trace.name == "labels")
    (ring,) = (trace for trace in figure.data if trace.name == RING)
    assert (faint.textfont.weight, bold.textfont.weight) == (None, 600)
    notes = {note.name: note.font.weight for note in figure.layout.annotations}
    assert {*bold.ids} | {name for name in notes if notes[name] == 600} == {"label 2", "label 5"}
    assert bold.marker.size > ring.marker.size > faint.marker.size


def test_selected_predictions_have_rings():
    truth = np.linspace(0, 1, 6)
    figure = predicted_against_true(
        truth, truth**2, list("abcdef"), name="size", selected=[1, 4]
    )
    (ring,) = (trace for trace in figure.data if trace.name == RING)
    np.testing.assert_allclose(ring.x, truth[[1, 4]])
    assert figure.data[1].marker.opacity == 0.8


def test_of_many_selected_objects_rings_are_thin_and_then_opacity_tells():
    widths = []
    for n_selected in (20, 200, 400):
        data = a_map(2, n=1_000, selected=range(n_selected))
        figure = embedding_map(data, MapStyle(marks="points"))
        widths += [ring.marker.line.width for ring in figure.data if ring.name == RING]
        (trace,) = points(figure)
        assert len(trace.selectedpoints) == n_selected
        assert 0.3 < trace.unselected.marker.opacity < 0.5
    assert widths[0] == 2.0
    assert len(widths) == 2
    assert 0.5 < widths[1] < 1.0


@pytest.mark.parametrize("canvas", [SCREEN, Canvas(390.0, 312.0, screen=False)])
def test_a_crowd_is_drawn_by_the_graphics_card(canvas):
    for n, kind in ((CROWD, go.Scatter), (CROWD + 2, go.Scattergl)):
        data = a_map(2, n=n, selected=(5, 8))
        figure = embedding_map(data, MapStyle(colour="kind"), canvas=canvas)
        assert {type(trace) for trace in points(figure)} == {kind}
        assert sum(len(trace.selectedpoints) for trace in points(figure)) == 2
        assert {type(trace) for trace in figure.data if trace.name in ("labels", RING)} == {
            go.Scatter
        }


def test_a_file_of_a_crowd_stays_small():
    def draw(canvas: Canvas) -> go.Figure:
        return embedding_map(a_map(2, n=50_000), MapStyle(), canvas=canvas)

    if not can_render():
        pytest.skip("no browser draws figures")
    assert len(render(draw, "svg")) < 2_000_000
