"""Which method, prior and number of restarts to begin with, where nothing is known of the data.

    python benchmarks/defaults.py --data FOLDER [--sets 6]

Error on fresh answers about planted maps of 30 objects, from 100 to 10,000 answers in two noises,
with as many dimensions as there are and with two more; and, of people, the alien eggs' own test
answers after learning from growing parts of the others, and music by five folds (where FOLDER
holds music/triplets.csv). Beside each error its difference to that of the default, paired over the
data sets, and how far the maps of two halves of the answers are apart (Procrustes disparity).
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from report import machine, print_table
from sources import alien_eggs, music

from tripletscope.core.data.geometry import procrustes_disparity
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.inference.held_out.score import question_folds, split_of, triplet_error
from tripletscope.core.models.embedding import CKL, SOE, STE, TSTE
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding
from tripletscope.core.models.simulation.simulate import simulate

Make = Callable[[int], OrdinalEmbedding]
CANDIDATES: dict[str, Make] = {
    "STE (default)": lambda d: STE(n_components=d),
    "STE, 10 restarts": lambda d: STE(n_components=d, n_init=10),
    "STE, prior 0.3": lambda d: STE(n_components=d, prior=0.3),
    "STE, average": lambda d: STE(n_components=d, average=True),
    "STE, prior 0.3, average": lambda d: STE(n_components=d, prior=0.3, average=True),
    "t-STE": lambda d: TSTE(n_components=d),
    "t-STE, 10 restarts": lambda d: TSTE(n_components=d, n_init=10),
    "t-STE, average": lambda d: TSTE(n_components=d, average=True),
    "CKL": lambda d: CKL(n_components=d),
    "SOE": lambda d: SOE(n_components=d),
}
SIZES = (100, 300, 1_000, 3_000, 10_000)
_FRESH = 4_000
_OBJECTS = 30

#: A name, the number of dimensions, answers to learn from and others to predict.
Case = tuple[str, int, Triplets, Triplets]


def planted(sets: int) -> Iterator[Case]:
    """Maps that are known, and two noises: by the distances, and alike for all questions."""
    for number in range(sets):
        truth = np.random.default_rng(number).normal(size=(_OBJECTS, 2))
        for noise, level in (("logistic", 0.0), ("flip", 0.15)):
            fresh = simulate(truth, _FRESH, noise=noise, level=level, seed=1_000 + number)
            for size in SIZES:
                given = simulate(truth, size, noise=noise, level=level, seed=number)
                for d in (2, 4):
                    yield f"planted, {noise}, {size:,}", d, given, fresh


def people(data: Path | None, sets: int) -> Iterator[Case]:
    """Answers of people."""
    eggs = alien_eggs()
    learned, tested = split_of(eggs)
    for number in range(min(sets, 3)):
        order = np.random.default_rng(number).permutation(np.flatnonzero(learned))
        for share in (0.1, 0.3, 1.0):
            part = np.sort(order[: int(share * len(order))])
            for d in (1, 2):
                yield f"eggs, {share:.0%}", d, eggs.take(part), eggs.take(tested)
    if data is not None:
        songs = music(data)
        fold = question_folds(songs, 5, np.random.default_rng(0))
        for k in range(5):
            yield "music", 2, songs.take(fold != k), songs.take(fold == k)


def scores(make: Make, case: Case) -> tuple[float, float]:
    """Error on the answers to predict, and how far the maps of two halves are apart."""
    _, d, given, fresh = case
    error = triplet_error(make(d).fit(given), fresh)
    half = question_folds(given, 2, np.random.default_rng(0)) == 0
    maps = [make(d).fit(given.take(part)) for part in (half, ~half)]
    both = maps[0].placed_ & maps[1].placed_
    return error, procrustes_disparity(maps[0].embedding_[both], maps[1].embedding_[both])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="folder that holds music/triplets.csv")
    parser.add_argument("--sets", type=int, default=6, help="planted data sets of each kind")
    options = parser.parse_args()
    print(machine())
    found: dict[tuple[str, int], dict[str, list[tuple[float, float]]]] = {}
    for case in (*planted(options.sets), *people(options.data, options.sets)):
        of_case = found.setdefault(case[:2], {name: [] for name in CANDIDATES})
        for name, make in CANDIDATES.items():
            of_case[name].append(scores(make, case))
    rows = []
    for (what, d), of_case in found.items():
        usual = np.array(of_case["STE (default)"])[:, 0]
        for name, values in of_case.items():
            error, apart = np.array(values).T
            worse = 100 * (error - usual)
            spread = 2 * worse.std(ddof=1) / np.sqrt(len(worse)) if len(worse) > 1 else np.nan
            rows.append((
                what, d, name, f"{error.mean():.3f}", f"{worse.mean():+.1f} ± {spread:.1f}",
                f"{np.mean(apart):.2f}",
            ))
    print_table(
        ("answers", "d", "method", "error", "points above the default", "disparity of halves"), rows
    )


if __name__ == "__main__":
    main()
