"""The main picture of a page fills the window, beside settings in a drawer."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser import needs_browser
from tests.journeys.pages import at_rest, open_map, open_settings, the_map, wait_for_map
from tests.journeys.tour import measured, too_small

pytestmark = [pytest.mark.browser, needs_browser]

HEIGHT = "plot => plot.getBoundingClientRect().height"


def test_settings_lie_in_a_drawer_that_stays_as_it_is_left(browser, address):
    page = open_map(browser, address, "ekman_colors")
    wait_for_map(page)
    before, wide = the_map(page).evaluate(HEIGHT), the_map(page).bounding_box()["width"]
    expect(page.locator(".st-key-fit button")).to_be_hidden()
    the_map(page).evaluate("plot => { plot.mark = 'the same'; }")
    open_settings(page)
    expect(page.locator(".st-key-fit button")).to_be_visible()
    at_rest(page)
    assert the_map(page).evaluate(HEIGHT) == pytest.approx(before, abs=2)
    assert the_map(page).bounding_box()["width"] < wide
    assert the_map(page).evaluate("plot => plot.mark") == "the same", "its zoom stays, too"
    page.reload()
    wait_for_map(page)
    expect(page.locator(".st-key-fit button")).to_be_visible()
    page.locator(".st-key-drawer button:visible").click()
    expect(page.locator(".st-key-fit button")).to_be_hidden()
    page.get_by_role("radio", name="Calibration").click()
    expect(page.get_by_text("Real responses have not been predicted yet")).to_be_visible()
    expect(page.get_by_role("button", name="Real responses")).to_be_visible()


def test_the_map_fills_the_window_and_has_the_whole_screen_until_escape(browser, address):
    """It took a fifth of a large screen, and the same 390 pixels of every height."""
    page = open_map(browser, address, "ekman_colors")
    wait_for_map(page)
    before = the_map(page).evaluate(HEIGHT)
    button = page.get_by_role("button", name="Full screen")
    button.focus()
    page.keyboard.press("Enter")
    page.wait_for_function("document.fullscreenElement")
    whole = page.evaluate("innerHeight")
    page.wait_for_function(
        "whole => document.fullscreenElement.querySelector('.ts-plot')"
        ".getBoundingClientRect().height === whole", arg=whole,
    )
    page.keyboard.press("Escape")
    page.wait_for_function("!document.fullscreenElement")
    at_rest(page)
    assert the_map(page).evaluate(HEIGHT) == pytest.approx(before, abs=2)
    assert too_small(measured(page)) == []
