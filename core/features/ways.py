"""Whether features predict better if their rows are compared otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from tripletscope.core.data.choices import Choices
from tripletscope.core.features.intervals import Units
from tripletscope.core.features.models import right
from tripletscope.core.features.spaces import METRICS, FeatureSpace

#: How rows may be compared: a metric, and whether columns are standardised.
WAYS = [*product(METRICS, (False, True))]
#: Of one-sided tests of all ways of all spaces together.
_LEVEL = 0.025
#: Most choices to predict, fewest, and most numbers of a table to subtract for them.
_MOST, _FEWEST, _CELLS = 20_000, 1_000, 50_000_000
#: Numbers of a table from which on copies of it take too much memory.
_LARGE = 20_000_000


def other_ways(
    spaces: Sequence[FeatureSpace], choices: Choices, units: Units, rng: np.random.Generator
) -> dict[str, Any]:
    """Predictions of choices, or of a sample of many, by each way: fields of an `Explained`."""
    widest = max((space.n_features or 1 for space in spaces), default=1)
    most = int(np.clip(_CELLS // (3 * widest), _FEWEST, _MOST))
    if len(choices) > most:
        choices = choices.take(np.sort(rng.choice(len(choices), most, replace=False)))
    crossed, distinct = units.about(choices), choices.distinct
    accuracy = np.full((3, len(spaces), len(WAYS)), np.nan)
    p, own = np.full(accuracy.shape[1:], np.nan), np.full(len(spaces), -1)
    for i, space in enumerate(spaces):
        if space.values is None or space.n_features == 1 or space.values.size > _LARGE:
            continue
        own[i] = WAYS.index((space.metric, space.standardise))
        hit = np.array([
            right(choices, replace(space, metric=metric, standardise=standardise).apart(distinct))
            for metric, standardise in WAYS
        ])
        accuracy[:, i] = np.array([crossed.share(one) for one in hit]).T
        p[i] = [crossed.p_above(one - hit[own[i]], 0.0) for one in hit]
    return {
        "by_way": units.estimate(*accuracy), "by_way_p": p, "own_way": own,
        "n_by_way": len(choices),
    }


def better_way(accuracy: np.ndarray, p: np.ndarray, space: int) -> int | None:
    """The way that predicts best, if it surely predicts better than the space's own."""
    if not np.isfinite(p[space]).any():
        return None
    best = int(np.nanargmax(accuracy[space]))
    return best if p[space, best] * np.isfinite(p).sum() <= _LEVEL else None
