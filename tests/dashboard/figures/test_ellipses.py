"""Ellipses of a map: whose are drawn, which are filled, and that the frame has room for them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest
from scipy.interpolate import RegularGridInterpolator

from tripletscope.core.data.geometry import ellipsoids, outlines
from tripletscope.dashboard.figures.map import embedding_map
from tripletscope.dashboard.figures.map_2d import DENSE_SHARES, height_of
from tripletscope.dashboard.figures.points import (
    MANY,
    PALE,
    SPREAD,
    UNDETERMINED,
    MapData,
    MapStyle,
    with_ellipses,
)


def data_of(n: int, selected=(), stretch: float = 1.0) -> MapData:
    places = np.random.default_rng(0).normal(size=(n, 2)) * [1.0, stretch]
    objects = pd.DataFrame({"id": map(str, range(n)), "label": map(str, range(n))})
    return MapData(places, objects, np.tile([[0.02, 0.01], [0.01, 0.03]], (n, 1, 1)), {}, selected)


def drawn(data: MapData) -> list:
    return [t for t in embedding_map(data, MapStyle()).data if t.name == "ellipses"]


def number(traces: list) -> int:
    return sum(int(np.isnan(np.asarray(trace.x, dtype=float)).sum()) for trace in traces)


def test_all_of_a_few_are_outlined_and_only_selected_ones_filled():
    (plain,) = drawn(data_of(40))
    assert plain.fill == "none"
    assert number([plain]) == 40
    filled = {trace.fill: number([trace]) for trace in drawn(data_of(40, [3, 5]))}
    assert filled == {"none": 38, "toself": 2}


def test_of_a_crowd_some_are_outlined_that_are_spread_over_the_map():
    data = data_of(MANY + 150)
    chosen = with_ellipses(data)
    assert len(set(chosen.tolist())) == number(drawn(data)) == SPREAD
    places = data.positions
    near = np.linalg.norm(places[:, None] - places[chosen][None], axis=2).min(axis=1)
    chance = np.linalg.norm(places[:, None] - places[:SPREAD][None], axis=2).min(axis=1)
    assert near.max() < 0.6 * chance.max()
    assert with_ellipses(data_of(MANY + 150, [7, 9])).tolist() == [7, 9]
    assert number(drawn(data_of(MANY + 150, [7, 9]))) == 2


def test_objects_without_a_place_have_none():
    data = data_of(MANY + 50)
    data.positions[:150] = np.nan
    assert set(with_ellipses(data).tolist()) <= set(range(150, 200))
    data.positions[:] = np.nan
    assert not len(with_ellipses(data))


def with_unknown(data: MapData, *which: int) -> MapData:
    data.covariances[list(which)] = np.nan
    return data


def crosses(figure: go.Figure) -> list:
    return [trace for trace in figure.data if trace.name == UNDETERMINED]


def test_undetermined_objects_have_crosses_instead_and_say_so():
    data = with_unknown(data_of(40), 3, 5)
    data.positions[7] = np.nan  # without a place there is nothing to cross
    data.covariances[7] = np.nan
    figure = embedding_map(data, MapStyle())
    (marks,) = crosses(figure)
    assert np.column_stack([marks.x, marks.y]) == pytest.approx(data.positions[[3, 5]])
    assert number(drawn(data)) == 37
    (points,) = [trace for trace in figure.data if trace.customdata is not None]
    said = ["not determined" in text for text in points.hovertext]
    assert [i for i, is_said in zip(points.customdata, said, strict=True) if is_said] == [3, 5]
    assert not crosses(embedding_map(data_of(40), MapStyle()))
    assert not crosses(embedding_map(data, MapStyle(uncertainty=False)))
    crowd = with_unknown(data_of(MANY + 150), *range(200))
    assert with_ellipses(crowd).min() >= 200


@pytest.mark.parametrize("d", [1, 3])
def test_undetermined_objects_have_crosses_on_a_line_and_in_space(d):
    flat = data_of(20)
    places = np.tile(flat.positions[:, :1], (1, d))
    data = with_unknown(MapData(places, flat.objects, np.tile(np.eye(d), (20, 1, 1))), 4)
    (marks,) = crosses(embedding_map(data, MapStyle("points", flat=False)))
    assert len(marks.x) == 1


def test_pictures_of_undetermined_objects_are_pale():
    data = replace(with_unknown(data_of(6), 2), pictures={i: f"/{i}.png" for i in range(6)})
    figure = embedding_map(data, MapStyle("pictures"))
    assert [image.opacity for image in figure.layout.images] == [None, None, PALE, *[None] * 3]
    assert not crosses(figure)


def test_the_page_knows_the_ellipse_of_every_object():
    data = data_of(MANY + 50)
    (points,) = [t for t in embedding_map(data, MapStyle()).data if t.customdata is not None]
    (a, b, c) = points.meta["ellipses"][0]
    angles = np.linspace(0, 2 * np.pi, 400)
    across, along = np.sqrt(a), b / np.sqrt(a)
    loop = np.column_stack([
        across * np.cos(angles), along * np.cos(angles) + np.sqrt(c - along**2) * np.sin(angles),
    ])
    expected = outlines(np.zeros((1, 2)), ellipsoids(data.covariances[:1], 0.95))[0]
    apart = np.linalg.norm(loop[:, None] - expected[None], axis=2)
    assert apart.min(axis=0).max() < 0.02


def test_the_frame_has_the_shape_of_the_map():
    round_, flat = (height_of(data_of(60, stretch=s), 640, 260, 580) for s in (1.0, 0.2))
    assert round_ > 2 * flat or (round_, flat) == (580, 260)
    assert height_of(data_of(60, stretch=0.01), 640, 260, 580) == 260
    empty = MapData(np.full((3, 2), np.nan), data_of(3).objects)
    assert 260 <= height_of(empty, 640, 260, 580) <= 580


@pytest.mark.parametrize("n", [20, 40])
def test_the_frame_has_room_for_the_ellipses(n):
    data = data_of(n)
    figure = embedding_map(data, MapStyle())
    for axis, places in (("xaxis", "x"), ("yaxis", "y")):
        low, high = figure.layout[axis].range
        loops = np.concatenate([np.asarray(t[places], dtype=float) for t in drawn(data)])
        assert low < np.nanmin(loops)
        assert np.nanmax(loops) < high


def test_lines_of_density_hold_their_shares_of_the_objects():
    data = data_of(1_500)
    figure = embedding_map(data, MapStyle("points", uncertainty=False, dense=True))
    lines = [trace for trace in figure.data if trace.type == "contour"]
    assert [line.name for line in lines] == ["25% of the objects", "50% of the objects",
                                             "90% of the objects"]
    for share, line in zip(DENSE_SHARES, lines, strict=True):
        here = RegularGridInterpolator((line.x, line.y), line.z.T)(data.positions)
        assert (here >= line.contours.start).mean() == pytest.approx(share, abs=0.002)
    apart = replace(data, positions=np.zeros((1_500, 2)))
    assert embedding_map(apart, MapStyle("points", uncertainty=False, dense=True)).data


def test_areas_of_points_grow_with_the_column_that_sizes_them():
    data = data_of(30)
    values = np.r_[np.nan, np.arange(29.0)]
    data = replace(data, objects=data.objects.assign(weight=values))
    style = MapStyle("points", uncertainty=False, sized="weight")
    areas = np.empty(30)
    for trace in embedding_map(data, style).data:
        if trace.customdata is not None:
            areas[list(trace.customdata)] = np.square(trace.marker.size)
    steps = np.diff(areas[1:])
    np.testing.assert_allclose(steps, steps[0])
    assert steps[0] > 0
    assert areas[0] == areas[1], "without a value as the smallest"
    constant = replace(data, objects=data.objects.assign(weight=1.0))
    assert np.ptp(next(t for t in embedding_map(constant, style).data
                       if t.customdata is not None).marker.size) == 0
