"""Likelihood of choices under maps whose axes every person weights in their own way.

A choice is one of several pairs of objects, the two of a triplet or the three of an odd one out,
with a softmax over the similarities of the pairs. A person p sees the squared distance
``sum_k w_pk (x_ik - x_jk)^2``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from tripletscope.core.data.places import within
from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.declared import Choice
from tripletscope.core.optimise.elementary import compiled, exp_negative, log_positive

#: How similarity falls with distance, by name.
RESPONSES = Choice(
    {"ste": "STE", "tste": "t-STE", "ckl": "CKL"}, "Response model",
    "Probability of an answer as a function of the distances. STE: exp(−d²), so that weights are "
    "exactly stretched axes. t-STE and CKL forgive distant objects.",
    advanced=True,
)


class ResponseKernel(NamedTuple):
    """Similarity of a pair: ``-d2``, or ``-power * log(offset + d2)`` where the power is not 0."""

    power: float
    offset: float


def kernel_of(response: str, n_components: int) -> ResponseKernel:
    """The similarity of STE, of t-STE with its usual degrees of freedom, or of CKL."""
    if response == "ste":
        return ResponseKernel(0.0, 0.0)
    if response == "ckl":
        return ResponseKernel(1.0, 0.1)
    degrees = float(max(n_components - 1, 1))
    return ResponseKernel((degrees + 1.0) / 2.0, degrees)


@dataclass(frozen=True)
class Stages:
    """Choices among pairs of objects, and who made them.

    Attributes
    ----------
    pairs : ndarray of int32, shape (E, 2)
        In the order of the stages, the chosen one first.
    bounds : ndarray of int64, shape (S + 1,)
        Where the pairs of each stage begin.
    sign : ndarray, shape (S,)
        1 where the most similar pair was chosen, -1 where the least similar was.
    weight : ndarray, shape (S,)
    who : ndarray of int64, shape (S,)
        Row of the weights that apply.
    answer : ndarray of int64, shape (S,)
        Row of the answers that each stage stands in.
    """

    pairs: np.ndarray
    bounds: np.ndarray
    sign: np.ndarray
    weight: np.ndarray
    who: np.ndarray
    answer: np.ndarray

    def __len__(self) -> int:
        return len(self.sign)

    @property
    def sizes(self) -> np.ndarray:
        """(S,) pairs of each stage."""
        return np.diff(self.bounds)

    @property
    def chance(self) -> np.ndarray:
        """(S,) share that guessing gets right."""
        return 1.0 / self.sizes

    def take(self, which: np.ndarray) -> Stages:
        """Some of the stages, by a mask or by their positions."""
        which = np.flatnonzero(which) if which.dtype == bool else which
        sizes = self.sizes[which]
        ends = np.cumsum(sizes)
        places = np.repeat(self.bounds[which] - (ends - sizes), sizes) + np.arange(sizes.sum())
        return Stages(
            self.pairs[places], np.concatenate([[0], ends]).astype(np.int64), self.sign[which],
            self.weight[which], self.who[which], self.answer[which],
        )

    def weighted(self, weight: np.ndarray) -> Stages:
        """The same with other weights."""
        return replace(self, weight=np.ascontiguousarray(weight, float))

    def of(self, who: np.ndarray) -> Stages:
        """The same with other rows of weights."""
        return replace(self, who=np.ascontiguousarray(who, np.int64))


def stages_of(given: Triplets | Quadruples, who: np.ndarray) -> Stages:
    """The choices that answers are, with positive weight.

    Where several were chosen in no order, each counts as chosen from itself and what was left.

    Parameters
    ----------
    given : Triplets or Quadruples
    who : ndarray of int, shape (T,)
        Row of weights for each answer.
    """
    choices = given.choices
    sizes, several = choices.n_shown, choices.n_chosen
    # Each of several chosen ones stands alone before what was left.
    firsts = np.repeat(choices.bounds[:-1], several) + within(several)
    rest = np.repeat(sizes - several, several)
    begin = np.repeat(choices.bounds[:-1] + several, several)
    ends = np.cumsum(rest + 1)
    places = np.empty(int(ends[-1]) if len(ends) else 0, np.int64)
    first_places = ends - rest - 1
    is_first = np.zeros(len(places), bool)
    is_first[first_places] = True
    places[is_first] = firsts
    places[~is_first] = np.repeat(begin, rest) + within(rest)
    answer = np.repeat(choices.answer, several)
    stages = Stages(
        np.ascontiguousarray(choices.pairs[places], np.int32),
        np.concatenate([[0], ends]).astype(np.int64),
        np.repeat(choices.sign, several).astype(float), given.weight[answer].astype(float),
        np.asarray(who)[answer].astype(np.int64), answer.astype(np.int64),
    )
    counts = stages.weight > 0
    return stages if counts.all() else stages.take(counts)


class Judged(NamedTuple):
    """How choices were predicted.

    Attributes
    ----------
    answer : ndarray of int, shape (S,)
        Row of the answers that each choice stands in.
    log_share : ndarray, shape (S,)
        Log probability of what was chosen.
    right : ndarray, shape (S,)
        1 where that was the likeliest, 0 if not; a share where several were.
    """

    answer: np.ndarray
    log_share: np.ndarray
    right: np.ndarray


@compiled
def _choice(x, w, pairs, low, high, sign, power, offset, shares, slopes):
    """Set probabilities of the pairs and slopes of their similarity; the log of the first."""
    top = -np.inf
    for e in range(low, high):
        i, j, d2 = pairs[e, 0], pairs[e, 1], 0.0
        for k in range(x.shape[1]):
            d2 += w[k] * (x[i, k] - x[j, k]) ** 2
        like, slope = -d2, -1.0
        if power > 0.0:
            like, slope = -power * math.log(offset + d2), -power / (offset + d2)
        shares[e - low], slopes[e - low] = sign * like, sign * slope
        top = max(top, sign * like)
    total, first = 0.0, shares[0] - top
    for e in range(high - low):
        shares[e] = exp_negative(shares[e] - top)
        total += shares[e]
    for e in range(high - low):
        shares[e] /= total
    return first - log_positive(total)


@compiled
def _add_up(x, w, lapse, pairs, bounds, sign, weight, who, power, offset, most, by_x, by_w):
    """Loss of all stages; its gradients are added to `by_x` and `by_w`."""
    shares, slopes, loss = np.empty(most), np.empty(most), 0.0
    for s in range(sign.size):
        low, high, p = bounds[s], bounds[s + 1], who[s]
        log_first = _choice(
            x, w[p], pairs, low, high, sign[s], power, offset, shares, slopes
        )
        share, guess = 1.0, lapse[p]
        if guess > 0.0:
            seen = (1.0 - guess) * shares[0]
            given = seen + guess / (high - low)
            loss -= weight[s] * math.log(given)
            share = seen / given
        else:
            loss -= weight[s] * log_first
        for e in range(low, high):
            slope = shares[e - low] - (1.0 if e == low else 0.0)
            slope *= weight[s] * share * slopes[e - low]
            i, j = pairs[e, 0], pairs[e, 1]
            for k in range(x.shape[1]):
                apart = x[i, k] - x[j, k]
                by_w[p, k] += slope * apart * apart
                step = 2.0 * slope * w[p, k] * apart
                by_x[i, k] += step
                by_x[j, k] -= step
    return loss


@compiled
def _judge(x, w, lapse, pairs, bounds, sign, who, power, offset, most, log_share, right):
    """Set the log probability of every choice, and whether it was the likeliest one."""
    shares, slopes = np.empty(most), np.empty(most)
    for s in range(sign.size):
        low, high, p = bounds[s], bounds[s + 1], who[s]
        found = _choice(x, w[p], pairs, low, high, sign[s], power, offset, shares, slopes)
        if lapse[p] > 0.0:
            found = math.log((1.0 - lapse[p]) * shares[0] + lapse[p] / (high - low))
        log_share[s] = found
        ties, beaten = 0, False
        for e in range(high - low):
            ties += abs(shares[e] - shares[0]) <= 1e-12
            beaten |= shares[e] > shares[0] + 1e-12
        right[s] = 0.0 if beaten else 1.0 / ties


@compiled
def _inform(x, w, lapse, pairs, bounds, sign, weight, who, power, offset, most, a, b, c):
    """Add the expected information on positions, on both, and on log weights."""
    d = x.shape[1]
    shares, slopes = np.empty(most), np.empty(most)
    joint = np.empty((most, most))
    for s in range(sign.size):
        low, p = bounds[s], who[s]
        m, guess = bounds[s + 1] - low, lapse[p]
        _choice(x, w[p], pairs, low, low + m, sign[s], power, offset, shares, slopes)
        for e in range(m):
            for f in range(m):
                total = 0.0
                for g in range(m):
                    given = (1.0 - guess) * shares[g] + guess / m
                    ratio = ((1.0 - guess) * shares[g]) ** 2 / given
                    total += (
                        ratio * ((1.0 if g == e else 0.0) - shares[e])
                        * ((1.0 if g == f else 0.0) - shares[f])
                    )
                joint[e, f] = weight[s] * total * slopes[e] * slopes[f]
        for e in range(m):
            i, j = pairs[low + e, 0], pairs[low + e, 1]
            for f in range(m):
                g, h = pairs[low + f, 0], pairs[low + f, 1]
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
def _curve(x, w, lapse, pairs, bounds, sign, weight, who, power, offset, most, c):
    """Add the expected information on log weights."""
    d = x.shape[1]
    shares, slopes, mean = np.empty(most), np.empty(most), np.empty(d)
    for s in range(sign.size):
        low, p = bounds[s], who[s]
        m, guess = bounds[s + 1] - low, lapse[p]
        _choice(x, w[p], pairs, low, low + m, sign[s], power, offset, shares, slopes)
        mean[:] = 0.0
        for e in range(m):
            i, j = pairs[low + e, 0], pairs[low + e, 1]
            for k in range(d):
                mean[k] += shares[e] * slopes[e] * w[p, k] * (x[i, k] - x[j, k]) ** 2
        for e in range(m):
            i, j = pairs[low + e, 0], pairs[low + e, 1]
            seen = (1.0 - guess) * shares[e]
            ratio = weight[s] * seen * seen / (seen + guess / m)
            for k in range(d):
                first = slopes[e] * w[p, k] * (x[i, k] - x[j, k]) ** 2 - mean[k]
                for q in range(d):
                    second = slopes[e] * w[p, q] * (x[i, q] - x[j, q]) ** 2 - mean[q]
                    c[p, k, q] += ratio * first * second


class Likelihood:
    """Minus the log likelihood of choices, its gradient and its information.

    Parameters
    ----------
    stages : Stages
    kernel : ResponseKernel
    lapse : ndarray, shape (P,), optional
        Share of the choices of each row of weights that are made at random; by default none.
    """

    def __init__(
        self, stages: Stages, kernel: ResponseKernel, lapse: np.ndarray | None = None
    ) -> None:
        self.stages, self.kernel, self._lapse = stages, kernel, lapse
        self._most = int(stages.sizes.max(initial=2))

    def _lapses(self, number: int) -> np.ndarray:
        return np.zeros(number) if self._lapse is None else np.asarray(self._lapse, float)

    def __call__(self, x: np.ndarray, w: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        """Loss and its gradients.

        Parameters
        ----------
        x : ndarray, shape (n, d)
        w : ndarray, shape (P, d)

        Returns
        -------
        float, ndarray of shape (n, d), ndarray of shape (P, d)
        """
        by_x, by_w, s = np.zeros_like(x), np.zeros_like(w), self.stages
        loss = _add_up(
            x, w, self._lapses(len(w)), s.pairs, s.bounds, s.sign, s.weight, s.who, *self.kernel,
            self._most, by_x, by_w,
        )
        return loss, by_x, by_w

    def judged(self, x: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(S,) log probability of every choice, and (S,) 1 where it is the likeliest, 0 if not.

        Where several are as likely as the choice, it counts as one of them.
        """
        log_share, right, s = np.empty(len(self.stages)), np.empty(len(self.stages)), self.stages
        _judge(
            x, w, self._lapses(len(w)), s.pairs, s.bounds, s.sign, s.who, *self.kernel, self._most,
            log_share, right,
        )
        return log_share, right

    def curvature(self, x: np.ndarray, w: np.ndarray) -> np.ndarray:
        """(P, d, d) expected information on log weights alone."""
        found, s = np.zeros((*w.shape, w.shape[1])), self.stages
        _curve(
            x, w, self._lapses(len(w)), s.pairs, s.bounds, s.sign, s.weight, s.who, *self.kernel,
            self._most, found,
        )
        return found

    def information(
        self, x: np.ndarray, w: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Expected information, with coordinates of an object one after the other.

        Returns
        -------
        ndarray of shape (n d, n d), of positions
        ndarray of shape (P, d, n d), of log weights with positions
        ndarray of shape (P, d, d), of log weights
        """
        (n, d), number, s = x.shape, len(w), self.stages
        found = np.zeros((n * d, n * d)), np.zeros((number, d, n * d)), np.zeros((number, d, d))
        _inform(
            x, w, self._lapses(number), s.pairs, s.bounds, s.sign, s.weight, s.who, *self.kernel,
            self._most, *found,
        )
        return found
