"""Evidence behind similarities from triplets: common comparisons, and chance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from tripletscope.core.data.triplets import Triplets, as_triplets
from tripletscope.core.similarity.kernels.triplet import TripletKernel, net_votes

#: Draws of random answers to average over, in trials of several answers.
_SHUFFLES = 5


@dataclass(frozen=True)
class Evidence:
    """Evidence in the similarities of a triplet kernel.

    shared: Share of the pairs of objects with a common comparison.
    noise: Root mean square of a similarity if votes had random signs or, in trials of several
        answers, if people chose at random.
    spread: Root mean square of the similarities.
    """

    shared: float
    noise: float
    spread: float

    @property
    def is_noise(self) -> bool:
        """Whether chance makes half or more of the variance of the similarities."""
        return self.spread**2 <= 2.0 * self.noise**2


def evidence(
    kernel: TripletKernel, triplets: Triplets, *, most: int = 500, seed: int = 0
) -> Evidence:
    """Evidence in the similarities between different objects.

    A similarity sums the products of two objects' votes over common comparisons: with random votes,
    its variance is the sum of the squared products. Answers of one trial depend on each other;
    their variance is that of answers `by_chance`.

    most, seed: At most so many objects, chosen at random, are compared with all others.
    """
    triplets = as_triplets(triplets)
    unit = _unit_votes(kernel, triplets)
    placed = np.flatnonzero(unit.count_nonzero(axis=1))
    if len(placed) < 2:
        return Evidence(0.0, 0.0, 0.0)
    rng = np.random.default_rng(seed)
    rows = placed
    if len(placed) > most:
        rows = np.sort(rng.choice(placed, most, replace=False))
    pairs = len(rows) * (len(placed) - 1)

    def between(part: sparse.csr_array) -> sparse.csr_array:
        """Products of the chosen rows with all others."""
        products = (part[rows] @ part.T).tolil()
        products[np.arange(len(rows)), rows] = 0.0
        return products.tocsr()

    by_votes = between(unit.power(2))
    noise = by_votes.sum()
    if triplets.trials is not None:
        noise = np.mean([
            between(_unit_votes(kernel, by_chance(triplets, rng))).power(2).sum()
            for _ in range(_SHUFFLES)
        ])
    return Evidence(
        float(by_votes.count_nonzero() / pairs), float(np.sqrt(noise / pairs)),
        float(np.sqrt(between(unit).power(2).sum() / pairs)),
    )


def by_chance(triplets: Triplets, rng: np.random.Generator) -> Triplets:
    """The same trials, answered at random.

    Each permutes its objects, except an anchor that all its answers share.
    """
    rows, n, trials = triplets.rows.astype(np.int64), triplets.n_objects, triplets.trials
    if trials is None:
        reversal = rng.random(len(rows)) < 0.5
        rows[reversal, 1:] = rows[reversal, :0:-1]
    else:
        first = np.full(trials.max(initial=-1) + 1, -1)
        first[trials] = rows[:, 0]
        several = np.bincount(trials, rows[:, 0] != first[trials]) > 0
        moves = np.column_stack([several[trials], np.ones((len(rows), 2), dtype=bool)])
        cells, place = np.unique((trials[:, None] * n + rows)[moves], return_inverse=True)
        order = np.lexsort([rng.random(len(cells)), cells // n])
        rows[moves] = cells[order][place] % n
    return Triplets.from_array(rows, n, weight=triplets.weight)


def common_comparisons(
    kernel: TripletKernel, triplets: Triplets, first: int, second: int
) -> tuple[int, int]:
    """Number of comparisons that two objects have in common, without ties, and of equal results."""
    triplets = as_triplets(triplets)
    concerned = np.isin(triplets.rows, (first, second)).any(axis=1)
    votes = net_votes(kernel._entries(triplets.take(concerned))).tocsr()
    same = (votes[[first]].sign() * votes[[second]].sign()).tocoo().data
    return int(np.count_nonzero(same)), int(np.sum(same > 0))


def _unit_votes(kernel: TripletKernel, triplets: Triplets) -> sparse.csr_array:
    """(n, c) votes of every object, of length 1; 0 without votes."""
    votes = net_votes(kernel._entries(triplets))
    length = np.sqrt(votes.power(2).sum(axis=1))
    return (sparse.diags_array(1.0 / np.where(length > 0, length, 1.0)) @ votes).tocsr()
