"""Nearest neighbours in comparison trees beside trees that see more, and what they cost to build.

    python benchmarks/trees.py --data FOLDER

FOLDER holds mnist10k; without it that table is left out. Every figure is about objects that the
trees were grown without: 1,000 of MNIST, all digits.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from objects import mnist
from report import machine, print_table
from sklearn.base import BaseEstimator
from sklearn.datasets import load_digits

from tripletscope.core.tree import (
    ComparisonForest,
    ComparisonTree,
    KDTree,
    PATree,
    RankCoverTree,
    RPTree,
)
from tripletscope.core.tree.oracle import Vectors
from tripletscope.core.tree.quality import expansion_rates, height_bound, search_errors

LEAF_SIZES = (4, 16, 64, 256)


def misses(vectors: np.ndarray) -> Iterator[tuple[str, ...]]:
    """Miss rate against leaf size, for every kind of tree."""
    repeats = 4 if len(vectors) < 5000 else 1
    for tree in (ComparisonTree, KDTree, RPTree, PATree):
        cells = []
        for leaf_size in LEAF_SIZES:
            found = [
                search_errors(
                    tree(leaf_size=leaf_size), vectors, folds=5, max_objects=1000, seed=seed
                )
                for seed in range(repeats if tree is not PATree else 1)
            ]
            rates = [f.miss_rate for f in found]
            asked = np.mean([f.asked.mean() for f in found])
            cells.append(f"{np.mean(rates):.3f} ({asked:.0f})")
        yield tree.__name__, *cells


def costs(vectors: np.ndarray) -> Iterator[tuple[str, ...]]:
    """Questions to build and to query at equal cost of a query, with errors."""
    searches: list[BaseEstimator] = []
    for coverage in (1, 2, 4, 8):
        searches.append(RankCoverTree(coverage=coverage))
    for leaf_size in (48, 96, 192, 384):
        searches.append(ComparisonTree(leaf_size=leaf_size))
    for search in searches:
        found = search_errors(search, vectors, folds=5, max_objects=1000)
        kind = type(search).__name__
        setting = f"ω = {search.coverage:g}" if kind == "RankCoverTree" else (
            f"n₀ = {search.leaf_size}"
        )
        yield (
            kind, setting, f"{found.asked.mean():.0f}", f"{found.miss_rate:.3f}",
            f"{found.mean_excess:.3f}", f"{found.to_build:,.0f}",
        )
    yield from better_searches(vectors)


def better_searches(vectors: np.ndarray) -> Iterator[tuple[str, ...]]:
    """What goes beyond the paper: backtracking, and several trees with small leaves."""
    order = np.random.default_rng(0).permutation(len(vectors))
    test, train = order[: min(len(vectors) // 5, 500)], order[min(len(vectors) // 5, 500) :]
    apart = Vectors(vectors[train]).about(vectors[test]).distances()
    nearest = apart.min(axis=1)

    def row(kind: str, setting: str, found: np.ndarray, asked: float, built: int):
        reached = apart[np.arange(len(test)), found]
        usable = nearest > 0
        excess = np.mean(reached[usable] / nearest[usable]) - 1
        missed = np.mean(reached > nearest)
        return kind, setting, f"{asked:.0f}", f"{missed:.3f}", f"{excess:.3f}", f"{built:,}"

    tree = ComparisonTree(leaf_size=16).fit(vectors[train])
    for budget in (100, 200, 400):
        found, asked = tree.kneighbors(vectors[test], budget=budget)
        setting = f"n₀ = 16, budget {budget}"
        yield row("one tree, best first", setting, found[:, 0], asked.mean(), tree.n_questions_)
    for n_estimators in (5, 10, 20):
        forest = ComparisonForest(n_estimators=n_estimators, leaf_size=16).fit(vectors[train])
        before = forest.oracle_.n_questions
        found = forest.kneighbors(vectors[test])[:, 0]
        asked = (forest.oracle_.n_questions - before) / len(test)
        yield row(f"{n_estimators} trees", "n₀ = 16", found, asked, forest.n_questions_)


def heights(vectors: np.ndarray) -> tuple[str, ...]:
    """Height and balance over ten trees, beside the bound."""
    trees = [ComparisonTree(leaf_size=16, seed=seed).fit(vectors) for seed in range(10)]
    some = np.random.default_rng(0).choice(len(vectors), min(len(vectors), 1000), replace=False)
    rates = expansion_rates(Vectors(vectors).about(vectors[some]).distances())
    quartiles = np.percentile(rates, [25, 50, 75])
    return (
        f"{len(vectors):,}", f"{np.mean([t.height for t in trees]):.1f}",
        f"{np.log2(len(vectors) / 16):.1f}", f"{np.mean([t.balance for t in trees]):.2f}",
        " / ".join(f"{q:.0f}" for q in quartiles),
        f"{height_bound(len(vectors), 16, quartiles[1]):,.0f}",
    )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="holds mnist10k")
    options = parser.parse_args()
    print(machine())
    sets = {"digits": load_digits().data}
    if (found := mnist(options.data)) is not None:
        sets["MNIST 10k"] = found[0].astype(np.float32)
    for name, vectors in sets.items():
        print(f"{name}: nearest neighbours missed (questions of a query), by leaf size n₀")
        print_table(("tree", *map(str, LEAF_SIZES)), list(misses(vectors)))
    print("digits: at equal cost of a query")
    print_table(
        ("search", "setting", "questions", "missed", "distance error", "questions to build"),
        list(costs(sets["digits"])),
    )
    print("Height with n₀ = 16, and what it is bounded by with probability 0.95")
    print_table(
        ("data", "n", "height", "log2(n / n₀)", "balance", "expansion, quartiles", "h*, median c"),
        [(name, *heights(vectors)) for name, vectors in sets.items()],
    )


if __name__ == "__main__":
    main()
