"""Broken methods that turn what items of the thesis show."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.broken import Broken
from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.studies.quality.rules import RULES
from tripletscope.core.trees.nodes import Nodes
from tripletscope.core.trees.oracle import Vectors
from tripletscope.core.trees.tree import Neighbours

_EMBEDDINGS = "tripletscope.core.models.embedding"
_ROOM = "tripletscope.reproductions"
_TREE = "tripletscope.core.trees.tree:ComparisonTree"


def _learning(wrong: Callable[[int], np.ndarray]) -> Callable:
    """A fit that takes what is near for far in some answers."""
    def instead(original: Callable) -> Callable:
        def fit(self: Any, answers: Any, *further: Any, **options: Any) -> Any:
            swap = [2, 3, 0, 1] if isinstance(answers, Quadruples) else [0, 2, 1]
            rows = np.where(wrong(len(answers))[:, None], answers.rows[:, swap], answers.rows)
            make = Quadruples if isinstance(answers, Quadruples) else Triplets.from_array
            return original(self, make(rows, answers.n_objects), *further, **options)
        return fit
    return instead


#: The sign of the gradient is wrong; nothing is learnt; a third is wrong.
_reversed = _learning(lambda n: np.ones(n, bool))
_guessing = _learning(lambda n: np.random.default_rng(n).random(n) < 0.5)
_careless = _learning(lambda n: np.random.default_rng(n).random(n) < 1 / 3)


def _guessing_in_one(original: Callable) -> Callable:
    guess = _guessing(original)
    return lambda self, *given, **options: (
        guess if self.n_components == 1 else original
    )(self, *given, **options)


def _growing(cut: Callable[[int, np.random.Generator], int]) -> Callable:
    """A tree whose cells give so many of their objects, whichever, to the first child."""
    def instead(original: Callable) -> Callable:
        def grow(self: Any, oracle: Any, objects: np.ndarray, how: Any, *rest: Any) -> Any:
            rng = np.random.default_rng(self.seed)
            order = rng.permutation(objects).astype(np.int32)
            start, stop, child, pivots = [0], [len(order)], [-1], [(-1, -1)]
            asked = 0
            # The list grows while it is gone through, level by level.
            for node, begin in enumerate(start):
                size = stop[node] - begin
                if size <= self.leaf_size:
                    continue
                asked += size - 2
                child[node] = len(start)
                middle = begin + cut(size, rng)
                pivots[node] = order[begin], order[middle]
                start += [begin, middle]
                stop += [middle, begin + size]
                child += [-1, -1]
                pivots += [(-1, -1), (-1, -1)]
            self.nodes_ = Nodes(order, *(
                np.array(part, np.int32) for part in (start, stop, child)
            ), np.array(pivots, np.int32)[:, None])
            self.oracle_, self.n_questions_ = oracle, asked
            return self
        return grow
    return instead


#: Splits that do not compare; that part a few; that part a sixtieth.
_HALVES = {f"{_TREE}._grow": _growing(lambda size, rng: size // 2)}
_PEELS = {f"{_TREE}._grow": _growing(lambda size, rng: min(16, size - 1))}
_SIXTIETH = {f"{_TREE}._grow": _growing(lambda size, rng: max(1, size // 61))}


def _embedding(*names: str) -> dict[str, Callable]:
    places = {
        "STE": "ste:STE", "t-STE": "tste:TSTE", "LOE": "soe:SOE", "GNMDS": "gnmds:GNMDS",
    }
    return {f"{_EMBEDDINGS}.{places[name]}.fit": _reversed for name in names}


_MLDS = {"tripletscope.core.scales.mlds:MLDS.fit": _guessing}


def _first_answer(original: Callable) -> Callable:
    return lambda rows, repeats: rows.reshape(-1, repeats, 3)[:, 0]


def _by_anchor(original: Callable) -> Callable:
    return lambda rows, drawn, n_objects: rows[np.isin(rows[:, 0], drawn)]


def _of_another(original: Callable) -> Callable:
    def kneighbors(self: Any, X: Any, *further: Any, **options: Any) -> Neighbours:
        found = original(self, X, *further, **options)
        return Neighbours(np.roll(found.found, 1, axis=0), found.asked)
    return kneighbors


def _dear(original: Callable) -> Callable:
    def fit(self: Any, *given: Any) -> Any:
        fitted = original(self, *given)
        fitted.n_questions_ *= 20
        return fitted
    return fit


def _random_direction(original: Callable) -> Callable:
    return lambda self, vectors, rng: iter([rng.standard_normal(vectors.shape[1])])


def _without_noise(original: Callable) -> Callable:
    return lambda *given, **options: original(*given, **{**options, "level": 0.0})


class _Shuffled(Vectors):
    """Answers at random: distances from each query are mixed among the objects."""

    def about(self, X: Any) -> Any:
        asked = super().about(X)
        apart = np.random.default_rng(0).permuted(asked.distances(), axis=1)
        asked.distances = lambda: apart
        return asked


BROKEN = {
    "thesis-figure-1.1": Broken(
        "answers are kept if only their anchor was drawn",
        {f"{_ROOM}.crowd.example:_among": _by_anchor},
    ),
    "thesis-figure-1.2": Broken("t-STE exchanges near and far", _embedding("t-STE")),
    "thesis-figure-2.1": Broken(
        "PA trees split along random directions",
        {f"{_ROOM}.trees.projection:PATree._directions": _random_direction}, full=True,
    ),
    "thesis-figure-2.2": Broken(
        "the rank cover tree asks each question twenty times",
        {f"{_ROOM}.trees.rank_cover:RankCoverTree.fit": _dear},
    ),
    "thesis-figure-2.3": Broken(
        "the radius is not doubled",
        {f"{_ROOM}.trees.expansion:expansion_rates": lambda original: (
            lambda apart: np.ones(len(apart))
        )},
    ),
    "thesis-table-2.1": Broken("splits separate sixteen objects", _PEELS),
    "thesis-algorithm-1": Broken("splits ignore comparisons", _HALVES),
    "thesis-algorithm-2": Broken(
        "searches return the previous query's result", {f"{_TREE}.kneighbors": _of_another}
    ),
    "thesis-theorem-1": Broken("splits separate sixteen objects", _PEELS),
    "thesis-corollary-2": Broken("splits separate sixteen objects", _PEELS),
    "thesis-theorem-3": Broken("splits ignore comparisons", _HALVES),
    "thesis-remark-4": Broken("splits ignore comparisons", _HALVES, full=True),
    "thesis-lemma-5": Broken(
        "splits are 1 : 60",
        {f"{_ROOM}.trees.splits:smaller_shares": lambda original: (
            lambda points: np.full(len(points), 1 / 61)
        )},
    ),
    "thesis-lemma-6": Broken("splits are 1 : 60", _SIXTIETH),
    "thesis-lemma-7": Broken(
        "answers are random", {f"{_ROOM}.trees.neighbours:Vectors": lambda original: _Shuffled}
    ),
    "thesis-figure-4.2": Broken("MLDS learns from random answers", _MLDS),
    "thesis-figure-4.3": Broken("STE exchanges near and far", _embedding("STE")),
    "thesis-figure-4.4": Broken("MLDS learns from random answers", _MLDS),
    "thesis-figure-4.5": Broken("STE exchanges near and far", _embedding("STE")),
    "thesis-figure-4.6": Broken("t-STE exchanges near and far", _embedding("t-STE")),
    "thesis-figure-4.7": Broken("MLDS learns from random answers", _MLDS),
    "thesis-figure-a.2": Broken("MLDS learns from random answers", _MLDS),
    "thesis-figure-a.3": Broken(
        "observers have no noise", {f"{_ROOM}.scales.observer:answer": _without_noise},
        full=True,
    ),
    "thesis-figure-a.4": Broken("STE exchanges near and far", _embedding("STE")),
    "thesis-table-4.1": Broken("t-STE exchanges near and far", _embedding("t-STE")),
    "thesis-figure-5.1": Broken(
        "the first of repeated answers counts", {f"{_ROOM}.crowd.designs:majority": _first_answer}
    ),
    "thesis-figure-5.2": Broken("LOE exchanges near and far", _embedding("LOE")),
    "thesis-figure-5.4": Broken(
        "one error excludes a participant",
        {f"{_ROOM}.crowd.people:_excluded": lambda original: (
            lambda known: set(known.triplets.answers["participant"].astype(str)[
                RULES["failed_checks"].find(known, most=0.0)
            ])
        )},
    ),
    "thesis-figure-5.5": Broken(
        "t-STE exchanges near and far in a third of the answers",
        {f"{_EMBEDDINGS}.tste:TSTE.fit": _careless}, full=True,
    ),
    "thesis-figure-5.6": Broken("t-STE exchanges near and far", _embedding("t-STE")),
    "thesis-figure-5.7": Broken(
        "other methods exchange near and far, t-STE guesses in one dimension",
        {**_embedding("STE", "GNMDS", "LOE"), f"{_EMBEDDINGS}.tste:TSTE.fit": _guessing_in_one},
    ),
    "thesis-section-4.5": Broken(
        "maps learn from eight times the reported answers",
        {f"{_ROOM}.crowd.advice:_answers": lambda original: (
            lambda n, d, n_answers, *rest: original(n, d, 8 * n_answers, *rest)
        )},
    ),
    "thesis-section-4.5b": Broken("t-STE exchanges near and far", _embedding("t-STE")),
    "thesis-section-5.3": Broken(
        "all methods but LOE exchange near and far", _embedding("STE", "t-STE", "GNMDS")
    ),
    "thesis-section-5.4": Broken(
        "the first of repeated answers counts", {f"{_ROOM}.crowd.advice:majority": _first_answer}
    ),
}
