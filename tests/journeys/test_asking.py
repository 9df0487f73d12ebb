"""A person who answers the questions of a search, by keyboard."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser import needs_browser
from tests.journeys.pages import choose, open_map, wait_for_map

pytestmark = [pytest.mark.browser, needs_browser]


def at_rest(page: Page) -> None:
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")


def test_a_person_is_asked_where_they_search(browser, address):
    page = open_map(browser, address, "ekman_colors")
    wait_for_map(page)
    page.get_by_role("link", name="Trees").click()
    page.get_by_role("radio", name="Search", exact=True).click()
    expect(page.get_by_role("heading", name="Nearest neighbours", exact=True)).to_be_visible()
    at_rest(page)
    choose(page, "Oracle", "A person at this screen")
    card = page.locator(".st-key-trees-asked")
    expect(card.get_by_text("0 answers so far")).to_be_visible()
    expect(page.get_by_role("heading", name="Nearest neighbours", exact=True)).to_have_count(0)
    expect(card).to_be_focused()
    at_rest(page)

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
