"""Where labels go, so that they do not cover each other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

#: Plotly's names of places around a point, with the direction from the point to the label.
_PLACES = {
    "top center": (0, 1), "bottom center": (0, -1), "middle right": (1, 0),
    "middle left": (-1, 0), "top right": (1, 1), "top left": (-1, 1),
    "bottom right": (1, -1), "bottom left": (-1, -1),
}


def shorten(label: str, length: int = 24) -> str:
    """A label of at most so many characters; what is left out is its middle."""
    if len(label) <= length:
        return label
    tail = length // 3
    return f"{label[: length - tail - 1]}…{label[-tail:]}"


def short_labels(labels: Sequence[str], length: int = 24) -> list[str]:
    """Labels of at most so many characters.

    Where they are longer, words that all of them begin or end with are left out first, because
    they tell nothing apart.
    """
    if not labels or max(map(len, labels)) <= length:
        return list(labels)
    begin = end = ""
    if len(labels) > 1:
        begin = _shared_beginning(labels)
        begin = begin[: begin.rfind(" ") + 1]
        end = _shared_beginning([label[len(begin) :][::-1] for label in labels])[::-1]
        end = end[end.find(" ") :] if " " in end else ""
    inner = [label[len(begin) : len(label) - len(end)] for label in labels]
    return [
        shorten(f"{'…' if begin else ''}{part}{'…' if end else ''}", length) for part in inner
    ]


def _shared_beginning(texts: Sequence[str]) -> str:
    """What all texts begin with."""
    for place, letters in enumerate(zip(*texts, strict=False)):
        if len(set(letters)) > 1:
            return texts[0][:place]
    return min(texts, key=len)


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
    room : sequence of float
        Left, lower, right and upper edge of where labels may be, in pixels.
    first : sequence of int
        Labels to place before the others.

    Returns
    -------
    list of str or None
        A value of plotly's ``textposition`` each.
    """
    room = np.asarray(room)
    taken = np.empty((len(texts), 4))
    n_taken = 0
    places: list[str | None] = [None] * len(texts)
    marks = points[:, [0, 1, 0, 1]] + font_size * np.array([-0.3, -0.3, 0.3, 0.3])
    order = dict.fromkeys([*first, *range(len(texts))])
    for i in order:
        width, height = 0.56 * font_size * len(texts[i]), 1.15 * font_size
        for place, (right, up) in _PLACES.items():
            x = points[i, 0] + right * (width / 2 + 0.45 * font_size)
            y = points[i, 1] + up * (height / 2 + 0.35 * font_size)
            box = np.array([x - width / 2, y - height / 2, x + width / 2, y + height / 2])
            inside = np.all(box[:2] >= room[:2]) and np.all(box[2:] <= room[2:])
            if not inside or _overlaps(box, taken[:n_taken]):
                continue
            if _overlaps(box, np.delete(marks, i, axis=0)):
                continue
            taken[n_taken], n_taken = box, n_taken + 1
            places[i] = place
            break
    return places


def _overlaps(box: np.ndarray, others: np.ndarray) -> bool:
    return bool(
        np.any(
            (box[0] < others[:, 2]) & (box[2] > others[:, 0])
            & (box[1] < others[:, 3]) & (box[3] > others[:, 1])
        )
    )
