"""Free places for the support of the branches of a tree."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tripletscope.dashboard.figures.fonts import width_of

#: Most branches with support.
_WRITTEN = 60
#: Between a number and the lines beside it and below it, in heights of the number.
_BESIDE, _BELOW = 0.35, 0.1


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
