"""What journeys do on a page: open, upload, keep, wait, choose, download."""

from __future__ import annotations

import contextlib
import csv
import re
from pathlib import Path

import numpy as np
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from tripletscope.core.models.simulation.simulate import simulate

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"]
PATIENCE = 300_000  # milliseconds, for a machine that is busy
#: For a choice that is made again where it was swallowed: soon, and later on a busy machine.
PATIENCES = [3_000 * 2**k for k in range(7)]
#: The drawer beside the main picture.
SETTINGS = '.st-key-drawer-columns > * > * > [data-testid="stColumn"]:last-child'
expect.set_options(timeout=PATIENCE)


def answers_about_towns(folder: Path, name: str = "towns", seed: int = 0) -> Path:
    """A file of 1,200 answers by nine participants about 20 towns on a map."""
    towns = np.random.default_rng(seed).uniform(-2, 2, size=(20, 2))
    triplets = simulate(towns, 1200, noise="logistic", seed=seed)
    file = folder / f"{name}.csv"
    with file.open("w", newline="") as target:
        writer = csv.writer(target)
        writer.writerow(["subject", "head", "left", "right", "winner"])
        for number, (anchor, near, far) in enumerate(triplets.rows.tolist()):
            options = [near, far] if number % 2 else [far, near]
            writer.writerow([f"s{number % 9}", *(f"town {i}" for i in (anchor, *options, near))])
    return file


def context_of(browser: Browser) -> BrowserContext:
    return browser.new_context(
        viewport={"width": 1400, "height": 1000}, accept_downloads=True, reduced_motion="reduce"
    )


def open_page(browser: Browser | BrowserContext, address: str) -> Page:
    """A page in a context of its own, or in one that has loaded the program."""
    page = (context_of(browser) if isinstance(browser, Browser) else browser).new_page()
    page.set_default_timeout(PATIENCE)
    page.elsewhere = []
    page.on("request", lambda r: page.elsewhere.append(r.url) if foreign(r.url, address) else None)
    page.goto(address)
    return page


def foreign(url: str, address: str) -> bool:
    return url.startswith(("http", "ws")) and address.split("//")[1] not in url


def go(page: Page, name: str) -> None:
    """To another page, by its link beside all of them."""
    page.get_by_test_id("stSidebar").get_by_role("link", name=name, exact=True).click()


def look_for(page: Page, words: str, found: str) -> None:
    """Open the search by its keys, and take the first that it finds, which begins so."""
    open_search(page)
    page.keyboard.type(words)
    take_first(page, found)


def open_search(page: Page) -> Locator:
    """The field of the search, opened by its keys."""
    for patience in PATIENCES:  # keys that are pressed while the page comes are lost
        page.keyboard.press("Control+k")
        with contextlib.suppress(PlaywrightTimeout):
            field = page.get_by_role("dialog").get_by_role("searchbox")
            field.wait_for(timeout=patience)
            break
    expect(field).to_be_focused()
    return field


def take_first(page: Page, found: str) -> None:
    """Follow the first that the search finds, by its keys."""
    first = page.get_by_role("dialog").locator('[class*="st-key-search-hit"] button').first
    expect(first).to_contain_text(found)
    script_ended(page)  # a hit that is drawn anew below the pressed key is not followed
    page.keyboard.press("Tab")
    expect(first).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_have_count(0)


def upload(page: Page, file: Path) -> None:
    page.locator(".st-key-upload input[type=file]").set_input_files(file)
    expect(page.get_by_role("heading", name=f"Reading {file.name}")).to_be_visible()


def keep(page: Page) -> None:
    page.get_by_role("button", name="Keep this data set").click()
    go_to_map(page)


def go_to_map(page: Page) -> None:
    """From the findings, by which a data set opens."""
    expect(page.get_by_role("radio", name="Findings")).to_be_checked()
    go(page, "Embedding")
    expect(page.get_by_role("heading", name="Embedding")).to_be_visible()


def open_map(browser: Browser | BrowserContext, address: str, sample: str) -> Page:
    page = open_page(browser, f"{address}/?sample={sample}")
    go_to_map(page)
    return page


def the_map(page: Page):
    return page.locator(".st-key-map .js-plotly-plot")


def wait_for_map(page: Page) -> None:
    the_map(page).locator(".nsewdrag").wait_for()
    expect(page.get_by_text("from 100 replicates")).to_be_visible()
    expect(page.get_by_text("5-fold cross-validation").first).to_be_visible()
    at_rest(page)


def at_rest(page: Page) -> None:
    """Until no job is shown, the script has ended and charts are drawn as it has left them."""
    expect(page.get_by_role("button", name="Cancel")).to_have_count(0)
    script_ended(page)
    expect(page.get_by_role("button", name="Download figure")).to_have_count(1)
    page.locator(".ts-plot").evaluate_all("plots => Promise.all(plots.map(p => p.queue))")
    # The server has drawn them for the size that they have.
    page.wait_for_function(
        "[...document.querySelectorAll('.ts-plot')].every(p => p.isNear || !p.checkVisibility())"
    )
    script_ended(page)
    page.locator(".ts-plot").evaluate_all("plots => Promise.all(plots.map(p => p.queue))")


def script_ended(page: Page) -> None:
    expect(page.get_by_test_id("stApp")).to_have_attribute(
        "data-test-script-state", "notRunning"
    )


def open_settings(page: Page) -> None:
    """Open the drawer beside the main picture, unless it is open."""
    settings = page.locator(SETTINGS)
    for patience in PATIENCES:
        if settings.is_visible():
            return
        page.locator(".st-key-drawer button:visible").click()
        with contextlib.suppress(PlaywrightTimeout):
            settings.wait_for(timeout=patience)
    raise AssertionError("the settings never came")


def choose(page: Page, name: str, option: str) -> None:
    """Choose in a select box; a page that runs anew meanwhile may have closed its list."""
    found = page.get_by_role("option", name=option, exact=True)
    for patience in PATIENCES:
        page.get_by_role("combobox", name=name).click()
        with contextlib.suppress(PlaywrightTimeout):
            found.click(timeout=patience)
            return
    raise AssertionError(f"{name} never offered {option}")


def fit(page: Page, sign: Locator) -> None:
    """Press Fit, and wait for the sign that it took effect."""
    page.locator(".st-key-fit button").click()
    sign.wait_for()


def lasso(page: Page) -> None:
    """Around the left half of the map."""
    the_map(page).evaluate("p => p.scrollIntoView({ block: 'center' })")
    box = the_map(page).locator(".nsewdrag").bounding_box()
    left, top = box["x"] + 3, box["y"] + 3
    right, bottom = box["x"] + box["width"] / 2, box["y"] + box["height"] - 3
    page.mouse.move(left, top)
    page.mouse.down()
    for x, y in ((right, top), (right, bottom), (left, bottom), (left, top)):
        page.mouse.move(x, y, steps=6)
    page.mouse.up()


def selected(page: Page) -> set[int]:
    """Objects that the map marks as selected, once they are as many as the table shows."""
    heading = page.get_by_text(re.compile(r"^\d+ selected objects?$"))
    number = int(heading.inner_text().split()[0])
    marked = (
        "p.data.filter(t => t.customdata && t.selectedpoints)"
        ".flatMap(t => t.selectedpoints.map(k => t.customdata[k]))"
    )
    page.wait_for_function(
        "number => { const p = document.querySelector('.st-key-map .js-plotly-plot');"
        f"return p && p.data && {marked}.length === number; }}", arg=number,
    )
    return set(the_map(page).evaluate(f"p => {marked}"))


def download(page: Page, name: str) -> bytes:
    """Press a button that downloads; a run of the page that begins meanwhile swallows the click."""
    for _ in range(10):  # not soon: what the first click has asked for may still be made
        script_ended(page)
        with contextlib.suppress(PlaywrightTimeout):
            with page.expect_download(timeout=PATIENCE / 10) as waiting:
                page.get_by_role("button", name=name, exact=True).click()
            return Path(waiting.value.path()).read_bytes()
    raise AssertionError(f"{name} never gave a file")
