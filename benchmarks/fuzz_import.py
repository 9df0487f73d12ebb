"""Files of chance through the door: none may crash the server, hang, or eat the memory.

    python benchmarks/fuzz_import.py [--minutes 1] [--seed 0] [--findings DIR]
    python benchmarks/fuzz_import.py FILE ...      # findings once more, with errors in full

Every format has a grammar (`benchmarks/grammar`), which makes structured files with deviations at
any node; besides, the fixtures of all layouts and files that led to an answer not seen before, a
new message or another set of layouts, are damaged as bytes, cells, rows and members of archives
(`benchmarks/damage.py`). Each file is handed to a new reader, as the server does it, and asked for
what the pages ask. Files that break a limit, and the slowest, are kept in the folder of findings.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import io
import os
import random
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.damage import mutated
from benchmarks.grammar import GRAMMARS, Dice
from benchmarks.report import machine, print_table
from benchmarks.visits import MEMORY, SECONDS, WAYS, Door, Visit, resident
from tests.core.reading.hostile import HOSTILE
from tests.core.reading.layouts import CASES, FORMATS
from tests.core.reading.test_hostile import CONTAINERS, GOOD, parquet, picture, zipped
from tripletscope.core.engine.progress import silent
from tripletscope.dashboard.sandbox.questions import Answering

#: Bytes of files that are kept to be damaged further, each and together.
_LONGEST, _POOL = 50_000, 24 * 2**20
#: Bytes of any file.
_LARGEST = 2**23
#: Times that all fixtures go in, to see what stays.
_ROUNDS = 6
_PICTURES = ("PNG", "JPEG", "GIF", "WEBP", "BMP")


@dataclass(frozen=True)
class Seed:
    """A file, its format, and the way that it usually goes in."""

    format: str
    name: str
    data: bytes
    way: str = "open"


def corpus() -> list[Seed]:
    """Every fixture: all layouts, all containers, and files for each of the other ways in."""
    found = [
        Seed("", case[0], case[1].encode() if isinstance(case[1], str) else case[1])
        for case in CASES.values()
    ]
    found += [Seed("", path.name, path.read_bytes()[:20_000]) for path in sorted(FORMATS.iterdir())]
    found += [Seed("", f"answers.{kind}", data) for kind, data in CONTAINERS.items()]
    found += [Seed("", "answers.parquet", parquet()), Seed("", "a.csv", GOOD, "several"),
              Seed("", "answers.zip", zipped(("a.csv", GOOD), ("b.csv", GOOD)))]
    found = [Seed(_format(one.name), one.name, one.data, one.way) for one in found]
    found += [Seed("pictures", f"x.{kind.lower()}", picture(kind), "pictures")
              for kind in _PICTURES]
    found.append(Seed("pictures", "x.zip", zipped(
        *((f"{kind}.{kind}", picture(kind)) for kind in _PICTURES)), "pictures"))
    square = np.round(np.abs(np.subtract.outer(np.arange(12.0), np.arange(12.0))), 1)
    names = [str(i) for i in range(12)]
    buffer = io.BytesIO()
    np.save(buffer, square)
    tables = {
        "named.csv": pd.DataFrame(square, names, names).to_csv().encode(),
        "bare.txt": pd.DataFrame(square).to_csv(sep=" ", index=False, header=False).encode(),
        "square.npy": buffer.getvalue(),
    }
    found += [Seed(_format(name), name, data, way)
              for name, data in tables.items() for way in ("matrix", "distances")]
    described = pd.DataFrame({"id": names, "label": list("abcdefghijkl"), "size": range(12),
                              "image": [f"<img src='{name}.png'>" for name in names]})
    asked = pd.DataFrame({"head": names, "left": names[1:] + names[:1], "right": names[::-1]})
    asked = asked[asked["head"] != asked["right"]]
    gold = asked.set_axis(["anchor", "near", "far"], axis=1)
    return found + [
        Seed("text", f"{way}.csv", table.to_csv(index=False).encode(), way)
        for way, table in (("objects", described), ("questions", asked), ("gold", gold))
    ]


def _format(name: str) -> str:
    endings = {"json": "JSON", "jsonl": "JSON", "zip": "zip", "xlsx": "Excel", "h5": "HDF5",
               "parquet": "Parquet", "mat": "MATLAB 5", "npy": "npy", "npz": "npz"}
    return endings.get(name.rsplit(".", 1)[-1], "text")


@dataclass
class Tally:
    """What came of the files of a format."""

    files: int = 0
    outcomes: Counter = field(default_factory=Counter)
    answers: set[str] = field(default_factory=set)
    slowest: float = 0.0
    largest: int = 0
    own: int = 0
    flaws: Counter = field(default_factory=Counter)

    def note(self, visit: Visit) -> bool:
        """Count a file; whether its answer is new."""
        self.files += 1
        self.outcomes[visit.outcome] += 1
        self.slowest = max(self.slowest, visit.seconds)
        self.largest = max(self.largest, visit.memory)
        self.own = max(self.own, visit.own)
        new = visit.said not in self.answers
        self.answers.add(visit.said)
        return new


class Campaign:
    """Files of chance, one after the other."""

    def __init__(self, seed: int, findings: Path) -> None:
        self.door, self.findings = Door(), findings
        self.rng = random.Random(seed)
        self.tallies: dict[str, Tally] = defaultdict(Tally)
        self.fixtures, self.found = corpus(), []
        self.kept = self.unmade = 0
        findings.mkdir(parents=True, exist_ok=True)

    def step(self) -> None:
        """Make a file, hand it over, and note what came of it."""
        try:
            one = self._made()
        except Exception as error:  # what a library does not write is no file of this program
            self.unmade += 1
            print(f"no file could be made: {error!r}"[:200], flush=True)
            return
        choice = self.rng.randrange(64)
        visit = self.door.visit(one.name, one.data, one.way, choice)
        tally = self.tallies[one.format]
        if visit.seconds > max(tally.slowest, SECONDS / 10):
            self._keep("slowest", one, choice)
        if visit.memory > max(tally.largest, MEMORY / 2):
            self._keep("largest", one, choice)
        new = tally.note(visit)
        if visit.flaw or (visit.outcome == "ended" and new):
            kind = visit.said if visit.outcome in ("broken", "ended") else visit.flaw.split(",")[0]
            tally.flaws[kind] += bool(visit.flaw)
            if tally.flaws[kind] <= 3:
                file = self._keep(f"finding{sum(tally.flaws.values())}", one, choice)
                print(f"{file.name}: {visit.flaw or visit.said}", flush=True)
        elif new and len(one.data) <= _LONGEST:
            self.found.append(one)
            self.kept += len(one.data)
            while self.kept > _POOL:
                self.kept -= len(self.found.pop(self.rng.randrange(len(self.found))).data)

    def _made(self) -> Seed:
        rng = self.rng
        if rng.random() < 0.6:
            kind = rng.choice(list(GRAMMARS))
            name, data = GRAMMARS[kind](Dice(rng.getrandbits(64)))
            one = Seed(kind, name, data[:_LARGEST])
        else:
            pool = self.found if self.found and rng.random() < 0.6 else self.fixtures
            one = rng.choice(pool)
        if rng.random() < 0.25 or one in self.fixtures or one in self.found[-1:]:
            others = [other.data for other in rng.sample(self.fixtures, 5)]
            one = Seed(one.format, one.name, mutated(one.data, rng, others), one.way)
        if rng.random() < 0.3:
            one = Seed(one.format, one.name, one.data, rng.choice(list(WAYS)))
        return one

    def _keep(self, why: str, one: Seed, choice: int) -> Path:
        name = f"{one.format.replace(' ', '_')}.{why}.{one.way}.{choice}.{one.name}"
        file = self.findings / name.replace("/", "_")
        file.write_bytes(one.data)
        return file

    def print(self) -> None:
        """The table of what was found."""
        print_table(
            ["format", "files", "read", "refused", "reader ended", "answers", "slowest, s",
             "most memory, MB", "server's side, MB", "findings"],
            [
                (kind, f"{t.files:,}", f"{t.outcomes['read']:,}", f"{t.outcomes['refused']:,}",
                 f"{t.outcomes['ended']:,}", f"{len(t.answers):,}", f"{t.slowest:.1f}",
                 f"{t.largest / 2**20:.0f}", f"{t.own / 2**20:.0f}", f"{sum(t.flaws.values())}")
                for kind, t in sorted(self.tallies.items())
            ],
        )
        for kind, tally in sorted(self.tallies.items()):
            for flaw, count in tally.flaws.most_common():
                print(f"{kind}: {count} × {flaw}")


def fuzz(minutes: float, seed: int, findings: Path) -> None:
    """Make files and hand them over until the time is over; print what was found."""
    print(machine(), flush=True)
    campaign = Campaign(seed, findings)
    named(campaign.door)
    kept = [_after_fixtures(campaign) for _ in range(_ROUNDS)]
    print(f"This process, which stands for the server, holds {kept[0] / 2**20:.0f} MB, and "
          f"{kept[-1] / 2**20:.0f} MB after {(_ROUNDS - 1) * len(campaign.fixtures):,} files more.")
    until, told = time.monotonic() + 60 * minutes, time.monotonic()
    while time.monotonic() < until:
        campaign.step()
        if time.monotonic() - told > 300:
            told = time.monotonic()
            files = sum(tally.files for tally in campaign.tallies.values())
            print(f"{files:,} files", flush=True)
    campaign.print()
    campaign.door.close()
    print(f"Limits: {SECONDS:g} s, {MEMORY / 2**20:.0f} MB.")


def _after_fixtures(campaign: Campaign) -> int:
    """Bytes that this process holds after all fixtures went through."""
    for one in campaign.fixtures:
        campaign.door.visit(one.name, one.data, one.way)
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)  # what is free is given back, so that the rest is measured
    return resident(os.getpid())[0]


def named(door: Door) -> None:
    """Hand over every hostile file that has a name; print what came of them."""
    rows = []
    for kind, files in HOSTILE.items():
        tally = Tally()
        for name, make in files.items():
            visit = door.visit("a.csv", make())
            tally.note(visit)
            if visit.flaw:
                tally.flaws[visit.flaw] += 1
            if visit.flaw or visit.outcome == "ended":
                print(f"{kind}, {name}: {visit.flaw or visit.said}", flush=True)
        rows.append((
            kind, len(files), tally.outcomes["refused"], tally.outcomes["read"],
            tally.outcomes["ended"], f"{tally.slowest:.1f}", f"{tally.largest / 2**20:.0f}",
            sum(tally.flaws.values()),
        ))
    print_table(
        ["format", "files", "refused", "read", "reader ended", "slowest, s", "most memory, MB",
         "broke a limit"], rows,
    )


def again(path: Path) -> None:
    """A finding once more, in this process, where an error is told in full."""
    _, _, way, choice, name = path.name.split(".", 4)
    answering = Answering()

    def ask(what: str, contents: Callable[[str], list] = list, **given: dict) -> object:
        there = {key: contents(key) for key in given.get("keys", {}).values()}
        return answering.answer(what, given, there, silent)

    print(path, WAYS[way](ask, name, path.read_bytes(), int(choice)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--findings", type=Path)
    parser.add_argument("again", nargs="*", type=Path)
    options = parser.parse_args()
    for file in options.again:
        again(file)
    if not options.again:
        fuzz(options.minutes, options.seed, options.findings or Path(tempfile.mkdtemp()))


if __name__ == "__main__":
    main()
