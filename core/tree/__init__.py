"""Comparison trees and forests: neighbours, classes and responses from comparisons alone."""

from tripletscope.core.tree.forest import ComparisonForest
from tripletscope.core.tree.projection import KDTree, PATree, RPTree
from tripletscope.core.tree.proximity import ForestProximity
from tripletscope.core.tree.rank_cover import RankCoverTree
from tripletscope.core.tree.supervised import (
    ComparisonForestClassifier,
    ComparisonForestRegressor,
)
from tripletscope.core.tree.tree import ComparisonTree
