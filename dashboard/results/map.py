"""A map's figure outside of the program, drawn from results."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from tripletscope.core.data.errors import DataError
from tripletscope.core.run import Run
from tripletscope.dashboard.figures.map import embedding_map
from tripletscope.dashboard.figures.points import MapData, MapStyle
from tripletscope.dashboard.figures.theme import Canvas
from tripletscope.dashboard.printing.composition import Composition
from tripletscope.dashboard.printing.render import form_of, render

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
    moved: Where labels were put, by the id of an object.
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
    moved: Mapping[str, tuple[float, float]] = field(default_factory=dict)


def map_data(
    where: Placed, objects: pd.DataFrame, *, pictures: Mapping[int, str],
    selected: Collection[int], moved: Mapping[str, Sequence[float]],
) -> MapData:
    """What is drawn of a map; `moved` is by the ids of objects."""
    places = {name: i for i, name in enumerate(objects["id"].tolist())}
    return MapData(
        where.positions, objects, where.covariances, pictures, list(selected), where.degrees,
        {places[name]: tuple(offset) for name, offset in moved.items() if name in places},
    )


@dataclass(frozen=True)
class MapFigure:
    """How a map is drawn and set on paper, to be drawn again from its results.

    The dashboard writes one beside the script that computes the results; `load` reads it.

    composition: Size, letters, legend and so on, as chosen in the dashboard.
    rotation: (d, d) how the map is turned.
    ratio: Height divided by width, where the composition has no height.
    caption, note: What stands below; the note ends it.
    selected: Ids of the selected objects.
    moved: Where labels were put, by the id of the object.
    colours: Values that colour the objects, by id, where these are not in the table of objects.
    pictures: Pictures, as data addresses, by the id of the object.

    Examples
    --------
    >>> figure = MapFigure.load("eggs-map.json")  # doctest: +SKIP
    >>> figure.save("eggs.pdf", fit, bootstrap, answers.objects)  # doctest: +SKIP
    """

    style: MapStyle
    composition: Composition
    rotation: list[list[float]]
    ratio: float
    caption: str = ""
    note: str = ""
    selected: list[str] = field(default_factory=list)
    moved: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    colours: Mapping[str, Any] = field(default_factory=dict)
    pictures: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        try:
            record = json.loads(Path(path).read_text())
            values = {f.name: record[f.name] for f in fields(cls) if f.name in record}
            names = {f.name for f in fields(MapStyle)}
            style = {name: value for name, value in values.pop("style").items() if name in names}
            composition = Composition.from_dict(values.pop("composition"))
            return cls(MapStyle(**style), composition, **values)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise DataError(f"{path} does not describe a map's figure: {error}") from error

    def to_json(self) -> str:
        record = asdict(self) | {"composition": self.composition.to_dict()}
        return json.dumps(record, indent=1, ensure_ascii=False)

    def draw(
        self, fit: Run, samples: Run | None, objects: pd.DataFrame, canvas: Canvas
    ) -> go.Figure:
        where = dict(zip(objects["id"], range(len(objects)), strict=True))
        if self.colours:
            objects = objects.assign(**{self.style.colour: objects["id"].map(self.colours)})
        data = map_data(
            placed(fit, samples, np.array(self.rotation)), objects,
            pictures={where[i]: picture for i, picture in self.pictures.items() if i in where},
            selected=[where[i] for i in self.selected if i in where], moved=self.moved,
        )
        return embedding_map(data, self.style, caption=self.caption, canvas=canvas)

    def save(
        self, path: str | Path, fit: Run, samples: Run | None, objects: pd.DataFrame
    ) -> None:
        """Write the figure to a file.

        path: Ends in .svg, .pdf, .png or .html; all but the last are drawn by a Chrome or Chromium.
        fit: Of the embedding.
        samples: Of its uncertainty.
        objects: Of the answers.
        """
        form = form_of(path)
        Path(path).write_bytes(self.file(form, fit, samples, objects))

    def file(self, form: str, fit: Run, samples: Run | None, objects: pd.DataFrame) -> bytes:
        return render(
            lambda canvas: self.draw(fit, samples, objects, canvas), form, self.composition,
            ratio=self.ratio, note=self.note,
        )
