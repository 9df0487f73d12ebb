"""Ten people in every way of asking: is what is stored what they chose?

    python benchmarks/participants.py              ten people of each; 8 minutes
    python benchmarks/participants.py --people 3   fewer

People have a mouse, a finger on a phone or a keyboard alone, in turn, and answer at random, with
repeats and catch questions. In between, one at each question: a reload of the page, the button
Back, a lost connection, the last press four times at once (a key is held, also while the next
question comes), and a reload right after an answer. Of every question, what is seen on the screen
and pressed there is noted, and compared with what is stored.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from itertools import cycle, islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from playwright.sync_api import sync_playwright

from tests.browser import CHROMIUM
from tests.dashboard.collect.hands import PEOPLE, WAYS, all_take_part


def main() -> None:
    """All ways, one after the other."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--people", type=int, default=10)
    people = [*islice(cycle(PEOPLE), parser.parse_args().people)]
    answers = faults = 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for way in WAYS:
            with tempfile.TemporaryDirectory() as folder:
                number, wrong = all_take_part(browser, Path(folder), way, people)
            said = f"{way:15} {number:4} answers, {len(wrong)} wrong"
            print(said, *wrong, sep="\n  ", flush=True)
            answers, faults = answers + number, faults + len(wrong)
        browser.close()
    print(f"all             {answers:4} answers, {faults} wrong")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
