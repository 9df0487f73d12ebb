"""A plotly chart on the page that keeps its zoom, follows the theme and reports selections."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import streamlit as st
from plotly.offline import get_plotlyjs_version

from tripletscope.dashboard.state import widgets

_ASSETS = Path(__file__).parent / "assets"


def asset(name: str) -> str:
    return (_ASSETS / name).read_text()


def _script(*names: str) -> str:
    return "".join(map(asset, ("plotly.js", *names)))


_component = st.components.v2.component(
    "tripletscope_chart",
    html=(
        '<div class="ts-chart"><div class="ts-plot"></div><img class="ts-tip" alt="">'
        '<p class="ts-said" role="status"></p>'
        '<p class="ts-trouble" hidden>The chart could not be drawn, because its script did not '
        "load. Start the program with the command tripletscope.</p></div>"
    ),
    css=asset("chart.css"),
    js=_script("space.js", "pictures.js", "rest.js", "window.js", "walk.js", "chart.js"),
    isolate_styles=False,
)

_download = st.components.v2.component(
    "tripletscope_download",
    html='<div class="ts-save"></div>',
    css=asset("chart.css"),
    js=_script("download.js"),
    isolate_styles=False,
)


def address(path: str) -> str:
    """Address, for the browser, of something that this server serves beside the pages."""
    base = st.get_option("server.baseUrlPath").strip("/")
    return "/".join(filter(None, ["", base, "tripletscope", path]))


def _plotly_address() -> str:
    return address(f"plotly-{get_plotlyjs_version()}.min.js")


@dataclass(frozen=True)
class Gestures:
    """What can be done with the points and lines of a figure.

    pictures: Shown large under the pointer, by the number of a point.
    on_pick: Called with the numbers picked and "replace", "add" or "toggle".
    on_move: Called with name and position of a dragged line. Makes all shapes movable; they must be
        lines from edge to edge.
    on_label: Called with an object's number and its dragged label's offset (see
        `tripletscope.dashboard.figures.placing.Spot`).
    """

    pictures: Mapping[int, str] = field(default_factory=dict)
    on_pick: Callable[[list[int], str], None] | None = None
    on_move: Callable[[str, float], None] | None = None
    on_label: Callable[[int, tuple[float, float]], None] | None = None


NO_GESTURES = Gestures()


def chart(
    figure: go.Figure | str | None,
    *,
    key: str,
    alt: str,
    height: int = 420,
    gestures: Gestures = NO_GESTURES,
    live: str | None = None,
    fills: str = "",
    on_size: Callable[[float, float], None] | None = None,
    drawn_for: tuple[float, float] = (0.0, 0.0),
) -> None:
    """Show a figure.

    figure: Or its JSON; None where `live` brings the first one. Points with a whole number as
        ``customdata`` can be selected. Zoom and camera survive while ``layout.uirevision`` stays
        the same.
    alt: Description for readers who cannot see it.
    live: Address of newer figures, as JSON.
    fills {"", "whole", "part"}: A figure that ends where the window does, without scrolling the
        page: it is as high as there is room, or a higher one is seen in part.
    on_size: Called with width and height of such a figure where they are not `drawn_for`.
    """

    def told(what: str) -> Any:
        # Where the page was left meanwhile, it has no such chart.
        return widgets().get(key, {}).get(what)

    def picked() -> None:
        event = told("picked")
        if event and gestures.on_pick:
            gestures.on_pick([int(i) for i in event["ids"]], event["mode"])

    def moved() -> None:
        event = told("moved")
        if event and gestures.on_move:
            gestures.on_move(event["name"], float(event["value"]))

    def placed() -> None:
        event = told("placed")
        if event and gestures.on_label:
            gestures.on_label(int(event["id"]), (float(event["x"]), float(event["y"])))

    def measured() -> None:
        event = told("measured")
        if event and on_size:
            on_size(float(event["width"]), float(event["height"]))

    _component(
        key=key,
        data={
            "figure": figure.to_json() if isinstance(figure, go.Figure) else figure or "",
            "live": live or "",
            "plotly": _plotly_address(),
            "height": height,
            "alt": alt,
            "pictures": {str(i): source for i, source in gestures.pictures.items()},
            "selectable": gestures.on_pick is not None,
            "movable": gestures.on_move is not None,
            "labels": gestures.on_label is not None,
            "fills": fills,
            "drawn_for": list(drawn_for) if on_size else None,
        },
        on_picked_change=picked,
        on_moved_change=moved,
        on_placed_change=placed,
        on_measured_change=measured,
    )


def browser_download(figure: go.Figure, *, key: str, name: str, dpi: int) -> None:
    """Buttons that let the browser draw a figure and save it as SVG or PNG."""
    _download(
        key=key,
        data={
            "figure": figure.to_json(), "plotly": _plotly_address(), "name": name, "dpi": dpi,
            "width": figure.layout.width, "height": figure.layout.height,
            "scale": figure.layout.meta["scale"],
        },
    )
