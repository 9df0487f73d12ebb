"""Pages that are left while something on them is at work: every one of them arrives whole."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser import needs_browser
from tests.journeys.pages import go, open_page, upload
from tests.server import UNHURRIED, running

pytestmark = [pytest.mark.browser, needs_browser]

# As with a large file on a busy machine: readings are compared, and maps computed, for as long as
# nobody cancels, and keeping a data set takes longer than the page takes to look at a job twice.
SLOW = [
    sys.executable, "-c",
    """
import os, sys, time
import tripletscope.dashboard.upload.ingest as imports
import tripletscope.dashboard.upload.waiting_upload as uploads
import tripletscope.dashboard.jobs.pool as pool

over = sys.argv.pop(1)

def endless(progress, **details):
    begun = time.monotonic()
    while not progress(min((time.monotonic() - begun) / 600, 0.9), **details):
        time.sleep(0.02)

def direction(upload, wanted, progress):
    endless(lambda *given, **details: progress(*given, **details) or os.path.exists(over))
    raise uploads.DataError("nobody waited for it")

def accept(*upload, accept=imports.accept):
    time.sleep(1.5)
    return accept(*upload)

uploads._direction = direction
imports.accept = accept
pool.WORKER = "tests.journeys.slow"
""" + UNHURRIED[-1],
]


def arrived(page: Page, heading: str) -> None:
    """The page is there, with its sidebar, and nothing went wrong on the way."""
    expect(page.get_by_role("heading", name=heading, exact=True)).to_be_visible()
    expect(page.get_by_role("heading", name="Data set", exact=True)).to_be_visible()
    expect(page.get_by_text("Bad message format")).to_have_count(0)
    expect(page.get_by_text("Bad delta path")).to_have_count(0)


@pytest.fixture(scope="module")
def over(tmp_path_factory) -> Path:
    """Once this file is there, no comparing takes any longer."""
    return tmp_path_factory.mktemp("slow") / "over"


@pytest.fixture(scope="module")
def address(over) -> Iterator[str]:
    with running(over.parent / "workspace", command=[*SLOW, str(over)]) as found:
        yield found


def test_pages_are_left_while_jobs_are_watched(browser, address, answers):
    page = open_page(browser, address)
    upload(page, answers)
    expect(page.get_by_text("Comparing with other readings").first).to_be_visible()
    page.get_by_role("button", name="Keep this data set").click()
    arrived(page, answers.stem)
    go(page, "Embedding")
    arrived(page, "Embedding")
    expect(page.get_by_role("button", name="Cancel").first).to_be_visible()
    # the live map, and the jobs in the sidebar of every page
    for name in ("Data", "Embedding", "Compare", "Embedding"):
        go(page, name)
        arrived(page, {"Data": answers.stem}.get(name, name))
    # one click after the other, before any page has come
    for name in ("Start", "Embedding", "Data", "Embedding"):
        go(page, name)
    arrived(page, "Embedding")
    expect(page.locator(".st-key-live-map .js-plotly-plot .nsewdrag")).to_be_visible()
    expect(page.locator(".st-key-live-loss .js-plotly-plot .lines").first).to_be_attached()
    page.get_by_test_id("stMain").get_by_role("button", name="Cancel").first.click()
    expect(page.locator(".st-key-live-map")).to_have_count(0)
    go(page, "People")
    arrived(page, "People")
    page.close()


def test_a_job_that_ends_while_a_click_is_on_its_way_undoes_no_click(
    browser, address, answers, over
):
    """Messages take their time, as through a tunnel: the job's end is seen before the click is."""
    page = browser.new_page()
    page.add_init_script(
        "const send = WebSocket.prototype.send; WebSocket.prototype.send = function (message) "
        "{ setTimeout(() => send.call(this, message), 800); };"
    )
    page.goto(address)
    upload(page, answers)
    expect(page.get_by_text("Comparing with other readings").first).to_be_visible()
    go(page, "Kernel")
    over.touch()
    expect(page.get_by_role("heading", name="Kernel", exact=True)).to_be_visible()
    page.wait_for_timeout(4_000)  # longer than any request that was under way
    expect(page.get_by_role("heading", name="Kernel", exact=True)).to_be_visible()
