"""How fast pages are while jobs of others run, and how soon the first map of a server is there.

    python benchmarks/clicks.py [--jobs 0 2] [--rounds 8]

For each number of jobs a server is started; so many sessions open a sample, whose map is then
computed in pure Python that never ends. Another session, which has a map, asks for the server's
health, changes pages, and makes a choice on Search. Times are in seconds, from the click to the end
of the page's run.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
import urllib.request
from functools import partial
from pathlib import Path

from playwright.sync_api import Browser, Page, expect, sync_playwright

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.crowds import at_rest, seconds
from benchmarks.report import machine, print_table
from tests.browser import CHROMIUM
from tests.paths import ROOT
from tests.server import running

_PATIENCE = 120_000  # milliseconds
#: The server, in which maps are computed in Python for as long as nobody cancels.
BUSY = [sys.executable, "-c", """
import sys

import benchmarks.busy
import tripletscope.dashboard.jobs.pool as pool

pool.WORKER = benchmarks.busy.__name__
from tripletscope.dashboard.serve.cli import main
sys.exit(main(sys.argv[1:]))
"""]
_PAGES = ("Clusters", "Kernel", "Embedding", "Compare")


def opened(browser: Browser, address: str, sample: str) -> Page:
    """A session of its own with a sample."""
    page = browser.new_page(viewport={"width": 1400, "height": 1000})
    page.set_default_timeout(_PATIENCE)
    page.goto(f"{address}/?sample={sample}")
    page.get_by_role("heading", name="Embedding", exact=True).wait_for()
    return page


def go(page: Page, name: str) -> None:
    page.get_by_test_id("stSidebar").get_by_role("link", name=name, exact=True).click()
    page.get_by_role("heading", name=name, exact=True).wait_for()
    at_rest(page)


def asked(address: str) -> None:
    urllib.request.urlopen(f"{address}/tripletscope/health", timeout=300).read()


def clicks(browser: Browser, n_jobs: int, rounds: int) -> dict[str, list[float]]:
    """Seconds of every click."""
    found: dict[str, list[float]] = {"health": [], "page": [], "search": [], "first page": []}
    with (
        tempfile.TemporaryDirectory() as folder,
        running(Path(folder), command=BUSY) as address,
    ):
        visitor = opened(browser, address, "ekman_colors")
        visitor.get_by_text("converged").first.wait_for()
        at_rest(visitor)
        go(visitor, "Trees")
        visitor.get_by_role("radio", name="Search", exact=True).click()
        at_rest(visitor)
        others = [opened(browser, address, "alien_eggs") for _ in range(n_jobs)]
        for other in others:
            other.get_by_role("button", name="Cancel").first.wait_for()
        time.sleep(3)
        found["first page"].append(seconds(lambda: opened(browser, address, "ekman_colors")))
        for turn in range(rounds):
            found["health"].append(seconds(lambda: asked(address)))
            found["search"].append(seconds(partial(_choose, visitor, turn)))
        for turn in range(rounds):
            found["page"].append(seconds(partial(go, visitor, _PAGES[turn % len(_PAGES)])))
            found["health"].append(seconds(lambda: asked(address)))
        for context in browser.contexts:
            context.close()
    return found


def _choose(page: Page, turn: int) -> None:
    field = page.get_by_label("Neighbours", exact=True).first
    field.fill(str(2 + turn % 5))
    field.press("Enter")
    page.wait_for_timeout(50)  # until the browser has sent it
    at_rest(page)


def first_map(browser: Browser) -> float:
    """Seconds from a server's start, when it is up, to the first map of the eggs."""
    with (
        tempfile.TemporaryDirectory() as folder,
        running(Path(folder)) as address,
    ):
        begun = time.perf_counter()
        page = browser.new_page(viewport={"width": 1400, "height": 1000})
        page.set_default_timeout(_PATIENCE)
        page.goto(f"{address}/?sample=alien_eggs")
        expect(page.locator(".st-key-map .js-plotly-plot").first).to_be_visible(timeout=_PATIENCE)
        return time.perf_counter() - begun


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--jobs", type=int, nargs="*", default=[0, 2])
    options.add_argument("--rounds", type=int, default=8)
    options.add_argument("--maps", type=int, default=3)
    given = options.parse_args()
    print(machine(), ROOT.name)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        times = [first_map(browser) for _ in range(given.maps)]
        print("first map after a start:", *(f"{t:.1f}" for t in times), flush=True)
        found = {n: clicks(browser, n, given.rounds) for n in given.jobs}
        browser.close()
    names = next(iter(found.values()), {})
    print_table(
        ["median (longest)", *(f"{n} jobs" for n in found)],
        [[name, *(f"{statistics.median(taken[name]):.3f} ({max(taken[name]):.3f})"
                  for taken in found.values())] for name in names],
    )


if __name__ == "__main__":
    main()
