"""Pictures of the program for the documentation: `make pictures`.

They show the samples as everybody sees them at first, light, and are made again when pages change.
"""

from __future__ import annotations

import io
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browser import CHROMIUM
from tests.journeys.pages import FLAGS, go_to_map, keep, open_settings, the_map, upload
from tests.server import running

PICTURES = Path(__file__).resolve().parent / "pictures"
SIZE = {"width": 1200, "height": 860}
SHARPNESS = 1.25  # pixels of a picture per pixel of the page
LARGEST = 120_000  # bytes
#: A file as a beginner has it, for the first map.
OWN = PICTURES.parent / "samples" / "towns.csv"


def take(page: Page, name: str, height: int = SIZE["height"]) -> None:
    """Keep what is seen, in the best quality that is small enough."""
    page.set_viewport_size({**SIZE, "height": height})
    page.mouse.move(5, 5)
    page.wait_for_timeout(2500)  # transitions of figures
    picture = Image.open(io.BytesIO(page.screenshot()))
    for quality in range(88, 40, -8):
        file = io.BytesIO()
        picture.save(file, "webp", quality=quality, method=6)
        if file.tell() < LARGEST:
            break
    (PICTURES / f"{name}.webp").write_bytes(file.getvalue())
    page.set_viewport_size(SIZE)
    print(name, file.tell(), flush=True)


def at_rest(page: Page) -> None:
    """Until no job is shown and the script has ended."""
    page.wait_for_timeout(1000)
    expect(page.get_by_role("button", name="Cancel")).to_have_count(0)
    app = page.get_by_test_id("stApp")
    expect(app).to_have_attribute("data-test-script-state", "notRunning")


def wait_for_map(page: Page) -> None:
    the_map(page).locator(".nsewdrag").wait_for()
    expect(page.get_by_text("from 100 replicates")).to_be_visible()
    at_rest(page)


def go(page: Page, name: str, tab: str = "") -> None:
    page.get_by_test_id("stSidebar").get_by_role("link", name=name, exact=True).click()
    expect(page.get_by_role("heading", name=name, level=1)).to_be_visible()
    if tab:
        page.get_by_role("radio", name=tab, exact=True).click()
    at_rest(page)


def compute(page: Page) -> None:
    """Press what computes, if there is something to compute, and wait for what comes of it."""
    open_settings(page)
    button = page.get_by_test_id("stMain").get_by_role("button", name="Compute").first
    if button.is_enabled():
        button.click()
    at_rest(page)
    page.locator(".st-key-drawer button:visible").click()
    at_rest(page)


def opened(browser: Browser, address: str, sample: str = "") -> Page:
    context = browser.new_context(
        viewport=SIZE, device_scale_factor=SHARPNESS, color_scheme="light",
        reduced_motion="reduce",
    )
    page = context.new_page()
    page.set_default_timeout(240_000)
    page.goto(address + (f"/?sample={sample}" if sample else ""))
    if sample:
        go_to_map(page)
        wait_for_map(page)
    return page


def first_map(browser: Browser, address: str) -> None:
    page = opened(browser, address)
    page.get_by_text("Samples").first.wait_for()
    take(page, "start", 900)
    upload(page, OWN)
    at_rest(page)
    take(page, "first-reading", 900)
    keep(page)
    wait_for_map(page)
    take(page, "first-map", 900)


def of_eggs(browser: Browser, address: str) -> None:
    page = opened(browser, address, "alien_eggs")
    go(page, "Scale")
    compute(page)
    take(page, "scale")
    go(page, "Collect")
    page.get_by_role("button", name="Make the experiment").wait_for()
    take(page, "collect")


def of_colours(browser: Browser, address: str) -> None:
    page = opened(browser, address, "ekman_colors")
    go(page, "Embedding")
    page.get_by_role("radio", name="Positions", exact=True).click()
    at_rest(page)
    take(page, "uncertainty")
    for name in ("Kernel", "Compare", "Trees"):
        go(page, name)
        if name == "Compare":
            compute(page)
        take(page, name.lower())


def of_kitchens(browser: Browser, address: str) -> None:
    page = opened(browser, address, "crowd")
    take(page, "embedding", 900)
    page.get_by_test_id("stSidebar").get_by_role("link", name="Data", exact=True).click()
    expect(page.get_by_role("heading", name="Kitchen objects", level=1)).to_be_visible()
    expect(page.get_by_text("Being computed.")).to_have_count(0)
    at_rest(page)
    take(page, "data", 1080)
    page.get_by_role("radio", name="Quality", exact=True).click()
    at_rest(page)
    take(page, "data-quality")
    go(page, "Report")
    take(page, "report")
    go(page, "Clusters")
    take(page, "clusters", 1080)
    go(page, "People")
    compute(page)
    take(page, "people", 1080)


def of_pebbles(browser: Browser, address: str) -> None:
    page = opened(browser, address, "pebbles")
    go(page, "Features and models")
    compute(page)
    take(page, "features", 1080)


def of_choices(browser: Browser, address: str) -> None:
    page = opened(browser, address, "odd_one_out")
    go(page, "Dimensions")
    take(page, "dimensions", 900)


def of_plans(browser: Browser, address: str) -> None:
    page = opened(browser, address)
    go(page, "Simulate")
    take(page, "simulate")
    go(page, "Computing")
    take(page, "computing", 500)


def main(wanted: list[str]) -> None:
    known: dict[str, Callable[[Browser, str], None]] = {
        show.__name__: show
        for show in (
            first_map, of_kitchens, of_eggs, of_colours, of_pebbles, of_choices, of_plans,
        )
    }
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        for name in wanted or known:
            with running(Path(folder) / name) as address:
                known[name](browser, address)
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
