"""Searches in several comparison trees, and with backtracking, beside what one tree finds.

    python benchmarks/trees.py

What the papers say of trees is rebuilt by `make reproduce`. Every figure is about digits that the
trees were grown without.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from report import machine, print_table
from sklearn.datasets import load_digits

from tripletscope.core.trees import ComparisonForest, ComparisonTree
from tripletscope.core.trees.oracle import Vectors

N_QUERIES = 500


def searches(vectors: np.ndarray) -> Iterator[tuple[str, ...]]:
    """Questions, misses and distance errors of a query, and questions to build."""
    order = np.random.default_rng(0).permutation(len(vectors))
    test, train = vectors[order[:N_QUERIES]], vectors[order[N_QUERIES:]]
    apart = Vectors(train).about(test).distances()
    nearest = apart.min(axis=1)

    def row(kind: str, setting: str, found: np.ndarray, asked: float, built: int):
        reached = apart[np.arange(len(test)), found]
        excess = np.mean(reached / nearest) - 1
        missed = np.mean(reached > nearest)
        return kind, setting, f"{asked:.0f}", f"{missed:.3f}", f"{excess:.3f}", f"{built:,}"

    for leaf_size in (96, 192, 384):
        tree = ComparisonTree(leaf_size=leaf_size).fit(train)
        found, asked = tree.kneighbors(test)
        yield row("one tree", f"n₀ = {leaf_size}", found[:, 0], asked.mean(), tree.n_questions_)
    tree = ComparisonTree(leaf_size=16).fit(train)
    for budget in (100, 200, 400):
        found, asked = tree.kneighbors(test, budget=budget)
        setting = f"n₀ = 16, budget {budget}"
        yield row("one tree, best first", setting, found[:, 0], asked.mean(), tree.n_questions_)
    for n_estimators in (5, 10, 20):
        forest = ComparisonForest(n_estimators=n_estimators, leaf_size=16).fit(train)
        before = forest.oracle_.n_questions
        found = forest.kneighbors(test)[:, 0]
        asked = (forest.oracle_.n_questions - before) / len(test)
        yield row(f"{n_estimators} trees", "n₀ = 16", found, asked, forest.n_questions_)


def main() -> None:
    """Print the table."""
    print(machine())
    print_table(
        ("search", "setting", "questions", "missed", "distance error", "questions to build"),
        list(searches(load_digits().data)),
    )


if __name__ == "__main__":
    main()
