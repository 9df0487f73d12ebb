"""Whether the tails that answers choose predict, and place objects, as the best method does.

    python benchmarks/tails.py --data FOLDER [--sets 3]
    python benchmarks/tails.py --structure [--sets 3]     what pages tell of the worlds

Odd-one-out answers in worlds that no method was made for, plain triplets from few to many in five
noises, and answers of people: the alien eggs' own test answers, and music by five folds (where
FOLDER holds music/triplets.csv). Columns: error on fresh answers (of planted maps without noise)
with the heaviest tail, with those that `choose_tail` takes, and of the best of t-STE with any tail,
STE, SOE and CKL; how many times as far from the truth as the best (Procrustes disparity); the
tails; and seconds of the choice beside a fit.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import numpy as np
from report import machine, print_table
from sklearn.base import clone
from sources import alien_eggs, music, n_answers
from worlds import worlds

from tripletscope.core.data.geometry import procrustes_disparity
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.inference.held_out.compare import recommend_dimension
from tripletscope.core.inference.held_out.score import (
    cross_validate,
    question_folds,
    split_of,
    triplet_error,
)
from tripletscope.core.inference.held_out.tails import choose_tail
from tripletscope.core.inference.uncertainty import bootstrap
from tripletscope.core.inference.uncertainty.calibration import held_by_ellipses
from tripletscope.core.models.embedding import CKL, SOE, STE, TSTE
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.core.similarity.clusters import AgglomerativeClustering
from tripletscope.core.similarity.clusters.counting import count_clusters, recommend_clusters

_FRESH = 20_000
NOISES = {
    "noisy positions": ("positions", 0.3), "logistic": ("logistic", 0.7),
    "log-normal": ("lognormal", 0.4), "crowd": ("crowd", 0.1), "15 % flipped": ("flip", 0.15),
}
_FIXED = (1.0, 2.0, 5.0, 10.0, 30.0, 100.0)


class Case(NamedTuple):
    """Answers to learn from and others to predict; the true map where it is known."""

    name: str
    given: Triplets
    fresh: Triplets
    truth: np.ndarray | None


class Outcome(NamedTuple):
    """Errors and distances from the truth, in the order of the methods, and the choice."""

    errors: list[float]
    apart: list[float]
    alpha: float | None
    seconds: tuple[float, float]


def cases(data: Path | None, sets: int) -> Iterator[Case]:
    """All of them."""
    for world, seed in worlds(sets):
        truth = world.truth(seed)
        fresh = simulate(truth, _FRESH, seed=1)
        yield Case(f"odd one out: {world.name}", world.answers(seed), fresh, truth)
    for n in (15, 40):
        for factor in (1, 3, 10, 30):
            for name, (noise, level) in NOISES.items():
                for seed in range(sets):
                    truth = np.random.default_rng(seed).normal(size=(n, 2))
                    given = simulate(truth, n_answers(factor, n, 2), noise=noise, level=level,
                                     seed=seed)
                    fresh = simulate(truth, _FRESH, seed=77)
                    yield Case(f"{n} objects, {factor} x, {name}", given, fresh, truth)
    eggs = alien_eggs()
    learned, tested = (np.flatnonzero(part) for part in split_of(eggs))
    for share in (0.1, 0.3, 1.0):
        for seed in range(sets if share < 1 else 1):
            order = np.random.default_rng(seed).permutation(learned)
            given = eggs.take(np.sort(order[: int(share * len(order))]))
            yield Case(f"eggs, {share:.0%}", given, eggs.take(tested), None)
    if (songs := music(data)) is not None:
        fold = question_folds(songs, 5, np.random.default_rng(0))
        for k in range(5):
            yield Case("music", songs.take(fold != k), songs.take(fold == k), None)


def outcome(case: Case) -> Outcome:
    """The heaviest tail, the choice, and all others."""
    begin = time.perf_counter()
    alpha = choose_tail(TSTE(), case.given).alpha
    chosen = time.perf_counter() - begin
    methods = [TSTE(), TSTE(alpha=alpha), *(TSTE(alpha=a) for a in _FIXED), STE(), SOE(), CKL()]
    begin = time.perf_counter()
    fits = [method.fit(case.given) for method in methods]
    fitting = (time.perf_counter() - begin) / len(methods)
    apart = [
        np.nan if case.truth is None else procrustes_disparity(case.truth, fit.embedding_)
        for fit in fits
    ]
    return Outcome([triplet_error(fit, case.fresh) for fit in fits], apart, alpha,
                   (chosen, fitting))


def structure(sets: int) -> None:
    """Dimensions, clusters, and per cent of the true positions inside of 95 % ellipses over people.

    Those of two numbers are with the heaviest tail and with the chosen ones.
    """
    rows = []
    for world, seeds in groupby(worlds(sets), key=lambda pair: pair[0]):
        told = {"heaviest": ([], [], []), "chosen": ([], [], [])}
        for _, seed in seeds:
            answers = world.answers(seed)
            methods = {"heaviest": TSTE(), "chosen": choose_tail(TSTE(), answers).method()}
            for name, method in methods.items():
                errors = {
                    d: cross_validate(clone(method).set_params(n_components=d), answers)
                    for d in (1, 2, 3)
                }
                told[name][0].append(recommend_dimension(errors, answers, 0.25).n_components)
                counts = count_clusters(AgglomerativeClustering(basis=method), answers)
                told[name][1].append(recommend_clusters(counts).n_clusters)
                fitted = clone(method).fit(answers)
                maps = bootstrap(method, answers, reference=fitted.embedding_)
                told[name][2].append(100 * held_by_ellipses(maps, world.truth(seed))[-1])
        rows.append((world.name, *(
            ", ".join("none" if one is None else str(one) for one in told[name][kind])
            for kind in (0, 1) for name in ("heaviest", "chosen")
        ), *(f"{np.mean(told[name][2]):.0f}" for name in ("heaviest", "chosen"))))
    print_table(("world", "dimensions, heaviest", "chosen", "clusters, heaviest", "chosen",
                 "inside, heaviest", "chosen"), rows)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="folder that holds music/triplets.csv")
    parser.add_argument("--sets", type=int, default=3, help="data sets of each kind")
    parser.add_argument("--structure", action="store_true", help="dimensions and clusters instead")
    options = parser.parse_args()
    print(machine())
    if options.structure:
        structure(options.sets)
        return
    found: dict[str, list[Outcome]] = {}
    for case in cases(options.data, options.sets):
        found.setdefault(case.name, []).append(outcome(case))
    rows, ratios = [], []
    for name, outcomes in found.items():
        errors = np.array([one.errors for one in outcomes])
        apart = np.array([one.apart for one in outcomes])
        best = errors.mean(axis=0)[2:].argmin() + 2
        behind = 100 * (errors[:, 1] - errors[:, best])
        reach = 2 * behind.std(ddof=1) / np.sqrt(len(behind)) if len(behind) > 1 else np.nan
        far = apart[:, :2] / apart[:, 2:].min(axis=1, keepdims=True)
        ratios.append(far)
        heaviest, ours = np.median(far, axis=0)
        rows.append((
            name, *(f"{errors[:, k].mean():.3f}" for k in (0, 1, best)),
            f"{behind.mean():+.1f} ± {reach:.1f}", f"{heaviest:.1f}", f"{ours:.1f}",
            ", ".join("–" if one.alpha is None else f"{one.alpha:g}" for one in outcomes),
            "{:.2f} / {:.2f}".format(*np.median([one.seconds for one in outcomes], axis=0)),
        ))
    print_table(
        ("answers", "heaviest", "chosen", "best", "points above", "far, heaviest", "far, chosen",
         "tails", "seconds"), rows,
    )
    ratios = np.concatenate(ratios)
    ratios = ratios[np.isfinite(ratios).all(axis=1)]
    for name, far in zip(("heaviest", "chosen"), ratios.T, strict=True):
        print(f"{name}: {np.median(far):.2f} times as far as the best in the median, "
              f"{np.quantile(far, 0.9):.2f} in a tenth, {far.max():.1f} at worst")


if __name__ == "__main__":
    main()
