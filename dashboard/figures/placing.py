"""Places of labels that are free in a bitmap of the canvas (Kittivorawong et al., 2020, IEEE VIS).

Matplotlib's packages for it (adjustText, textalloc) compare labels pair by pair, for hours.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from tripletscope.dashboard.figures.fonts import width_of
from tripletscope.dashboard.figures.labels import WIDTH, escape, short_names

#: Plotly's names of places around a point, the best first (Imhof, 1975), and their directions.
PLACES = {
    "middle right": (1, 0), "top right": (1, 1), "bottom right": (1, -1), "top center": (0, 1),
    "bottom center": (0, -1), "middle left": (-1, 0), "top left": (-1, 1),
    "bottom left": (-1, -1),
}
#: Distances of labels with a line to their point, in sizes of the font.
_FURTHER = (1.1, 2.4)
#: Most labels to try, and most lines.
_CONSIDERED, _LINES = 2_000, 40
#: Height of a line of text, and room beside and above a label, in sizes of the font.
_HEIGHT, _BESIDE, _ABOVE = 0.95, 0.12, 0.04
_OVER = 20  # labels that may lie on points; more would hide them
_DIRECTIONS = 32  # in which objects can be extreme
_CELLS = 1_000_000  # of the raster, at most
_SQUARES = 256  # along a side, in which points are counted


@dataclass(frozen=True)
class Spot:
    """Position of a label.

    position: Plotly's ``textposition`` of a label at its point; empty for one that is further away.
    offset: From the point to the middle of the label, to the right and upwards, in sizes of its
        font.
    """

    position: str
    offset: tuple[float, float]


def by_importance(
    points: np.ndarray, among: Collection[int], first: Collection[int], *, font_size: float
) -> list[int]:
    """Labels in the order in which they get a place, at most two thousand.

    First the selected ones, then the extreme ones in any direction, then by number of neighbours.
    points (n, 2): In pixels.
    """
    among = np.array(sorted(among), dtype=int)
    if not len(among):
        return []
    wanted = set(among.tolist())
    angle = np.linspace(0, 2 * np.pi, _DIRECTIONS, endpoint=False)
    offset = points[among] - points[among].mean(axis=0)
    extreme = among[np.argmax(offset @ np.array([np.cos(angle), np.sin(angle)]), axis=0)]
    crowd = _neighbours(points, 3 * font_size)[among]
    alone = among[np.argsort(crowd, kind="stable")]
    order = dict.fromkeys([*(i for i in first if i in wanted), *extreme.tolist(), *alone.tolist()])
    return list(order)[:_CONSIDERED]


def _neighbours(points: np.ndarray, reach: float) -> np.ndarray:
    """(n,) number of points near each, roughly: in its square and those around it."""
    low, high = points.min(axis=0), points.max(axis=0)
    reach = max(reach, float(np.max(high - low)) / _SQUARES)
    x, y = (np.floor((points - low) / reach).astype(np.int64) + 1).T
    side = _SQUARES + 3
    count = np.bincount(x * side + y, minlength=side * side).reshape(side, side)
    for axis in (0, 1):
        count = count + np.roll(count, 1, axis=axis) + np.roll(count, -1, axis=axis)
    return count[x, y]


def place_labels(
    points: np.ndarray,
    texts: Mapping[int, str],
    *,
    font_size: float,
    room: Sequence[float],
    radius: float | np.ndarray,
    blocked: np.ndarray | None = None,
    lines: bool = True,
    over: Collection[int] = (),
    moved: Mapping[int, tuple[float, float]] | None = None,
    kept_inside: bool = False,
) -> dict[int, Spot]:
    """A free place for every label, as long as there is one; all in pixels, upwards.

    points (n, 2): No label lies on any of them.
    texts: Labels of some of the points, by descending importance.
    room: Left, lower, right and upper edge of the area for labels.
    blocked (k, 4): Further boxes without labels, by their edges.
    lines: Whether labels may be away from their points, with a line.
    over: Labels that lie on points rather than nowhere, unless they are too many.
    moved: Offsets (see `Spot`) of labels that a user has dragged; always there, before all others.
    kept_inside: Whether these, too, stay in `room`, which may be smaller than a page.
    """
    moved = {i: offset for i, offset in (moved or {}).items() if i in texts}
    over = over if len(over) <= _OVER else ()
    order = [*moved, *(i for i in texts if i not in moved)]
    if not order:
        return {}
    radii = np.broadcast_to(np.asarray(radius, dtype=float), len(points))
    marks = np.hstack([points - radii[:, None], points + radii[:, None]])
    if blocked is not None and len(blocked):
        marks = np.vstack([marks, blocked])
    raster = _Raster(room, marks)
    width = width_of([texts[i] for i in order], font_size) / font_size
    names, offsets = _offsets(width, 1.25 * radii[order] / font_size + 1 / font_size)
    half = np.stack([width / 2 + _BESIDE, np.full(len(order), _HEIGHT / 2 + _ABOVE)], axis=-1)
    centre = points[order][:, None] + font_size * offsets
    reach = font_size * half[:, None]
    boxes = raster.cells(np.concatenate([centre - reach, centre + reach], axis=-1))
    placing = _Placing(
        points, radii, raster, names, offsets, centre, reach[:, 0], boxes, _LINES if lines else 0,
    )
    for k, i in enumerate(moved):
        at = raster.put(points[i], points[i] + font_size * np.array(moved[i]),
                        font_size * half[k], room if kept_inside else None)
        placing.spots[i] = Spot("", tuple(((at - points[i]) / font_size).tolist()))
    doubtful = [
        (k, i) for k, i in enumerate(order)
        if i not in moved and placing.put_clearly(k, i, may_cover=i in over)
    ]
    # Once all have a place, a line tells whose a label is that lies nearer to another point.
    for k, i in doubtful:
        placing.put(k, i, np.flatnonzero(placing.free[k, len(PLACES):]) + len(PLACES))
    return placing.spots


class _Placing:
    """Labels with the places that each may take, and the spots that they got.

    Shapes: points (n, 2), radii (n,); of labels and places offsets and centre (k, places, 2),
        boxes (k, places, 4); reach (k, 2).
    """

    def __init__(
        self, points: np.ndarray, radii: np.ndarray, raster: _Raster, names: list[str],
        offsets: np.ndarray, centre: np.ndarray, reach: np.ndarray, boxes: np.ndarray,
        n_lines: int,
    ) -> None:
        self._points, self._radii, self._raster, self._n_lines = points, radii, raster, n_lines
        self._names, self._offsets, self._boxes = names, offsets, boxes
        self._centre, self._reach, self._tree = centre, reach, cKDTree(points)
        self._inside, self.free = raster.inside(boxes), raster.unmarked(boxes)
        self.spots: dict[int, Spot] = {}

    def put_clearly(self, k: int, i: int, *, may_cover: bool) -> bool:
        """Give a label a place, if possible where it is clear whose it is; whether it is not."""
        tried = [p for p in np.flatnonzero(self.free[k]).tolist()
                 if self._raster.is_free(self._boxes[k, p])]
        near = [p for p in tried if p < len(PLACES)]
        if may_cover:
            near += np.flatnonzero(self._inside[k, : len(PLACES)]).tolist()
        doubt = dict(zip(near, self._unclear(k, i, near), strict=True))
        tried.sort(key=lambda p: doubt.get(p, 2))
        return bool(doubt.get(self.put(k, i, dict.fromkeys([*tried, *near])), False))

    def put(self, k: int, i: int, tried: Iterable[int]) -> int | None:
        """Give a label the first of some places that is free; which one."""
        for p in tried:
            if self._raster.is_free(self._boxes[k, p]) and (
                p < len(PLACES) or self._takes_line(i, self._centre[k, p], self._reach[k])
            ):
                self._raster.take(self._boxes[k, p])
                self.spots[i] = Spot(self._names[p], tuple(self._offsets[k, p].tolist()))
                return p
        return None

    def _takes_line(self, i: int, centre: np.ndarray, reach: np.ndarray) -> bool:
        """Take the line from a label to its point, if it is free."""
        if not self._n_lines:
            return False
        point = self._points[i]
        end = centre + np.clip(point - centre, -reach, reach)
        if not self._raster.line_is_free(point, end, self._radii[i]):
            return False
        self._raster.take_line(point, end)
        self._n_lines -= 1
        return True

    def _unclear(self, k: int, own: int, places: list[int]) -> Iterable[bool]:
        """Whether a label would lie nearer to another point than to its own, in some places."""
        if not places:
            return ()
        half = self._reach[k]
        others = np.array(self._tree.query_ball_point(self._points[own], 3 * half.sum()))
        away = np.abs(self._centre[k, places][:, None] - self._points[others]) - half
        far = np.hypot(*np.moveaxis(np.maximum(away, 0.0), -1, 0)) - self._radii[others]
        return (far < far[:, others == own]).any(axis=1)


def _offsets(width: np.ndarray, gap: np.ndarray) -> tuple[list[str], np.ndarray]:
    """Names of the places, and (k, places, 2) the middle of every label at each, from its point.

    Plotly draws a text beside a mark at 1.25 of its radius and a pixel.
    """
    sides = np.array(list(PLACES.values()), dtype=float)
    size = np.stack([width / 2, np.full(len(width), _HEIGHT / 2)], axis=-1)[:, None]
    rings = [
        sides * (size + gap[:, None, None] + further) for further in (0.0, *_FURTHER)
    ]
    names = [*PLACES, *[""] * (len(_FURTHER) * len(PLACES))]
    return names, np.concatenate(rings, axis=1)


class _Raster:
    """The taken parts of a canvas, in small squares."""

    def __init__(self, room: Sequence[float], marks: np.ndarray) -> None:
        self._low = np.array(room[:2], dtype=float)
        size = np.maximum(np.array(room[2:], dtype=float) - self._low, 1.0)
        self._cell = max(1.0, float(np.sqrt(np.prod(size) / _CELLS)))
        self._shape = tuple(np.maximum((size / self._cell).astype(int), 1).tolist())
        self._taken = np.zeros(self._shape, dtype=bool)
        marked = self._marked(marks)
        # Summed over all squares left of and below each, see Crow (1984).
        self._sum = np.zeros(np.add(self._shape, 1), dtype=np.int32)
        self._sum[1:, 1:] = marked.cumsum(axis=0, dtype=np.int32).cumsum(axis=1)

    def _marked(self, boxes: np.ndarray) -> np.ndarray:
        """Whether a box lies on each square; boxes end at the edge of the canvas."""
        corner = np.zeros(np.add(self._shape, 1), dtype=np.int32)
        left, low, right, high = np.clip(
            self.cells(boxes), 0, np.tile(self._shape, 2)
        ).T
        for x, y, sign in ((left, low, 1), (right, low, -1), (left, high, -1), (right, high, 1)):
            np.add.at(corner, (x, y), sign)
        return corner.cumsum(axis=0).cumsum(axis=1)[:-1, :-1] > 0

    def cells(self, boxes: np.ndarray) -> np.ndarray:
        """Boxes in pixels as the first square and the one after the last, in either direction."""
        scaled = (boxes - np.tile(self._low, 2)) / self._cell
        return np.concatenate(
            [np.floor(scaled[..., :2]), np.ceil(scaled[..., 2:])], axis=-1
        ).astype(int)

    def inside(self, boxes: np.ndarray) -> np.ndarray:
        """Whether boxes are inside of the canvas."""
        return (boxes[..., :2] >= 0).all(axis=-1) & (boxes[..., 2:] <= self._shape).all(axis=-1)

    def unmarked(self, boxes: np.ndarray) -> np.ndarray:
        """Whether boxes are inside of the canvas, and not on a mark."""
        left, low, right, high = np.moveaxis(np.clip(boxes, 0, np.tile(self._shape, 2)), -1, 0)
        marks = (
            self._sum[right, high] - self._sum[left, high] - self._sum[right, low]
            + self._sum[left, low]
        )
        return self.inside(boxes) & (marks == 0)

    def is_free(self, box: np.ndarray) -> bool:
        left, low, right, high = box.tolist()
        return not self._taken[left:right, low:high].any()

    def take(self, box: np.ndarray) -> None:
        left, low, right, high = np.maximum(box, 0).tolist()
        self._taken[left:right, low:high] = True

    def put(
        self, point: np.ndarray, at: np.ndarray, half: np.ndarray, room: Sequence[float] | None
    ) -> np.ndarray:
        """Take a place for a label and its line, within a room if there is one; its middle."""
        if room is not None:
            at = np.maximum(np.minimum(at, room[2:] - half), room[:2] + half)
        self.take(self.cells(np.concatenate([at - half, at + half])))
        self.take_line(point, at)
        return at

    def line_is_free(self, start: np.ndarray, end: np.ndarray, radius: float) -> bool:
        """Whether a line touches no label, and no mark but its own at the start."""
        x, y = self._along(start, end)
        away = np.hypot(*(np.stack([x, y]) * self._cell + (self._low - start)[:, None]))
        if self._taken[x, y].any():
            return False
        one = np.stack([x, y, x + 1, y + 1], axis=-1)[away > 1.5 * radius + 2]
        return bool(self.unmarked(one).all())

    def take_line(self, start: np.ndarray, end: np.ndarray) -> None:
        self._taken[self._along(start, end)] = True

    def _along(self, start: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        n = int(np.abs(end - start).max() / self._cell) + 2
        way = start + np.linspace(0, 1, n)[:, None] * (end - start)
        cell = np.floor((way - self._low) / self._cell).astype(int)
        x, y = np.clip(cell, 0, np.subtract(self._shape, 1)).T
        return x, y


# Along an axis -------------------------------------------------------------------------------


#: Height of a row, relative to its text, and of the smallest text, in sizes of the figure's font.
_ROW, _SMALLEST = 1.16, 0.78


def row_labels(
    places: np.ndarray, pitch: float, font: float, first: Collection[int] = ()
) -> tuple[float, list[int]]:
    """Size of the names of rows, and the rows that have room for one.

    Text becomes smaller before names are left out. Selected rows and both ends stay, then as many
    as possible at equal distances.
    places (n,): Of the rows, ascending.
    pitch: Pixels between two places that are 1 apart.
    font: The largest size of the text, in pixels.
    """
    n = len(places)
    if not n:
        return font, []
    least = float(np.diff(places).min()) * pitch if n > 1 else np.inf
    every = 1
    if least < _ROW * _SMALLEST * font:
        every = int(np.ceil(_ROW * _SMALLEST * font / max(least, 1e-9)))
    size = float(np.clip(every * least / _ROW, _SMALLEST * font, font))
    distance = _ROW * size / pitch - 1e-9
    taken: list[float] = []
    shown = []
    for i in dict.fromkeys([*sorted(first), 0, n - 1, *range(0, n, every), *range(n)]):
        at = bisect(taken, places[i])
        if (at == 0 or places[i] - taken[at - 1] >= distance) and (
            at == len(taken) or taken[at] - places[i] >= distance
        ):
            taken.insert(at, float(places[i]))
            shown.append(i)
    return size, sorted(shown)


def named_rows(
    labels: Sequence[str], order: np.ndarray, pitch: float, font: float, room: float,
    first: Collection[int] = (),
) -> tuple[float, list[int], list[str]]:
    """Size of the names of objects in equal rows, the rows that have one, and short names.

    room: Pixels that names may take beside the rows.
    """
    size, rows = row_labels(np.arange(len(order)), pitch, font, first)
    members = order[rows].tolist()
    names = short_names(labels, members, min(WIDTH, room / size))
    return size, rows, [escape(names[i]) for i in members]
