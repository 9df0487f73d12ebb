"""A workspace of many data sets with results: how soon Start is there, and what the server holds.

    python benchmarks/many_sets.py [--sets 200] [--results 25]

In a real browser, from a click in the navigation to rest; beside the page Papers, the peer.
"""

from __future__ import annotations

import argparse
import dataclasses
import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import psutil
from playwright.sync_api import Page, expect, sync_playwright

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.report import machine, print_table
from tests.browser import CHROMIUM
from tests.journeys.pages import FLAGS, go, open_page, script_ended
from tests.server import UNHURRIED, running
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.models.embedding import STE
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.core.run import run
from tripletscope.dashboard.store.workspace import Workspace


def fill(folder: Path, sets: int, results: int) -> None:
    """Data sets of 20 objects and 400 answers, all with the same map under many keys."""
    workspace = Workspace(folder)
    for number in range(sets):
        places = np.random.default_rng(number).normal(size=(20, 2))
        rows = simulate(places, 400, noise="logistic", seed=number).rows
        data = Triplets.from_array(rows, 20, name=f"set {number}")
        info = workspace.add_dataset(data, origin="answers.csv", report=[])
        if number == 0:
            fitted = run("fit", STE(n_init=1), data, {})
        for k in range(results):
            kept = dataclasses.replace(fitted, key=f"{number:016x}{k:016x}")
            workspace.add_run(info, kept, f"map {k}")
    workspace.close()


def switch(page: Page, name: str, title: str) -> float:
    begun = time.perf_counter()
    go(page, name)
    expect(page.get_by_role("heading", name=title, level=1)).to_be_visible()
    if name == "Start":
        expect(page.get_by_text("Older", exact=True)).to_be_visible()
    script_ended(page)
    return time.perf_counter() - begun


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=200)
    parser.add_argument("--results", type=int, default=25)
    asked = parser.parse_args()
    print(machine())
    with tempfile.TemporaryDirectory() as folder:
        workspace = Path(folder, "workspace")
        fill(workspace, asked.sets, asked.results)
        with running(workspace, command=UNHURRIED) as address, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            begun = time.perf_counter()
            page = open_page(browser, address)
            expect(page.get_by_text("Older", exact=True)).to_be_visible()
            script_ended(page)
            first = time.perf_counter() - begun
            peers, starts = zip(*(
                (switch(page, "Papers", "Papers"), switch(page, "Start", "From similarity"))
                for _ in range(5)
            ), strict=True)
            begun = time.perf_counter()
            page.get_by_text("Older", exact=True).click()
            expect(page.get_by_text("set 0", exact=True)).to_have_count(1)
            opened = time.perf_counter() - begun
            held = sum(
                process.memory_info().rss for process in psutil.Process().children()
                if "tripletscope" in " ".join(process.cmdline())
            )
    print_table(("what", "number"), [
        ("first page in a fresh browser, s", f"{first:.2f}"),
        ("Start again, s", f"{statistics.median(starts):.2f}"),
        ("Papers again, s", f"{statistics.median(peers):.2f}"),
        ("older data sets unfolded, s", f"{opened:.2f}"),
        ("the server holds, MB", f"{held / 1e6:.0f}"),
    ])


if __name__ == "__main__":
    main()
