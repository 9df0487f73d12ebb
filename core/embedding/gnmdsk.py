"""Generalised non-metric multidimensional scaling over kernels."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tripletscope.core.computing.progress import Progress
from tripletscope.core.embedding.gnmds import GNMDS
from tripletscope.core.embedding.ordinal import Prior, Starts, Tolerance
from tripletscope.core.method import register
from tripletscope.core.optimise.layout import AnswerLayout
from tripletscope.core.optimise.loss import Objective
from tripletscope.core.optimise.minimise import Optimum, adapted, minimise

#: Dimensions in which the kernel is first sought, beyond those of the map.
_SPARE = 40
#: A dimension is unused whose share of the largest is smaller.
_UNUSED = 1e-3


@register("embedding")
@dataclass(kw_only=True, eq=False, repr=False)
class GNMDSK(GNMDS):
    """Generalised non-metric multidimensional scaling, over kernels.

    The convex problem: over all positive semidefinite kernels K, minimise
    lambda Tr K + sum of max(0, 1 + D_near - D_far), where D are the squared distances of K. The
    map is the leading eigenvectors; lambda is half of `prior`, the hinge is rounded as in
    GNMDS. `loss_` is that of the kernel, of which the map is an approximation. The
    two answers of an odd one out count as two.

    Notes
    -----
    K is sought as X X', with X of a few more columns than the map. A minimum with a column to
    spare is a minimum over all kernels (Burer & Monteiro 2005); where none is spare, columns are
    added.

    References
    ----------
    Agarwal, S., Wills, J., Cayton, L., Lanckriet, G., Kriegman, D., & Belongie, S. (2007).
    Generalized non-metric multidimensional scaling. International Conference on Artificial
    Intelligence and Statistics. Section 3.

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
        shown = adapted(progress, lambda x: _leading(x.reshape(-1, n), d)[0].ravel())
        while True:
            found = minimise(
                Objective(answers, self._loss(), columns, self.prior), x.ravel(),
                max_iter=self.max_iter - n_iter, tol=self.tol, progress=shown,
            )
            n_iter += found.n_iter
            x = found.x.reshape(columns, n)
            leading, sizes = _leading(x, d)
            spare = sizes[-1] <= _UNUSED * sizes[0]
            if spare or found.stopped or columns >= n or n_iter >= self.max_iter:
                return replace(found, x=leading.ravel(), n_iter=n_iter)
            columns = min(2 * columns, n)
            x = _widened(x, columns)


def _leading(x: np.ndarray, n_components: int) -> tuple[np.ndarray, np.ndarray]:
    """The best approximation of a centred map (c, n) in fewer dimensions; all singular values."""
    _, sizes, right = np.linalg.svd(x - x.mean(axis=1, keepdims=True), full_matrices=False)
    kept = np.zeros((n_components, x.shape[1]))
    found = min(n_components, len(sizes))
    kept[:found] = sizes[:found, None] * right[:found]
    return kept, sizes


def _widened(x: np.ndarray, columns: int) -> np.ndarray:
    """`x` with small further columns: in one that is exactly 0 the gradient is 0 too."""
    if len(x) >= columns:
        return x
    noise = np.random.default_rng(len(x)).standard_normal((columns - len(x), x.shape[1]))
    return np.concatenate([x, 0.1 * np.sqrt(np.mean(x**2)) * noise])
