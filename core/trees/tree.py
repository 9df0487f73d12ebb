"""One comparison tree: nearest neighbours by questions, and tables of its parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple, Self

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted, column_or_1d

from tripletscope.core.data.errors import refuse_lengths
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.declared import Choice, Number, Seed
from tripletscope.core.engine.docstrings import parametric
from tripletscope.core.engine.progress import Progress, silent
from tripletscope.core.engine.short_repr import short_repr
from tripletscope.core.trees.estimator import ComparingEstimator, find_leaves, grow_trees
from tripletscope.core.trees.forest import LeafSize
from tripletscope.core.trees.growing import (
    LABELS,
    RANDOM,
    Chooser,
    SplitRule,
    extended_growth,
    growing,
    keys,
    nodes_of,
)
from tripletscope.core.trees.nodes import descending
from tripletscope.core.trees.oracle import AnswersOracle, Dialogue, Oracle, Vectors, converse
from tripletscope.core.trees.search import best_first, nearest


@short_repr
class Neighbours(NamedTuple):
    """Nearest neighbours of m objects.

    Attributes
    ----------
    found : ndarray of int, shape (m, k)
        Nearest first, by the oracle's object numbers; -1 where there are fewer.
    asked : ndarray of int, shape (m,)
        Questions about each object.
    """

    found: np.ndarray
    asked: np.ndarray


@parametric
@dataclass(kw_only=True, eq=False, repr=False)
class ComparisonTree(ComparingEstimator):
    """A tree that divides objects by which of two pivots they are nearer to.

    Parameters
    ----------
    metric : str or Oracle
        For vectors, such as "euclidean"; "precomputed" or "kernel" for rows of a matrix; or an
        oracle for its object numbers: `tripletscope.MapOracle` answers from a map. Against
        noise, `tripletscope.core.trees.oracle.Repeated` asks every question several times.

    Attributes
    ----------
    nodes_ : Nodes
        Members and pivots by the oracle's object numbers.
    oracle_ : Oracle
        Answers the questions.
    n_questions_ : int
        Questions that growing the tree took, later insertions included.

    References
    ----------
    Haghiri, S., Ghoshdastidar, D., & von Luxburg, U. (2017). Comparison-based nearest neighbor
    search. AISTATS. Algorithms 1 and 2.

    Examples
    --------
    >>> import numpy as np
    >>> import tripletscope as ts
    >>> points = np.random.default_rng(0).normal(size=(100, 3))
    >>> tree = ts.ComparisonTree(leaf_size=10).fit(points)
    >>> neighbours = tree.kneighbors(points[:2], 3)
    >>> neighbours.found.shape, neighbours.asked.shape
    ((2, 3), (2,))
    """

    metric: str | Oracle = "euclidean"
    leaf_size: LeafSize = 16
    pivots: Annotated[str, Choice(
        {
            "random": "Random", "supervised": "Of different classes",
            "answered": "With most answers",
        },
        "Pivots",
        "With most answers: for a collection of answers, the pair with answers about most "
        "objects of the cell."
    )] = "random"
    n_pairs: Annotated[int, Number(
        1, 51, "Pairs of pivots",
        "An odd number of pairs decides by majority, against noise: the further pairs are "
        "drawn from the two sides of the first.", advanced=True
    )] = 1
    seed: Seed = 0

    def fit(self, X: Any, y: Any = None, *, progress: Progress = silent) -> Self:
        """Grow the tree.

        Parameters
        ----------
        X : array-like
            Objects, as `metric` says: vectors (n, d), matrix (n, n), or numbers (n,) or (n, 1).
        y : array-like, shape (n,), optional
            Classes, for pivots of different classes.
        progress : Progress

        Raises
        ------
        Stopped
            If `progress` asks to stop.
        Unanswered
            If people's answers are missing.
        """
        oracle, objects = self._training(X)
        if self.n_pairs % 2 == 0:
            raise ValueError(f"n_pairs is {self.n_pairs}; a majority needs an odd number.")
        label = np.zeros(oracle.n_objects, dtype=np.int32)
        if self.pivots == "supervised":
            if y is None:
                raise ValueError("pivots of different classes need y, the classes.")
            refuse_lengths(objects=objects, classes=y)
            label[objects] = np.unique(column_or_1d(y), return_inverse=True)[1]
        choose = None
        if self.pivots == "answered":
            if not isinstance(oracle, AnswersOracle):
                raise ValueError("pivots with most answers need an `AnswersOracle`.")
            choose = most_answered(oracle)
        kind = LABELS if self.pivots == "supervised" else RANDOM
        how = SplitRule(self.leaf_size, kind=kind, label=label)
        return self._grow(oracle, objects, how, choose, progress)

    def _grow(
        self, oracle: Oracle, objects: np.ndarray, how: SplitRule, choose: Chooser | None,
        progress: Progress = silent,
    ) -> Self:
        before = oracle.n_questions
        (self.nodes_,) = grow_trees(
            oracle, [objects], [self.seed], how,
            n_pairs=self.n_pairs, choose=choose, progress=progress,
        )
        self.oracle_ = oracle
        self.n_questions_ = oracle.n_questions - before
        return self

    def insert(self, X: Any) -> Self:
        """Add objects to their leaves, and divide leaves that become too large by random pivots.

        Parameters
        ----------
        X : array-like
            Further vectors, or numbers of the oracle's objects outside the tree.

        Raises
        ------
        ValueError
            If an object is in the tree, or the objects were given as a matrix.
        """
        oracle, x, is_own = self._queries(X)
        if not is_own and not isinstance(self.oracle_, Vectors):
            raise ValueError("a matrix cannot be continued; give it whole, as an oracle.")
        if is_own and len(np.unique([*x, *self.nodes_.order])) < len(x) + len(self.nodes_.order):
            raise ValueError("an object can be in the tree only once.")
        before = self.oracle_.n_questions
        (leaves,) = find_leaves(oracle, [self.nodes_], [x], is_own)
        if not is_own:
            x = x + np.int32(self.oracle_.n_objects)
            self.oracle_ = self.oracle_.extended(X)
        growth = extended_growth(self.nodes_, x, leaves, self.seed)
        converse(self.oracle_, [growing(growth, SplitRule(self.leaf_size), np.unique(leaves))])
        self.nodes_ = nodes_of(growth)
        self.n_questions_ += self.oracle_.n_questions - before
        return self

    def kneighbors(self, X: Any, n_neighbors: int = 1, *, budget: int | None = None) -> Neighbours:
        """Nearest neighbours by few questions.

        Parameters
        ----------
        X : array-like
            Objects, as `metric` says. Objects of the tree are not their own neighbours.
        n_neighbors : int
        budget : int, optional
            Without one, only the object's leaf is searched (defeatist search). With one, the search
            goes on through further branches, the most promising first, up to this many questions
            per object.
        """
        oracle, x, is_own = self._queries(X)
        if budget is not None:
            results = converse(
                oracle, [best_first(self.nodes_, int(i), is_own, n_neighbors, budget) for i in x]
            )
            rows = [row for row, _ in results]
            return Neighbours(
                np.reshape(rows, (len(x), n_neighbors)), np.array([n for _, n in results])
            )
        ((leaves, on_the_way),) = converse(oracle, [descending(self.nodes_, x, is_own)])
        members = [self.nodes_.members(leaf) for leaf in leaves]
        if is_own:
            members = [those[those != i] for those, i in zip(members, x, strict=True)]
        ((rows, n_asked),) = converse(oracle, [nearest(x, members, n_neighbors)])
        return Neighbours(rows, on_the_way + n_asked)

    # Views ----------------------------------------------------------------------------------

    @property
    def height(self) -> int:
        """Questions on the longest way from the root to a leaf."""
        check_is_fitted(self)
        return int(self.nodes_.depth.max())

    @property
    def balance(self) -> float:
        """Share of a cell that goes to its smaller part, on average over objects and cells.

        1/2 if all cells are halved, near 0 if objects are split off one by one; NaN without splits.
        """
        check_is_fitted(self)
        size = self.nodes_.stop - self.nodes_.start
        inner = np.flatnonzero(self.nodes_.child >= 0)
        left = self.nodes_.child[inner]
        smaller = np.minimum(size[left], size[left + 1])
        return float(smaller.sum() / size[inner].sum()) if len(inner) else np.nan

    def table(self, y: Any = None) -> pd.DataFrame:
        """All nodes: for drawing the tree.

        Parameters
        ----------
        y : array-like, optional
            Class of each of the oracle's objects.

        Returns
        -------
        DataFrame
            ``parent`` (-1 for the root), ``left``, ``right`` (-1 for leaves), ``depth``, ``size``,
            ``p``, ``q`` (first pair; -1 for leaves); a column of counts named by each class; with
            an oracle of answers ``answered``, the share of the node's questions that people have
            answered.
        """
        check_is_fitted(self)
        nodes = self.nodes_
        right = np.where(nodes.child >= 0, nodes.child + 1, -1)
        table = pd.DataFrame({
            "parent": nodes.parent, "left": nodes.child, "right": right, "depth": nodes.depth,
            "size": nodes.stop - nodes.start,
            "p": nodes.pivots[:, 0, 0], "q": nodes.pivots[:, 0, 1],
        })
        if y is not None:
            refuse_lengths(objects=self.oracle_.n_objects, classes=y)
            for name, counts in _class_counts(nodes, np.asarray(y)).items():
                table[name] = counts
        decisions = self.decisions()
        if "answered" in decisions:
            table["answered"] = decisions.groupby("node")["answered"].mean().reindex(table.index)
        return table

    def path(self, x: Any) -> tuple[pd.DataFrame, int]:
        """How one object reaches its leaf.

        Parameters
        ----------
        x : array-like
            One object, as `metric` says: (1, d), (1, n) or its number.

        Returns
        -------
        steps : DataFrame
            ``node``, ``p``, ``q`` and ``nearer_to_p``, in order; a row per pair of pivots.
        leaf : int
        """
        oracle, numbers, is_own = self._queries(np.reshape(x, (1, -1)))
        rounds: list[np.ndarray] = []
        ((leaves, _),) = converse(
            oracle, [_noted(descending(self.nodes_, numbers, is_own), rounds)]
        )
        leaf = int(leaves[0])
        # Pivots know their side without a question.
        pivots = self.nodes_.pivots[:, 0]
        asked = [node for node in self._above(leaf) if not (is_own and numbers[0] in pivots[node])]
        rows = [(node, *row) for node, answer in zip(asked, rounds, strict=True) for row in answer]
        steps = pd.DataFrame(rows, columns=["node", "p", "q", "nearer_to_p"], dtype=int)
        return steps.astype({"nearer_to_p": bool}), leaf

    def _above(self, node: int) -> list[int]:
        """Nodes on the way from the root to a node, without it."""
        way: list[int] = []
        while node:
            node = int(self.nodes_.parent[node])
            way.insert(0, node)
        return way

    def decisions(self) -> pd.DataFrame:
        """The questions whose answers make the tree, as a list for an experiment.

        Returns
        -------
        DataFrame
            ``node``, ``x``, ``p``, ``q``, ``nearer_to_p`` (the majority of several pairs of
            pivots), and the oracle's remarks: ``certainty`` of a fitted method, ``answered`` by
            people.
        """
        check_is_fitted(self)
        nodes = self.nodes_
        parts = [np.zeros((0, 5), dtype=np.int64)]
        for node in np.flatnonzero(nodes.child >= 0):
            left = nodes.members(nodes.child[node])
            members = nodes.members(node)
            for pair in nodes.pivots[node]:
                ask = ~np.isin(members, pair) & ~np.isin(members, nodes.pivots[node, 0])
                x = members[ask]
                rows = np.full((len(x), 5), (node, 0, *pair, 0))
                rows[:, 1], rows[:, 4] = x, np.isin(x, left)
                parts.append(rows)
        rows = np.concatenate(parts)
        table = pd.DataFrame(rows[:, :4], columns=["node", "x", "p", "q"])
        table["nearer_to_p"] = rows[:, 4].astype(bool)
        return table.assign(**self.oracle_.remarks(rows[:, 1:4]))

    def regrown(self, triplets: Triplets) -> ComparisonTree:
        """The tree that people's answers make of this one's questions.

        Cells keep their pivots unless an answer moved one of the two elsewhere.

        Parameters
        ----------
        triplets : Triplets or array-like of int, shape (T, 3)
            Answers about the oracle's objects, such as those to `decisions`; the oracle of this
            tree answers the rest.

        Returns
        -------
        ComparisonTree
            Its ``metric`` is an `AnswersOracle`.
        """
        check_is_fitted(self)
        oracle = AnswersOracle(triplets, otherwise=self.oracle_)
        inner = self.nodes_.child >= 0
        key = keys(self.nodes_, self.seed)[inner].tolist()
        plan = dict(zip(key, self.nodes_.pivots[inner, 0], strict=True))

        def choose(members: np.ndarray, key: int, attempt: int) -> tuple[int, int]:
            pair = plan.get(key)
            if attempt == 0 and pair is not None and np.isin(pair, members).all():
                return tuple(pair)
            return tuple(np.random.default_rng((key, attempt)).choice(members, 2, replace=False))

        tree = clone(self).set_params(metric=oracle)
        return tree._grow(oracle, np.sort(self.nodes_.order), SplitRule(self.leaf_size), choose)


def _noted(dialogue: Dialogue, rounds: list[np.ndarray]) -> Dialogue:
    """A dialogue of which the pivots and answers of each round are kept."""
    answers = None
    while True:
        try:
            questions = dialogue.send(answers)
        except StopIteration as end:
            return end.value
        answers = yield questions
        rounds.append(np.column_stack([questions[:, 1:], answers]))


def most_answered(oracle: AnswersOracle) -> Chooser:
    """Chooses the pivots with answers about most objects of a cell."""
    n = oracle.n_objects

    def choose(members: np.ndarray, key: int, attempt: int) -> tuple[int, int]:
        rng = np.random.default_rng((key, attempt))
        inside = np.zeros(n, dtype=bool)
        inside[members] = True
        rows = oracle.rows[inside[oracle.rows].all(axis=1)]
        rows = rows[oracle.is_answered(rows)]
        code = np.minimum(rows[:, 1], rows[:, 2]) * n + np.maximum(rows[:, 1], rows[:, 2])
        # Repeats of a question count once.
        about = np.unique(np.column_stack([code, rows[:, 0]]), axis=0)
        pairs, counts = np.unique(about[:, 0], return_counts=True)
        if len(pairs) <= attempt:
            return tuple(rng.choice(members, 2, replace=False))
        # Equally good pairs are drawn from; after a failure the next best is tried.
        best = np.lexsort([rng.random(len(pairs)), -counts])[attempt]
        return divmod(int(pairs[best]), n)

    return choose


def _class_counts(nodes: Any, y: np.ndarray) -> dict[Any, np.ndarray]:
    """By class, the number of its members in every node."""
    counts_of = {}
    for name in np.unique(y[nodes.order]):
        so_far = np.concatenate([[0], np.cumsum(y[nodes.order] == name)])
        counts_of[name] = so_far[nodes.stop] - so_far[nodes.start]
    return counts_of
