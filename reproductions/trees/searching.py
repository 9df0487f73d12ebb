"""Growing a tree and searching it, step by step as the thesis writes it down."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.progress import Progress, Stopped, silent
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.core.trees import ComparisonTree
from tripletscope.core.trees.oracle import Vectors
from tripletscope.reproductions.item import (
    DOES_NOT_HOLD,
    HOLDS,
    Item,
    Observation,
)
from tripletscope.reproductions.trees.samples import sample

DEFINED, COUNTED = "by the definition", "counted"
#: Share of further questions that pairs may take which are drawn again.
FURTHER = 0.01


def grown(
    *, leaf_sizes: Sequence[int], n_objects: int, seed: int = 0, progress: Progress = silent
) -> pd.DataFrame:
    """Questions and misplaced objects of trees of the digits, beside the definition."""
    points = sample("digits", n_objects, np.random.default_rng(seed))
    apart = Vectors(points).distances()
    rows = []
    for number, leaf_size in enumerate(leaf_sizes, 1):
        tree = ComparisonTree(leaf_size=leaf_size, seed=seed).fit(points)
        nodes = tree.nodes_
        size = nodes.stop - nodes.start
        inner = np.flatnonzero(nodes.child >= 0)
        misplaced = 0
        for node in inner:
            first, second = nodes.pivots[node, 0]
            near = np.sort(nodes.members(nodes.child[node]))
            members = np.sort(nodes.members(node))
            defined = members[apart[members, first] <= apart[members, second]]
            misplaced += len(np.setxor1d(near, defined))
        # Pivots know their side.
        defined = int((size[inner] - 2).sum())
        largest = int(size[nodes.child < 0].max())
        rows += [(leaf_size, DEFINED, defined, misplaced, largest),
                 (leaf_size, COUNTED, tree.n_questions_, misplaced, largest)]
        if progress(number / len(leaf_sizes)) and number < len(leaf_sizes):
            raise Stopped
    return pd.DataFrame(
        rows, columns=["leaf_size", "questions are", "questions", "misplaced", "largest_leaf"]
    )


def _check_grown(table: pd.DataFrame) -> Observation:
    counts = table.pivot_table("questions", "leaf_size", "questions are")
    further = counts[COUNTED] / counts[DEFINED] - 1
    misplaced = int(table["misplaced"].sum())
    full = bool((table["largest_leaf"] <= table["leaf_size"]).all())
    return Observation(
        HOLDS if further.between(0, FURTHER).all() and full and not misplaced else DOES_NOT_HOLD,
        "questions: " + ", ".join(f"n₀ = {size}: {n:,.0f}" for size, n in counts[COUNTED].items()),
        f"{misplaced} objects are in another cell than the definition's, leaves "
        f"{'hold at most n₀' if full else 'hold more than n₀'}, and up to "
        f"{100 * further.max():.1f} % more questions are asked, as a pair that would part one "
        "pivot alone from a cell is drawn again.",
    )


def searched(
    *, leaf_sizes: Sequence[int], n_objects: int, n_queries: int, seed: int = 0,
    progress: Progress = silent,
) -> pd.DataFrame:
    """What a search finds and asks, beside the definition."""
    rng = np.random.default_rng(seed)
    points = rng.permutation(sample("digits", n_objects, rng))
    queries, points = points[:n_queries], points[n_queries:]
    apart = Vectors(points).about(queries).distances()
    rows = []
    for number, leaf_size in enumerate(leaf_sizes, 1):
        tree = ComparisonTree(leaf_size=leaf_size, seed=seed).fit(points)
        found, asked = tree.kneighbors(queries)
        leaf, steps = np.zeros(n_queries, dtype=int), np.zeros(n_queries, dtype=int)
        nodes = tree.nodes_
        for node in np.flatnonzero(nodes.child >= 0):
            first, second = nodes.pivots[node, 0]
            here = np.flatnonzero(leaf == node)
            leaf[here] = nodes.child[node] + (apart[here, first] > apart[here, second])
            steps[here] += 1
        nearest = [
            members[np.argmin(apart[q, members])]
            for q, members in enumerate(map(nodes.members, leaf))
        ]
        wrong = int((apart[np.arange(n_queries), found[:, 0]]
                     > apart[np.arange(n_queries), nearest]).sum())
        defined = steps + (nodes.stop - nodes.start)[leaf] - 1
        differ = int((defined != asked).sum())
        rows += [(leaf_size, DEFINED, defined.mean(), wrong, differ, tree.height + leaf_size),
                 (leaf_size, COUNTED, asked.mean(), wrong, differ, asked.max())]
        if progress(number / len(leaf_sizes)) and number < len(leaf_sizes):
            raise Stopped
    return pd.DataFrame(rows, columns=[
        "leaf_size", "questions are", "questions", "wrong", "differ", "most"
    ])


def _check_searched(table: pd.DataFrame) -> Observation:
    wrong, differ = int(table["wrong"].max()), int(table["differ"].max())
    most = table.pivot_table("most", "leaf_size", "questions are")
    within = bool((most[COUNTED] <= most[DEFINED]).all())
    counted = table[table["questions are"] == COUNTED].set_index("leaf_size")["questions"]
    return Observation(
        HOLDS if within and not wrong and not differ else DOES_NOT_HOLD,
        "questions: " + ", ".join(f"n₀ = {size}: {n:.0f}" for size, n in counted.items()),
        f"{wrong} searches find another than the nearest of their leaf, {differ} ask another "
        f"number than the steps and the leaf's objects less one, and "
        f"{'none' if within else 'some'} ask more than h + n₀.",
    )


def digit_answers() -> Triplets:
    """Answers to 20,000 random questions about 100 digits."""
    return simulate(sample("digits", 100, np.random.default_rng(0)), 20_000, seed=0)


ITEMS = (
    Item(
        key="thesis-algorithm-1",
        title="Growing a comparison tree",
        claim="A cell is divided by which of two random members its objects are nearer to, until "
        "no cell has more than n₀ objects.",
        rule="Holds if every object is in the cell of the nearer pivot, no leaf holds more than "
        "n₀, and at most 1 % more questions are asked than objects of divided cells less their "
        "pivots, at each n₀ from 1 to 256.",
        ours="The digits",
        experiment=grown, full={"leaf_sizes": (1, 4, 16, 64, 256), "n_objects": 1797},
        check=_check_grown,
    ),
    Item(
        key="thesis-algorithm-2",
        title="Searching a comparison tree",
        claim="An object goes down to the leaf of the nearer pivots and is compared with all that "
        "are there.",
        rule="Holds if every search finds an object as near as the nearest of the leaf that the "
        "pivots lead to, and asks as many questions as steps and objects there less one, at most "
        "h + n₀.",
        ours="300 of the digits, in trees of the others",
        experiment=searched,
        full={"leaf_sizes": (1, 4, 16, 64, 256), "n_objects": 1797, "n_queries": 300},
        check=_check_searched,
    ),
)
