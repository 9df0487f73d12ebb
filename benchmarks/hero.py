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
from tests.journeys.tour import AT_REST
from tests.server import running

PLACES = {
    "Map": "embedding?tab=embedding", "Kernel matrix": "kernel?tab=similarities",
    "Tree": "trees?tab=tree", "Dendrogram": "clusters?tab=clusters",
    "Curves": "compare?tab=dimensions",
}

#: Of the first picture of a page: shares of the window, pixels below it, reach of a map.
MEASURE = """() => {
    const plot = [...document.querySelectorAll('[data-testid="stMain"] .ts-plot')]
        .find(one => one.checkVisibility() && one.data);
    if (!plot) return null;
    const seen = ({ left, right, top, bottom }) => {
        const across = Math.min(right, innerWidth) - Math.max(left, 0);
        const down = Math.min(bottom, innerHeight) - Math.max(top, 0);
        return 100 * Math.max(across, 0) * Math.max(down, 0) / innerWidth / innerHeight;
    };
    let box = plot; // or what the picture scrolls in
    for (let above = plot.parentElement; above && above.dataset.testid !== 'stMain';
         above = above.parentElement)
        if (/auto|scroll/.test(getComputedStyle(above).overflowY)) { box = above; break; }
    const whole = box.getBoundingClientRect();
    const parts = [...plot.querySelectorAll('.nsewdrag')].map(p => p.getBoundingClientRect());
    const frame = parts.length ? {
        left: Math.min(...parts.map(p => p.left)), right: Math.max(...parts.map(p => p.right)),
        top: Math.min(...parts.map(p => p.top)),
        bottom: Math.min(Math.max(...parts.map(p => p.bottom)), whole.bottom),
    } : whole;
    const { xaxis, yaxis } = plot._fullLayout;
    const span = axis => {
        const on = plot._fullData.filter(trace => trace.customdata || trace.name === 'ellipses')
            .flatMap(trace => [...(trace[axis._id] || [])]).filter(Number.isFinite);
        const [low, high] = axis.range;
        const inside = on.map(value => Math.min(Math.max(value, low), high));
        return inside.length
            ? (Math.max(...inside) - Math.min(...inside)) / Math.abs(high - low) : 0;
    };
    const alike = yaxis && yaxis.scaleanchor && yaxis.constrain === 'range';
    return {
        picture: seen(whole), frame: seen(frame),
        below: Math.max(whole.bottom - innerHeight, 0),
        reach: alike ? 100 * Math.max(span(xaxis), span(yaxis)) : null,
    };
}"""


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
