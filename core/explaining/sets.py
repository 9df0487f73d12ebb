"""Choices under models that give each of their different pairs a dissimilarity, as log-odds."""

from __future__ import annotations

import numpy as np

from tripletscope.core.data.choices import Choices, choices_of
from tripletscope.core.data.triplets import Judgements
from tripletscope.core.optimise.responses import choice_losses, hits


def choices_about(answers: Judgements, known: np.ndarray, *, as_asked: bool = True) -> Choices:
    """The choices of the answers that count and are about objects that are known.

    known bool (n,): Which are.
    as_asked: Whether an odd one out is one choice of three; otherwise every answer is one of two.
    """
    choices = answers.choices if as_asked else choices_of(
        answers.rows, None, answers.weight, answers.n_objects
    )
    return choices.take(choices.among(known) & (choices.weight > 0))


def log_likelihood(choices: Choices, dissimilarity: np.ndarray) -> np.ndarray:
    """(S,) log-probability of each choice, from dissimilarities (u,) of the different pairs."""
    return -choice_losses(choices, -dissimilarity[choices.place])[0]


def right(choices: Choices, dissimilarity: np.ndarray) -> np.ndarray:
    """(S,) how rightly dissimilarities (u,) predict: 1, 0, or the chance of a tie broken."""
    return hits(choices, -dissimilarity[choices.place])


def mean_loss(choices: Choices, dissimilarity: np.ndarray) -> tuple[float, np.ndarray]:
    """Mean negative log-likelihood, and its derivative (u,) by dissimilarities (u,)."""
    loss, slope = choice_losses(choices, -dissimilarity[choices.place])
    share = choices.weight / choices.weight.sum()
    gradient = np.bincount(
        choices.place, -slope * share[choices.stage], len(choices.distinct)
    )
    return float(share @ loss), gradient


def chance(choices: Choices) -> float:
    """Accuracy of guessing."""
    return float(np.average(choices.chance, weights=choices.weight))


def guessing(choices: Choices) -> float:
    """Log-likelihood of guessing, of each answer."""
    return float(np.average(np.log(choices.chance), weights=choices.weight))
