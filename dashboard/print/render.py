"""Figures as files."""

from __future__ import annotations

import base64
import html
import io
import re
from pathlib import Path
from xml.etree import ElementTree
from xml.sax.saxutils import escape

import plotly.graph_objects as go
from PIL import Image

from tripletscope.core.data.named import one_of
from tripletscope.dashboard.figures.theme import FONT, TEXT
from tripletscope.dashboard.print import browser
from tripletscope.dashboard.print.composition import PIXELS_PER_MM, Composition, Draw, composed
from tripletscope.dashboard.print.typeface import face_for

#: Formats of a figure, with the media type; those that the server draws with a browser.
FORMATS = {
    "svg": "image/svg+xml", "pdf": "application/pdf", "png": "image/png", "html": "text/html",
}
NEED_BROWSER = ("svg", "pdf", "png")
#: Height of a title, and its distance from the edge, in sizes of its letters.
_TITLE, _EDGE = 1.9, 0.6
#: References of an attribute to the same drawing.
_ADDRESS = re.compile(r"(url\(['\"]?)#")
#: Characters that XML excludes, also escaped.
NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SIZE = re.compile(r'<svg [^>]*?width="([\d.]+)" height="([\d.]+)"[^>]*>')

ElementTree.register_namespace("", "http://www.w3.org/2000/svg")
ElementTree.register_namespace("xlink", "http://www.w3.org/1999/xlink")


def render(
    draw: Draw, form: str, composition: Composition | None = None, *, ratio: float = 0.8,
    note: str = "",
) -> bytes:
    """A figure as a file.

    form: one of {"svg", "pdf", "png", "html"}.
    ratio, note: See `composed`.
    """
    one_of(FORMATS, form, "format of figures")
    composition = composition or Composition()
    figure = composed(draw, composition, ratio, note)
    if form == "html":
        page = figure.to_html(include_plotlyjs=True, full_html=True)
        title = html.escape(composition.title)
        return page.replace("<body>", f"<body><h1>{title}</h1>" if title else "<body>", 1).encode()
    return as_form(titled(svg_of(figure), composition), form, composition.dpi)


def form_of(path: str | Path) -> str:
    form = Path(path).suffix.removeprefix(".").lower()
    if form not in FORMATS:
        raise ValueError(f"{path} ends in none of {', '.join(f'.{f}' for f in FORMATS)}")
    return form


def svg_of(figure: go.Figure) -> str:
    """A composed figure as SVG, in pixels of its file, without its letters."""
    drawn = browser.draw(figure, {"format": "svg", "scale": 1.0}).decode()
    drawn = NOT_XML.sub("", drawn)  # labels may have some, and the browser lets them pass
    width, height = (figure.layout.meta["scale"] * pixels for pixels in size_of(drawn))
    return _sized(drawn, f'width="{width:g}" height="{height:g}"')


def size_of(svg: str) -> tuple[float, float]:
    width, height = _SIZE.search(svg).groups()
    return float(width), float(height)


def titled(svg: str, composition: Composition) -> str:
    if not composition.title:
        return svg
    width, height = size_of(svg)
    size = 1.15 * composition.font * 96 / 72
    above = _TITLE * size
    return drawing(width, height + above, [
        text(composition.title, _EDGE * size, 1.25 * size, size, bold=True), placed(svg, 0.0, above)
    ])


def drawing(width: float, height: float, parts: list[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}">'
        f'<rect width="{width:g}" height="{height:g}" style="fill: rgb(255, 255, 255)"/>'
        f'{"".join(parts)}</svg>'
    )


def placed(svg: str, x: float, y: float) -> str:
    """An SVG within another one, its ids made unique by place."""
    root = ElementTree.fromstring(svg)
    place = f"at{x:g}-{y:g}-".replace(".", "_")
    for element in root.iter():
        for name, value in element.attrib.items():
            if name == "id":
                element.set(name, place + value)
            elif name.endswith("href") and value.startswith("#"):
                element.set(name, f"#{place}{value[1:]}")
            else:
                element.set(name, _ADDRESS.sub(rf"\1#{place}", value))
    root.set("x", f"{x:g}")
    root.set("y", f"{y:g}")
    return ElementTree.tostring(root, encoding="unicode")


def text(words: str, x: float, y: float, size: float, bold: bool = False) -> str:
    weight = 600 if bold else 400
    return (
        f'<text x="{x:g}" y="{y:g}" style="font-family: {FONT}; font-size: {size:g}px; '
        f'font-weight: {weight}; fill: {TEXT}">{escape(NOT_XML.sub("", words))}</text>'
    )


def as_form(svg: str, form: str, dpi: int) -> bytes:
    """An SVG of ours with its letters, as a file with its size in millimetres."""
    svg = _lettered(svg)
    if form == "svg":
        return _in_millimetres(svg).encode()
    content = browser.draw(_picture_of(svg), {
        "format": form, "scale": dpi / 96 if form == "png" else 1.0,
    })
    return _with_resolution(content, dpi) if form == "png" else content


def _lettered(svg: str) -> str:
    style = f"<style>{face_for(svg)}</style>"
    start = _SIZE.search(svg)
    return svg[: start.end()] + style + svg[start.end() :]


def _in_millimetres(svg: str) -> str:
    width, height = (pixels / PIXELS_PER_MM for pixels in size_of(svg))
    return _sized(svg, f'width="{width:g}mm" height="{height:g}mm"')


def _sized(svg: str, size: str) -> str:
    return re.sub(r'width="[\d.]+" height="[\d.]+"', size, svg, count=1)


def _picture_of(svg: str) -> go.Figure:
    """A figure that is one picture: the browser's way from an SVG to other formats."""
    width, height = size_of(svg)
    content = base64.b64encode(svg.encode()).decode()
    hidden = {"visible": False}
    return go.Figure(layout={
        "width": width, "height": height, "margin": dict.fromkeys("lrtb", 0),
        "xaxis": hidden, "yaxis": hidden,
        "images": [{
            "source": f"data:image/svg+xml;base64,{content}", "xref": "paper", "yref": "paper",
            "x": 0, "y": 1, "sizex": 1, "sizey": 1, "sizing": "stretch",
        }],
    })


def _with_resolution(png: bytes, dpi: int) -> bytes:
    buffer = io.BytesIO()
    with Image.open(io.BytesIO(png)) as image:
        image.save(buffer, "PNG", dpi=(dpi, dpi), optimize=True)
    return buffer.getvalue()
