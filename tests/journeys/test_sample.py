"""What is done about a sample: one server computes its map once for all of it."""

from __future__ import annotations

import io
import re
import zipfile

import docx
import pytest
from playwright.sync_api import Page, expect

from tests.browser import needs_browser
from tests.journeys.pages import (
    at_rest,
    choose,
    download,
    go,
    open_map,
    open_page,
    open_settings,
    script_ended,
    the_map,
    wait_for_map,
)

pytestmark = [pytest.mark.browser, needs_browser]

PLACE = "document.querySelector('[data-testid=stMain]').scrollTop"
MOVING = "document.getAnimations().filter(a => a.effect.getTiming().duration > 0).length"
TEXTS = """p => Object.fromEntries(
    [...p.querySelectorAll(".textpoint text, .annotation-text-g")].filter(t => t.textContent)
    .map(t => { const box = t.getBoundingClientRect();
        return [t.textContent, [box.x + box.width / 2, box.y + box.height / 2]]; }))"""


def labels(page: Page) -> dict[str, list[float]]:
    """Where the middle of every label is."""
    return the_map(page).evaluate(TEXTS)


def in_map(page: Page, name: str) -> list[float]:
    """Where the middle of a label is, from the corner of the map: pages scroll under the mouse."""
    box = the_map(page).bounding_box()
    x, y = labels(page)[name]
    return [x - box["x"], y - box["y"]]


def drag(page: Page, start: list[float], by: tuple[float, float]) -> None:
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(start[0] + by[0], start[1] + by[1], steps=5)
    page.mouse.up()


def test_a_label_stays_where_it_is_dragged(browser, address):
    page = open_map(browser, address, "odd_one_out")
    wait_for_map(page)
    the_map(page).evaluate("p => p.scrollIntoView({ block: 'center' })")
    name, start = sorted(labels(page).items())[0]
    before = in_map(page, name)
    assert labels(page)[name] == start, "the map is at rest"
    drag(page, start, (30, -60))
    back = page.get_by_role("button", name="Put labels back")
    expect(back).to_be_visible()
    at_rest(page)
    assert in_map(page, name) == pytest.approx([before[0] + 30, before[1] - 60], abs=1.5)
    expect(page.get_by_text("selected object")).to_have_count(0)
    assert the_map(page).locator(".selectionlayer path").count() == 0, "no lasso"

    # it is an offset from the point, and dragged again from where it is
    the_map(page).evaluate(
        "p => { const half = r => [0.75 * r[0] + 0.25 * r[1], 0.25 * r[0] + 0.75 * r[1]];"
        "const { xaxis, yaxis } = p.layout; return p.plotly.relayout(p, "
        "{ 'xaxis.range': half(xaxis.range), 'yaxis.range': half(yaxis.range) }); }"
    )
    zoomed = labels(page)
    if name in zoomed:
        before = in_map(page, name)
        drag(page, zoomed[name], (-20, 10))
        page.wait_for_timeout(1000)
        at_rest(page)
        assert in_map(page, name) == pytest.approx([before[0] - 20, before[1] + 10], abs=1.5)

    page.reload()
    wait_for_map(page)
    back.click()
    expect(back).to_have_count(0)

    # a click on a label picks its object
    at_rest(page)
    the_map(page).evaluate("p => p.scrollIntoView({ block: 'center' })")
    page.mouse.click(*labels(page)[name])
    expect(page.get_by_text("1 selected object")).to_be_visible()


def test_a_job_closes_nothing_and_moves_nothing(browser, address):
    page = open_map(browser, address, "ekman_colors")
    page.set_viewport_size({"width": 1280, "height": 720})
    wait_for_map(page)
    page.get_by_role("radio", name="Calibration").click()
    # The settings of the tab before go when those of this one are there.
    expect(page.get_by_role("spinbutton", name="Data sets")).to_be_visible()
    more = page.get_by_text("More settings")
    expect(more).to_have_count(1)
    more.click()
    seed = page.get_by_role("spinbutton", name="Seed")
    expect(seed).to_be_visible()
    page.get_by_role("spinbutton", name="Data sets").fill("6")
    page.get_by_role("spinbutton", name="Data sets").press("Tab")
    button = page.get_by_role("button", name="Simulated answers")
    button.scroll_into_view_if_needed()
    before = page.evaluate(PLACE)
    button.click()
    cancel = page.get_by_role("button", name="Cancel")
    expect(cancel.first).to_be_visible()
    expect(cancel).to_have_count(1)
    assert page.evaluate(MOVING) == 0, "less motion was asked for"
    expect(seed).to_be_visible()
    expect(cancel).to_have_count(0)
    expect(page.get_by_text("In simulated data like these, ellipses are").first).to_be_visible()
    expect(seed).to_be_visible()
    expect(page.get_by_role("spinbutton", name="Data sets")).to_have_value("6")
    assert abs(page.evaluate(PLACE) - before) < 150, "no jump but that of the bar"


def test_a_person_is_asked_where_they_search(browser, address):
    page = open_map(browser, address, "ekman_colors")
    wait_for_map(page)
    go(page, "Trees")
    page.get_by_role("radio", name="Search", exact=True).click()
    expect(page.get_by_role("heading", name="Nearest neighbours", exact=True)).to_be_visible()
    script_ended(page)
    open_settings(page)
    choose(page, "Oracle", "A person at this screen")
    card = page.locator(".st-key-trees-asked")
    expect(card.get_by_text("0 answers so far")).to_be_visible()
    expect(page.get_by_role("heading", name="Nearest neighbours", exact=True)).to_have_count(0)
    expect(card).to_be_focused()
    script_ended(page)

    # every question is about the object that is searched for, and answered by a key
    done = page.get_by_text(re.compile(r"All \d+ questions of this search are answered"))
    for number in range(1, 40):
        question = card.locator("strong").first
        assert question.inner_text().startswith("Is 434 nm more like ")
        page.keyboard.press("ArrowRight" if number % 2 else "ArrowLeft")
        expect(card.get_by_text(f"{number} answers so far").or_(
            card.get_by_text(f"{number} answer so far")).or_(done)).to_be_visible()
        if done.is_visible():
            break
    expect(done).to_be_visible()
    expect(page.get_by_role("heading", name="Nearest neighbours", exact=True)).to_be_visible()
    expect(page.get_by_text("(people").first).to_be_visible()
    expect(page.get_by_text("(the map)")).to_have_count(0)

    # what was answered is there after a refresh
    page.reload()
    expect(done).to_be_visible()


def test_a_report_from_the_map_to_the_file(browser, address):
    page = open_page(browser, f"{address}/?sample=ekman_colors")
    expect(page.get_by_text("Sufficient").first).to_be_visible()
    go(page, "Report")
    report = page.locator(".st-key-report")
    expect(report).to_contain_text("800 trials from 8 participants")
    expect(report).to_contain_text("Held-out answers are predicted with an error of")
    expect(report.locator(".js-plotly-plot").first).to_be_visible()

    page.get_by_label("Authors", exact=True).fill("A. Author")
    page.get_by_label("Authors", exact=True).press("Enter")
    expect(report).to_contain_text("A. Author")
    html = download(page, "Download: Web page").decode()
    assert "A. Author" in html
    assert '<figure id="fig-map">' in html

    page.locator("summary").filter(has_text="Parts").click()
    expect(report.get_by_role("heading", name="Data quality")).to_be_visible()
    page.get_by_test_id("stCheckbox").filter(has_text="Data quality").locator("label").click()
    expect(report.get_by_role("heading", name="Data quality")).to_have_count(0)

    choose(page, "File", "Word")
    found = docx.Document(io.BytesIO(download(page, "Download: Word")))
    assert any("Held-out answers are predicted" in p.text for p in found.paragraphs)
    assert not any("Data quality" in p.text for p in found.paragraphs)

    choose(page, "File", "LaTeX")
    with zipfile.ZipFile(io.BytesIO(download(page, "Download: LaTeX"))) as archive:
        assert "figures/map.pdf" in archive.namelist()

    # Another visit, another result: the parts stay.
    go(page, "Clusters")
    page.get_by_role("heading", name="Clusters", exact=True).wait_for()
    expect(page.get_by_text("Click a branch")).to_be_visible()
    go(page, "Report")
    expect(report).to_contain_text("Agglomerative")
