"""Where a fit begins."""

from __future__ import annotations

import numpy as np

from tripletscope.core.models.optimise.elementary import compiled
from tripletscope.core.models.optimise.layout import LayoutPart


def random_start(n_objects: int, n_components: int, rng: np.random.Generator) -> np.ndarray:
    """(d, n) independent standard normal coordinates."""
    return rng.standard_normal((n_components, n_objects))


def line_start(n_objects: int, n_components: int, rng: np.random.Generator) -> np.ndarray:
    """(d, n) positions on a line in the order of the objects, with a little noise.

    For pairs without a common object: other starts in one dimension mostly end in folded maps.
    """
    positions = 1e-3 * rng.standard_normal((n_components, n_objects))
    positions[0] += np.sqrt(3.0) * np.linspace(-1.0, 1.0, n_objects)  # of unit root mean square
    return positions


def spectral_start(answers: LayoutPart, n_components: int, rng: np.random.Generator) -> np.ndarray:
    """(d, n) one gradient step in kernel space, cut to its leading eigenvectors, with unit RMS.

    The similarity matrix counts answers that want a pair nearer, less those that want it farther,
    normalised by each object's answers. Noise is added, as a component of zeros has no gradient.
    """
    n = answers.n_objects
    count = sum(np.bincount(role, answers.weight, n) for role in answers.roles)
    # These steps separate eigenvalues that stand out; among others any direction is as good.
    n_steps = min(2 * n_components + 16, n - 1)
    basis, diagonal, beside = _lanczos(
        answers.roles, answers.weight, 1 / np.sqrt(np.maximum(count, 1.0)),
        rng.standard_normal(n), n_steps,
    )
    eigenvalues, vectors = np.linalg.eigh(
        np.diag(diagonal) + np.diag(beside, 1) + np.diag(beside, -1)
    )
    n_found = min(n_components, len(eigenvalues))
    leading = np.sqrt(np.maximum(eigenvalues[-n_found:], 0.0)) * vectors[:, -n_found:]
    positions = np.zeros((n_components, n))
    positions[:n_found] = (basis.T @ leading).T[::-1]
    size = np.sqrt(np.mean(positions**2))
    if size > 0:
        positions /= size
    return positions + 1e-3 * rng.standard_normal(positions.shape)


@compiled
def _wishes(roles, weight, x, y):
    """Add the similarity matrix, before normalisation, times `x` to `y`."""
    if roles.shape[0] == 4:
        for t in range(weight.size):
            i, j = roles[0, t], roles[1, t]
            y[i] += weight[t] * x[j]
            y[j] += weight[t] * x[i]
            i, j = roles[2, t], roles[3, t]
            y[i] -= weight[t] * x[j]
            y[j] -= weight[t] * x[i]
        return
    anchor, near, far = roles[0], roles[1], roles[2]
    t = 0
    while t < weight.size:
        a = anchor[t]
        pull = 0.0
        while t < weight.size and anchor[t] == a:
            pull += weight[t] * (x[near[t]] - x[far[t]])
            y[near[t]] += weight[t] * x[a]
            y[far[t]] -= weight[t] * x[a]
            t += 1
        y[a] += pull


@compiled
def _lanczos(roles, weight, norm, first, n_steps):
    """Lanczos's tridiagonal form of the centred similarity matrix, which is never formed.

    Returns the orthonormal basis (k, n), the diagonal (k,) and the off-diagonal (k - 1,).
    """
    basis = np.zeros((n_steps, first.size))
    diagonal, beside = np.zeros(n_steps), np.zeros(n_steps)
    y = first - first.mean()
    size = np.sqrt(np.sum(y * y))
    for step in range(n_steps):
        basis[step] = y / size
        x = norm * basis[step]
        y = np.zeros_like(first)
        _wishes(roles, weight, x, y)
        y *= norm
        y -= y.mean()
        diagonal[step] = np.sum(y * basis[step])
        # Twice against all earlier vectors, because rounding would bring them back.
        for _ in range(2):
            for k in range(step + 1):
                share = 0.0
                for i in range(y.size):
                    share += y[i] * basis[k, i]
                for i in range(y.size):
                    y[i] -= share * basis[k, i]
        size = np.sqrt(np.sum(y * y))
        beside[step] = size
        if size < 1e-10:
            return basis[: step + 1], diagonal[: step + 1], beside[:step]
    return basis, diagonal, beside[:-1]
