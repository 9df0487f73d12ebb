"""People as individuals: weights of a shared map, groups of people, conditions."""

from tripletscope.core.individuals.comparing import PeopleComparison, compare_people
from tripletscope.core.individuals.conditions import ConditionComparison, compare_conditions
from tripletscope.core.individuals.mixture import LatentClassMap
from tripletscope.core.individuals.weights import WeightedEuclidean

__all__ = [
    "ConditionComparison", "LatentClassMap", "PeopleComparison", "WeightedEuclidean",
    "compare_conditions", "compare_people",
]
