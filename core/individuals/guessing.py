"""What answers say of rates of guessing: likelihoods on a grid, compiled."""

from __future__ import annotations

import math

from tripletscope.core.optimise.elementary import exact

#: So many probabilities are multiplied before one logarithm is taken.
_TOGETHER = 16


@exact
def log_likelihoods(bounds, chance, first, guess, weight, lapse, share, found):
    """Logarithm of the probability of each person's answers, if lapse rate and side were so.

    Shapes: weight (S,), lapse (P, G).
    bounds (P + 1,): Where the answers of each person begin.
    chance (S,): Probability of every answer, given the map.
    first int8 (S,): 1 or 0 where the first or the second of two sides was chosen, -1 where that is
        not known.
    guess (S,): Probability of the answer if it was guessed, where the side is not known.
    share (P, H): Probability of the first side among guesses.
    found (P, G, H): Filled in.
    """
    n_lapses, n_shares = lapse.shape[1], share.shape[1]
    product = 0.0
    for p in range(len(bounds) - 1):
        for g in range(n_lapses):
            for h in range(n_shares):
                rate, side = lapse[p, g], share[p, h]
                total, product = 0.0, 1.0
                for t in range(bounds[p], bounds[p + 1]):
                    guessed = guess[t]
                    if first[t] == 1:
                        guessed = side
                    elif first[t] == 0:
                        guessed = 1.0 - side
                    one = (1.0 - rate) * chance[t] + rate * guessed
                    if weight[t] != 1.0:
                        total += weight[t] * math.log(one)
                        continue
                    product *= one
                    if (t - bounds[p]) % _TOGETHER == _TOGETHER - 1:
                        total += math.log(product)
                        product = 1.0
                found[p, g, h] = total + math.log(product)


@exact
def guessed(bounds, chance, first, guess, lapse, share, posterior, found):
    """Probability of every answer, shape (S,), to be a guess; see `log_likelihoods`.

    posterior (P, G, H): Of lapse rate and side of every person.
    """
    n_lapses, n_shares = lapse.shape[1], share.shape[1]
    for p in range(len(bounds) - 1):
        for t in range(bounds[p], bounds[p + 1]):
            total = 0.0
            for g in range(n_lapses):
                rate = lapse[p, g]
                known = (1.0 - rate) * chance[t]
                for h in range(n_shares):
                    one = guess[t]
                    if first[t] == 1:
                        one = share[p, h]
                    elif first[t] == 0:
                        one = 1.0 - share[p, h]
                    total += posterior[p, g, h] * rate * one / (known + rate * one)
            found[t] = total
