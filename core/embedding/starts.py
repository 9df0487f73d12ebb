"""Where a fit begins."""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array, diags_array
from scipy.sparse.linalg import LinearOperator, eigsh

from core.loss import Answers

_DENSE = 300  # up to this many objects a full eigendecomposition is the fastest


def random_start(n_objects: int, n_components: int, rng: np.random.Generator) -> np.ndarray:
    """(d, n) independent standard normal coordinates."""
    return rng.standard_normal((n_components, n_objects))


def spectral_start(
    answers: Answers, n_components: int, rng: np.random.Generator
) -> np.ndarray:
    """One gradient step in kernel space, cut to its leading eigenvectors.

    Every answer asks for more similarity between anchor and near and for less between anchor and
    far. Counting these wishes gives a similarity matrix; normalised by how often each object
    occurs and centred, its leading eigenvectors are a map, up to scale.

    Returns
    -------
    ndarray, shape (d, n)
        Of unit root mean square, with a little noise, because a component that is exactly zero
        has no gradient and would stay so.
    """
    n = answers.n_objects
    anchor, near, far = answers.anchor, answers.near, answers.far
    values = np.concatenate([answers.weight, -answers.weight])
    pairs = (np.concatenate([anchor, anchor]), np.concatenate([near, far]))
    wishes = coo_array((values, pairs), shape=(n, n)).tocsr()
    count = sum(np.bincount(role, answers.weight, n) for role in (anchor, near, far))
    norm = diags_array(1 / np.sqrt(np.maximum(count, 1.0)))
    similarity = norm @ (wishes + wishes.T) @ norm

    n_found = min(n_components, n - 1)
    if n <= _DENSE:
        dense = similarity.toarray()
        dense -= dense.mean(axis=0)
        dense -= dense.mean(axis=1, keepdims=True)
        eigenvalues, vectors = np.linalg.eigh(dense)
        eigenvalues, vectors = eigenvalues[-n_found:], vectors[:, -n_found:]
    else:
        def centred(x: np.ndarray) -> np.ndarray:
            y = similarity @ (x - x.mean(axis=0))
            return y - y.mean(axis=0)

        operator = LinearOperator((n, n), matvec=centred, matmat=centred, dtype=float)
        eigenvalues, vectors = eigsh(
            operator, n_found, which="LA", v0=rng.standard_normal(n), tol=1e-4,
            ncv=min(n, max(2 * n_found + 1, 40)),
        )
    positions = np.zeros((n_components, n))
    positions[:n_found] = (vectors * np.sqrt(np.maximum(eigenvalues, 0.0))).T[::-1]
    size = np.sqrt(np.mean(positions**2))
    if size > 0:
        positions /= size
    return positions + 1e-3 * rng.standard_normal(positions.shape)
