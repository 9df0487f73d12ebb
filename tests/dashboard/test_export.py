"""Exports: the bytes parse, have the asked size, and look like the light theme."""

from __future__ import annotations

import csv
import io
import json
import re
import socket
import threading
import zipfile
from contextlib import suppress
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import psutil
import pytest
from PIL import Image

from tests.browser import needs_browser
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.embedding import STE
from tripletscope.core.io import read, write_answers
from tripletscope.core.run import run
from tripletscope.core.simulation.simulate import simulate
from tripletscope.dashboard import export
from tripletscope.dashboard.export import ExportError, PrintSize
from tripletscope.dashboard.figures.fit import loss_curves
from tripletscope.dashboard.figures.map import embedding_map
from tripletscope.dashboard.figures.points import MapData, MapStyle

#: Height in mm of a caption of one line: the figure above it keeps the size that was asked for.
CAPTION = 1.82 * 0.85 * 8 / 72 * 25.4
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module", autouse=True)
def _browser_ends():
    yield
    export.close_browser()


def draw(canvas):
    objects = pd.DataFrame({"id": list("abc"), "label": ["<b>bold</b>", "ärger", "c"]})
    positions = np.array([[0.0, 0], [1, 0], [0, 2]])
    data = MapData(positions, objects, np.tile(np.eye(2) / 50, (3, 1, 1)))
    return embedding_map(data, MapStyle(), caption="STE, 2 dimensions.", canvas=canvas)


@needs_browser
@pytest.mark.parametrize("width", [85.0, 180.0])
def test_svg_has_its_size_its_text_and_a_white_ground(width):
    root = ElementTree.fromstring(export.render(draw, "svg", PrintSize(width, 0.8)))
    assert root.get("width") == f"{width:g}mm"
    assert float(root.get("height").removesuffix("mm")) == pytest.approx(0.8 * width + CAPTION)
    texts = ["".join(t.itertext()) for t in root.iter(f"{SVG}text")]
    assert {"<b>bold</b>", "ärger", "c"} <= set(texts)
    assert any("STE, 2 dimensions" in text for text in texts)
    assert "rgb(255, 255, 255)" in root.find(f"{SVG}rect").get("style")
    sizes = set(re.findall(r"font-size: ([\d.]+)px", ElementTree.tostring(root).decode()))
    assert any(float(s) == pytest.approx(0.92 * 8 * 96 / 72, abs=0.01) for s in sizes)


@needs_browser
def test_pdf_has_its_size():
    content = export.render(draw, "pdf", PrintSize(85.0, 0.8))
    assert content.startswith(b"%PDF-")
    box = content.split(b"/MediaBox [")[1].split(b"]")[0].split()
    points = 85 / 25.4 * 72
    assert float(box[2]) == pytest.approx(points, abs=1.5)
    assert float(box[3]) == pytest.approx(0.8 * points + CAPTION / 25.4 * 72, abs=1.5)


@needs_browser
@pytest.mark.parametrize("dpi", [150, 300])
def test_png_has_its_resolution(dpi):
    with Image.open(io.BytesIO(export.render(draw, "png", PrintSize(85.0, 0.8, dpi=dpi)))) as image:
        assert image.size[0] == pytest.approx(85 / 25.4 * dpi, abs=2)
        assert image.info["dpi"][0] == pytest.approx(dpi, abs=1)
        assert image.convert("RGB").getpixel((1, 1)) == (255, 255, 255)
        assert len(image.convert("RGB").getcolors(100_000)) > 10


@needs_browser
def test_a_browser_that_died_is_started_again():
    export.render(draw, "svg")
    children = psutil.Process().children(recursive=True)
    for child in children:
        if "chrom" in child.name():
            child.kill()
    assert export.render(draw, "svg").startswith(b"<svg")


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
        export.render(with_picture, "png")
    assert asked == []


def test_html_stands_on_its_own():
    text = export.render(draw, "html").decode()
    assert "plotly.js v" in text
    assert "STE, 2 dimensions." in text
    assert "cdn.plot.ly/plotly" not in text.split("<body>")[0]


@pytest.mark.parametrize("form", export.NEED_BROWSER)
def test_without_a_browser_it_is_said(form, monkeypatch):
    monkeypatch.setattr(export, "can_render", lambda: False)
    with pytest.raises(ExportError, match="Install one, or choose HTML"):
        export.render(draw, form)


def test_tables_keep_all_digits():
    table = pd.DataFrame({"id": ["ä", "b"], "x": [1 / 3, np.nan]})
    back = pd.read_csv(io.BytesIO(export.csv(table)))
    assert back["x"][0] == 1 / 3
    assert np.isnan(back["x"][1])
    assert back["id"].tolist() == ["ä", "b"]


def test_spreadsheets_find_no_formulas():
    hostile = ["=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1",
               '=HYPERLINK("x")', "-cmd|' /C calc'!A0"]
    harmless = ["a=1", "-1", "+1.5e-3", "", " =1", "'=1", "ä", "-.5", "a\r=1"]
    texts = hostile + harmless
    table = pd.DataFrame({
        "=name": texts, "same": pd.Series(texts, dtype="str"),
        "kind": pd.Categorical(texts), "number": -np.arange(len(texts)) / 3,
        "missing": [None] * len(texts),
    })
    table = pd.concat([table, table[["number"]]], axis=1)  # also twice the same name
    with io.StringIO(export.sheet(table).decode(), newline="") as file:
        head, *rows = csv.reader(file)
    assert head == ["'=name", "same", "kind", "number", "missing", "number"]
    expected = [text.replace("\r", "\n") for text in [f"'{text}" for text in hostile] + harmless]
    for column in range(3):
        assert [row[column] for row in rows] == expected
    assert [float(row[3]) for row in rows] == table.iloc[:, 3].tolist(), "numbers stay numbers"
    assert {row[4] for row in rows} == {""}


def test_what_programs_read_stays_exact():
    names = ["=1+1", "-1+1", "@x", "\ttab"]
    table = pd.DataFrame({"=id": names})
    assert pd.read_csv(io.BytesIO(export.csv(table)))["=id"].tolist() == names
    assert export.sheet(pd.DataFrame()) == export.csv(pd.DataFrame())


def test_answers_about_names_like_formulas_read_back_the_same(truth, tmp_path):
    names = [f"{sign}name {k}" for k, sign in enumerate("=+-@" * 8)][:len(truth)]
    objects = pd.DataFrame({"id": names})
    answers = Triplets(simulate(truth, 300, seed=1).rows, objects)
    (tmp_path / "answers.csv").write_bytes(write_answers(answers))
    back = read(tmp_path / "answers.csv")
    told = [np.array(a.ids, dtype=object)[a.rows].tolist() for a in (answers, back)]
    assert told[0] == told[1]


def test_settings_tell_how_it_came_about(planted):
    done = run("fit", STE(n_init=1), planted)
    record = json.loads(export.settings({"fit": done}, {"name": "Things"}))
    assert record["data"] == {"name": "Things"}
    assert record["computations"]["fit"]["parameters"] == STE(n_init=1).get_params()
    assert record["computations"]["fit"]["key"] == done.key


def test_bundles_hold_their_files():
    with zipfile.ZipFile(io.BytesIO(export.bundle({"a.csv": b"1", "b.svg": b"2"}))) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == {
            "a.csv": b"1", "b.svg": b"2"
        }


def test_file_names_are_safe():
    assert export.file_name("My data/../x", "ste", "map") == "My-data-..-x-ste-map"
    assert export.file_name("///", "") == "tripletscope"
    long = export.file_name("語" * 300, "a b " * 300)
    assert len(long.encode()) <= 201
    assert long.startswith("語" * 33 + "-a-b")


def test_sized_figures_carry_their_size():
    figure = export.sized(lambda canvas: loss_curves({0: [2.0, 1.0]}, canvas), PrintSize(85.0, 0.5))
    assert figure.layout.width == pytest.approx(321.26, abs=0.01)
    assert figure.layout.height == pytest.approx(160.63, abs=0.01)
