"""Places of the nodes of a tree's diagram, and room for their names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tripletscope.dashboard.figures.fonts import width_of
from tripletscope.dashboard.figures.labels import WIDTH as LABEL_WIDTH
from tripletscope.dashboard.figures.theme import FONT_SIZE, SCREEN, Canvas

if TYPE_CHECKING:
    from tripletscope.dashboard.figures.tree import ComparisonTreeData

#: Sizes in a drawing that is this wide; it is scaled to its canvas.
WIDTH = 900.0
BAR, TEXT, PICTURE, GAP, MEMBER = 9.0, 15.0, 36.0, 38.0, 26.0
#: Em of a name beside others, at most.
WIDEST = LABEL_WIDTH
#: Most members below a leaf.
MOST_MEMBERS = 12
_PAGE = 630.0  # pixels that a page of usual width has for the drawing
_LONGEST = 7.0  # em of a name that is written downwards


@dataclass(frozen=True)
class TreeLayout:
    """Places in the drawing.

    x, span, top: Middle, width with descendants, and upper end of every node.
    slot, head, text, member: Width of a leaf; height of a node above its bar, of a line of text and
        of a member.
    hung: Names of leaves that are written downwards.
    """

    x: dict[int, float]
    span: dict[int, float]
    top: dict[int, float]
    slot: float
    head: float
    text: float
    member: float
    height: float
    hung: Mapping[int, str]


def layout(tree: ComparisonTreeData, canvas: Canvas = SCREEN) -> TreeLayout:
    # In a small file text takes more of the drawing than on the page.
    text = max(TEXT, 1.2 * FONT_SIZE * WIDTH / canvas.width * (not canvas.screen))
    slot = WIDTH / len(tree.ends)
    x = {node: slot * (k + 0.5) for k, node in enumerate(tree.ends)}
    span = dict.fromkeys(tree.ends, slot)
    for node in reversed(tree.shown):
        if node not in x:
            child = int(tree.nodes.child[node])
            x[node] = (x[child] + x[child + 1]) / 2
            span[node] = span[child] + span[child + 1]
    head = (PICTURE if tree.pictures else 0.0) + text
    depth = tree.nodes.depth
    top = {node: -float(depth[node]) * (head + BAR + GAP) for node in tree.shown}
    rows = [min(len(tree.listed(node)), MOST_MEMBERS) for node in tree.ends]
    member = min(MEMBER if tree.pictures else 0.55 * MEMBER, max(slot, 8.0))
    if not canvas.screen and _are_named(tree, slot, canvas):
        member = max(member, 0.9 * text)
    lowest = min(
        top[node] - head - BAR - member * (row + 1)
        for node, row in zip(tree.ends, rows, strict=True)
    )
    hung, longest = _hung(tree, slot, canvas)
    height = text - lowest
    # What hangs is in pixels: on paper the rest makes way for it.
    height += longest if canvas.screen else height * longest / (0.9 * canvas.height - longest)
    return TreeLayout(x, span, top, slot, head, text, member, height, hung)


def _hung(
    tree: ComparisonTreeData, slot: float, canvas: Canvas
) -> tuple[dict[int, str], float]:
    """Names of leaves, written downwards if they have no room, and the longest length in pixels."""
    size = 0.85 * FONT_SIZE
    wide = slot * pixels(canvas) / size
    pivots = {node: tree.nearer_to(node) for node in tree.ends if node}
    names = tree.names(wide)
    if wide < 1.15 or width_of([names[p] for p in pivots.values()]).max(initial=0) <= 0.95 * wide:
        return {}, 0.0
    names = tree.names(min(_LONGEST, 0.35 * canvas.height / size))
    hung = {node: names[pivot] for node, pivot in pivots.items()}
    return hung, float(width_of(list(hung.values()), size).max()) + 0.6 * size


def _are_named(tree: ComparisonTreeData, slot: float, canvas: Canvas) -> bool:
    """Whether the names of all members have room beside their marks."""
    room = member_room(slot, canvas)
    names, listed = tree.names(room), [i for node in tree.ends for i in tree.listed(node)]
    return width_of([names[i] for i in listed]).max(initial=0) <= room


def member_room(slot: float, canvas: Canvas) -> float:
    return min((slot - 12) * pixels(canvas) / (0.8 * FONT_SIZE), WIDEST)


def pixels(canvas: Canvas) -> float:
    """Pixels of the canvas per unit of the drawing; a page may be narrower."""
    return (min(_PAGE, canvas.width) if canvas.screen else 0.95 * canvas.width) / WIDTH
