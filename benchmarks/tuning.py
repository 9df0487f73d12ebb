"""Whether the settings that `tune` tries are the right ones, and what its choice is worth.

    python benchmarks/tuning.py [--data FOLDER] [--sets 3]

Error on fresh answers about planted maps of 30 objects, in two and in five dimensions and two
noises, which took no part in choosing what is tried: of the defaults, of what `tune` chooses, and
of the setting that is best in hindsight, from those that it tries and from a wider grid, with the
best map alone and with the average of the restarts. With FOLDER (which holds music/triplets.csv),
once, the error of what is chosen on parts of music that took no part.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np
from report import machine, print_table
from sources import music

from tripletscope.core.data.triplets import Triplets
from tripletscope.core.inference.held_out.compare import DIMENSIONS, PRIORS, tune
from tripletscope.core.inference.held_out.score import question_folds, triplet_error
from tripletscope.core.models.embedding.default import DEFAULT_EMBEDDING
from tripletscope.core.models.simulation.simulate import simulate

SIZES = (100, 300, 1_000, 3_000)
_WIDER = (0.003, 0.01, *PRIORS, 10.0)
_OBJECTS, _FRESH, _MOST = 30, 4_000, 8
#: Of ten parts of music, how many are predicted from the nine others.
_FOLDS = 3

Case = tuple[str, Triplets, Triplets]


def planted(sets: int) -> Iterator[Case]:
    """A name, answers to learn from and others to predict."""
    noises = (("logistic", 0.0), ("flip", 0.15))
    for number, d, (noise, level) in product(range(sets), (2, 5), noises):
        truth = np.random.default_rng(number).normal(size=(_OBJECTS, d))
        fresh = simulate(truth, _FRESH, noise=noise, level=level, seed=1_000 + number)
        for size in SIZES:
            given = simulate(truth, size, noise=noise, level=level, seed=number)
            yield f"{d} dimensions, {noise}, {size:,}", given, fresh


def scores(given: Triplets, fresh: Triplets) -> list[float]:
    """Errors of the defaults, of the choice, and of the best in hindsight of several grids."""
    def error(**settings: float) -> float:
        return triplet_error(DEFAULT_EMBEDDING(**settings).fit(given), fresh)

    dimensions = [d for d in DIMENSIONS if d <= _MOST]
    errors = {
        (d, prior, average): error(n_components=d, prior=prior, average=average)
        for d, prior, average in product(dimensions, _WIDER, (False, True))
    }
    best = [
        min(value for (_, prior, averaged), value in errors.items()
            if averaged == average and prior in grid)
        for grid, average in ((PRIORS, True), (PRIORS, False), (_WIDER, True))
    ]
    chosen = tune(DEFAULT_EMBEDDING(), given, most=_MOST).setting()
    return [error(), errors[tuple(chosen.values())], *best]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="holds music/triplets.csv")
    parser.add_argument("--sets", type=int, default=3)
    options = parser.parse_args()
    print(machine(), end="\n\n")
    found: dict[str, list[list[float]]] = {}
    for name, given, fresh in planted(options.sets):
        found.setdefault(name, []).append(scores(given, fresh))
    columns = ["answers", "defaults", "chosen", "best tried", "best, not averaged", "best, wider"]
    means = {name: np.mean(rows, axis=0) for name, rows in found.items()}
    means["mean"] = np.mean(list(means.values()), axis=0)
    print_table(columns, ([name, *(f"{x:.3f}" for x in row)] for name, row in means.items()))
    if options.data is None:
        return
    songs = music(options.data)
    fold = question_folds(songs, 10, np.random.default_rng(0))
    missed = []
    for k in range(_FOLDS):
        learned = songs.take(fold != k)
        setting = tune(DEFAULT_EMBEDDING(), learned, most=max(DIMENSIONS)).setting()
        fitted = DEFAULT_EMBEDDING(**setting).fit(learned)
        missed.append(triplet_error(fitted, songs.take(fold == k)))
        print(f"music, fold {k}: {setting}, error {missed[-1]:.3f}", flush=True)
    print(f"music: {np.mean(missed):.3f} on {int((fold < _FOLDS).sum()):,} answers")


if __name__ == "__main__":
    main()
