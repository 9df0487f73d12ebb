"""How sure the positions of a map are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from sklearn.base import clone

from core.embedding.ordinal import OrdinalEmbedding
from core.geometry import procrustes
from core.method import Choice, Number, Switch, checked
from core.parallel import Halt, in_parallel
from core.progress import Progress, Stopped, silent
from core.triplets import Triplets, as_triplets


@dataclass(frozen=True)
class Samples:
    """Maps that the answers could as well have given, aligned to one reference.

    Attributes
    ----------
    embeddings : ndarray, shape (b, n, d)
        NaN where a map does not place an object.
    reference : ndarray, shape (n, d)
        The map that the others are aligned to.
    correction : float
        Factor from the variance between the maps to the variance of the reference.
    """

    embeddings: np.ndarray
    reference: np.ndarray
    correction: float = 1.0

    @property
    def counts(self) -> np.ndarray:
        """(n,) number of maps that place each object."""
        return np.isfinite(self.embeddings[..., 0]).sum(axis=0)

    @property
    def mean(self) -> np.ndarray:
        """(n, d) mean position; NaN for objects that no map places."""
        placed = np.isfinite(self.embeddings)
        total = np.where(placed, self.embeddings, 0.0).sum(axis=0)
        count = placed.sum(axis=0)
        return np.where(count > 0, total / np.maximum(count, 1), np.nan)

    @property
    def covariances(self) -> np.ndarray:
        """(n, d, d) covariance of each position; NaN for objects that under two maps place."""
        deviations = np.nan_to_num(self.embeddings - self.mean)
        total = np.einsum("bni,bnj->nij", deviations, deviations)
        count = self.counts[:, None, None]
        return np.where(count > 1, self.correction * total / np.maximum(count - 1, 1), np.nan)


def bootstrap(
    method: OrdinalEmbedding,
    triplets: Triplets,
    *,
    replicates: Annotated[
        int,
        Number(
            2, 10_000, "Replicates",
            "Maps computed from resampled answers. More make the ellipses themselves steadier.",
        ),
    ] = 100,
    scheme: Annotated[
        str,
        Choice(
            {"resample": "With replacement", "subsample": "Subsample"}, "Resampling",
            "With replacement: as many answers as there are, each as likely; measured to give "
            "ellipses of about the right size. Subsample: a share of the answers without "
            "replacement, as Lohaus et al. (2019) do.",
        ),
    ] = "resample",
    share: Annotated[
        float,
        Number(0.01, 0.99, "Share of answers", "Answers in each subsample.", advanced=True),
    ] = 0.5,
    rescale: Annotated[
        bool,
        Switch(
            "Correct the size for the smaller number of answers",
            "A subsample of share r has fewer answers, so its maps vary too much: variances are "
            "multiplied by r / (1 − r). Off: as in the paper, more cautious.",
            advanced=True,
        ),
    ] = True,
    seed: Annotated[int, Number(0, 2**31 - 1, "Seed", advanced=True)] = 0,
    reference: np.ndarray | None = None,
    progress: Progress = silent,
) -> Samples:
    """Maps of resampled answers, aligned to a reference by rotation, reflection, shift and scale.

    Parameters
    ----------
    method : OrdinalEmbedding
        Every replicate is a clone with a single start.
    triplets : Triplets or array-like of int, shape (T, 3)
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
    The ellipses cover what other answers of the same kind would have changed. They do not cover
    a wrong model, objects or participants that were not asked, nor other minima of the loss.

    References
    ----------
    Lohaus, M., Hennig, P., & von Luxburg, U. (2019). Uncertainty estimates for ordinal
    embeddings. Section 3.1.
    """
    options = checked(
        bootstrap,
        {
            "replicates": replicates, "scheme": scheme, "share": share, "rescale": rescale,
            "seed": seed,
        },
    )
    triplets = as_triplets(triplets)
    if reference is None:
        reference = clone(method).fit(triplets).embedding_
    subsampled = options["scheme"] == "subsample"
    answers = triplets.answers.filter(["weight"])
    bare = Triplets(triplets.rows, triplets.objects, answers, triplets.name)
    pieces = [
        (clone(method).set_params(n_init=1), bare, reference, seed,
         options["share"] if subsampled else None)
        for seed in np.random.SeedSequence(options["seed"]).spawn(options["replicates"])
    ]
    maps = []
    for replicate in in_parallel(_replicate, pieces):
        maps.append(replicate)
        if progress(len(maps) / len(pieces), snapshot=replicate):
            break
    if len(maps) < 2:
        raise Stopped
    correction = 1.0
    if subsampled and options["rescale"]:
        correction = options["share"] / (1.0 - options["share"])
    return Samples(np.array(maps), reference, correction)


def _replicate(
    method: OrdinalEmbedding,
    triplets: Triplets,
    reference: np.ndarray,
    seed: np.random.SeedSequence,
    share: float | None,
    halt: Halt,
) -> np.ndarray:
    """(n, d) map of resampled answers, aligned; NaN where an object has none."""
    rng = np.random.default_rng(seed)
    n_answers = len(triplets)
    if share is None:
        drawn = rng.integers(n_answers, size=n_answers)
    else:
        drawn = rng.choice(n_answers, max(int(share * n_answers), 1), replace=False)
    fitted = method.fit(triplets.take(np.sort(drawn)), progress=halt)
    found = np.full(reference.shape, np.nan)
    placed = fitted.placed_
    align = procrustes(fitted.embedding_[placed], reference[placed])
    found[placed] = align(fitted.embedding_[placed])
    return found
