"""Objects that are colours have these."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

from tripletscope.dashboard.figures.colours import groups, look
from tripletscope.dashboard.figures.map import embedding_map
from tripletscope.dashboard.figures.points import (
    PLATES,
    MapData,
    MapStyle,
    point_traces,
    shades,
)
from tripletscope.dashboard.figures.spectral import colour_scale, spectral_rgb
from tripletscope.dashboard.figures.theme import SEQUENTIAL, Canvas

WAVELENGTHS = np.array([434.0, 490, 537, 584, 600, 628, 674])


@pytest.mark.parametrize(
    ("nanometres", "strongest"), [(450, 2), (530, 1), (640, 0)], ids=["blue", "green", "red"]
)
def test_light_has_its_colour(nanometres, strongest):
    assert np.argmax(spectral_rgb(nanometres)) == strongest


@pytest.mark.parametrize("name", ["wavelength_nm", "Wave length", "nm", "peak (nm)", "λ"])
def test_wavelengths_are_drawn_in_the_colours_of_the_light(name):
    scale = colour_scale(name, np.append(WAVELENGTHS, np.nan))
    assert scale[0] == "rgb({}, {}, {})".format(*spectral_rgb(434))
    assert scale[-1] == "rgb({}, {}, {})".format(*spectral_rgb(674))
    assert len(set(scale)) > 30


@pytest.mark.parametrize(
    ("name", "values"),
    [("size", WAVELENGTHS), ("wavelength", WAVELENGTHS * 10), ("enmity", WAVELENGTHS),
     (None, WAVELENGTHS), ("nm", np.array([np.nan]))],
)
def test_other_quantities_keep_the_usual_scale(name, values):
    assert colour_scale(name, values) is SEQUENTIAL


def test_maps_and_shapes_take_the_same_colours():
    n = len(WAVELENGTHS)
    objects = pd.DataFrame({"wavelength": WAVELENGTHS}).assign(id=list("abcdefg"), label="x")
    data, style = MapData(np.zeros((n, 2)), objects), MapStyle(colour="wavelength")
    (trace,) = point_traces(data, style, np.ones(n, dtype=bool), go.Scatter, Canvas())
    assert trace.marker.colorscale[0][1] == "rgb({}, {}, {})".format(*spectral_rgb(434))
    red = shades(data, style)[-1].colour.removeprefix("rgb(").removesuffix(")").split(",")
    assert float(red[0]) > 2 * float(red[2])


def test_a_column_of_colours_gives_every_object_its_own():
    named = pd.Series(["#ff0000", "#00FF00", "#ff0000"])
    found = {group.colour: (group.members.tolist(), group.symbol) for group in groups(named, 3)}
    assert found == {"#ff0000": ([0, 2], "circle"), "#00FF00": ([1], "circle")}
    mixed = groups(pd.Series(["#ff0000", "red", "#ff0000"]), 3)
    assert mixed[0].colour == look(0)[0]


@pytest.mark.parametrize(("column", "rimmed"), [("wavelength", False), ("size", True)])
def test_pictures_of_colours_have_no_rims_in_the_same_colours(column, rimmed):
    names = list("abcdefg")
    objects = pd.DataFrame({"id": names, "label": names, column: WAVELENGTHS})
    places = np.random.default_rng(0).normal(size=(len(names), 2))
    data = MapData(places, objects, pictures={i: f"/{i}.png" for i in range(len(names))})
    figure = embedding_map(data, MapStyle(marks="pictures", colour=column))
    plates = [trace for trace in figure.data if trace.name == PLATES]
    assert bool(plates) == rimmed
    assert all(trace.line.width > 0 for trace in plates)
