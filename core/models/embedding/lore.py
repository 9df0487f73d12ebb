"""Low-rank ordinal embedding."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, Any, Self

import numpy as np

from tripletscope.core.data.triplets import Answers
from tripletscope.core.engine.declared import Number
from tripletscope.core.engine.method import register
from tripletscope.core.engine.progress import Progress, part
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding, Prior
from tripletscope.core.models.optimise.elementary import compiled, softplus
from tripletscope.core.models.optimise.layout import AnswerLayout
from tripletscope.core.models.optimise.loss import Loss, Objective
from tripletscope.core.models.optimise.minimise import Optimum, minimise

#: Exponent of the penalty on the size of a dimension.
_POWER = 0.5
#: Sizes below which the penalty is rounded off, one after the other.
_ROUNDINGS = (1.0, 0.3, 0.1, 0.03)
#: Added to squared distances, because a distance has no derivative where it is 0.
_ROUNDING = 1e-12


@compiled
def _lore(near2, far2, weight, constants, by_near, by_far):
    total = 0.0
    for t in range(near2.size):
        near, far = math.sqrt(near2[t] + _ROUNDING), math.sqrt(far2[t] + _ROUNDING)
        value, slope = softplus(near - far)
        total += weight[t] * value
        by_near[t] = 0.5 * weight[t] * slope / near
        by_far[t] = -0.5 * weight[t] * slope / far
    return total


@register("embedding")
@dataclass(kw_only=True, eq=False, repr=False)
class LORE(OrdinalEmbedding):
    """Low-rank ordinal embedding: a map that finds its own number of dimensions.

    Minimises the logistic loss of d_near - d_far, plus `penalty` times n times the sum over
    dimensions of the square root of their size (RMS coordinate on a principal axis): up to a
    constant, the Schatten quasi-norm with p = 1/2. Dimensions that the answers do not support
    vanish. The two answers of an odd one out count as two.

    Attributes
    ----------
    rank_ : int
        Dimensions that remain; the other columns of `embedding_` are exactly 0.

    Notes
    -----
    The penalty has a corner at 0. It is rounded off, less and less, and after each round the
    dimensions within the rounding are left out.

    References
    ----------
    Anand, V., Helbling, A., Davenport, M. A., Berman, G. J., Alagapan, S., & Rozell, C. J.
    (2026). LORE: Jointly learning the intrinsic dimensionality and relative similarity structure
    from ordinal data. International Conference on Learning Representations.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.read("sample_data/ekman_colors/answers.csv")
    >>> fitted = ts.LORE().fit(answers)
    >>> fitted.embedding_.shape, fitted.triplet_error_ < 0.1
    ((14, 10), True)
    """

    name = "lore"
    title = "LORE"
    is_rank_chosen = True

    n_components: Annotated[int, Number(
        1, 20, "Max. dimensions",
        "Initial number of dimensions. Those that the answers do not support are set to 0."
    )] = 10
    penalty: Annotated[float, Number(
        0.0, 1000.0, "Rank penalty", "Cost of a dimension. Larger values keep fewer of them."
    )] = 1.5
    prior: Prior = 0.0

    def _loss(self) -> Loss:
        return Loss(_lore)

    def fit(self, triplets: Answers, y: Any = None, **options: Any) -> Self:
        """Find map and number of dimensions; see `OrdinalEmbedding.fit`."""
        super().fit(triplets, y, **options)
        self.rank_ = int(np.any(self.embedding_ != 0, axis=0).sum())
        return self

    def _minimise(self, answers: AnswerLayout, start: np.ndarray, progress: Progress) -> Optimum:
        n, d = answers.n_objects, self.n_components
        x, n_iter = start.reshape(d, n), 0
        for stage, rounding in enumerate(_ROUNDINGS):
            plain = Objective(answers, self._loss(), len(x), self.prior)
            optimum = minimise(
                _penalised(plain, self.penalty * n, rounding), x.ravel(),
                max_iter=self.max_iter - n_iter, tol=self.tol,
                progress=part(
                    progress, show=lambda x: _padded(x.reshape(-1, n), d),
                    low=stage / len(_ROUNDINGS), high=(stage + 1) / len(_ROUNDINGS),
                ),
            )
            n_iter += optimum.n_iter
            x = _without_small(optimum.x.reshape(-1, n), rounding)
            if optimum.stopped or n_iter >= self.max_iter:
                break
        return replace(optimum, x=_padded(x, d), n_iter=n_iter)


def _penalised(plain: Objective, strength: float, rounding: float) -> Callable:
    """An objective plus the penalty on the sizes of its dimensions."""
    n = plain.shape[1]

    def objective(x: np.ndarray) -> tuple[float, np.ndarray]:
        loss, gradient = plain(x)
        positions = x.reshape(plain.shape)
        variances, axes = np.linalg.eigh(positions @ positions.T / n)
        rounded = np.maximum(variances, 0.0) + rounding**2
        loss += strength * float(np.sum(rounded ** (_POWER / 2)))
        pull = (axes * rounded ** (_POWER / 2 - 1)) @ axes.T
        gradient += (strength * _POWER / n) * (pull @ positions).ravel()
        return loss, gradient

    return objective


def _without_small(positions: np.ndarray, least: float) -> np.ndarray:
    """A map (d, n) on the principal axes on which it is not small; at least on one."""
    centred = positions - positions.mean(axis=1, keepdims=True)
    _, sizes, right = np.linalg.svd(centred, full_matrices=False)
    kept = max(int(np.sum(sizes > least * np.sqrt(positions.shape[1]))), 1)
    return sizes[:kept, None] * right[:kept]


def _padded(positions: np.ndarray, n_components: int) -> np.ndarray:
    full = np.zeros((n_components, positions.shape[1]))
    full[: len(positions)] = positions
    return full.ravel()
