"""Damaged files through every door that reads files: none may crash, hang or eat the memory.

    python benchmarks/fuzz_import.py [--minutes 1] [--seed 0] [--findings DIR]
    python benchmarks/fuzz_import.py FILE ...      # once more, with the error in full

Every layout's fixture is mutated: bits, bytes and chunks, cells and rows, what is inside of
archives, and whole files many times over. Each import runs in a process group of its own. What
leads to an answer not seen before, a new message or another set of layouts, is mutated further.
Files that break a limit, and the slowest, are kept in the folder of findings.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import io
import os
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.damage import mutated
from benchmarks.report import machine, print_table
from tests.core.io.layouts import CASES, FORMATS
from tests.core.io.test_hostile import CONTAINERS, GOOD, parquet, picture, zipped
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.io import (
    interpret,
    load,
    load_several,
    propose,
    read_distances,
    read_gold,
    read_matrix,
    read_objects,
    read_pictures,
    read_questions,
)
from tripletscope.core.io.columns.alternatives import alternatives

SECONDS = 10.0
#: A process that sleeps uses no processor time, and is ended after so many seconds of the clock.
PATIENCE = 300.0
#: Memory that an import may take beyond that of one of a few rows: so many times the file, and a
#: constant. Archives may unpack to `tripletscope.core.io.formats.archive.RATIO_FREE`, 64 MB, before
# their ratio counts; that is held in bytes, as cells and as codes.
TIMES, CONSTANT = 10, 4 * 64 * 2**20
KNOWN = Triplets.from_array([[0, 1, 2]], 12, name="objects")

# Doors ---------------------------------------------------------------------------------------


def answers(data: bytes, name: str) -> str:
    """What the form does for the first reading that it offers, and for another one."""
    table = load(data, name)
    try:
        readings = propose(table)
    except DataError:
        readings = propose(table, insist=True)
    alternatives(table, readings[0])
    with contextlib.suppress(DataError):
        interpret(table, readings[len(data) % len(readings)])
    imported = interpret(table, readings[0])
    imported.sentences()
    imported.report.summary()
    return " ".join(f"{r.layout} {r.task} {r.choice_coding}" for r in readings)


def several(data: bytes, name: str) -> str:
    """The file twice, once as it is, once cut off."""
    table = load_several([(name, data), (f"other {name}", data[: len(data) * 2 // 3])])
    return f"several {propose(table)[0].layout}"


def pictures(data: bytes, name: str) -> str:
    found = read_pictures([(name, data)]) if not data.startswith(b"PK") else read_pictures(data)
    for picture_name in found:
        found.thumbnail(picture_name)
    return f"pictures {len(found)} {sorted(set(found.refused.values()))[:3]}"


DOORS = {
    "answers": answers,
    "several": several,
    "pictures": pictures,
    "objects": lambda data, name: f"objects {len(read_objects(data, name=name).columns)}",
    "matrix": lambda data, name: f"matrix {read_matrix(data, name).from_similarities}",
    "distances": lambda data, name: f"distances {read_distances(data, KNOWN, name)[2][-20:]}",
    "gold": lambda data, name: f"gold {len(read_gold(data, KNOWN, name)[0]) > 1}",
    "questions": lambda data, name: f"questions {len(read_questions(data, KNOWN, name)[0]) > 1}",
}

# Files --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Seed:
    """A file, and the door that it usually goes through."""

    name: str
    data: bytes
    door: str = "answers"


def corpus() -> list[Seed]:
    """Every fixture: all layouts, all containers, and files for each of the other doors."""
    found = [
        Seed(case[0], case[1].encode() if isinstance(case[1], str) else case[1])
        for case in CASES.values()
    ]
    found += [Seed(file.name, file.read_bytes()[:20_000]) for file in sorted(FORMATS.iterdir())]
    found += [Seed(f"answers.{kind}", data) for kind, data in CONTAINERS.items()]
    found += [Seed("answers.parquet", parquet()), Seed("a.csv", GOOD, "several"),
              Seed("answers.zip", zipped(("a.csv", GOOD), ("b.csv", GOOD)))]
    kinds = ("PNG", "JPEG", "GIF", "WEBP", "BMP")
    found += [Seed(f"x.{kind.lower()}", picture(kind), "pictures") for kind in kinds]
    found += [Seed("x.zip", zipped(*((f"{kind}.{kind}", picture(kind)) for kind in kinds)),
                   "pictures")]
    square = np.round(np.abs(np.subtract.outer(np.arange(12.0), np.arange(12.0))), 1)
    names = [str(i) for i in range(12)]
    buffer = io.BytesIO()
    np.save(buffer, square)
    tables = {
        "named.csv": pd.DataFrame(square, names, names).to_csv().encode(),
        "bare.txt": pd.DataFrame(square).to_csv(sep=" ", index=False, header=False).encode(),
        "square.npy": buffer.getvalue(),
    }
    found += [Seed(f, data, door) for f, data in tables.items() for door in ("matrix", "distances")]
    described = pd.DataFrame({"id": names, "label": list("abcdefghijkl"), "size": range(12),
                              "image": [f"<img src='{name}.png'>" for name in names]})
    asked = pd.DataFrame({"head": names, "left": names[1:] + names[:1], "right": names[::-1]})
    asked = asked[asked["head"] != asked["right"]]
    gold = asked.set_axis(["anchor", "near", "far"], axis=1)
    found += [
        Seed(f"{door}.csv", table.to_csv(index=False).encode(), door)
        for door, table in (("objects", described), ("questions", asked), ("gold", gold))
    ]
    return found


# Running -------------------------------------------------------------------------------------


@dataclass
class Outcome:
    """How one import ended.

    Attributes
    ----------
    said : str
        What was read, or where and why it was refused; empty if the process died.
    flaw : str
        What is wrong with how it ended, or nothing.
    seconds : float
        Of processor time.
    memory : int
        Bytes at most.
    """

    said: str
    flaw: str
    seconds: float
    memory: int


def run(door: str, data: bytes, name: str, limit: int) -> Outcome:
    """One import in a process group of its own."""
    read_end, write_end = os.pipe()
    child = os.fork()
    if not child:
        os.close(read_end)
        _in_child(door, data, name, write_end)
    os.close(write_end)
    begun = time.monotonic()
    status, usage = _waited(child, begun)
    with os.fdopen(read_end, "rb") as pipe:
        os.set_blocking(read_end, False)
        said = (pipe.read() or b"").decode(errors="replace")
    left_over = False
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
        left_over = True
    seconds, memory = usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024
    if time.monotonic() - begun > PATIENCE:
        flaw = f"still there after {PATIENCE:g} s"
    elif os.WIFSIGNALED(status):
        flaw = f"killed by signal {os.WTERMSIG(status)}"
    elif said.startswith("crash "):
        flaw = said
    elif seconds > SECONDS:
        flaw = f"took {seconds:.1f} s"
    elif memory > limit:
        flaw = f"took {memory / 2**20:.0f} MB, allowed were {limit / 2**20:.0f}"
    else:
        flaw = "left a process behind" if left_over else ""
    return Outcome(said, flaw, seconds, memory)


def _waited(child: int, begun: float) -> tuple[int, resource.struct_rusage]:
    while True:
        done, status, usage = os.wait4(child, os.WNOHANG)
        if done:
            return status, usage
        if time.monotonic() - begun > PATIENCE:
            os.killpg(child, signal.SIGKILL)
            _, status, usage = os.wait4(child, 0)
            return status, usage
        time.sleep(0.002)


def _in_child(door: str, data: bytes, name: str, pipe: int) -> None:
    os.setpgid(0, 0)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    seconds = int(SECONDS) + 2
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    sys.stderr = io.StringIO()
    try:
        said = DOORS[door](data, name)
    except DataError as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        said = f"refused {Path(frame.filename).name}:{frame.lineno}"
    except BaseException as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        said = f"crash {type(error).__name__} {Path(frame.filename).name}:{frame.lineno} {error}"
    os.write(pipe, said[:2000].encode(errors="replace"))
    os._exit(0)


@dataclass
class Campaign:
    """What was tried and what was found."""

    runs: Counter = field(default_factory=Counter)
    refused: Counter = field(default_factory=Counter)
    slowest: Counter = field(default_factory=Counter)
    largest: Counter = field(default_factory=Counter)
    flaws: Counter = field(default_factory=Counter)

    def note(self, door: str, outcome: Outcome, size: int, floor: int) -> None:
        self.runs[door] += 1
        self.refused[door] += outcome.said.startswith("refused")
        self.slowest[door] = max(self.slowest[door], outcome.seconds)
        over = max(outcome.memory - floor - TIMES * size, 0) / 2**20
        self.largest[door] = max(self.largest[door], over)

    def print(self) -> None:
        print_table(
            ["door", "imports", "refused", "slowest, s", "most memory beyond 10 × the file, MB"],
            [
                (door, f"{n:,}", f"{self.refused[door] / n:.0%}", f"{self.slowest[door]:.1f}",
                 f"{self.largest[door]:.0f}")
                for door, n in self.runs.most_common()
            ],
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--findings", type=Path)
    parser.add_argument("again", nargs="*", type=Path)
    options = parser.parse_args()
    for file in options.again:
        print(file, DOORS[file.name.split(".")[0]](file.read_bytes(), file.name.split(".", 2)[2]))
    if not options.again:
        fuzz(options.minutes, options.seed, options.findings or Path(tempfile.mkdtemp()))


def fuzz(minutes: float, seed: int, findings: Path) -> None:
    """Mutate and import until the time is over; print what was found."""
    print(machine())
    findings.mkdir(parents=True, exist_ok=True)
    rng = random.Random(seed)
    seeds = corpus()
    for one in seeds:  # so that every library is loaded before the first fork
        for door in DOORS.values():
            with contextlib.suppress(DataError):
                door(one.data, one.name)
    gc.freeze()  # pages that are not touched stay shared
    floor = max(run(door, GOOD, "a.csv", 0).memory for door in DOORS)
    seen: set[str] = set()
    campaign, until, told = Campaign(), time.monotonic() + 60 * minutes, time.monotonic()
    while time.monotonic() < until:
        one = rng.choice(seeds)
        mutant = mutated(one.data, rng, [other.data for other in seeds])
        door = one.door if rng.random() < 0.7 else rng.choice(list(DOORS))
        outcome = run(door, mutant, one.name, floor + TIMES * len(mutant) + CONSTANT)
        if outcome.seconds > max(campaign.slowest[door], SECONDS / 10):
            (findings / f"{door}.slowest.{one.name}").write_bytes(mutant)
        campaign.note(door, outcome, len(mutant), floor)
        if outcome.flaw:
            kind = outcome.flaw if outcome.said.startswith("crash") else outcome.flaw.split(",")[0]
            campaign.flaws[kind] += 1
            if campaign.flaws[kind] <= 3:
                file = findings / f"{door}.{sum(campaign.flaws.values())}.{one.name}"
                file.write_bytes(mutant)
                print(f"{file}: {outcome.flaw}", flush=True)
        elif outcome.said not in seen and len(mutant) < 100_000:
            seen.add(outcome.said)
            seeds.append(Seed(one.name, mutant, door))
        if time.monotonic() - told > 300:
            told = time.monotonic()
            print(f"{sum(campaign.runs.values()):,} imports, {len(seen):,} answers", flush=True)
    campaign.print()
    print(f"{sum(campaign.flaws.values())} findings, {len(seen):,} different answers; an import of "
          f"two rows takes {floor / 2**20:.0f} MB")


if __name__ == "__main__":
    main()
