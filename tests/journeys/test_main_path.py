"""The main path in a real browser: from a file to a figure, with everything kept on the way."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from tests.browser import needs_browser
from tests.journeys.pages import (
    PATIENCE,
    at_rest,
    choose,
    download,
    fit,
    go,
    go_to_map,
    lasso,
    open_map,
    open_page,
    open_settings,
    script_ended,
    selected,
    the_map,
    upload,
    wait_for_map,
)
from tests.server import WITHOUT_BROWSER, running
from tests.waiting import becomes

pytestmark = [pytest.mark.browser, needs_browser]

FOCUSED = "document.activeElement.innerText.trim().split('\\n').pop()"


def test_from_a_file_to_a_figure(browser, house, answers):
    page = open_page(browser, house.address)
    upload(page, answers)
    expect(page.get_by_role("heading", name=f"Reading {answers.name}")).to_be_focused()
    expect(page.get_by_text("is more similar than")).to_have_count(3)
    expect(page.get_by_text("1,200 answers by 9 participants on 20 objects")).to_be_visible()
    page.set_viewport_size({"width": 1440, "height": 900})
    for name in ("Keep this data set", "Discard"):
        box = page.get_by_role("button", name=name).bounding_box()
        assert box["y"] + box["height"] <= 900, "in view on a small screen"
    page.get_by_role("button", name="Keep this data set").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name=answers.stem, level=1)).to_be_focused()
    go_to_map(page)
    expect(page.get_by_role("button", name="Discard")).to_have_count(0)
    wait_for_map(page)

    # another fit, of other settings, to its end; and a lasso on its map
    open_settings(page)
    choose(page, "Method", "STE")
    fitted = re.compile(r"^Map \(STE, 2 dimensions, lowest loss of \d+ restarts")
    fit(page, page.get_by_text(fitted))
    wait_for_map(page)
    lasso(page)
    chosen = selected(page)
    assert 2 < len(chosen) < 18
    middle = the_map(page).evaluate("p => p.layout.xaxis.range.reduce((a, b) => a + b) / 2")
    objects, xs = the_map(page).evaluate(
        "p => p._fullData.filter(t => t.customdata).map(t => [t.customdata, [...t.x]])[0]"
    )
    expected = {i for i, x in zip(objects, xs, strict=True) if x < middle}
    assert len(chosen ^ expected) <= 2, "the lasso took what it went round"

    # the server starts again, and everything is found
    assert page.elsewhere == [], "nothing is fetched from elsewhere"
    place = page.url
    page.close()
    house.stop()
    house.start()
    page = open_page(browser.browser, house.address)
    expect(page.get_by_text(answers.stem, exact=True).first).to_be_visible()
    page.goto(place)
    wait_for_map(page)
    assert page.locator(".st-key-live-map").count() == 0, "nothing is computed again"
    assert selected(page) == chosen

    # and out with it; opened again, the dialog has still the buttons of the time before
    page.get_by_role("button", name="Download figure").click()
    page.get_by_role("dialog").locator("img").wait_for()
    assert download(page, "PDF").startswith(b"%PDF")
    page.keyboard.press("Escape")
    page.get_by_role("dialog").wait_for(state="detached")
    page.get_by_role("button", name="Download figure").click()
    svg = ElementTree.fromstring(download(page, "SVG"))
    assert svg.get("width") == "85mm"
    assert not any("STE, 2 dimensions" in "".join(e.itertext()) for e in svg.iter())
    caption = page.get_by_role("dialog").get_by_text("STE, 2 dimensions")
    expect(caption).to_be_visible()  # beside the figure, to be copied
    rows = list(csv.DictReader(io.StringIO(download(page, "Numbers (CSV)").decode())))
    assert len(rows) == 20
    assert {"id", "x1", "x2"} <= set(rows[0])
    assert all(np.isfinite(float(row["x1"])) for row in rows)
    page.keyboard.press("Escape")
    files = zipfile.ZipFile(io.BytesIO(download(page, "Download everything")))
    endings = {Path(name).suffix for name in files.namelist()}
    figure, program = {".svg", ".pdf", ".png", ".html"}, {".py", ".ipynb", ".txt", ".yml"}
    assert endings == {".csv", ".json"} | figure | program
    assert page.elsewhere == [], "nothing is fetched from elsewhere"


def test_two_sessions_do_not_disturb_each_other(browser, address):
    first, second = open_page(browser, address), open_page(browser.browser, address)
    first.locator(".st-key-sample-odd_one_out button").click()
    second.locator(".st-key-sample-ekman_colors button").click()
    for page, name in ((first, "Odd one out"), (second, "Ekman's colours")):
        go_to_map(page)
        the_map(page).locator(".nsewdrag").wait_for()
        expect(page.get_by_text("from 100 replicates")).to_be_visible()
        expect(page.get_by_test_id("stSidebar").get_by_text(name, exact=True)).to_be_visible()
    lasso(second)
    expect(second.get_by_text(re.compile(r"^\d+ selected objects?$"))).to_be_visible()
    first.reload()
    the_map(first).locator(".nsewdrag").wait_for()
    expect(first.get_by_text("Nothing is selected")).to_be_visible()


def test_a_click_holds_though_pictures_come_while_the_button_is_down(browser, address):
    """They come after the page, the later the busier the server is."""
    page, waiting = browser.new_page(), []
    page.set_default_timeout(PATIENCE)
    page.route(f"{address}/media/**", lambda route: waiting.append(route))
    page.goto(address, wait_until="commit")
    button = page.locator(".st-key-sample-ekman_colors button")
    button.wait_for()
    script_ended(page)
    # The browser asks for pictures when it has drawn what they are in.
    assert becomes(lambda: page.wait_for_timeout(10) or waiting)
    button.scroll_into_view_if_needed()
    before = button.bounding_box()
    page.mouse.move(before["x"] + before["width"] / 2, before["y"] + before["height"] / 2)
    page.mouse.down()
    for route in waiting:
        route.continue_()
    page.unroute(f"{address}/media/**")
    page.wait_for_function("[...document.images].every(one => one.naturalWidth)")
    assert button.bounding_box()["y"] == before["y"]
    page.mouse.up()
    go_to_map(page)


def test_zoom_survives_a_change_of_the_figure_and_the_theme_is_followed(browser, address):
    page = open_map(browser, address, "odd_one_out")
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


def test_where_the_server_cannot_draw_the_browser_does(browser, tmp_path):
    with running(tmp_path / "workspace", command=WITHOUT_BROWSER) as address:
        page = open_map(browser, address, "ekman_colors")
        the_map(page).locator(".nsewdrag").wait_for()
        wait_for_map(page)
        page.get_by_role("button", name="Download figure").click()
        expect(page.get_by_text("The server has no Chrome or Chromium")).to_be_visible()
        expect(page.get_by_role("button", name="PDF", exact=True)).to_have_count(0)
        svg = ElementTree.fromstring(download(page, "SVG"))
        assert svg.get("width") == "85.000mm"
        assert "wavelength_nm" in ["".join(e.itertext()) for e in svg.iter()]
        assert len([e for e in svg.iter() if e.tag.endswith("image")]) == 14  # as on the page
        with Image.open(io.BytesIO(download(page, "PNG"))) as picture:
            assert picture.width == pytest.approx(85 / 25.4 * 300, abs=3)
        page.keyboard.press("Escape")
        files = zipfile.ZipFile(io.BytesIO(download(page, "Download everything")))
        endings = {Path(name).suffix for name in files.namelist()}
        assert endings == {".html", ".csv", ".json", ".py", ".ipynb", ".txt", ".yml"}


def test_a_tree_is_cut_by_dragging_and_a_click_on_a_branch_selects(browser, address):
    page = open_page(browser, f"{address}/?sample=odd_one_out")
    expect(page.get_by_role("radio", name="Findings")).to_be_checked()
    go(page, "Clusters")
    tree = page.locator(".st-key-clusters-dendrogram-agglomerative .js-plotly-plot")
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


def tabs_to(page: Page, name: str, most: int) -> None:
    for _ in range(most):
        page.keyboard.press("Tab")
        if page.evaluate(FOCUSED) == name:
            return
    raise AssertionError(f"{name} is more than {most} tabs away")


def test_the_focus_is_kept_and_seen(browser, address):
    page = open_page(browser, f"{address}/?sample=odd_one_out")
    page.locator(".st-key-findings-go-map button").focus()
    page.keyboard.press("Enter")
    wait_for_map(page)
    expect(page.get_by_role("heading", name="Embedding", level=1)).to_be_focused()

    tabs_to(page, "Download figure", 16)
    for dark in (False, True):
        page.emulate_media(color_scheme="dark" if dark else "light")
        ring = page.evaluate("(() => { const style = getComputedStyle(document.activeElement);"
                             "return [style.outlineStyle, style.outlineWidth]; })()")
        assert ring == ["solid", "2px"]
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="PDF", exact=True)).to_be_enabled()
    tabs_to(page, "PDF", 6)
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Download figure")).to_be_focused()

    page.get_by_test_id("stSidebarNav").get_by_role("link", name="Kernel").focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    link = page.get_by_test_id("stSidebarNav").get_by_role("link", name="Kernel")
    expect(link).to_be_focused()
    assert link.evaluate("e => getComputedStyle(e).outlineStyle") == "solid"

    # what a figure shows is told to those who cannot see it
    figure = page.locator(".st-key-map").get_by_role("figure", name="Map of 60 objects.")
    expect(figure).to_be_visible()
