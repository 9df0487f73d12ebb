"""How even the splits of comparison trees are, beside what is bounded of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from tripletscope.core.engine.progress import Progress, Stopped, silent
from tripletscope.core.trees import ComparisonTree
from tripletscope.core.trees.oracle import Vectors
from tripletscope.reproductions.item import DOES_NOT_HOLD, HOLDS, Item, Observation
from tripletscope.reproductions.trees.heights import strong_rate
from tripletscope.reproductions.trees.samples import TITLES, sample

MEASURED, BOUND = "measured", "bound"
#: What falls geometrically is at the greatest depth less than this part of what it was.
FALLEN = 0.1


def smaller_shares(points: np.ndarray) -> np.ndarray:
    """(n (n - 1),) share of the objects in the smaller child, for all pairs of pivots."""
    apart = Vectors(points).distances()
    near = np.array([(own <= apart).mean(axis=1) for own in apart])
    return np.minimum(near, 1 - near)[~np.eye(len(points), dtype=bool)]


def unbalanced(
    *, sets: Sequence[str], n_objects: int, shares: Sequence[float], seed: int = 0,
    progress: Progress = silent,
) -> pd.DataFrame:
    """Share of splits with a child of less than beta of the objects, in whole data sets."""
    rows = []
    for number, name in enumerate(sets, 1):
        rng = np.random.default_rng((seed, number))
        points = sample(name, n_objects, rng)
        tree = ComparisonTree(leaf_size=16, seed=seed).fit(points)
        rate = strong_rate(name, points, [tree])
        found = smaller_shares(points)
        for beta in shares:
            rows += [(TITLES[name], beta, MEASURED, np.mean(found < beta)),
                     (TITLES[name], beta, BOUND, 4 * rate**2 * beta)]
        if progress(number / len(sets)) and number < len(sets):
            raise Stopped
    return pd.DataFrame(rows, columns=["data", "beta", "curve", "share"])


def _sides(table: pd.DataFrame) -> tuple[pd.Series, pd.Series]:
    """What was measured and what bounds it, row by row."""
    keys = [c for c in table.columns if c not in ("curve", "share")]
    return tuple(
        table[table["curve"] == curve].set_index(keys)["share"] for curve in (MEASURED, BOUND)
    )


def _check_unbalanced(table: pd.DataFrame) -> Observation:
    measured, bound = _sides(table)
    above = int((measured > bound).sum())
    telling = bound < 1
    words = "; ".join(
        f"{name}: " + ", ".join(
            f"β = {beta:g}: {measured[name, beta]:.4f} (bound {bound[name, beta]:.3g})"
            for beta in table["beta"].unique()[1::3]
        ) for name in table["data"].unique()
    )
    return Observation(
        DOES_NOT_HOLD if above else HOLDS, words,
        f"{above} of {len(bound)} shares are above their bounds; {int((~telling).sum())} bounds "
        f"are 1 or more and say nothing, of the others up to "
        f"{(measured / bound)[telling].max():.4f} is reached.",
    )


def sizes_by_depth(
    *, n_objects: int, n_trees: int, depths: Sequence[int], shares: Sequence[float],
    seed: int = 0, progress: Progress = silent,
) -> pd.DataFrame:
    """Share of trees whose larger children still have a share of an even line, by depth.

    The bound is taken at the beta that makes it least.
    """
    points = sample("line", n_objects, np.random.default_rng(seed))
    left = np.zeros((n_trees, max(depths)))
    for number in range(n_trees):
        tree = ComparisonTree(leaf_size=1, seed=seed * n_trees + number)
        nodes = tree.fit(points).nodes_
        size, node = nodes.stop - nodes.start, 0
        for depth in range(max(depths)):
            left[number, depth] = size[node] / n_objects
            child = nodes.child[node]
            if child < 0:
                break
            node = child + (size[child + 1] > size[child])
        if progress((number + 1) / n_trees) and number + 1 < n_trees:
            raise Stopped
    rate = strong_rate("line", points, [])
    rows = []
    for share in shares:
        for depth in depths:
            rows += [(f"more than {share:g} n", depth, MEASURED,
                      np.mean(left[:, depth - 1] > share)),
                     (f"more than {share:g} n", depth, BOUND, _size_bound(rate, depth, share))]
    return pd.DataFrame(rows, columns=["size", "depth", "curve", "share"])


def _size_bound(rate: float, depth: int, share: float) -> float:
    beta = np.geomspace(1e-4, 1, 400) / (4 * rate**2)
    logs = (depth - 1) * np.log(8 * rate**2 * beta)
    logs -= np.log(share) / beta * np.log(1 / (4 * rate**2 * beta))
    return float(np.exp(min(logs.min(), 0.0)))


def _check_sizes(table: pd.DataFrame) -> Observation:
    measured, bound = _sides(table)
    above = int((measured > bound).sum())
    telling = bound < 0.999
    wide = table[table["curve"] == MEASURED].pivot_table("share", "size", "depth", sort=False)
    # The root has all objects.
    left = (wide.iloc[:, -1] / wide[2]).fillna(0.0)
    words = "; ".join(
        f"{size}, depth {depth}: {measured[size, depth]:.3f} (bound {bound[size, depth]:.3g})"
        for size, depth in bound[telling].index if depth % 15 == 0
    )
    return Observation(
        HOLDS if not above and left.max() < FALLEN else DOES_NOT_HOLD, words,
        f"{above} of {len(bound)} shares are above their bounds, of which {int(telling.sum())} "
        f"are below 1; at depth {wide.columns[-1]} at most {left.max():.3f} of the share at depth "
        "2 is left.",
    )


ITEMS = (
    Item(
        key="thesis-lemma-5",
        title="Uneven splits are rare",
        claim="That a split leaves a child with less than a share β of the objects has at most "
        "the probability 4 c² β.",
        published="P ≤ 4 c² β",
        rule="Holds if at none of nine β from .001 to .4 the share of pairs that leave a child "
        "with less than β of the objects is above 4 c² β, on every data set.",
        ours="All pairs in whole sets of 600 objects: an even line, where c = 3, and a square and "
        "digits, where c is estimated from below",
        stand_in="an even line, random points of a square and digits in place of any objects, with "
        "c estimated from below but for the line",
        experiment=unbalanced,
        full={"sets": ("line", "square", "digits"), "n_objects": 600,
              "shares": tuple(np.geomspace(0.001, 0.4, 9).round(4).tolist())},
        quick={"n_objects": 300},
        check=_check_unbalanced,
    ),
    Item(
        key="thesis-lemma-6",
        title="Cells shrink with their depth",
        claim="A cell far down is unlikely to have many of the objects: the probability falls "
        "geometrically with its depth.",
        published="P(|A| > m) ≤ (8 c² β)^(h - 1) (n / m)^(log(1 / 4 c² β) / β)",
        rule="Holds if for no size and depth up to 30 the share of trees is above the bound, and "
        "at depth 30 it is for every size less than a tenth of what it is at depth 2.",
        ours="An even line, where c = 3; the larger child is followed, and β is chosen so that the "
        "bound is least",
        experiment=sizes_by_depth,
        full={"n_objects": 4096, "n_trees": 1000, "depths": tuple(range(1, 31)),
              "shares": (0.1, 0.5, 0.9, 0.95, 0.98)},
        quick={"n_objects": 1024, "n_trees": 200},
        check=_check_sizes,
    ),
)
