"""What the experiments of the paper share: its two ways to draw maps, and answers as it makes them.

`PRESETS` holds the settings. Long chains stand beside the published one, which is 500 draws of one
chain: worth about five independent maps, so that it tells of less uncertainty than there is.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.progress import Progress, Stopped
from tripletscope.core.inference.uncertainty import Samples, bootstrap, sample_posterior
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.core.presets import PRESETS

BOOTSTRAP = "Bootstrap"
SHORT_CHAIN = "Bayesian, as published"
LONG_CHAINS = "Bayesian, long chains"
#: Draws of each of four long chains at most, and what they are to be worth.
_MOST, _EFFECTIVE = 20_000, 200
#: Of the prior, as published.
VARIANCE = PRESETS["uncertainty"].options["posterior"]["variance"]

Draw = Callable[..., Samples]


def published_bootstrap(method: OrdinalEmbedding, triplets: Triplets, seed: int) -> Samples:
    """Twenty maps of 40 % of the answers each, aligned to one of them."""
    return bootstrap(method, triplets, seed=seed, **PRESETS["uncertainty"].options["bootstrap"])


def short_chain(method: OrdinalEmbedding, triplets: Triplets, seed: int) -> Samples:
    """The published 500 draws of one chain from the most probable map, all of them kept."""
    options = PRESETS["uncertainty"].options["posterior"]
    return sample_posterior(method, triplets, seed=seed, **options)


def long_chains(method: OrdinalEmbedding, triplets: Triplets, seed: int) -> Samples:
    """Four chains under the same prior, until they agree or have been long."""
    return sample_posterior(
        method, triplets, variance=VARIANCE, effective=_EFFECTIVE, most=_MOST, seed=seed
    )


DRAWS: dict[str, Draw] = {
    BOOTSTRAP: published_bootstrap, SHORT_CHAIN: short_chain, LONG_CHAINS: long_chains,
}


def n_comparisons(n_objects: int) -> int:
    """How many comparisons there are: of every anchor with every pair of others."""
    return n_objects * (n_objects - 1) * (n_objects - 2) // 2


def share_of_answers(truth: np.ndarray, share: float, noise: float, seed: int) -> Triplets:
    """Answers to so many random questions as are a share of all, with log-normal noise.

    Shapes: truth (n, f).
    share: Of all n (n - 1) (n - 2) / 2 comparisons.
    noise: Standard deviation of the logarithms of distances.
    """
    size = int(share * n_comparisons(len(truth)))
    return simulate(truth, size, noise="lognormal", level=noise, seed=seed)


class StepReports:
    """Reports of an experiment that takes so many steps of about the same length."""

    def __init__(self, progress: Progress, number: int) -> None:
        self._progress, self._number, self._done = progress, number, 0

    def next(self) -> None:
        """One more step is done."""
        self._done += 1
        if self._progress(min(self._done / self._number, 1.0)):
            raise Stopped


def spread_of(values: list[float]) -> float:
    """Standard deviation of repetitions; 0 of a single one."""
    return float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
