"""People as individuals: weights of a shared map, groups of people, conditions."""

from tripletscope.core.people.comparing import PeopleComparison, compare_people
from tripletscope.core.people.conditions import ConditionComparison, compare_conditions
from tripletscope.core.people.mixture import LatentClassMap
from tripletscope.core.people.weights import WeightedEuclidean

__all__ = [
    "ConditionComparison", "LatentClassMap", "PeopleComparison", "WeightedEuclidean",
    "compare_conditions", "compare_people",
]
