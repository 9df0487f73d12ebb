"""Whether what people look for is found by one search: page and tab of the first hit, by keyboard.

Usage: python benchmarks/finding.py
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.report import machine, print_table
from tests.browser import CHROMIUM
from tests.journeys.pages import FLAGS, look_for, open_page, script_ended
from tests.server import running

#: What somebody types, and the page and tab that it is about.
TASKS = {
    "mds": "embedding&tab=embedding",
    "error bars": "embedding&tab=positions", "stress": "embedding&tab=dissimilarities",
    "reliability": "data&tab=quality", "bad participants": "data&tab=exclusions",
    "undo": "data&tab=exclusions", "rename": "data", "cite": "report",
    "coordinates": "embedding&tab=embedding", "indscal": "people&tab=weights",
    "rsa": "features&tab=accuracy", "conjoint": "scale&tab=conjoint",
    "dendrogram": "clusters&tab=tree", "sample size": "simulate&tab=planning",
    "what to ask next": "simulate&tab=questions", "odd one out": "dimensions",
    "compare two maps": "embedding&tab=maps", "confusion matrix": "kernel&tab=classes",
}


def found(page: Page, words: str) -> tuple[str, float]:
    """Address of the first hit without its session, and seconds from the keys to the page."""
    script_ended(page)
    begun = time.perf_counter()
    look_for(page, words)
    script_ended(page)
    taken = time.perf_counter() - begun
    place = page.url.split("/", 3)[3]
    tab = place.partition("&tab=")[2]
    return place.partition("?")[0] + (f"&tab={tab}" if tab else ""), taken


def main() -> None:
    rows = []
    with tempfile.TemporaryDirectory() as folder, running(Path(folder) / "w") as address, \
            sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = open_page(browser, f"{address}/?sample=crowd")
        page.get_by_text("clusters are recommended").wait_for()
        for words, place in TASKS.items():
            where, seconds = found(page, words)
            rows.append((words, where, "yes" if where.startswith(place) else "no",
                         f"{seconds:.1f}"))
        browser.close()
    print(machine())
    print_table(("words", "leads to", "right", "seconds"), rows)
    print(f"{sum(row[2] == 'yes' for row in rows)} of {len(rows)}")


if __name__ == "__main__":
    main()
