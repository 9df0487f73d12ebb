"""Heights of comparison trees and questions to grow and to search them, beside their bounds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from tripletscope.core.computing.progress import Progress, Stopped, silent
from tripletscope.core.tree import ComparisonTree
from tripletscope.core.tree.oracle import Vectors
from tripletscope.core.tree.quality import expansion_rates, height_bound
from tripletscope.reproductions.item import DOES_NOT_HOLD, HOLDS, Item, Observation
from tripletscope.reproductions.trees.samples import TITLES, sample

HEIGHT, BUILD, QUERY = "height", "questions to build", "questions of a query"
MOST, BOUND, ANYWAY = "most of all trees", "bound", "never more"
#: The bounds hold with probability 1 - this.
EPSILON = 0.05


def strong_rate(name: str, points: np.ndarray, trees: Sequence[ComparisonTree]) -> float:
    """The strong expansion rate: the largest of all sets that may be cells.

    On an even line cells are runs of objects, and it is 3 exactly: so many objects are within one
    step of an object that is not at an end, and no run has more. Elsewhere it is estimated from
    below, by the rates of the cells that these trees have.
    """
    if name == "line":
        return 3.0
    largest = 1.0
    for tree in trees:
        nodes = tree.nodes_
        for node in np.flatnonzero(nodes.child >= 0):
            cell = points[nodes.members(node)]
            apart = Vectors(cell).distances()
            np.fill_diagonal(apart, 0)
            largest = max(largest, expansion_rates(apart).max())
    return largest


def _divided(
    name: str, n_objects: int, n_queries: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Objects and others to be found; an even line stays whole."""
    if name == "line":
        return sample(name, n_objects, rng), n_objects * rng.random((n_queries, 1))
    points = rng.permutation(sample(name, n_objects + n_queries, rng))
    return points[n_queries:], points[:n_queries]


def bounds(
    *, sizes: Mapping[str, Sequence[int]], leaf_size: int, n_trees: int, n_queries: int,
    seed: int = 0, progress: Progress = silent,
) -> pd.DataFrame:
    """What trees took, beside h* and what follows from it."""
    rows = []
    work = [(name, n) for name in sizes for n in sizes[name]]
    for number, (name, n) in enumerate(work, 1):
        rng = np.random.default_rng((seed, number))
        points, queries = _divided(name, n, n_queries, rng)
        trees, asked = [], []
        for _ in range(n_trees):
            tree = ComparisonTree(leaf_size=leaf_size, seed=int(rng.integers(2**31))).fit(points)
            asked.append(tree.kneighbors(queries).asked)
            trees.append(tree)
        limit = height_bound(
            len(points), leaf_size, strong_rate(name, points, trees[:3]), EPSILON
        )
        measured = {
            HEIGHT: ([tree.height for tree in trees], limit, len(points) - leaf_size),
            BUILD: ([tree.n_questions_ for tree in trees], limit * len(points),
                    len(points) ** 2 / 2),
            QUERY: (np.ravel(asked), limit + leaf_size, len(points)),
        }
        for what, (found, bound, anyway) in measured.items():
            above = np.mean(np.greater(found, bound))
            rows += [(TITLES[name], len(points), what, MOST, np.max(found), above),
                     (TITLES[name], len(points), what, "mean", np.mean(found), above),
                     (TITLES[name], len(points), what, BOUND, bound, above),
                     (TITLES[name], len(points), what, ANYWAY, anyway, above)]
        if progress(number / len(work)) and number < len(work):
            raise Stopped
    return pd.DataFrame(rows, columns=["data", "n", "what", "curve", "value", "above"])


def _said(table: pd.DataFrame, what: str) -> Iterator[tuple[str, float, float]]:
    """Of each data set at its largest n: words, bound over most, and share above the bound."""
    for name, part in table[table["what"] == what].groupby("data", sort=False):
        last = part[part["n"] == part["n"].max()].set_index("curve")["value"]
        words = (
            f"{name}, n = {part['n'].max():,}: at most {last[MOST]:,.0f}, bound "
            f"{last[BOUND]:,.0f}"
        )
        yield words, last[BOUND] / last[MOST], part["above"].max()


def _slope(part: pd.DataFrame) -> float:
    """Levels by which the mean height grows as the objects double."""
    mean = part[part["curve"] == "mean"]
    return float(np.polyfit(np.log2(mean["n"]), mean["value"], 1)[0])


def _check_heights(table: pd.DataFrame) -> Observation:
    words, ratios, above = zip(*_said(table, HEIGHT), strict=True)
    slopes = [
        _slope(part) for _, part in table[table["what"] == HEIGHT].groupby("data", sort=False)
    ]
    return Observation(
        HOLDS if max(above) <= EPSILON else DOES_NOT_HOLD, "; ".join(words),
        f"{100 * max(above):.0f} % of the trees are above h*, which is {min(ratios):.0f} times "
        f"the greatest height or more; each doubling of n adds {min(slopes):.1f} to "
        f"{max(slopes):.1f} levels.",
    )


def _check_questions(table: pd.DataFrame) -> Observation:
    build, query = (list(_said(table, what)) for what in (BUILD, QUERY))
    above = max(a for _, _, a in build + query)
    return Observation(
        HOLDS if above <= EPSILON else DOES_NOT_HOLD,
        f"to build: {'; '.join(w for w, *_ in build)}; of a query: "
        f"{'; '.join(w for w, *_ in query)}",
        f"{100 * above:.0f} % are above their bounds, which are {min(r for _, r, _ in build):.0f} "
        f"and {min(r for _, r, _ in query):.0f} times what was asked or more.",
    )


_SETTINGS = {
    "full": {"sizes": {
        "line": tuple(2**k for k in range(9, 18)), "square": (512, 1024, 2048, 4096),
        "digits": (300, 600, 1200, 1797)}, "leaf_size": 16, "n_trees": 40, "n_queries": 50},
    "quick": {"sizes": {"line": tuple(2**k for k in range(9, 16, 2)), "digits": (300, 1200)},
              "n_trees": 10},
}

ITEMS = (
    Item(
        key="thesis-theorem-1",
        title="Height of a comparison tree",
        claim="Where balls fill evenly, a comparison tree of n objects is no higher than a "
        "multiple of log n, with high probability.",
        published="h* = 3 log(e / ε) + 96 c² log(n / n₀), with probability 1 - ε",
        ours="An even line, where the strong expansion rate c is 3, and a square and digits, where "
        "it is estimated from below by the cells of three trees; 40 trees, n₀ = 16, ε = 0.05",
        experiment=bounds, check=_check_heights,
        **_SETTINGS,
    ),
    Item(
        key="thesis-corollary-2",
        title="Questions to grow and to search a comparison tree",
        claim="With high probability growing a comparison tree takes no more than a multiple of "
        "n log n questions, and a search no more than a multiple of log n and those of its leaf.",
        published="n h* to build, h* + n₀ for a query, with probability 1 - ε",
        ours="As for theorem 1",
        experiment=bounds, check=_check_questions,
        **_SETTINGS,
    ),
)
