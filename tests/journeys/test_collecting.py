"""From an experiment that is made to a map of its answers, with a server that outlives the page."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser import needs_browser
from tests.dashboard.collecting.participants import needs_jspsych
from tests.dashboard.collecting.serving import Page as Participant
from tests.journeys.pages import open_page
from tripletscope.dashboard.collecting.answer_log import preview_key
from tripletscope.dashboard.collecting.running import stop

pytestmark = [pytest.mark.browser, needs_browser, needs_jspsych]


def looking(asked: dict) -> int:
    """The left one, unless the right one is the very object that is asked about."""
    anchor, _, right = asked["shown"]
    return int(anchor == right)


def test_answers_are_seen_as_they_come_and_become_a_map(browser, house):
    folder = house.workspace / "experiments" / "my-experiment"
    page = open_page(browser, f"{house.address}/collect")
    page.set_viewport_size({"width": 1280, "height": 900})
    page.get_by_role("button", name="Make the experiment").click()
    page.get_by_role("button", name="Try it").click()
    expect(page.get_by_text("Questions each")).to_be_visible()
    page.get_by_role("radio", name="Run", exact=True).click()
    try:
        page.get_by_role("button", name="Start the server").click()
        page.get_by_role("button", name="Stop the server").wait_for()
        served = urlsplit(page.get_by_test_id("stCode").inner_text().strip())
        assert served.query.startswith("PROLIFIC_PID={{%PROLIFIC_PID%}}")
        for name in ("ann", "bob"):
            participant = Participant(served.port, name)
            participant.begin()
            assert participant.answer_all(looking) > 20
        # Nobody touches the page: it follows by itself.
        expect(page.get_by_test_id("stMetric").first).to_contain_text("2")
        expect(page.get_by_text("map in two dimensions of").first).to_be_visible()
        preview = browser.new_page()
        preview.goto(f"{served.scheme}://{served.netloc}/?preview={preview_key(folder)}")
        expect(preview.get_by_text("no answer of this page counts")).to_be_visible()
        page.get_by_role("button", name="Open the answers").click()
        expect(page.get_by_role("heading", name="My experiment", level=1)).to_be_visible()
        expect(page.get_by_test_id("stSidebar").get_by_text("My experiment")).to_be_visible()
    finally:
        stop(folder)
