"""Broken methods of the items of Lohaus, Hennig & von Luxburg (2019)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.broken import Broken
from tripletscope.core.models.simulation.simulate import random_questions

_HERE = "tripletscope.reproductions.uncertainty"
_CORE = "tripletscope.core"


def _exchanged(minimise: Callable) -> Callable:
    """Every map is found, and then its objects change places."""

    def broken(method: Any, answers: Any, start: np.ndarray, progress: Any) -> Any:
        found = minimise(method, answers, start, progress)
        places = found.x.reshape(method.n_components, -1)
        order = np.random.default_rng(int(1e6 * abs(found.loss))).permutation(places.shape[1])
        return replace(found, x=places[:, order].ravel())

    return broken


def _with(**options: Any) -> Callable[[Callable], Callable]:
    """The same with other options."""
    return lambda original: lambda *given, **kept: original(*given, **{**kept, **options})


def _uphill(call: Callable) -> Callable:
    def broken(objective: Any, x: np.ndarray) -> tuple[float, np.ndarray]:
        loss, gradient = call(objective, x)
        return loss, -gradient

    return broken


def _still(sample: Callable) -> Callable:
    """A chain that stays at the map where it began."""

    def broken(*given: Any, **options: Any) -> Any:
        found = sample(*given, **options)
        return replace(found, embeddings=np.repeat(found.reference[None], len(found.embeddings), 0))

    return broken


def _still_slices(chain: Callable) -> Callable:
    return lambda start, draw, log_likelihood, n_draws, rng: np.repeat(start[None], n_draws, 0)


def _mirrored(positions: Callable) -> Callable:
    return lambda *given, **options: positions(*given, **options) * [1.0, -1.0]


def _independent(probability: Callable) -> Callable:
    """Differences of distances as if these were independent."""
    return lambda known, triplets: probability(replace(known, spread="independent"), triplets)


def _of_the_other(probability: Callable) -> Callable:
    return lambda known, triplets: 1.0 - probability(known, triplets)


def _second_best(chosen: Callable) -> Callable:
    def broken(samples: Any, k: int, **options: Any) -> Any:
        rows, probability = chosen(samples, 2 * k, **options)
        return rows[k:], probability[k:]

    return broken


def _about_twenty(propose: Callable) -> Callable:
    def broken(method: Any, triplets: Any, number: int, seed: int, **options: Any) -> np.ndarray:
        return random_questions(20, number, np.random.default_rng(seed))

    return broken


def _fewer_cancers(of_classes: Callable) -> Callable:
    def broken(objects: Any, classes: Any) -> Any:
        found = of_classes(objects, classes)
        return found.some(399, np.random.default_rng(0)) if found.name == "cancer" else found

    return broken


_OBJECTS = {f"{_CORE}.models.embedding.ordinal:OrdinalEmbedding._minimise": _exchanged}
_NOTHING_DRAWN = {f"{_HERE}.published:bootstrap": _with(share=0.99)}
_NARROW = {f"{_HERE}.active:propose": _about_twenty}
_UPHILL = {f"{_CORE}.models.optimise.loss:Objective.__call__": _uphill}
_EXCHANGE = "objects of a map are exchanged"
_SAME_ANSWERS = "the bootstrap keeps almost every answer"
_TWENTY = "questions concern twenty objects only"

BROKEN = {
    "uncertainty-figure-1": Broken(_EXCHANGE, _OBJECTS),
    "uncertainty-figure-2": Broken(_SAME_ANSWERS, _NOTHING_DRAWN),
    "uncertainty-figure-3": Broken(
        "certainties are those of the other answer",
        {f"{_CORE}.inference.uncertainty.comparisons:Comparisons.probability": _of_the_other},
    ),
    "uncertainty-figure-4": Broken(_EXCHANGE, _OBJECTS),
    "uncertainty-figure-5": Broken(_TWENTY, _NARROW),
    "uncertainty-figure-6": Broken(_EXCHANGE, _OBJECTS),
    "uncertainty-figure-7": Broken(_EXCHANGE, _OBJECTS),
    "uncertainty-figure-8": Broken(
        "clouds are mirrored", {f"{_HERE}.mixture:true_positions": _mirrored}
    ),
    "uncertainty-figure-9": Broken(_EXCHANGE, _OBJECTS),
    "uncertainty-figure-10": Broken(
        "the chain stays at its start", {f"{_HERE}.published:sample_posterior": _still}
    ),
    "uncertainty-figure-11": Broken(_TWENTY, _NARROW),
    "uncertainty-figure-12": Broken(_TWENTY, _NARROW),
    "uncertainty-figure-13": Broken(_TWENTY, _NARROW),
    "uncertainty-table-1": Broken(
        "the reader keeps 399 objects of breast cancer",
        {"tripletscope.reproductions.data:LabelledVectors.of_classes": _fewer_cancers},
    ),
    "uncertainty-appendix-b": Broken(
        "the chain stays at its start", {f"{_HERE}.distances:elliptical_slice": _still_slices}
    ),
    "uncertainty-equation-1": Broken("the gradient has the wrong sign", _UPHILL),
    "uncertainty-equation-2": Broken("the gradient has the wrong sign", _UPHILL),
    "uncertainty-equation-3": Broken(
        "the prior has twice the variance",
        {f"{_HERE}.equations:sample_posterior": _with(variance=30)},
    ),
    "uncertainty-equation-4": Broken(
        "distances count as independent",
        {f"{_CORE}.inference.uncertainty.comparisons:Comparisons.probability": _independent},
    ),
    "uncertainty-equation-5": Broken(
        "the most uncertain questions are skipped",
        {f"{_CORE}.inference.uncertainty.samples:Samples.most_uncertain": _second_best},
    ),
    "uncertainty-equation-6": Broken("the gradient has the wrong sign", _UPHILL),
    "uncertainty-section-3.3": Broken(_SAME_ANSWERS, _NOTHING_DRAWN),
}
