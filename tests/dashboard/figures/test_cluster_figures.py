"""Figures of clusters: what their traces, numbers and ranges are; never their pixels."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from tripletscope.core.similarity.clusters.agglomerative import AgglomerativeClustering
from tripletscope.core.similarity.clusters.dendrogram import Dendrogram
from tripletscope.core.similarity.clusters.tanglegram import untangle
from tripletscope.core.similarity.kernels.space import Space
from tripletscope.dashboard.figures.clusters import count_curve, cross_table, together_matrix
from tripletscope.dashboard.figures.colours import groups, look
from tripletscope.dashboard.figures.dendrogram import (
    CUT,
    DendrogramData,
    Rows,
    dendrogram,
    on_branches,
    row_titles,
    screen_height,
)
from tripletscope.dashboard.figures.fonts import width_of
from tripletscope.dashboard.figures.tanglegram import tanglegram
from tripletscope.dashboard.figures.theme import FAINT, FONT_SIZE, NARROW, Canvas, remark
from tripletscope.dashboard.results.clusters import by_size, named
from tripletscope.pages.clusters.tree import members_of

N = 40
FILE = Canvas(390.0, 607.0, screen=False)


@pytest.fixture(scope="module")
def points() -> np.ndarray:
    """Three clumps of 20, 12 and 6 points, then two stragglers; object 3 is not placed."""
    rng = np.random.default_rng(0)
    centres = np.repeat([[0, 0], [9, 0], [0, 9], [30, 30]], [20, 12, 6, 2], axis=0)
    return centres + rng.normal(size=(N, 2))


@pytest.fixture(scope="module")
def tree(points) -> Dendrogram:
    placed = np.delete(np.arange(N), 3)
    space = Space(N, placed, vectors=points[placed])
    return AgglomerativeClustering(n_clusters=4).fit_space(space).tree_


@pytest.fixture
def data(tree) -> DendrogramData:
    objects = pd.DataFrame({"label": [f"object <{i}>" for i in range(N)]})
    return DendrogramData(tree, objects, by_size(tree.cut(4)), tree.height_for(4))


def marks(figure) -> dict[int, tuple]:
    """Coordinates and colour by node."""
    return {
        node: (x, y, trace.marker.color)
        for trace in figure.data if trace.customdata is not None
        for node, x, y in zip(trace.customdata, trace.x, trace.y, strict=True)
    }


def test_every_leaf_and_every_merge_can_be_picked(tree, data):
    rows = Rows(tree, N)
    figure = dendrogram(data, rows, title="distance")
    found = marks(figure)
    assert set(found) == set(range(2 * tree.n_leaves - 1))
    for node, (x, y, _) in found.items():
        assert x == pytest.approx(tree.heights[node])
        assert 0 < y < rows.total
    # each leaf has its row, in the order of the tree, and its label stands there
    rows_of_leaves = np.arange(tree.n_leaves) + 0.5
    assert [found[leaf][1] for leaf in tree.leaves] == pytest.approx(rows_of_leaves)
    ticks = dict(zip(figure.layout.yaxis.tickvals, figure.layout.yaxis.ticktext, strict=True))
    assert ticks[found[0][1]] == f"object &lt;{tree.objects[0]}&gt;"
    for node in range(tree.n_leaves, 2 * tree.n_leaves - 1):
        children = tree.children[node - tree.n_leaves]
        assert found[node][1] == pytest.approx(np.mean([found[c][1] for c in children]))


def test_clusters_take_the_palette_in_order_of_size(tree, data):
    found = marks(dendrogram(data, Rows(tree, N), title="distance"))
    for node in range(2 * tree.n_leaves - 1):
        inside = set(data.clusters[tree.members(node)])
        expected = look(inside.pop())[0] if len(inside) == 1 else FAINT
        assert found[node][2] == expected
    assert np.bincount(data.clusters[data.clusters >= 0]).tolist() == [19, 12, 6, 2]


def test_the_cut_is_a_line_that_every_stem_crosses_in_its_colour(tree, data):
    figure = dendrogram(data, Rows(tree, N), title="distance")
    (line,) = figure.layout.shapes
    assert (line.name, line.x0, line.x1, line.yref) == (CUT, data.height, data.height, "paper")
    # coloured lines end at the cut, grey ones begin there
    for trace in figure.data:
        if trace.mode == "lines" and trace.name.startswith("Cluster"):
            assert np.nanmax(trace.x) == pytest.approx(data.height, rel=1e-5)
            assert trace.line.color != FAINT
    (grey,) = [t for t in figure.data if t.mode == "lines" and t.name == ""]
    assert np.nanmin(grey.x) == pytest.approx(data.height, rel=1e-5)
    assert [t.name for t in figure.data if t.showlegend] == [
        "Cluster 1 (19)", "Cluster 2 (12)", "Cluster 3 (6)", "Cluster 4 (2)"
    ]


def test_collapsed_branches_say_what_they_hold(tree, data):
    rows = Rows(tree, 6)
    assert len(rows.nodes) == 6
    assert rows.sizes.sum() == tree.n_leaves
    assert sorted(np.concatenate([tree.members(n) for n in rows.nodes])) == sorted(tree.objects)
    titles = row_titles(data, rows)
    for node, size, title in zip(rows.nodes, rows.sizes, titles, strict=True):
        assert (f"{size} objects" in title) == (node >= tree.n_leaves)
    figure = dendrogram(data, rows, title="distance")
    assert set(marks(figure)) == {*rows.nodes, *rows.branches}
    wedges = [t for t in figure.data if t.name == "collapsed"]
    assert sum(np.isnan(t.x).sum() for t in wedges) == (rows.sizes > 1).sum()
    assert screen_height(rows, pictures=False) < screen_height(Rows(tree, N), pictures=False)


def test_selected_objects_are_marked_also_in_wedges(tree, data):
    chosen = tree.order[:3].tolist()
    for most in (N, 6):
        rows = Rows(tree, most)
        own = DendrogramData(tree, data.objects, data.clusters, data.height, selected=chosen)
        figure = dendrogram(own, rows, title="distance")
        bold = sum(text.startswith("<b>") for text in figure.layout.yaxis.ticktext)
        assert bold == (3 if most == N else len({
            k for k, node in enumerate(rows.nodes) if set(tree.members(node)) & set(chosen)
        }))
        (band,) = [t for t in figure.data if t.name == "selected"]
        area = np.nansum(np.abs(np.diff(np.array(band.y).reshape(-1, 6)[:, [0, 2]], axis=1)))
        shares = [len(set(tree.members(n)) & set(chosen)) / s for n, s in
                  zip(rows.nodes, rows.sizes, strict=True)]
        assert area == pytest.approx(float(np.dot(shares, rows.extents)))


def test_support_stands_at_its_branch(tree, data):
    support = np.linspace(0, 1, tree.n_leaves - 1)
    own = DendrogramData(tree, data.objects, data.clusters, data.height, support)
    rows = Rows(tree, N)
    figure = dendrogram(own, rows, title="distance", canvas=Canvas(900.0, 40.0 * N))
    texts = {
        node: text for trace in figure.data if trace.customdata is not None
        for node, text in zip(trace.customdata, trace.text, strict=True) if text
    }
    root = 2 * tree.n_leaves - 2
    assert root not in texts, "every tree has it"
    for node, text in texts.items():
        assert text == f"{100 * support[node - tree.n_leaves]:.0f}"
    assert len(texts) > 4
    assert f"Support is written at {len(texts)} of {tree.n_leaves - 2} branches" in remark(figure)
    flat = dendrogram(own, rows, title="distance", canvas=Canvas(900.0, 200.0))
    n_written = sum(bool(text) for t in flat.data if t.customdata is not None for text in t.text)
    assert n_written < len(texts)


def test_support_lies_on_no_line_and_on_no_other():
    # Leaves 0 to 3 stand below each other; 4 joins 0 and 1, 5 joins 4 and 2, 6 is the root.
    y = np.array([10.0, 30.0, 50.0, 70.0, 20.0, 35.0, 52.5])
    x = np.array([200.0, 200.0, 200.0, 200.0, 100.0, 60.0, 0.0])
    branches, children = np.array([4, 5, 6]), np.array([[0, 1], [4, 2], [5, 3]])
    texts = {4: "80", 5: "60", 6: "100"}
    assert on_branches(texts, branches, children, x, y, 9.0) == {4: "80", 5: "60"}
    assert on_branches(texts, branches, children, x, y, 25.0) == {5: "60"}, "above the picture"
    close = np.where(np.arange(7) == 4, 64.0, x)  # no room up to the line down to the other
    assert on_branches(texts, branches, children, close, y, 9.0) == {5: "60"}


def test_pictures_stand_at_their_leaves_and_names_where_there_are_none(tree, data):
    shown = {int(i): f"/{i}.png" for i in tree.objects[:30]}
    own = DendrogramData(tree, data.objects, data.clusters, data.height, pictures=shown)
    rows = Rows(tree, N)
    figure = dendrogram(own, rows, title="distance", marks="pictures")
    places = {image.source: image.y for image in figure.layout.images}
    for leaf in range(tree.n_leaves):
        if (i := int(tree.objects[leaf])) in shown:
            assert places[shown[i]] == rows.places[leaf]
    assert sum(bool(text) for text in figure.layout.yaxis.ticktext) == tree.n_leaves - 30
    assert figure.layout.xaxis.domain[1] < 1


def test_the_axis_leaves_out_what_is_below_a_high_first_merge():
    merges = np.array([[0, 1, 0.50, 2], [2, 3, 0.55, 3], [4, 5, 0.6, 4]])
    tree = Dendrogram(merges, np.arange(4), 4)
    objects = pd.DataFrame({"label": list("abcd")})
    data = DendrogramData(tree, objects, np.zeros(4, dtype=int), 0.61)
    figure = dendrogram(data, Rows(tree, 4), title="distance")
    left, right = figure.layout.xaxis.range
    assert left > 0.6
    assert 0.4 < right < 0.5


def test_a_file_has_its_caption_and_nothing_is_too_small_to_read(tree, data):
    figure = dendrogram(data, Rows(tree, N), title="distance", caption="Average linkage.",
                        canvas=FILE)
    assert "Average linkage." in figure.layout.title.text
    assert figure.layout.yaxis.tickfont.size < FONT_SIZE
    flat = Canvas(390.0, 146.0, screen=False)
    few = dendrogram(data, Rows(tree, N), title="distance", canvas=flat)
    assert len(few.layout.yaxis.ticktext) < 8
    assert few.layout.yaxis.tickfont.size > 0.5 * FONT_SIZE
    assert "of 39 labels hidden" in few.layout.title.text
    json.loads(figure.to_json())


def test_many_clusters_need_few_traces(points):
    tree = AgglomerativeClustering(n_clusters=2).fit_space(
        Space(400, np.arange(400), vectors=np.random.default_rng(1).normal(size=(400, 2)))
    ).tree_
    objects = pd.DataFrame({"label": [str(i) for i in range(400)]})
    data = DendrogramData(tree, objects, by_size(tree.cut(300)), tree.height_for(300))
    figure = dendrogram(data, Rows(tree, 400), title="distance")
    assert len(figure.data) < 200
    assert not figure.layout.showlegend


def test_picking_several_means_the_leaves_among_them(tree):
    rows = Rows(tree, N)
    root = 2 * tree.n_leaves - 2
    assert members_of(rows, [root]) == tree.order.tolist()
    assert members_of(rows, [root, 0, 1]) == tree.objects[[0, 1]].tolist()
    assert set(members_of(rows, [root - 1, root])) == set(tree.order)


def test_two_trees_join_equal_leaves(points, tree):
    placed = tree.objects
    other = AgglomerativeClustering(n_clusters=4, linkage="single").fit_space(
        Space(N, placed, vectors=points[placed])
    ).tree_
    found = untangle(tree, other)
    clusters = by_size(found.first.cut(4))
    objects = pd.DataFrame({"label": [f"object {i}" for i in range(N)]})
    figure = tanglegram(found, objects, clusters, titles=("one", "two"), selected=[0])
    left, right = (
        dict(zip(trace.customdata, trace.y, strict=True))
        for trace in figure.data if trace.customdata is not None
    )
    assert set(left) == set(right) == set(placed.tolist())
    assert sorted(left, key=left.get) == found.first.order.tolist()
    assert sorted(right, key=right.get) == found.second.order.tolist()
    ends = set()
    for trace in figure.data:
        if trace.name == "same leaves":
            ends |= {(a, b) for a, b, _ in np.array(trace.y).reshape(-1, 3)}
    assert ends == {(left[i], right[i]) for i in left}


def test_two_large_trees_are_collapsed_and_lines_end_in_the_row_of_their_object(tree):
    objects = pd.DataFrame({"label": [f"object {i}" for i in range(N)]})
    other = untangle(tree, tree)
    figure = tanglegram(other, objects, np.zeros(N, int), titles=("one", "two"), most=5)
    rows = Rows(other.first, 5)
    assert len(rows.nodes) == 5 < tree.n_leaves
    left = next(trace for trace in figure.data if trace.customdata is not None)
    place = dict(zip(left.customdata, left.y, strict=True))
    below = np.cumsum(rows.extents)
    for node, end, extent in zip(rows.nodes, below, rows.extents, strict=True):
        for member in other.first.members(node):
            assert end - extent < place[member] < end
    names = next(trace for trace in figure.data if trace.name == "names")
    assert len(names.text) == 5
    assert sum(trace.name == "collapsed" for trace in figure.data) >= 2


@pytest.mark.parametrize("canvas", [Canvas(), FILE])
def test_names_between_two_trees_have_columns_of_their_own(tree, canvas):
    objects = pd.DataFrame({"label": [f"stimulus number {i} of the first list" for i in range(N)]})
    figure = tanglegram(
        untangle(tree, tree), objects, np.zeros(N, dtype=int), titles=("one", "two"),
        selected=[7], canvas=canvas,
    )
    left, right = (trace for trace in figure.data if trace.name == "names")
    for trace in (left, right):
        assert "<b>…7…</b>" in trace.text, "named on paper, too"
        assert trace.textfont.size > 0.5 * FONT_SIZE
    begin, end = figure.layout.xaxis3.domain
    assert (figure.layout.xaxis.domain[1], figure.layout.xaxis2.domain[0]) == (begin, end)
    width = min(canvas.width, NARROW) if canvas.screen else canvas.width
    column = left.x[0] * (end - begin) * width
    assert max(width_of(["…17…"], left.textfont.size)) < column < 0.25 * width
    n_hidden = 2 * tree.n_leaves - len([*left.text, *right.text])
    if n_hidden:
        assert f"{n_hidden} of {2 * tree.n_leaves} labels" in figure.layout.meta["remark"]


def test_a_categorical_column_keeps_its_order():
    column = named(np.array([1, 1, 1, 0, -1]))
    found = groups(column, 5)
    assert [(g.label, g.members.tolist()) for g in found] == [
        ("Cluster 1", [3]), ("Cluster 2", [0, 1, 2])
    ]
    assert [g.colour for g in found] == [look(0)[0], look(1)[0]]


def test_clusters_are_numbered_by_size():
    assert by_size(np.array([0, 1, 1, -1, 2, 2, 2])).tolist() == [2, 1, 1, -1, 0, 0, 0]


def test_criteria_mark_the_best_number():
    figure = count_curve(np.arange(2, 6), np.array([0.1, 0.4, 0.2, 0.1]), None,
                         title="silhouette", best=3, shown=5)
    assert list(figure.data[0].marker.symbol).index("diamond") == 1
    assert figure.layout.shapes[0].x0 == 5
    none = count_curve(np.arange(2, 6), np.array([0.1, 0.4, 0.95, 0.1]), np.full(4, 0.2),
                       title="stability", most=1.0)
    assert "diamond" not in none.data[0].marker.symbol
    beside = count_curve(
        np.arange(2, 6), np.array([0.1, 0.4, 0.95, 0.1]), None, title="silhouette",
        expected=(np.full(4, 0.2), np.full(4, 0.5)), counted=np.array([True, True, True, False]),
    )
    (line,) = (trace for trace in beside.data if trace.line.dash == "dash")
    assert set(line.y) == {0.5}, "what has to be exceeded"
    assert list(beside.data[-1].marker.symbol) == ["circle"] * 3 + ["circle-open"]
    bars = none.data[0].error_y
    assert list(bars.array) == pytest.approx([0.2, 0.2, 0.05, 0.2])
    assert list(bars.arrayminus) == pytest.approx([0.2] * 4)


def test_objects_share_cells_where_there_are_many():
    n = 1_200
    clusters = np.repeat([0, 1], n // 2)
    together = (clusters[:, None] == clusters).astype(np.float32)
    together[0, 1] = np.nan
    figure = together_matrix(together, np.arange(n), clusters, [str(i) for i in range(n)])
    values = figure.data[0].z
    assert values.shape == (400, 400)
    assert values[0, 0] == 1.0
    assert values[0, -1] == 0.0
    assert figure.layout.xaxis.range[1] == n - 0.5


def test_the_cross_table_shows_counts_and_shares():
    table = pd.DataFrame([[3, 1], [0, 2]], index=["Cluster 1", "Cluster 2"], columns=["a", "b"])
    heat = cross_table(table).data[0]
    assert np.array(heat.z).tolist() == [[0.75, 0.25], [0.0, 1.0]]
    assert np.array(heat.text).tolist() == [["3", "1"], ["", "2"]]
