"""SPoSE: sparse positive similarity embedding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Self

import numpy as np

from tripletscope.core.computing.progress import Progress, part, silent
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets, as_triplets
from tripletscope.core.declared import Number
from tripletscope.core.dimensions.likelihood import trials_of
from tripletscope.core.dimensions.penalties import choose_penalty, from_random
from tripletscope.core.dimensions.sparse import FitSeed, SparseDimensions
from tripletscope.core.method import register

#: A fit has converged when an iteration lowers the loss by less than this fraction.
_TOLERANCE = 1e-7
#: Share of the time that goes into choosing the penalty.
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
    embedding_ : ndarray, shape (n, d)
        Weights from 0 up; the dimension with the largest sum first.
    embedding_sd_ : None
        A bootstrap says how uncertain weights are.
    n_dimensions_ : int
    penalty_ : float
        The one that was used.
    n_objects_ : int
    placed_ : ndarray of bool, shape (n,)
        False for objects without trials.
    losses_ : ndarray, shape (steps,)
        The loss in the course of the fit, which begins at lower penalties.
    converged_, stopped_ : bool

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
    >>> answers = ts.simulate_choices(truth, 2000, seed=1)
    >>> ts.SPoSE(n_components=10, penalty=3.0).fit(answers).n_dimensions_
    3
    """

    name = "spose"
    title = "SPoSE"
    caution = "How uncertain the weights are is found by resampling trials or people."

    n_components: Annotated[
        int,
        Number(
            1, 150, "Max. dimensions",
            "Where the fit begins; dimensions that the penalty empties are dropped.",
        ),
    ] = 100
    penalty: Annotated[
        float | None,
        Number(
            0.0, 100_000.0, "Penalty",
            "Price of a weight of 1, in units of the log-likelihood. A higher one leaves fewer "
            "weights and dimensions. Automatic: of 0.5, 1, 2 and so on to 32, in steps of 19 % "
            "where dimensions begin to go, the one that best predicts a tenth of the trials (of "
            "few, more), held out, if it predicts better than guessing.",
            automatic="by held-out trials",
        ),
    ] = None
    threshold: Annotated[
        float,
        Number(
            0.0, 10.0, "Smallest weight",
            "A dimension is kept if at least one object has a larger weight on it.",
            advanced=True,
        ),
    ] = 0.1
    max_iter: Annotated[
        int,
        Number(
            1, 100_000, "Max. iterations",
            "A fit that reaches this limit is reported as not converged.", advanced=True,
        ),
    ] = 500
    seed: FitSeed = 0

    def fit(self, triplets: Triplets, y: Any = None, *, progress: Progress = silent) -> Self:
        """Find the dimensions.

        Parameters
        ----------
        triplets : Triplets or array-like of int, shape (T, 3)
            Odd-one-out trials at best, as their two answers with one ``trial``.
        y : ignored
        progress : Progress
            Snapshots are weights, of shape (n, dimensions that are not empty yet).

        Raises
        ------
        DataError
            If there is nothing to learn from, or choices are of another kind.
        Stopped
            If `progress` asks to stop before the penalty is chosen.
        """
        self._check_parameters()
        triplets = as_triplets(triplets)
        trials = trials_of(triplets)
        if not np.any(trials.weight > 0):
            raise DataError("there are no trials to learn from", remedy="Include at least one.")
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
        self.n_dimensions_ = len(order)
        self.n_objects_ = trials.n_objects
        self.placed_ = trials.placed
        self.losses_ = result.losses
        self.converged_, self.stopped_ = result.converged, result.stopped
        return self
