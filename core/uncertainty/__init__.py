"""How sure a map is: of its positions, its distances, its answers, its dimensions."""

from core.uncertainty.calibration import Calibration, calibrate
from core.uncertainty.comparisons import Comparisons
from core.uncertainty.posterior import (
    DistanceSamples,
    laplace,
    sample_distances,
    sample_posterior,
)
from core.uncertainty.prediction import (
    Abstention,
    DimensionCurve,
    abstention,
    predicted,
    uncertainty_by_dimension,
)
from core.uncertainty.resampling import bootstrap
from core.uncertainty.samples import Samples
from core.uncertainty.weakness import answers_against, undecided_comparisons, undecided_pairs

__all__ = [
    "Abstention", "Calibration", "Comparisons", "DimensionCurve", "DistanceSamples", "Samples",
    "abstention", "answers_against", "bootstrap", "calibrate", "laplace", "predicted",
    "sample_distances", "sample_posterior", "uncertainty_by_dimension", "undecided_comparisons",
    "undecided_pairs",
]
