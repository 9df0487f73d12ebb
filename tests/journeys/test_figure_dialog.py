"""Figures leave by the dialog, whenever its buttons are pressed."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser import needs_browser
from tests.journeys.pages import (
    at_rest,
    download,
    open_map,
)

pytestmark = [pytest.mark.browser, needs_browser]


def test_a_button_that_can_be_pressed_downloads(browser, address):
    page = open_map(browser, address, "ekman_colors")
    expect(page.get_by_text("from 100 replicates")).to_be_visible()
    at_rest(page)
    dialog = page.get_by_role("dialog")
    for _ in range(3):  # opened again, it has still the buttons of the time before
        page.get_by_role("button", name="Download figure").click()
        dialog.locator("img").wait_for()
        assert download(page, "PDF").startswith(b"%PDF")
        page.keyboard.press("Escape")
        dialog.wait_for(state="detached")
