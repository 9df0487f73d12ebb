"""What a redrawn map costs the browser, beside a page whose style asks what is inside of it.

    python benchmarks/redraws.py [--sample alien_eggs] [--rounds 6]

The map of a sample is drawn again by plotly, in turn with the program's style and with rules of
version 0.4.1 added to it (`:has` on the page and its app). Milliseconds of the page's own thread.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import CDPSession, Page, sync_playwright

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.crowds import at_rest
from benchmarks.report import machine, print_table
from tests.browser import CHROMIUM
from tests.server import running

_FORMER = """
[data-testid="stApp"]:has([data-testid="stSidebar"][data-collapsed="false"]) {
  [data-testid="stMainBlockContainer"] { padding-top: 0.9rem; }
  [data-testid="stMainBlockContainer"] > [data-testid="stVerticalBlock"] > :first-child {
    padding-right: 2.5rem; }
}
[data-testid="stMainBlockContainer"]:has(.st-key-drawer) > [data-testid="stVerticalBlock"] {
  gap: 0.6rem; }
[data-testid="stMain"]:has(.ts-shut) .st-key-drawer-columns:not(:has([class*="st-key-empty-"]))
> [data-testid="stLayoutWrapper"] > [data-testid="stHorizontalBlock"] {
  > [data-testid="stColumn"]:first-child { flex: 1 1 100%; width: 100%; }
  > [data-testid="stColumn"]:last-child { display: none; }
}
[data-testid="stMain"]:has(.ts-shut):has(.st-key-drawer-columns [class*="st-key-empty-"])
.st-key-drawer,
[data-testid="stElementContainer"]:has(> * .ts-shut, > * .ts-open) { display: none; }
"""
_REDRAW = """async () => {
    const plot = document.querySelector('.st-key-map .js-plotly-plot');
    await Plotly.newPlot(plot, plot.data, plot.layout, plot._context);
    plot.getBoundingClientRect();
}"""
#: How a page told that its settings were shut.
_MARKED = "drawer => drawer.insertAdjacentHTML('afterend', '<p class=ts-shut hidden></p>')"
_TASK, _STYLE = "TaskDuration", "RecalcStyleDuration"


def cost(page: Page, session: CDPSession) -> dict[str, float]:
    """Milliseconds of one redraw: all of it, and of that finding styles."""
    def spent() -> dict[str, float]:
        measured = session.send("Performance.getMetrics")["metrics"]
        return {one["name"]: one["value"] for one in measured}

    before = spent()
    page.evaluate(_REDRAW)
    after = spent()
    return {name: 1000 * (after[name] - before[name]) for name in (_TASK, _STYLE)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sample", default="alien_eggs")
    parser.add_argument("--rounds", type=int, default=6)
    given = parser.parse_args()
    found: dict[str, list[dict[str, float]]] = {"now": [], "with :has": []}
    with (
        tempfile.TemporaryDirectory() as folder, running(Path(folder)) as address,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1400, "height": 1000})
        page.set_default_timeout(120_000)
        page.goto(f"{address}/?sample={given.sample}")
        page.get_by_role("radio", name="Findings").wait_for()
        page.get_by_test_id("stSidebar").get_by_role("link", name="Embedding", exact=True).click()
        page.locator(".st-key-map .nsewdrag").wait_for()
        at_rest(page)
        session = page.context.new_cdp_session(page)
        session.send("Performance.enable", {"timeDomain": "threadTicks"})
        rules = page.add_style_tag(content=_FORMER)
        page.locator(".st-key-drawer").evaluate(_MARKED)
        for round_ in range(given.rounds + 1):
            for name, times in found.items():
                rules.evaluate(
                    "(style, off) => { style.disabled = off; getComputedStyle(style).color; }",
                    name == "now",
                )
                one = cost(page, session)
                if round_:  # the first warms the browser up
                    times.append(one)
    medians = {
        name: [statistics.median(one[what] for one in times) for what in (_TASK, _STYLE)]
        for name, times in found.items()
    }
    print(machine())
    print_table(["style", "ms", "of it style", "ratio"], [
        [name, f"{all_of_it:.0f}", f"{style:.0f}", f"{all_of_it / medians['now'][0]:.1f}"]
        for name, (all_of_it, style) in medians.items()
    ])


if __name__ == "__main__":
    main()
