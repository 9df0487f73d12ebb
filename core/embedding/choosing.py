"""How probable choices are in a map."""

from __future__ import annotations

import numpy as np

from tripletscope.core.data.choices import Choices
from tripletscope.core.optimise.choices import PreparedChoices, stages_of
from tripletscope.core.optimise.loss import Loss, choice_losses, single_losses


def stage_losses(loss: Loss, positions: np.ndarray, choices: Choices) -> np.ndarray:
    """(S,) minus the logarithm of the probability of what was chosen in each stage.

    Shapes: positions (n, d).
    loss: With a similarity.
    """
    if not len(choices):
        return np.zeros(0)
    prepared = PreparedChoices.of(choices, np.ones(len(choices)), len(positions))
    losses = []
    for part in prepared.parts:
        first, second = part.pairs.swapaxes(0, 1)
        squares = sum((x[first] - x[second]) ** 2 for x in positions.T)
        losses.append(
            choice_losses(loss, squares, part.chosen)[0] if part.chosen
            else single_losses(loss, *squares)
        )
    return np.bincount(stages_of(choices), np.concatenate(losses), len(choices))


def per_trial(losses: np.ndarray, weight: np.ndarray, trial: np.ndarray) -> float:
    """Weighted mean over trials of the summed losses of their stages.

    Shapes: losses, weight (S,), trial (S,).
    """
    first = np.unique(trial, return_index=True)[1]
    return float(losses @ weight / weight[first].sum())
