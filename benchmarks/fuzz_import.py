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
import gzip
import io
import json
import os
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
import zipfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.report import machine, print_table
from tests.test_files_hostile import CONTAINERS, GOOD, parquet, picture, zipped
from tests.test_files_layouts import CASES, FORMATS
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
#: Mutants grow to this size at most.
LARGEST = (2**18, 2**20, 2**22)
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

# Mutations -----------------------------------------------------------------------------------

WORDS = [
    "", " ", "NA", "nan", "0", "1", "-1", "2", "3", "1.0", "1e999", "-0", "99999999999999999999",
    "inf", "0x1", "true", "left", "f", "a", "é", "\u202e", "\ufeff", "\0", '"', '""', "'", "[", "]",
    '["a","b"]', '["a","b","c"]', "<img src='a.png'>", "a.png", "../a", "#", "=1+1", "None", "\n",
    "{}", "head", "left", "right", "winner", "image1", "choice", "anchor", "near", "far", "rt",
    "participant", "weight", "stimulus", "s1", "s2", "s3", "resp", "item1", "trial_type",
    "2023-01-05T10:00:00.000Z", "x" * 2000,
]


def mutated(data: bytes, rng: random.Random, others: list[bytes]) -> bytes:
    """`data` with one to five changes."""
    most = rng.choices(LARGEST, (6, 3, 1))[0]
    for _ in range(rng.choice((1, 1, 1, 2, 3, 5))):
        data = _changed(data, rng, others)[:most]
    return data


def _changed(data: bytes, rng: random.Random, others: list[bytes]) -> bytes:
    if rng.random() < 0.6:
        if data.startswith(b"PK"):
            with contextlib.suppress(Exception):  # already damaged
                return _inside_of_zip(data, rng, others)
        if data.startswith(b"\x1f\x8b"):
            with contextlib.suppress(Exception):
                return gzip.compress(_changed(gzip.decompress(data), rng, others), 1)
    if rng.random() < 0.03:
        return rng.choice((gzip.compress(data, 1), zipped(("a.csv", data)), zipped(
            ("a.csv", data), ("b.csv", rng.choice(others)))))
    is_text = b"\0" not in data[:1000] and not data.startswith((b"PAR1", b"\x89", b"\x93", b"PK"))
    return rng.choice(_OF_TEXT if is_text and rng.random() < 0.7 else _OF_BYTES)(data, rng, others)


def _inside_of_zip(data: bytes, rng: random.Random, others: list[bytes]) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    victim = rng.choice(list(members))
    members[victim] = _changed(members[victim], rng, others)
    if rng.random() < 0.1:
        members[rng.choice(WORDS) or "x"] = rng.choice(others)
    if rng.random() < 0.1:
        del members[rng.choice(list(members))]
    return zipped(*members.items())


def _places(data: bytes, rng: random.Random) -> tuple[int, int]:
    """A stretch of the data, more often a short one."""
    start = rng.randrange(len(data) + 1)
    return start, min(len(data), start + int(2 ** rng.uniform(0, 12)))


def _bits(data: bytes, rng: random.Random, others: list[bytes]) -> bytes:
    changed = bytearray(data or b"x")
    for _ in range(rng.choice((1, 1, 2, 8, 64))):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def _overwritten(data: bytes, rng: random.Random, others: list[bytes]) -> bytes:
    start, _ = _places(data, rng)
    size = rng.choice((1, 2, 4, 8))
    value = rng.choice((b"\0", b"\xff", b"\x7f\xff\xff\xff\xff\xff\xff\xff", b"\x01\0\0\0\0\0\0\0",
                        rng.randbytes(8)))
    return data[:start] + (value * 8)[:size] + data[start + size :]


def _cut(data: bytes, rng: random.Random, others: list[bytes]) -> bytes:
    start, end = _places(data, rng)
    return data[:start] + data[end:] if rng.random() < 0.7 else data[:start]


def _repeated(data: bytes, rng: random.Random, others: list[bytes]) -> bytes:
    start, end = _places(data, rng)
    times = min(int(2 ** rng.uniform(0, 14)), LARGEST[-1] // max(end - start, 1))
    return data[:start] + data[start:end] * times + data[start:]


def _spliced(data: bytes, rng: random.Random, others: list[bytes]) -> bytes:
    other = rng.choice(others)
    (start, end), (a, b) = _places(data, rng), _places(other, rng)
    return data[:start] + other[a:b] + data[end:]


def _word(data: bytes, rng: random.Random, others: list[bytes]) -> bytes:
    start, _ = _places(data, rng)
    return data[:start] + rng.choice(WORDS).encode() + data[start + rng.randrange(4) :]


def _sign(data: bytes) -> str:
    """What stands between the cells."""
    line = data[:4096].split(b"\n", 1)[0].decode(errors="replace")
    return max(",;\t ", key=line.count)


def _cells(data: bytes, rng: random.Random, others: list[bytes]) -> bytes:
    """Some cells become words, or those of another row or column."""
    sign = _sign(data)
    rows = [line.split(sign) for line in data.decode(errors="replace").split("\n")]
    for _ in range(rng.choice((1, 3, 10, len(rows)))):
        row = rng.choice(rows)
        k = rng.randrange(len(row))
        row[k] = rng.choice((rng.choice(WORDS), rng.choice(rng.choice(rows)), row[k] * 2))
    return "\n".join(sign.join(row) for row in rows).encode()


def _columns(data: bytes, rng: random.Random, others: list[bytes]) -> bytes:
    """Columns are moved, doubled, left out or called otherwise."""
    sign = _sign(data)
    rows = [line.split(sign) for line in data.decode(errors="replace").split("\n")]
    width = len(rows[0])
    order = list(range(width))
    kind = rng.randrange(4)
    if kind == 0:
        rng.shuffle(order)
    elif kind == 1:
        order += [rng.randrange(width)] * rng.choice((1, 2, 30, 3000 if len(data) < 5000 else 3))
    elif kind == 2 and width > 1:
        order.pop(rng.randrange(width))
    else:
        rows[0][rng.randrange(width)] = rng.choice(WORDS)
    return "\n".join(
        sign.join(row[k] for k in order if k < len(row)) for row in rows
    ).encode()


def _rows(data: bytes, rng: random.Random, others: list[bytes]) -> bytes:
    """Rows are shuffled, left out, doubled, or there are very many of them."""
    head, *rows = data.split(b"\n")
    if not rows:
        return data * 2
    kind = rng.randrange(4)
    if kind == 0:
        rng.shuffle(rows)
    elif kind == 1:
        rows = rows[:: rng.choice((2, 3, 10))]
    elif kind == 2:
        rows *= max(1, min(int(2 ** rng.uniform(0, 14)), LARGEST[-1] // max(len(data), 1)))
    else:
        rows = rows[1:] if rng.random() < 0.5 else [head, *rows]
    return b"\n".join([head, *rows])


def _numbered(data: bytes, rng: random.Random, others: list[bytes]) -> bytes:
    """Very many rows with ever new values in one column."""
    sign = _sign(data)
    head, *rows = (line.split(sign) for line in data.decode(errors="replace").split("\n"))
    if not rows or not rows[0]:
        return data
    k = rng.randrange(len(rows[0]))
    many = []
    for i in range(int(2 ** rng.uniform(4, 16))):
        row = list(rows[i % len(rows)])
        if k < len(row):
            row[k] = f"{row[k][:20]}{i}"
        many.append(sign.join(row))
    return "\n".join([sign.join(head), *many]).encode()


def _resigned(data: bytes, rng: random.Random, others: list[bytes]) -> bytes:
    """Other signs between cells, other ends of lines, another encoding."""
    text = data.decode(errors="replace")
    kind = rng.randrange(5)
    if kind == 0:
        return text.replace(_sign(data), rng.choice((",", ";", "\t", " ", "|", ""))).encode()
    if kind == 1:
        return text.replace("\n", rng.choice(("\r", "\r\n", "\n\n", ",\n", " "))).encode()
    if kind == 2:
        return text.encode(rng.choice(("utf-16", "utf-16-le", "utf-32", "utf-8-sig")))
    if kind == 3:
        return text.replace('"', rng.choice(("", '""', "'"))).encode()
    return text.replace(rng.choice("0123456789abc[{"), rng.choice(WORDS[:40])).encode()


def _nested(data: bytes, rng: random.Random, others: list[bytes]) -> bytes:
    """What is JSON becomes deeper, or a part of it is exchanged."""
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return _bits(data, rng, others)
    for _ in range(rng.choice((1, 2, 4))):
        places = list(_places_in(document, 3000))
        if not places:
            document = [document]
            continue
        holder, key = rng.choice(places)
        other, other_key = rng.choice(places)
        value = rng.choice((
            None, [], {}, "", "a", 1, -1, 1.5, True, [1, 2, 3], {"a": {"b": [None]}},
            [holder[key]], [holder[key]] * 3, other[other_key],
        ))
        holder[key] = json.loads(json.dumps(value))
    return json.dumps(document).encode()


def _places_in(document: object, most: int) -> list[tuple]:
    found, queue = [], [document]
    while queue and len(found) < most:
        holder = queue.pop()
        keys = range(len(holder)) if isinstance(holder, list) else (
            list(holder) if isinstance(holder, dict) else ()
        )
        for key in keys:
            found.append((holder, key))
            queue.append(holder[key])
    return found


_OF_BYTES = (_bits, _bits, _overwritten, _overwritten, _cut, _repeated, _spliced)
_OF_TEXT = (_cells, _cells, _columns, _columns, _rows, _numbered, _resigned, _word, _nested, _cut,
            _repeated, _spliced)


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
