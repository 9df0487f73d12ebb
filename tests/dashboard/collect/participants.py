"""People who take part, for tests: an experiment that is served, and a page to answer on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser import REQUIRED
from tests.dashboard.collect.serving import serving
from tripletscope.core.studies.experiment.experiment import STIMULI, Experiment, Stimulus
from tripletscope.dashboard.collect import jspsych

#: Milliseconds that a page may take where the machine is busy.
PATIENCE = 300_000
expect.set_options(timeout=PATIENCE)

needs_jspsych = pytest.mark.skipif(
    bool(jspsych.missing()) and not REQUIRED, reason="jsPsych is not there"
)
#: What a page shows when it is one's turn.
TURN = ".options .option:enabled"
#: A button that leads on from a page of text.
ON = ".jspsych-btn.main:not(.done):visible, #jspsych-instructions-next"

#: Lets no answer of a window through that is called so.
CUT = (
    "const real = fetch; window.fetch = (address, how) => window.name === 'cut' && "
    "address === 'answers' ? Promise.reject(new TypeError('cut')) : real(address, how);"
)


def colours(n: int = 8) -> tuple[Stimulus, ...]:
    return tuple(Stimulus(f"c{k}", "colour", f"#{40 + 20 * k:02x}80a0") for k in range(n))


def pictures(folder: Path, n: int = 6) -> tuple[Stimulus, ...]:
    """Pictures of different shapes, in an experiment's folder."""
    (folder / STIMULI).mkdir(parents=True, exist_ok=True)
    for k in range(n):
        picture = Image.new("RGB", (40 + 30 * (k % 2), 40 + 20 * (k % 3)), (30 * k, 80, 120))
        picture.save(folder / STIMULI / f"p{k}.png")
    return tuple(Stimulus(f"p{k}", "picture", f"p{k}.png") for k in range(n))


def small(folder: Path, **values: Any) -> Experiment:
    """A short experiment in its folder."""
    experiment = Experiment(**{
        "title": "Small", "objects": colours(), "n_questions": 5, "n_practice": 0, "catch": 0.0,
        "repeated": 0.0, "least_ms": 50, "break_every": 0, **values,
    })
    experiment.save(folder)
    return experiment


@contextmanager
def collecting(folder: Path, port: int = 0) -> Iterator[str]:
    """The address at which the experiment of a folder is served, on a port that may be given."""
    with serving(folder, port) as port:
        yield f"http://127.0.0.1:{port}/"


def opened(context: BrowserContext | Browser, address: str) -> Page:
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(address)
    return page


def go_on(page: Page, until: str = TURN) -> None:
    """Past pages of text, by their buttons, until it is one's turn or the experiment is over."""
    while True:
        page.wait_for_selector(f"{until}, {ON}, html[data-end]")
        if page.query_selector(until) or page.query_selector("html[data-end]"):
            return
        button = page.query_selector(ON)
        button.click()
        button.wait_for_element_state("hidden")


def shown(page: Page) -> str:
    """What identifies the question on the page: how many were answered before."""
    return page.inner_text("#progress span")


def answered(page: Page, before: str) -> None:
    """Wait until another question is there, or another page."""
    page.wait_for_function(
        f"before => !document.querySelector('{TURN}') || "
        "document.querySelector('#progress span').textContent !== before", arg=before)


def answer(page: Page, option: int = 0, times: int = 1) -> None:
    """Click on an option, for some questions."""
    for _ in range(times):
        go_on(page)
        before = shown(page)
        page.locator(TURN).nth(option).click()
        answered(page, before)


def ended(page: Page, how: str = "finished") -> None:
    page.wait_for_selector("html[data-end]")
    assert page.get_attribute("html", "data-end") == how
    expect(page.locator("#jspsych-content .page")).to_be_visible()
