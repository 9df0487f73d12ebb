"""Two trees of the same objects facing each other."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tripletscope.core.engine.declared import with_random_state
from tripletscope.core.engine.short_repr import short_repr
from tripletscope.core.similarity.clusters.dendrogram import Dendrogram

_MANY = 3_000  # leaves


@short_repr
class Tanglegram(NamedTuple):
    """Two trees, their branches turned for few crossings of the lines between equal leaves.

    crossings: Crossing pairs of lines; 0 if the leaves have the same order.
    pairs: All pairs of lines.
    """

    first: Dendrogram
    second: Dendrogram
    crossings: int
    pairs: int

    @property
    def entanglement(self) -> float:
        """Share of crossing pairs of lines."""
        return self.crossings / max(self.pairs, 1)


@with_random_state
def untangle(
    first: Dendrogram, second: Dendrogram, *, rounds: int = 20, starts: int = 10, seed: int = 0
) -> Tanglegram:
    """Turn the branches of two trees towards each other.

    With one tree fixed, each branch of the other is turned separately, which is optimal; the trees
    alternate until crossings no longer decrease. Of several starts, the first from the trees as
    they are and the others from random turns, the one with the fewest crossings counts: never more
    than before.

    Parameters
    ----------
    first, second : Dendrogram
        Objects of one tree alone are ignored.
    rounds : int
        At most, from every start.
    starts : int
        At most; one for trees with more than 3,000 leaves.
    seed : int
        Of the random turns.

    Returns
    -------
    Tanglegram

    References
    ----------
    Dwyer, T., & Schreiber, F. (2004). Optimal leaf ordering for two and a half dimensional
    phylogenetic tree visualisation. Australasian Symposium on Information Visualisation, 109-115.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.read("sample_data/ekman_colors/answers.csv")
    >>> one = ts.AgglomerativeClustering(n_clusters=3, basis=ts.K1()).fit(answers)
    >>> other = ts.ComparisonLinkage(n_clusters=3).fit(answers)
    >>> trees = ts.figures.untangle(one.tree_, other.tree_)
    >>> 0 <= trees.entanglement <= 1
    True
    """
    rng = np.random.default_rng(seed)
    best = _settled(first, second, rounds)
    for _ in range(starts - 1 if first.n_leaves <= _MANY else 0):
        if best[2] == 0:
            break
        trees = [tree.turned(rng.random(len(tree.linkage)) < 0.5) for tree in (first, second)]
        best = min(best, _settled(*trees, rounds), key=lambda result: result[2])
    common = len(np.intersect1d(first.objects, second.objects))
    return Tanglegram(*best, common * (common - 1) // 2)


def _settled(
    first: Dendrogram, second: Dendrogram, rounds: int
) -> tuple[Dendrogram, Dendrogram, int]:
    """Both trees, turned alternately until crossings no longer decrease, and their crossings."""
    crossings = _crossings(first, second)
    for _ in range(rounds):
        one = _towards(first, second)
        other = _towards(second, one)
        fewer = _crossings(one, other)
        if fewer >= crossings:
            break
        first, second, crossings = one, other, fewer
    return first, second, crossings


def _ranks(tree: Dendrogram, other: Dendrogram) -> list[np.ndarray]:
    """For every leaf of `tree`, its place in `other`; empty without one."""
    place = np.full(max(tree.n_objects, other.n_objects), -1)
    place[other.order] = np.arange(other.n_leaves)
    return [ranks[ranks >= 0] for ranks in place[tree.objects][:, None]]


def _towards(tree: Dendrogram, fixed: Dendrogram) -> Dendrogram:
    """`tree` with the fewest crossings against `fixed`."""
    ranks = _ranks(tree, fixed)
    turn = np.zeros(len(tree.linkage), dtype=bool)
    for i, (a, b) in enumerate(tree.children.tolist()):
        as_is = _inversions(ranks[a], ranks[b])
        turn[i] = as_is > len(ranks[a]) * len(ranks[b]) - as_is
        ranks.append(_merged(ranks, a, b))
    return tree.turned(turn)


def _crossings(first: Dendrogram, second: Dendrogram) -> int:
    ranks, total = _ranks(first, second), 0
    for a, b in first.children.tolist():
        total += _inversions(ranks[a], ranks[b])
        ranks.append(_merged(ranks, a, b))
    return total


def _inversions(above: np.ndarray, below: np.ndarray) -> int:
    """Pairs of a place in `above` behind one in `below`; both ascend."""
    return int(np.searchsorted(below, above).sum())


def _merged(ranks: list[np.ndarray], a: int, b: int) -> np.ndarray:
    both = np.sort(np.concatenate([ranks[a], ranks[b]]), kind="stable")
    ranks[a] = ranks[b] = both[:0]  # a chain of merges would keep a copy at every step
    return both
