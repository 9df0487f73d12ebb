"""Samples from any source, for tasks that leave the choice to the user."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from tripletscope.core.data.triplets import Answers
from tripletscope.core.engine.declared import Choice, Number, Seed, parameters
from tripletscope.core.engine.progress import Progress, silent
from tripletscope.core.engine.task import task
from tripletscope.core.inference.held_out.units import Unit
from tripletscope.core.inference.uncertainty.posterior import (
    Variance,
    laplace,
    posterior_response,
    sample_posterior,
)
from tripletscope.core.inference.uncertainty.resampling import (
    Fraction,
    Scheme,
    bootstrap,
    bootstrap_response,
)
from tripletscope.core.inference.uncertainty.response import ResponseModel
from tripletscope.core.inference.uncertainty.samples import SOURCES, SPREADS, Samples
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding

Source = Annotated[str, Choice(
    SOURCES, "Uncertainty from",
    "Bootstrap: maps of resampled participants or answers, for every method. Posterior and "
    "normal approximation: for STE, t-STE and CKL, whose losses are likelihoods; they assume "
    "one observer, and are too narrow for people who differ."
)]
Maps = Annotated[
    int,
    Number(10, 10_000, "Maps", "Bootstrap replicates, or effective posterior samples."),
]
Spread = Annotated[str, Choice(
    SPREADS, "Spread of a difference",
    "The probability that one distance is shorter than another depends on how much their "
    "difference varies between maps. From the maps, probabilities are calibrated; as if "
    "distances were independent, nearly; as published by Lohaus et al. (2019), too "
    "conservative.",
    advanced=True
)]


def samples_from(
    source: str, method: OrdinalEmbedding, triplets: Answers, maps: int, seed: int,
    progress: Progress = silent, *, unit: str = "auto",
) -> Samples:
    """About `maps` maps from one of `SOURCES` by its defaults; `unit` is the bootstrap's."""
    if source == "bootstrap":
        return bootstrap(method, triplets, replicates=maps, unit=unit, seed=seed, progress=progress)
    if source == "posterior":
        return sample_posterior(
            method, triplets, effective=max(maps, 20), seed=seed, progress=progress
        )
    return laplace(method, triplets, samples=max(maps, 20), seed=seed, progress=progress)


@task("Learning how people respond", "embedding", columns=("participant",))
def response_model(
    method: OrdinalEmbedding, triplets: Answers, *, source: Source = "bootstrap",
    scheme: Scheme = "resample", unit: Unit = "auto", share: Fraction = 0.5,
    variance: Variance = None, seed: Seed = 0, progress: Progress = silent,
) -> ResponseModel:
    """Response model of `Samples.response_probability`, as a result of its own."""
    if source == "bootstrap":
        return bootstrap_response(
            method, triplets, scheme=scheme, unit=unit, share=share, seed=seed, progress=progress
        )
    return posterior_response(method, triplets, variance=variance, seed=seed, progress=progress)


def response_options(source: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Options of `response_model` for samples that were computed with other `options`."""
    names = {p.name for p in parameters(response_model)}
    return {"source": source} | {n: value for n, value in options.items() if n in names}
