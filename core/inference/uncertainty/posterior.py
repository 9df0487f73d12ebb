"""Bayesian samples of maps, and a normal approximation of their posterior."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated

import numpy as np
from sklearn.base import clone

from tripletscope.core.data.errors import refuse_lengths
from tripletscope.core.data.triplets import Triplets, as_triplets
from tripletscope.core.engine.declared import Choice, Number, Seed
from tripletscope.core.engine.parallel import single_blas_thread
from tripletscope.core.engine.progress import Progress, Stopped, silent
from tripletscope.core.engine.task import task
from tripletscope.core.inference.uncertainty.conditional import conditional
from tripletscope.core.inference.uncertainty.curvature import LARGEST, Normal, laplace_normal
from tripletscope.core.inference.uncertainty.response import ResponseModel, learned_response
from tripletscope.core.inference.uncertainty.samples import Samples, aligned
from tripletscope.core.inference.uncertainty.sampling import (
    JUDGED,
    Chains,
    Effective,
    Most,
    WarmUp,
    chain_at,
    drawn,
)
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding
from tripletscope.core.models.optimise.layout import AnswerLayout
from tripletscope.core.models.optimise.loss import Objective

#: Variance of a coordinate under the prior of Lohaus et al. (2019), section 5.
PUBLISHED_VARIANCE = 15.0
#: Largest distance in log probability of a mode with a chain from the best one.
_WORTH = 5.0

Variance = Annotated[float | None, Number(
    0.01, 10_000.0, "Prior variance",
    "Variance of every coordinate under the prior, the square of its s.d. Lohaus et al. (2019) "
    "used 15, an s.d. of 3.9.",
    advanced=True, automatic="1 / the method's prior, so that its map is the most probable"
)]


@task("Sampling the posterior", "embedding", name="posterior", first={"effective": 40})
def sample_posterior(
    method: OrdinalEmbedding, triplets: Triplets, *,
    sampler: Annotated[str, Choice(
        {
            "laplace": "Along its covariance", "plain": "Along the prior"
        },
        "Sampler",
        "Both are exact in the limit. Along the prior, as in Lohaus et al. (2019), takes ten "
        "to a hundred times as long.",
        advanced=True
    )] = "laplace",
    variance: Variance = None, effective: Effective = 400, most: Most = 100_000, chains: Chains = 4,
    warm_up: WarmUp = 0.1, seed: Seed = 0, reference: np.ndarray | None = None,
    progress: Progress = silent,
) -> Samples:
    """Maps from the posterior: their prior probability times the likelihood of the answers.

    Parameters
    ----------
    method : OrdinalEmbedding
        One whose loss is a likelihood: STE, t-STE, CKL.
    triplets : Triplets or array-like of int, shape (T, 3)
    sampler
        The setting of Lohaus et al. is ``sampler="plain", variance=15,
        chains=1, warm_up=0, most=500, effective=10_000``.
    reference : ndarray, shape (n, d), optional
        By default the most probable map.

    Returns
    -------
    Samples
        Aligned by rotation, reflection and shift, and by scale where the loss does not fix the size
        of a map. Effective sample size and R-hat are of distances, since coordinates drift by
        rotation.

    Raises
    ------
    DataError
        If there is no answer to learn from.
    ValueError
        If the method has no likelihood, or the map is too large for ``sampler="laplace"``.
    Stopped
        If `progress` asks to stop before there are two maps. A later stop returns what there is.

    Notes
    -----
    Chains begin at those optima of the method's starts that are probable enough to matter.

    The posterior takes answers as independent, those of one observer, and is too narrow for several
    people who differ: use `bootstrap` with participants as the unit for these.

    References
    ----------
    Lohaus, M., Hennig, P., & von Luxburg, U. (2019). Uncertainty estimates for ordinal
    embeddings. Section 3.1.
    Murray, I., Adams, R. P., & MacKay, D. J. C. (2010). Elliptical slice sampling. AISTATS.
    Vehtari, A., et al. (2021). Rank-normalization, folding, and localization: an improved R-hat.
    Bayesian Analysis, 16, 667-718.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.read("sample_data/ekman_colors/answers.csv")
    >>> samples = ts.sample_posterior(ts.STE(), answers, effective=50, most=400)
    >>> samples.source, samples.covariances.shape
    ('posterior', (14, 2, 2))
    """
    triplets = as_triplets(triplets)
    fitted, precision = _most_probable(method, triplets, variance, progress)
    answers, loss = AnswerLayout.of(triplets, True), fitted._loss()
    if sampler == "laplace":
        with single_blas_thread():
            modes = _modes(fitted, answers, precision)
    else:
        width = np.full(fitted.embedding_.size, precision**-0.5)
        modes = [Normal(np.zeros(fitted.embedding_.T.shape), width)]
    runs = []
    for number, child in enumerate(np.random.SeedSequence(seed).spawn(chains)):
        normal, start = modes[number % len(modes)], None
        if sampler == "plain":
            start = fitted.embeddings_[number % len(fitted.embeddings_)].T.ravel()
        runs.append(chain_at(
            answers, loss, normal, np.random.default_rng(child), start=start,
            precision=precision if sampler == "laplace" else 0.0,
        ))
    if reference is None:
        reference = fitted.embedding_
    refuse_lengths(objects=fitted.n_objects_, rows_of_the_reference=reference)
    show = _display(fitted, reference, answers)
    pairs = _judged_pairs(np.flatnonzero(fitted.placed_), seed)

    def judged(draws: np.ndarray) -> np.ndarray:
        near, far = draws[..., pairs[0]], draws[..., pairs[1]]
        return np.sqrt(np.sum((near - far) ** 2, axis=2))

    kept, size, rhat = drawn(
        runs, judged, show, progress, effective=effective, most=most, warm_up=warm_up
    )
    embeddings = np.array([show(positions) for chain in kept for positions in chain])
    return Samples(
        embeddings, reference, 1.0, "posterior", size, rhat,
        conditional=_about_mean(embeddings, answers),
        learn=partial(posterior_response, clone(method), triplets, variance=variance, seed=seed),
    )


@task("Approximating the posterior", "embedding")
def laplace(
    method: OrdinalEmbedding, triplets: Triplets, *,
    samples: Annotated[
        int, Number(20, 10_000, "Maps", "Maps drawn from the normal approximation.")
    ] = 400,
    variance: Variance = None, seed: Seed = 0, reference: np.ndarray | None = None,
    progress: Progress = silent,
) -> Samples:
    """Maps from the normal approximation of the posterior at its mode.

    Quick, and nearly right where answers are many; blind to other optima and to skew. For the same
    methods as `sample_posterior`, and one observer.
    """
    triplets = as_triplets(triplets)
    fitted, precision = _most_probable(method, triplets, variance, progress)
    answers = AnswerLayout.of(triplets, True)
    with single_blas_thread():
        normal = _normal(fitted, answers, fitted.embedding_, precision)
        rng = np.random.default_rng(seed)
        standard = rng.standard_normal((samples, normal.factor.shape[1]))
        maps = normal.mode.ravel() + normal.directions(standard)
    if reference is None:
        reference = fitted.embedding_
    show = _display(fitted, reference, answers)
    embeddings = np.array([show(x.reshape(normal.mode.shape)) for x in maps])
    progress(1.0, snapshot=embeddings[-1])
    return Samples(
        embeddings, reference, 1.0, "laplace", conditional=_about_mean(embeddings, answers),
        learn=partial(posterior_response, clone(method), triplets, variance=variance, seed=seed),
    )


def posterior_response(
    method: OrdinalEmbedding, triplets: Triplets, *, variance: float | None = None, seed: int = 0,
    progress: Progress = silent,
) -> ResponseModel:
    """Response model for a posterior, from its normal approximation or, if large, its best map."""
    triplets = as_triplets(triplets)
    single = clone(method).set_params(n_init=1)

    def maps(train: Triplets) -> np.ndarray:
        if method.n_components * train.n_objects > LARGEST:
            return _most_probable(single, train, variance, silent)[0].embedding_[None]
        return laplace(single, train, samples=20, variance=variance, seed=seed).embeddings

    return learned_response(method, triplets, maps, seed=seed, progress=progress)


def _display(
    fitted: OrdinalEmbedding, reference: np.ndarray, answers: AnswerLayout
) -> Callable[[np.ndarray], np.ndarray]:
    """From drawn maps (d, n) to aligned ones (n, d), of their own size if answers fix it."""
    anchors = conditional(reference, answers).anchors
    return lambda positions: aligned(
        positions.T, fitted.placed_, reference, size="own" if fitted.fixes_scale else "fit",
        anchors=anchors,
    )


def _about_mean(embeddings: np.ndarray, answers: AnswerLayout) -> np.ndarray:
    """`Samples.conditional` about the mean of the maps (b, n, d).

    Chains that stay at one of several optima do not know of the others.
    """
    return conditional(np.nan_to_num(embeddings.mean(axis=0)), answers).moments


def _most_probable(
    method: OrdinalEmbedding, triplets: Triplets, variance: float | None, progress: Progress
) -> tuple[OrdinalEmbedding, float]:
    """The method fitted under the prior, and the prior's precision."""
    if not method.is_likelihood:
        raise ValueError(
            f"the loss of {method.title} is not a likelihood; use STE, t-STE or CKL, or bootstrap"
        )
    if not method._loss().is_of_distances:
        raise ValueError(
            f"the posterior is computed of squared distances, and pairs of {method.title} are seen "
            "otherwise; use bootstrap"
        )
    precision = 1.0 / variance if variance else method.prior or 1.0 / PUBLISHED_VARIANCE
    fitted = clone(method).set_params(prior=precision)
    fitted.fit(triplets, progress=lambda *_, **__: progress(0.0))
    if fitted.stopped_:
        raise Stopped
    return fitted, precision


def _normal(
    fitted: OrdinalEmbedding, answers: AnswerLayout, embedding: np.ndarray, precision: float
) -> Normal:
    if embedding.size > LARGEST:
        raise ValueError(
            f"{embedding.size:,} coordinates are more than the {LARGEST:,} whose covariances "
            "can be held; use the bootstrap"
        )
    return laplace_normal(
        answers, fitted._loss(), embedding.T.copy(), precision, free_size=not fitted.fixes_scale
    )


def _modes(fitted: OrdinalEmbedding, answers: AnswerLayout, precision: float) -> list[Normal]:
    """Laplace's approximations of the different optima that carry probability, best first."""
    result: list[tuple[float, Normal]] = []
    losses: list[float] = []
    ends: list[float] = []
    for which in np.argsort(fitted.losses_, kind="stable"):
        value = fitted.losses_[which]
        if losses and value > losses[0] + _WORTH + 1e-2 * answers.n_objects:
            break
        if any(abs(value - other) < 1e-5 * other for other in losses):
            continue
        losses.append(value)
        normal = _normal(fitted, answers, fitted.embeddings_[which], precision)
        if not fitted.fixes_scale:
            objective = Objective(answers, fitted._loss(), fitted.n_components, precision)
            value, _ = objective(normal.mode.ravel())
            if any(abs(value - other) < 1e-5 * other for other in ends):
                continue
            ends.append(value)
        result.append((normal.log_volume - value, normal))
    best = max(evidence for evidence, _ in result)
    ranked = sorted(result, key=lambda pair: -pair[0])
    return [normal for evidence, normal in ranked if evidence > best - _WORTH]


def _judged_pairs(objects: np.ndarray, seed: int) -> np.ndarray:
    """(2, p) pairs of objects whose distances stand for all."""
    first, second = np.triu_indices(len(objects), 1)
    which = np.random.default_rng(seed).permutation(len(first))[:JUDGED]
    return objects[np.array([first[which], second[which]])]
