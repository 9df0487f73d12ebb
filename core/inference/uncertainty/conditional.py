"""Where each object may lie by the answers about it, with the rest of the map held."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar

from tripletscope.core.data.geometry import rms
from tripletscope.core.data.grouping import connected_objects
from tripletscope.core.models.optimise.elementary import compiled, exp_negative, log_positive
from tripletscope.core.models.optimise.layout import AnswerLayout, LayoutPart
from tripletscope.core.models.optimise.responses import losses_of

#: Answers about an object up to which other maps may understate where it lies
#: (benchmarks/rare_objects.py).
RARE = 100
#: Answers for each dimension that are too few: ellipses of 4 in the plane held 87 % at 95 %.
_LEAST = 2
#: Places that an object is tried at, and sizes of the clouds that they come from: the first is as
#: large as the map, each of the others half as large as the one before. One more is the prior.
_PLACES, _SIZES = 250, 0.5 ** np.arange(4)
#: Largest variance of an object that maps are aligned by, relative to the map's.
_NARROW = 0.1
#: Answers that the noise is estimated from, and its range relative to the size of the map.
_LOOKED_AT, _NOISES = 4096, (1e-3, 1e3)
#: Least spread of a map along any direction, relative to its size.
_FLAT = 1e-3


class Conditional(NamedTuple):
    """What the answers about each object tell of its position.

    moments (n, d, d): Second moments about its place; 0 for objects with more than `RARE` answers,
        NaN for those whose positions the answers do not determine. None where pairs are not seen
        by distances.
    anchors (n,): Whether maps are aligned by the object; None for all.
    """

    moments: np.ndarray | None = None
    anchors: np.ndarray | None = None


def conditional(positions: np.ndarray, answers: AnswerLayout) -> Conditional:
    """What the answers about each object tell of its position, with the rest of the map held.

    Resamples of few answers all leave an object where the prior or the start has put it. Its own
    posterior shows how far off that may be: the prior is a normal cloud with mean and covariance of
    the map; a pair is chosen with a probability in proportion to exp(-distance / noise), with the
    noise under which the answers are most probable. Its moments are importance sampled, since few
    answers leave several peaks.

    Answers do not determine a position if they do not link the object with the largest part of the
    others, if there are at most two for each dimension, or if the object may lie anywhere in the
    map (the determinant of its moments is that of the map's covariance or more).

    positions (n, d): As fitted to the answers.
    """
    n, d = positions.shape
    n_answers = _answers_per_object(answers)
    within = _largest_part(answers, n_answers)
    enough = within & (n_answers > _LEAST * d)
    moments = np.where(enough[:, None, None], 0.0, np.full((n, d, d), np.nan))
    spread = np.zeros(n)
    rare = np.flatnonzero(enough & (n_answers <= RARE))
    if len(rare):
        held = positions[within]
        floor = max((_FLAT * rms(held)) ** 2, np.finfo(float).tiny)
        axes = np.linalg.cholesky(np.atleast_2d(np.cov(held.T, bias=True)) + floor * np.eye(d))
        places = _Places(axes, held.mean(axis=0), _noise(positions, answers))
        for i, about in _about_each(answers, rare):
            moments[i] = places.moments(positions, i, about)
            seen = np.linalg.solve(axes, np.linalg.solve(axes, moments[i]).T)
            spread[i] = max(np.linalg.det(seen), 0.0) ** (1 / d)
        moments[spread >= 1.0] = np.nan
    anchors = enough & (spread <= _NARROW)
    return Conditional(moments, anchors if 2 * anchors.sum() >= within.sum() else within)


def _answers_per_object(answers: AnswerLayout) -> np.ndarray:
    """(n,) number of answers of positive weight about each object."""
    result = np.zeros(answers.n_objects, dtype=np.int64)
    for part in answers.parts:
        result += np.bincount(_mentions(part)[0], minlength=len(result))
    return result


def _mentions(part: LayoutPart) -> tuple[np.ndarray, np.ndarray]:
    """Objects and the answers of positive weight that mention them, each once."""
    objects = np.sort(part.roles[:, part.weight > 0], axis=0)
    first = np.ones(objects.shape, dtype=bool)
    first[1:] = objects[1:] != objects[:-1]
    role, answer = np.nonzero(first)
    return objects[role, answer].astype(np.int64), np.flatnonzero(part.weight > 0)[answer]


def _largest_part(answers: AnswerLayout, n_answers: np.ndarray) -> np.ndarray:
    """(n,) bool: the most objects that answers link with each other."""
    links = np.concatenate([
        np.column_stack([np.tile(roles[0], len(roles) - 1), roles[1:].ravel()])
        for roles in (part.roles[:, part.weight > 0] for part in answers.parts)
    ])
    company = connected_objects(links, answers.n_objects)
    return (company == np.argmax(np.bincount(company, n_answers > 0))) & (n_answers > 0)


def _about_each(
    answers: AnswerLayout, objects: np.ndarray
) -> Iterator[tuple[int, list[tuple[np.ndarray, np.ndarray, int]]]]:
    """Each of the objects with the pairs (m, 2, k), weights (k,) and kind of answers about it."""
    wanted = np.zeros(answers.n_objects, dtype=bool)
    wanted[objects] = True
    sorted_by_object = []
    for part in answers.parts:
        mentioned, answer = _mentions(part)
        kept = wanted[mentioned]
        order = np.argsort(mentioned[kept], kind="stable")
        mentioned, answer = mentioned[kept][order], answer[kept][order]
        bounds = np.searchsorted(mentioned, objects), np.searchsorted(mentioned, objects, "right")
        sorted_by_object.append((part, part.pairs, answer, *bounds))
    for place, i in enumerate(objects):
        yield int(i), [
            (pairs[:, :, which], part.weight[which], part.chosen or 1)
            for part, pairs, answer, begin, end in sorted_by_object
            if len(which := answer[begin[place]:end[place]])
        ]


def _noise(positions: np.ndarray, answers: AnswerLayout) -> float:
    """Noise of distances under which the answers are most probable."""
    looked_at = [
        (_distances(positions, part.pairs), part.weight, part.chosen or 1)
        for part in answers.thinned(_LOOKED_AT).parts
    ]

    def loss(log_noise: float) -> float:
        noise = np.exp(log_noise)
        return sum(
            float(weight @ losses_of(-far / noise, chosen)[0]) for far, weight, chosen in looked_at
        )

    size = rms(positions) or 1.0
    bounds = [float(np.log(size * end)) for end in _NOISES]
    return float(np.exp(minimize_scalar(loss, bounds=bounds, options={"xatol": 0.01}).x))


def _distances(positions: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """(m, T) distances of pairs (m, 2, T)."""
    return np.sqrt(sum((x[pairs[:, 0]] - x[pairs[:, 1]]) ** 2 for x in positions.T))


@compiled
def _add_losses(tried, positions, pairs, weight, sign, noise, i, total):
    """Add the losses of answers that chose one pair, with object `i` at each place tried.

    Distances that do not change with the place are taken once: half of the time of `losses_of`.

    tried (d, g), pairs (m, 2, k), total (g,).
    sign: -1 where the least similar pair was chosen.
    """
    d, n_places = tried.shape
    similarity = np.empty((pairs.shape[0], n_places))
    for t in range(weight.size):
        for e in range(pairs.shape[0]):
            one, other = np.int64(pairs[e, 0, t]), np.int64(pairs[e, 1, t])
            far = similarity[e]
            if one != i and other != i:
                square = 0.0
                for c in range(d):
                    square += (positions[one, c] - positions[other, c]) ** 2
                far[:] = -sign * math.sqrt(square) / noise
                continue
            far[:] = 0.0
            for c in range(d):
                x = positions[one + other - i, c]
                for g in range(n_places):
                    far[g] += (tried[c, g] - x) ** 2
            for g in range(n_places):
                far[g] = -sign * math.sqrt(far[g]) / noise
        for g in range(n_places):
            top, summed = similarity[0, g], 0.0
            for e in range(1, pairs.shape[0]):
                top = max(top, similarity[e, g])
            for e in range(pairs.shape[0]):
                summed += exp_negative(similarity[e, g] - top)
            total[g] += weight[t] * (top - similarity[0, g] + log_positive(summed))


class _Places:
    """Places that objects are tried at.

    axes (d, d): Root of the covariance of the map.
    """

    def __init__(self, axes: np.ndarray, centre: np.ndarray, noise: float) -> None:
        d = len(axes)
        self._noise = noise
        # The same for all objects: only the clouds move.
        cloud = np.arange(_PLACES) % (len(_SIZES) + 1)
        drawn = np.random.default_rng(0).standard_normal((_PLACES, d))
        self._is_prior = cloud == len(_SIZES)
        self._steps = np.append(_SIZES, 1.0)[cloud][:, None] * drawn
        self._axes, self._centre = axes, np.linalg.solve(axes, centre)

    def moments(
        self, positions: np.ndarray, i: int, about: list[tuple[np.ndarray, np.ndarray, int]]
    ) -> np.ndarray:
        """(d, d) second moments of object `i` about its place, by the answers about it."""
        here = np.linalg.solve(self._axes, positions[i])
        # In units of the map's spread, from the place of the object.
        off = self._steps + np.where(self._is_prior[:, None], self._centre - here, 0.0)
        prior = -0.5 * np.sum((off + here - self._centre) ** 2, axis=1)
        size2 = np.sum(off**2, axis=1)
        drawn = [prior, *(-0.5 * size2 / s**2 - off.shape[1] * np.log(s) for s in _SIZES)]
        log = prior - np.logaddexp.reduce(drawn)
        tried = positions[i] + off @ self._axes.T
        losses = np.zeros(len(off))
        for pairs, weight, chosen in about:
            if abs(chosen) == 1:
                across = np.ascontiguousarray(tried.T)
                _add_losses(across, positions, pairs, weight, chosen, self._noise, i, losses)
            else:
                losses += weight @ self._of_several(positions, i, tried, pairs, chosen)
        log -= losses
        share = np.exp(log - log.max())
        steps = tried - positions[i]
        return np.einsum("g,gi,gj->ij", share / share.sum(), steps, steps)

    def _of_several(
        self, positions: np.ndarray, i: int, tried: np.ndarray, pairs: np.ndarray, chosen: int
    ) -> np.ndarray:
        """(k, g) losses of answers that chose several pairs (m, 2, k), at the places tried."""
        far = np.repeat(_distances(positions, pairs)[:, :, None], len(tried), axis=2)
        is_here = (pairs == i).any(axis=1)
        other = positions[(pairs.astype(np.int64).sum(axis=1) - i)[is_here]]
        far[is_here] = np.linalg.norm(tried[None] - other[:, None], axis=2)
        losses = losses_of(far.reshape(len(far), -1) / -self._noise, chosen)[0]
        return losses.reshape(pairs.shape[2], -1)
