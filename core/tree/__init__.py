"""Comparison trees and forests: neighbours, classes and responses from comparisons alone."""

from core.tree.forest import (
    ComparisonForest,
    ComparisonForestClassifier,
    ComparisonForestRegressor,
)
from core.tree.tree import ComparisonTree

__all__ = [
    "ComparisonForest",
    "ComparisonForestClassifier",
    "ComparisonForestRegressor",
    "ComparisonTree",
]
