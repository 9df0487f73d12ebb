"""How fast uncertainty is computed, and whether it holds.

    python benchmarks/uncertainty.py             about 10 minutes on one busy core
    python benchmarks/uncertainty.py coverage    only this part

The figures of the paper, Lohaus, Hennig & von Luxburg (2019), are made by `make reproduce`.
"""

from __future__ import annotations

import argparse
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from report import machine, print_table
from sklearn.base import clone
from sources import LEVEL, alien_eggs, n_answers

from tripletscope.core.data.triplets import Triplets
from tripletscope.core.inference.uncertainty import Samples, bootstrap, laplace, sample_posterior
from tripletscope.core.inference.uncertainty.calibration import (
    Truth,
    held_by_ellipses,
    simulated_answers,
    tally,
)
from tripletscope.core.models.embedding import CKL, STE, TSTE
from tripletscope.core.models.optimise.loss import margins
from tripletscope.core.models.simulation.simulate import random_questions, simulate


def stopwatch(function: Callable[[], Any], times: int = 2) -> tuple[Any, float, float]:
    """Result, processor seconds and seconds, of the fastest of some calls."""
    best = None
    for _ in range(times):
        wall, cpu = time.perf_counter(), time.process_time()
        result = function()
        found = time.process_time() - cpu, time.perf_counter() - wall
        best = min(found, best or found)
    return result, *best


# Speed -------------------------------------------------------------------------------------------


def speed() -> None:
    """Bootstrap, posterior and all comparisons, against the plain way in the same run."""
    eggs, rows = alien_eggs(), []
    for method in (STE(), TSTE()):
        reference = method.fit(eggs).embedding_
        single = clone(method).set_params(n_init=1)

        def plain(single: Any = single) -> None:
            rng = np.random.default_rng(0)
            for _ in range(20):
                clone(single).fit(eggs.take(np.sort(rng.integers(len(eggs), size=len(eggs)))))

        def ours(method: Any = method, reference: np.ndarray = reference) -> Samples:
            return bootstrap(method, eggs, replicates=100, reference=reference)

        _, cpu, wall = stopwatch(ours)
        _, plain_cpu, _ = stopwatch(plain)
        rows.append((method.title, f"{cpu:.2f}", f"{wall:.2f}", f"{5 * plain_cpu / cpu:.1f}"))
    print("100 replicates of alien eggs (300 objects, 17,611 answers); ratio to a fit of each draw")
    print_table(("method", "processor s", "s", "ratio"), rows)

    sample_posterior(STE(), eggs, most=100)  # compiles, and imports the diagnostics
    rows = []
    for n, d, t in ((50, 2, 5000), (100, 2, 5000), (200, 2, 20_000), (100, 5, 10_000)):
        truth = 1.2 * np.random.default_rng(0).standard_normal((n, d))
        triplets = simulate(truth, t, noise="logistic", seed=1)
        rate = {}
        for sampler, most in (("laplace", 100_000), ("plain", 2000)):
            found, cpu, _ = stopwatch(
                lambda sampler=sampler, most=most, d=d, triplets=triplets: sample_posterior(
                    STE(n_components=d), triplets, sampler=sampler, most=most
                ),
                times=1,
            )
            rate[sampler] = found.effective / cpu
            if sampler == "laplace":
                kept = found
        _, approx, _ = stopwatch(lambda d=d, t=triplets: laplace(STE(n_components=d), t))
        rows.append((
            str(n), str(d), f"{t:,}", f"{rate['laplace']:.0f}",
            f"{rate['laplace'] / rate['plain']:.0f}", f"{kept.effective:.0f}", f"{kept.rhat:.3f}",
            f"{approx:.2f}",
        ))
    print("Posterior of STE: effective samples of distances per processor second, from the fit on;")
    print("ratio to elliptical slice sampling from the prior (4 chains of 2,000 draws)")
    print_table(
        ("n", "d", "answers", "effective / s", "ratio", "effective", "R-hat", "Laplace, s"), rows
    )

    rng = np.random.default_rng(0)
    rows = []
    for n in (200, 1000):
        maps = rng.normal(size=(1, n, 2)) + 0.1 * rng.normal(size=(64, n, 2))
        known, _, moments = stopwatch(lambda maps=maps: Samples(maps, maps[0]).comparisons)
        _, _, top = stopwatch(lambda known=known: known.most_uncertain(1000))
        # A copy each time, because what was computed is remembered.
        _, _, mean = stopwatch(lambda known=known: replace(known).average_uncertainty)
        tracemalloc.start()
        again = replace(known)
        again.most_uncertain(1000)
        again.average_uncertainty  # noqa: B018 - for its memory
        peak = tracemalloc.get_traced_memory()[1] / 2**20
        tracemalloc.stop()
        rows.append((
            f"{n:,}", f"{n * (n - 1) * (n - 2) // 2:,}", f"{moments:.3f}", f"{top:.3f}",
            f"{mean:.2f}", f"{peak:.0f}",
        ))
    print("All comparisons, from 64 maps; seconds")
    print_table(
        ("n", "comparisons", "distances", "1,000 least certain", "average", "peak MB"), rows
    )


# Coverage ----------------------------------------------------------------------------------------

SETS = {30: 6, 100: 3, 300: 1}


def coverage() -> None:
    """Coverage of ellipses and calibration of probabilities on planted data."""
    rows = []
    for method in (STE(), TSTE(), CKL()):
        for n, n_sets in SETS.items():
            for factor in (2, 5):
                for source in ("bootstrap", "posterior", "laplace"):
                    rows.append(coverage_row(method, n, factor, source, n_sets))
    print("Planted standard normal positions / 0.7 (STE) or / 0.35, answers by the method's own")
    print("model, d = 2. Per cent of objects inside their 50, 80 and 95 % ellipses; expected")
    print("calibration error of probabilities with three spreads of a difference")
    print_table(
        ("method", "n", "answers / d n ln n", "data sets", "source", "50, 80, 95 %", "published",
         "independent", "joint"),
        rows,
    )


def coverage_row(
    method: Any, n: int, factor: int, source: str, n_sets: int
) -> tuple[str, ...]:
    """One row of the table."""
    held, tallies = [], np.zeros((3, 3, 10))
    for seed in range(n_sets):
        rng = np.random.default_rng(seed)
        truth = rng.standard_normal((n, 2)) / LEVEL * (1 if method.fixes_scale else 2)
        questions = random_questions(n, n_answers(factor, n, 2), rng)
        rows = simulated_answers(method, Truth(truth, 0.0, 0.0), questions, rng)
        triplets = Triplets.from_array(rows, n)
        samples = {
            "bootstrap": lambda t=triplets, s=seed: bootstrap(method, t, seed=s),
            "posterior": lambda t=triplets, s=seed: sample_posterior(
                method, t, effective=100, most=10_000, seed=s
            ),
            "laplace": lambda t=triplets, s=seed: laplace(method, t, seed=s),
        }[source]()
        held.append(held_by_ellipses(samples, truth))
        judged = random_questions(n, 20_000, rng)
        right = margins(truth, judged) > 0
        for row, spread in enumerate(("published", "independent", "joint")):
            tallies[row] += tally(samples.probability(judged, spread=spread), right)
    off = [np.abs(right - said).sum() / counts.sum() for counts, said, right in tallies]
    shares = ", ".join(f"{100 * x:.0f}" for x in np.mean(held, axis=0))
    return (method.title, str(n), str(factor), str(n_sets), source, shares,
            *(f"{x:.3f}" for x in off))


PARTS = {part.__name__: part for part in (speed, coverage)}


def main() -> None:
    """Print the parts asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="by default all")
    chosen = parser.parse_args().parts or list(PARTS)
    print(machine())
    for name in chosen:
        PARTS[name]()


if __name__ == "__main__":
    main()
