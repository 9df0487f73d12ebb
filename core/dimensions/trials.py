"""Choices among three objects, as models of dimensions learn from them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tripletscope.core.data.choices import Choices
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import as_triplets


def trials_of(data: Any) -> Choices:
    """The choices about three objects: odd ones out, then triplets, then most central ones.

    Shapes: data (T, 3).
    """
    triplets = as_triplets(data)
    choices = triplets.choices
    two = (choices.n_shown == 2) & (choices.n_chosen == 1) & (choices.sign == 1)
    of_three = choices.are_of_three
    kinds = (of_three & (choices.sign == 1), two, of_three & (choices.sign == -1))
    trials = choices.take(np.concatenate([np.flatnonzero(kind) for kind in kinds]))
    n_others = len(choices) - len(trials)
    if n_others:
        raise DataError(
            f"{n_others:,} choices are rankings or choices among more than three pairs, which "
            "SPoSE and VICE do not learn from",
            file=triplets.name,
            remedy="Use trials with three objects, odd one out at best, or an embedding.",
        )
    return trials


def scored(trials: Choices) -> Choices:
    """The trials whose accuracy is told, which have one chance.

    The odd ones out where there are any, else triplets, else most central ones.
    """
    for kind in (
        (trials.n_shown == 3) & (trials.sign == 1), trials.n_shown == 2, trials.sign == -1
    ):
        if kind.any():
            return trials.take(kind)
    return trials
