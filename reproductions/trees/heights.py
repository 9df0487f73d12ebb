"""Heights of comparison trees and questions to grow and to search them, beside their bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from tripletscope.core.engine.progress import Progress, Stopped, silent
from tripletscope.core.trees import ComparisonTree
from tripletscope.core.trees.oracle import Vectors
from tripletscope.core.trees.quality import expansion_rates, height_bound
from tripletscope.reproductions.item import DOES_NOT_HOLD, HOLDS, Item, Observation
from tripletscope.reproductions.trees.samples import TITLES, sample

HEIGHT, BUILD, QUERY = "height", "questions to build", "questions of a query"
MOST, BOUND, ANYWAY = "most of all trees", "bound", "never more"
#: The bounds hold with probability 1 - this.
EPSILON = 0.05
#: What grows as log n adds the same with every doubling; less than twice as much is taken for it.
FASTER = 2.0


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


def _said(table: pd.DataFrame, what: str) -> tuple[str, float, float, str]:
    """What was found at the largest n; share above the bound; acceleration; empty bounds.

    The acceleration is how many times as much the last doubling of n adds to the mean as the first
    does, in the data set where this is most.
    """
    words, faster, empty, bounds = [], [], 0, 0
    for name, part in table[table["what"] == what].groupby("data", sort=False):
        wide = part.pivot_table("value", "n", "curve")
        mean = wide["mean"] / (wide.index if what == BUILD else 1)
        steps = np.diff(mean) / np.diff(np.log2(wide.index))
        faster.append(steps[-1] / steps[0])
        empty += int((wide[BOUND] >= wide[ANYWAY]).sum())
        bounds += len(wide)
        last = wide.iloc[-1]
        words.append(
            f"{name}, n = {wide.index[-1]:,}: at most {last[MOST]:,.0f}, bound {last[BOUND]:,.3g}"
        )
    above = float(table.loc[table["what"] == what, "above"].max())
    return (
        "; ".join(words), above, max(faster),
        f"{empty} of {bounds}",
    )


def _check_heights(table: pd.DataFrame) -> Observation:
    said, above, faster, empty = _said(table, HEIGHT)
    return Observation(
        HOLDS if above <= EPSILON and faster <= FASTER else DOES_NOT_HOLD, said,
        f"{100 * above:.0f} % of the trees are above h*, and the last doubling of n adds at most "
        f"{faster:.1f} times as many levels as the first; {empty} bounds exceed the height that "
        "any tree of so many objects can have and say nothing.",
    )


def _check_questions(table: pd.DataFrame) -> Observation:
    found = [_said(table, what) for what in (BUILD, QUERY)]
    above, faster = max(f[1] for f in found), max(f[2] for f in found)
    return Observation(
        HOLDS if above <= EPSILON and faster <= FASTER else DOES_NOT_HOLD,
        f"to build: {found[0][0]}; of a query: {found[1][0]}",
        f"{100 * above:.0f} % are above their bounds, and the last doubling of n adds at most "
        f"{faster:.1f} times as many questions, of an object or a query, as the first; to build "
        f"{found[0][3]} bounds, of a query {found[1][3]}, exceed what is possible at all and say "
        "nothing.",
    )


_SETTINGS = {
    "full": {"sizes": {
        "line": tuple(2**k for k in range(9, 17)), "square": (512, 1024, 2048, 4096),
        "digits": (300, 600, 1200, 1797)}, "leaf_size": 16, "n_trees": 20, "n_queries": 50},
    "quick": {"sizes": {"line": tuple(2**k for k in range(9, 16, 2)), "digits": (300, 1200)},
              "n_trees": 10},
}

_STAND_IN = (
    "an even line, random points of a square and digits in place of any objects, of which only the "
    "line's expansion rate is known and the others' is estimated from below"
)

ITEMS = (
    Item(
        key="thesis-theorem-1",
        title="Height of a comparison tree",
        claim="Where balls fill evenly, a comparison tree of n objects is no higher than a "
        "multiple of log n, with high probability.",
        published="h* = 3 log(e / ε) + 96 c² log(n / n₀), with probability 1 - ε",
        rule="Holds if at no n more than 5 % of the trees are higher than h*, and the last "
        "doubling of n adds at most twice as many levels, on average, as the first, on every "
        "data set.",
        ours="An even line, where the strong expansion rate c is 3, and a square and digits, where "
        "it is estimated from below by the cells of three trees; 20 trees, n₀ = 16, ε = 0.05",
        stand_in=_STAND_IN,
        not_judged="That a height is a multiple of log n, but for the last step being no more than "
        "twice the first: a height of log² n would pass too. And 12 of the 16 bounds are heights "
        "that no tree of so many objects can have.",
        experiment=bounds, check=_check_heights,
        **_SETTINGS,
    ),
    Item(
        key="thesis-corollary-2",
        title="Questions to grow and to search a comparison tree",
        claim="With high probability growing a comparison tree takes no more than a multiple of "
        "n log n questions, and a search no more than a multiple of log n and those of its leaf.",
        published="n h* to build, h* + n₀ for a query, with probability 1 - ε",
        rule="Holds if at no n more than 5 % of the trees or queries are above their bounds, and "
        "the last doubling of n adds at most twice as many questions, for each object to build "
        "and of a query, as the first, on every data set.",
        ours="As for theorem 1",
        stand_in=_STAND_IN,
        not_judged="That questions are multiples of n log n and log n, but for the last step being "
        "no more than twice the first: log n times as many would pass too. And 13 of the "
        "16 bounds to build and 12 of the 16 of a query are more than can be asked at all.",
        experiment=bounds, check=_check_questions,
        **_SETTINGS,
    ),
)
