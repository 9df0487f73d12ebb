"""Comparison trees and forests: neighbours, classes and responses from comparisons alone."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(__name__, submod_attrs={
    "forest": ["ComparisonForest"],
    "proximity": ["ForestProximity"],
    "supervised": ["ComparisonForestClassifier", "ComparisonForestRegressor"],
    "tree": ["ComparisonTree"],
})
