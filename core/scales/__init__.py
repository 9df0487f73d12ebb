"""Perceptual scales: difference scaling and scales from maps."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(__name__, submod_attrs={
    "conjoint": ["ConjointComparisons", "ConjointScales", "conjoint_scales"],
    "diagnostics": ["ScaleDiagnostics", "diagnose"],
    "mlcm": ["MLCM"],
    "mlds": ["MLDS"],
    "map_scales": [
        "GroupScales", "OrdinalScale", "normalised", "ordinal_scale", "scale_error", "scales_by",
    ],
    "scale_comparison": ["ScaleComparison", "compare_scales"],
    "scale_samples": ["ScaleSamples", "bootstrap_scale"],
    "scale_trials": ["as_trials", "recorded"],
})
