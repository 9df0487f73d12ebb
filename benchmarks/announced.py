"""How right announced times are: the time that is left, as jobs say it, beside what it then took.

    python benchmarks/announced.py

Tasks of the pages People and Dimensions on the alien eggs (231 people, 17,611 answers) and on odd
ones out of 100 objects, on all cores. A time is read ten times a second, as a page does.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from typing import Any

import numpy as np
from report import machine, print_table
from sources import alien_eggs

import tripletscope as ts
from tripletscope.core.engine.method import Method
from tripletscope.dashboard.jobs.pace import Pace

EVERY = 0.1


def said(task: str, of: Method, answers: Any, options: Mapping[str, Any]) -> tuple[float, list]:
    """Seconds of a task, and pairs of times: since it began, and said to be left."""
    begun = time.perf_counter()
    pace, over, times = Pace(begun), threading.Event(), []

    def progress(fraction: float, **details: Any) -> bool:
        pace.advance(time.perf_counter(), fraction)
        return False

    def look() -> None:
        while not over.wait(EVERY):
            now = time.perf_counter()
            left = pace.seconds_left(now)
            if left is not None and left > 1:
                times.append((now - begun, left))

    watching = threading.Thread(target=look)
    watching.start()
    ts.run(task, of, answers, options, progress=progress)
    seconds = time.perf_counter() - begun
    over.set()
    watching.join()
    return seconds, times


def main() -> None:
    """Print the table."""
    print(machine())
    eggs = alien_eggs()
    odd = ts.dimensions.simulate_choices(np.repeat(np.eye(5), 20, axis=0) * 2, 20_000, seed=1)
    people, spose = ts.people, ts.dimensions.SPoSE(n_components=20, penalty=3.0)
    rows = []
    for task, of, answers, options in (
        ("fit", people.WeightedEuclidean(), eggs, {}),
        ("compare_people", people.WeightedEuclidean(), eggs, {}),
        ("fit", people.LatentClassMap(), eggs, {}),
        ("fit", spose, eggs, {}), ("fit", spose, odd, {}),
        ("penalty_curve", spose, odd, {}), ("dimension_reproducibility", spose, odd, {}),
        ("bootstrap_dimensions", spose, odd, {}),
        ("bootstrap", ts.STE(), eggs, {"replicates": 1000}),
        ("posterior", ts.STE(), eggs, {}),
    ):
        seconds, times = said(task, of, answers, options)
        ratios = np.array([left / max(seconds - at, 0.1) for at, left in times])
        right = np.mean((ratios >= 0.5) & (ratios <= 2)) if times else np.nan
        rows.append((
            f"{task}, {type(of).__name__}", f"{seconds:.1f}",
            f"{times[0][0]:.1f}" if times else "–", f"{len(times) * EVERY:.1f}",
            f"{100 * right:.0f} %" if times else "–",
            f"{np.median(ratios):.2f}" if times else "–",
        ))
    print_table(
        ("task", "seconds", "first said after", "said for, s", "within a factor of two", "median"),
        rows,
    )


if __name__ == "__main__":
    main()
