"""Figures: what their traces, numbers and ranges are; never their pixels."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest
from scipy.spatial import Delaunay

from tripletscope.core.data.geometry import coverage_radius, ellipsoids
from tripletscope.core.trees import ComparisonTree
from tripletscope.dashboard.figures.cells import Region, divided
from tripletscope.dashboard.figures.colours import groups, is_quantity
from tripletscope.dashboard.figures.diagnostics import loss_curves
from tripletscope.dashboard.figures.fonts import width_of
from tripletscope.dashboard.figures.map import embedding_map
from tripletscope.dashboard.figures.map_3d import CROWD
from tripletscope.dashboard.figures.points import (
    MANY,
    OUTLINE,
    PLATES,
    RING,
    SPREAD,
    MapData,
    MapStyle,
    shades,
)
from tripletscope.dashboard.figures.prediction import error_curves, predicted_against_true
from tripletscope.dashboard.figures.theme import FAINT, FONT_SIZE, PALETTE, Canvas
from tripletscope.dashboard.figures.tree import (
    TREE_WIDTH,
    ComparisonTreeData,
    first_opened,
    tree_diagram,
    tree_height,
)

N = 12
FILE = Canvas(390.0, 312.0, screen=False)


@pytest.fixture
def data() -> MapData:
    rng = np.random.default_rng(0)
    positions = rng.normal(size=(N, 3)) * [3, 2, 1]
    positions[-1] = np.nan  # an object without answers
    objects = pd.DataFrame({
        "id": [f"i{k}" for k in range(N)], "label": [f"object <{k}>" for k in range(N)],
        "kind": ["a", "b", "a"] * 4, "size": np.linspace(0, 1, N),
    })
    root = rng.normal(size=(N, 3, 3)) / 5
    return MapData(positions, objects, root @ root.transpose(0, 2, 1))


def cut(data: MapData, d: int, **changes) -> MapData:
    return MapData(
        data.positions[:, :d], data.objects, data.covariances[:, :d, :d], **changes
    )


def points(figure: go.Figure) -> list:
    return [trace for trace in figure.data if trace.customdata is not None]


def drawn(figure: go.Figure) -> dict[int, tuple]:
    """Coordinates by object."""
    return {
        i: (x, y) for t in points(figure) for i, x, y in zip(t.customdata, t.x, t.y, strict=True)
    }


@pytest.mark.parametrize("colour", [None, "kind", "size"])
@pytest.mark.parametrize("marks", ["points", "labels", "pictures"])
def test_a_plane_shows_every_placed_object_once(data, colour, marks):
    pictures = {0: "/a.png", 3: "/b.png"}
    figure = embedding_map(cut(data, 2, pictures=pictures), MapStyle(marks=marks, colour=colour))
    found = drawn(figure)
    assert set(found) == set(range(N - 1))
    for i, place in found.items():
        assert place == pytest.approx(tuple(data.positions[i, :2]))
    assert len(points(figure)) == {None: 1, "kind": 2, "size": 1}[colour]
    assert len(figure.layout.images) == (2 if marks == "pictures" else 0)


def test_axes_are_equal_and_carry_no_numbers(data):
    figure = embedding_map(cut(data, 2), MapStyle())
    assert figure.layout.yaxis.scaleanchor == "x"
    assert figure.layout.xaxis.showticklabels is figure.layout.yaxis.showticklabels is False
    inside = data.positions[:-1, :2]
    assert figure.layout.xaxis.range[0] < inside[:, 0].min()
    assert figure.layout.yaxis.range[1] > inside[:, 1].max()


@pytest.mark.parametrize("coverage", [0.5, 0.95])
def test_ellipses_have_the_size_of_their_coverage(data, coverage):
    figure = embedding_map(cut(data, 2), MapStyle(coverage=coverage, marks="points"))
    (trace,) = [t for t in figure.data if t.name == "ellipses"]
    x, y = np.array(trace.x), np.array(trace.y)
    loops = np.split(np.column_stack([x, y]), np.flatnonzero(np.isnan(x)))
    loops = [loop[np.isfinite(loop).all(axis=1)] for loop in loops]
    loops = [loop for loop in loops if len(loop)]
    assert len(loops) == N - 1
    half = ellipsoids(data.covariances[:, :2, :2], coverage).half_axes
    for i, loop in enumerate(loops):
        reach = np.linalg.norm(loop - data.positions[i, :2], axis=1)
        assert reach.max() == pytest.approx(half[i, 0], rel=0.01)
        assert reach.min() == pytest.approx(half[i, 1], rel=0.05, abs=1e-3)


def test_ellipses_can_be_switched_off(data):
    figure = embedding_map(cut(data, 2), MapStyle(uncertainty=False))
    assert [t.name for t in figure.data if t.customdata is None] == ["labels"]


def test_a_huge_ellipse_does_not_shrink_the_map(data):
    data.covariances[2] *= 1e6
    figure = embedding_map(cut(data, 2), MapStyle())
    width = np.ptp(data.positions[:-1, 0])
    assert np.ptp(figure.layout.xaxis.range) < 2.2 * width


def test_selected_objects_stand_out(data):
    figure = embedding_map(cut(data, 2, selected=[0, 1]), MapStyle(colour="kind"))
    marked = {
        trace.customdata[k] for trace in points(figure) for k in trace.selectedpoints
    }
    assert marked == {0, 1}
    fills = {t.fillcolor for t in figure.data if t.name == "ellipses"}
    assert len(fills) == 4  # faint and full, in two colours
    plain = embedding_map(cut(data, 2), MapStyle())
    assert all(trace.selectedpoints is None for trace in points(plain))


def test_selected_pictures_stand_out(data):
    pictures = {i: f"/{i}.png" for i in range(5)}
    figure = embedding_map(
        cut(data, 2, selected=[1], pictures=pictures), MapStyle(marks="pictures")
    )
    assert {image.opacity for image in figure.layout.images} == {None}, "nothing fades"
    rings = {t.mode: t for t in figure.data if t.name == RING}
    assert np.mean(rings["lines"].x[:4]) == pytest.approx(data.positions[1, 0])
    assert set(rings) == {"lines"}, "those with pictures have no round one"


@pytest.mark.parametrize("colour", ["kind", "size"])
def test_rims_of_pictures_tell_the_category_and_their_size_is_chosen(data, colour):
    pictures = {i: f"/{i}.png" for i in range(5)}
    sides = []
    for size in (1.0, 1.8):
        style = MapStyle(marks="pictures", colour=colour, picture_size=size)
        figure = embedding_map(cut(data, 2, pictures=pictures), style)
        plates = [t for t in figure.data if t.name == PLATES]
        assert sum(np.isnan(t.x).sum() for t in plates) == 5
        for group in shades(data, style):
            corners = [t.x.reshape(-1, 6)[:, :4] for t in plates if t.line.color == group.colour]
            middles = np.concatenate([x.mean(axis=1) for x in corners] or [[]])
            pictured = [i for i in group.members.tolist() if i in pictures]
            np.testing.assert_allclose(middles, data.positions[pictured, 0])
        sides.append(figure.layout.images[0].sizex)
        drawn = [t for t in figure.data if t.customdata is not None]
        assert all(t.marker.opacity == 1.0 for t in drawn), "the legend tells the colours"
    assert sides[1] == pytest.approx(1.8 * sides[0])


@pytest.mark.parametrize("n_missing", [0, 2])
def test_lines_around_categories_hold_their_objects_with_a_margin(data, n_missing):
    data.positions[:n_missing] = np.nan
    column = pd.Categorical(["x", None, "y"] * (N // 3), categories=["x", "y", "empty"])
    data = replace(data, objects=data.objects.assign(cluster=column))
    figure = embedding_map(cut(data, 2), MapStyle(colour="cluster", outlined=True))
    lines = [t for t in figure.data if t.name == OUTLINE]
    assert [line.legendgroup for line in lines] == ["x", "y"]
    for line in lines:
        (own,) = (t for t in points(figure) if t.name == line.legendgroup)
        assert own.legendgroup == own.name, "they are switched off together"
        hull = Delaunay(np.stack([line.x, line.y], axis=-1))
        inside = hull.find_simplex(data.positions[:, :2]) >= 0
        assert inside[list(own.customdata)].all()
        assert min(line.x) < min(own.x)
        assert max(line.y) > max(own.y)
    assert OUTLINE not in {t.name for t in embedding_map(cut(data, 2), MapStyle()).data}


def test_labels_are_shown_as_they_are(data):
    figure = embedding_map(cut(data, 2), MapStyle(marks="labels"))
    texts = {t for trace in figure.data if trace.name == "labels" for t in trace.text}
    assert texts
    assert all("&lt;" in text and "<" not in text for text in texts)
    for trace in points(figure):
        assert all("&lt;" in text for text in trace.hovertext)
        assert "object" not in trace.hovertemplate, "a label in a template would be interpreted"


def test_scale_shows_error_bars_and_rises_with_the_stimulus(data):
    falling = cut(data, 1)
    falling.positions[:-1, 0] = -np.arange(N - 1)
    figure = embedding_map(falling, MapStyle(against="size", coverage=0.95))
    (trace,) = points(figure)
    assert np.corrcoef(trace.x, trace.y)[0, 1] == pytest.approx(1)
    bars = coverage_radius(0.95, 1) * np.sqrt(data.covariances[:-1, 0, 0])
    assert np.allclose(trace.error_y.array, bars)
    assert figure.layout.xaxis.title.text == "size"


def test_scale_without_a_stimulus_is_in_order(data):
    figure = embedding_map(cut(data, 1), MapStyle())
    found = drawn(figure)
    in_order = sorted(found, key=lambda i: found[i][1])
    assert [found[i][0] for i in in_order] == list(range(N - 1))
    assert len(figure.layout.xaxis.tickvals) == N - 1


@pytest.mark.parametrize("colour", [None, "kind", "size"])
def test_space_has_points_and_ellipsoids(data, colour):
    figure = embedding_map(data, MapStyle(flat=False, colour=colour))
    assert {type(trace) for trace in points(figure)} == {go.Scatter3d}
    assert sum(len(trace.customdata) for trace in points(figure)) == N - 1
    meshes = [t for t in figure.data if isinstance(t, go.Mesh3d)]
    corners = sum(len(mesh.x) for mesh in meshes)
    assert corners == (N - 1) * 84
    assert all(max(mesh.i) < len(mesh.x) for mesh in meshes)
    flat = embedding_map(data, MapStyle(flat=True, colour=colour))
    assert {type(trace) for trace in points(flat)} == {go.Scatter}


def outlined(figure) -> int:
    """How many ellipsoids are drawn as three circles."""
    lines = [t for t in figure.data if t.name == "ellipsoids" and isinstance(t, go.Scatter3d)]
    return sum(int(np.isnan(line.x).sum()) for line in lines) // 3


@pytest.mark.parametrize("n", [CROWD + 1, MANY + 1])
def test_a_crowd_in_space_has_outlines_and_selected_objects_have_surfaces(n):
    objects = pd.DataFrame({"id": [str(k) for k in range(n)], "label": ["x"] * n})
    where = np.random.default_rng(0).normal(size=(n, 3))
    for selected in ([], [3, 5]):
        data = MapData(where, objects, np.tile(np.eye(3), (n, 1, 1)), selected=selected)
        figure = embedding_map(data, MapStyle(flat=False))
        meshes = [t for t in figure.data if isinstance(t, go.Mesh3d)]
        assert sum(len(mesh.x) for mesh in meshes) == 84 * len(selected)
        assert outlined(figure) == (0 if selected else n if n <= MANY else SPREAD)


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("n", [0, 1, 2, 3, 2000])
def test_few_and_many_objects(n, d):
    rng = np.random.default_rng(0)
    objects = pd.DataFrame({"id": [str(k) for k in range(n)], "label": ["x" * 300] * n})
    covariances = np.tile(np.eye(d) / 100, (n, 1, 1))
    data = MapData(rng.normal(size=(n, d)), objects, covariances, selected=range(min(n, 1)))
    figure = embedding_map(data, MapStyle(flat=False))
    json.loads(figure.to_json())
    assert sum(len(trace.customdata) for trace in points(figure)) == n


def test_same_place_for_all_is_no_trouble():
    objects = pd.DataFrame({"id": list("abc"), "label": list("abc")})
    data = MapData(np.zeros((3, 2)), objects, np.zeros((3, 2, 2)))
    figure = embedding_map(data, MapStyle(colour="id"))
    assert np.isfinite(figure.layout.xaxis.range).all()


def test_captions_stay_with_files_only(data):
    words = "STE <b>, 2 dimensions. " * 12
    assert embedding_map(cut(data, 2), MapStyle(), caption=words).layout.title.text is None
    title = embedding_map(cut(data, 2), MapStyle(), caption=words, canvas=FILE).layout.title
    assert title.text.replace("<br>", " ") == words.strip().replace("<b>", "&lt;b&gt;")
    assert title.text.count("<br>") == 3


def test_files_scale_with_their_text(data):
    screen = embedding_map(cut(data, 2), MapStyle())
    file = embedding_map(cut(data, 2), MapStyle(), canvas=FILE)
    ratio = FONT_SIZE / 13
    assert points(file)[0].marker.size == pytest.approx(ratio * points(screen)[0].marker.size)
    assert file.layout.template.layout.paper_bgcolor == "#FFFFFF"
    assert file.layout.template.layout.font.size == FONT_SIZE


# Parts ----------------------------------------------------------------------------------------


def test_groups_use_colours_then_symbols():
    column = pd.Series([f"g{k:02d}" for k in range(15)] + [None])
    found = groups(column, 16)
    assert len({(g.colour, g.symbol) for g in found}) == 16
    assert len({g.colour for g in found}) == len(PALETTE)
    assert sorted(np.concatenate([g.members for g in found])) == list(range(16))
    sizes = [len(g.members) for g in groups(pd.Series(list("abbcccc")), 7)]
    assert sizes == [4, 2, 1]


def test_quantities_are_numbers_of_many_values():
    assert is_quantity(pd.Series(np.arange(10.0)))
    assert not is_quantity(pd.Series([1, 2, 3] * 5))
    assert not is_quantity(pd.Series(["a"] * 10))
    assert not is_quantity(pd.Series([True, False] * 10))


def test_loss_curves_draw_the_lowest_last():
    figure = loss_curves({0: [5.0, 3.0], 1: [4.0, 2.0, 1.0], 2: [6.0]})
    assert [trace.name for trace in figure.data] == ["restart 1", "restart 3", "restart 2"]
    assert figure.data[-1].line.color == PALETTE[0]
    assert len(loss_curves({}).data) == 0


# Trees ----------------------------------------------------------------------------------------


@pytest.fixture
def tree(data) -> ComparisonTreeData:
    positions = np.nan_to_num(data.positions)
    nodes = ComparisonTree(leaf_size=2).fit(positions).nodes_
    opened = np.flatnonzero(nodes.child >= 0).tolist()
    return ComparisonTreeData(nodes, data.objects, opened, "kind", {0: "/a.png"})


def trace(figure: go.Figure, name: str):
    return next(t for t in figure.data if t.name == name)


def test_a_tree_names_its_leaves_on_paper_as_on_the_screen(data):
    positions = np.nan_to_num(data.positions)
    nodes = ComparisonTree(leaf_size=1).fit(positions).nodes_
    opened = np.flatnonzero(nodes.child >= 0).tolist()
    words = ["alder", "beech", "cedar", "dogwood", "elderberry", "fir", "ginkgo", "hawthorn",
             "ironwood", "juniper", "katsura", "larch"]
    objects = data.objects.assign(label=words)
    tree = ComparisonTreeData(nodes, objects, opened)
    leaves = {tree.nearer_to(node) for node in tree.ends}
    for canvas in (Canvas(900.0, tree_height(tree)), FILE):
        figure = tree_diagram(tree, canvas=canvas)
        texts = [note.text for note in figure.layout.annotations]
        texts += [t for trace in figure.data if trace.mode == "text" for t in trace.text]
        assert {words[pivot][:3] for pivot in leaves} <= {text[:3] for text in texts}
    hanging = figure.layout.annotations
    assert len(hanging) == len(tree.ends)
    assert {note.textangle for note in hanging} == {-90}
    low, high = figure.layout.yaxis.range
    pixels = FILE.height / (high - low)
    for note in hanging:
        assert width_of([note.text], note.font.size)[0] < (note.y - low) * pixels


def test_a_tree_shows_every_node_and_member_once(tree):
    figure = tree_diagram(tree)
    assert sorted(trace(figure, "nodes").customdata) == list(range(len(tree.nodes.child)))
    objects, _ = tree.picked(
        [*trace(figure, "members").customdata, *trace(figure, "pictures").customdata]
    )
    alone = [tree.nearer_to(i) for i in tree.ends if not tree.listed(i)]
    assert sorted([*objects, *alone]) == list(range(N))
    x = dict(zip(trace(figure, "nodes").customdata, trace(figure, "nodes").x, strict=True))
    for node in np.flatnonzero(tree.nodes.child >= 0):
        left, right = x[tree.nodes.child[node]], x[tree.nodes.child[node] + 1]
        assert left < x[node] < right


def test_a_folded_node_hides_what_is_below_it(tree):
    folded = replace(tree, opened=[0])
    figure = tree_diagram(folded)
    assert trace(figure, "nodes").customdata == (0, 1, 2)
    assert folded.ends == [1, 2]
    height = [tree_height(t) for t in (folded, tree)]
    assert height[0] <= height[1]
    inner = [node for node in (1, 2) if tree.nodes.child[node] >= 0]
    assert inner
    toggles = [folded.toggle(node) for node in inner]
    assert list(trace(figure, "toggles").customdata) == [folded.toggle(0), *toggles]
    in_a_file = trace(tree_diagram(folded, canvas=FILE), "toggles")
    assert list(in_a_file.customdata) == toggles, "nothing is folded by a click there"


def test_clicks_on_a_tree_tell_objects_from_folding(tree):
    assert tree.picked([1]) == (tree.nodes.members(1).tolist(), [])
    assert tree.picked([tree.toggle(2)]) == ([], [2])
    assert tree.picked([tree.member(5), tree.member(5)]) == ([5], [])
    everything, _ = tree.picked([0, 1])
    assert sorted(everything) == list(range(N))


def test_bars_of_a_tree_are_divided_like_their_members(tree):
    figure = tree_diagram(replace(tree, opened=[]))
    widths = {}
    for name in ("a", "b"):
        x = np.array(trace(figure, name).x)
        widths[name] = np.nanmax(x) - np.nanmin(x)
    assert widths["a"] / widths["b"] == pytest.approx(2)


def test_a_tree_begins_with_few_ends():
    points = np.random.default_rng(0).normal(size=(500, 2))
    nodes = ComparisonTree(leaf_size=1).fit(points).nodes_
    objects = pd.DataFrame({"id": [str(i) for i in range(500)]}).assign(label="long name " * 9)
    data = ComparisonTreeData(nodes, objects, first_opened(nodes, 16))
    assert 4 < len(data.ends) <= 16
    assert all(len(text) < 40 for t in tree_diagram(data).data if t.text for text in t.text)


def test_cells_lie_behind_the_points(data):
    square = Region(np.array([[0, 0], [1, 0], [1, 1.0]]))
    nothing = Region(np.zeros((0, 2)))
    figure = divided(
        embedding_map(cut(data, 2), MapStyle(uncertainty=False)), [square, nothing]
    )
    assert figure.data[0].fill == "toself"
    assert len(figure.data[0].x) == 4
    assert figure.data[1].customdata is not None
    assert figure.data[-1].name != "displaced"


def test_objects_outside_of_their_cell_have_a_ring(data):
    positions = np.nan_to_num(data.positions[:, :2])
    there = embedding_map(replace(cut(data, 2), positions=positions), MapStyle())
    *_, rings = divided(there, [], positions[[2, 5]]).data
    assert rings.name == "displaced"
    assert np.array_equal(np.column_stack([rings.x, rings.y]), positions[[2, 5]])


def test_a_tree_writes_whole_names_where_they_have_room(data):
    nodes = ComparisonTree(leaf_size=4).fit(np.nan_to_num(data.positions)).nodes_
    labels = [f"a long name of object {i} of the list" for i in range(len(data.objects))]
    tree = ComparisonTreeData(nodes, data.objects.assign(label=labels), [0])
    for canvas in (Canvas(TREE_WIDTH, tree_height(tree)), Canvas(826.0, 364.0, screen=False)):
        figure = tree_diagram(tree, canvas=canvas)
        texts = [t for trace in figure.data if trace.mode == "text" for t in trace.text]
        for node in (1, 2):
            assert any(text.startswith(labels[tree.nearer_to(node)]) for text in texts)


def test_error_curves_draw_lines_and_levels():
    table = pd.DataFrame({
        "line": ["a", "a", "peer"], "m": [1, 10, np.nan], "error": [0.4, 0.2, 0.3],
        "low": [0.3, 0.1, 0.2], "high": [0.5, 0.3, 0.4],
    })
    figure = error_curves(table, line="line", x="m", value="error", canvas=FILE)
    line, level = trace(figure, "a"), trace(figure, "peer")
    assert list(line.error_y.array) == pytest.approx([0.1, 0.1])
    assert list(level.x) == [1, 10]
    assert list(level.y) == [0.3, 0.3]


def test_predictions_are_points_of_their_objects():
    truth = np.array([1.0, np.nan, 3.0])
    figure = predicted_against_true(truth, np.array([2.0, 2.0, 2.0]), list("abc"), name="size")
    assert figure.data[1].customdata == (0, 2)
    assert list(figure.data[1].x) == [1, 3]


def test_ellipses_of_objects_without_a_value_have_no_colour_of_the_scale(data):
    values = np.arange(float(N))
    values[3] = np.nan
    objects = data.objects.assign(size=values)
    found = shades(replace(data, objects=objects), MapStyle(colour="size"))
    (alone,) = (group for group in found if 3 in group.members)
    assert alone.members.tolist() == [3]
    assert alone.colour == FAINT
    assert sum(len(group.members) for group in found) == N


def test_an_object_without_a_place_takes_no_picture_from_the_others(data):
    shown = cut(data, 2, pictures={i: f"/{i}.png" for i in range(N)})
    images = embedding_map(shown, MapStyle(marks="pictures")).layout.images
    assert [image.source for image in images] == [f"/{i}.png" for i in range(N - 1)]
    assert all(image.sizex > 0 for image in images)
