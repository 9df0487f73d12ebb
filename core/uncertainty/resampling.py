"""The bootstrap: maps of resampled answers."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from sklearn.base import clone

from tripletscope.core.computing.parallel import Halt, in_parallel
from tripletscope.core.computing.progress import Progress, Stopped, silent
from tripletscope.core.data.quadruples import Quadruples, as_answers
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.embedding.ordinal import OrdinalEmbedding
from tripletscope.core.geometry import procrustes_disparity
from tripletscope.core.method import Choice, Number, Switch
from tripletscope.core.optimise.loss import PreparedAnswers
from tripletscope.core.task import task
from tripletscope.core.uncertainty.samples import Samples, aligned

#: Replicates that decide whether the others may begin at the map of all answers, and the share
#: of the spread by which their maps may then differ.
_PILOTS, _SAME = 4, 0.01


@task("Resampling answers", "embedding")
def bootstrap(
    method: OrdinalEmbedding,
    triplets: Triplets | Quadruples,
    *,
    replicates: Annotated[
        int,
        Number(
            2, 10_000, "Bootstrap replicates",
            "Maps computed from resampled answers. More make the ellipses themselves more precise.",
        ),
    ] = 100,
    scheme: Annotated[
        str,
        Choice(
            {"resample": "With replacement", "subsample": "Subsample"}, "Resampling",
            "With replacement: as many answers as in the data, which in simulations gives ellipses "
            "of about the right size. Subsample: a fraction of the answers without replacement, as "
            "in Lohaus et al. (2019). Answers from one trial, such as the two of an odd-one-out "
            "response, are drawn together.",
        ),
    ] = "resample",
    share: Annotated[
        float,
        Number(
            0.01, 0.99, "Subsample fraction", "Of the answers, in each subsample.", advanced=True
        ),
    ] = 0.5,
    rescale: Annotated[
        bool,
        Switch(
            "Correct for the smaller sample",
            "Maps of a subsample of fraction r vary too much: variances are multiplied by r / (1 − "
            "r). Off: as in the paper, more conservative.",
            advanced=True,
        ),
    ] = True,
    seed: Annotated[int, Number(0, 2**31 - 1, "Seed", advanced=True)] = 0,
    reference: np.ndarray | None = None,
    progress: Progress = silent,
) -> Samples:
    """Maps of resampled trials, aligned to a reference by rotation, reflection, shift and scale.

    Parameters
    ----------
    method : OrdinalEmbedding
        Every replicate is fitted from a single start.
    triplets : Triplets, Quadruples or array-like of int, shape (T, 3) or (T, 4)
    replicates, scheme, share, rescale, seed
        See their declarations; `share` and `rescale` matter to subsamples only.
    reference : ndarray, shape (n, d), optional
        By default the map of all answers.
    progress : Progress
        Called after every replicate.

    Returns
    -------
    Samples

    Raises
    ------
    Stopped
        If `progress` asks to stop before there are two replicates. A later stop returns the
        replicates there are.

    Notes
    -----
    The answers of one trial are drawn together: they are not independent, and ellipses from single
    answers would be too small. The ellipses cover what other trials of the same kind would have
    changed. They do not cover
    a wrong model, objects or participants that were not asked, nor other minima of the loss.

    Where answers are few, the loss has several minima, and replicates that all began at the map
    of all answers would vary too little. They begin there only if the first few replicates lead
    to the same maps from there as from their own starts.

    References
    ----------
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
    if reference is None:
        reference = clone(method).fit(triplets).embedding_
    single = clone(method).set_params(n_init=1)
    answers = PreparedAnswers(triplets)
    # Answers of weight 0 are none: a resample of nothing else would have no map.
    answers = answers.reweighted(answers.weight)
    if answers.trial is not None:
        answers.trial = np.unique(answers.trial, return_inverse=True)[1]
    share = share if scheme == "subsample" else None
    seeds = np.random.SeedSequence(seed).spawn(replicates)
    pilots = [(single, answers, reference, seed, share) for seed in seeds[:_PILOTS]]
    maps, all_same = [], True
    for found, same in in_parallel(_pilot, pilots):
        maps.append(found)
        all_same &= same
        if progress(len(maps) / len(seeds), snapshot=found):
            break
    else:
        others = [(single, answers, reference, seed, share, all_same) for seed in seeds[_PILOTS:]]
        for found in in_parallel(_replicate, others):
            maps.append(found)
            if progress(len(maps) / len(seeds), snapshot=found):
                break
    if len(maps) < 2:
        raise Stopped
    correction = 1.0
    if share is not None and rescale:
        correction = share / (1.0 - share)
    return Samples(np.array(maps), reference, correction)


def _drawn(
    answers: PreparedAnswers, share: float | None, rng: np.random.Generator
) -> PreparedAnswers:
    """Resampled answers: how often each was drawn is its weight, those never drawn are left out.

    Trials, numbered without gaps, are drawn, each with all of its answers.
    """
    trial, n_drawn = answers.trial, len(answers)
    if trial is not None:
        n_drawn = int(trial.max()) + 1
    if share is None:
        counts = np.bincount(rng.integers(n_drawn, size=n_drawn), minlength=n_drawn)
    else:
        counts = np.zeros(n_drawn)
        counts[rng.choice(n_drawn, max(int(share * n_drawn), 1), replace=False)] = 1
    if trial is not None:
        counts = counts[trial]
    return answers.reweighted(counts * answers.weight)


def _replicate(
    method: OrdinalEmbedding,
    answers: PreparedAnswers,
    reference: np.ndarray,
    seed: np.random.SeedSequence,
    share: float | None,
    warm: bool,
    halt: Halt,
) -> np.ndarray:
    """(n, d) map of resampled answers, aligned; NaN where an object has none."""
    drawn = _drawn(answers, share, np.random.default_rng(seed))
    found = method.refitted(drawn, reference if warm else None, halt)
    return aligned(found, drawn.placed, reference)


def _pilot(
    method: OrdinalEmbedding,
    answers: PreparedAnswers,
    reference: np.ndarray,
    seed: np.random.SeedSequence,
    share: float | None,
    halt: Halt,
) -> tuple[np.ndarray, bool]:
    """A replicate from its own start, and whether the reference leads to the same map."""
    cold, warm = (
        _replicate(method, answers, reference, seed, share, warm, halt) for warm in (False, True)
    )
    placed = np.isfinite(cold[:, 0])
    apart = procrustes_disparity(warm[placed], cold[placed])
    spread = procrustes_disparity(reference[placed], cold[placed])
    return cold, bool(apart <= _SAME * spread)
