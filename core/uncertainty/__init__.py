"""How sure a map is: of its positions, its distances, its answers, its dimensions."""

from tripletscope.core.uncertainty.calibration import Calibration, calibrate
from tripletscope.core.uncertainty.comparisons import Comparisons
from tripletscope.core.uncertainty.heterogeneity import Heterogeneity, heterogeneity
from tripletscope.core.uncertainty.posterior import (
    DistanceSamples,
    laplace,
    sample_distances,
    sample_posterior,
)
from tripletscope.core.uncertainty.prediction import (
    Abstention,
    DimensionCurve,
    abstention,
    predicted,
    uncertainty_by_dimension,
)
from tripletscope.core.uncertainty.reliability import (
    Reliability,
    margin_reliability,
    reliability,
)
from tripletscope.core.uncertainty.resampling import bootstrap
from tripletscope.core.uncertainty.response import ResponseModel
from tripletscope.core.uncertainty.samples import Samples
from tripletscope.core.uncertainty.weakness import (
    answers_against,
    undecided_comparisons,
    undecided_pairs,
)
