"""A report from a fitted map to a file, and what happens when results change."""

from __future__ import annotations

import io
import re
import zipfile

import docx
import pytest
from playwright.sync_api import Page, expect

from tests.browser import needs_browser
from tests.journeys.pages import PATIENCE, choose, download

pytestmark = [pytest.mark.browser, needs_browser]


def go(page: Page, name: str) -> None:
    page.get_by_test_id("stSidebarNav").get_by_role("link", name=name, exact=True).click()


def test_a_report_from_the_map_to_the_file(browser, address):
    page = browser.new_page(viewport={"width": 1400, "height": 1000})
    page.set_default_timeout(PATIENCE)
    page.goto(f"{address}/?sample=ekman_colors")
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

    page.get_by_text("Order and words").click()
    choose(page, "Part", "Map")
    expect(page.get_by_text(re.compile("See @fig-map"))).to_be_visible()
    words = page.get_by_label("Words", exact=True)
    expect(words).to_have_count(1)
    words.fill("My words about @fig-map.")
    words.press("Control+Enter")
    expect(report).to_contain_text("My words about Figure 1.")

    choose(page, "File", "Word")
    found = docx.Document(io.BytesIO(download(page, "Download: Word")))
    assert any("My words about Figure" in p.text for p in found.paragraphs)

    choose(page, "Language", "Deutsch")
    expect(report).to_contain_text("Ähnlichkeitsurteile über 14 Objekte")
    choose(page, "File", "LaTeX")
    with zipfile.ZipFile(io.BytesIO(download(page, "Download: LaTeX"))) as archive:
        assert "figures/map.pdf" in archive.namelist()

    # Another visit, another result: the words stay, and the report says what has changed.
    choose(page, "Language", "English")
    expect(report).to_contain_text("My words about Figure 1.")
    go(page, "Clusters")
    page.get_by_role("heading", name="Clusters", exact=True).wait_for()
    expect(page.get_by_text("Click a branch")).to_be_visible()
    go(page, "Report")
    expect(report).to_contain_text("Agglomerative")
