"""Size, letters and visible parts of a figure on paper."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

import plotly.graph_objects as go

from tripletscope.dashboard.figures.theme import FONT_SIZE, SYMBOLS, Canvas, longest

PIXELS_PER_MM = 96 / 25.4
_PIXELS_PER_POINT = 96 / 72
#: Default height divided by width.
_RATIO = 0.8
_MOST = 10_000  # of whatever is measured; not a number is not below it

#: Plotly has fewer shapes in space than in the plane.
_IN_SPACE = ("circle", "diamond", "square", "x", "cross", "circle-open", "diamond-open",
             "square-open")

_CORNERS = {
    (row, side): {
        "orientation": "v", "x": x, "xanchor": side, "y": y, "yanchor": row,
        "bgcolor": "rgba(255,255,255,0.75)",
    }
    for row, y in (("top", 0.99), ("bottom", 0.01))
    for side, x in (("left", 0.01), ("right", 0.99))
}
_RIGHT = {"orientation": "v", "x": 1.02, "xanchor": "left", "y": 1, "yanchor": "top"}
#: Places of a legend: label and plotly's settings.
LEGENDS: dict[str, tuple[str, dict[str, Any]]] = {
    "above": ("Above", {}),
    "right": ("Right", _RIGHT),
    **{
        f"{row} {side}": (f"Inside, {row} {side}", place)
        for (row, side), place in _CORNERS.items()
    },
    "none": ("None", {}),
}


@dataclass(frozen=True)
class Composition:
    """Settings of a figure on paper: sizes in millimetres, letters in points.

    height: Without caption and title; None keeps the figure's shape.
    caption: Whether the file contains the caption.
    shapes: Whether categories differ in shape, too, for readers and printers without colours.
    points, lines: Relative to what goes with the letters.
    """

    width: float = 85.0
    height: float | None = None
    font: float = 8.0
    dpi: int = 300
    caption: bool = False
    title: str = ""
    legend: str = "above"
    legend_title: str = ""
    labels: bool = True
    shapes: bool = False
    points: float = 1.0
    lines: float = 1.0

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Settings from `to_dict`, also another version's; invalid ones are ignored."""
        usual = asdict(cls())
        valid = {
            name: value for name, value in record.items()
            if name in usual and _makes_sense(value, usual[name])
        }
        if valid.get("legend") not in LEGENDS:
            valid.pop("legend", None)
        return cls(**valid)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def canvas(self, ratio: float = _RATIO, note: str = "") -> Canvas:
        """The canvas of a figure whose height divided by its width is `ratio`.

        No figure is longer than a page unless `height` says so.
        """
        width, most = self.width * PIXELS_PER_MM, None
        if self.height is None:
            most = longest(width)
            height = min(width * ratio, most)
            most /= self.scale
        else:
            height = self.height * PIXELS_PER_MM
        return Canvas(
            width / self.scale, height / self.scale, screen=False, note=note,
            captioned=self.caption, named=self.labels, legend=self.legend, most=most,
        )

    @property
    def scale(self) -> float:
        """Size of a figure in its file divided by that when drawn."""
        return self.font * _PIXELS_PER_POINT / FONT_SIZE


def _makes_sense(value: Any, usual: Any) -> bool:
    if isinstance(usual, bool | str):
        return type(value) is type(usual)
    if value is None:
        return usual is None
    return type(value) in (int, float) and 0 < value < _MOST


#: Sizes by purpose.
PRESETS: dict[str, dict[str, Any]] = {
    "One column": {"width": 85.0, "height": None, "font": 8.0},
    "Two columns": {"width": 180.0, "height": None, "font": 8.0},
    "Slide": {"width": 254.0, "height": 120.0, "font": 18.0},
    "Poster": {"width": 400.0, "height": None, "font": 24.0},
}

Draw = Callable[[Canvas], go.Figure]


def composed(
    draw: Draw, composition: Composition, ratio: float = _RATIO, note: str = ""
) -> go.Figure:
    """A figure without title, with its size and scale.

    note: Ends the caption: what the reader must know of the data.
    """
    canvas = composition.canvas(ratio, note)
    figure = draw(canvas)
    _set_points(figure, composition)
    _set_legend(figure, composition)
    return figure.update_layout(
        width=canvas.width, height=figure.layout.height or canvas.height,
        meta={**(figure.layout.meta or {}), "scale": composition.scale},
    )


@dataclass(frozen=True)
class Possible:
    """Settings that a figure has when it is composed."""

    legend: bool
    labels: bool
    points: bool
    lines: bool
    shapes: bool


def possible(figure: go.Figure) -> Possible:
    named = list(_named(figure))
    modes = [trace.mode or "" for trace in _scattered(figure)]
    return Possible(
        legend=bool(named) and figure.layout.showlegend is not False,
        labels=any("text" in mode for mode in modes),
        points=any("markers" in mode for mode in modes),
        lines=any("lines" in mode for mode in modes),
        shapes=sum("markers" in (trace.mode or "") for trace in named) > 1,
    )


def _scattered(figure: go.Figure) -> Iterator[Any]:
    return (trace for trace in figure.data if trace.type.startswith("scatter"))


def _named(figure: go.Figure) -> Iterator[Any]:
    """Traces that the legend lists."""
    return (trace for trace in _scattered(figure) if trace.showlegend is not False and trace.name)


def _set_points(figure: go.Figure, composition: Composition) -> None:
    for trace in _scattered(figure):
        modes = (trace.mode or "").split("+")
        if not composition.labels and "text" in modes:
            trace.mode = "+".join(mode for mode in modes if mode != "text") or "none"
        if "markers" in modes and trace.marker.size is not None:
            trace.marker.size = _times(trace.marker.size, composition.points)
        if "lines" in modes and trace.line.width is not None:
            trace.line.width = composition.lines * trace.line.width
    if composition.shapes:
        drawn = (trace for trace in _named(figure) if "markers" in (trace.mode or ""))
        symbols: dict[str, str] = {}
        for trace in drawn:
            name = trace.legendgroup or trace.name
            shapes = _IN_SPACE if trace.type == "scatter3d" else SYMBOLS
            trace.marker.symbol = symbols.setdefault(name, shapes[len(symbols) % len(shapes)])


def _times(sizes: Any, factor: float) -> Any:
    if isinstance(sizes, int | float):
        return factor * sizes
    return [factor * size for size in sizes]


def _set_legend(figure: go.Figure, composition: Composition) -> None:
    _, place = LEGENDS[composition.legend]
    figure.update_layout(legend=place)
    if composition.legend == "none":
        figure.update_layout(showlegend=False)
    if composition.legend_title:
        figure.update_layout(
            legend_title_text=html.escape(composition.legend_title, quote=False)
        )
