"""How long pages take in a real browser, from the click to what one came for.

    python benchmarks/pages.py [--repeats 5]

Starts the server on an empty workspace and drives Chromium. The named peer is the same server's
bare health page in the same browser: what a round trip costs on this machine.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect, sync_playwright

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.browser import CHROMIUM
from tests.server import COMMAND, free_port, wait_until_up


def seconds(action: Callable[[], None]) -> float:
    begun = time.perf_counter()
    action()
    return time.perf_counter() - begun


def first_paint(playwright, address: str) -> float:
    """A fresh browser: from the address to the heading of the start page."""
    browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
    page = browser.new_page()

    def visit() -> None:
        page.goto(address)
        expect(page.get_by_role("heading", name="From similarity")).to_be_visible(timeout=60_000)

    taken = seconds(visit)
    browser.close()
    return taken


def switch(page: Page, link: str, sign: str) -> float:
    def go() -> None:
        page.get_by_test_id("stSidebarNav").get_by_role("link", name=link).click()
        expect(page.locator(sign).first).to_be_visible(timeout=60_000)

    return seconds(go)


def line(what: str, taken: list[float], peer: float) -> None:
    median = statistics.median(taken)
    print(f"{what:48} {median:7.2f} s  {max(taken):7.2f} s at most  {median / peer:6.0f} x")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--repeats", type=int, default=5)
    repeats = options.parse_args().repeats
    port = free_port()
    address = f"http://localhost:{port}"
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        begun = time.perf_counter()
        process = subprocess.Popen(
            [*COMMAND, "--port", str(port), "--workspace", folder, "--no-open", "--no-key"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )
        wait_until_up(address, process)
        up = time.perf_counter() - begun
        first = first_paint(playwright, address)
        again = [first_paint(playwright, address) for _ in range(repeats)]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1400, "height": 1000})
        bare = statistics.median(
            seconds(lambda: page.goto(f"{address}/tripletscope/health")) for _ in range(10)
        )
        page.goto(address)
        opened = seconds(lambda: (
            page.locator(".st-key-sample-alien_eggs button").click(),
            page.locator(".st-key-map .nsewdrag").wait_for(timeout=60_000),
        ))
        page.get_by_text("test answers; chance").wait_for(timeout=60_000)
        signs = {"Data": ".st-key-data-occurrence .bars", "Embedding": ".st-key-map .nsewdrag",
                 "Start": ".st-key-upload"}
        times: dict[str, list[float]] = {link: [] for link in signs}
        for _ in range(repeats):
            for link, sign in signs.items():
                times[link].append(switch(page, link, sign))
        print(f"{'':48} {'median':>9}  {'':17}  against the bare page ({bare * 1000:.0f} ms)")
        line("command to server up", [up], bare)
        line("first paint, first browser after the start", [first], bare)
        line("first paint, fresh browser", again, bare)
        line("alien eggs: click on the sample to its map", [opened], bare)
        for link, taken in times.items():
            line(f"switch to {link} (alien eggs open)", taken, bare)
        browser.close()
        process.terminate()
        process.wait(20)


if __name__ == "__main__":
    main()
