"""Where labels go, so that they do not cover each other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tripletscope.dashboard.interface.fonts import width_of

#: Plotly's names of places around a point, with the direction from the point to the label.
_PLACES = {
    "top center": (0, 1), "bottom center": (0, -1), "middle right": (1, 0),
    "middle left": (-1, 0), "top right": (1, 1), "top left": (-1, 1),
    "bottom right": (1, -1), "bottom left": (-1, -1),
}


def place_labels(
    points: np.ndarray,
    texts: Sequence[str],
    *,
    font_size: float,
    room: Sequence[float],
    first: Sequence[int] = (),
) -> list[str | None]:
    """A free place for every label, or None where there is none.

    Parameters
    ----------
    points : ndarray, shape (n, 2)
        In pixels, upwards.
    texts : sequence of str
    font_size : float
        In pixels.
    room : sequence of four floats
        Left, lower, right and upper edge of where labels may be, in pixels.
    first : sequence of int
        Labels to place before the others.

    Returns
    -------
    list of str or None
        A value of plotly's ``textposition`` each.
    """
    size = np.empty((len(texts), 2))
    size[:, 0] = width_of(texts, font_size)
    size[:, 1] = 1.15 * font_size
    reach = size / 2 + font_size * np.array([0.45, 0.35])
    marks = np.hstack([points - 0.3 * font_size, points + 0.3 * font_size])
    boxes, free = {}, {}
    for place, side in _PLACES.items():
        centre = points + reach * side
        boxes[place] = np.hstack([centre - size / 2, centre + size / 2])
        covers = _overlaps(boxes[place][:, None], marks[None])
        np.fill_diagonal(covers, False)
        inside = (boxes[place][:, :2] >= room[:2]) & (boxes[place][:, 2:] <= room[2:])
        free[place] = inside.all(axis=1) & ~covers.any(axis=1)
    taken = np.empty((len(texts), 4))
    n_taken = 0
    places: list[str | None] = [None] * len(texts)
    for i in dict.fromkeys([*first, *range(len(texts))]):
        for place in _PLACES:
            if free[place][i] and not _overlaps(boxes[place][i], taken[:n_taken]).any():
                taken[n_taken], n_taken = boxes[place][i], n_taken + 1
                places[i] = place
                break
    return places


def _overlaps(box: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Whether boxes overlap, given as left, lower, right, upper along the last axis."""
    return (
        (box[..., 0] < others[..., 2]) & (box[..., 2] > others[..., 0])
        & (box[..., 1] < others[..., 3]) & (box[..., 3] > others[..., 1])
    )
