"""The bootstrap: maps of resampled answers, and of replicates of measured dissimilarities."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Annotated

import numpy as np
from sklearn.base import clone

from tripletscope.core.data.errors import DataError, refuse_lengths
from tripletscope.core.data.geometry import procrustes_disparity
from tripletscope.core.data.quadruples import as_answers
from tripletscope.core.data.triplets import Answers
from tripletscope.core.engine.declared import Choice, Number, Seed, Switch
from tripletscope.core.engine.parallel import CancelToken, in_parallel
from tripletscope.core.engine.progress import Progress, Stopped, part, silent
from tripletscope.core.engine.short_repr import short_repr
from tripletscope.core.engine.task import task
from tripletscope.core.inference.held_out.units import (
    SamplingUnits,
    Unit,
    n_participants,
    sampling_units,
)
from tripletscope.core.inference.uncertainty.conditional import Conditional, conditional
from tripletscope.core.inference.uncertainty.response import ResponseModel, learned_response
from tripletscope.core.inference.uncertainty.samples import Samples, aligned
from tripletscope.core.models.embedding.mds import Scaling
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding
from tripletscope.core.models.optimise.layout import AnswerLayout, order_of
from tripletscope.core.ratings.dissimilarities import Dissimilarities

#: Replicates that decide whether the others begin at the map of all answers, and the share of the
#: spread by which their maps may then differ.
_PILOTS, _SAME = 4, 0.01
#: Least tolerance of the others: standard deviations of distances stay within 0.5 %
#: (benchmarks/many_objects.py).
_ROUGH = 1e-6
#: Replicates of every part of the answers for the response model.
_FEW = 6
#: Starts of a replicate of dissimilarities: classical scaling, and a random one.
_STARTS = 2

Scheme = Annotated[str, Choice(
    {"resample": "With replacement", "subsample": "Subsample"}, "Resampling",
    "With replacement: as many units as in the data. In simulations, ellipses then have about "
    "the right size. Subsample: a fraction of the units without replacement, as "
    "in Lohaus et al. (2019). Answers from one trial, such as the two of an odd-one-out "
    "response, are drawn together."
)]
Fraction = Annotated[float, Number(
    0.01, 0.99, "Subsample fraction", "Fraction of the units in each subsample.", advanced=True
)]
Align = Annotated[str, Choice(
    {"whole": "Map of all answers", "replicate": "A replicate, sizes fitted"}, "Alignment",
    "Map of all answers: replicates are aligned to it and get its size. A replicate: others "
    "are scaled to one drawn at random, as in Lohaus et al. (2019).",
    advanced=True, later=True
)]


@task("Resampling answers", "embedding", columns=("participant",), first={"replicates": 10})
def bootstrap(
    method: OrdinalEmbedding, triplets: Answers, *,
    replicates: Annotated[int, Number(
        2, 10_000, "Bootstrap replicates",
        "Maps computed from resampled answers. More make the ellipses themselves more precise."
    )] = 100,
    scheme: Scheme = "resample", unit: Unit = "auto", share: Fraction = 0.5,
    rescale: Annotated[bool, Switch(
        "Correct for the smaller sample",
        "Maps of a subsample of fraction r vary too much: variances are multiplied by r / (1 − "
        "r). Off: as in the paper, more conservative.",
        advanced=True
    )] = True,
    align: Align = "whole", seed: Seed = 0, reference: np.ndarray | None = None,
    progress: Progress = silent,
) -> Samples:
    """Maps of resampled participants or trials, aligned to one map by similarity transformations.

    Parameters
    ----------
    method : OrdinalEmbedding
        Every replicate is fitted from a single start.
    triplets : Triplets, Quadruples or array-like of int, shape (T, 3) or (T, 4)
    share, rescale, align
        `share` and `rescale` matter to subsamples only. The setting of Lohaus et al. is
        ``replicates=20, scheme="subsample", unit="answers", share=0.4, rescale=False,
        align="replicate"``.
    reference : ndarray, shape (n, d), optional
        By default the map of all answers.
    progress : Progress
        Called after every replicate.

    Raises
    ------
    DataError
        If participants are to be resampled and fewer than two are known.
    ValueError
        If participants and their answers are both to be subsampled.
    Stopped
        If `progress` asks to stop before there are two replicates. A later stop returns the
        replicates there are.

    Notes
    -----
    Dependent answers, of one participant or one trial, are drawn together; of comparisons of
    ratings, the ratings of each participant are drawn. Ellipses over
    participants are about the map of very many people, which is not the mean of their maps; those
    over answers, about further trials of the same people. Neither covers a wrong model, objects
    without answers, or other minima of the loss.

    With few answers the loss has several minima, and replicates that all begin at the map of all
    answers vary too little: they begin there only if the first few reach the same maps as from
    their own starts. Their tolerance is the method's for these, and at least 1e-6 for the others.

    References
    ----------
    Davison, A. C., & Hinkley, D. V. (1997). Bootstrap methods and their application. Section 3.8.
    Lohaus, M., Hennig, P., & von Luxburg, U. (2019). Uncertainty estimates for ordinal
    embeddings. Section 3.1.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.read("sample_data/ekman_colors/answers.csv")
    >>> samples = ts.bootstrap(ts.STE(), answers, replicates=20)
    >>> samples.covariances.shape
    (14, 2, 2)
    """
    triplets = as_answers(triplets)
    if scheme == "subsample" and unit == "both":
        raise ValueError("unit is 'both'; subsamples are of participants or of answers.")
    units = sampling_units(triplets, unit)
    if reference is None:
        # Answers of equal weight are summed in another way than others.
        counting = np.flatnonzero(triplets.weight > 0)
        reference = clone(method).fit(triplets.take(counting)).embedding_
    refuse_lengths(objects=triplets.n_objects, rows_of_the_reference=reference)
    single = clone(method).set_params(n_init=1)
    answers = AnswerLayout.of(triplets, method.is_likelihood)
    # A resample of nothing but answers of weight 0 would have no map.
    answers = answers.reweighted(answers.weight)
    order = order_of(triplets, method.is_likelihood)
    units = units.take(order[triplets.weight[order] > 0])
    learn = partial(
        bootstrap_response, single, triplets, scheme=scheme, unit=units.unit, share=share, seed=seed
    )
    share = share if scheme == "subsample" else None
    own = conditional(reference, answers) if method._loss().is_of_distances else Conditional()
    drawing = answers, units, share, reference, own.anchors
    maps: list[np.ndarray] = []
    for result in _replicates(single, drawing, np.random.SeedSequence(seed).spawn(replicates)):
        maps.append(result)
        if progress(len(maps) / replicates, snapshot=result):
            break
    if len(maps) < 2:
        raise Stopped
    if align == "replicate":
        *maps, reference = _to_replicate([*maps, reference], seed, method.onto)
    correction = units.correction
    if share is not None:
        correction = units.subsampled(share) if rescale else 1.0
    return Samples(
        np.array(maps), reference, correction, unit=units.unit,
        n_units=units.number if units.ratings is None else None,
        conditional=None if align == "replicate" else own.moments, learn=learn,
    )


def bootstrap_response(
    method: OrdinalEmbedding, triplets: Answers, *, scheme: str = "resample", unit: str = "auto",
    share: float = 0.5, seed: int = 0, progress: Progress = silent,
) -> ResponseModel:
    """Response model for replicates, learned from a few of each part of the answers."""
    triplets = as_answers(triplets)
    single = clone(method).set_params(n_init=1)
    unit = sampling_units(triplets, unit).unit

    def maps(train: Answers) -> np.ndarray:
        unit_there = unit if n_participants(train) > 1 else "answers"
        return bootstrap(
            single, train, replicates=_FEW, scheme=scheme, unit=unit_there, share=share, seed=seed
        ).embeddings

    return learned_response(single, triplets, maps, seed=seed, progress=progress)


def _replicates(
    method: OrdinalEmbedding, drawing: tuple, seeds: list[np.random.SeedSequence]
) -> Iterator[np.ndarray]:
    """(n, d) map of every seed, in their order.

    drawing: Answers, units, share, reference and anchors of `_replicate`.
    """
    reference = drawing[3]
    warm, n_pilots = True, 0
    for pilots in (seeds[:1], seeds[1:_PILOTS]):  # often the first one decides
        if warm:
            n_pilots += len(pilots)
            both = [(method, *drawing, seed, start) for seed in pilots for start in (False, True)]
            result = in_parallel(_replicate, both, partial=True)
            for cold, from_reference in zip(result, result, strict=False):
                warm &= _is_same(from_reference, cold, reference)
                yield cold
    rough = clone(method).set_params(tol=max(method.tol, _ROUGH))
    others = [(rough, *drawing, seed, warm) for seed in seeds[n_pilots:]]
    yield from in_parallel(_replicate, others, partial=True)


def _replicate(
    method: OrdinalEmbedding, answers: AnswerLayout, units: SamplingUnits, share: float | None,
    reference: np.ndarray, anchors: np.ndarray | None, seed: np.random.SeedSequence, warm: bool,
    halt: CancelToken,
) -> np.ndarray:
    """(n, d) map of resampled answers, aligned."""
    # The number of draws of an answer is its weight.
    counts = units.drawn(np.random.default_rng(seed), share)
    start = reference if warm else None
    return map_of(method, answers, counts, reference, halt, start=start, anchors=anchors)


def map_of(
    method: OrdinalEmbedding, answers: AnswerLayout, times: np.ndarray, reference: np.ndarray,
    halt: CancelToken, *, start: np.ndarray | None, anchors: np.ndarray | None = None,
) -> np.ndarray:
    """(n, d) map of answers that count `times` (T,), aligned; NaN where an object has none."""
    counted = answers.reweighted(times * answers.weight)
    found = method.refitted(counted, start, halt)
    own = "same" if method._loss().is_of_distances else "own"
    return aligned(
        found, counted.placed, reference, size=own, anchors=anchors, onto=method.onto
    )


def _to_replicate(maps: list[np.ndarray], seed: int, onto: Callable) -> list[np.ndarray]:
    """The maps aligned to a random one of all but the last, with their sizes fitted."""
    target = maps[np.random.default_rng(seed).integers(len(maps) - 1)]
    result = []
    for positions in maps:
        common = np.isfinite(positions[:, 0]) & np.isfinite(target[:, 0])
        if common.any():
            positions = onto(positions[common], target[common])(positions)
        result.append(positions)
    return result


def _is_same(warm: np.ndarray, cold: np.ndarray, reference: np.ndarray) -> bool:
    """Whether the reference as a start led to the same map as the method's own start."""
    placed = np.isfinite(cold[:, 0])
    difference = procrustes_disparity(warm[placed], cold[placed])
    return bool(difference <= _SAME * procrustes_disparity(reference[placed], cold[placed]))


@short_repr
@dataclass(frozen=True, eq=False)
class MapOfDissimilarities:
    """A map of dissimilarities with its uncertainty.

    Attributes
    ----------
    fitted : NMDS or MDS
        The map of their means.
    samples : Samples or None
        Maps of their replicates; None without replicates.
    """

    fitted: Scaling
    samples: Samples | None


def map_dissimilarities(
    method: Scaling, dissimilarities: Dissimilarities, *, weigh: bool = False, most: int = 100,
    progress: Progress = silent,
) -> MapOfDissimilarities:
    """Map measured dissimilarities and their replicates.

    Parameters
    ----------
    method : NMDS or MDS
        Fitted as a clone.
    dissimilarities : Dissimilarities
        Pairs without judgements do not count.
    weigh : bool
        Whether pairs count by their standard errors, see `Dissimilarities.weights`; by default
        all known pairs count the same.
    most : int
        Most replicates that are mapped; 0 for none.
    progress : Progress
        Snapshots are maps of the means. A stop keeps the map, without samples.

    Raises
    ------
    DataError
        If all dissimilarities of an object are unknown.

    Examples
    --------
    >>> import pandas as pd
    >>> import tripletscope as ts
    >>> table = pd.DataFrame({
    ...     "participant": ["ann"] * 6 + ["bob"] * 6, "item1": list("aaabbc") * 2,
    ...     "item2": list("bcdcdd") * 2, "rating": [6, 3, 1, 5, 2, 7, 7, 2, 1, 4, 3, 6]})
    >>> apart = ts.ratings.Ratings(table).dissimilarities()
    >>> found = ts.ratings.map_dissimilarities(ts.ratings.MDS(), apart, most=20)
    >>> found.fitted.embedding_.shape, found.samples.n_units
    ((4, 2), 2)
    """
    finite = np.isfinite(dissimilarities.mean).astype(float)
    weights = dissimilarities.weights if weigh else finite
    fitted = clone(method).fit_dissimilarities(
        dissimilarities.mean, weights=weights, progress=part(progress, 0.0, 0.2)
    )
    drawn = dissimilarities.replicates[:most]
    if fitted.stopped_ or len(drawn) < 2:
        return MapOfDissimilarities(fitted, None)
    rough = clone(method).set_params(
        n_init=min(_STARTS, method.n_init), tol=max(_ROUGH, method.tol)
    )
    maps, reference = [], fitted.embedding_
    jobs = [(rough, each, weights, reference) for each in drawn]
    for number, result in enumerate(in_parallel(_replicate_of_distances, jobs)):
        maps.append(result)
        if progress(0.2 + 0.8 * number / len(drawn)):
            return MapOfDissimilarities(fitted, None)
    people = dissimilarities.unit == "raters"
    return MapOfDissimilarities(fitted, Samples(
        np.array(maps), reference, unit="participants" if people else "answers",
        n_units=dissimilarities.n_raters if people else None,
    ))


def _replicate_of_distances(
    method: Scaling, matrix: np.ndarray, weights: np.ndarray, reference: np.ndarray,
    halt: CancelToken,
) -> np.ndarray:
    """(n, d) map of a replicate, aligned; NaN if an object is unknown in it."""
    weights = np.where(np.isfinite(matrix), weights, 0.0)
    try:
        result = clone(method).fit_dissimilarities(matrix, weights=weights).embedding_
    except DataError:  # the drawn raters have not judged some object at all
        return np.full(reference.shape, np.nan)
    return aligned(result, np.ones(len(result), dtype=bool), reference)
