"""Comparison trees and forests: neighbours, classes and responses from comparisons alone."""

from core.tree.forest import (
    ComparisonForest,
    ComparisonForestClassifier,
    ComparisonForestRegressor,
)
from core.tree.projection import KDTree, PATree, RPTree
from core.tree.proximity import ForestProximity
from core.tree.rank_cover import RankCoverTree
from core.tree.tree import ComparisonTree

__all__ = [
    "ComparisonForest",
    "ComparisonForestClassifier",
    "ComparisonForestRegressor",
    "ComparisonTree",
    "ForestProximity",
    "KDTree",
    "PATree",
    "RPTree",
    "RankCoverTree",
]
