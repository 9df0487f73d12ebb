"""The likelihood of choices: which of several pairs of objects are the most similar.

A pair is chosen with a probability in proportion to the exponential of its similarity
(softmax); several are chosen one after the other (Plackett, 1975; Luce, 1959).
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import comb, logsumexp, softmax

from tripletscope.core.data.choices import Choices
from tripletscope.core.models.optimise.elementary import (
    compiled,
    exp_negative,
    log1p_unit,
    log_positive,
)

#: Choices of several that are handled at a time.
_BLOCK = 256
#: Most pairs of an unordered choice whose 2^r subsets are summed.
MOST_CHOSEN = 8
#: Values that differ less are tied.
_SAME = 1e-12
#: Nodes and log-weights of the integral over an exponential time of rate 1, and the largest
#: logarithm of a rate.
_STEPS = np.arange(-3.4, 6.6, 0.04)
_TIMES = np.exp(_STEPS - np.exp(-_STEPS))
_LOG_WEIGHTS = np.log(0.04 * _TIMES * (1.0 + np.exp(-_STEPS))) - _TIMES
_FARTHEST = 300.0

@compiled
def choose(values, n, chosen, loss, by):
    """Minus the log-probabilities of the first `n` choices, and their derivatives.

    values (m, b): Similarities of the pairs of each choice, the chosen ones first; changed in place
        where the least similar were chosen.
    chosen: Number of chosen pairs; negative if they are the least similar.
    loss (b,), by (m, b): Set to the losses, and to their derivatives by the similarities.
    """
    if chosen < 0:
        for e in range(values.shape[0]):
            for t in range(n):
                values[e, t] = -values[e, t]
    if abs(chosen) == 1:
        _choose_one(values, n, loss, by)
    else:
        _choose_several(values, n, abs(chosen), loss, by)
    if chosen < 0:
        for e in range(values.shape[0]):
            for t in range(n):
                by[e, t] = -by[e, t]


@compiled
def _choose_one(values, n, loss, by):
    shown = values.shape[0]
    top = np.empty(n)
    for t in range(n):
        top[t] = values[0, t]
        loss[t] = 0.0
    for e in range(1, shown):
        for t in range(n):
            top[t] = max(top[t], values[e, t])
    for e in range(shown):
        for t in range(n):
            by[e, t] = exp_negative(values[e, t] - top[t])
            loss[t] += by[e, t]
    for e in range(shown):
        for t in range(n):
            by[e, t] /= loss[t]
    for t in range(n):
        by[0, t] -= 1.0
        loss[t] = top[t] - values[0, t] + log_positive(loss[t])


@compiled
def _choose_several(values, n, chosen, loss, by):
    """The likelihood of an unordered set: the sum over all its orders.

    For every subset of the chosen pairs, by its bits: `first` is the log-probability that it came
    first in any order, `left` the logarithm of the sum over the remaining pairs.
    """
    shown, full = values.shape[0], 2**chosen - 1
    left, first, after = np.empty(full + 1), np.empty(full + 1), np.empty(full + 1)
    for t in range(n):
        others = -np.inf
        for e in range(chosen, shown):
            others = _log_sum(others, values[e, t])
        for gone in range(full, -1, -1):
            left[gone] = others
            for e in range(chosen):
                if not gone >> e & 1:
                    left[gone] = _log_sum(left[gone], values[e, t])
        first[0] = 0.0
        for gone in range(1, full + 1):
            first[gone] = -np.inf
            for e in range(chosen):
                if gone >> e & 1:
                    before = gone ^ 1 << e
                    first[gone] = _log_sum(first[gone], first[before] + values[e, t] - left[before])
        loss[t] = max(-first[full], 0.0)
        # Share of all orders that pass through each subset, backwards from the full set.
        after[:] = 0.0
        after[full] = 1.0
        by[:, t] = 0.0
        for gone in range(full, 0, -1):
            for e in range(chosen):
                if gone >> e & 1:
                    before = gone ^ 1 << e
                    share = after[gone] * math.exp(
                        first[before] + values[e, t] - left[before] - first[gone]
                    )
                    after[before] += share
                    by[e, t] -= share
        for gone in range(full):
            for e in range(shown):
                if e >= chosen or not gone >> e & 1:
                    by[e, t] += after[gone] * math.exp(values[e, t] - left[gone])


@compiled
def _log_sum(x, y):
    """log(exp(x) + exp(y)); either may be minus infinity."""
    high = max(x, y)
    return high + log1p_unit(exp_negative(-abs(x - y))) if min(x, y) > -np.inf else high


def choice_losses(choices: Choices, similarity: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(S,) minus the log-probability of every stage, and (E,) its slopes by similarities (E,)."""
    loss, slope = np.zeros(len(choices)), np.zeros(len(similarity))
    for stage, place, chosen in choices.kinds:
        loss[stage], by = losses_of(similarity[place].T, chosen)
        slope[place] = by.T
    return loss, slope


def losses_of(similarity: np.ndarray, chosen: int) -> tuple[np.ndarray, np.ndarray]:
    """(K,) losses and (m, K) slopes of stages of one kind, by similarities (m, K), chosen first."""
    values = np.array(similarity, dtype=float, order="C")
    loss, slope = np.empty(values.shape[1]), np.empty_like(values)
    if abs(chosen) > MOST_CHOSEN:
        for low in range(0, len(loss), _BLOCK):  # every time is looked at for each of them
            part = slice(low, low + _BLOCK)
            loss[part], slope[:, part] = _losses_of_many(values[:, part], chosen)
        return loss, slope
    choose(values, values.shape[1], chosen, loss, slope)
    return loss, slope


def _losses_of_many(values: np.ndarray, chosen: int) -> tuple[np.ndarray, np.ndarray]:
    """`losses_of` for sets with too many subsets, by an integral.

    Each pair is taken at an exponential time with the exponential of its value as rate; the set is
    chosen if all of it comes before the others. Double exponential quadrature over that time.
    """
    sign, few = (1, chosen) if chosen > 0 else (-1, -chosen)
    values = sign * values
    rest = logsumexp(values[few:], axis=0)
    rate = np.exp(np.clip(values[:few] - rest, -_FARTHEST, _FARTHEST))
    at = rate * _TIMES[:, None, None]  # (times, r, K)
    with np.errstate(over="ignore", divide="ignore"):
        each = _LOG_WEIGHTS[:, None] + np.log(-np.expm1(-at)).sum(axis=1)
        pull = at / np.expm1(at)
    total = logsumexp(each, axis=0)
    slope = np.empty_like(values)
    slope[:few] = -np.sum(np.exp(each - total)[:, None] * pull, axis=0)
    slope[few:] = -slope[:few].sum(axis=0) * np.exp(values[few:] - rest)
    return np.maximum(-total, 0.0), sign * slope


def shares(choices: Choices, similarity: np.ndarray) -> np.ndarray:
    """(E,) probability that each pair is chosen, in stages with one chosen pair."""
    result = np.empty(len(similarity))
    for _, place, chosen in choices.kinds:
        # Not from the losses, which would lose small shares and equal ones.
        result[place] = softmax(np.sign(chosen) * similarity[place], axis=1)
    return result


def stage_scores(
    choices: Choices, similarity: np.ndarray, by: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(S, k) slopes of the log-probability of each stage, and (S, k, k) expected information.

    Of stages with one chosen pair, by k parameters that change similarities by `by` (E, k).
    """
    begins, share = choices.bounds[:-1], shares(choices, similarity)[:, None]
    by = choices.sign[choices.stage][:, None] * by
    by -= np.add.reduceat(share * by, begins)[choices.stage]
    squares = (share * by)[:, :, None] * by[:, None, :]
    return by[begins], np.add.reduceat(squares, begins)


def hits(choices: Choices, similarity: np.ndarray) -> np.ndarray:
    """(S,) 1 where the choice is the likeliest, 0 if not; the chance level where ties decide."""
    right = np.zeros(len(choices))
    for stage, place, chosen in choices.kinds:
        few = abs(chosen)
        values = similarity[place] * np.sign(chosen)
        last = np.partition(values, -few, axis=1)[:, -few, None]
        rounding = _SAME * np.maximum(np.abs(last), 1.0)
        clear = values > last + rounding
        tied = (values >= last - rounding) & ~clear
        above = clear.sum(axis=1)
        tops = (clear | tied)[:, :few].all(axis=1) & (clear[:, :few].sum(axis=1) == above)
        right[stage] = tops / comb(tied.sum(axis=1), few - above)
    return right
