"""Laplace's normal approximation of a posterior over maps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tripletscope.core.models.optimise.elementary import compiled
from tripletscope.core.models.optimise.layout import AnswerLayout
from tripletscope.core.models.optimise.loss import Loss, Objective
from tripletscope.core.models.optimise.minimise import minimise
from tripletscope.core.models.optimise.responses import losses_of

#: Most coordinates of which a matrix of all pairs is made: 300 MB.
LARGEST = 6000
#: Step of the numerical second derivatives, relative to the squared distances.
_STEP = 1e-6
#: Least curvature, as a share of the prior's.
_LEAST = 0.5


@dataclass(frozen=True)
class Normal:
    """A normal distribution over maps.

    mode (d, n).
    factor (d * n, r) or (d * n,): Covariance is ``factor @ factor.T``; a vector holds standard
        deviations.
    without_rotation: Whether rotations of the mode as a whole are left out.
    log_volume: Logarithm of the determinant of the factor, for comparing modes.
    """

    mode: np.ndarray
    factor: np.ndarray
    without_rotation: bool = False
    log_volume: float = 0.0

    def directions(self, standard: np.ndarray) -> np.ndarray:
        """(m, d * n) deviations from the mode, from (m, r) independent standard normals."""
        if self.factor.ndim == 1:
            return standard * self.factor
        return standard @ self.factor.T


def laplace_normal(
    answers: AnswerLayout, loss: Loss, mode: np.ndarray, precision: float, *,
    free_size: bool = False,
) -> Normal:
    """Laplace's approximation of the posterior over maps around the mode (d, n).

    If answers leave the size open (`free_size`), the most probable map has next to no size, though
    hardly any volume lies there: the approximation is then about the mode by the logarithm of size,
    which the search finds from `mode`. Rotations of a proper d-dimensional map are taken out, so
    that maps keep the mode's orientation.

    loss: Minus the log likelihood of an answer.
    precision: 1 / prior variance of a coordinate.
    """
    if free_size:
        mode = _sized(answers, loss, mode, precision)
    hessian = second_derivatives(answers, loss, mode)
    hessian[np.diag_indices_from(hessian)] += precision
    if free_size:
        about, size2, volume = _size(mode, answers.placed)
        radial, within = about.ravel(), np.where(answers.placed, 1.0, 0.0)
        centring = np.diag(within) - np.outer(within, within) / within.sum()
        hessian -= volume / size2 * np.kron(np.eye(len(mode)), centring)
        hessian += 2.0 * volume / size2**2 * np.outer(radial, radial)
    turns = _turns(mode)
    if len(turns):
        inside = hessian - turns.T @ (turns @ hessian)
        inside -= (inside @ turns.T) @ turns
        hessian = inside + 2.0 * np.trace(hessian) * (turns.T @ turns)  # above all others
    curvatures, axes = np.linalg.eigh(hessian)
    kept = len(curvatures) - len(turns)
    curvatures = np.maximum(curvatures[:kept], _LEAST * precision)
    return Normal(
        mode, axes[:, :kept] / np.sqrt(curvatures), bool(len(turns)),
        -0.5 * float(np.log(curvatures).sum()),
    )


def _size(positions: np.ndarray, placed: np.ndarray) -> tuple[np.ndarray, float, int]:
    """Deviations (d, n) of placed objects from their centre, squared size, degrees of freedom."""
    about = np.where(placed, positions - positions[:, placed].mean(axis=1, keepdims=True), 0.0)
    return about, float(np.sum(about**2)), len(positions) * (int(placed.sum()) - 1)


def _sized(answers: AnswerLayout, loss: Loss, start: np.ndarray, precision: float) -> np.ndarray:
    """The map (d, n) that is most probable by the logarithm of its size."""
    objective = Objective(answers, loss, len(start), precision)
    _, start2, volume = _size(start, answers.placed)
    usual2 = volume / precision

    def counted(x: np.ndarray) -> tuple[float, np.ndarray]:
        value, gradient = objective(x)
        about, size2, _ = _size(x.reshape(start.shape), answers.placed)
        # With the prior, at least half the volume: losses must not fall below 0.
        value -= 0.5 * volume * np.log(size2 / usual2)
        return value, gradient - (volume / size2) * about.ravel()

    return minimise(counted, start.ravel() * np.sqrt(usual2 / start2)).x.reshape(start.shape)


def second_derivatives(answers: AnswerLayout, loss: Loss, positions: np.ndarray) -> np.ndarray:
    """(d * n, d * n) Hessian of the total loss by the positions.

    Exact in the positions; numerical in the squared distances, so that no loss needs formulas.
    """
    d, n = positions.shape
    hessian = np.zeros((d, n, d, n))
    for part in answers.parts:
        pairs = part.pairs
        squares = np.sum((positions[:, pairs[:, 0]] - positions[:, pairs[:, 1]]) ** 2, axis=0)
        step = _STEP * (1.0 + squares.sum(axis=0))
        slope = _slopes(loss, squares, part.chosen or 1)
        curvature = np.stack([
            _slopes(loss, squares + step * (np.arange(len(pairs)) == e)[:, None], part.chosen or 1)
            for e in range(len(pairs))
        ]) - slope
        curvature = 0.5 * (curvature + curvature.swapaxes(0, 1)) / step
        for e, f in np.ndindex(curvature.shape[:2]):
            _add_of_pairs(
                positions, pairs[e], pairs[f],
                part.weight * slope[e] if e == f else np.zeros(len(step)),
                part.weight * curvature[e, f], hessian,
            )
    return hessian.reshape(d * n, d * n)


def _slopes(loss: Loss, squares: np.ndarray, chosen: int) -> np.ndarray:
    """(m, T) derivatives of choices' losses by the squared distances of their pairs."""
    similarity, slope = loss.similarities(squares)
    return losses_of(similarity, chosen)[1] * slope


@compiled
def _add_of_pairs(positions, one, other, slope, curvature, hessian):
    """Add the curvature of two pairs, and the slope of the first where they are the same."""
    d = positions.shape[0]
    for t in range(slope.size):
        for p in range(2):
            for q in range(2):
                i, j = one[p, t], other[q, t]
                same = 1.0 if p == q else -1.0
                for c in range(d):
                    u = 2.0 * (positions[c, one[0, t]] - positions[c, one[1, t]])
                    hessian[c, i, c, j] += same * 2.0 * slope[t]
                    for e in range(d):
                        v = 2.0 * (positions[e, other[0, t]] - positions[e, other[1, t]])
                        hessian[c, i, e, j] += same * curvature[t] * u * v


def _turns(mode: np.ndarray) -> np.ndarray:
    """(d (d - 1) / 2, d * n) orthonormal directions of rotation; none for a flat map."""
    d, n = mode.shape
    tangents = []
    for c in range(d):
        for e in range(c):
            tangent = np.zeros((d, n))
            tangent[c], tangent[e] = mode[e], -mode[c]
            tangents.append(tangent.ravel())
    if not tangents:
        return np.zeros((0, d * n))
    _, sizes, directions = np.linalg.svd(np.array(tangents), full_matrices=False)
    proper = sizes[-1] > 1e-6 * sizes[0] and len(sizes) == len(tangents)
    return directions if proper else np.zeros((0, d * n))
