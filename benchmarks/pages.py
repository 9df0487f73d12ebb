"""How long pages take in a real browser: every page and tab, the first minute, and files.

    python benchmarks/pages.py [--objects 300] [--answers 17611] [--repeats 5] [--large N ...]

Starts the server on an empty workspace and drives Chromium on a crowd's simulated answers. "First"
is the first visit after everything was computed, "again" the median of the later ones; a picture
is there when its frame can be touched, and a page has come to rest when nothing of it changes any
more. The named peer is the same server's bare health page in the same browser: what a round trip
costs on this machine. `--large` uploads files of so many answers in the end.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
import psutil
from playwright.sync_api import Page, expect, sync_playwright

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.browser import CHROMIUM
from tests.ports import free_port
from tests.server import COMMAND, printed_address, wait_until_up
from tripletscope.core.models.simulation.simulate import simulate

PATIENCE = 300_000

#: Click on what a selector finds; milliseconds until a new picture can be touched (or null), and
#: until the last change of the page before nothing happened for so long.
_CLICK = """async ([selector, still]) => {
    const pictures = () => [...document.querySelectorAll(".js-plotly-plot")];
    const isThere = (plot) => plot.querySelector(".nsewdrag, .gl-container canvas, .bars");
    const old = new Set(pictures());
    const begun = performance.now();
    let picture = null, last = begun;
    const seen = new MutationObserver(() => {
        last = performance.now();
        const isNew = (plot) => !old.has(plot) && isThere(plot);
        picture ??= pictures().some(isNew) ? last - begun : null;
    });
    seen.observe(document.querySelector("[data-testid=stMain]"),
                 {subtree: true, childList: true, attributes: true, characterData: true});
    document.querySelector(selector).click();
    const app = document.querySelector("[data-testid=stApp]");
    for (;;) {
        await new Promise((done) => setTimeout(done, 20));
        const resting = app.dataset.testScriptState === "notRunning" && last > begun;
        if (resting && performance.now() - last > still) break;
        if (performance.now() - begun > 60000) break;
    }
    seen.disconnect();
    return [picture, last - begun];
}"""


def seconds(action: Callable[[], object]) -> float:
    begun = time.perf_counter()
    action()
    return time.perf_counter() - begun


def first_paint(playwright, address: str) -> float:
    """A fresh browser: from the address to the heading of the start page."""
    browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
    page = browser.new_page()

    def visit() -> None:
        page.goto(address)
        expect(page.get_by_role("heading", name="From similarity")).to_be_visible(timeout=PATIENCE)

    taken = seconds(visit)
    browser.close()
    return taken


def click(page: Page, selector: str) -> tuple[float | None, float]:
    """Seconds to a new picture, if one comes, and until the page rests."""
    page.locator(selector).first.wait_for(state="attached")
    picture, rest = page.evaluate(_CLICK, [selector, 400])
    return (None if picture is None else picture / 1000), rest / 1000


def visited(page: Page) -> Iterator[tuple[str, tuple[float | None, float]]]:
    """Every page, and every tab of it, with how long it took to come there."""
    yield "switch to Start", click(page, "[data-testid=stSidebarNav] a")
    # Some are in the navigation only where the data have a use for them.
    names = page.locator("[data-testid=stSidebarNav] a").evaluate_all(
        "links => links.map(link => new URL(link.href).pathname.split('/').pop())"
    )
    for name in filter(None, names):
        title = name.capitalize()
        yield f"switch to {title}", click(page, f'[data-testid=stSidebarNav] a[href*="/{name}"]')
        tabs = f".st-key-{name}-view button"
        for number, tab in list(enumerate(page.locator(tabs).all_inner_texts(), 1))[1:]:
            yield f"{title} > {tab}", click(page, f"{tabs}:nth-of-type({number})")
        if page.locator(tabs).count():
            click(page, tabs)  # where the next visit begins


def crowd(file: Path, n_objects: int, n_answers: int) -> None:
    """Write a table of answers of twenty simulated people."""
    map_ = np.random.default_rng(0).normal(size=(n_objects, 2))
    triplets = simulate(map_, n_answers, seed=1)
    names = np.array([f"thing number {i}" for i in range(n_objects)])
    head, near, far = names[triplets.rows].T
    swapped = np.arange(len(head)) % 2 == 1
    pd.DataFrame({
        "subject": [f"p{k % 20}" for k in range(len(head))], "head": head,
        "left": np.where(swapped, far, near), "right": np.where(swapped, near, far),
        "winner": near,
    }).to_csv(file, index=False)


@contextmanager
def served(folder: Path) -> Iterator[tuple[subprocess.Popen, str, float]]:
    begun = time.perf_counter()
    process = subprocess.Popen(
        [*COMMAND, "--port", str(free_port()), "--workspace", str(folder), "--no-open",
         "--no-key"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )
    try:
        address = printed_address(process)
        wait_until_up(address, process)
        yield process, address, time.perf_counter() - begun
    finally:
        process.terminate()
        process.wait(20)


def line(what: str, taken: list[float], peer: float) -> None:
    median = statistics.median(taken)
    print(f"{what:52} {median:7.2f} s  {max(taken):7.2f} s at most  {median / peer:6.0f} x",
          flush=True)


#: Findings that a reader waits for, in the order in which they come.
SEEN = ("care", "ceiling", "error")


def opened(page: Page) -> Iterator[tuple[str, Callable[[], object]]]:
    """What the findings of a data set show, and how each is waited for."""
    yield "the findings", page.locator(".st-key-data-view").wait_for
    for name in SEEN:
        said = page.locator(f".st-key-finding-{name} [data-testid=stMarkdown]"
                            ":not(:has([data-testid=stCaptionContainer]))")
        yield f"the sentence on {name}", said.nth(1).wait_for  # below its heading
    yield "the map", page.locator("[class*='st-key-findings'] .nsewdrag").first.wait_for
    yield "all findings", lambda: expect(page.get_by_text("Being computed.")).to_have_count(0)


def times_to_see(page: Page, what: str, action: Callable[[], object], peer: float) -> None:
    begun = time.perf_counter()
    action()
    for name, seen in opened(page):
        seen()
        line(f"{what} to {name}", [time.perf_counter() - begun], peer)


def upload(page: Page, file: Path, what: str, peer: float, is_large: bool) -> None:
    """From a file to its form, and from "Keep" to all that is found."""
    keep = page.get_by_role("button", name="Keep this data set")
    line(f"{what}: file to its form", [seconds(lambda: (
        page.locator(".st-key-upload input[type=file]").set_input_files(file), keep.wait_for(),
    ))], peer)
    if not is_large:  # otherwise findings wait to be asked for
        times_to_see(page, f"{what}: Keep", keep.click, peer)
    begun = time.perf_counter()
    if is_large:
        keep.click()
        page.locator(".st-key-data-view").wait_for()
    page.locator('[data-testid=stSidebar] a[href*="/embedding"]').first.click()
    page.locator(".st-key-map .nsewdrag, .st-key-map canvas").first.wait_for()
    line(f"{what}: {'Keep and ' * is_large}page of the map to the map",
         [time.perf_counter() - begun], peer)


def exports(page: Page, peer: float) -> None:
    """The figure's dialog, twice: from its button to the preview, and from there to the PDF."""
    for which in ("first", "next"):
        shown = seconds(lambda: (
            page.locator(".st-key-map-menu button").click(),
            page.locator("[role=dialog] img").first.wait_for(timeout=PATIENCE),
        ))

        expect(page.locator(".st-key-map-pdf button")).to_be_enabled(timeout=PATIENCE)

        def save() -> None:
            with page.expect_download(timeout=PATIENCE) as file:
                page.locator(".st-key-map-pdf button").click()
            file.value.path()

        line(f"{which} figure: button to preview", [shown], peer)
        line(f"{which} figure: preview to PDF", [seconds(save)], peer)
        page.keyboard.press("Escape")
        page.locator("[role=dialog]").wait_for(state="detached")


def visits(page: Page, repeats: int) -> None:
    """Every page and tab, in turn."""
    taken: dict[str, list[tuple[float | None, float]]] = {}
    for _ in range(repeats + 1):
        for place, times in visited(page):
            taken.setdefault(place, []).append(times)
    print(f"{'':52} {'picture':>16} {'at rest':>16}\n{'':52} {'first':>8}{'again':>8} "
          f"{'first':>8}{'again':>8}")
    for place, times in taken.items():
        pictures = [picture for picture, _ in times[1:] if picture is not None]
        cells = [times[0][0], statistics.median(pictures) if pictures else None, times[0][1],
                 statistics.median(rest for _, rest in times[1:])]
        print(f"{place:52} " + "".join("       -" if cell is None else f"{cell:8.2f}"
                                       for cell in cells), flush=True)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--objects", type=int, default=300)
    options.add_argument("--answers", type=int, default=17_611)
    options.add_argument("--repeats", type=int, default=5)
    options.add_argument("--large", type=int, nargs="*", default=[])
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        with served(folder / "workspace") as (process, address, up):
            first = first_paint(playwright, address)
            again = [first_paint(playwright, address) for _ in range(3)]
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            page.set_default_timeout(PATIENCE)
            expect.set_options(timeout=PATIENCE)
            peer = statistics.median(
                seconds(lambda: page.goto(f"{address}/tripletscope/health")) for _ in range(10)
            )
            print(f"{'':52} {'median':>9}  {'':17}  against the bare page ({peer * 1000:.0f} ms)")
            line("command to server up", [up], peer)
            line("first paint, first browser after the start", [first], peer)
            line("first paint, fresh browser", again, peer)
            page.goto(address)
            times_to_see(page, "kitchen objects: click",
                         page.locator(".st-key-sample-crowd button").click, peer)
            crowd(folder / "things.csv", given.objects, given.answers)
            for file, n in [("things.csv", given.answers)] + [
                (f"{n}.csv", n) for n in given.large
            ]:
                if not (folder / file).exists():
                    crowd(folder / file, 1_000, n)
                page.goto(address)
                upload(page, folder / file, f"{n:,} answers", peer,
                       n in given.large)
                if file == "things.csv":
                    page.get_by_text("from 100 replicates").wait_for(timeout=PATIENCE)
                    page.wait_for_timeout(2_000)
                    exports(page, peer)
                    visits(page, given.repeats)
            held = psutil.Process(process.pid).memory_info().rss
            print(f"the server holds {held / 1e6:.0f} MB in the end")
            browser.close()


if __name__ == "__main__":
    main()
