"""A mixture of two normal distributions around zero, and how far a normal one is from it."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from tripletscope.core.optimise.elementary import compiled

#: Places and weights at which expectations over a normal distribution are taken.
_PLACES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(10)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()


class SpikeAndSlab(NamedTuple):
    """Density ``pi N(0, spike^2) + (1 - pi) N(0, slab^2)`` of every weight.

    spike, slab: Standard deviations.
    pi: Share of the spike.
    """

    spike: float
    slab: float
    pi: float

    def divergence(self, mu: np.ndarray, log_sigma: np.ndarray) -> float:
        """Sum of the Kullback-Leibler divergences of normal distributions from this one.

        mu, log_sigma float32 (n, d): Means and logarithms of the standard deviations.
        """
        return _divergence(
            mu, log_sigma, self.spike, self.slab, self.pi, _PLACES, _WEIGHTS
        )


@compiled
def _divergence(mu, log_sigma, spike, slab, pi, places, weights):
    narrow, wide = 1.0 / (spike * spike), 1.0 / (slab * slab)
    high, low = pi / spike, (1.0 - pi) / slab
    total = 0.0
    for i in range(mu.shape[0]):
        for j in range(mu.shape[1]):
            sigma = math.exp(log_sigma[i, j])
            total -= log_sigma[i, j] + 0.5
            for k in range(places.size):
                x = mu[i, j] + sigma * places[k]
                square = 0.5 * x * x
                density = high * math.exp(-square * narrow) + low * math.exp(-square * wide)
                total -= weights[k] * math.log(max(density, 1e-300))
    return total
