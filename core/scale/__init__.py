"""Perceptual scales: difference scaling and scales from maps."""

from tripletscope.core.scale.diagnostics import ScaleDiagnostics, diagnose
from tripletscope.core.scale.mlds import MLDS
from tripletscope.core.scale.ordinal import (
    GroupScales,
    OrdinalScale,
    normalised,
    ordinal_scale,
    scale_error,
    scales_by,
)
from tripletscope.core.scale.resampling import ScaleSamples, bootstrap_scale
from tripletscope.core.scale.trials import Recorded, ScaleTrials, as_trials, recorded
