"""What was opened, set and scrolled to stays while something is computed."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser import needs_browser
from tests.journeys.pages import open_map, wait_for_map

pytestmark = [pytest.mark.browser, needs_browser]

PLACE = "document.querySelector('[data-testid=stMain]').scrollTop"


def test_a_job_closes_nothing_and_moves_nothing(browser, address):
    page = open_map(browser, address, "ekman_colors")
    page.set_viewport_size({"width": 1280, "height": 720})
    wait_for_map(page)
    page.get_by_role("link", name="Uncertainty").click()
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
    expect(seed).to_be_visible()
    expect(cancel).to_have_count(0)
    expect(page.get_by_text("In simulated data like these, ellipses are").first).to_be_visible()
    expect(seed).to_be_visible()
    expect(page.get_by_role("spinbutton", name="Data sets")).to_have_value("6")
    assert abs(page.evaluate(PLACE) - before) < 150, "no jump but that of the bar"
