"""The main path in a real browser: from a file to a figure, with everything kept on the way."""

from __future__ import annotations

import contextlib
import csv
import io
import re
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from tests.browser import CHROMIUM, needs_browser
from tests.server import WATCHED, WITHOUT_BROWSER, free_port, running
from tripletscope.core.simulation.simulate import simulate

pytestmark = [pytest.mark.browser, needs_browser]

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"]
PATIENCE = 120_000  # milliseconds, for a machine that is busy
expect.set_options(timeout=PATIENCE)


@pytest.fixture(scope="module")
def browser():
    assert CHROMIUM, "these tests need Chromium, which is not installed"
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield found
        found.close()


@pytest.fixture
def workspace(tmp_path) -> Path:
    return tmp_path / "workspace"


@pytest.fixture
def answers(tmp_path) -> Path:
    return answers_about_towns(tmp_path)


def answers_about_towns(folder: Path) -> Path:
    """A file of answers about 40 towns on a map."""
    towns = np.random.default_rng(0).uniform(-2, 2, size=(40, 2))
    triplets = simulate(towns, 6000, noise="logistic", seed=1)
    file = folder / "towns.csv"
    with file.open("w", newline="") as target:
        writer = csv.writer(target)
        writer.writerow(["subject", "head", "left", "right", "winner"])
        for number, (anchor, near, far) in enumerate(triplets.rows.tolist()):
            options = [near, far] if number % 2 else [far, near]
            writer.writerow([f"s{number % 9}", *(f"town {i}" for i in (anchor, *options, near))])
    return file


def open_page(browser: Browser, address: str, dark: bool = False) -> Page:
    context = browser.new_context(
        viewport={"width": 1400, "height": 1000}, color_scheme="dark" if dark else "light",
        accept_downloads=True,
    )
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.elsewhere = []
    page.on("request", lambda r: page.elsewhere.append(r.url) if foreign(r.url, address) else None)
    page.goto(address)
    return page


def foreign(url: str, address: str) -> bool:
    return url.startswith(("http", "ws")) and address.split("//")[1] not in url


def upload(page: Page, file: Path) -> None:
    page.locator(".st-key-upload input[type=file]").set_input_files(file)
    expect(page.get_by_role("heading", name=f"Reading {file.name}")).to_be_visible()


def keep(page: Page) -> None:
    page.get_by_role("button", name="Keep this data set").click()
    expect(page.get_by_role("heading", name="Embedding")).to_be_visible()


def the_map(page: Page):
    return page.locator(".st-key-map .js-plotly-plot")


def wait_for_map(page: Page) -> None:
    the_map(page).locator(".nsewdrag").wait_for()
    expect(page.get_by_text("from 100 replicates")).to_be_visible()
    expect(page.get_by_text("5-fold cross-validation").first).to_be_visible()
    at_rest(page)


def at_rest(page: Page) -> None:
    """Until no job is shown, the script has ended and nothing of the run before is left."""
    expect(page.get_by_role("button", name="Cancel")).to_have_count(0)
    expect(page.get_by_test_id("stApp")).to_have_attribute(
        "data-test-script-state", "notRunning"
    )
    expect(page.get_by_role("button", name="Download figure")).to_have_count(1)


def choose(page: Page, name: str, option: str) -> None:
    """Choose in a select box; a page that runs anew meanwhile may have closed its list."""
    found = page.get_by_role("option", name=option, exact=True)
    for _ in range(10):
        page.get_by_role("combobox", name=name).click()
        with contextlib.suppress(PlaywrightTimeout):
            found.click(timeout=PATIENCE / 20)
            return
    raise AssertionError(f"{name} never offered {option}")


def fit(page: Page, sign: Locator) -> None:
    """Press Fit, and wait for the sign that it took effect."""
    page.locator(".st-key-fit button").click()
    sign.wait_for()


def lasso(page: Page) -> None:
    """Around the left half of the map."""
    the_map(page).evaluate("p => p.scrollIntoView({ block: 'center' })")
    box = the_map(page).locator(".nsewdrag").bounding_box()
    left, top = box["x"] + 3, box["y"] + 3
    right, bottom = box["x"] + box["width"] / 2, box["y"] + box["height"] - 3
    page.mouse.move(left, top)
    page.mouse.down()
    for x, y in ((right, top), (right, bottom), (left, bottom), (left, top)):
        page.mouse.move(x, y, steps=6)
    page.mouse.up()


def selected(page: Page) -> set[int]:
    """Objects that the map marks as selected, once they are as many as the table shows."""
    heading = page.get_by_text(re.compile(r"^\d+ selected objects?$"))
    number = int(heading.inner_text().split()[0])
    marked = (
        "p.data.filter(t => t.customdata && t.selectedpoints)"
        ".flatMap(t => t.selectedpoints.map(k => t.customdata[k]))"
    )
    page.wait_for_function(
        "number => { const p = document.querySelector('.st-key-map .js-plotly-plot');"
        f"return p && p.data && {marked}.length === number; }}", arg=number,
    )
    return set(the_map(page).evaluate(f"p => {marked}"))


def download(page: Page, name: str) -> bytes:
    with page.expect_download() as waiting:
        page.get_by_role("button", name=name, exact=True).click()
    return Path(waiting.value.path()).read_bytes()


def test_from_a_file_to_a_figure(browser, workspace, answers, tmp_path):
    asked = tmp_path / "asked"
    with running(workspace, command=[*WATCHED, str(asked)]) as address:
        page = open_page(browser, address)
        upload(page, answers)
        expect(page.get_by_text("is more similar than")).to_have_count(3)
        expect(page.get_by_text("6,000 answers by 9 participants on 40 objects")).to_be_visible()
        keep(page)
        wait_for_map(page)

        # a fit that takes its time, watched and cancelled
        page.get_by_role("spinbutton", name="Dimensions").fill("12")
        page.get_by_role("spinbutton", name="Dimensions").press("Enter")
        page.get_by_text("More settings").first.click()
        for name, value in (("Restarts", "100"), ("Tolerance", "1e-15")):
            page.get_by_role("spinbutton", name=name).fill(value)
            page.get_by_role("spinbutton", name=name).press("Enter")
        cancel = page.get_by_role("button", name="Cancel").first
        fit(page, cancel)
        expect(cancel).to_be_enabled()
        page.locator(".st-key-live-loss .js-plotly-plot .lines").first.wait_for()
        cancel.click()
        expect(page.get_by_text("stopped early").first).to_be_visible()

        # another fit, of other settings, to its end; and a lasso on its map
        choose(page, "Method", "STE")
        fit(page, page.get_by_text(re.compile(r"^STE, 2 dimensions, lowest loss of \d+ restarts")))
        wait_for_map(page)
        lasso(page)
        chosen = selected(page)
        assert 5 < len(chosen) < 35
        middle = the_map(page).evaluate("p => p.layout.xaxis.range.reduce((a, b) => a + b) / 2")
        objects, xs = the_map(page).evaluate(
            "p => p._fullData.filter(t => t.customdata).map(t => [t.customdata, [...t.x]])[0]"
        )
        expected = {i for i, x in zip(objects, xs, strict=True) if x < middle}
        assert len(chosen ^ expected) <= 2, "the lasso took what it went round"

        # a refresh finds everything
        page.reload()
        wait_for_map(page)
        assert selected(page) == chosen

        # and out with it
        page.get_by_role("button", name="Download figure").click()
        svg = ElementTree.fromstring(download(page, "SVG"))
        assert svg.get("width") == "85mm"
        assert any("STE, 2 dimensions" in "".join(e.itertext()) for e in svg.iter())
        rows = list(csv.DictReader(io.StringIO(download(page, "Numbers (CSV)").decode())))
        assert len(rows) == 40
        assert {"id", "x1", "x2"} <= set(rows[0])
        assert all(np.isfinite(float(row["x1"])) for row in rows)
        page.keyboard.press("Escape")
        files = zipfile.ZipFile(io.BytesIO(download(page, "Download everything")))
        endings = {Path(name).suffix for name in files.namelist()}
        figure, program = {".svg", ".pdf", ".png", ".html"}, {".py", ".ipynb", ".txt", ".yml"}
        assert endings == {".csv", ".json"} | figure | program
        assert page.elsewhere == [], "nothing is fetched from elsewhere"
    assert not asked.exists(), "nor does the server ask anybody"


def test_everything_is_there_after_a_restart(browser, workspace, answers):
    port = free_port()
    with running(workspace, port) as address:
        page = open_page(browser, address)
        upload(page, answers)
        keep(page)
        wait_for_map(page)
        place = page.url
        page.context.close()
    with running(workspace, port) as address:
        page = open_page(browser, place)
        wait_for_map(page)
        assert page.locator(".st-key-live-map").count() == 0, "nothing is computed again"
        fresh = open_page(browser, address)
        expect(fresh.get_by_text("towns", exact=True).first).to_be_visible()


def test_two_sessions_do_not_disturb_each_other(browser, workspace):
    with running(workspace) as address:
        first, second = open_page(browser, address), open_page(browser, address)
        first.locator(".st-key-sample-alien_eggs button").click()
        second.locator(".st-key-sample-ekman_colors button").click()
        for page, name in ((first, "Alien eggs"), (second, "Ekman's colours")):
            the_map(page).locator(".nsewdrag").wait_for()
            expect(page.get_by_text("from 100 replicates")).to_be_visible()
            expect(page.get_by_test_id("stSidebar").get_by_text(name, exact=True)).to_be_visible()
        lasso(second)
        expect(second.get_by_text(re.compile(r"^\d+ selected objects?$"))).to_be_visible()
        first.reload()
        the_map(first).locator(".nsewdrag").wait_for()
        expect(first.get_by_text("Nothing is selected")).to_be_visible()


def test_zoom_survives_a_change_of_the_figure_and_the_theme_is_followed(browser, workspace):
    with running(workspace) as address:
        page = open_page(browser, f"{address}/?sample=ekman_colors")
        the_map(page).locator(".nsewdrag").wait_for()
        expect(page.get_by_text("5-fold cross-validation").first).to_be_visible()
        the_map(page).locator('.modebar-btn[data-title="Zoom in"]').click()
        zoomed = the_map(page).evaluate("p => p.layout.xaxis.range")
        at_rest(page)
        choose(page, "Ellipses", "Off")
        expect(page.get_by_text("from 100 replicates")).to_have_count(0)
        assert the_map(page).evaluate("p => p.layout.xaxis.range") == zoomed

        light = the_map(page).evaluate("p => p._fullLayout.font.color")
        page.emulate_media(color_scheme="dark")
        page.wait_for_function(
            "before => document.querySelector('.st-key-map .js-plotly-plot')"
            "._fullLayout.font.color !== before", arg=light,
        )
        assert the_map(page).evaluate("p => p.layout.xaxis.range") == zoomed


def test_where_the_server_cannot_draw_the_browser_does(browser, workspace):
    with running(workspace, command=WITHOUT_BROWSER) as address:
        page = open_page(browser, f"{address}/?sample=ekman_colors")
        the_map(page).locator(".nsewdrag").wait_for()
        wait_for_map(page)
        page.get_by_role("button", name="Download figure").click()
        expect(page.get_by_text("No Chrome or Chromium was found")).to_be_visible()
        expect(page.get_by_role("button", name="PDF", exact=True)).to_have_count(0)
        svg = ElementTree.fromstring(download(page, "SVG"))
        assert float(svg.get("width")) == pytest.approx(85 / 25.4 * 96, abs=1)
        assert any("STE, 2 dimensions" in "".join(e.itertext()) for e in svg.iter())
        assert download(page, "PNG").startswith(b"\x89PNG")
        page.keyboard.press("Escape")
        files = zipfile.ZipFile(io.BytesIO(download(page, "Download everything")))
        endings = {Path(name).suffix for name in files.namelist()}
        assert endings == {".html", ".csv", ".json", ".py", ".ipynb", ".txt", ".yml"}


def test_a_tree_is_cut_by_dragging_and_a_click_on_a_branch_selects(browser, workspace):
    with running(workspace) as address:
        page = open_page(browser, f"{address}/?sample=ekman_colors")
        wait_for_map(page)
        page.get_by_role("link", name="Clusters").click()
        tree = page.locator(".st-key-clusters-tree .js-plotly-plot")
        tree.locator(".nsewdrag").wait_for()
        at_rest(page)

        # to where three branches are left, a little askew, as hands do it
        place, target = tree.evaluate(
            "p => { const nodes = p.data.filter(t => t.customdata)"
            ".flatMap(t => [...t.x]).sort((a, b) => b - a);"
            "const axis = p._fullLayout.xaxis, at = x => axis._offset + axis.l2p(x);"
            "return [at(p.layout.shapes[0].x0), at((nodes[1] + nodes[2]) / 2)]; }"
        )
        tree.evaluate("p => p.scrollIntoView({ block: 'center' })")
        box = tree.bounding_box()
        level = box["y"] + box["height"] * 0.62
        page.mouse.move(box["x"] + place, level)
        page.mouse.down()
        page.mouse.move(box["x"] + target, level + 20, steps=8)
        page.mouse.up()
        expect(page.get_by_role("heading", name="3 clusters")).to_be_visible()
        expect(page.get_by_role("spinbutton", name="Clusters")).to_have_value("3")
        at_rest(page)
        line = tree.evaluate("p => p.layout.shapes[0]")
        assert line["x0"] == line["x1"]
        assert (line["y0"], line["y1"]) == (0, 1), "upright again"

        # the branch of the largest cluster
        x, y = tree.evaluate(
            "p => { const nodes = p._fullData.filter(t => t.customdata)"
            ".flatMap(t => [...t.x].map((x, k) => [x, t.y[k], t.customdata[k], t.marker.color]));"
            "const [x, y] = nodes.filter(n => n[3] === '#0072B2')"
            ".reduce((a, b) => b[2] > a[2] ? b : a);"
            "const { xaxis, yaxis } = p._fullLayout;"
            "return [xaxis._offset + xaxis.l2p(x), yaxis._offset + yaxis.l2p(y)]; }"
        )
        box = tree.bounding_box()
        page.mouse.move(box["x"] + x, box["y"] + y)
        page.mouse.click(box["x"] + x, box["y"] + y)
        heading = page.get_by_text(re.compile(r"^\d+ selected objects$"))
        expect(heading).to_be_visible()
        largest = int(heading.inner_text().split()[0])
        assert f"({largest})" in tree.evaluate("p => p.data.find(t => t.legendgroup === '0').name")
        page.get_by_role("link", name="Embedding").click()
        wait_for_map(page)
        expect(heading).to_have_text(f"{largest} selected objects")


def test_keep_is_in_view_on_a_small_screen(browser, workspace, answers):
    with running(workspace) as address:
        page = open_page(browser, address)
        page.set_viewport_size({"width": 1440, "height": 900})
        upload(page, answers)
        for name in ("Keep this data set", "Discard"):
            box = page.get_by_role("button", name=name).bounding_box()
            assert box["y"] + box["height"] <= 900
        keep(page)
        expect(page.get_by_role("button", name="Discard")).to_have_count(0)
