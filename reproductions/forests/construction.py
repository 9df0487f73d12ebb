"""How a comparison tree is grown and how a forest of them votes."""

from __future__ import annotations

import numpy as np
import pandas as pd

from tripletscope.core.engine.progress import Progress, Stopped, silent
from tripletscope.core.models.simulation.truth import true_positions
from tripletscope.core.trees import ComparisonForestClassifier
from tripletscope.core.trees.nodes import Nodes, cells
from tripletscope.reproductions.data import LabelledVectors, vectors
from tripletscope.reproductions.forests.paired import clearly_below, in_splits, listed, splits_of
from tripletscope.reproductions.item import (
    DOES_NOT_HOLD,
    HOLDS,
    Item,
    Observation,
)

# Figure 1 --------------------------------------------------------------------------------------

#: Steps of the construction.
STEPS = ("(i) a cell of two classes", "(ii) two pivots of different classes",
         "(iii) split by the nearer pivot", "(iv) down to cells of n₀ points")


def plane(
    *, n_objects: int, leaf_size: int, seed: int = 0, progress: Progress = silent
) -> pd.DataFrame:
    """Points of two classes, and the cells of a tree of them after each step."""
    rng = np.random.default_rng(seed)
    points = true_positions("moons", n_objects, 2, rng) + rng.normal(0, 0.15, (n_objects, 2))
    label = (points[:, 1] > np.median(points[:, 1])).astype(int)
    forest = ComparisonForestClassifier(
        n_estimators=1, leaf_size=leaf_size, divide_pure=True, seed=seed
    ).fit(points, label)
    nodes = forest.tree(0)
    outlines = cells(nodes, points, points.min(axis=0) - 0.3, points.max(axis=0) + 0.3)
    leaf = nodes.leaf_of(n_objects)
    inner, leaves = np.flatnonzero(nodes.child >= 0), np.flatnonzero(nodes.child < 0)
    shown = [([0], []), ([0], [0]), ([1, 2], [0]), (leaves, inner)]
    if progress(0.5):
        raise Stopped
    parts = []
    for step, (drawn, split) in zip(STEPS, shown, strict=True):
        pivots = np.unique(nodes.pivots[split, 0]) if len(split) else np.zeros(0, int)
        kind = np.where(label == 1, "class 1", "class 0").astype(object)
        kind[np.isin(np.arange(n_objects), pivots)] = "pivots"
        parts.append(pd.DataFrame({
            "step": step, "x": points[:, 0], "y": points[:, 1], "kind": kind, "class": label,
            "cell": leaf if step == STEPS[-1] else 0,
            "inside": [within(outlines[cell], point)
                       for cell, point in zip(leaf, points, strict=True)],
        }).sort_values("kind", kind="stable"))
        for cell in drawn:
            x, y = np.vstack([outlines[cell], outlines[cell][:1]]).T
            parts.append(pd.DataFrame({"step": step, "x": x, "y": y, "outline": f"cell {cell}"}))
    _, one_class, *_ = _faults(nodes, LabelledVectors("moons", points, label), leaf_size)
    return pd.concat(parts, ignore_index=True).assign(leaf_size=leaf_size, one_class=one_class)


def within(polygon: np.ndarray, point: np.ndarray) -> bool:
    """Whether a point is in a convex polygon, (k, 2) corners, or at its edge."""
    edges = np.roll(polygon, -1, axis=0) - polygon
    to = point - polygon
    turns = edges[:, 0] * to[:, 1] - edges[:, 1] * to[:, 0]
    return bool((turns >= -1e-9).all() or (turns <= 1e-9).all())


def check_plane(table: pd.DataFrame) -> Observation:
    """Every point in the cell of its leaf, no leaf too large, all pivots of two classes."""
    last = table[table["kind"].notna() & (table["step"] == STEPS[-1])]
    sizes = last.groupby("cell").size()
    inside = last["inside"].astype(bool)
    leaf_size, one_class = table["leaf_size"].iloc[0], int(table["one_class"].iloc[0])
    return Observation(
        HOLDS if inside.all() and sizes.max() <= leaf_size and not one_class else DOES_NOT_HOLD,
        f"{len(last)} points in {len(sizes)} cells of at most {sizes.max()}",
        f"{inside.sum()} of {len(last)} points lie in the polygon of their leaf, and {one_class} "
        "cells of both classes have pivots of one.",
    )


# Algorithm 1 -----------------------------------------------------------------------------------


def growing(
    *, leaf_sizes: tuple[int, ...], n_objects: int, n_trees: int, seed: int = 0,
    progress: Progress = silent,
) -> pd.DataFrame:
    """Questions of trees of digits, and how often something in them is not as defined."""
    given = vectors("digits").some(n_objects, np.random.default_rng(seed))
    rows = []
    for leaf_size in leaf_sizes:
        forest = ComparisonForestClassifier(
            n_estimators=n_trees, leaf_size=leaf_size, divide_pure=True, seed=seed
        ).fit(given.points, given.target)
        found = np.sum([_faults(forest.tree(k), given, leaf_size) for k in range(n_trees)], axis=0)
        names = ("large", "one_class", "wrong_side", "total", "leaves")
        row = dict(zip(names, found, strict=True))
        rows += [
            {"leaf_size": leaf_size, "counted": counted, "questions": questions / n_trees, **row}
            for counted, questions in
            (("asked", forest.n_questions_), ("by the definition", row["total"]))
        ]
        if progress(len(rows) / 2 / len(leaf_sizes)):
            raise Stopped
    return pd.DataFrame(rows)


def _faults(nodes: Nodes, given: LabelledVectors, leaf_size: int) -> np.ndarray:
    """Leaves too large, pivots of one class in a mixed cell, objects at the wrong side.

    Then how many questions the cells take, one about each member that is no pivot, and how many
    leaves there are.
    """
    found = np.zeros(5, int)
    for node, child in enumerate(nodes.child):
        members = nodes.members(node)
        if child < 0:
            found[0] += len(members) > leaf_size
            found[4] += 1
            continue
        p, q = nodes.pivots[node, 0]
        mixed = len(np.unique(given.target[members])) > 1
        found[1] += mixed and given.target[p] == given.target[q]
        to = given.points[members]
        nearer = ((to - given.points[p]) ** 2).sum(1) <= ((to - given.points[q]) ** 2).sum(1)
        found[2] += np.sum(nearer[members != q] != np.isin(members, nodes.members(child))[
            members != q
        ])
        found[3] += len(members) - 2
    return found


def check_growing(table: pd.DataFrame) -> Observation:
    """No pivots or sides against the definition, hardly any large leaf or further question."""
    faults = int(table[["one_class", "wrong_side"]].to_numpy().sum()) // 2
    per_tree = table.pivot_table(index="leaf_size", columns="counted", values="questions")
    more = per_tree["asked"].sum() / max(per_tree["by the definition"].sum(), 1) - 1
    large = table["large"].sum() / table["leaves"].sum()
    words = ", ".join(f"n₀ = {size}: {row['asked']:,.0f}" for size, row in per_tree.iterrows())
    return Observation(
        HOLDS if not faults and -1e-9 < more < 0.03 and large < 0.01 else DOES_NOT_HOLD,
        f"questions per tree: {words}",
        f"{faults} pivots or sides are against the definition, {100 * more:.1f} % of the questions "
        f"are further ones, {100 * large:.2f} % of the leaves are too large.",
    )


# Algorithm 2 -----------------------------------------------------------------------------------

#: Least share of the objects to which two forests of the same law shall give the same answer.
_SAME = 0.95


def voting(
    *, shares: tuple[float, ...], leaf_sizes: tuple[int, ...], n_objects: int, n_trees: int,
    n_repeats: int, seed: int = 0, progress: Progress = silent,
) -> pd.DataFrame:
    """Errors of our forest, and of one that is grown and votes as the paper's lines say."""
    given = vectors("cancer")
    scaled = (given.points - given.points.mean(axis=0)) / given.points.std(axis=0)
    cases = [(r, n0) for r in shares for n0 in leaf_sizes]
    rows = []
    for done, (share, leaf_size) in enumerate(cases):
        for repeat in range(n_repeats):
            rng = np.random.default_rng([seed, repeat])
            kept = rng.permutation(len(scaled))[:n_objects]
            train, test = np.split(kept, 2)
            forest = ComparisonForestClassifier(
                n_estimators=n_trees, leaf_size=leaf_size, max_samples=share, divide_pure=True,
                seed=seed + repeat,
            ).fit(scaled[train], given.target[train])
            ours = forest.predict(scaled[test])
            theirs = to_the_letter(
                scaled[train], given.target[train], scaled[test], n_trees, leaf_size, share, rng
            )
            rows += [
                {"share": share, "leaf_size": leaf_size, "repeat": repeat, "forest": name,
                 "error": 100 * np.mean(guess != given.target[test]),
                 "same": np.mean(ours == theirs)}
                for name, guess in (("ours", ours), ("to the letter", theirs))
            ]
        if progress((done + 1) / len(cases)):
            raise Stopped
    return pd.DataFrame([
        {"case": f"r = {share:g}, n₀ = {leaf_size}", "forest": name, "same": own["same"].mean(),
         **in_splits(own["error"].to_list())}
        for (share, leaf_size, name), own in
        pd.DataFrame(rows).groupby(["share", "leaf_size", "forest"], sort=False)
    ])


def to_the_letter(
    points: np.ndarray, labels: np.ndarray, queries: np.ndarray, n_trees: int, leaf_size: int,
    share: float, rng: np.random.Generator,
) -> np.ndarray:
    """(m,) classes 0 and 1 by Algorithms 1 and 2, line by line."""
    votes = np.zeros((len(queries), 2))
    for _ in range(n_trees):
        sample = rng.choice(len(points), max(int(share * len(points)), 1), replace=False)
        _drop(points, labels, queries, sample, np.arange(len(queries)), leaf_size, rng, votes)
    return np.argmax(votes, axis=1)


def _drop(
    points: np.ndarray, labels: np.ndarray, queries: np.ndarray, cell: np.ndarray,
    reached: np.ndarray, leaf_size: int, rng: np.random.Generator, votes: np.ndarray,
) -> None:
    """Divide a cell and let the queries that reach it go on; at a leaf its members vote."""
    if len(cell) <= leaf_size:
        votes[reached] += np.bincount(labels[cell], minlength=2)
        return
    p, q = rng.choice(cell, 2, replace=False)
    while labels[p] == labels[q] and len(np.unique(labels[cell])) > 1:
        p, q = rng.choice(cell, 2, replace=False)
    first, second = (
        ((x - points[p]) ** 2).sum(axis=1) <= ((x - points[q]) ** 2).sum(axis=1)
        for x in (points[cell], queries[reached])
    )
    for side in (True, False):
        _drop(points, labels, queries, cell[first == side], reached[second == side], leaf_size,
              rng, votes)


def check_voting(table: pd.DataFrame) -> Observation:
    """Both forests mostly say the same, and neither errs clearly less."""
    by = table.set_index(["case", "forest"])
    cases = list(dict.fromkeys(table["case"]))
    gaps = {
        case: splits_of(by.loc[(case, "ours")]) - splits_of(by.loc[(case, "to the letter")])
        for case in cases
    }
    # As many are learned from as tested.
    less = clearly_below(gaps, 1.0)
    more = clearly_below({case: -gap for case, gap in gaps.items()}, 1.0)
    same = table["same"].min()
    told = "; ".join(
        f"{case}: {by['error'][case, 'ours']:.1f} / {by['error'][case, 'to the letter']:.1f}"
        for case in cases
    )
    return Observation(
        HOLDS if same >= _SAME and not less and not more else DOES_NOT_HOLD,
        f"error in %, ours / to the letter: {told}",
        f"The same answer for {100 * same:.1f} % of the objects or more; ours errs clearly less "
        f"in: {listed(less)}, clearly more in: {listed(more)}.",
    )


ITEMS = (
    Item(
        key="forests-figure-1",
        title="A comparison tree in the plane",
        also=("thesis-figure-3.1",),
        claim="In the plane, asking which of two pivots is nearer cuts a cell along a straight "
        "line, again and again.",
        setting="Two classes in the plane; pivots of different classes; n0 = 10",
        experiment=plane, full={"n_objects": 80, "leaf_size": 10}, check=check_plane,
        rule="Holds if every point lies in the polygon of its leaf, which is cut out halfway "
        "between pivots, no leaf has more than ten points, and pivots of every cell of both "
        "classes are of different classes.",
    ),
    Item(
        key="forests-algorithm-1",
        title="CompTree: growing a comparison tree",
        also=("thesis-algorithm-3",),
        claim="A cell of more than n₀ objects is divided by two of its objects of different "
        "classes, one question for each other object.",
        setting="Cells of one class are divided by any two of their objects",
        ours="Forests stop at cells of one class unless divide_pure is set, which for n₀ = 1 "
        "changes no vote.",
        experiment=growing,
        full={"leaf_sizes": (1, 4, 16, 64), "n_objects": 1000, "n_trees": 5},
        quick={"n_objects": 200, "n_trees": 3}, check=check_growing,
        rule="Holds if no cell of several classes has pivots of one, no object is on the side of "
        "the farther pivot, and, since a pair that splits off nothing but its own pivot is drawn "
        "again up to twice, questions are fewer than 3 % above one for each other object of a cell "
        "and fewer than 1 % of the leaves are larger than n₀.",
    ),
    Item(
        key="forests-algorithm-2",
        title="CompRF: the vote of a forest",
        also=("thesis-algorithm-4",),
        claim="All objects in the leaves that a query reaches are pooled, and the most frequent "
        "class among them is the answer.",
        setting="M trees, each of a share r of the objects",
        experiment=voting,
        full={"shares": (0.2, 1.0), "leaf_sizes": (1, 16), "n_objects": 400, "n_trees": 50,
              "n_repeats": 6},
        quick={"n_objects": 200, "n_trees": 20, "n_repeats": 3}, check=check_voting,
        rule="Holds if for each share r and leaf size, a forest written anew from the paper's "
        "lines gives the same answer for at least 95 % of the objects, and neither errs clearly "
        "less (one-sided t tests over splits with the standard error of Nadeau & Bengio, 5 %, "
        "Holm).",
    ),
)
