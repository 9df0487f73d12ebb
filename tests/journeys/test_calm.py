"""Every page: how much there is to take in at once, and that nothing leaves the machine.

Neither names to look up nor anything else leaves, whatever page is open.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys

import pytest
from playwright.sync_api import sync_playwright

from tests.browser import CHROMIUM, needs_browser
from tests.journeys.pages import FLAGS, open_page
from tests.journeys.tour import too_small, toured
from tests.paths import ROOT
from tests.server import UNHURRIED, running

pytestmark = [pytest.mark.browser, needs_browser]

IN_VIEW, ON_PAGE, WORDS = 12, 20, 150


def can_be_alone() -> bool:
    """Whether a process may have a network and a view of the files of its own."""
    if shutil.which("unshare") is None or shutil.which("ip") is None:
        return False
    alone = subprocess.run(
        ["unshare", "--net", "--mount", "ip", "link", "set", "lo", "up"], capture_output=True
    )
    return alone.returncode == 0


@pytest.fixture(scope="module")
def seen(tmp_path_factory) -> dict:
    """What was counted on a tour of all pages, with the packets that left where that is known."""
    folder = tmp_path_factory.mktemp("tour")
    if not can_be_alone():
        with running(folder / "workspace", command=UNHURRIED) as address, \
                sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            return {"pages": toured(open_page(browser, address), address)}
    done = subprocess.run(
        ["unshare", "--net", "--mount", sys.executable, "-m", "tests.journeys.alone", folder],
        cwd=ROOT, capture_output=True, text=True, timeout=1800,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_no_packet_leaves_the_machine(seen):
    if "ours" not in seen:
        pytest.skip("a network of its own takes Linux, its superuser, ip and unshare")
    assert seen["on purpose"] >= 2, "something that leaves is counted"
    assert seen["ours"] == 0


def test_every_page_is_calm(seen):
    table = "\n".join(
        f"{place:45} {n['view']:4} {n['page']:4} {n['words']:5}  {', '.join(n['which'])}"
        for place, n in seen["pages"]
    )
    loud = [place for place, n in seen["pages"]
            if n["view"] > IN_VIEW or n["page"] > ON_PAGE or n["words"] >= WORDS]
    assert not loud, f"in view, on the page, words:\n{table}\nToo much: {', '.join(loud)}"


def test_readers_who_do_not_see_the_screen_miss_nothing(seen):
    """Pictures of samples had no words, and the tools of a map were inside of a picture."""
    assert not {place: n["unread"] for place, n in seen["pages"] if n["unread"]}


def test_what_is_seen_can_be_pressed(seen):
    """A toolbar that nobody sees took the clicks of all buttons beside a page's title."""
    assert not {place: n["covered"] for place, n in seen["pages"] if n["covered"]}


def test_every_word_is_read_in_both_themes(seen):
    """Buttons and chosen methods were white on pale green at night, with a contrast of 2.4."""
    faint = {place: n["faint"] for place, n in seen["pages"] if n["faint"]}
    assert not faint


def test_a_map_of_many_objects_fills_the_window(seen):
    assert too_small(dict(seen["pages"])["Embedding › Map"]["sizes"]) == []
