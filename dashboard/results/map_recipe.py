"""What maps share: where objects lie, how a map is turned, and how it is shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from tripletscope.core.run import Run

#: Tasks whose results are maps that the answers could as well have given.
UNCERTAIN = ("bootstrap", "posterior", "laplace")


class Placed(NamedTuple):
    """Positions of a result's objects.

    positions (n, d): NaN for objects without a place.
    covariances (n, d, d) or None: NaN for objects whose positions the answers do not determine.
    degrees: Of freedom of the covariances; None without these.
    """

    positions: np.ndarray
    covariances: np.ndarray | None
    degrees: float | None


class Turn(NamedTuple):
    """A rotation of a map.

    rotation array-like (d, d): Orthogonal; positions are multiplied by it from the right.
    towards: Name of the target map; empty without one.
    """

    rotation: np.ndarray
    towards: str


def placed(fit: Run, samples: Run | None, rotation: np.ndarray) -> Placed:
    """Positions as fitted, or at the mean of a posterior, and their uncertainty.

    fit: Of an ordinal embedding.
    samples: Maps that the answers could as well have given.
    rotation (d, d): Positions are multiplied by it from the right.
    """
    fitted, drawn = fit.fitted(), samples.samples() if samples else None
    if drawn is None or drawn.source == "bootstrap":
        positions = np.where(fitted.placed_[:, None], fitted.embedding_, np.nan)
    else:
        positions = drawn.centre
    covariances = None if drawn is None else rotation.T @ drawn.covariances @ rotation
    return Placed(positions @ rotation, covariances, drawn.degrees if drawn else None)


@dataclass(frozen=True)
class TreeLook:
    """What a user has chosen of how a tree is shown; None is as usual.

    number, height: Of the clusters that it is cut into, and of the cut.
    marks: "labels", "pictures" or "none".
    rows: Highest number of rows; None is as many as fit on a page of paper.
    """

    number: int | None = None
    height: float | None = None
    marks: str | None = None
    rows: int | None = None


@dataclass(frozen=True)
class MapLook:
    """What a user has chosen of how a map is shown; None is as the data suggest.

    marks: "points", "labels" or "pictures".
    colour: Key of a colouring of the objects, as `own_colourings` has it; empty for none.
    title, values: Of another colouring: its name, and values by the id of an object.
    coverage: Of the shapes that show uncertainty; 0 for none.
    against: In one dimension, the column of the other axis; empty for the order.
    flat: Whether more than two dimensions are cut to the first two principal axes.
    picture_size: Relative to the usual one.
    outlined: Whether lines go around categories.
    sized: Numeric column by which points are larger; empty for none.
    dense: Whether lines go around where most objects lie; None is where there are very many.
    moved: Where labels were put, by the id of an object.
    turn: Its rotation.
    """

    marks: str | None = None
    colour: str | None = None
    title: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    coverage: float | None = None
    against: str | None = None
    flat: bool = True
    picture_size: float = 1.0
    outlined: bool = False
    sized: str = ""
    dense: bool | None = None
    moved: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    turn: Turn | None = None
