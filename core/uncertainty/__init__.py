"""How sure a map is: of its positions, its distances, its answers, its dimensions."""

from core.uncertainty.posterior import laplace, sample_distances, sample_posterior
from core.uncertainty.resampling import bootstrap
from core.uncertainty.samples import Samples

__all__ = ["Samples", "bootstrap", "laplace", "sample_distances", "sample_posterior"]
