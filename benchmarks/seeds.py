"""The papers behind the program, rebuilt: every figure, table and theorem by one word.

    python benchmarks/seeds.py --list
    python benchmarks/seeds.py forests-table-1 [ITEM ...] [--quick] --data FOLDER
    python benchmarks/seeds.py all [--quick] [--jobs 2] --data FOLDER
    python benchmarks/seeds.py write

A full run is kept in core/papers/outcomes, from where the page Papers shows it, its figures in
benchmarks/seeds, and the table of all in benchmarks/SEEDS.md; `write` makes only these two anew. A
quick one is only told. FOLDER holds the data sets that may not be shipped.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import traceback
from collections.abc import Iterable
from pathlib import Path

import joblib
from report import machine

from tripletscope.core.papers import data
from tripletscope.core.papers.item import DOCUMENTS, NO_DATA, Assessment, Item
from tripletscope.core.papers.outcome import (
    SHIPPED,
    Outcome,
    assess_shipped,
    rebuild,
    shipped,
)
from tripletscope.core.papers.registry import items, original
from tripletscope.dashboard.drawing.papers import drawings_of
from tripletscope.dashboard.printing.composition import Composition

HERE = Path(__file__).resolve().parent
PICTURES = HERE / "seeds"
TABLE = HERE / "SEEDS.md"
_WIDTH = 150.0  # mm


def attempt(key: str, quick: bool, seed: int) -> tuple[str, Outcome | str]:
    """The outcome of an item, or what went wrong."""
    try:
        return key, rebuild(key, quick=quick, seed=seed)
    except Exception:
        return key, traceback.format_exc()


def run(keys: Iterable[str], *, quick: bool, seed: int, jobs: int) -> list[str]:
    """Rebuild items, tell of each, keep what is in full; keys of those that failed."""
    failed = []
    found = joblib.Parallel(n_jobs=jobs, return_as="generator_unordered")(
        joblib.delayed(attempt)(key, quick, seed) for key in keys
    )
    for key, outcome in found:
        if isinstance(outcome, str):
            failed.append(key)
            print(f"{key} FAILED\n{outcome}", flush=True)
            continue
        assessment = outcome.assessment
        print(f"{key}: {assessment.verdict} ({outcome.seconds:.0f} s)\n  {assessment.ours}\n"
              f"  {assessment.why}", flush=True)
        if not quick:
            SHIPPED.mkdir(exist_ok=True)
            (SHIPPED / f"{key}.json").write_text(outcome.text(), "utf-8")
            draw(items()[key], outcome)
    return failed


def draw(item: Item, outcome: Outcome) -> None:
    """Write the figures of an item."""
    PICTURES.mkdir(exist_ok=True)
    for drawing in drawings_of(item, outcome):
        drawing.save(PICTURES / f"{drawing.name}.svg", Composition(width=_WIDTH, caption=False))


def assessment_of(item: Item) -> tuple[Assessment, Outcome | None]:
    """What is known of an item."""
    item = original(item)
    if item.assessment is not None:
        return item.assessment, None
    outcome = shipped(item.key)
    if outcome is None:
        return Assessment(NO_DATA, "", "Not run on this machine yet."), None
    return outcome.assessment, outcome


def write() -> None:
    """Write the table of all items, and what their outcomes show."""
    assess_shipped()
    lines = [
        "# The four papers, rebuilt", "",
        "Written by `python benchmarks/seeds.py`; what is kept of each run is in "
        "`core/papers/outcomes`.", "",
    ]
    total = 0.0
    for document, cited in DOCUMENTS.items():
        lines += [f"## {cited}", "",
                  "| item | says | published | ours | verdict | why | run |",
                  "| --- | --- | --- | --- | --- | --- | --- |"]
        for item in items().values():
            if item.document == document:
                assessment, outcome = assessment_of(item)
                total += outcome.seconds if outcome and not item.same_as else 0.0
                lines.append(_row(item, assessment, outcome))
        lines.append("")
    lines += [f"All runs together took {total / 60:.0f} minutes.", ""]
    TABLE.write_text("\n".join(lines), "utf-8")


def _row(item: Item, assessment: Assessment, outcome: Outcome | None) -> str:
    first = original(item)
    ours = assessment.ours
    if first.ours:
        ours += f" ({first.ours})"
    why = assessment.why
    if first.stand_in:
        why = f"On {first.stand_in}. {why}"
    if item.same_as:
        why = f"The same as {DOCUMENTS[first.document]}, {first.label}. {why}"
    made = ""
    if outcome is not None:
        function = getattr(first.experiment, "func", first.experiment)
        room = function.__module__.removeprefix("tripletscope.core.papers.")
        made = f"`{room}.{function.__name__}`, seed {outcome.seed}, "
        made += f"{outcome.version}, {outcome.seconds:.0f} s"
        made += f", needs {', '.join(first.needs)}" if first.needs else ""
        pictures = sorted(PICTURES.glob(f"{first.key}.svg")) + sorted(
            PICTURES.glob(f"{first.key}-[1-9].svg")
        )
        made += "".join(f", [figure](seeds/{picture.name})" for picture in pictures)
    cells = (
        f"**{item.label}** `{item.key}`: {item.title}", item.claim,
        "; ".join(filter(None, [item.published or first.published, first.setting])), ours,
        assessment.verdict, why, made,
    )
    return f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("items", nargs="*", help="keys of items, all, or write")
    parser.add_argument("--list", action="store_true", help="only list the items")
    parser.add_argument("--quick", action="store_true", help="smaller settings, not kept")
    parser.add_argument("--missing", action="store_true", help="only those without an outcome")
    parser.add_argument("--data", type=Path, default=os.environ.get(data.FOLDER))
    parser.add_argument("--jobs", type=int, default=1, help="items at the same time")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    if given.list or not given.items:
        for item in items().values():
            print(f"{item.key:40} {item.title}")
        return
    if given.data:
        os.environ[data.FOLDER] = str(given.data)
    failed: list[str] = []
    if given.items != ["write"]:
        keys = dict.fromkeys(
            original(items()[key]).key
            for key in (items() if given.items == ["all"] else given.items)
        )
        wanted = [key for key in keys if items()[key].experiment is not None]
        lacking = [key for key in wanted if not all(map(data.is_here, items()[key].needs))]
        for key in lacking if not given.quick else ():  # in short most need no others
            wanted.remove(key)
            print(f"{key}: {NO_DATA}: {', '.join(items()[key].needs)}")
        if given.missing:
            wanted = [key for key in wanted if shipped(key) is None]
        begun = time.perf_counter()
        failed = run(wanted, quick=given.quick, seed=given.seed, jobs=given.jobs)
        print(f"{len(wanted)} items in {(time.perf_counter() - begun) / 60:.1f} minutes on "
              f"{machine()}; failed: {', '.join(failed) or 'none'}")
    if not given.quick:
        write()
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
