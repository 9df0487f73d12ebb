"""What the program concludes, on data where it should and on data where it must not.

    python benchmarks/verdicts.py                 every sentence; 40 seeds of a case
    python benchmarks/verdicts.py clusters lapses --runs 20
    python benchmarks/verdicts.py crowds --runs 200      goes on from the seeds that are there
    python benchmarks/verdicts.py crowds --only guessers     cases of such data or words

A row of the table is a sentence on one kind of data: its own null, a neighbouring model (another
response, people who guess, the same questions for all), or planted data. Each module of
`benchmarks/planted` has a function ``cases()`` that yields `planted.Case`, seed by seed, or
``sentences(runs)`` that yields `planted.Sentence`, computed at once. What was computed stands in
``tables/verdicts.csv``, and is not computed again; ``--again`` forgets it first, that of the
cases of ``--only`` where these are named.

The command fails, and the row is marked, where an exact binomial test of the rate that is held
gives p < .01: with 40 seeds and .05, from 7 alarms on. A rate is quoted as held only from 200
seeds.
"""

from __future__ import annotations

import argparse
import csv
import importlib
import pkgutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import planted
from report import machine, print_table
from scipy.stats import binomtest

FILE = Path(__file__).parent / "tables" / "verdicts.csv"
#: Seed is that of a case; -1 where so many runs were computed at once.
COLUMNS = ["module", "place", "words", "data", "role", "neighbour", "rate", "seed", "runs", "said"]
_WHAT = COLUMNS[:6]
#: Runs of a case; level of the test that a rate is held; seeds from which on it may be quoted.
RUNS, LEVEL, QUOTED = 40, 0.01, 200

HEADER = ["place", "words", "data", "role", "said", "judged"]


def main() -> None:
    places = [module.name for module in pkgutil.iter_modules(planted.__path__)]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("places", nargs="*", help=", ".join(places))
    parser.add_argument("--runs", type=int, help="runs of each; otherwise each takes its own")
    parser.add_argument("--only", nargs="*", help="data or words of the cases to compute; else all")
    parser.add_argument("--again", action="store_true", help="forget what was computed before")
    options = parser.parse_args()
    print(machine())
    chosen = options.places or places
    if options.again:
        known = table(FILE)
        old = known["module"].isin(chosen)
        if options.only:
            old &= known[["data", "words"]].isin(options.only).any(axis=1)
        known[~old].to_csv(FILE, index=False)
    for place in chosen:
        compute(place, options.runs, FILE, options.only)
    every = table(FILE)
    judged = judgements(every[every["module"].isin(chosen)])
    print_table(HEADER, judged[HEADER].astype(str).to_numpy().tolist())
    alone = not_tried_next_door(judged)
    if alone:
        print("\nNot tried next door: " + "; ".join(alone) + ".")
    sys.exit(int(judged["fails"].any()))


def table(file: Path) -> pd.DataFrame:
    """What was computed; empty at first."""
    if not file.exists():
        return pd.DataFrame(columns=COLUMNS)
    return pd.read_csv(file, keep_default_na=False, na_values={"rate": [""]})


def compute(
    module: str, runs: int | None, file: Path, only: list[str] | None = None
) -> None:
    """Add what is missing of a module, or of cases of such data or words, and keep it."""
    found = importlib.import_module(f"planted.{module}")
    known = table(file)
    known = known[known["module"] == module]
    if hasattr(found, "cases"):
        for case in found.cases():
            if only and not {case.data, case.words} & {*only}:
                continue
            what = [module, case.place, case.words, case.data, case.role, case.neighbour]
            mine = known[(known[_WHAT] == what).all(axis=1)]
            for seed in sorted({*range(runs or RUNS)} - {*mine["seed"]}):
                said = bool(case.says(seed))
                keep([[*what, _text(case.rate), seed, 1, int(said)]], file)
    at_once = known[known["seed"] == -1]
    known_runs = 0 if at_once.empty else at_once["runs"].max()
    if hasattr(found, "sentences") and not only and known_runs < (runs or 1):
        rows = [row for sentence in found.sentences(runs) for row in rows_of(module, sentence)]
        everything = table(file)
        old = (everything["module"] == module) & (everything["seed"] == -1)
        everything[~old].to_csv(file, index=False)
        keep(rows, file)


def rows_of(module: str, sentence: planted.Sentence) -> Iterator[list]:
    """Rows of what was computed at once: on null data, and on planted ones."""
    beside = "neighbour" if sentence.neighbour else "null"
    for data, role, counted in (
        (sentence.null, beside, sentence.alarms), (sentence.planted, "planted", sentence.said)
    ):
        if counted is not None:
            said, runs = counted
            yield [
                module, sentence.place, sentence.now, data, role, sentence.neighbour,
                _text(sentence.rate), -1, runs, said,
            ]


def _text(rate: float | None) -> float | str:
    """A rate as a cell, empty where alarms are a description."""
    return "" if rate is None else rate


def keep(rows: list[list], file: Path) -> None:
    is_new = not file.exists()
    with file.open("a", newline="") as there:
        write = csv.writer(there, lineterminator="\n").writerows
        write([COLUMNS, *rows] if is_new else rows)


def judgements(every: pd.DataFrame) -> pd.DataFrame:
    """One row for each sentence on each kind of data, with Monte Carlo errors."""
    rows = []
    for what, group in every.groupby(_WHAT, sort=False):
        _, place, words, data, role, neighbour = what
        runs, said = int(group["runs"].sum()), int(group["said"].sum())
        rate, fails, judged = group["rate"].iloc[0], False, ""
        if role != "planted" and pd.notna(rate) and runs:
            p = binomtest(said, runs, float(rate), alternative="greater").pvalue
            fails = p < LEVEL
            judged = f"FAILS (p = {p:.2g})" if fails else (
                f"held at {rate:g}" if runs >= QUOTED else f"not seen above {rate:g}"
            )
        rows.append({
            "place": place, "words": words, "data": neighbour or data, "role": role,
            "said": planted.share((said, runs)) if runs else "", "judged": judged, "fails": fails,
        })
    return pd.DataFrame(rows, columns=[*HEADER, "fails"])


def not_tried_next_door(judged: pd.DataFrame) -> list[str]:
    """Sentences that no neighbouring null was tried of."""
    return [
        f"{place}, {words!r}" for (place, words), group in
        judged.groupby(["place", "words"], sort=False) if "neighbour" not in set(group["role"])
    ]


if __name__ == "__main__":
    main()
