"""A horizontal dendrogram: names or pictures at its leaves, a cut, and its clusters."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from textwrap import wrap

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from tripletscope.core.data.lazy import cached_property
from tripletscope.core.similarity.clusters.dendrogram import Dendrogram
from tripletscope.dashboard.figures.colours import LOOKS, look
from tripletscope.dashboard.figures.fonts import width_of
from tripletscope.dashboard.figures.labels import escape, short_labels, shorten
from tripletscope.dashboard.figures.placing import row_labels
from tripletscope.dashboard.figures.points import DIM, transparent
from tripletscope.dashboard.figures.theme import (
    FAINT,
    FONT_SIZE,
    PALETTE,
    SCREEN,
    TEXT,
    Canvas,
    finished,
    note,
    note_hidden,
    with_rows,
)
from tripletscope.dashboard.words.formats import count, number

#: Height of a leaf on the screen, in pixels; of one with a picture among few.
_ROW, _TALL_ROW = 17.0, 40.0
#: Pixels that axis, legend and margins take on the screen, below its tool bar, and in a file.
_AROUND, _AROUND_IN_FILE = 130.0, 91.0
#: Most rows with one picture each, and columns of pictures in a crowd.
_ROOMY, _COLUMNS = 25, 3
#: Most em of names of leaves, and their share of the width.
_WIDEST, _SHARE = 14.0, 0.32
#: Size of support, relative to the text; share of the width for branches.
_SMALL, _TREE_SHARE = 0.75, 0.72
#: Clusters in the legend.
_NAMED = len(PALETTE)
#: Name of the line that cuts the tree, and its colour, which no cluster has.
CUT, CUT_COLOUR = "cut", "#D6336C"
_NAMES = 8  # in a hover
#: Most branches with support.
_WRITTEN = 60
#: Between a number and the lines beside it and below it, in heights of the number.
_BESIDE, _BELOW = 0.35, 0.1


@dataclass(frozen=True)
class Rows:
    """The leaves and the collapsed branches of a tree, one below the other.

    most: Number of rows; with more leaves, the lowest branches are collapsed.
    """

    tree: Dendrogram
    most: int

    @cached_property
    def nodes(self) -> np.ndarray:
        """(r,) nodes from above."""
        return self.tree.roots(min(self.most, self.tree.n_leaves))

    @cached_property
    def sizes(self) -> np.ndarray:
        """(r,) number of leaves of each."""
        start, stop = self.tree.spans[self.nodes].T
        return stop - start

    @cached_property
    def extents(self) -> np.ndarray:
        """(r,) height of each, relative to a leaf's."""
        return 1.0 + 0.5 * np.log2(self.sizes)

    @property
    def total(self) -> float:
        return float(self.extents.sum())

    @cached_property
    def leaf_places(self) -> np.ndarray:
        """(m,) place of every leaf; those of a collapsed branch are spread over its row."""
        start = self.tree.spans[self.nodes, 0]
        above = np.repeat(np.cumsum(self.extents) - self.extents, self.sizes)
        within = np.arange(self.tree.n_leaves) - np.repeat(start, self.sizes) + 0.5
        return above + within * np.repeat(self.extents / self.sizes, self.sizes)

    @property
    def branches(self) -> range:
        """The nodes of the branches that are drawn, the lowest first."""
        m = self.tree.n_leaves
        return range(2 * m - len(self.nodes), 2 * m - 1)

    @cached_property
    def places(self) -> np.ndarray:
        """(2 m - 1,) place of every node that is drawn; NaN for others."""
        place = np.full(2 * self.tree.n_leaves - 1, np.nan)
        place[self.nodes] = np.cumsum(self.extents) - self.extents / 2
        for node in self.branches:
            place[node] = place[self.tree.children[node - self.tree.n_leaves]].mean()
        return place


@dataclass(frozen=True)
class DendrogramData:
    """A tree and its objects.

    clusters (n,): 0 for the largest, and so on; -1 for objects without one.
    height: Of the cut that makes the clusters; None where they are not of this tree.
    support (m - 1,) or None: Share of replicates that have each branch.
    """

    tree: Dendrogram
    objects: pd.DataFrame
    clusters: np.ndarray
    height: float | None = None
    support: np.ndarray | None = None
    pictures: Mapping[int, str] = field(default_factory=dict)
    selected: Collection[int] = ()

    @cached_property
    def cluster_of(self) -> np.ndarray:
        """(2 m - 1,) the cluster of all leaves under a node; -1 if they are in several."""
        ordered = self.clusters[self.tree.order]
        border = np.concatenate([[0], np.cumsum(ordered[1:] != ordered[:-1])])
        start, stop = self.tree.spans.T
        return np.where(border[start] == border[stop - 1], ordered[start], -1)

    @cached_property
    def look_of(self) -> np.ndarray:
        """(2 m - 1,) the cluster whose look a node has; -1 above the cut."""
        return np.where(self.cluster_of < 0, -1, self.cluster_of % LOOKS)


def screen_height(rows: Rows, *, pictures: bool) -> float:
    """Height in pixels at which every leaf is legible."""
    tall = pictures and rows.total <= _ROOMY
    return max(rows.total * (_TALL_ROW if tall else _ROW) + _AROUND, 280.0)


def dendrogram(
    data: DendrogramData,
    rows: Rows,
    *,
    title: str,
    marks: str = "labels",
    caption: str = "",
    revision: str = "",
    canvas: Canvas = SCREEN,
) -> go.Figure:
    """Draw a tree, its root on the left.

    marks {"labels", "pictures", "none"}: At the leaves.
    Returns: Branches and leaves carry their node in ``customdata``. On the screen the cut is a
        shape named `CUT` that can be dragged.
    """
    figure = go.Figure()
    tree = data.tree
    floor, top = reach(tree)
    canvas = with_rows(canvas, rows.total)
    around = _AROUND if canvas.screen else _AROUND_IN_FILE
    pitch = max((canvas.height - around) / rows.total, 0.1)
    _add_selected(figure, data, rows, floor, top)
    add_wedges(figure, data, rows, floor)
    add_branches(figure, data, rows, floor)
    supported = _supported(data, rows, floor, pitch, canvas)
    _add_marks(figure, data, rows, floor, pitch, supported)
    pad = 0.012 * (top - floor)
    domain = 1.0
    if marks == "pictures" and data.pictures:
        domain = _add_pictures(figure, data, rows, pitch, canvas)
    _name_rows(figure, data, rows, marks, pitch, canvas)
    if data.support is not None and len(supported) < len(rows.branches) - 1:
        note(figure, f"Support is written at {len(supported):,} of {len(rows.branches) - 1:,} "
                     "branches, where there is room.")
    tall = canvas.screen and canvas.height > 700
    figure.update_xaxes(
        title=title, range=[top + (top - floor) * 0.03, floor - pad], zeroline=False,
        side="top" if tall else "bottom", domain=[0, domain], showgrid=True,
    )
    figure.add_shape(
        type="line", name=CUT, xref="x", yref="paper", x0=data.height, x1=data.height, y0=0, y1=1,
        line={"color": CUT_COLOUR, "width": 2, "dash": "dash"}, layer="above",
    )
    figure.update_layout(
        uirevision=revision, dragmode="zoom", hoverdistance=12,
        showlegend=bool(data.clusters.max(initial=0) < _NAMED),
    )
    if tall:
        # The axis is above, and the legend above the axis.
        figure.update_layout(legend_y=1.0 + 52.0 / canvas.height)
    return finished(figure, caption, canvas, top=120 if tall else 66)


def reach(tree: Dendrogram) -> tuple[float, float]:
    """Ends of the axis of heights.

    Where the lowest merge is high, the room below it would take most of the picture.
    """
    merges = tree.linkage[:, 2]
    if not len(merges):
        return 0.0, 1.0
    low, high = float(merges.min()), float(merges.max())
    floor = low - 0.15 * (high - low) if low > 0.5 * high else 0.0
    return floor, high if high > floor else floor + 1.0


def _name_rows(
    figure: go.Figure, data: DendrogramData, rows: Rows, marks: str, pitch: float, canvas: Canvas
) -> None:
    wanted = _wanted_rows(data, rows, marks)
    chosen = np.flatnonzero(holds_selected(data, rows)[wanted]).tolist()
    size, written = row_labels(
        rows.places[rows.nodes[wanted]], pitch, 0.92 * FONT_SIZE, chosen
    )
    note_hidden(figure, len(wanted) - len(written), len(wanted))
    named = wanted[written]
    titles = row_titles(data, rows, min(_WIDEST, _SHARE * canvas.width / size))
    figure.update_yaxes(
        range=[rows.total, 0], side="right", zeroline=False, showgrid=False, showline=False,
        tickvals=rows.places[rows.nodes[named]], ticktext=[titles[r] for r in named], ticks="",
        tickfont={"size": size}, ticklabelstandoff=4,
        # The axis makes room for them; looking for those that are cut takes seconds.
        ticklabeloverflow="allow",
    )


def _wanted_rows(data: DendrogramData, rows: Rows, marks: str) -> np.ndarray:
    if marks == "none":
        return np.empty(0, dtype=int)
    pictured = np.isin(data.tree.order, list(data.pictures) if marks == "pictures" else [])
    return np.flatnonzero(~_under(data, pictured, rows.nodes))


def _under(data: DendrogramData, leaves: np.ndarray, nodes: np.ndarray) -> np.ndarray:
    """(len(nodes),) whether any of some leaves, in the tree's order, is under a node."""
    before = np.concatenate([[0], np.cumsum(leaves)])
    start, stop = data.tree.spans[nodes].T
    return before[stop] > before[start]


def holds_selected(data: DendrogramData, rows: Rows) -> np.ndarray:
    return _under(data, np.isin(data.tree.order, list(data.selected)), rows.nodes)


def row_titles(data: DendrogramData, rows: Rows, width: float = _WIDEST) -> list[str]:
    """The label of a leaf, or the content of a collapsed branch, for every row."""
    labels = short_labels(data.objects["label"].tolist(), width)
    chosen = np.isin(data.tree.order, list(data.selected))
    titles = []
    for node, n in zip(rows.nodes.tolist(), rows.sizes.tolist(), strict=True):
        members = data.tree.members(node)
        start, stop = data.tree.spans[node]
        marked = int(chosen[start:stop].sum())
        if n == 1:
            text = escape(labels[members[0]])
        else:
            held = f"{count(n, 'object')}: "
            room = max(width - float(width_of([held])[0]), 3.0)
            some = shorten(", ".join(labels[i] for i in members[:3]), room)
            text = held + escape(some)
            if marked:
                text += f" ({marked:,} selected)"
        titles.append(f"<b>{text}</b>" if marked else text)
    return titles


def _ends(data: DendrogramData, floor: float) -> np.ndarray:
    """Heights of the nodes as drawn: leaves stand at the end of the axis."""
    return np.maximum(data.tree.heights, floor)


def add_branches(
    figure: go.Figure, data: DendrogramData, rows: Rows, floor: float,
    xaxis: str = "x",
) -> None:
    """All branches of a colour as one trace; those with several clusters are grey."""
    paths: dict[int, list[tuple[float, float]]] = {}
    height, place, cluster = _ends(data, floor), rows.places, data.look_of.tolist()

    def add(group: int, *points: tuple[float, float]) -> None:
        paths.setdefault(group, []).extend([*points, (np.nan, np.nan)])

    for node in rows.branches:
        children = data.tree.children[node - data.tree.n_leaves].tolist()
        h, parent_colour = height[node], cluster[node]
        add(parent_colour, *((h, place[child]) for child in children))
        for child in children:
            colour = cluster[child]
            if parent_colour < 0 <= colour:
                border = h if data.height is None else min(max(data.height, height[child]), h)
                add(colour, (height[child], place[child]), (border, place[child]))
                add(-1, (border, place[child]), (h, place[child]))
            else:
                add(colour, (height[child], place[child]), (h, place[child]))
    sizes = np.bincount(data.clusters[data.clusters >= 0])
    for group in sorted(paths):
        x, y = np.array(paths[group], dtype=np.float32).T
        figure.add_scatter(
            x=x, y=y, mode="lines", hoverinfo="skip",
            line={"color": FAINT if group < 0 else look(group)[0],
                  "width": 1.0 if group < 0 else 1.6},
            name="" if group < 0 else f"{cluster_name(group)} ({sizes[group]:,})",
            legendgroup=str(group), showlegend=0 <= group < _NAMED and xaxis == "x", xaxis=xaxis,
        )


def cluster_name(rank: int) -> str:
    return f"Cluster {rank + 1}"


def add_wedges(
    figure: go.Figure, data: DendrogramData, rows: Rows, floor: float, xaxis: str = "x"
) -> None:
    """Collapsed branches: as high as their last merge, as wide as their row."""
    for group, nodes in _by_cluster(data, rows.nodes[rows.sizes > 1]):
        x, y = [], []
        extent = dict(zip(rows.nodes.tolist(), rows.extents.tolist(), strict=True))
        for node in nodes:
            half = 0.38 * extent[node]
            place, h = rows.places[node], data.tree.heights[node]
            x += [h, floor, floor, h, np.nan]
            y += [place, place - half, place + half, place, np.nan]
        colour = FAINT if group < 0 else look(group)[0]
        figure.add_scatter(
            x=np.array(x, dtype=np.float32), y=np.array(y, dtype=np.float32), mode="lines",
            fill="toself", fillcolor=transparent(colour, 0.35), line={"width": 0},
            hoverinfo="skip", showlegend=False, name="collapsed", xaxis=xaxis,
        )


def _add_marks(
    figure: go.Figure, data: DendrogramData, rows: Rows, floor: float, pitch: float,
    written: Mapping[int, str],
) -> None:
    """A dot for every node, to be picked, with its support."""
    tree, height = data.tree, _ends(data, floor)
    labels = short_labels(data.objects["label"].tolist(), 20.0)
    wedges = set(rows.nodes[rows.sizes > 1].tolist())
    size = float(np.clip(0.36 * pitch, 2.0, 7.0))
    for group, nodes in _by_cluster(data, np.concatenate([rows.nodes, np.array(rows.branches)])):
        colour, symbol = (FAINT, "circle") if group < 0 else look(group)
        chosen = _fully_selected(data, nodes)
        figure.add_scatter(
            x=[(height[node] + floor) / 2 if node in wedges else height[node] for node in nodes],
            y=rows.places[nodes], mode="markers+text", customdata=nodes, name="",
            text=[written.get(node, "") for node in nodes], textposition="top left",
            textfont={"size": _SMALL * FONT_SIZE},
            hovertext=[_hover(data, labels, node) for node in nodes],
            hovertemplate="%{hovertext}<extra></extra>", legendgroup=str(group), showlegend=False,
            marker={
                "size": np.where(chosen, size + 3, size).tolist(),
                "color": colour, "symbol": symbol,
                "opacity": [0.0 if node in wedges else 1.0 if node < tree.n_leaves else 0.75
                            for node in nodes],
                "line": {"width": np.where(chosen, 1.5, 0).tolist(), "color": TEXT},
            },
        )


def _by_cluster(data: DendrogramData, nodes: np.ndarray) -> Iterator[tuple[int, list[int]]]:
    looks = data.look_of[nodes.astype(int)]
    for group in np.unique(looks).tolist():
        yield group, nodes[looks == group].astype(int).tolist()


def _fully_selected(data: DendrogramData, nodes: list[int]) -> np.ndarray:
    chosen = np.isin(data.tree.order, list(data.selected))
    before = np.concatenate([[0], np.cumsum(chosen)])
    start, stop = data.tree.spans[nodes].T
    return before[stop] - before[start] == stop - start


def _supported(
    data: DendrogramData, rows: Rows, floor: float, pitch: float, canvas: Canvas
) -> dict[int, str]:
    """Support in percent, by node, of the branches with room for it."""
    if data.support is None or len(rows.branches) < 2:
        return {}
    m, top = data.tree.n_leaves, reach(data.tree)[1]
    across = _TREE_SHARE * canvas.least_width / max(top - floor, 1e-12)
    branches = np.array(rows.branches)
    texts = {node: f"{100 * data.support[node - m]:.0f}" for node in rows.branches}
    return on_branches(
        texts, branches, data.tree.children[branches - m], (top - _ends(data, floor)) * across,
        rows.places * pitch, _SMALL * FONT_SIZE,
    )


def _hover(data: DendrogramData, labels: list[str], node: int) -> str:
    tree = data.tree
    members = tree.members(node)
    names = ", ".join(labels[i] for i in members[:_NAMES])
    more = f" and {len(members) - _NAMES:,} more" if len(members) > _NAMES else ""
    group = data.cluster_of[node]
    where = "above the cut" if group < 0 else cluster_name(group)
    if node < tree.n_leaves:
        return f"<b>{escape(names)}</b><br>{where}"
    text = f"<b>{count(len(members), 'object')}</b>, {where}<br>height {number(tree.heights[node])}"
    if data.support is not None:
        text += f"<br>in {100 * data.support[node - tree.n_leaves]:.0f} % of bootstrap trees"
    lines = wrap(escape(names + more), 60, break_long_words=False, break_on_hyphens=False)
    return "<br>".join([text, *lines])


def _add_selected(
    figure: go.Figure, data: DendrogramData, rows: Rows, floor: float, top: float
) -> None:
    """A band behind rows of selected objects; in a collapsed branch as wide as their share."""
    if not len(data.selected):
        return
    chosen = np.isin(data.tree.order, list(data.selected))
    before = np.concatenate([[0], np.cumsum(chosen)])
    start, stop = data.tree.spans[rows.nodes].T
    share = (before[stop] - before[start]) / (stop - start)
    marked = np.flatnonzero(share)
    half = 0.5 * rows.extents[marked] * share[marked]
    place = rows.places[rows.nodes[marked]]
    gap = np.full(len(marked), np.nan)
    left, right = np.full(len(marked), top), np.full(len(marked), floor)
    figure.add_scatter(
        x=np.column_stack([left, right, right, left, left, gap]).ravel(),
        y=np.column_stack([place - half, place - half, place + half, place + half, place - half,
                           gap]).ravel(),
        mode="lines", fill="toself", fillcolor=transparent(PALETTE[0], 0.16), line={"width": 0},
        hoverinfo="skip", showlegend=False, name="selected",
    )


def _add_pictures(
    figure: go.Figure, data: DendrogramData, rows: Rows, pitch: float, canvas: Canvas
) -> float:
    """Pictures right of the leaves, in a few columns where rows are low; returns the tree's end."""
    columns = 1 if rows.total <= _ROOMY else _COLUMNS
    side = 0.92 * columns * pitch  # pixels
    width = side * 1.06 / canvas.width
    domain = 1.0 - columns * width - 0.01
    images = []
    for rank, (node, extent) in enumerate(zip(rows.nodes, rows.extents, strict=True)):
        held = [i for i in data.tree.members(node) if i in data.pictures]
        # A collapsed branch shows as many of its pictures as there are columns.
        for column, i in enumerate(held[:columns]):
            at = rank % columns if rows.sizes[rank] == 1 else column
            high = 0.92 * (columns if rows.sizes[rank] == 1 else min(extent, columns))
            images.append({
                "source": data.pictures[i], "xref": "paper", "yref": "y",
                "x": domain + 0.01 + at * width, "y": rows.places[node], "xanchor": "left",
                "yanchor": "middle", "sizex": width / 1.06, "sizey": high, "sizing": "contain",
                "layer": "above",
                "opacity": DIM if len(data.selected) and i not in data.selected else 1.0,
            })
    figure.update_layout(images=images)
    return domain


def on_branches(
    texts: Mapping[int, str],
    branches: np.ndarray,
    children: np.ndarray,
    x: np.ndarray,
    y: np.ndarray,
    size: float,
) -> dict[int, str]:
    """The texts, by node, that have room on the line from their branch to the one above.

    The highest branches come first. A text lies on no line and on no other text.
    branches (b,): Nodes of the branches that are drawn, the lowest first and the root last.
    children (b, 2): The nodes that each joins.
    x, y (nodes,): Of nodes, in pixels from the root to the right and from above.
    """
    above = np.zeros(len(x))
    above[children] = x[branches][:, None]
    upper, lower = y[children].min(axis=1), y[children].max(axis=1)
    lines = np.setdiff1d(children, branches[-1:])
    placed: dict[int, str] = {}
    taken = np.empty((0, 4))
    for node in branches[-2::-1].tolist():  # the root is in every tree
        right, bottom = x[node] - _BESIDE * size, y[node] - _BELOW * size
        left, top = right - float(width_of([texts[node]], size)[0]), bottom - size
        meets = np.concatenate([
            (taken[:, 0] < right) & (taken[:, 1] > left) & (taken[:, 2] < bottom)
            & (taken[:, 3] > top),
            (x[branches] > left) & (x[branches] < right) & (upper < bottom) & (lower > top),
            (y[lines] > top) & (y[lines] < bottom) & (above[lines] < right) & (x[lines] > left),
        ])
        if top < 0 or left < above[node] or meets.any():
            continue
        placed[node] = texts[node]
        taken = np.vstack([taken, (left, right, top, bottom)])
        if len(placed) == _WRITTEN:
            break
    return placed
