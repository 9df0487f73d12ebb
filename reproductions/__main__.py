"""The papers behind the program, rebuilt: every figure, table and theorem by one word.

    python -m tripletscope.reproductions list
    python -m tripletscope.reproductions run [ITEM ...] [--quick] [--keep] [--jobs 2] --data FOLDER
    python -m tripletscope.reproductions write

`run` computes items (all, unless some are named) at the seeds of their verdicts and compares them
with what is shipped; with --keep they take its place. It also says which shipped outcomes are older
than the code that they depend on. `write` only computes verdicts from the shipped outcomes anew.
FOLDER holds the data sets that may not be shipped.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterable
from functools import partial

import joblib

from tripletscope.reproductions import data
from tripletscope.reproductions.outcome import (
    Outcome,
    rebuild,
    seeds_of,
    ship,
    shipped,
    verdicts,
    write_verdicts,
)
from tripletscope.reproductions.registry import items


def _attempt(key: str, quick: bool) -> tuple[str, Outcome | str]:
    """The outcome of an item, or what went wrong."""
    try:
        return key, rebuild(key, quick=quick, seeds=seeds_of(key))
    except Exception:
        return key, traceback.format_exc()


def _compared(outcome: Outcome, before: Outcome | None) -> str:
    """What an outcome shows, and whether it was shown before."""
    known = outcome.verdict
    lines = [
        f"{outcome.item}: {known.word}, {known.share} ({outcome.seconds:.0f} s a seed)",
        f"  {known.ours}", f"  {known.why}",
    ]
    if before is None or not before.is_readable:
        lines.append("  No outcome is shipped that can be read.")
    elif not outcome.quick and before.verdict.word != known.word:
        lines.append(f"  CHANGED: {before.verdict.word}, {before.verdict.share} is shipped.")
    elif not outcome.quick and before.rows != outcome.rows:
        lines.append("  The word is the same, the figures differ from those that are shipped.")
    return "\n".join(lines)


def run(keys: Iterable[str], *, quick: bool, keep: bool, jobs: int) -> list[str]:
    """Rebuild items and tell of each; keys of those that failed."""
    failed = []
    found = joblib.Parallel(n_jobs=jobs, return_as="generator_unordered")(
        joblib.delayed(_attempt)(key, quick) for key in keys
    )
    for key, outcome in found:
        if isinstance(outcome, str):
            failed.append(key)
            print(f"{key} FAILED\n{outcome}", flush=True)
            continue
        print(_compared(outcome, shipped(key)), flush=True)
        if keep:
            ship(outcome)
    return failed


def older() -> list[str]:
    """Items whose shipped outcome is older than the code that it depends on."""
    known = {key: shipped(key) for key in items()}
    return [key for key, outcome in known.items() if outcome and not outcome.is_current]


def _list() -> None:
    for key, item in items().items():
        print(f"{key:40} {verdicts()[key].word:20} {item.title}")
    print(dict(Counter(known.word for known in verdicts().values())))


def _run(given: argparse.Namespace) -> None:
    if given.data:
        os.environ[data.FOLDER] = str(given.data)
    if unknown := set(given.items) - set(items()):
        sys.exit(f"No item is called {', '.join(sorted(unknown))}: see `list`.")
    wanted = [key for key in given.items or items() if items()[key].experiment is not None]
    lacking = partial(filter, lambda name: not data.is_here(name))
    for key in list(wanted):
        item = items()[key]
        if missing := ", ".join(lacking(item.needs_in_short if given.quick else item.needs)):
            wanted.remove(key)
            print(f"{key}: not run, {missing} not here")
    begun = time.perf_counter()
    failed = run(wanted, quick=given.quick, keep=given.keep, jobs=given.jobs)
    minutes = (time.perf_counter() - begun) / 60
    print(f"{len(wanted)} items in {minutes:.1f} minutes; failed: {', '.join(failed) or 'none'}")
    print(f"Older than the code that they depend on: {', '.join(older()) or 'none'}")
    if given.keep:
        write_verdicts()
    sys.exit(bool(failed))


def main() -> None:
    """Understand the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m tripletscope.reproductions", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(required=True)
    listing = commands.add_parser("list", help="all items with their words")
    listing.set_defaults(do=lambda _: _list())
    running = commands.add_parser("run", help="compute items, compare them with what is shipped")
    running.add_argument("items", nargs="*", help="keys of items; all by default")
    running.add_argument("--quick", action="store_true", help="smaller settings: seconds")
    running.add_argument("--keep", action="store_true", help="ship what is computed")
    running.add_argument("--data", default=os.environ.get(data.FOLDER), help="folder of data sets")
    running.add_argument("--jobs", type=int, default=1, help="items at the same time")
    running.set_defaults(do=_run)
    writing = commands.add_parser("write", help="compute the verdicts of what is shipped anew")
    writing.set_defaults(do=lambda _: write_verdicts())
    given = parser.parse_args()
    if getattr(given, "quick", False) and given.keep:
        parser.error("What is computed in short is not shipped: leave out --quick or --keep.")
    given.do(given)


if __name__ == "__main__":
    main()
