"""Generalised non-metric multidimensional scaling, over positions and over kernels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np

from tripletscope.core.engine.declared import Switch
from tripletscope.core.engine.method import register
from tripletscope.core.engine.progress import Progress, part
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding, Prior, Starts, Tolerance
from tripletscope.core.models.optimise.elementary import compiled
from tripletscope.core.models.optimise.layout import AnswerLayout
from tripletscope.core.models.optimise.loss import Loss, Objective
from tripletscope.core.models.optimise.minimise import Optimum, minimise

#: Width over which the corner of the hinge is rounded, and one over which it is as good as sharp.
ROUNDING, _SHARP = 0.5, 1e-300
#: Dimensions in which the kernel is first sought, beyond those of the map.
_SPARE = 40
#: A dimension is unused whose share of the largest is smaller.
_UNUSED = 1e-3


@compiled
def _gnmds(near2, far2, weight, constants, by_near, by_far):
    width = constants[0]
    total = 0.0
    for t in range(near2.size):
        short = max(1.0 + near2[t] - far2[t], 0.0)
        round_part = min(short, width)
        total += weight[t] * (round_part * round_part / (2.0 * width) + short - round_part)
        slope = weight[t] * round_part / width
        by_near[t] = slope
        by_far[t] = -slope
    return total


@register("embedding")
@dataclass(kw_only=True, eq=False, repr=False)
class GNMDS(OrdinalEmbedding):
    """Generalised non-metric multidimensional scaling, over positions.

    Minimises the hinge loss max(0, 1 + d_near^2 - d_far^2). Its corner is rounded over a width of
    0.5 unless `rounded` is off, so that the loss has a gradient everywhere. The paper's lambda is
    half of `prior`. The two answers of an odd one out count as two.

    References
    ----------
    Agarwal, S., Wills, J., Cayton, L., Lanckriet, G., Kriegman, D., & Belongie, S. (2007).
    Generalized non-metric multidimensional scaling. International Conference on Artificial
    Intelligence and Statistics. Section 3.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.read("sample_data/ekman_colors/answers.csv")
    >>> fitted = ts.GNMDS(n_components=2).fit(answers)
    >>> fitted.embedding_.shape, fitted.triplet_error_ < 0.1
    ((14, 2), True)
    """

    name = "gnmds"
    title = "GNMDS"

    rounded: Annotated[bool, Switch(
        "Rounded hinge",
        "Rounds the corner of the loss, without which fits do not come near its minimum. Published "
        "programs keep the corner.", advanced=True, later=True
    )] = True

    def _loss(self) -> Loss:
        return Loss(_gnmds, (ROUNDING if self.rounded else _SHARP,))


@register("embedding")
@dataclass(kw_only=True, eq=False, repr=False)
class GNMDSK(GNMDS):
    """Generalised non-metric multidimensional scaling, over kernels.

    The convex problem: over all positive semidefinite kernels K, minimise
    lambda Tr K + sum of max(0, 1 + D_near - D_far), where D are the squared distances of K. The
    map is the leading eigenvectors of K, but `loss_` is that of K. Lambda is half of `prior`; the
    hinge is rounded as in GNMDS. The two answers of an odd one out count as two.

    Notes
    -----
    K is sought as X X', with X of a few more columns than the map. A minimum with a column to
    spare is a minimum over all kernels (Burer & Monteiro 2005); where none is spare, columns are
    added.

    References
    ----------
    Agarwal, S., et al. (2007), section 3: see `GNMDS`.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.read("sample_data/ekman_colors/answers.csv")
    >>> fitted = ts.GNMDSK(n_components=2).fit(answers)
    >>> fitted.embedding_.shape, fitted.triplet_error_ < 0.1
    ((14, 2), True)
    """

    name = "gnmdsk"
    title = "GNMDS-K"

    n_init: Starts = 1
    tol: Tolerance = 1e-8
    prior: Prior = 10.0

    def _minimise(self, answers: AnswerLayout, start: np.ndarray, progress: Progress) -> Optimum:
        n, d = answers.n_objects, self.n_components
        columns, n_iter = max(min(d + _SPARE, n), d), 0
        x = _widened(start.reshape(d, n), columns)
        shown = part(progress, show=lambda x: _leading(x.reshape(-1, n), d)[0].ravel())
        while True:
            optimum = minimise(
                Objective(answers, self._loss(), columns, self.prior), x.ravel(),
                max_iter=self.max_iter - n_iter, tol=self.tol, progress=shown,
            )
            n_iter += optimum.n_iter
            x = optimum.x.reshape(columns, n)
            leading, sizes = _leading(x, d)
            spare = sizes[-1] <= _UNUSED * sizes[0]
            if spare or optimum.stopped or columns >= n or n_iter >= self.max_iter:
                return replace(optimum, x=leading.ravel(), n_iter=n_iter)
            columns = min(2 * columns, n)
            x = _widened(x, columns)


def _leading(x: np.ndarray, n_components: int) -> tuple[np.ndarray, np.ndarray]:
    """The best approximation of a centred map (c, n) in fewer dimensions; all singular values."""
    _, sizes, right = np.linalg.svd(x - x.mean(axis=1, keepdims=True), full_matrices=False)
    kept = np.zeros((n_components, x.shape[1]))
    rank = min(n_components, len(sizes))
    kept[:rank] = sizes[:rank, None] * right[:rank]
    return kept, sizes


def _widened(x: np.ndarray, columns: int) -> np.ndarray:
    """`x` with small further columns, because a column of zeros has no gradient."""
    if len(x) >= columns:
        return x
    noise = np.random.default_rng(len(x)).standard_normal((columns - len(x), x.shape[1]))
    return np.concatenate([x, 0.1 * np.sqrt(np.mean(x**2)) * noise])
