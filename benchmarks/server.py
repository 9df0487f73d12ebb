"""A running server that is killed at random moments, and one with many sessions at once.

    python benchmarks/server.py [--kills 50] [--sessions 20] [--switches 100] [--seed 0]

Kills: a browser uploads and keeps a file, waits for its map, fits another, takes everything away,
deletes a map and excludes a participant; at a random moment of a random one of
these, the server gets SIGKILL. What a page had acknowledged before is looked for in the workspace,
and the server must start again on it. Sessions: each uploads, keeps, fits, selects and exports data
of its own, side by side with the others; then one of them changes pages.
"""

from __future__ import annotations

import argparse
import csv
import io
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Self

import numpy as np
import psutil
from playwright.sync_api import Browser, Page, expect, sync_playwright
from playwright.sync_api import Error as BrowserError

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.report import machine, print_table
from tests.browser import CHROMIUM
from tests.journeys.pages import (
    FLAGS,
    PATIENCE,
    choose,
    download,
    keep,
    lasso,
    open_page,
    open_settings,
    upload,
    wait_for_map,
)
from tests.ports import free_port
from tests.server import COMMAND, printed_address, wait_until_up
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.dashboard.store.workspace import Workspace

#: Seconds from the beginning of an action within which the server is killed.
_SOON = 6.0
#: Answers of a data set, and of a participant in it who has too few of them.
_ANSWERS, _FEW = 600, 10


def file_of(folder: Path, number: int) -> Path:
    """Answers about things that say which data set they belong to."""
    n = 12 + number % 20
    answers = simulate(np.random.default_rng(number).normal(size=(n, 2)), _ANSWERS, seed=number)
    path = folder / f"set{number}.csv"
    with path.open("w", newline="") as target:
        writer = csv.writer(target)
        writer.writerow(["subject", "head", "left", "right", "winner"])
        for k, (head, near, far) in enumerate(answers.rows.tolist()):
            sides = [near, far] if k % 2 else [far, near]
            who = f"p{k % 5}" if k < len(answers) - _FEW else "late"
            writer.writerow([who, *(f"s{number}-{i}" for i in (head, *sides, near))])
    return path


@contextmanager
def patient(page: Page, milliseconds: float) -> Iterator[None]:
    """Wait no longer than this for a page whose server is about to be gone."""

    def wait(limit: float) -> None:
        page.set_default_timeout(limit)
        expect.set_options(timeout=limit)

    wait(milliseconds)
    try:
        yield
    finally:
        wait(PATIENCE)


class Server:
    """The console command on a workspace, which can be killed."""

    def __init__(self, workspace: Path) -> None:
        self._command = [*COMMAND, "--port", str(free_port()), "--workspace", str(workspace),
                         "--no-open", "--no-key"]
        self.begin()

    def begin(self) -> None:
        self.process = subprocess.Popen(
            self._command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        self.address = printed_address(self.process)
        wait_until_up(self.address, self.process)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def memory(self) -> float:
        """Resident megabytes of the server and the processes that it has started."""
        own = psutil.Process(self.process.pid)
        return sum(p.memory_info().rss for p in (own, *own.children(recursive=True))) / 1e6


class Told:
    """What pages have acknowledged: maps and exclusions by data set, less what may have gone."""

    def __init__(self) -> None:
        self.maps: dict[str, Counter[str]] = {}
        self.excluded: set[str] = set()

    def missing(self, workspace: Path) -> list[str]:
        """What of it a workspace does not hold, or does not hold whole."""
        lost = []
        opened = Workspace(workspace)
        try:
            known = {info.name: info for info in opened.datasets()}
            for name, maps in self.maps.items():
                if name not in known:
                    lost.append(name)
                    continue
                left = len(opened.triplets(known[name]))
                if name in self.excluded and left != _ANSWERS - _FEW:
                    lost.append(f"{name}: exclusion")
                there = Counter()
                for run in opened.runs(known[name].id):
                    found = opened.run(known[name].id, run.key)
                    there[run.task] += bool(found.arrays)
                lost += [f"{name}: {task}" for task in maps if there[task] < maps[task]]
        finally:
            opened.close()
        return lost


def actions(page: Page, folder: Path, number: int, told: Told) -> list[Callable[[], None]]:
    """What a person does with a data set, one after the other."""
    name = f"set{number}"

    def kept() -> None:
        upload(page, file_of(folder, number))
        keep(page)
        told.maps[name] = Counter()

    def mapped() -> None:
        wait_for_map(page)
        told.maps[name] = Counter(fit=1, bootstrap=1, cross_validate=1)

    def fitted() -> None:
        open_settings(page)
        choose(page, "Method", "STE")
        page.locator(".st-key-fit button").click()
        page.get_by_text(re.compile(r"^Map \(STE, 2 dimensions, lowest loss")).wait_for()
        wait_for_map(page)
        told.maps[name] = Counter(fit=2, bootstrap=2, cross_validate=2)

    def taken() -> None:
        zipfile.ZipFile(io.BytesIO(download(page, "Download everything"))).testzip()

    def deleted() -> None:
        told.maps[name] = Counter(fit=1, bootstrap=1, cross_validate=1)
        page.get_by_role("button", name=re.compile("Rename or delete")).first.click()
        page.get_by_role("button", name="Delete", exact=True).first.click()
        asked = page.get_by_role("dialog").filter(has_text="Delete this map?")
        asked.get_by_role("button", name="Delete", exact=True).click()
        page.get_by_text(re.compile(r"^Map \(t-STE, 2 dimensions, lowest loss")).wait_for()

    def excluded() -> None:
        told.maps[name] = Counter()  # of all answers: hidden until the exclusion is undone
        page.get_by_test_id("stSidebar").get_by_role("link", name="Data", exact=True).click()
        page.get_by_role("radio", name="Exclusions", exact=True).click()
        page.get_by_role("button", name=f"Exclude {_FEW} answers", exact=True).click()
        page.get_by_text("1. Too few trials").wait_for()
        told.excluded.add(name)

    return [kept, mapped, fitted, taken, deleted, excluded]


def kills(browser: Browser, number: int, rng: random.Random) -> list[tuple[object, ...]]:
    """Rows: what was being done, how often, how often the server began again, what was lost."""
    done: dict[str, list[int]] = {}
    told = Told()
    with tempfile.TemporaryDirectory() as place, Server(Path(place, "workspace")) as server:
        folder = Path(place)
        for kill in range(number):
            page = open_page(browser, server.address)
            steps = actions(page, folder, kill, told)
            last = rng.randrange(len(steps))
            for step in steps[:last]:
                step()
            threading.Timer(rng.uniform(0, _SOON), server.kill).start()
            with (
                patient(page, 1_000 * 2 * _SOON),
                suppress(BrowserError, AssertionError, subprocess.CalledProcessError),
            ):
                steps[last]()
            server.process.wait()
            page.context.close()
            lost = told.missing(folder / "workspace")
            server.begin()
            row = done.setdefault(steps[last].__name__, [0, 0, 0])
            row[0], row[1], row[2] = row[0] + 1, row[1] + 1, row[2] + len(lost)
            print(kill, steps[last].__name__, lost, file=sys.stderr, flush=True)
    return [(name, *row) for name, row in sorted(done.items())]


def sessions(browser: Browser, number: int, switches: int) -> list[tuple[object, ...]]:
    """Rows of what was counted."""
    with tempfile.TemporaryDirectory() as place, Server(Path(place, "workspace")) as server:
        folder = Path(place)
        begun = time.monotonic()
        pages = [open_page(browser, server.address) for _ in range(number)]
        for k, page in enumerate(pages):
            upload(page, file_of(folder, k))
        for page in pages:
            keep(page)
        right = 0
        for k, page in enumerate(pages):
            wait_for_map(page)
            lasso(page)
            page.get_by_text(re.compile(r"^\d+ selected objects?$")).wait_for()
            files = zipfile.ZipFile(io.BytesIO(download(page, "Download everything")))
            text = b"".join(files.read(f) for f in files.namelist() if f.endswith(".csv")).decode()
            named = {int(found) for found in re.findall(r"\bs(\d+)-\d+\b", text)}
            right += named == {k}
        seconds = time.monotonic() - begun
        before = server.memory()
        page, names = pages[0], ("Clusters", "Trees", "Compare", "Embedding")
        for turn in range(switches):
            name = names[turn % len(names)]
            page.get_by_test_id("stSidebar").get_by_role("link", name=name, exact=True).click()
            page.get_by_role("heading", name=name, exact=True).wait_for()
        after = server.memory()
    return [
        ("sessions with the right results, and no others'", f"{right} of {number}"),
        ("seconds for all of them", f"{seconds:.0f}"),
        (f"megabytes before {switches} page switches", f"{before:,.0f}"),
        ("megabytes after", f"{after:,.0f}"),
    ]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--sessions", type=int, default=20)
    parser.add_argument("--switches", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    print(machine(), end="\n\n")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        if options.kills:
            print_table(
                ("killed while", "times", "started again", "lost of what was acknowledged"),
                kills(browser, options.kills, random.Random(options.seed)),
            )
        if options.sessions:
            print_table(("sessions", "number"),
                        sessions(browser, options.sessions, options.switches))
        browser.close()


if __name__ == "__main__":
    main()
