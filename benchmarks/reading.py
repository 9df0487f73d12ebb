"""How long reading takes and how much memory it needs, beside pandas.read_csv of the same file.

The odd ones out are as long a file as the largest public set; each is two answers.

Each figure is from a fresh process: seconds of the clock and of the processor without imports, and
the highest resident memory of the process with everything imported. pandas only parses; `read`
also recognises the layout, checks every row and builds the triplets.

    python benchmarks/reading.py
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

MEASURED = """
import re, sys, time
path = sys.argv[1]
{imports}
start, busy = time.perf_counter(), time.process_time()
result = {call}
seconds, busy = time.perf_counter() - start, time.process_time() - busy
peak = re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read()).group(1)
print(seconds, busy, int(peak) / 1024, len(result))
"""

READERS = {
    "tripletscope.core.reading.read": ("from tripletscope.core.reading import read", "read(path)"),
    "load, propose, interpret, 3 sentences": (
        "from tripletscope.core.reading import load, propose, interpret",
        "(lambda t: (lambda i: (i.sentences(), i.triplets)[1])(interpret(t, propose(t)[0])))"
        "(load(path))",
    ),
    "pandas.read_csv": ("import pandas", "pandas.read_csv(path{options})"),
}


def write_named(path: Path, n_answers: int, rng: np.random.Generator) -> None:
    """Answers as NEXT writes them: names of 200 objects, 300 participants, response times."""
    objects = np.array([f"object {i:03}" for i in range(200)])
    triples = np.argpartition(rng.random((n_answers, 12)), 3)[:, :3]
    triples = (triples + 12 * rng.integers(0, 16, (n_answers, 1))) % 200
    center, left, right = objects[triples].T
    answer = np.where(rng.random(n_answers) < 0.5, left, right)
    participant = rng.integers(1000, 1300, n_answers)
    times = rng.lognormal(7.5, 0.6, n_answers)
    with path.open("w") as file:
        file.write("Participant ID,Center,Left,Right,Answer,RT\n")
        file.writelines(
            f"{p},{c},{le},{r},{a},{t:.3f}\n"
            for p, c, le, r, a, t in zip(
                participant, center, left, right, answer, times, strict=True
            )
        )


def write_plain(path: Path, n_answers: int, rng: np.random.Generator) -> None:
    """Three columns of numbers below 1,000, without a header."""
    anchor = rng.integers(0, 1000, n_answers)
    near = (anchor + rng.integers(1, 500, n_answers)) % 1000
    far = (anchor + rng.integers(500, 1000, n_answers)) % 1000
    rows = np.column_stack([anchor, near, far]).tolist()
    with path.open("w") as file:
        file.writelines(f"{a},{b},{c}\n" for a, b, c in rows)


def write_odd(path: Path, n_trials: int, rng: np.random.Generator) -> None:
    """Odd ones out as THINGS has them: 1,854 pictures, the position of the odd one, who, when."""
    first = rng.integers(1854, size=n_trials)
    second = (first + rng.integers(1, 900, n_trials)) % 1854
    third = (first + rng.integers(900, 1854, n_trials)) % 1854
    columns = [
        first + 1, second + 1, third + 1, rng.integers(1, 4, n_trials),
        rng.lognormal(7.5, 0.6, n_trials).astype(int), np.zeros(n_trials, dtype=int),
        rng.integers(12_000, size=n_trials), np.arange(n_trials) // 20, np.arange(n_trials) % 20,
    ]
    with path.open("w") as file:
        file.write(
            "image1\timage2\timage3\tchoice\tRT\tnoise_ceiling\tsubject_id\tHIT_nr\ttrial_nr\n"
        )
        file.writelines(
            "\t".join(map(str, row)) + "\n" for row in zip(*(c.tolist() for c in columns),
                                                          strict=True)
        )


def measure(path: Path, imports: str, call: str) -> tuple[float, float, float, int]:
    """Seconds of the clock and of the processor, MB and rows, from a fresh process."""
    code = MEASURED.format(imports=imports, call=call)
    output = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True,
        cwd=Path(__file__).parent.parent,
    ).stdout.split()
    return float(output[0]), float(output[1]), float(output[2]), int(output[3])


def main() -> None:
    """Write two files into a temporary folder and print the table."""
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        named, plain, odd = (Path(folder) / f"{name}.csv" for name in ("named", "plain", "odd"))
        write_named(named, 1_000_000, rng)
        write_plain(plain, 5_000_000, rng)
        write_odd(odd, 5_000_000, rng)
        print(f"{'file':<28}{'reader':<40}{'s':>7}{'CPU s':>7}{'MB':>7}{'rows':>11}")
        for path, title, options in (
            (named, "1,000,000 answers, names", ""),
            (plain, "5,000,000 answers, numbers", ", header=None"),
            (odd, "5,000,000 odd ones out", ", sep='\\t'"),
        ):
            for reader, (imports, call) in READERS.items():
                seconds, busy, memory, rows = measure(path, imports, call.format(options=options))
                print(f"{title:<28}{reader:<40}{seconds:>7.2f}{busy:>7.2f}{memory:>7.0f}{rows:>11,}")


if __name__ == "__main__":
    main()
