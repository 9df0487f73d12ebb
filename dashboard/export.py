"""Figures, tables and runs as files."""

from __future__ import annotations

import io
import json
import re
import threading
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import kaleido
import pandas as pd
import plotly.graph_objects as go
import plotly.io
from choreographer.browsers.chromium import Chromium
from choreographer.errors import ChannelClosedError
from PIL import Image

from tripletscope.core.run import Run
from tripletscope.dashboard.interface.theme import Canvas

#: Bytes of a part of a file's name; most systems allow 255 for the whole.
_LONGEST = 100
_PIXELS_PER_MM = 96 / 25.4
_PIXELS_PER_POINT = 96 / 72

#: Formats of a figure, with the media type; those that the server draws with a browser.
FORMATS = {
    "svg": "image/svg+xml", "pdf": "application/pdf", "png": "image/png", "html": "text/html",
}
NEED_BROWSER = ("svg", "pdf", "png")


class ExportError(Exception):
    """A file could not be made; the message says why and what to do."""


@dataclass(frozen=True)
class PrintSize:
    """Size of an exported figure.

    Attributes
    ----------
    width : float
        In millimetres; journals have columns of about 85 mm and pages of about 180 mm.
    ratio : float
        Height divided by width, without the caption.
    font : float
        In points.
    dpi : int
        Pixels per inch of a PNG.
    note : str
        Ends the caption: what the reader must know of the data.
    """

    width: float = 85.0
    ratio: float = 0.8
    font: float = 8.0
    dpi: int = 300
    note: str = ""

    @property
    def canvas(self) -> Canvas:
        width = self.width * _PIXELS_PER_MM
        return Canvas(
            width, width * self.ratio, self.font * _PIXELS_PER_POINT, screen=False, note=self.note
        )


Draw = Callable[[Canvas], go.Figure]


def render(draw: Draw, form: str, size: PrintSize | None = None) -> bytes:
    """A figure as a file.

    Parameters
    ----------
    draw : callable
        Draws the figure for a canvas.
    form : {"svg", "pdf", "png", "html"}
    size : PrintSize, optional

    Raises
    ------
    ExportError
        If the format needs a browser on the server and there is none that works.
    """
    size = size or PrintSize()
    figure = sized(draw, size)
    if form == "html":
        return figure.to_html(include_plotlyjs=True, full_html=True).encode()
    scale = size.dpi / 96 if form == "png" else 1.0
    content = _with_browser(figure, {"format": form, "scale": scale})
    if form == "svg":
        return _in_millimetres(content, figure)
    if form == "png":
        return _with_resolution(content, size.dpi)
    return content


def sized(draw: Draw, size: PrintSize) -> go.Figure:
    """A figure drawn for a size, which it carries along; below it there may be a caption."""
    canvas = size.canvas
    figure = draw(canvas)
    return figure.update_layout(
        width=canvas.width, height=figure.layout.height or canvas.height
    )


def _in_millimetres(svg: bytes, figure: go.Figure) -> bytes:
    """An SVG that says how large it is on paper."""
    width, height = (
        pixels / _PIXELS_PER_MM for pixels in (figure.layout.width, figure.layout.height)
    )
    root = f'width="{width:g}mm" height="{height:g}mm"'.encode()
    return re.sub(rb'width="[\d.]+" height="[\d.]+"', root, svg, count=1)


def _with_resolution(png: bytes, dpi: int) -> bytes:
    buffer = io.BytesIO()
    with Image.open(io.BytesIO(png)) as image:
        image.save(buffer, "PNG", dpi=(dpi, dpi), optimize=True)
    return buffer.getvalue()


# The browser that draws ----------------------------------------------------------------------

_lock = threading.RLock()
_running = False


class _Offline(Chromium):
    """A browser that asks nobody for anything; left to itself it looks for news of its maker."""

    _FLAGS = (
        "--disable-background-networking", "--host-resolver-rules=MAP * ~NOTFOUND",
        # Port 9 is closed, or discards what it is sent; only administrators could listen there.
        "--proxy-server=http://127.0.0.1:9", "--proxy-bypass-list=<-loopback>",
    )

    def get_cli(self) -> Sequence[str]:
        return [*super().get_cli(), *self._FLAGS]


def can_render() -> bool:
    """Whether the server has a browser to draw figures with."""
    return bool(Chromium.find_browser(skip_local=False))


def _with_browser(figure: go.Figure, options: Mapping[str, Any]) -> bytes:
    with _lock:
        # Asking first matters: without a browser, kaleido's server would wait for ever.
        if not can_render():
            raise ExportError(
                "This format is drawn by a Chrome or Chromium on the server, and none was found. "
                "Install one, or choose HTML."
            )
        _open_browser()
        try:
            return plotly.io.to_image(figure, **options)
        except ChannelClosedError:
            close_browser()
            _open_browser()
        try:
            return plotly.io.to_image(figure, **options)
        except ChannelClosedError as error:
            close_browser()
            raise ExportError(
                "The browser that draws figures on the server ended twice. Try again, or choose "
                "HTML."
            ) from error


def _open_browser() -> None:
    global _running
    if not _running:
        plotly.io.defaults.headers = None  # otherwise every call warns about them
        kaleido.start_sync_server(
            n=1, mathjax=False, browser_cls=_Offline, silence_warnings=True
        )
        _running = True


def close_browser() -> None:
    """End the browser that draws figures, if it was started."""
    global _running
    with _lock:
        if _running:
            kaleido.stop_sync_server(silence_warnings=True)
            _running = False


# Tables and bundles --------------------------------------------------------------------------


#: How a text begins that spreadsheets take for a formula, and what only begins like one.
_FORMULA = re.compile(r"[=+\-@\t\r\n＝＋－＠]")
_RETURN = re.compile(r"\r\n?")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)


def csv(table: pd.DataFrame) -> bytes:
    """A table as CSV with all digits, UTF-8, to be read by programs: every text as it is."""
    return table.to_csv(index=False).encode()


def sheet(table: pd.DataFrame) -> bytes:
    """A table as CSV to be opened in a spreadsheet, where no text is a formula.

    A text that begins like one gets an apostrophe in front, which spreadsheets take for "this is
    text". The names of objects are whatever somebody has put into a file.
    """
    columns = [
        column if pd.api.types.is_numeric_dtype(column) else column.astype(object).map(_as_text)
        for _, column in table.items()
    ]
    safe = pd.concat(columns, axis=1) if columns else table
    return csv(safe.set_axis([_as_text(name) for name in table.columns], axis=1))


def is_formula(text: Any) -> bool:
    """Whether a spreadsheet would take a text for a formula."""
    return (
        isinstance(text, str) and bool(_FORMULA.match(text)) and not _NUMBER.fullmatch(text)
    )


def _as_text(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    value = _RETURN.sub("\n", value)  # the writer quotes no returns, and the rest would be a row
    return f"'{value}" if is_formula(value) else value


def settings(runs: Mapping[str, Run], data: Mapping[str, Any]) -> bytes:
    """How results came about, as JSON: data, method, parameters, options, versions, times."""
    record = {
        "data": dict(data),
        "computations": {
            name: {key: value for key, value in vars(run).items() if key != "arrays"}
            for name, run in runs.items()
        },
    }
    return json.dumps(record, indent=2, ensure_ascii=False).encode()


def bundle(files: Mapping[str, bytes]) -> bytes:
    """Several files as one ZIP."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def file_name(*parts: str) -> str:
    """A name for a file that every system accepts: of parts of at most `_LONGEST` bytes."""
    words = (re.sub(r"[^\w.-]+", "-", part).strip("-.") for part in parts)
    words = (word.encode()[:_LONGEST].decode(errors="ignore").strip("-.") for word in words)
    return "-".join(word for word in words if word) or "tripletscope"
