"""The keyboard alone: the focus is never lost, is seen, and is near to what one wants."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser import needs_browser
from tests.journeys.pages import (
    open_page,
    upload,
    wait_for_map,
)

pytestmark = [pytest.mark.browser, needs_browser]

FOCUSED = "document.activeElement.innerText.trim().split('\\n').pop()"


def tabs_to(page: Page, name: str, most: int) -> None:
    for _ in range(most):
        page.keyboard.press("Tab")
        if page.evaluate(FOCUSED) == name:
            return
    raise AssertionError(f"{name} is more than {most} tabs away")


def test_the_focus_is_kept_and_seen(browser, address, answers):
    page = open_page(browser, address)
    upload(page, answers)
    expect(page.get_by_role("heading", name=f"Reading {answers.name}")).to_be_focused()
    page.get_by_role("button", name="Keep this data set").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name=answers.stem, level=1)).to_be_focused()
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
    figure = page.locator(".st-key-map").get_by_role("img", name="Map of 20 objects.")
    expect(figure).to_be_visible()
