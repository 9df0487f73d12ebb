"""One way through the program, and one run as a participant, in Firefox.

    python benchmarks/firefox.py [--firefox /usr/bin/firefox-esr] [--keep DIR]

A file is uploaded, kept by its key, mapped, selected from with a lasso, its figure prepared for
print and reported; a participant answers all questions of a small experiment, whose log is read.
Firefox is driven by WebDriver BiDi (puppeteer-core, which npm brings into a temporary folder).
Fails with the first step that does not come, or with what the pages have complained of.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.dashboard.collect.participants import collecting, small
from tests.journeys.pages import answers_about_towns
from tests.server import running
from tripletscope.dashboard.collect import answer_log


def driven(firefox: str, folder: Path) -> dict:
    """Steps that were gone, problems of pages, and the answers that were stored."""
    for name in ("study", "pictures"):
        (folder / name).mkdir(parents=True)
    shutil.copy(Path(__file__).with_suffix(".mjs"), folder / "drive.mjs")
    subprocess.run(["npm", "install", "--silent", "puppeteer-core@25"], cwd=folder, check=True)
    small(folder / "study", n_practice=1, catch=0.2)
    with running(folder / "workspace") as address, collecting(folder / "study") as study:
        done = subprocess.run(
            ["node", "drive.mjs", firefox, address, answers_about_towns(folder),
             folder / "pictures", study],
            cwd=folder, check=True, stdout=subprocess.PIPE, text=True,
        )
    return {**json.loads(done.stdout), "stored": len(answer_log.records(folder / "study"))}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--firefox", default=shutil.which("firefox-esr") or shutil.which("firefox"))
    parser.add_argument("--keep", type=Path, help="a folder for pictures of the steps")
    given = parser.parse_args()
    if not given.firefox or not shutil.which("npm"):
        print("Firefox and npm are needed: apt-get install firefox-esr npm", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder:
        found = driven(given.firefox, Path(folder) / "run")
        if given.keep:
            shutil.copytree(Path(folder) / "run" / "pictures", given.keep, dirs_exist_ok=True)
    print("\n".join(f"- {step}" for step in found["steps"]))
    print(f"{found['stored']} of {found['answers']} answers stored")
    for problem in found["problems"]:
        print(f"complained: {problem}")
    return int(bool(found["problems"]) or found["stored"] != found["answers"])


if __name__ == "__main__":
    sys.exit(main())
