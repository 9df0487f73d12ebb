"""Maps of thousands of objects in a real browser: opened, panned, selected, downloaded.

    python benchmarks/crowds.py [--objects 2000 50000] [--port 0] [--pictures FOLDER]

For each number of objects a data set with 20 answers about each and a short fit is made; then
Chromium opens the page of its map. Times are of the whole way, from the pointer to what is seen.
Messages are those that the server sends to the page; memory is what the server holds. With a
folder, what the page looks like is kept there.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import psutil
from playwright.sync_api import Page, expect, sync_playwright

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.report import machine, print_table
from tests.browser import CHROMIUM
from tests.ports import free_port
from tests.server import running
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.models.embedding.default import DEFAULT_EMBEDDING
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.core.run import run
from tripletscope.dashboard.store.workspace import Workspace

_PATIENCE = 300_000  # milliseconds
_MAP = ".st-key-map .nsewdrag"


def crowd(folder: Path, n: int) -> None:
    """A workspace with one data set and its map, and a session in which it is open."""
    rng = np.random.default_rng(0)
    places = rng.normal(size=(8, 2))[np.arange(n) % 8] * 1.5 + rng.normal(size=(n, 2)) * 0.5
    names = [f"stimulus {i:05d}" for i in range(n)]
    objects = pd.DataFrame({
        "id": names, "label": names, "kind": [f"kind {i % 8}" for i in range(n)],
        "weight": rng.gamma(2, 1, n).round(3),
    })
    answers = simulate(places, 20 * n, noise="logistic", seed=1)
    triplets = Triplets(answers.rows, objects, name=f"{n:,} objects")
    workspace = Workspace(folder)
    info = workspace.add_dataset(triplets, origin="simulated", report=[])
    found = run("fit", DEFAULT_EMBEDDING(n_init=1, max_iter=40), triplets)
    workspace.add_run(info, found, "Short fit")
    workspace.save_session("crowd", {"dataset": info.id, "selections": {}, "drafts": {}})
    workspace.close()


def seconds(action: Callable[[], object]) -> float:
    begun = time.perf_counter()
    action()
    return time.perf_counter() - begun


def visit(page: Page, address: str, keep: Callable[[str], None]) -> dict[str, float]:
    """Seconds of everything that one does with a map."""
    page.on("websocket", lambda socket: socket.on(
        "framereceived", lambda data: sizes.append(len(data) if data else 0)
    ))
    sizes: list[int] = []
    taken = {"open": seconds(lambda: (
        page.goto(f"{address}/embedding?session=crowd"),
        page.locator(_MAP).wait_for(timeout=_PATIENCE),
    ))}
    at_rest(page)
    keep("opened")
    largest = max(sizes)
    page.locator(_MAP).evaluate("p => p.scrollIntoView({ block: 'center' })")
    box = page.locator(_MAP).bounding_box()
    across, up = box["width"], box["height"]
    ways = [(0.3, 0.3), (0.5, 0.3), (0.5, 0.5), (0.3, 0.5)]
    corners = [(box["x"] + a * across, box["y"] + b * up) for a, b in ways]

    def drag() -> None:
        page.mouse.move(*corners[0])
        page.mouse.down()
        for corner in corners[1:]:
            page.mouse.move(*corner, steps=5)
        page.mouse.up()

    def lasso() -> None:
        drag()
        expect(page.get_by_text(re.compile(r"selected objects?$"))).to_be_visible(
            timeout=_PATIENCE
        )
        at_rest(page)

    taken["lasso"] = seconds(lasso)
    keep("selected")
    page.locator(".st-key-map .modebar-btn[data-title='Pan']").click()
    taken["pan, 15 steps"] = seconds(drag)
    page.get_by_role("button", name="Download figure").click()

    def download() -> None:
        with page.expect_download(timeout=_PATIENCE) as got:
            page.get_by_role("dialog").get_by_role("button", name="PDF").click()
        taken["PDF, MB"] = Path(got.value.path()).stat().st_size / 1e6

    page.get_by_role("dialog").get_by_role("button", name="PDF").wait_for(timeout=_PATIENCE)
    keep("composed")
    taken["PDF"] = seconds(download)
    return taken | {"largest message, MB": largest / 1e6, "all messages, MB": sum(sizes) / 1e6}


def at_rest(page: Page) -> None:
    expect(page.get_by_test_id("stApp")).to_have_attribute(
        "data-test-script-state", "notRunning", timeout=_PATIENCE
    )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--objects", type=int, nargs="+", default=[2_000, 50_000])
    options.add_argument("--port", type=int, default=0)
    options.add_argument("--pictures", type=Path)
    given = options.parse_args()
    print(machine())
    found: dict[int, dict[str, float]] = {}
    for n in given.objects:
        port = given.port or free_port()
        with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
            crowd(Path(folder), n)
            with running(Path(folder), port) as address:
                browser = playwright.chromium.launch(
                    executable_path=CHROMIUM, args=["--no-sandbox", "--enable-unsafe-swiftshader"]
                )
                page = browser.new_page(viewport={"width": 1400, "height": 1000})
                page.set_default_timeout(_PATIENCE)

                def keep(name: str, page: Page = page, n: int = n) -> None:
                    if given.pictures:
                        page.wait_for_timeout(1500)
                        page.screenshot(path=given.pictures / f"{n}-{name}.png")

                found[n] = visit(page, address, keep)
                found[n]["server, MB"] = server_memory(port)
                browser.close()
        print(n, found[n], flush=True)
    names = next(iter(found.values()))
    print_table(
        ["", *(f"{n:,}" for n in found)],
        [[name, *(f"{taken[name]:.2f}" for taken in found.values())] for name in names],
    )


def server_memory(port: int) -> float:
    """Megabytes of the process that listens."""
    (owner,) = {c.pid for c in psutil.net_connections("tcp")
                if c.laddr and c.laddr.port == port and c.status == psutil.CONN_LISTEN}
    return psutil.Process(owner).memory_info().rss / 1e6


if __name__ == "__main__":
    main()
