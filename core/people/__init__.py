"""People as individuals: weights of a shared map, groups of people, conditions."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(__name__, submod_attrs={
    "comparing": ["PeopleComparison", "compare_people"],
    "conditions": ["ConditionComparison", "compare_conditions"],
    "mixture": ["LatentClassMap"],
    "weights": ["WeightedEuclidean"],
})
