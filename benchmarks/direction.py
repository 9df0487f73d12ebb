"""Does the direction test find a file that is read the wrong way round, and only that?

    python benchmarks/direction.py [--data DIR]

Human answers whose right reading is known, simulated odd ones out and most central ones, and
answers at random. For every reading of a file's columns: would a user who chose it be warned, and
of what? `--data` holds `music/triplets.csv`, which may not be passed on; without it, that row is
left out.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.report import machine, print_table
from tripletscope.core.models.simulation.simulate import random_questions
from tripletscope.core.reading import Reading, Table, load, propose
from tripletscope.core.studies.quality.direction import DirectionTest, direction_test

EGGS = Path(__file__).parent.parent / "sample_data" / "alien_eggs" / "responses.csv"
THREE = ("image1", "image2", "image3", "choice")


def of_three(kind: str, seed: int, n_objects: int = 40, n_trials: int = 6000) -> np.ndarray:
    """(T, 4) three objects in three dimensions, and the place from 1 of the one named."""
    rng = np.random.default_rng(seed)
    positions = rng.normal(size=(n_objects, 3))
    objects = random_questions(n_objects, n_trials, rng)
    seen = positions[objects] + 0.3 * rng.normal(size=(n_trials, 3, 3))
    across = [np.linalg.norm(seen[:, i] - seen[:, j], axis=1) for i, j in ((1, 2), (0, 2), (0, 1))]
    named = {"odd": np.argmin, "central": np.argmax}.get(kind)
    place = named(across, axis=0) if named else rng.integers(3, size=n_trials)
    return np.column_stack([objects, place + 1])


def tables(data: Path | None) -> list[tuple[str, Table, str | None]]:
    """What it is, the table, and the task that was asked; None where nobody answered."""
    eggs = load(EGGS)
    found = [("alien eggs, with names of columns", eggs, "nearer")]
    rows = pd.DataFrame({c: eggs.texts(c) for c in ("Center", "Answer", "Left", "Right")})
    rows["Loser"] = rows["Left"].where(rows["Answer"] != rows["Left"], rows["Right"])
    bare = rows[["Center", "Answer", "Loser"]].to_csv(index=False, header=False).encode()
    found.append(("alien eggs, three bare columns", load(bare, "bare.csv"), "nearer"))
    if data:
        found.append(("musicians", load(data / "music" / "triplets.csv"), "nearer"))
    for seed in range(3):
        for kind, title, task in (
            ("odd", "odd ones out", "odd_one_out"), ("central", "most central", "most_central"),
            ("none", "answers at random", None),
        ):
            frame = pd.DataFrame(of_three(kind, seed), columns=list(THREE))
            table = load(frame.to_csv(index=False).encode(), "answers.csv")
            found.append((f"{title}, simulated, {seed + 1}", table, task))
    return found


def warned_of(table: Table, test: DirectionTest, right: Reading | None) -> tuple[int, int]:
    """Of the other readings, how many bring a warning, and how many that of the right one."""
    warned = found = 0
    for other in test.readings[1:]:
        again = direction_test(table, other)
        warned += again.warns
        best = again.readings[again.best]
        found += right is not None and again.warns and (best.task, best.roles) == (
            right.task, right.roles
        )
    return warned, found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path)
    data = parser.parse_args().data
    print(machine())
    rows = []
    for title, table, task in tables(data):
        right = next(r for r in propose(table) if task is None or r.task == task)
        begun = time.process_time()
        test = direction_test(table, right)
        seconds = time.process_time() - begun
        others = len(test.readings) - 1
        warned, found = warned_of(table, test, right if task else None)
        rows.append((
            title, f"{test.accuracy[0]:.3f}", f"{test.accuracy[1:].max():.3f}",
            "yes" if test.warns else "no", f"{warned} of {others}",
            f"{found} of {others}" if task else "", f"{seconds:.1f}",
        ))
        print(*rows[-1], sep="; ", flush=True)
    print_table(
        ["answers", "right reading", "best other", "warns", "wrong ones warned of",
         "right one named", "CPU s"], rows,
    )


if __name__ == "__main__":
    main()
