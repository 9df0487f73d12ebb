"""VICE: variational inference for dimensions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from scipy.special import ndtr, softmax
from scipy.stats import false_discovery_control

from tripletscope.core.data.choices import Choices
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.declared import Number
from tripletscope.core.engine.method import register
from tripletscope.core.engine.progress import Progress
from tripletscope.core.models.dimensions.sparse import (
    FitSeed,
    SparseDimensions,
    products,
    similarities_of,
    three,
)
from tripletscope.core.models.dimensions.variational import COUNTS, SpikeAndSlab, approximate
from tripletscope.core.models.optimise.responses import shares

#: Level of the false discovery rate among the objects of a dimension.
_LEVEL = 0.05
#: Draws from the posterior to average predictions over.
_DRAWS = 20


@register("dimensions")
@dataclass(kw_only=True, eq=False, repr=False)
class VICE(SparseDimensions):
    """Variational inference for dimensions: their number, and the uncertainty of every weight.

    The posterior of each weight is a normal distribution, whose part below zero counts as zero; its
    prior is a narrow normal distribution or a wide one. A dimension stays if more than
    `min_objects` objects have a weight above zero on it, by one-sided tests whose false discovery
    rate is 5 % in the dimension (Benjamini & Hochberg).

    Attributes
    ----------
    embedding_ : ndarray, shape (n, d)
        Means of the posterior, or 0 if negative; the dimension with the largest sum first.
    embedding_sd_ : ndarray, shape (n, d)
        Standard deviations of the normal posterior, too narrow because it takes weights as
        independent: 95 % intervals contained 85 to 89 % of planted weights above zero, with 40
        objects and 4,000 to 20,000 trials.
    location_ : ndarray, shape (n, d)
        Means of the normal posterior.
    losses_ : ndarray, shape (steps,)
        Minus the evidence lower bound in the course of the fit.
    counts_ : ndarray of int, shape (steps,)
        Number of dimensions at the same steps.
    converged_ : bool
        Whether the number changed by at most one in the last quarter of the steps.

    References
    ----------
    Muttenthaler, L., Zheng, C. Y., McClure, P., Vandermeulen, R. A., Hebart, M. N., & Pereira, F.
    (2022). VICE: Variational interpretable concept embeddings. NeurIPS.

    Examples
    --------
    >>> import numpy as np
    >>> import tripletscope as ts
    >>> truth = np.repeat(np.eye(3), 10, axis=0) * 2
    >>> answers = ts.dimensions.simulate_choices(truth, 2000, seed=1)
    >>> ts.dimensions.VICE(n_components=10, max_iter=3000).fit(answers).n_dimensions_
    3
    """

    name = "vice"
    title = "VICE"
    caution = (
        "The posterior treats weights as independent and dimensions as fixed, so it is too narrow. "
        "In simulations, its 95 % intervals contained 85 to 89 % of the weights above zero, and "
        "weights varied between samples of trials by 1.2 to 1.8 of its standard deviations."
    )

    n_components: Annotated[int, Number(
        1, 150, "Max. dimensions",
        "Initial number; dimensions that only a few objects have are dropped."
    )] = 100
    spike: Annotated[
        float,
        Number(0.001, 100.0, "Spike", "Prior s.d. of negligible weights.", advanced=True),
    ] = 0.25
    slab: Annotated[
        float, Number(0.001, 100.0, "Slab", "Prior s.d. of substantial weights.", advanced=True)
    ] = 1.0
    pi: Annotated[
        float,
        Number(0.0, 1.0, "Share of spike", "Prior share of negligible weights.",
               advanced=True),
    ] = 0.5
    min_objects: Annotated[int, Number(
        0, 1000, "Objects per dimension",
        "A dimension stays if more objects than this have a weight above zero.", advanced=True
    )] = 5
    max_iter: Annotated[int, Number(
        40, 1_000_000, "Steps",
        "Steps of the optimiser. Fewer are faster, and leave more dimensions.", advanced=True
    )] = 12_000
    seed: FitSeed = 0

    def _find(self, triplets: Triplets, trials: Choices, progress: Progress) -> None:
        if self.spike > self.slab:
            raise ValueError(
                f"spike of VICE is {self.spike:g}; it must not be above slab, {self.slab:g}."
            )
        placed = trials.placed
        if placed.sum() <= self.min_objects:
            raise DataError(
                f"there are trials about {placed.sum()} objects, but a dimension is kept only if "
                f"more than {self.min_objects} have a weight on it",
                remedy="Use more objects, or lower min_objects.",
            )
        result = approximate(
            trials, self.n_components, SpikeAndSlab(self.spike, self.slab, self.pi),
            self._relevant, steps=self.max_iter, seed=self.seed,
            report=lambda done, loss, mu: progress(done, loss=loss, snapshot=mu),
        )
        order = self._relevant(result.mu, result.sigma)
        self.location_ = np.ascontiguousarray(result.mu[:, order])
        self.embedding_ = np.maximum(self.location_, 0.0)
        self.embedding_sd_ = np.ascontiguousarray(result.sigma[:, order])
        self.losses_, self.counts_ = result.losses, result.counts
        self.stopped_ = result.stopped
        settled = result.counts[-(COUNTS // 4):]
        self.converged_ = not result.stopped and bool(np.ptp(settled) <= 1)

    def _relevant(self, mu: np.ndarray, sigma: np.ndarray) -> np.ndarray:
        """The dimensions that stay, the one with the largest sum first."""
        above = false_discovery_control(ndtr(-mu / sigma), axis=0) <= _LEVEL
        keep = np.flatnonzero(above.sum(axis=0) > self.min_objects)
        return keep[np.argsort(-np.maximum(mu[:, keep], 0.0).sum(axis=0), kind="stable")]

    def probabilities(self, rows: Any) -> np.ndarray:
        """`SparseDimensions.probabilities`, averaged over the posterior."""
        rows = three(rows)
        return np.mean([softmax(similarities_of(x, rows), axis=1) for x in self._draws()], axis=0)

    def _shares(self, trials: Choices) -> np.ndarray:
        return np.mean([shares(trials, products(x, trials.pairs)) for x in self._draws()], axis=0)

    def _draws(self) -> list[np.ndarray]:
        """Fixed draws of weights from the posterior."""
        self._require_fit()
        rng = np.random.default_rng(self.seed)
        return [
            np.maximum(
                self.location_ + self.embedding_sd_ * rng.standard_normal(self.location_.shape), 0.0
            )
            for _ in range(_DRAWS)
        ]
