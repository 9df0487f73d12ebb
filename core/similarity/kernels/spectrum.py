"""Eigenvalues of a kernel, maps of its leading components, and their predictions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from scipy.linalg import eigh, eigvalsh
from scipy.sparse.linalg import eigsh
from sklearn.base import clone

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets, as_triplets
from tripletscope.core.engine.declared import Choice, Number, Seed
from tripletscope.core.engine.parallel import CancelToken, results_of, single_blas_thread
from tripletscope.core.engine.progress import Progress, Stopped, silent
from tripletscope.core.engine.task import task
from tripletscope.core.inference.held_out.score import n_groups, question_folds
from tripletscope.core.similarity.kernels.evidence import by_chance
from tripletscope.core.similarity.kernels.kernel import Kernel
from tripletscope.core.similarity.kernels.space import Space, centred_gram, space_of

#: Most eigenvalues of a spectrum.
_MOST = 50
#: Up to so many objects, all eigenvalues take no longer than a few.
_FEW = 500
#: Most leading components to predict held-out answers by, and folds.
_PREDICTING, _FOLDS = 10, 5


@dataclass(frozen=True)
class KernelMap:
    """A map of the objects from their similarities.

    Attributes
    ----------
    coordinates : ndarray, shape (n, d)
        NaN for objects without usable answers.
    shares : ndarray, shape (d,) or (0,)
        Share of the variance on each axis; empty for axes without variances. After a reduction of
        the diagonal, shares of the reduced kernel.
    whole_shares : ndarray, shape (d,) or (0,)
        Shares of the kernel before the reduction.
    """

    coordinates: np.ndarray
    shares: np.ndarray
    whole_shares: np.ndarray


@task("Computing a map of the kernel", "kernel")
def kernel_map(
    kernel: Kernel, triplets: Triplets, *,
    algorithm: Annotated[str, Choice(
        {"pca": "Kernel PCA", "umap": "UMAP"}, "Map",
        "Kernel PCA preserves the largest differences without distortion. UMAP keeps "
        "neighbours together, but distances between groups mean little."
    )] = "pca",
    n_components: Annotated[int, Number(1, 20, "Dimensions")] = 2,
    n_neighbours: Annotated[int, Number(
        2, 200, "Neighbours", "For UMAP: more neighbours emphasise larger structures.",
        advanced=True
    )] = 15,
    seed: Annotated[int, Number(0, 2**31 - 1, "Seed", "For UMAP.", advanced=True)] = 0,
    progress: Progress = silent,
) -> KernelMap:
    """Fit a kernel and draw a map of it."""
    fitted = clone(kernel).fit(as_triplets(triplets))
    space = space_of(fitted)
    if progress(0.1):
        raise Stopped
    if algorithm == "pca":
        return principal_components(space, n_components, getattr(fitted, "shift_", 0.0))
    return _umap(space, n_components, n_neighbours, seed)


def principal_components(space: Space, n_components: int, shift: float = 0.0) -> KernelMap:
    """Kernel PCA (Schölkopf, Smola & Müller 1998), by scikit-learn.

    Distances are scaled classically, with coordinates 0 on axes of negative variance. `shift` is
    the reduction of the diagonal.
    """
    from sklearn.decomposition import PCA, KernelPCA  # imported late: slow to import

    _refuse_few(space, n_components)
    with single_blas_thread():
        if space.vectors is not None:
            n_found = min(n_components, space.vectors.shape[1])
            pca = PCA(n_found, svd_solver="covariance_eigh").fit(space.vectors)
            coordinates = pca.transform(space.vectors)
            variances, total = pca.explained_variance_, float(np.var(
                space.vectors, axis=0, ddof=1, dtype=float
            ).sum())
        elif space.distance_matrix is not None:
            # Scikit-learn's kernel PCA insists on Euclidean distances.
            gram = centred_gram(space)
            last = len(gram) - 1
            values, axes = eigh(gram, subset_by_index=(last - n_components + 1, last))
            variances = np.maximum(values[::-1], 0.0)
            coordinates = axes[:, ::-1] * np.sqrt(variances)
            total = max(float(np.trace(gram)), float(variances.sum()))
        else:
            gram = centred_gram(space)
            pca = KernelPCA(n_components, kernel="precomputed", random_state=0).fit(gram)
            coordinates = pca.transform(gram)
            variances, total = np.maximum(pca.eigenvalues_, 0.0), float(np.trace(gram))
    missing = n_components - coordinates.shape[1]
    coordinates = np.pad(coordinates.astype(float), ((0, 0), (0, missing)))
    variances = np.pad(variances.astype(float), (0, missing))
    # The reduction subtracts as much from each of the m - 1 eigenvalues about the centre.
    whole = total + shift * (len(space) - 1)
    return KernelMap(
        space.spread(coordinates, np.nan), variances / (total or 1.0),
        (variances + shift) / (whole or 1.0),
    )


def _umap(space: Space, n_components: int, n_neighbours: int, seed: int) -> KernelMap:
    import umap  # imported late: it takes seconds

    _refuse_few(space, max(n_components + 1, 3))
    vectors, metric = space.vectors, "euclidean"
    if vectors is None:
        vectors, metric = space.distances(), "precomputed"
    positions = umap.UMAP(
        n_components=n_components, n_neighbors=min(n_neighbours, len(space) - 1), metric=metric,
        random_state=seed, n_jobs=1,
    ).fit_transform(vectors)
    return KernelMap(space.spread(positions.astype(float), np.nan), np.zeros(0), np.zeros(0))


def _refuse_few(space: Space, too_few: int) -> None:
    if len(space) <= too_few:
        raise DataError(
            f"only {len(space)} objects have usable answers",
            remedy="Use more answers or fewer dimensions.",
        )


@dataclass(frozen=True)
class Spectrum:
    """Eigenvalues of a kernel beside those of shuffled answers.

    Attributes
    ----------
    eigenvalues : ndarray, shape (m,)
        Of the centred kernel, descending.
    shuffled : ndarray, shape (r, m)
        The same with answers reversed by coin flips.
    errors : ndarray, shape (c,)
        Held-out triplet error with 1, 2, ... leading components; NaN with too few different
        questions.
    level : float
    """

    eigenvalues: np.ndarray
    shuffled: np.ndarray
    errors: np.ndarray
    level: float = 0.95

    @property
    def threshold(self) -> np.ndarray:
        """(m,) quantile `level` of the shuffled eigenvalues of the same rank."""
        return np.quantile(self.shuffled, self.level, axis=0)

    @property
    def n_signal(self) -> int:
        """Number of leading components above chance.

        They are not dimensions: a single dimension has several, as a polynomial has.
        """
        above = self.eigenvalues > self.threshold
        return int(np.argmin(above)) if not above.all() else len(above)


@task("Comparing with permuted answers", "kernel")
def spectrum(
    kernel: Kernel, triplets: Triplets, *,
    shuffles: Annotated[int, Number(
        5, 1000, "Permutations", "Permuted answers, for the null distribution of the eigenvalues."
    )] = 20,
    seed: Seed = 0, progress: Progress = silent,
) -> Spectrum:
    """Eigenvalues of a kernel against chance: parallel analysis.

    The diagonal is not reduced, as this would shift the eigenvalues of the shuffled answers by
    another amount. Held-out errors are of kernel PCA in five folds of questions, with the kernel's
    own reduction of the diagonal.

    References
    ----------
    Horn, J. L. (1965). A rationale and test for the number of factors in factor analysis.
    Psychometrika, 30, 179-185. Here the answers are shuffled instead of the variables.
    """
    triplets = as_triplets(triplets)
    errors = _held_out(clone(kernel), triplets, seed)
    kernel = clone(kernel)
    if hasattr(kernel, "reduce_diagonal"):
        kernel.set_params(reduce_diagonal=False)
    eigenvalues = _eigenvalues(space_of(clone(kernel).fit(triplets)))
    seeds = np.random.SeedSequence(seed).spawn(shuffles)
    pieces = [(kernel, triplets, seed) for seed in seeds]
    shuffled = np.array(list(results_of(_shuffled, pieces, progress)))
    return Spectrum(eigenvalues, shuffled[:, : len(eigenvalues)], errors)


def _held_out(kernel: Kernel, triplets: Triplets, seed: int) -> np.ndarray:
    """(c,) error on held-out answers of maps by the leading components."""
    if n_groups(triplets) < _FOLDS:
        return np.full(_PREDICTING, np.nan)
    fold = question_folds(triplets, _FOLDS, np.random.default_rng(seed))
    wrong = np.full((_PREDICTING, len(triplets)), 0.5)
    for k in range(_FOLDS):
        held = np.flatnonzero(fold == k)
        space = space_of(clone(kernel).fit(triplets.take(np.flatnonzero(fold != k))))
        if len(space) < 2:
            continue
        count = min(_PREDICTING, len(space) - 1)
        places = principal_components(space, count).coordinates
        anchor, near, far = triplets.rows[held].T
        squared = [(places[anchor] - places[other]) ** 2 for other in (near, far)]
        differences = np.cumsum(squared[1] - squared[0], axis=1).T
        # Objects without other answers have no prediction.
        wrong[:count, held] = np.where(np.isnan(differences), 0.5, 0.5 - 0.5 * np.sign(differences))
        wrong[count:, held] = wrong[count - 1, held]
    return wrong @ triplets.weight / triplets.weight.sum()


def _shuffled(
    kernel: Kernel, triplets: Triplets, seed: np.random.SeedSequence, halt: CancelToken
) -> np.ndarray:
    other = by_chance(triplets, np.random.default_rng(seed))
    values = _eigenvalues(space_of(clone(kernel).fit(other, progress=halt)))
    return np.pad(values, (0, _MOST - len(values)))


def _eigenvalues(space: Space) -> np.ndarray:
    """The largest eigenvalues of the centred kernel, descending."""
    if len(space) < 2:
        return np.zeros(1)
    count = min(_MOST, len(space) - 1)
    with single_blas_thread():
        if space.vectors is not None and space.vectors.shape[1] < len(space):
            about = space.vectors - space.vectors.mean(axis=0)
            matrix = (about.T @ about).astype(float)
            count = min(count, len(matrix))
        else:
            matrix = centred_gram(space)
        n = len(matrix)
        if n <= _FEW:
            values = eigvalsh(matrix)[::-1][:count]
        else:
            start = np.random.default_rng(0).standard_normal(n)
            values = np.sort(eigsh(matrix, count, v0=start, return_eigenvectors=False))[::-1]
    return np.maximum(values.astype(float), 0.0)
