"""Labels lie neither on each other nor on points, pictures or the edge."""

from __future__ import annotations

import itertools
import tracemalloc

import numpy as np
import pandas as pd
import pytest

from tripletscope.dashboard.figures.fonts import width_of
from tripletscope.dashboard.figures.map import embedding_map
from tripletscope.dashboard.figures.placing import (
    PLACES,
    Spot,
    by_importance,
    place_labels,
    row_labels,
)
from tripletscope.dashboard.figures.points import DIM_TEXT, MapData, MapStyle
from tripletscope.dashboard.figures.theme import Canvas

SIZE, RADIUS, ROOM = 12.0, 3.5, [0.0, 0.0, 500.0, 400.0]


def crowd(n: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).uniform([5, 5], [495, 395], size=(n, 2))


def texts(points: np.ndarray, first: list[int] | None = None) -> dict[int, str]:
    order = by_importance(points, range(len(points)), first or [], font_size=SIZE)
    return {i: f"label {i}" for i in order}


def box(point: np.ndarray, spot: Spot, text: str) -> np.ndarray:
    """Left, lower, right and upper edge of a label as plotly draws it."""
    half = np.array([width_of([text], SIZE)[0] / 2, 0.475 * SIZE])
    gap = 1.25 * RADIUS + 1
    if spot.position:
        centre = point + np.array(PLACES[spot.position]) * (half + gap)
    else:
        centre = point + SIZE * np.array(spot.offset)
    return np.concatenate([centre - half, centre + half])


def cover(one: np.ndarray, other: np.ndarray) -> bool:
    return bool(np.all(one[:2] < other[2:]) and np.all(other[:2] < one[2:]))


@pytest.mark.parametrize("n", [1, 3, 40, 150, 400])
def test_labels_cover_nothing(n):
    points, blocked = crowd(n), np.array([[100.0, 100.0, 180.0, 180.0]])
    names = texts(points)
    spots = place_labels(
        points, names, font_size=SIZE, room=ROOM, radius=RADIUS, blocked=blocked
    )
    assert len(spots) == n if n <= 3 else len(spots) > 10
    boxes = {i: box(points[i], spot, names[i]) for i, spot in spots.items()}
    marks = np.hstack([points - RADIUS, points + RADIUS])
    for one in boxes.values():
        assert np.all(one[:2] >= 0)
        assert np.all(one[2:] <= ROOM[2:])
        assert not any(cover(one, mark) for mark in [*marks, *blocked])
    assert not any(cover(a, b) for a, b in itertools.combinations(boxes.values(), 2))
    away = [spot for spot in spots.values() if not spot.position]
    assert len(away) <= 40
    assert not any(spot.position == "" for spot in place_labels(
        points, names, font_size=SIZE, room=ROOM, radius=RADIUS, lines=False
    ).values())


def test_selected_labels_come_first_and_then_the_extreme_ones():
    points = np.vstack([crowd(600), [[250.0, 200.0]]])
    points[7] = [499.0, 200.0]
    order = by_importance(points, range(601), [600, 300], font_size=SIZE)
    assert order[:2] == [600, 300]
    assert 7 in order[:34]
    names = {i: f"label {i}" for i in order}
    placed = place_labels(points, names, font_size=SIZE, room=ROOM, radius=RADIUS, over=[600])
    assert 600 in placed, "on points rather than nowhere"
    assert by_importance(points, [], [600], font_size=SIZE) == []
    assert by_importance(points, [3, 9], [600, 9], font_size=SIZE) == [9, 3]


def test_labels_that_were_moved_stay_and_others_make_way():
    points = crowd(60)
    names = texts(points)
    before = place_labels(points, names, font_size=SIZE, room=ROOM, radius=RADIUS)
    here, other = list(before)[:2]
    onto = tuple((points[other] - points[here]) / SIZE + before[other].offset)
    after = place_labels(
        points, names, font_size=SIZE, room=ROOM, radius=RADIUS, moved={here: onto, 999: (0, 0)}
    )
    assert after[here].offset == pytest.approx(onto)
    assert after.get(other) != before[other]
    far = place_labels(
        points, {0: "far away"}, font_size=SIZE, room=ROOM, radius=RADIUS, moved={0: (900, 900)},
        kept_inside=True,
    )
    assert np.all(box(points[0], far[0], "far away")[2:] <= ROOM[2:])


def test_time_and_memory_are_bounded():
    points = crowd(50_000)
    order = by_importance(points, range(50_000), [49_999], font_size=SIZE)
    assert len(order) == 2_000
    assert order[0] == 49_999
    names = {i: f"label {i}" for i in order}
    tracemalloc.start()
    place_labels(points, names, font_size=SIZE, room=[0, 0, 2000, 1500], radius=2.0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50e6


def test_nothing_to_place():
    assert place_labels(np.zeros((0, 2)), {}, font_size=SIZE, room=ROOM, radius=RADIUS) == {}
    same = np.full((30, 2), 200.0)
    names = texts(same)
    assert place_labels(same, names, font_size=SIZE, room=ROOM, radius=RADIUS)


def a_map(n: int, **changes) -> MapData:
    rng = np.random.default_rng(1)
    objects = pd.DataFrame({
        "id": [str(k) for k in range(n)],
        "label": [f"stimulus number {k:04d} of the first list" for k in range(n)],
    })
    return MapData(rng.normal(size=(n, 2)), objects, **changes)


def shown(figure) -> list[str]:
    at_points = [text for trace in figure.data if trace.name == "labels" for text in trace.text]
    return at_points + [note.text for note in figure.layout.annotations]


@pytest.mark.parametrize("canvas", [Canvas(), Canvas(390.0, 312.0, screen=False)])
def test_a_map_says_how_many_labels_are_hidden(canvas):
    figure = embedding_map(a_map(300), MapStyle(), caption="A map.", canvas=canvas)
    labels = shown(figure)
    assert 20 < len(labels) < 300
    assert all(len(label) == 6 and label[0] == label[-1] == "…" for label in labels)
    words = f"{300 - len(labels)} of 300 labels hidden."
    assert figure.layout.meta["remark"] == words
    if not canvas.screen:
        assert words in figure.layout.title.text.replace("<br>", " ")
    few = embedding_map(a_map(3), MapStyle(), canvas=canvas)
    assert len(shown(few)) == 3
    assert few.layout.meta is None


def test_only_objects_in_view_are_named():
    data = a_map(40)
    corners = np.array([-0.5, -0.5]), np.array([0.5, 0.5])
    figure = embedding_map(data, MapStyle(), window=corners)
    assert figure.layout.xaxis.range == (-0.5, 0.5)
    inside = np.flatnonzero((np.abs(data.positions) <= 0.5).all(axis=1))
    assert 0 < len(inside) < 20
    assert set(shown(figure)) == {f"…{i:04d}…" for i in inside}


def test_selected_objects_are_named_on_a_crowded_map():
    figure = embedding_map(a_map(2_000, selected=(5, 1_700)), MapStyle())
    assert {"…0005…", "…1700…"} <= set(shown(figure))
    notes = [note for note in figure.layout.annotations if note.text not in ("…0005…", "…1700…")]
    assert {note.font.color for note in notes} == {DIM_TEXT}
    only = embedding_map(a_map(2_000, selected=(5, 1_700)), MapStyle(marks="points"))
    assert sorted(shown(only)) == ["…0005…", "…1700…"]


def test_only_a_few_labels_lie_on_points():
    x, y = np.meshgrid(np.arange(0.0, 300.0, 4.0), np.arange(0.0, 300.0, 4.0))
    points = np.stack([x.ravel(), y.ravel()], axis=-1)
    look = {"font_size": 12.0, "room": [0.0, 0.0, 300.0, 300.0], "radius": 2.0, "lines": False}
    for n in (5, 200):
        texts = dict.fromkeys(range(500, 500 + n), "a name")
        spots = place_labels(points, texts, over=list(texts), **look)
        assert (n == 5) == bool(spots)


@pytest.mark.parametrize("pitch", [0.01, 1.0, 5.0, 8.0, 12.0, 40.0])
@pytest.mark.parametrize("n", [1, 2, 36, 500])
def test_names_of_rows_have_room_and_are_readable(n, pitch):
    places = np.arange(n, dtype=float)
    size, shown = row_labels(places, pitch, 12.0, first=[n // 2])
    assert 0.6 * 12 <= size <= 12.0
    assert np.all(np.diff(places[shown]) * pitch >= size)
    assert n // 2 in shown, "the selected one first"
    if pitch >= 14:
        assert (size, shown) == (12.0, list(range(n)))
    elif pitch >= 9:
        assert size < 12.0 or n == 1
        assert shown == list(range(n)), "smaller before there are fewer"


def test_there_are_no_rows_without_objects():
    assert row_labels(np.empty(0), 10.0, 12.0) == (12.0, [])


def test_labels_in_space_do_not_collide_as_the_map_opens():
    rng = np.random.default_rng(0)
    data = MapData(rng.normal(size=(200, 3)), a_map(200).objects, selected=(17,))
    figure = embedding_map(data, MapStyle(flat=False))
    bold, faint = (trace for trace in figure.data if trace.name == "labels")
    assert (bold.text, bold.textfont.weight) == (("…0017…",), 600)
    assert np.isfinite(bold.x).all()
    assert 10 < np.isfinite(faint.x).sum() < 199 == len(faint.text)
    assert np.isfinite(faint.meta["x"]).all(), "the page may show others once the map is turned"
    assert figure.layout.meta["remark"] == "Labels without room are hidden."
    paper = Canvas(390.0, 312.0, screen=False)
    file = embedding_map(data, MapStyle(flat=False), canvas=paper)
    bold, faint = (trace for trace in file.data if trace.name == "labels")
    n_hidden = 199 - np.isfinite(faint.x).sum()
    assert file.layout.meta["remark"] == f"{n_hidden} of 200 labels hidden."
    few = embedding_map(MapData(data.positions[:4], a_map(4).objects), MapStyle(flat=False))
    assert sum(len(trace.text) for trace in few.data if trace.name == "labels") == 4
    assert few.layout.meta is None


def test_a_scale_names_the_selected_objects_and_says_how_many_are_not():
    n = 300
    rng = np.random.default_rng(0)
    data = MapData(rng.normal(size=(n, 1)), a_map(n).objects, selected=(123,))
    figure = embedding_map(data, MapStyle())
    assert "…0123…" in figure.layout.xaxis.ticktext
    n_named = len(figure.layout.xaxis.ticktext)
    assert figure.layout.meta["remark"] == f"{n - n_named} of {n} labels hidden."


def test_a_label_that_was_moved_is_where_it_was_put_at_every_size():
    data = a_map(40, moved={3: (2.5, -4.0)})
    for canvas in (Canvas(), Canvas(826.0, 607.0, screen=False)):
        figure = embedding_map(data, MapStyle(), canvas=canvas)
        (note,) = (note for note in figure.layout.annotations if note.name == "label 3")
        assert note.text == "…0003…"
        assert (note.ax, note.ay) == pytest.approx((2.5 * note.font.size, 4.0 * note.font.size))
        assert (note.x, note.y) == tuple(data.positions[3])
        assert shown(figure).count("…0003…") == 1


def test_beside_pictures_the_labels_of_what_is_not_selected_are_faint():
    data = a_map(4, selected=(1,), pictures={0: "/a.png"})
    figure = embedding_map(data, MapStyle(marks="pictures"))
    faint, plain = (trace for trace in figure.data if trace.name == "labels")
    assert (set(faint.ids), faint.textfont.color) == ({"label 2", "label 3"}, DIM_TEXT)
    assert (plain.ids, plain.textfont.color) == (("label 1",), None)


def test_a_label_nearer_to_another_point_has_a_line():
    """`cup_1400ml` stood at the next vessel."""
    points = 200.0 + np.array([[0, 0], [16, 0], [-16, 0], [40, 0], [0, 16.5], [0, -16.5]])
    given = {"font_size": SIZE, "room": ROOM, "radius": np.array([3.5] * 4 + [2.0] * 2)}
    near = place_labels(points, {0: "cup"}, lines=False, **given)[0]
    assert near.position in ("top right", "bottom right", "top left", "bottom left")
    assert place_labels(points, {0: "cup"}, **given)[0].position == ""
    assert place_labels(points, {3: "cup"}, **given)[3].position.endswith("right")
    right = 13.5 + width_of(["cup"], SIZE)[0] + 13.2  # free, but nearer to the next mark
    for beside, position in ((right, "top center"), (right + 9, "middle right")):
        found = place_labels(np.array([[200.0, 200], [200 + beside, 200]]), {0: "cup"},
                             **{**given, "radius": 10.0})
        assert found[0].position == position
