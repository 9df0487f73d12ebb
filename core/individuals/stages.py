"""How probable every choice is, given a map."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from tripletscope.core.data.choices import Choices
from tripletscope.core.optimise.loss import Loss, single_losses

#: No choice is said to be less probable: rounding would make it impossible.
_LEAST = 1e-12


def choice_probabilities(loss: Loss, positions: np.ndarray, choices: Choices) -> np.ndarray:
    """Probability of what was chosen in every stage.

    The losses of likelihood embeddings are choices between two pairs by their similarities; the
    similarities so defined decide on choices among more (Luce, 1959).

    Shapes: positions (n, d).
    loss: Minus the logarithm of the probability that the near pair is said to be more similar.
    Returns: (S,).
    """
    one, other = choices.pairs.T
    square = np.sum((positions[one] - positions[other]) ** 2, axis=1)
    first = square[choices.bounds[:-1]][choices.stage]
    if choices.are_triplets and (choices.sign == 1).all():
        far = choices.bounds[:-1] + 1
        return np.maximum(np.exp(-single_losses(loss, first[far], square[far])), _LEAST)
    # By how much each pair is more similar than the first of its stage.
    similar = single_losses(loss, first, square) - single_losses(loss, square, first)
    similar *= choices.sign[choices.stage]
    found = np.empty(len(choices))
    kinds = np.column_stack([choices.n_shown, choices.n_chosen])
    for shown, chosen in np.unique(kinds, axis=0):
        stages = np.flatnonzero((kinds == (shown, chosen)).all(axis=1))
        each = similar[choices.bounds[stages][:, None] + np.arange(shown)]
        weight = np.exp(each - each.max(axis=1, keepdims=True))
        found[stages] = _all_first(weight, int(chosen))
    return np.clip(found, _LEAST, 1.0)


def _all_first(weight: np.ndarray, chosen: int) -> np.ndarray:
    """(S,) probability that the first `chosen` are taken before all others, in any order.

    weight (S, m): Of each in a choice; among those that are left, probabilities are proportional to
        it.

    Each is taken at an exponential time with its weight as rate. The first of the others comes
    last if it comes after each of the chosen: inclusion and exclusion over the sets of chosen ones
    that come after it.
    """
    rest = weight[:, chosen:].sum(axis=1)
    found = np.ones(len(weight))
    for size in range(1, chosen + 1):
        for late in combinations(range(chosen), size):
            found += (-1) ** size * rest / (rest + weight[:, list(late)].sum(axis=1))
    return found
