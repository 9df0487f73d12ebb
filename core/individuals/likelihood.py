"""Likelihood of choices under maps whose axes every person weights in their own way.

A person p sees the squared distance ``sum_k w_pk (x_ik - x_jk)^2``; what is chosen among such pairs
has the response function of an embedding, STE's, t-STE's or CKL's.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.special import softmax

from tripletscope.core.data.choices import Choices
from tripletscope.core.data.triplets import Judgements
from tripletscope.core.optimise.elementary import SIMILARITY, address, compiled, found_at
from tripletscope.core.optimise.loss import Loss
from tripletscope.core.optimise.responses import choose, hits

#: Choices that are handled at a time.
_BLOCK = 256

_similarity_at = found_at(SIMILARITY)


def choices_by(answers: Judgements, who: np.ndarray) -> Choices:
    """The choices that answers are, of positive weight, told apart by who made them.

    Where several were chosen in no order, each counts as chosen from itself and what was left: of a
    set, the expected information has no short form.

    who (T,): Row of weights for each answer.
    """
    choices = answers.choices.take(answers.choices.weight > 0)
    return choices.of_units(np.asarray(who)[choices.answer]).singly()


class Judged(NamedTuple):
    """How choices were predicted.

    answer (S,): Row of the answers that each choice stands in.
    log_share (S,): Log probability of what was chosen.
    right (S,): 1 where that was the likeliest, 0 if not; a share where several were.
    """

    answer: np.ndarray
    log_share: np.ndarray
    right: np.ndarray


class _Part(NamedTuple):
    """Choices of one kind, in columns.

    one, other (m, K): The pairs of each, the chosen one first.
    who (K,): Row of the weights that apply.
    guess: Probability of guessing right.
    """

    one: np.ndarray
    other: np.ndarray
    who: np.ndarray
    weight: np.ndarray
    chosen: int
    guess: float


@compiled
def _see(x, w, part, low, high, similarity, constants, likeness, slopes):
    """Set similarities of the pairs of some choices, and their derivatives by squared distances."""
    squares = np.empty(high - low)
    for e in range(part.one.shape[0]):
        for t in range(low, high):
            i, j, p, d2 = part.one[e, t], part.other[e, t], part.who[t], 0.0
            for k in range(x.shape[1]):
                d2 += w[p, k] * (x[i, k] - x[j, k]) ** 2
            squares[t - low] = d2
        similarity(squares, constants, likeness[e, : high - low], slopes[e, : high - low])


@compiled
def _add_up(x, w, lapse, part, at, constants, by_x, by_w):
    """Loss of all choices; its gradients are added to `by_x` and `by_w`."""
    similarity = _similarity_at(at)
    m, n = part.one.shape
    size, total = min(_BLOCK, n), 0.0
    likeness, slopes, by = np.empty((m, size)), np.empty((m, size)), np.empty((m, size))
    loss, factor = np.empty(size), np.empty(size)
    for low in range(0, n, _BLOCK):
        high = min(low + _BLOCK, n)
        _see(x, w, part, low, high, similarity, constants, likeness, slopes)
        choose(likeness, high - low, part.chosen, loss, by)
        for t in range(high - low):
            rate, share = lapse[part.who[low + t]], 1.0
            if rate > 0.0:
                seen = (1.0 - rate) * math.exp(-loss[t])
                share = seen / (seen + rate * part.guess)
                loss[t] = -math.log(seen + rate * part.guess)
            total += part.weight[low + t] * loss[t]
            factor[t] = part.weight[low + t] * share
        for e in range(m):
            for t in range(high - low):
                i, j, p = part.one[e, low + t], part.other[e, low + t], part.who[low + t]
                slope = factor[t] * by[e, t] * slopes[e, t]
                for k in range(x.shape[1]):
                    difference = x[i, k] - x[j, k]
                    by_w[p, k] += slope * difference * difference
                    step = 2.0 * slope * w[p, k] * difference
                    by_x[i, k] += step
                    by_x[j, k] -= step
    return total


@compiled
def _look(x, w, part, at, constants, likeness, slopes, loss, by):
    """Set, of all choices, what `_see` and `choose` do."""
    _see(x, w, part, 0, part.one.shape[1], _similarity_at(at), constants, likeness, slopes)
    choose(likeness, loss.size, part.chosen, loss, by)


@compiled
def _inform(x, w, lapse, part, shares, slopes, a, b, c):
    """Add the expected information on positions, on both, and on log weights."""
    d, m = x.shape[1], part.one.shape[0]
    joint = np.empty((m, m))
    for s in range(part.who.size):
        p = part.who[s]
        rate = lapse[p]
        for e in range(m):
            for f in range(m):
                total = 0.0
                for g in range(m):
                    seen = (1.0 - rate) * shares[g, s]
                    if seen == 0.0:
                        continue
                    total += (
                        seen * seen / (seen + rate / m)
                        * ((1.0 if g == e else 0.0) - shares[e, s])
                        * ((1.0 if g == f else 0.0) - shares[f, s])
                    )
                joint[e, f] = part.weight[s] * total * slopes[e, s] * slopes[f, s]
        for e in range(m):
            i, j = part.one[e, s], part.other[e, s]
            for f in range(m):
                g, h = part.one[f, s], part.other[f, s]
                for k in range(d):
                    first = x[i, k] - x[j, k]
                    for q in range(d):
                        second = x[g, q] - x[h, q]
                        each = joint[e, f] * w[p, k] * first * w[p, q] * second
                        c[p, k, q] += each * first * second
                        b[p, k, g * d + q] += 2.0 * each * first
                        b[p, k, h * d + q] -= 2.0 * each * first
                        a[i * d + k, g * d + q] += 4.0 * each
                        a[i * d + k, h * d + q] -= 4.0 * each
                        a[j * d + k, g * d + q] -= 4.0 * each
                        a[j * d + k, h * d + q] += 4.0 * each


@compiled
def _curve(x, w, lapse, part, shares, slopes, c):
    """Add the expected information on log weights."""
    d, m = x.shape[1], part.one.shape[0]
    mean = np.empty(d)
    for s in range(part.who.size):
        p = part.who[s]
        mean[:] = 0.0
        for e in range(m):
            i, j = part.one[e, s], part.other[e, s]
            for k in range(d):
                mean[k] += shares[e, s] * slopes[e, s] * w[p, k] * (x[i, k] - x[j, k]) ** 2
        for e in range(m):
            i, j = part.one[e, s], part.other[e, s]
            seen = (1.0 - lapse[p]) * shares[e, s]
            if seen == 0.0:
                continue
            ratio = part.weight[s] * seen * seen / (seen + lapse[p] / m)
            for k in range(d):
                first = slopes[e, s] * w[p, k] * (x[i, k] - x[j, k]) ** 2 - mean[k]
                for q in range(d):
                    second = slopes[e, s] * w[p, q] * (x[i, q] - x[j, q]) ** 2 - mean[q]
                    c[p, k, q] += ratio * first * second


class Likelihood:
    """Minus the log likelihood of choices, its gradient and its information.

    choices: Of one pair each; their units are rows of the weights.
    loss: Of an embedding, which has a similarity.
    lapse (P,): Share of the choices of each row of weights that are made at random; none as a rule.
    """

    def __init__(self, choices: Choices, loss: Loss, lapse: np.ndarray | None = None) -> None:
        self.choices, self._loss, self._lapse = choices, loss, lapse

    @cached_property
    def _parts(self) -> list[tuple[np.ndarray, _Part]]:
        """Stages, and what they are in columns, of every kind."""
        choices, parts = self.choices, []
        for stage, place, chosen in choices.kinds:
            one, other = np.moveaxis(choices.pairs[place], 0, 2).swapaxes(0, 1)
            parts.append((stage, _Part(
                np.ascontiguousarray(one, np.int32), np.ascontiguousarray(other, np.int32),
                choices.unit[stage], choices.weight[stage], chosen, 1.0 / place.shape[1],
            )))
        return parts

    def _lapses(self, number: int) -> np.ndarray:
        return np.zeros(number) if self._lapse is None else np.asarray(self._lapse, float)

    def __call__(self, x: np.ndarray, w: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        """Loss and its gradients.

        Shapes: x (n, d), w (P, d).
        Returns: float, (n, d), (P, d).
        """
        by_x, by_w, lapse = np.zeros_like(x), np.zeros_like(w), self._lapses(len(w))
        at, constants = address(self._loss.similarity, SIMILARITY), self._loss.constants
        total = sum(
            _add_up(x, w, lapse, part, at, constants, by_x, by_w) for _, part in self._parts
        )
        return float(total), by_x, by_w

    def _seen(
        self, part: _Part, x: np.ndarray, w: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Similarities, slopes, shares (m, K) of the pairs of choices, and losses (K,)."""
        likeness, slopes, by = np.empty((3, *part.one.shape))
        loss = np.empty(part.one.shape[1])
        at, constants = address(self._loss.similarity, SIMILARITY), self._loss.constants
        _look(x, w, part, at, constants, likeness, slopes, loss, by)
        # `choose` has turned what was least similar round. No small share may be lost.
        return likeness, np.sign(part.chosen) * slopes, softmax(likeness, axis=0), loss

    def judged(self, x: np.ndarray, w: np.ndarray) -> Judged:
        """How likely every choice is."""
        log_share, similarity = np.empty(len(self.choices)), np.empty(len(self.choices.pairs))
        lapse = self._lapses(len(w))
        for (stage, part), kind in zip(self._parts, self.choices.kinds, strict=True):
            likeness, _, _, loss = self._seen(part, x, w)
            rate = lapse[part.who]
            log_share[stage] = -loss if not rate.any() else np.log(
                (1.0 - rate) * np.exp(-loss) + rate * part.guess
            )
            similarity[kind.place] = np.sign(part.chosen) * likeness.T
        return Judged(self.choices.answer, log_share, hits(self.choices, similarity))

    def curvature(self, x: np.ndarray, w: np.ndarray) -> np.ndarray:
        """(P, d, d) expected information on log weights alone."""
        c = np.zeros((*w.shape, w.shape[1]))
        for _, part in self._parts:
            _, slopes, shares, _ = self._seen(part, x, w)
            _curve(x, w, self._lapses(len(w)), part, shares, slopes, c)
        return c

    def information(
        self, x: np.ndarray, w: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Expected information, with coordinates of an object one after the other.

        Returns: (n d, n d), of positions; (P, d, n d), of log weights with positions; (P, d, d), of
            log weights.
        """
        (n, d), number = x.shape, len(w)
        abc = np.zeros((n * d, n * d)), np.zeros((number, d, n * d)), np.zeros((number, d, d))
        for _, part in self._parts:
            _, slopes, shares, _ = self._seen(part, x, w)
            _inform(x, w, self._lapses(number), part, shares, slopes, *abc)
        return abc
