"""SPoSE: sparse positive similarity embedding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from tripletscope.core.data.choices import Choices
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.declared import Number
from tripletscope.core.engine.method import register
from tripletscope.core.engine.progress import Progress, part
from tripletscope.core.models.dimensions.penalties import choose_penalty, from_random
from tripletscope.core.models.dimensions.sparse import FitSeed, SparseDimensions

#: A fit has converged when an iteration lowers the loss by less than this fraction.
_TOLERANCE = 1e-7
#: Share of the time for choosing the penalty.
_CHOOSING = 0.7


@register("dimensions")
@dataclass(kw_only=True, eq=False, repr=False)
class SPoSE(SparseDimensions):
    """Sparse positive similarity embedding: non-negative dimensions that people can name.

    Minimises the sum over trials of minus the logarithm of the probability of the choice, plus
    `penalty` times the sum of all weights, which are not negative. The penalty makes most of them
    zero, and whole dimensions with them.

    Attributes
    ----------
    embedding_sd_ : None
        A bootstrap estimates the uncertainty of weights.
    penalty_ : float
        The penalty used.
    losses_ : ndarray, shape (steps,)
        The loss in the course of the fit, which begins at lower penalties.

    References
    ----------
    Zheng, C. Y., Pereira, F., Baker, C. I., & Hebart, M. N. (2019). Revealing interpretable object
    representations from human behavior. ICLR.
    Hebart, M. N., Zheng, C. Y., Pereira, F., & Baker, C. I. (2020). Revealing the multidimensional
    mental representations of natural objects underlying human similarity judgements. Nature Human
    Behaviour, 4, 1173-1185.

    Examples
    --------
    >>> import numpy as np
    >>> import tripletscope as ts
    >>> truth = np.repeat(np.eye(3), 10, axis=0) * 2
    >>> answers = ts.dimensions.simulate_choices(truth, 2000, seed=1)
    >>> ts.dimensions.SPoSE(n_components=10, penalty=3.0).fit(answers).n_dimensions_
    3
    """

    name = "spose"
    title = "SPoSE"
    caution = "Resample trials or people for the uncertainty of weights."

    n_components: Annotated[int, Number(
        1, 150, "Max. dimensions",
        "Initial number; dimensions that the penalty empties are dropped."
    )] = 100
    penalty: Annotated[float | None, Number(
        0.0, 100_000.0, "Penalty",
        "Cost of a weight of 1, in units of the log-likelihood. A higher penalty leaves fewer "
        "weights and dimensions. Automatic: of 0.5, 1, 2 and so on to 32, in steps of 19 % "
        "where dimensions begin to vanish, the one that best predicts a held-out tenth of the "
        "trials (more of few trials), if better than guessing.",
        automatic="by held-out trials"
    )] = None
    threshold: Annotated[float, Number(
        0.0, 10.0, "Smallest weight",
        "A dimension is kept if at least one object has a larger weight on it.",
        advanced=True
    )] = 0.1
    max_iter: Annotated[int, Number(
        1, 100_000, "Max. iterations",
        "A fit that reaches this limit is reported as not converged.", advanced=True
    )] = 500
    seed: FitSeed = 0

    def _find(self, triplets: Triplets, trials: Choices, progress: Progress) -> None:
        begun = 0.0 if self.penalty is not None else _CHOOSING
        self.penalty_ = self.penalty
        if self.penalty is None:
            self.penalty_ = choose_penalty(self, triplets, trials, part(progress, 0.0, begun))
        result = from_random(
            trials, self.penalty_, self.n_components, max_iter=self.max_iter, tol=_TOLERANCE,
            seed=self.seed, progress=part(progress, begun, 1.0),
        )
        keep = np.flatnonzero(result.x.max(axis=0) > self.threshold)
        order = keep[np.argsort(-result.x[:, keep].sum(axis=0), kind="stable")]
        self.embedding_ = np.ascontiguousarray(result.x[:, order])
        self.embedding_sd_ = None
        self.losses_ = result.losses
        self.converged_, self.stopped_ = result.converged, result.stopped
