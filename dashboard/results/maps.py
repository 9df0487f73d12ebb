"""Maps with their uncertainty."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from tripletscope.core.data.geometry import ellipsoids
from tripletscope.core.run import Run
from tripletscope.dashboard.figures.colours import is_quantity
from tripletscope.dashboard.figures.map import embedding_map
from tripletscope.dashboard.figures.plane import height_of
from tripletscope.dashboard.figures.points import MANY, SPREAD, MapData, MapStyle
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.results.map import placed
from tripletscope.dashboard.results.shown import ShownResults, presents, uncertainty_of

#: A map's frame: width that it is fitted to, least and most height, and what stands above it.
_WIDTH, _LEAST, _MOST, _HEAD = 640.0, 260.0, 640.0, 40.0
#: More objects than this have no names in a map of everything.
_NAMED = 150
#: Categories that can be told apart by colour at first sight.
_FEW = 10
_OWN = ("id", "label", "image")


@presents("fit", "embedding")
def map_of(shown: ShownResults, run: Run) -> Iterator[Drawing]:
    """The map, with ellipses where its uncertainty is known."""
    words, samples, fitted = shown.words, uncertainty_of(shown, run), run.fitted()
    d = fitted.n_components
    rotation = shown.rotations.get(run.key, np.eye(d))
    where = placed(run, samples, rotation)
    objects = shown.answers.objects
    colour = colour_of(objects)
    marks = "pictures" if shown.pictures else "labels" if len(objects) <= _NAMED else "points"
    against = stimulus_of(objects) if d == 1 else None
    style = MapStyle(marks if d > 1 else "points", colour, where.covariances is not None,
                     against=against)
    data = MapData(
        where.positions, objects, where.covariances, shown.pictures, degrees=where.degrees
    )
    shape = words("error bars" if d == 1 else "ellipses")
    caption = [words("map of", objects=words.count(len(objects), "object"), d=d,
                     method=words.method(run.fresh()))]
    if d > 2:
        caption.append(words("first axes"))
    if colour:
        caption.append(words("coloured", column=colour))
    if samples is not None and np.isfinite(samples.samples().radius(style.coverage)):
        whose = words("of some", number=SPREAD) if d > 1 and len(objects) > MANY else ""
        caption.append(words(
            "shapes", shape=shape, whose=whose, origin=origin_of(shown, samples)
        ))
    text = " ".join(caption)
    ratio = (_HEAD + height_of(data, _WIDTH, _LEAST, _MOST)) / _WIDTH if d > 1 else 0.7
    yield Drawing(
        "map", words("title map", method=fitted.title), text,
        words("alt map", objects=words.count(len(objects), "object"), far=_far_apart(shown, where)),
        ratio, lambda canvas: embedding_map(data, style, caption=text, canvas=canvas),
        lambda: coordinates(objects, *where),
        (run.key, *((samples.key,) if samples else ())),
    )


def origin_of(shown: ShownResults, samples: Run) -> str:
    """What an uncertainty was computed from, in words."""
    words, found = shown.words, samples.samples()
    number = words.whole(len(found.embeddings))
    if found.source == "bootstrap":
        text = words("from bootstrap", number=number, over=words.over(found.unit, found.n_units))
    else:
        text = words(f"from {found.source}", number=number)
    return text + words.as_in(samples.task, samples.options)


def colour_of(objects: pd.DataFrame) -> str | None:
    """The column of the objects that colours a map at first: of few categories, else numbers."""
    columns = [c for c in objects.columns if c not in _OWN]
    few = [c for c in columns
           if not is_quantity(objects[c]) and 1 < objects[c].nunique() <= _FEW]
    numbers = [c for c in columns if is_quantity(objects[c])]
    return next(iter([*few, *numbers]), None)


def stimulus_of(objects: pd.DataFrame) -> str | None:
    """The first column of numbers."""
    return next((c for c in objects.columns if c not in _OWN and is_quantity(objects[c])), None)


def _far_apart(shown: ShownResults, where: Any) -> str:
    """The two objects that are farthest apart, by name."""
    positions = where.positions
    known = np.flatnonzero(np.isfinite(positions).all(axis=1))
    if len(known) < 2:
        return ""
    along = positions[known, 0]
    first, last = known[np.argmin(along)], known[np.argmax(along)]
    labels = shown.answers.labels
    return shown.words("along the first axis", first=labels[first], last=labels[last])


def coordinates(
    objects: pd.DataFrame, positions: np.ndarray, covariances: np.ndarray | None = None,
    degrees: float | None = None,
) -> pd.DataFrame:
    """The objects, without their pictures, where they lie, and how surely.

    Shapes: positions (n, d), covariances (n, d, d).
    degrees: Of freedom of the covariances.
    Returns: Beside the columns of `objects` those of positions (``x1``), and where covariances are
        known their entries (``cov_x1_x2``), half the lengths of the 95 % intervals or ellipses
        (``half_axis_1_95``, the longest first), and in the plane the angle of the longest to the
        first axis, against the clock (``angle_degrees``).
    """
    table = objects.drop(columns="image", errors="ignore").assign(
        **{f"x{k + 1}": axis for k, axis in enumerate(positions.T)}
    )
    if covariances is None:
        return table
    d = positions.shape[1]
    shape = ellipsoids(covariances, 0.95, degrees)
    further = {
        f"cov_x{r + 1}_x{c + 1}": covariances[:, r, c]
        for r, c in zip(*np.triu_indices(d), strict=True)
    } | {f"half_axis_{k + 1}_95": half for k, half in enumerate(shape.half_axes.T)}
    if d == 2:
        along = np.degrees(np.arctan2(shape.directions[:, 1, 0], shape.directions[:, 0, 0])) % 180
        further["angle_degrees"] = np.where(np.isfinite(shape.half_axes[:, 0]), along, np.nan)
    return table.assign(**further)
