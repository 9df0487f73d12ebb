"""Trees of objects with coordinates, beside a comparison tree of the same objects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, clone

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets, as_triplets
from tripletscope.core.engine.declared import Choice, Number
from tripletscope.core.engine.method import Method
from tripletscope.core.engine.options import Seed
from tripletscope.core.engine.parallel import results_of
from tripletscope.core.engine.progress import Progress, silent
from tripletscope.core.engine.task import task
from tripletscope.core.inference.evaluation.share import wilson
from tripletscope.core.kernel.space import space_of
from tripletscope.core.tree.forest import LeafSize
from tripletscope.core.tree.nodes import depths_of, parents_of
from tripletscope.core.tree.projection import KDTree, PATree, RPTree
from tripletscope.core.tree.quality import SearchErrors, fold_errors
from tripletscope.core.tree.rank_cover import RankCoverTree
from tripletscope.core.tree.tree import ComparisonTree

#: Names of the trees with coordinates, and of the rank cover tree.
TREES = {"kd": "KD tree", "rp": "RP tree", "pa": "PA tree (PCA)", "cover": "Rank cover tree"}


@dataclass(frozen=True)
class CoordinateTree:
    """A tree of n objects, and its searches for the nearest neighbours of held-out objects.

    Attributes
    ----------
    child : ndarray of int, shape (m,)
        First child of every node; the second follows it. -1 for a leaf. A rank cover tree, which
        divides nothing, has a single node.
    leaf : ndarray of int, shape (n,)
        Leaf of every object; -1 for objects that lack a coordinate.
    level : ndarray of int, shape (n,)
        In a rank cover tree, the highest level of every object; 0 is the lowest.
    direction : ndarray, shape (m, d)
        Objects of a node are projected to this; NaN for a leaf.
    threshold : ndarray, shape (m,)
        Objects with projections up to this are in the first child; NaN for a leaf.
    found : ndarray of int, shape (n,)
        Nearest neighbour by trees grown without the object; -1 for none.
    nearest : ndarray of int, shape (n,)
        The true nearest neighbour; -1 for objects that lack a coordinate.
    missed : ndarray of bool, shape (n,)
        Whether the search returned a farther object or none.
    missed_by_comparisons : ndarray of bool, shape (n,)
        The same for a comparison tree of the same objects.
    asked, asked_by_comparisons : ndarray, shape (n,)
        Questions of each search; for trees with coordinates, steps and distances.
    """

    child: np.ndarray
    leaf: np.ndarray
    level: np.ndarray
    direction: np.ndarray
    threshold: np.ndarray
    found: np.ndarray
    nearest: np.ndarray
    missed: np.ndarray
    missed_by_comparisons: np.ndarray
    asked: np.ndarray
    asked_by_comparisons: np.ndarray

    @property
    def parent(self) -> np.ndarray:
        """(m,) node above each node; -1 for the root."""
        return parents_of(self.child)

    @property
    def depth(self) -> np.ndarray:
        """(m,) steps from the root."""
        return depths_of(self.child)

    @property
    def size(self) -> np.ndarray:
        """(m,) objects in each node."""
        size = np.bincount(self.leaf[self.leaf >= 0], minlength=len(self.child))
        for node in np.flatnonzero(self.child >= 0)[::-1]:
            size[node] = size[self.child[node]] + size[self.child[node] + 1]
        return size

    def errors(self) -> pd.DataFrame:
        """Miss rates of this tree and of the comparison tree, with 95 % intervals by Wilson."""
        complete = self.nearest >= 0
        rows = []
        for name, missed, n_asked in (
            ("this tree", self.missed, self.asked),
            ("comparison tree", self.missed_by_comparisons, self.asked_by_comparisons),
        ):
            rate = missed[complete].mean()
            rows.append((name, rate, *wilson(rate, complete.sum()), n_asked[complete].mean()))
        return pd.DataFrame(rows, columns=["tree", "miss rate", "low", "high", "asked"])


@task("Growing the tree", "features", "embedding")
def coordinate_tree(
    method: Method,
    triplets: Triplets,
    *,
    tree: Annotated[str, Choice(
        TREES, "Tree", "KD trees halve cells along the feature of largest variance, RP trees "
        "along a random direction, PA trees along the first principal component (PCA). Rank cover "
        "trees only compare: each level has fewer objects, each linked to its nearest one above."
    )] = "kd",
    leaf_size: LeafSize = 16,
    coverage: Annotated[float, Number(
        1.0, 1000.0, "Coverage ω",
        "In a rank cover tree, objects from which a search continues at each level.", advanced=True
    )] = 4.0,
    folds: Annotated[int, Number(
        2, 1000, "Folds", "Neighbours of each fold are searched in trees of the others.",
        advanced=True
    )] = 10,
    seed: Seed = 0,
    progress: Progress = silent,
) -> CoordinateTree:
    """Grow a tree of objects with coordinates, and search it beside a comparison tree.

    References
    ----------
    Bentley (1975); Dasgupta & Freund (2008); McNames (2001); Houle & Nett (2015); compared with
    comparison trees by Haghiri, Ghoshdastidar & von Luxburg (2017).
    """
    space = space_of(clone(method).fit(as_triplets(triplets)))
    if space.vectors is None:
        raise DataError(
            "these trees need coordinates of the objects",
            remedy="Choose features of the objects, or a map that is no average.",
        )
    if len(space) < 4:
        raise DataError(
            "neighbours can be searched among four objects or more",
            remedy="Complete the features of more objects.",
        )
    X = np.asarray(space.vectors, dtype=float)
    chosen = _tree(tree, leaf_size, coverage, seed)
    compared = ComparisonTree(leaf_size=leaf_size, seed=seed)
    order = np.random.default_rng(seed).permutation(len(X))
    parts = np.array_split(order, min(folds, len(X)))
    this, other = _searches([chosen, compared], X, parts, progress)
    shown, objects = space.part(order), np.append(space.objects, -1)
    child, leaf, level, direction, threshold = _grown(chosen.fit(X), X)
    return CoordinateTree(
        child, space.spread(leaf, -1), space.spread(level, -1), direction, threshold,
        shown.spread(objects[this.neighbour], -1), shown.spread(objects[this.nearest], -1),
        shown.spread(this.missed, False), shown.spread(other.missed, False),
        shown.spread(this.n_questions.astype(float), np.nan),
        shown.spread(other.n_questions.astype(float), np.nan),
    )


def _searches(
    trees: list[BaseEstimator], X: np.ndarray, folds: list[np.ndarray], progress: Progress
) -> list[SearchErrors]:
    """Neighbours of each fold's objects in a tree of the others, for each kind of tree."""
    pieces = [
        (tree, X, np.setdiff1d(np.arange(len(X)), fold), fold) for tree in trees for fold in folds
    ]
    results = list(results_of(fold_errors, pieces, progress))
    return [
        SearchErrors.joined(results[start : start + len(folds)])
        for start in range(0, len(results), len(folds))
    ]


def _tree(name: str, leaf_size: int, coverage: float, seed: int) -> BaseEstimator:
    if name == "cover":
        return RankCoverTree(coverage=coverage, seed=seed)
    if name == "pa":
        return PATree(leaf_size=leaf_size)
    return {"kd": KDTree, "rp": RPTree}[name](leaf_size=leaf_size, seed=seed)


def _grown(tree: BaseEstimator, X: np.ndarray) -> tuple[np.ndarray, ...]:
    """Children, leaf and level of the objects, directions and thresholds of a grown tree."""
    if isinstance(tree, RankCoverTree):
        return (np.array([-1]), np.zeros(len(X), dtype=int), tree.levels(len(X)),
                np.full((1, X.shape[1]), np.nan), np.array([np.nan]))
    leaf = np.zeros(len(X), dtype=int)
    for node, members in enumerate(tree.members_):
        leaf[members] = node
    unknown = np.full(X.shape[1], np.nan)
    return (
        np.array(tree.child_), leaf, np.zeros(len(X), dtype=int),
        np.array([unknown if d is None else d for d in tree.direction_]),
        np.array(tree.threshold_),
    )
