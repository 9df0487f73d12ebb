"""A map's figure outside of the program, drawn from results."""

from __future__ import annotations

import json
from collections.abc import Mapping
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

    rotation (d, d): Orthogonal; positions are multiplied by it from the right.
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
        result = placed(fit, samples, np.array(self.rotation))
        data = MapData(
            result.positions, objects, result.covariances,
            {where[i]: picture for i, picture in self.pictures.items() if i in where},
            [where[i] for i in self.selected if i in where], result.degrees,
            {where[i]: tuple(place) for i, place in self.moved.items() if i in where},
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
