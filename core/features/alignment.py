"""Alignment without labels: which object corresponds to which, from distances alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import pandas as pd
from scipy.optimize import linear_sum_assignment
from scipy.stats import poisson, rankdata

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.geometry import distances
from tripletscope.core.data.quadruples import as_answers
from tripletscope.core.data.triplets import Answers
from tripletscope.core.engine.declared import Number, Seed
from tripletscope.core.engine.method import MethodParameter, make_method
from tripletscope.core.engine.parallel import CancelToken, results_of
from tripletscope.core.engine.progress import Progress, part, silent
from tripletscope.core.engine.task import task
from tripletscope.core.features.feature_model import FeatureModel
from tripletscope.core.features.splits import prepared
from tripletscope.core.inference.held_out.share import wilson
from tripletscope.core.inference.held_out.units import sampling_units
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding, map_of
from tripletscope.core.models.embedding.ste import STE

#: Fewest objects.
FEWEST = 5
#: Candidates of an object that count in `Aligned.top`.
TOP = 5
#: Of one test for each space.
LEVEL = 0.05
#: Strength of the entropy of the final plan, as a share of the variance of the distances.
_ENTROPY = 0.01
#: Scale of the differences of profiles, as a share of their median.
_LIKE = 0.3
#: Steps of a start, iterations of Sinkhorn, and the change of a plan that ends a start.
_STEPS, _SCALINGS, _SAME = 100, 1000, 1e-3
#: Name of the two halves of the answers among the spaces.
HALVES = "halves of the answers"


@dataclass(frozen=True)
class Aligned:
    """How the distances of s feature spaces align with those of a map, without labels.

    The last of the spaces are maps of two halves of the answers.

    Attributes
    ----------
    spaces : list of str, length s
    matches : ndarray of int, shape (s,)
        Objects that are matched with themselves, one to one.
    accuracy, low, high : ndarray, shape (s,)
        The same as a share, with Wilson's 95 % interval.
    top : ndarray, shape (s,)
        Share of objects that are among their five likeliest matches.
    p : ndarray, shape (s,)
        That chance, one object on average, matches as many.
    cost : ndarray, shape (s,)
        Mean squared difference between distances of matched pairs, as ranks from 0 to 1; one sixth
        where they are unrelated.
    partner : ndarray of int, shape (s, m)
        Match of each, as a position among the aligned objects.
    plan : ndarray, shape (s, m, m)
        Probability that an object of the map (row) is one of the space (column).
    objects : ndarray of int, shape (m,)
        The aligned objects, in the order along the longest axis of the map.
    starts : int
    """

    spaces: list[str]
    matches: np.ndarray
    accuracy: np.ndarray
    low: np.ndarray
    high: np.ndarray
    top: np.ndarray
    p: np.ndarray
    cost: np.ndarray
    partner: np.ndarray
    plan: np.ndarray
    objects: np.ndarray
    starts: int

    @property
    def significant(self) -> np.ndarray:
        """(s,) bool: aligned better than by chance, at 5 % for all together (Bonferroni)."""
        return self.p * len(self.p) <= LEVEL

    @property
    def table(self) -> pd.DataFrame:
        """One row per space."""
        return pd.DataFrame({
            "space": self.spaces, "matches": self.matches, "accuracy": self.accuracy,
            "low": self.low, "high": self.high, "top_5": self.top, "p": self.p, "cost": self.cost,
        })


@task("Aligning without labels", "spaces", columns=("participant",))
def align_spaces(
    spaces: FeatureModel, answers: Answers, *,
    embedding: Annotated[
        OrdinalEmbedding | dict | None,
        MethodParameter(("embedding",), "Map", "Whose distances are aligned.", automatic="STE"),
    ] = None,
    starts: Annotated[int, Number(
        1, 1000, "Starts", "Alignments have many local optima; the best of this many starts is "
                           "kept.",
    )] = 50,
    most: Annotated[int, Number(
        FEWEST, 2000, "Objects at most", "Larger sets are sampled at random down to this number.",
        advanced=True,
    )] = 200,
    seed: Seed = 0, progress: Progress = silent,
) -> Aligned:
    """Align the map of the answers with feature spaces by their distances alone.

    The optimal transport plan between objects of the map and of the space makes distances agree.
    Unlike a rank correlation, it shows that each object has the same place in both.

    Parameters
    ----------
    spaces : FeatureModel, FeatureSpace or list of FeatureSpace
    answers : Triplets, Quadruples or array-like of int, shape (T, 3) or (T, 4)
    embedding : OrdinalEmbedding, optional
        By default STE in two dimensions.

    Raises
    ------
    DataError
        If fewer than five objects have features and a place in the map.

    Notes
    -----
    Gromov-Wasserstein of distances as ranks, with equal weights of all objects, by conditional
    gradients. Every other start is random; the rest prefer objects whose distances are distributed
    alike. The plan of the lowest cost is kept and softened by a little entropy. Objects are
    shuffled first, so that their order tells nothing. Maps of two halves of the people, or of the
    trials, are aligned, too.

    References
    ----------
    Mémoli, F. (2011). Gromov-Wasserstein distances and the metric approach to object matching.
    Foundations of Computational Mathematics, 11, 417-487. Vogelstein, J. T., et al. (2015). Fast
    approximate quadratic programming for graph matching. PLoS ONE, 10, e0121002. Kawakita, G., et
    al. (2025). Is my "red" your "red"? Evaluating structural correspondences between color
    similarity judgments using unsupervised alignment. iScience, 28, 112029 (arXiv:2308.04381).

    Examples
    --------
    >>> import numpy as np, tripletscope as ts
    >>> x = np.random.default_rng(0).normal(size=(12, 2))
    >>> answers = ts.simulate(x, 3000, noise="logistic", level=0.3, seed=0)
    >>> seen = ts.features.FeatureSpace(name="seen", values=x)
    >>> found = ts.features.align_spaces(seen, answers, starts=20)
    >>> bool(found.matches[0] > 8)
    True
    """
    answers = as_answers(answers)
    tables, has_features, _ = prepared(spaces, answers)
    method = STE() if embedding is None else make_method(embedding)
    rng = np.random.default_rng(seed)
    divided = sampling_units(answers).halves(rng)
    whole, *halves = results_of(map_of, [
        (method, answers), *((method, answers.take(half)) for half in divided),
    ], part(progress, high=0.1))
    objects = np.flatnonzero(has_features & np.isfinite([whole, *halves]).all(axis=(0, 2)))
    if len(objects) < FEWEST:
        raise DataError(
            f"{len(objects):,} objects have features and a place in the maps; {FEWEST} are needed",
            file=answers.name, remedy="Give features of more objects, or collect more answers.",
        )
    objects = rng.permutation(objects)[:most]
    objects = objects[np.argsort(whole[objects, 0], kind="stable")]
    within = np.ix_(objects, objects)
    pairs = [(distances(whole[objects]), space.dissimilarities()[within]) for space in tables]
    pairs.append(tuple(distances(one[objects]) for one in halves))
    costs, partners, plans = _best_plans(pairs, starts, seed, part(progress, low=0.1))
    progress(1.0)
    m = len(objects)
    matches = (partners == np.arange(m)).sum(axis=1)
    better = (plans > np.diagonal(plans, axis1=1, axis2=2)[:, :, None]).sum(axis=2)
    bounds = np.array([wilson(count / m, m) for count in matches])
    return Aligned(
        [*(space.name for space in tables), HALVES], matches, matches / m, *bounds.T,
        (better < TOP).mean(axis=1), poisson.sf(matches - 1, 1.0), costs, partners,
        plans.astype(np.float32), objects, starts,
    )


def _best_plans(
    pairs: list[tuple[np.ndarray, np.ndarray]], starts: int, seed: int, progress: Progress
) -> Iterator[np.ndarray]:
    """(s,) costs, (s, m) partners and (s, m, m) plans of the best start for each pair of maps."""
    seeds = np.random.SeedSequence(seed).spawn(starts)
    pieces = [
        (_ranks(one), _ranks(other), number % 2 == 0, child)
        for one, other in pairs for number, child in enumerate(seeds)
    ]
    results = list(results_of(_aligned, pieces, progress))
    best = [
        min(results[k * starts:(k + 1) * starts], key=lambda one: one[0])
        for k in range(len(pairs))
    ]
    return (np.array(values) for values in zip(*best, strict=True))


def _ranks(matrix: np.ndarray) -> np.ndarray:
    """(m, m) distances as ranks among all pairs, from 0 to 1; 0 on the diagonal."""
    i, j = np.triu_indices(len(matrix), 1)
    result = np.zeros_like(matrix)
    result[i, j] = rankdata(matrix[i, j]) / len(i)
    return result + result.T


def _aligned(
    one: np.ndarray, other: np.ndarray, by_profile: bool, seed: np.random.SeedSequence,
    halt: CancelToken,
) -> tuple[float, np.ndarray, np.ndarray]:
    """Cost, partners (m,) and plan (m, m), rows adding up to 1, from one start.

    `by_profile` starts prefer objects whose distances are distributed alike.
    """
    rng, m = np.random.default_rng(seed), len(one)
    order = rng.permutation(m)
    other = other[np.ix_(order, order)]
    start = rng.random((m, m))
    if by_profile:
        unlike = np.square(np.sort(one)[:, None] - np.sort(other)[None]).mean(axis=2)
        # From the profiles alone to chance.
        unlike *= rng.gamma(1 / start[0, 0], start[0, 0], size=unlike.shape)
        start = np.exp(-unlike / (_LIKE * np.median(unlike) + 1e-12))
    plan = _scaled(start)
    for _ in range(_STEPS):
        slope = one @ plan @ other
        rows, columns = linear_sum_assignment(slope, maximize=True)
        move = -plan
        move[rows, columns] += 1
        # Along the way to the best assignment the cost is a parabola.
        first, second = 2 * (move * slope).sum(), (move * (one @ move @ other)).sum()
        step = 1.0 if second >= 0 else min(-first / (2 * second), 1.0)
        plan += step * move
        if step * np.abs(move).max() < _SAME or halt():
            break
    partner = linear_sum_assignment(plan, maximize=True)[1]
    difference = one - other[np.ix_(partner, partner)]
    cost = -2 / m * one @ np.eye(m)[partner] @ other
    entropy = _ENTROPY * np.concatenate([one, other]).var()
    unshuffled = np.empty_like(plan)
    unshuffled[:, order] = _scaled(np.exp((cost.min(axis=1, keepdims=True) - cost) / entropy))
    return float((difference**2).sum() / (m * (m - 1))), order[partner], unshuffled


def _scaled(kernel: np.ndarray) -> np.ndarray:
    """A matrix with positive numbers, scaled until rows and columns add up to 1 (Sinkhorn)."""
    kernel = kernel + 1e-300
    rows = np.ones(len(kernel))
    for k in range(_SCALINGS):
        columns = 1 / (rows @ kernel)
        rows = 1 / (kernel @ columns)
        if k % 10 == 9 and np.abs(columns * (rows @ kernel) - 1).max() < 1e-6:
            break
    return rows[:, None] * kernel * columns
