"""Uncertainty of a map: of positions, distances, answers and dimensions."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(__name__, submod_attrs={
    "calibration": ["Calibration", "calibrate"],
    "comparisons": ["Comparisons"],
    "posterior": ["laplace", "sample_posterior"],
    "abstention": ["Abstention", "abstention", "predicted", "uncertainty_by_dimension"],
    "reliability": ["Reliability", "margin_reliability"],
    "resampling": ["bootstrap"],
    "response": ["ResponseModel"],
    "samples": ["Samples"],
    "weakness": ["answers_against", "undecided_comparisons", "undecided_pairs"],
})
