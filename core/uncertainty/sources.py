"""Samples from any of the sources, for what is computed with each of them."""

from __future__ import annotations

from typing import Annotated

from tripletscope.core.computing.progress import Progress, silent
from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.embedding.ordinal import OrdinalEmbedding
from tripletscope.core.method import Choice, Number
from tripletscope.core.uncertainty.posterior import laplace, sample_posterior
from tripletscope.core.uncertainty.resampling import bootstrap
from tripletscope.core.uncertainty.samples import SOURCES, SPREADS, Samples

Source = Annotated[
    str,
    Choice(
        SOURCES, "Uncertainty from",
        "Bootstrap: maps of resampled participants or answers, for every method. Posterior and "
        "normal approximation: for STE, t-STE and CKL, whose losses are likelihoods; they are "
        "for one observer, and too narrow for people who differ.",
    ),
]
Maps = Annotated[
    int,
    Number(10, 10_000, "Maps", "Bootstrap replicates, or effective posterior samples."),
]
Spread = Annotated[
    str,
    Choice(
        SPREADS, "Spread of a difference",
        "The probability that one distance is shorter than another depends on how much their "
        "difference varies between maps. As published by Lohaus et al. (2019), probabilities are "
        "too conservative.",
        advanced=True,
    ),
]


def samples_from(
    source: str,
    method: OrdinalEmbedding,
    triplets: Triplets | Quadruples,
    maps: int,
    seed: int,
    progress: Progress = silent,
    *,
    unit: str = "auto",
    response: bool = False,
) -> Samples:
    """About so many maps from one of `SOURCES`, everything else as it is by default.

    Quadruples have the bootstrap only. The unit is that of the bootstrap; posteriors take all
    answers as independent, as those of one observer are. Whether there is a response model is
    up to `response`.
    """
    if source == "bootstrap":
        return bootstrap(
            method, triplets, replicates=maps, unit=unit, seed=seed, response=response,
            progress=progress,
        )
    if source == "posterior":
        return sample_posterior(
            method, triplets, effective=max(maps, 20), seed=seed, response=response,
            progress=progress,
        )
    return laplace(
        method, triplets, samples=max(maps, 20), seed=seed, response=response, progress=progress
    )
