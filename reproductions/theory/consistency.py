"""Errors of comparison trees and forests as the objects become many."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from tripletscope.core.computing.progress import Progress, Stopped, silent
from tripletscope.core.tree import ComparisonForestClassifier
from tripletscope.reproductions.item import DOES_NOT_HOLD, HOLDS, Item, Observation
from tripletscope.reproductions.theory.continuous import SQUARE, halves, in_cube

#: Levels are at most this many times log n.
LIMIT = 1 / np.log(2)
FOREST = "forest of trees of α = 1"
REAL = "comparison forest, n₀ = 1"
WIDER = "comparison forest, n₀ = √n"
#: Error of the best classifier: labels are turned with this probability.
BAYES = 0.1


def probability(points: np.ndarray) -> np.ndarray:
    """That an object has label 1: high in two opposite quarters of the square, low elsewhere."""
    inside = (points[:, 0] < 0.5) == (points[:, 1] < 0.5)
    return np.where(inside, 1 - BAYES, BAYES)


def majorities(
    points: np.ndarray, label: np.ndarray, queries: np.ndarray, levels: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """What the cells of a truncated continuous tree say of queries; ties and empty cells say 1."""
    said = np.ones(len(queries), dtype=bool)
    waiting = [(SQUARE, np.arange(len(points)), np.arange(len(queries)), levels)]
    while waiting:
        cell, inside, asked, left = waiting.pop()
        # Where nobody is, or nobody asks, it does not matter how cells are divided.
        if not len(asked) or not len(inside):
            continue
        if not left:
            said[asked] = 2 * label[inside].sum() >= len(inside)
            continue
        (x, y), *parts = halves(cell, "even density", rng)
        middle, normal = (x + y) / 2, y - x
        first, first_asked = (
            (where - middle) @ normal <= 0 for where in (points[inside], queries[asked])
        )
        waiting += [
            (parts[0], inside[first], asked[first_asked], left - 1),
            (parts[1], inside[~first], asked[~first_asked], left - 1),
        ]
    return said


def errors(
    *, sizes: Sequence[int], alphas: Sequence[float], n_trees: int, n_queries: int, repeats: int,
    seed: int = 0, progress: Progress = silent,
) -> pd.DataFrame:
    """Error of trees truncated at alpha log n levels, of a forest of them, and of a real forest."""
    rows = []
    work = [(size, repeat) for size in sizes for repeat in range(repeats)]
    for number, (size, repeat) in enumerate(work, 1):
        rng = np.random.default_rng((seed, size, repeat))
        points, queries = (in_cube(n, 2, "even density", rng) for n in (size, n_queries))
        label = rng.random(size) < probability(points)
        chance = probability(queries)

        def error(said: np.ndarray, chance: np.ndarray = chance) -> float:
            return float(np.where(said, 1 - chance, chance).mean())

        for alpha in alphas:
            levels = int(alpha * np.log(size))
            said = majorities(points, label, queries, levels, rng)
            rows.append((_named(alpha), size, error(said)))
        votes = [
            majorities(points, label, queries, int(np.log(size)), rng) for _ in range(n_trees)
        ]
        rows.append((FOREST, size, error(np.mean(votes, axis=0) >= 0.5)))
        for name, leaf_size in ((REAL, 1), (WIDER, int(size**0.5))):
            real = ComparisonForestClassifier(
                n_estimators=100, leaf_size=leaf_size, pivots="random", oob_score=False,
                seed=int(rng.integers(2**31)),
            )
            rows.append((name, size, error(real.fit(points, label).predict(queries))))
        if progress(number / len(work)) and number < len(work):
            raise Stopped
    found = pd.DataFrame(rows, columns=["classifier", "n", "error"])
    by = found.groupby(["classifier", "n"], sort=False)["error"]
    table = by.mean().reset_index()
    return table.assign(spread=(by.std() / np.sqrt(repeats)).to_numpy(), bayes=BAYES)


def _named(alpha: float) -> str:
    words = f"tree, α = {alpha:g}"
    return words if alpha < LIMIT else f"{words} (too many levels)"


def _check(table: pd.DataFrame) -> Observation:
    words, standing = [], []
    for name, part in table.groupby("classifier", sort=False):
        part = part.sort_values("n")
        first, last = part["error"].iloc[[0, -1]]
        fallen = first - last > 2 * np.hypot(part["spread"].iloc[0], part["spread"].iloc[-1])
        words.append(f"{name}: {first:.3f} to {last:.3f}")
        covered = "too many" not in name and name not in (REAL, WIDER)
        if covered and not fallen:
            standing.append(name)
    last = table.sort_values("n").groupby("classifier")["error"].last()
    return Observation(
        DOES_NOT_HOLD if standing else HOLDS,
        f"error from n = {table['n'].min():,} to {table['n'].max():,}, best {BAYES}: "
        f"{'; '.join(words)}",
        ("The error of every truncated tree and of their forest falls by more than two standard "
         "errors" if not standing else f"The error does not fall of {', '.join(standing)}")
        + "; the forest as it is used, which the theorem does not cover, comes to "
        f"{last[REAL]:.3f} with leaves of one object and to {last[WIDER]:.3f} with leaves of √n.",
    )


ITEMS = (
    Item(
        key="forests-theorem-3.1",
        title="Consistency of comparison trees",
        also=("thesis-theorem-9", "forests-supplement-theorem-1.1"),
        claim="With more and more objects the error of a continuous tree of α log n levels comes "
        "down to the least that is possible.",
        published="Consistent for every α between 0 and 1 / log 2",
        ours="The square with labels that are turned with probability 0.1, in four quarters; trees "
        "of three permitted α and of one that is not, a forest of 20 trees, and the comparison "
        "forest of 100 trees as it is used, with leaves of one object and of √n",
        experiment=errors,
        full={"sizes": tuple(4**k for k in range(3, 8)), "alphas": (0.5, 1.0, 1.2, 2.0),
              "n_trees": 20, "n_queries": 600, "repeats": 6},
        quick={"sizes": (64, 1024), "n_queries": 300, "n_trees": 8, "repeats": 4},
        check=_check,
    ),
)
