"""Comparison-based random forests beside scikit-learn's: how long they take.

    python benchmarks/forests.py [--sizes 1000 7000 60000]

Times are of fits of 100 trees to the same bytes, on as many threads; ratios are of processor
seconds, which other work on the machine disturbs least. What the forests err by is on the page
Papers.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from joblib import cpu_count, parallel_config
from objects import images
from report import machine, print_table
from sklearn.ensemble import RandomForestClassifier

from tripletscope.core.trees import ComparisonForestClassifier
from tripletscope.core.trees.oracle import Distances, Vectors


def timed(work: Callable[[], Any]) -> tuple[float, float]:
    """Wall and processor seconds."""
    wall, processor = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - processor


def speed(size: int, repeats: int) -> tuple[str, ...]:
    """One row: fits and predictions of both forests, the least of some repeats."""
    vectors, classes = images(size + 10_000)
    train, test = vectors[:size], vectors[size:]
    ours = ComparisonForestClassifier()
    theirs = RandomForestClassifier(n_jobs=cpu_count())
    fits, peer_fits, guesses, peer_guesses = [], [], [], []
    for _ in range(repeats):
        fits.append(timed(lambda: ours.fit(train, classes[:size])))
        guesses.append(timed(lambda: ours.predict(test)))
        peer_fits.append(timed(lambda: theirs.fit(train, classes[:size])))
        peer_guesses.append(timed(lambda: theirs.predict(test)))
    wall, processor, peer_wall, peer_processor, guess, peer_guess = (
        min(each[which] for each in found)
        for found, which in (
            (fits, 0), (fits, 1), (peer_fits, 0), (peer_fits, 1), (guesses, 1), (peer_guesses, 1)
        )
    )
    return (
        f"{size:,}", f"{wall:.3f}", f"{processor:.3f}", f"{peer_wall:.3f}",
        f"{peer_processor:.3f}", f"{peer_processor / processor:.1f}",
        f"{10_000 / guess:,.0f}", f"{10_000 / peer_guess:,.0f}",
        f"{ours.n_questions_ / 1e6:.2f}",
    )


def calls(size: int) -> tuple[str, ...]:
    """One row: batches in which an oracle is asked that no compiled loop knows."""
    vectors, classes = images(size)
    oracle = Distances(Vectors(vectors).distances(), listed=True)
    seconds = timed(
        lambda: ComparisonForestClassifier(metric=oracle).fit(np.arange(size), classes)
    )
    return (
        f"{size:,}", str(oracle.n_calls), f"{oracle.n_questions / 1e6:.2f}",
        f"{seconds[1] / oracle.n_questions * 1e9:.0f}",
    )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="*", default=[1000, 7000, 60_000])
    options = parser.parse_args()
    print(machine())
    small, classes = images(100)
    ComparisonForestClassifier(n_estimators=2).fit(small, classes).predict(small)  # compiles
    with parallel_config(n_jobs=cpu_count()):
        print_table(
            ("n", "fit s", "fit CPU s", "RF fit s", "RF fit CPU s", "CPU ratio",
             "queries / CPU s", "RF queries / CPU s", "million questions"),
            [speed(size, 1 if size > 10_000 else 3) for size in options.sizes],
        )
    print_table(
        ("n", "calls", "million questions", "CPU ns per question"), [calls(1000), calls(7000)]
    )


if __name__ == "__main__":
    main()
