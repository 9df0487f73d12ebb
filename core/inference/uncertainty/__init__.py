"""How sure a map is: of its positions, its distances, its answers, its dimensions."""

from tripletscope.core.inference.uncertainty.calibration import Calibration, calibrate
from tripletscope.core.inference.uncertainty.comparisons import Comparisons
from tripletscope.core.inference.uncertainty.heterogeneity import Heterogeneity, heterogeneity
from tripletscope.core.inference.uncertainty.posterior import (
    DistanceSamples,
    laplace,
    sample_distances,
    sample_posterior,
)
from tripletscope.core.inference.uncertainty.prediction import (
    Abstention,
    DimensionCurve,
    abstention,
    predicted,
    uncertainty_by_dimension,
)
from tripletscope.core.inference.uncertainty.reliability import (
    Reliability,
    margin_reliability,
    reliability,
)
from tripletscope.core.inference.uncertainty.resampling import bootstrap
from tripletscope.core.inference.uncertainty.response import ResponseModel
from tripletscope.core.inference.uncertainty.samples import Samples
from tripletscope.core.inference.uncertainty.weakness import (
    answers_against,
    undecided_comparisons,
    undecided_pairs,
)
