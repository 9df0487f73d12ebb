"""Figures as files: the bytes parse, have the asked size and letters, and show the same."""

from __future__ import annotations

import io
import re
import socket
import threading
from contextlib import contextmanager, suppress
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from kaleido.errors import JavascriptError, KaleidoError
from PIL import Image

from tests.browser import needs_browser
from tests.processes import has_ended, kill, named, started_by, stop
from tests.waiting import PATIENCE
from tripletscope.dashboard.figures.diagnostics import loss_curves
from tripletscope.dashboard.figures.map import embedding_map
from tripletscope.dashboard.figures.points import MapData, MapStyle
from tripletscope.dashboard.print import browser
from tripletscope.dashboard.print.browser import ExportError
from tripletscope.dashboard.print.composition import PIXELS_PER_MM, Composition, composed
from tripletscope.dashboard.print.render import NEED_BROWSER, as_form, render, svg_of
from tripletscope.dashboard.print.sheet import Panel, sheet

#: Height in mm of a caption of one line: the figure above it keeps the size that was asked for.
CAPTION = 1.82 * 0.85 * 8 / 72 * 25.4
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="session", autouse=True)
def _browser_ends():
    """After tests of other files that draw: each start takes seconds."""
    yield
    browser.close_browser()


def draw(canvas):
    objects = pd.DataFrame({"id": list("abc"), "label": ["<b>bold</b>", "ärger", "c"]})
    positions = np.array([[0.0, 0], [1, 0], [0, 2]])
    data = MapData(positions, objects, np.tile(np.eye(2) / 50, (3, 1, 1)))
    return embedding_map(data, MapStyle(), caption="STE, 2 dimensions.", canvas=canvas)


@needs_browser
@pytest.mark.parametrize("width", [85.0, 180.0])
def test_svg_has_its_size_its_text_and_a_white_ground(width):
    root = ElementTree.fromstring(render(draw, "svg", Composition(width, caption=True)))
    assert root.get("width") == f"{width:g}mm"
    height = float(root.get("height").removesuffix("mm"))
    assert height == pytest.approx(0.8 * width + CAPTION, abs=1e-3)
    texts = ["".join(t.itertext()) for t in root.iter(f"{SVG}text")]
    assert {"<b>bold</b>", "ärger", "c"} <= set(texts)
    assert any("STE, 2 dimensions" in text for text in texts)
    assert "rgb(255, 255, 255)" in root.find(f"{SVG}rect").get("style")
    sizes = set(re.findall(r"font-size: ([\d.]+)px", ElementTree.tostring(root).decode()))
    scale = width * PIXELS_PER_MM / float(root.get("viewBox").split()[2])
    assert any(scale * float(s) == pytest.approx(0.92 * 8 * 96 / 72, abs=0.01) for s in sizes)


@needs_browser
def test_pdf_has_its_size():
    content = render(draw, "pdf", Composition(85.0, caption=True))
    assert content.startswith(b"%PDF-")
    box = content.split(b"/MediaBox [")[1].split(b"]")[0].split()
    points = 85 / 25.4 * 72
    assert float(box[2]) == pytest.approx(points, abs=1.5)
    assert float(box[3]) == pytest.approx(0.8 * points + CAPTION / 25.4 * 72, abs=1.5)
    # Letters as outlines for each use are refused by some journals; these are of a typeface.
    assert b"/CIDFontType2" in content
    assert b"/Type3" not in content


@needs_browser
@pytest.mark.parametrize("dpi", [150, 300])
def test_png_has_its_resolution(dpi):
    with Image.open(io.BytesIO(render(draw, "png", Composition(85.0, dpi=dpi)))) as image:
        assert image.size[0] == pytest.approx(85 / 25.4 * dpi, abs=2)
        assert image.info["dpi"][0] == pytest.approx(dpi, abs=1)
        assert image.convert("RGB").getpixel((1, 1)) == (255, 255, 255)
        assert len(image.convert("RGB").getcolors(100_000)) > 10


@needs_browser
def test_a_browser_that_died_is_started_again():
    render(draw, "svg")
    browsers = named("chrom", started_by())
    assert browsers
    kill(*browsers)
    assert render(draw, "svg").startswith(b"<svg")


@contextmanager
def given(**attributes):
    """The browser's module with other attributes."""
    with pytest.MonkeyPatch.context() as patched:
        for name, value in attributes.items():
            patched.setattr(browser, name, value)
        yield


def stopped_browser():
    """The processes of a browser that draws, which stand still."""
    browser.close_browser()
    before = started_by()  # of other tests, which go on
    render(draw, "svg")
    there = started_by() - before
    assert named("chrom", there)
    stop(*there)
    return there


def program(folder, script):
    """A program in place of a browser."""
    path = folder / "chromium"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return lambda: str(path)


@needs_browser
def test_a_browser_that_stands_still_while_it_draws_is_replaced():
    there = stopped_browser()
    with given(_DEADLINE=1.0), pytest.raises(ExportError, match=r"too long\. Try another size"):
        render(draw, "svg")
    assert has_ended(*there)
    assert render(draw, "svg").startswith(b"<svg")


@needs_browser
@pytest.mark.parametrize("script", ["kill -STOP $$", "trap '' TERM; sleep 3600 & wait"])
def test_a_browser_that_stands_still_while_it_starts_is_replaced(script, tmp_path):
    browser.close_browser()
    before = started_by()
    with (
        given(_DEADLINE=1.0, browser_path=program(tmp_path, script)),
        pytest.raises(ExportError, match=r"too long\. Try another size"),
    ):
        render(draw, "svg")
    assert has_ended(*(started_by() - before))
    assert render(draw, "svg").startswith(b"<svg")


@needs_browser
def test_a_browser_that_ends_as_it_starts_is_told_of(tmp_path):
    browser.close_browser()
    with (
        given(browser_path=program(tmp_path, "exit 1")),
        pytest.raises(ExportError, match=r"ended twice\. Try again"),
    ):
        render(draw, "svg")
    assert render(draw, "svg").startswith(b"<svg")


@needs_browser
def test_a_browser_that_stands_still_is_closed():
    there = stopped_browser()
    closing = threading.Thread(target=browser.close_browser, daemon=True)
    closing.start()
    closing.join(PATIENCE)
    assert not closing.is_alive()
    assert has_ended(*there)
    assert render(draw, "svg").startswith(b"<svg")


@needs_browser
def test_a_browser_is_closed_as_soon_as_it_starts():
    before = started_by()
    browser.close_browser()
    browser.get_ready()
    browser.close_browser()
    assert has_ended(*(started_by() - before))


def test_who_waits_for_figures_of_others_is_told():
    with (
        given(can_render=lambda: True, _WAIT=0.01), browser._turn(),
        pytest.raises(ExportError, match=r"busy with other figures\. Try again"),
    ):
        render(draw, "svg")


@pytest.mark.parametrize(("failure", "told"), [
    (KaleidoError(525, "Something went wrong with axis scaling"), "wrong with axis scaling"),
    (JavascriptError("no such picture."), "no such picture"),
    (TimeoutError(), "it took too long"),
])
def test_why_a_figure_cannot_be_drawn_is_told_in_a_sentence(failure, told, monkeypatch):
    def failing(*_):
        raise failure

    monkeypatch.setattr(browser, "can_render", lambda: True)
    monkeypatch.setattr(browser, "_drawn", failing)
    ended = []
    monkeypatch.setattr(browser, "close_browser", lambda: ended.append(True))
    with pytest.raises(ExportError, match=f"could not draw this figure: .*{told}. Try another"):
        render(draw, "svg")
    assert ended, "it may still be at it"


@needs_browser
def test_the_browser_that_draws_asks_nobody_for_anything():
    """Nor a service of this machine, which is where a test can listen."""
    asked = []
    listener = socket.create_server(("127.0.0.1", 0))

    def listen() -> None:
        with suppress(OSError):  # closed
            while True:
                asked.append(listener.accept())

    threading.Thread(target=listen, daemon=True).start()
    picture = f"http://127.0.0.1:{listener.getsockname()[1]}/picture.png"

    def with_picture(canvas):
        where = {"xref": "paper", "yref": "paper", "x": 0, "y": 1, "sizex": 1, "sizey": 1}
        return draw(canvas).add_layout_image(source=picture, **where)

    with listener:
        render(with_picture, "png")
    assert asked == []


def test_html_stands_on_its_own():
    text = render(draw, "html", Composition(caption=True)).decode()
    assert "plotly.js v" in text
    assert "STE, 2 dimensions." in text
    assert "cdn.plot.ly/plotly" not in text.split("<body>")[0]


@pytest.mark.parametrize("form", NEED_BROWSER)
def test_without_a_browser_it_is_said(form, monkeypatch):
    monkeypatch.setattr(browser, "can_render", lambda: False)
    with pytest.raises(ExportError, match="Install one, or choose HTML"):
        render(draw, form)


def test_of_two_browsers_the_one_without_windows_draws(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("BROWSER_PATH", raising=False)
    for name in ("chromium", "chromium-headless-shell"):
        executable = tmp_path / name
        executable.write_text("#!/bin/sh\n")
        executable.chmod(0o755)
        assert browser.browser_path() == str(executable)
    monkeypatch.setenv("BROWSER_PATH", str(tmp_path / "chromium"))
    assert browser.browser_path() == str(tmp_path / "chromium")
    monkeypatch.setenv("BROWSER_PATH", str(tmp_path / "nothing"))
    assert browser.browser_path() is None
    assert not browser.can_render()


def test_composed_figures_carry_their_size():
    figure = composed(lambda canvas: loss_curves({0: [2.0, 1.0]}, canvas), Composition(), 0.5)
    scale = figure.layout.meta["scale"]
    assert scale * figure.layout.width == pytest.approx(321.26, abs=0.01)
    assert scale * figure.layout.height == pytest.approx(160.63, abs=0.01)


@needs_browser
def test_every_format_has_the_letters_of_the_pages():
    composition = Composition(title="Ein <Titel> & mehr ☃")
    svg = render(draw, "svg", composition).decode()
    assert "@font-face{font-family:'Source Sans'" in svg
    root = ElementTree.fromstring(svg)
    assert "Ein <Titel> & mehr ☃" in ["".join(t.itertext()) for t in root.iter(f"{SVG}text")]
    fonts = set(re.findall(rb"/FontName ?/\w+\+(\w+)", render(draw, "pdf", composition)))
    assert any(name.startswith(b"SourceSans") for name in fonts)
    assert b"<h1>Ein &lt;Titel&gt; &amp; mehr" in render(draw, "html", composition)


@needs_browser
def test_a_sheet_is_drawn_in_every_format():
    panel = Panel("map", svg_of(composed(draw, Composition())), 8.0)
    svg = sheet([panel, panel], 180.0)
    assert as_form(svg, "svg", 300).startswith(b"<svg")
    pdf = as_form(svg, "pdf", 300)
    assert b"/Subtype /Image" not in pdf, "lines and letters, no pixels"
    with Image.open(io.BytesIO(as_form(svg, "png", 150))) as image:
        assert image.size[0] == pytest.approx(180 / 25.4 * 150, abs=3)
        ground = image.convert("RGB").crop((0, 0, 20, 60))
        assert len(ground.getcolors(10_000)) > 3, "there is the letter A"


@needs_browser
def test_characters_that_xml_does_not_have_are_left_out():
    def with_controls(canvas):
        objects = pd.DataFrame({"id": list("abc"), "label": ["one\x01", "t\x0bwo", "three\uffff"]})
        positions = np.array([[0.0, 0], [1, 0], [0, 2]])
        return embedding_map(MapData(positions, objects), MapStyle(), caption="", canvas=canvas)

    svg = render(with_controls, "svg", Composition(title="a\x00b\ud800")).decode()
    texts = ["".join(t.itertext()) for t in ElementTree.fromstring(svg).iter(f"{SVG}text")]
    assert {"one", "two", "three", "ab"} <= set(texts)
