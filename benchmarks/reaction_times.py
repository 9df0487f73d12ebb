"""Reaction times of the participant's page against clicks at known times.

    python benchmarks/reaction_times.py [--questions N]

A script in the page, which knows nothing of the experiment, notes the frame in which each question
appears and answers at a time planted beforehand after it, waiting actively so that it is met to
some hundredths of a millisecond; or the browser is sent a real click or a real key, and the time
that the browser gave to the event is noted. Printed are the differences between what the page
recorded and what is known, in milliseconds: mean, standard deviation, and the largest. With a slow
processor Chromium works at a quarter of its speed.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from pathlib import Path

import numpy as np
from playwright.sync_api import Page, sync_playwright

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.browser import CHROMIUM
from tests.dashboard.collect.participants import TURN, collecting, go_on, opened, small
from tripletscope.dashboard.collect import answer_log

#: Notes when questions appear and when they are answered, and answers where times are planted.
WATCH = """
window.known = [];
window.planted = null;
let last = null;
new MutationObserver(() => {
  const option = document.querySelector('.options .option');
  if (!option || option === last) return;
  last = option;
  const there = performance.now();
  requestAnimationFrame((began) => {
    // A frame that is begun late has a time before that of what it shows.
    const frame = Math.max(began, there);
    const one = { frame };
    window.known.push(one);
    if (!window.planted) return;
    const after = window.planted[window.known.length - 1];
    setTimeout(() => {
      while (performance.now() < frame + after);
      one.answered = performance.now();
      option.click();
    }, after - 10);
  });
}).observe(document, { childList: true, subtree: true });
for (const kind of ['click', 'keydown']) addEventListener(kind, (event) => {
  const one = window.known.at(-1);
  if (event.isTrusted && one) one.answered ??= event.timeStamp;
}, true);
"""


def answered_by_script(page: Page) -> None:
    page.wait_for_selector("html[data-end]", timeout=600_000)


def answered_by(page: Page, kind: str) -> None:
    """Real clicks or keys, at times of their own."""
    number = 0
    while True:
        page.wait_for_selector(f"{TURN}, html[data-end]", state="attached")
        if page.query_selector("html[data-end]"):
            return
        number += 1
        page.wait_for_timeout(random.uniform(150, 600))
        if kind == "keyboard":
            page.keyboard.press(random.choice(["ArrowLeft", "ArrowRight"]))
        else:
            page.locator(TURN).nth(random.randrange(2)).click()
        page.wait_for_function(
            "n => window.known.length > n || document.documentElement.dataset.end", arg=number)


def differences(kind: str, questions: int, slow: bool) -> np.ndarray:
    """Recorded minus known, one for each question."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        place = Path(folder)
        small(place, n_questions=questions, least_ms=0)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        context = browser.new_context()
        context.add_init_script(WATCH)
        with collecting(place) as address:
            page = opened(context, address)
            if slow:
                context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": 4})
            if kind == "planted":
                times = [random.uniform(200, 900) for _ in range(questions + 1)]
                page.evaluate("times => { window.planted = times; }", times)
            go_on(page, "html[data-end], .options .option")
            if kind == "planted":
                answered_by_script(page)
            else:
                answered_by(page, kind)
            known = page.evaluate("window.known")
        browser.close()
        recorded = np.array([one.rt_ms for one in answer_log.records(place)])
    return recorded - np.array([one["answered"] - one["frame"] for one in known])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--questions", type=int, default=100)
    questions = parser.parse_args().questions
    random.seed(0)
    print(f"{'answered by':12} {'processor':10} {'n':>5} {'bias':>7} {'spread':>7} {'largest':>8}")
    for kind, slow in (
        ("planted", False), ("planted", True), ("mouse", False), ("keyboard", False),
    ):
        found = differences(kind, questions, slow)
        print(f"{kind:12} {'slow' if slow else 'usual':10} {len(found):5} {found.mean():7.2f} "
              f"{found.std(ddof=1):7.2f} {np.abs(found).max():8.2f}", flush=True)


if __name__ == "__main__":
    main()
