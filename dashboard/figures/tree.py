"""A comparison tree as a diagram that unfolds."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from tripletscope.core.data.lazy import cached_property
from tripletscope.core.engine.short_repr import short_repr
from tripletscope.core.trees.nodes import Nodes
from tripletscope.dashboard.figures.colours import Group, is_quantity
from tripletscope.dashboard.figures.fonts import width_of
from tripletscope.dashboard.figures.labels import escape, short_labels, shorten, shorten_each
from tripletscope.dashboard.figures.points import DIM, MapData, MapStyle, add_rings, shades
from tripletscope.dashboard.figures.spectral import colour_scale
from tripletscope.dashboard.figures.theme import (
    FAINT,
    FONT_SIZE,
    SCREEN,
    Canvas,
    finished,
    note_hidden,
)
from tripletscope.dashboard.figures.tree_layout import (
    BAR,
    MOST_MEMBERS,
    PICTURE,
    WIDEST,
    TreeLayout,
    layout,
    member_room,
    pixels,
)
from tripletscope.dashboard.figures.tree_layout import WIDTH as DRAWN

#: Most em of a whole name, and least em of a cut one beside a number.
_WHOLE, _NARROWEST = 30.0, 6.0
#: Width on the screen for which a diagram is as high as `tree_height` says.
TREE_WIDTH = 700.0
#: More categories than this need no legend, which would be larger than the tree.
_MOST_NAMED = 12


@short_repr
@dataclass(frozen=True)
class ComparisonTreeData:
    """A tree and its visible part.

    Parameters
    ----------
    nodes : Nodes
        Members and pivots as positions of the objects.
    objects : DataFrame
        With columns ``id`` and ``label``.
    opened, selected : collection of int
        Nodes whose children are drawn; objects that stand out.
    colour : str, optional
        Column of the objects.
    pictures : mapping of int to str
        Of objects, as data addresses.
    remarks : sequence of str
        Further hover text of each node.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.read("sample_data/ekman_colors/answers.csv")
    >>> tree = ts.ComparisonTree(leaf_size=4).fit([[i] for i in range(14)])
    >>> ts.figures.ComparisonTreeData(tree.nodes_, answers.objects, opened=[0]).shown
    [0, 1, 2]
    """

    nodes: Nodes
    objects: pd.DataFrame
    opened: Collection[int]
    colour: str | None = None
    pictures: Mapping[int, str] = field(default_factory=dict)
    selected: Collection[int] = ()
    remarks: Sequence[str] = ()

    @cached_property
    def shown(self) -> list[int]:
        """Nodes that are drawn, parents before children."""
        nodes = [0]
        for node in nodes:
            if node in self.opened and self.nodes.child[node] >= 0:
                nodes += [int(self.nodes.child[node]), int(self.nodes.child[node]) + 1]
        return nodes

    def names(self, width: float) -> list[str]:
        """Different labels of the objects, of at most so many em."""
        return short_labels(self.objects["label"].tolist(), np.floor(4 * width) / 4)

    @cached_property
    def parents(self) -> np.ndarray:
        """(m,) node above each node; -1 for the root."""
        return self.nodes.parent

    @cached_property
    def ends(self) -> list[int]:
        """Nodes that are drawn without children, from left to right."""
        shown = set(self.shown)
        last = [i for i in self.shown if int(self.nodes.child[i]) not in shown]
        return sorted(last, key=lambda node: int(self.nodes.start[node]))

    @cached_property
    def groups(self) -> list[Group]:
        data = MapData(np.zeros((len(self.objects), 2)), self.objects)
        return shades(data, MapStyle(colour=self.colour))

    def listed(self, node: int) -> list[int]:
        """Members drawn below a node: those of leaves, unless the node shows its only one."""
        members = self.nodes.members(node).tolist()
        if self.nodes.child[node] >= 0 or members == [self.nearer_to(node)]:
            return []
        return members

    # Numbers of the marks, for clicks.

    def toggle(self, node: int) -> int:
        return len(self.nodes.child) + node

    def member(self, position: int) -> int:
        return 2 * len(self.nodes.child) + position

    def picked(self, numbers: Sequence[int]) -> tuple[list[int], list[int]]:
        """Objects, and nodes to fold or unfold, of clicked marks."""
        m = len(self.nodes.child)
        objects = [i - 2 * m for i in numbers if i >= 2 * m]
        for node in (i for i in numbers if i < m):
            objects += self.nodes.members(node).tolist()
        return list(dict.fromkeys(objects)), [i - m for i in numbers if m <= i < 2 * m]

    def nearer_to(self, node: int) -> int | None:
        """The pivot that a node's members are nearer to; None for the root."""
        parent = int(self.parents[node])
        if parent < 0:
            return None
        return int(self.nodes.pivots[parent, 0, node - self.nodes.child[parent]])

    def hover_pictures(self, pictures: Mapping[int, str]) -> dict[int, str]:
        """Pictures of objects, by the numbers of the marks that show them."""
        sources = {self.member(i): source for i, source in pictures.items()}
        for node in self.shown:
            if (pivot := self.nearer_to(node)) in pictures:
                sources[node] = pictures[pivot]
        return sources


def first_opened(nodes: Nodes, ends: int = 16) -> list[int]:
    """The nodes of as many whole levels from the top as leave no more than so many ends."""
    depth, inner = nodes.depth, nodes.child >= 0
    level = 0
    while level <= depth.max():
        n_ends = np.sum((depth <= level) & ~inner) + np.sum((depth == level) & inner) * 2
        if n_ends > ends and level > 0:
            break
        level += 1
    return np.flatnonzero((depth < level) & inner).tolist()


# The diagram ---------------------------------------------------------------------------------


def tree_height(tree: ComparisonTreeData) -> float:
    return min(max(layout(tree).height + 70.0, 260.0), 1100.0)


def tree_diagram(
    tree: ComparisonTreeData, *, revision: str = "", caption: str = "", canvas: Canvas = SCREEN
) -> go.Figure:
    """Draw a tree from its root down, with the members of its leaves.

    Every node but the root shows the pivot that its members are nearer to, and a bar for the number
    of members, divided by colour.

    Parameters
    ----------
    tree : ComparisonTreeData
    revision : str
        Zoom survives a change of the figure with the same revision.
    caption : str
        Below the figure.
    canvas : Canvas

    Returns
    -------
    plotly.graph_objects.Figure
        ``customdata`` of its marks is for `ComparisonTreeData.picked`.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.read("sample_data/ekman_colors/answers.csv")
    >>> tree = ts.ComparisonTree(leaf_size=4).fit([[i] for i in range(14)])
    >>> data = ts.figures.ComparisonTreeData(tree.nodes_, answers.objects, opened=[0])
    >>> type(ts.figures.tree_diagram(data)).__name__
    'Figure'
    """
    figure, place = go.Figure(), layout(tree, canvas)
    _add_edges(figure, tree, place)
    _add_bars(figure, tree, place)
    counts = np.array([
        _add_members(figure, tree, place, canvas), _add_nodes(figure, tree, place, canvas)
    ])
    note_hidden(figure, *counts.sum(axis=0).tolist())
    _add_toggles(figure, tree, place, canvas)
    if tree.colour and is_quantity(tree.objects[tree.colour]):
        _add_scale(figure, tree, canvas)
    hidden = {"visible": False}
    figure.update_layout(
        dragmode="pan", uirevision=revision,
        xaxis={**hidden, "range": [-4, DRAWN + 4]},
        yaxis={**hidden, "range": [place.text - place.height, place.text]},
    )
    return finished(figure, caption, canvas)


def _add_edges(
    figure: go.Figure, tree: ComparisonTreeData, place: TreeLayout
) -> None:
    chosen = np.isin(tree.nodes.order, list(tree.selected))
    for marked in (False, True):
        xs, ys = [], []
        for node in tree.shown[1:]:
            holds = chosen[tree.nodes.start[node] : tree.nodes.stop[node]].any()
            if bool(holds) != marked:
                continue
            parent = int(tree.parents[node])
            foot = place.top[parent] - place.head - BAR
            xs += [place.x[parent], place.x[node], np.nan]
            # Where there is no picture the room for one stays empty.
            head = place.head if tree.nearer_to(node) in tree.pictures else place.text
            ys += [foot, place.top[node] - place.head + head, np.nan]
        figure.add_scatter(
            x=xs, y=ys, mode="lines", hoverinfo="skip", showlegend=False,
            line={"color": FAINT, "width": 2.5 if marked else 1.0},
            opacity=0.9 if marked else 0.55,
        )


def _add_bars(figure: go.Figure, tree: ComparisonTreeData, place: TreeLayout) -> None:
    group = np.zeros(len(tree.objects), dtype=int)
    for number, part in enumerate(tree.groups):
        group[part.members] = number
    outlines: list[list[float]] = [[] for _ in tree.groups]
    n_all = len(tree.nodes.order)
    for node in tree.shown:
        members = tree.nodes.members(node)
        width = min(0.86 * place.span[node], 6 + 200 * np.sqrt(len(members) / n_all))
        counts = np.bincount(group[members], minlength=len(tree.groups))
        edges = place.x[node] + width * (np.cumsum([0, *counts]) / len(members) - 0.5)
        high = place.top[node] - place.head
        for number in np.flatnonzero(counts):
            left, right = edges[number], edges[number + 1]
            outlines[number] += [
                (left, high), (right, high), (right, high - BAR), (left, high - BAR),
                (left, high), (np.nan, np.nan),
            ]
    named = tree.colour is not None and 1 < len(tree.groups) <= _MOST_NAMED
    quantity = tree.colour is not None and is_quantity(tree.objects[tree.colour])
    for part, outline in zip(tree.groups, outlines, strict=True):
        if outline:
            path = np.array(outline)
            figure.add_scatter(
                x=path[:, 0], y=path[:, 1], mode="lines", fill="toself", hoverinfo="skip",
                fillcolor=part.colour, line={"width": 0.5, "color": part.colour},
                name=escape(shorten(part.label)),
                showlegend=named and not quantity,
            )


def _add_nodes(
    figure: go.Figure, tree: ComparisonTreeData, place: TreeLayout, canvas: Canvas
) -> tuple[int, int]:
    """Texts, pictures of pivots, and marks for clicks; returns numbers of hidden and all names."""
    labels = tree.objects["label"].tolist()
    em = 0.85 * FONT_SIZE / pixels(canvas)
    written, images, n_hidden = {}, [], 0
    for node in tree.shown:
        size = int(tree.nodes.stop[node] - tree.nodes.start[node])
        pivot = tree.nearer_to(node)
        text = _written(tree, pivot, size, 0.95 * place.span[node] / em)
        if node in place.hung:
            text = str(size) if size > 1 else ""
        elif pivot is not None and text in ("", str(size)):
            n_hidden += 1
        if text:
            written[node] = escape(text)
        if pivot in tree.pictures:
            images.append({
                "source": tree.pictures[pivot], "xref": "x", "yref": "y", "sizing": "contain",
                "x": place.x[node], "y": place.top[node], "xanchor": "center", "yanchor": "top",
                "sizex": min(0.9 * place.span[node], 1.6 * PICTURE), "sizey": PICTURE - 2,
            })
    figure.update_layout(
        images=[*figure.layout.images, *images], annotations=_hanging(tree, place)
    )
    x = [place.x[node] for node in tree.shown]
    figure.add_scatter(
        x=[place.x[node] for node in written],
        y=[place.top[node] - place.head + place.text / 2 for node in written], mode="text",
        text=list(written.values()), textfont={"size": 0.85 * FONT_SIZE}, hoverinfo="skip",
        showlegend=False,
    )
    figure.add_scatter(
        x=x, y=[place.top[node] - place.head + 2 for node in tree.shown], mode="markers",
        customdata=list(tree.shown), showlegend=False, name="nodes",
        hovertext=[_hover_text(tree, node, labels) for node in tree.shown],
        hovertemplate="%{hovertext}<extra></extra>",
        marker={"symbol": "square", "size": 26, "opacity": 0.0},
    )
    return n_hidden, len(tree.shown) - 1


def _hanging(tree: ComparisonTreeData, place: TreeLayout) -> list[dict]:
    """Names that are written downwards, below the members of their leaf."""
    notes = []
    for node, name in place.hung.items():
        n_rows = min(len(tree.listed(node)), MOST_MEMBERS + 1)
        foot, toggled = place.top[node] - place.head - BAR, tree.nodes.child[node] >= 0
        notes.append({
            "text": escape(name), "textangle": -90, "showarrow": False,
            "x": place.x[node], "y": foot - (9 if toggled else 4 + place.member * n_rows),
            # Below the mark that unfolds it, or how many further members there are.
            "yshift": -9 * (toggled or n_rows > MOST_MEMBERS),
            "xanchor": "center", "yanchor": "top", "font": {"size": 0.85 * FONT_SIZE},
        })
    return notes


def _written(tree: ComparisonTreeData, pivot: int | None, size: int, room: float) -> str:
    """The name of a pivot with the number of members, or the part that fits into so many em."""
    count = f" · {size}"
    whole = "all" if pivot is None else " ".join(tree.objects["label"].iloc[pivot].split())
    if width_of([whole + count])[0] <= min(room, _WHOLE):
        return whole + count
    room = min(room, WIDEST)
    name = whole if pivot is None else tree.names(room)[pivot]
    beside = room - float(width_of([count])[0])
    if pivot is not None and beside >= _NARROWEST:
        name = tree.names(beside)[pivot]
    for text in (name + count, name, str(size)):
        if width_of([text])[0] <= room:
            return text
    return ""


def _hover_text(tree: ComparisonTreeData, node: int, labels: list[str]) -> str:
    def named(position: int) -> str:
        return escape(shorten(labels[position], 20.0))

    members, pivot = tree.nodes.members(node), tree.nearer_to(node)
    lines = ["<b>All objects</b>"]
    if pivot is not None:
        pair = tree.nodes.pivots[tree.parents[node], 0].tolist()
        other = pair[1] if pair[0] == pivot else pair[0]
        lines = [f"Nearer to <b>{named(pivot)}</b> than to {named(other)}"]
    lines.append(f"{len(members):,} object{'s' if len(members) != 1 else ''}")
    if tree.colour:
        column = tree.objects[tree.colour].iloc[members]
        if is_quantity(tree.objects[tree.colour]):
            numbers = pd.to_numeric(column, errors="coerce")
            lines.append(f"{escape(tree.colour)}: mean {numbers.mean():.3g}")
        else:
            shares = column.astype("str").fillna("(missing)").value_counts(normalize=True)
            lines += [
                f"{escape(shorten(str(name)))} {100 * share:.0f} %"
                for name, share in shares.head(4).items()
            ]
    if len(tree.remarks) and tree.remarks[node]:
        lines.append(tree.remarks[node])
    return "<br>".join(lines)


def _add_toggles(
    figure: go.Figure, tree: ComparisonTreeData, place: TreeLayout, canvas: Canvas
) -> None:
    """Marks below nodes that can be unfolded, and, on the page, on those that can be folded."""
    ends = set(tree.ends)
    inner = [
        node for node in tree.shown
        if tree.nodes.child[node] >= 0 and (canvas.screen or node in ends)
    ]
    figure.add_scatter(
        x=[place.x[node] for node in inner],
        y=[place.top[node] - place.head - BAR - (9 if node in ends else 3) for node in inner],
        mode="markers+text", text=["+" if node in ends else "−" for node in inner],
        textfont={"size": 0.85 * FONT_SIZE, "color": "white"}, showlegend=False,
        customdata=[tree.toggle(node) for node in inner], name="toggles",
        hovertext=["unfold" if node in ends else "fold" for node in inner],
        hovertemplate="%{hovertext}<extra></extra>",
        marker={
            "size": [15 if node in ends else 10 for node in inner], "line": {"width": 0},
            "color": FAINT, "opacity": [1.0 if node in ends else 0.6 for node in inner],
        },
    )


def _add_members(
    figure: go.Figure, tree: ComparisonTreeData, place: TreeLayout, canvas: Canvas
) -> tuple[int, int]:
    """Members of the leaves in columns below them; returns numbers of hidden and all names."""
    objects, xs, ys = _places_of_members(tree, place)
    opacity = [DIM if len(tree.selected) and i not in tree.selected else 1.0 for i in objects]
    figure.update_layout(images=[
        {
            "source": tree.pictures[i], "xref": "x", "yref": "y", "x": x, "y": y,
            "sizex": 0.92 * place.slot, "sizey": 0.92 * place.member, "xanchor": "center",
            "yanchor": "middle", "sizing": "contain", "opacity": shade,
        }
        for i, x, y, shade in zip(objects, xs, ys, opacity, strict=True) if i in tree.pictures
    ])
    labels = shorten_each(tree.objects["label"].tolist(), 30.0)
    colour = {i: part.colour for part in tree.groups for i in part.members.tolist()}
    room = member_room(place.slot, canvas)
    names = tree.names(room)
    row = place.member if canvas.screen else place.member * 0.9 * canvas.height / place.height
    written = row >= 0.8 * FONT_SIZE and all(width_of([names[i] for i in objects]) <= room)
    # Pictures take clicks through invisible marks. No mark has an empty text: plotly
    # forgets to write it when the figure changes.
    begun = len(figure.data)
    for pictured in (True, False):
        which = [k for k, i in enumerate(objects) if (i in tree.pictures) == pictured]
        members = [objects[k] for k in which]
        texts = not pictured and written
        figure.add_scatter(
            x=xs[which] - (place.slot / 2 - 8) * texts, y=ys[which],
            mode="markers+text" if texts else "markers", showlegend=False,
            name="pictures" if pictured else "members", textposition="middle right",
            text=[escape(names[i]) for i in members] if texts else None,
            textfont={"size": 0.8 * FONT_SIZE}, customdata=[tree.member(i) for i in members],
            hovertext=[f"<b>{escape(labels[i])}</b>" for i in members],
            hovertemplate="%{hovertext}<extra></extra>",
            marker={
                "line": {"width": 0}, "size": 18 if pictured else 7,
                "color": [colour.get(i, "") for i in members],
                "opacity": [0.0 if pictured else opacity[k] for k in which],
            },
        )
    add_rings(figure, figure.data[begun:], [tree.member(i) for i in tree.selected])
    _add_rest(figure, tree, place)
    n_names = sum(i not in tree.pictures for i in objects)
    return 0 if written else n_names, n_names


def _places_of_members(
    tree: ComparisonTreeData, place: TreeLayout
) -> tuple[list[int], np.ndarray, np.ndarray]:
    """Members in columns below the leaves, and where they stand."""
    placed = [
        (member, place.x[leaf], place.top[leaf] - place.head - BAR - 3 - (row + 0.5) * place.member)
        for leaf in tree.ends for row, member in enumerate(tree.listed(leaf)[:MOST_MEMBERS])
    ]
    return [member for member, _, _ in placed], *np.array(
        [where for _, *where in placed], dtype=float
    ).reshape(-1, 2).T


def _add_rest(figure: go.Figure, tree: ComparisonTreeData, place: TreeLayout) -> None:
    rest = {leaf: len(tree.listed(leaf)) - MOST_MEMBERS for leaf in tree.ends}
    rest = {leaf: number for leaf, number in rest.items() if number > 0}
    if rest:
        above = (MOST_MEMBERS + 0.5) * place.member
        figure.add_scatter(
            x=[place.x[leaf] for leaf in rest],
            y=[place.top[leaf] - place.head - BAR - 3 - above for leaf in rest],
            mode="text", text=[f"+{number}" for number in rest.values()],
            textfont={"size": 0.8 * FONT_SIZE}, hoverinfo="skip", showlegend=False,
        )


def _add_scale(figure: go.Figure, tree: ComparisonTreeData, canvas: Canvas) -> None:
    values = pd.to_numeric(tree.objects[tree.colour], errors="coerce")
    figure.add_scatter(
        x=[None], y=[None], mode="markers", showlegend=False, hoverinfo="skip",
        marker={
            "color": [values.min()], "cmin": values.min(), "cmax": values.max(),
            "colorscale": colour_scale(tree.colour, values.to_numpy(dtype=float)),
            "showscale": True,
            "colorbar": {
                "title": {"text": escape(shorten(tree.colour)), "side": "top",
                          "font": {"size": 0.9 * FONT_SIZE}},
                "orientation": "h", "thickness": 9, "outlinewidth": 0, "nticks": 4,
                "len": 0.25 if canvas.screen else 0.35, "tickfont": {"size": 0.85 * FONT_SIZE},
                "x": 0, "xanchor": "left", "y": 1, "yanchor": "top",
            },
        },
    )
