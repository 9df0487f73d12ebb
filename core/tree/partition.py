"""The cells of a tree in the plane, where they are divided by straight lines."""

from __future__ import annotations

import numpy as np

from tripletscope.core.tree.nodes import Nodes


def cells(
    nodes: Nodes, positions: np.ndarray, low: np.ndarray, high: np.ndarray
) -> list[np.ndarray]:
    """Outlines of the cells of all nodes.

    nodes: With one pair of pivots per node.
    positions (n, 2): Of the objects, by the numbers that the nodes give them.
    low, high (2,): Corners of the root's cell.
    Returns: (k, 2): Convex polygons; k is 0 where pivots of the same place, or answers that
        contradict the positions, leave nothing.
    """
    p, q = positions[nodes.pivots[:, 0]].transpose(1, 0, 2)
    # x is nearer to p where x . (q - p) is below that of their middle.
    return halved(nodes.child, q - p, ((p + q) / 2 * (q - p)).sum(axis=1), low, high)


def halved(
    child: np.ndarray, direction: np.ndarray, threshold: np.ndarray, low: np.ndarray,
    high: np.ndarray,
) -> list[np.ndarray]:
    """Outlines of cells that are halved at thresholds of projections.

    Shapes: direction (m, 2), threshold (m,).
    child (m,): The child of each node where the projection is at most the threshold; -1 for a leaf.
    low, high: See `cells`, also for what is returned.
    """
    outlines = [np.zeros((0, 2))] * len(child)
    outlines[0] = np.array([low, (high[0], low[1]), high, (low[0], high[1])], dtype=float)
    for node in np.flatnonzero(child >= 0):
        height = outlines[node] @ direction[node] - threshold[node]
        outlines[child[node]] = _below(outlines[node], height)
        outlines[child[node] + 1] = _below(outlines[node], -height)
    return outlines


def _below(polygon: np.ndarray, height: np.ndarray) -> np.ndarray:
    """The part of a convex polygon where a linear function is not above 0.

    height (k,): The function at the corners (Sutherland & Hodgman 1974).
    """
    kept = []
    for i in range(len(polygon)):
        if height[i - 1] * height[i] < 0:
            share = height[i - 1] / (height[i - 1] - height[i])
            kept.append(polygon[i - 1] + share * (polygon[i] - polygon[i - 1]))
        if height[i] <= 0:
            kept.append(polygon[i])
    return np.reshape(kept, (-1, 2))
