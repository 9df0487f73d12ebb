"""Memory of a server and of its processes over a time of mixed use by several sessions.

    python benchmarks/staying.py [--minutes 60] [--sessions 10] [--job-memory 2]

Every session opens a data set of its own, fits a map, changes pages, fits another one, leaves and
comes back. Memory is what the server, and the processes of jobs and readers of files hold for
themselves (unique set size), in megabytes, at the end of every tenth of the time.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import psutil
from playwright.sync_api import Browser, Page, expect, sync_playwright
from playwright.sync_api import Error as BrowserError

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.crowds import at_rest
from benchmarks.report import machine, print_table
from benchmarks.server import Server, file_of
from tests.browser import CHROMIUM
from tests.journeys.pages import PATIENCE, choose, keep, open_page, open_settings, upload
from tripletscope.dashboard.jobs import memory

_PAGES = ("Clusters", "Kernel", "Compare", "Trees", "Data", "Simulate")
_METHODS = ("STE", "t-STE", "CKL", "SOE")


def use(page: Page, chance: random.Random) -> str:
    """One thing that somebody does; what it was."""
    links = page.get_by_test_id("stSidebar")
    if chance.random() < 0.3:
        links.get_by_role("link", name="Embedding", exact=True).click()
        at_rest(page)
        open_settings(page)
        choose(page, "Method", chance.choice(_METHODS))
        page.locator(".st-key-fit button").click()
        return "fit"
    links.get_by_role("link", name=chance.choice(_PAGES), exact=True).click()
    at_rest(page)
    return "page"


def begun(browser: Browser, address: str, folder: Path, number: int) -> Page:
    """A session with a data set."""
    page = open_page(browser, address)
    upload(page, file_of(folder, number))
    keep(page)
    return page


def held(server: int) -> dict[str, float]:
    """Megabytes of the server itself, of its processes, and how many these are."""
    found = Counter()
    own = psutil.Process(server)
    for process in (own, *own.children(recursive=True)):
        with suppress(psutil.Error):
            line = " ".join(process.cmdline())
            kind = "processes" if "multiprocessing" in line else "other"
            kind = "server" if process.pid == server else kind
            found[kind] += process.memory_full_info().uss / 1e6
            found[f"{kind}, number"] += 1
    return dict(found)


def stay(browser: Browser, minutes: float, sessions: int) -> list[dict[str, float]]:
    """What was held, and how much had been done, at each time."""
    chance, done, rows = random.Random(0), Counter(), []
    with tempfile.TemporaryDirectory() as place, Server(Path(place, "workspace")) as server:
        folder = Path(place)
        pages = [begun(browser, server.address, folder, k) for k in range(sessions)]
        start = time.monotonic()
        for tenth in range(11):
            while time.monotonic() - start < tenth * 6 * minutes:
                number = chance.randrange(sessions)
                try:
                    done[use(pages[number], chance)] += 1
                except BrowserError:
                    done["failed"] += 1
                if chance.random() < 0.02:
                    address = pages[number].url
                    pages[number].context.close()
                    pages[number] = open_page(browser, address)
                    done["came back"] += 1
            elapsed = (time.monotonic() - start) / 60
            rows.append({"minutes": elapsed, **held(server.process.pid), **done})
            print(rows[-1], file=sys.stderr, flush=True)
    return rows


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--minutes", type=float, default=60)
    options.add_argument("--sessions", type=int, default=10)
    options.add_argument("--job-memory", type=float, default=2)
    given = options.parse_args()
    os.environ[memory.VARIABLE] = str(given.job_memory)
    expect.set_options(timeout=PATIENCE)
    print(machine())
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        rows = stay(browser, given.minutes, given.sessions)
        browser.close()
    names = sorted({name for row in rows for name in row}, key=lambda name: name != "minutes")
    print_table(names, [[f"{row.get(name, 0):.0f}" for name in names] for row in rows])


if __name__ == "__main__":
    main()
