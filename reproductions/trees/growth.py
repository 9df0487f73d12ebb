"""How the number of questions grows with the number of objects."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from tripletscope.core.computing.progress import Progress, Stopped, silent
from tripletscope.core.tree import ComparisonTree, RankCoverTree
from tripletscope.reproductions.item import DOES_NOT_HOLD, HOLDS, Item, Observation
from tripletscope.reproductions.trees.samples import sample

#: The trees at hand, and the powers of log n that the thesis states for building and a query.
TREES = {
    "Comparison tree": (ComparisonTree(leaf_size=16), 1, 1),
    "Rank cover tree": (RankCoverTree(n_levels=None, coverage=4), 3, 3),
}
BUILD, QUERY = "building, divided by n", "a query"
#: A power that explains so much of the variance is not refuted by a larger one that explains more.
ENOUGH = 0.98


def questions(
    *, sizes: Sequence[int], n_queries: int, repeats: int, seed: int = 0,
    progress: Progress = silent,
) -> pd.DataFrame:
    """Questions by tree and number of objects, about five-dimensional normal objects."""
    rows = []
    for number, n in enumerate(sizes, 1):
        for kind, (tree, *_) in TREES.items():
            found = []
            for repeat in range(repeats):
                rng = np.random.default_rng((seed, repeat, n))
                points = sample("normal5", n + n_queries, rng)
                fitted = tree.set_params(seed=repeat).fit(points[n_queries:])
                asked = fitted.kneighbors(points[:n_queries]).asked.mean()
                found.append((fitted.n_questions_ / n, asked))
            means, errors = np.mean(found, axis=0), np.std(found, axis=0) / np.sqrt(repeats)
            for what, mean, error in zip((BUILD, QUERY), means, errors, strict=True):
                rows.append((kind, what, n, mean, error))
        if progress(number / len(sizes)) and number < len(sizes):
            raise Stopped
    return pd.DataFrame(rows, columns=["tree", "what", "n", "questions", "spread"])


def explained(part: pd.DataFrame) -> dict[int, float]:
    """By the p of 1, 2, 3 the share of variance that a + b log(n)^p explains."""
    return {
        p: float(np.corrcoef(np.log(part["n"]) ** p, part["questions"])[0, 1] ** 2)
        for p in (1, 2, 3)
    }


def _check(table: pd.DataFrame) -> Observation:
    words, exceeded = [], []
    for (kind, what), part in table.groupby(["tree", "what"], sort=False):
        found = explained(part)
        best, stated = max(found, key=found.get), TREES[kind][1 if what == BUILD else 2]
        words.append(
            f"{kind}, {what}: log{'¹²³'[best - 1]} n fits best (R² {found[best]:.4f}; log n "
            f"{found[1]:.4f})"
        )
        if best > stated and found[stated] < ENOUGH:
            exceeded.append(f"{what} of the {kind.lower()}")
    build = table[table["what"] == BUILD].pivot_table("questions", "n", "tree")
    one, other = (build[kind] for kind in TREES)
    holds = not exceeded and bool((one < other).all())
    faster = " and ".join(exceeded).capitalize() or "Nothing"
    times = other.iloc[[0, -1]] / one.iloc[[0, -1]]
    return Observation(
        HOLDS if holds else DOES_NOT_HOLD, "; ".join(words),
        f"{faster} grows by a larger power of log n than stated, and building the rank cover tree "
        f"takes {times.iloc[0]:.0f} times as many questions at n = {build.index[0]:,} and "
        f"{times.iloc[1]:.0f} times at n = {build.index[-1]:,}.",
    )


ITEMS = (
    Item(
        key="thesis-table-2.1",
        title="Growth of the number of questions",
        claim="Growing a comparison tree takes about n log n questions and a search log n, fewer "
        "than any other method from comparisons takes.",
        published="To build and of a query: comparison tree n log n, log n; Goyal et al. n² log n, "
        "log n; Lifshits and Zhang n log² n, log n; Tschopp et al. n log² n, log² n; Houle and "
        "Nett n log³ n, log³ n",
        setting="Stated, not measured",
        ours="The powers of log n, beside a constant, are fitted to the questions about normal "
        "objects in five dimensions, for the comparison tree (n₀ = 16) and the rank cover tree of "
        "Houle and Nett (ω = 4, floor(log₄ n) levels); the other three have no program here",
        experiment=questions,
        full={"sizes": tuple(2**k for k in range(8, 16)), "n_queries": 200, "repeats": 5},
        quick={"sizes": tuple(2**k for k in range(8, 13)), "repeats": 3},
        check=_check,
    ),
)
