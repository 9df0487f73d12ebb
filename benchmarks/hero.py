"""How much of a window the main picture of each place has, by size of the window and theme.

    python benchmarks/hero.py [--samples crowd alien_eggs] [--sizes 1440x900 ...] [--keep DIR]

Opens samples in Chromium and looks at the first picture of a place, with its settings folded away
and the navigation where the width has it. Shares are of the window, in per cent: of the picture
with its tools and legend, and of its frame, as far as they are seen without scrolling; below is
what is not, in pixels. Reach is the longer side of what lies on a map, ellipses included, as a
share of that side of its frame. `--keep` writes a picture of every window.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.report import print_table
from tests.browser import CHROMIUM
from tests.journeys.pages import open_map
from tests.journeys.tour import AT_REST, MEASURE
from tests.server import running

PLACES = {
    "Map": "embedding?tab=embedding", "Kernel matrix": "kernel?tab=similarities",
    "Tree": "trees?tab=tree", "Dendrogram": "clusters?tab=clusters",
    "Curves": "compare?tab=dimensions",
}


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--samples", nargs="*", default=["crowd", "alien_eggs"])
    sizes = ["1280x720", "1440x900", "1920x1080", "390x844"]
    options.add_argument("--sizes", nargs="*", default=sizes)
    options.add_argument("--keep", type=Path)
    given, rows = options.parse_args(), []
    with (
        tempfile.TemporaryDirectory() as folder, running(Path(folder)) as address,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for sample in given.samples:
            page = open_map(browser, address, sample)
            page.evaluate(AT_REST)
            data = page.url.split("?")[1].split("&tab=")[0]
            for place, path in PLACES.items():
                page.goto(f"{address}/{path}&{data}")
                page.locator('[data-testid="stMain"] .ts-plot .main-svg').first.wait_for()
                for size in given.sizes:
                    width, height = map(int, size.split("x"))
                    page.set_viewport_size({"width": width, "height": height})
                    for theme in ("light", "dark"):
                        page.emulate_media(color_scheme=theme)
                        page.wait_for_timeout(600)  # the picture follows the window
                        page.evaluate(AT_REST)
                        found = page.evaluate(MEASURE)
                        rows.append([
                            sample, place, size, theme,
                            *(f"{found[name]:.0f}" for name in ("picture", "frame", "below")),
                            "" if found["reach"] is None else f"{found['reach']:.0f}",
                        ])
                        if given.keep:
                            name = f"{sample}-{place.replace(' ', '-')}-{size}-{theme}.png"
                            page.screenshot(path=given.keep / name)
            page.close()
        browser.close()
    print_table(["sample", "place", "window", "theme", "picture %", "frame %", "below px",
                 "reach %"], rows)


if __name__ == "__main__":
    main()
