"""Break the methods behind the papers' items, one at a time, and see whether the items notice.

    python -m benchmarks.broken [ITEM ...] [--jobs 2] [--data FOLDER]

For every computed item, what it shows in short, or in full where a broken method asks for it, with
the method as it is and broken. Without names of items the table is written to BROKEN.md.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from unittest.mock import patch

import joblib

from benchmarks.broken import Broken
from benchmarks.broken.forests import BROKEN as FORESTS
from benchmarks.broken.kernels import BROKEN as KERNELS
from benchmarks.broken.theory import BROKEN as THEORY
from benchmarks.broken.thesis import BROKEN as THESIS
from benchmarks.broken.uncertainty import BROKEN as UNCERTAINTY
from tripletscope.core.data.errors import DataError
from tripletscope.reproductions import data
from tripletscope.reproductions.item import Item, Observation
from tripletscope.reproductions.registry import items

BROKEN = {**THESIS, **FORESTS, **THEORY, **UNCERTAINTY, **KERNELS}
_ERROR = "error: "
TABLE = Path(__file__).resolve().parent.parent / "BROKEN.md"
HEAD = """# Broken methods

Do the checks of the papers notice a broken method? Written by `python -m benchmarks.broken`: each
computed item of the papers with the method intact, and with one deliberate fault. Where the
intact method does not reproduce the item, the fault is one that would.

| item | fault | intact | broken |
| --- | --- | --- | --- |"""


def observed(item: Item, full: bool) -> Observation:
    """What an item shows at the first seed."""
    return item.check(item.experiment(seed=0, **item.settings(quick=not full)))


def owner_of(place: str) -> tuple[object, str]:
    """The module or class of a place as "package.module:Class.name", and the name in it."""
    module, _, path = place.partition(":")
    *owners, name = path.split(".")
    owner = import_module(module)
    for part in owners:
        owner = getattr(owner, part)
    return owner, name


def observed_when(item: Item, broken: Broken) -> str:
    """What an item shows with a broken method; an error says that it was not broken as meant."""
    with ExitStack() as stack:
        for place, make in broken.instead.items():
            owner, name = owner_of(place)
            stack.enter_context(patch.object(owner, name, make(getattr(owner, name))))
        try:
            return observed(item, broken.full).shows
        except Exception as error:
            return f"{_ERROR}{type(error).__name__}: {error}"


def compare(key: str) -> tuple[str, str, str, float]:
    """An item, what it shows, what it shows with the broken method, and seconds."""
    begun = time.perf_counter()
    item, broken = items()[key], BROKEN[key]
    try:
        before = observed(item, broken.full).shows
    except DataError as error:
        return key, f"{_ERROR}{error}", "", 0.0
    return key, before, observed_when(item, broken), time.perf_counter() - begun


def main() -> None:
    """Understand the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.broken", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("items", nargs="*", help="keys of items; all by default")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--data", default=os.environ.get(data.FOLDER))
    given = parser.parse_args()
    if given.data:
        os.environ[data.FOLDER] = str(given.data)
    rows, survived = [], []
    found = joblib.Parallel(n_jobs=given.jobs, return_as="generator")(
        joblib.delayed(compare)(key) for key in given.items or BROKEN
    )
    for key, before, after, seconds in found:
        print(f"{key}: {before} → {after} ({seconds:.0f} s)", flush=True)
        rows.append(f"| `{key}` | {BROKEN[key].what} | {before} | {after} |")
        if before == after or _ERROR in before + after:
            survived.append(key)
    print(f"{len(rows)} broken methods, not noticed: {', '.join(survived) or 'none'}")
    if not given.items:
        TABLE.write_text("\n".join([HEAD, *rows, ""]), "utf-8")
    sys.exit(bool(survived))


if __name__ == "__main__":
    main()
