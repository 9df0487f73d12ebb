"""All parts of a report."""

from importlib import import_module
from itertools import chain

from tripletscope.dashboard.report.parts.part import PARTS
from tripletscope.dashboard.results.showing import TOLD_IN

#: Tasks whose results are told of, beside fits: those that a part says more of than their
#: presentation does, and those that say where they are told.
TOLD = (
    "bootstrap", "posterior", "laplace", "cross_validate", "split_error", "reliability",
    "calibrate", "abstention", "compare_active", "uncertainty_by_dimension", "stability",
    "count_clusters", "errors_by_group",
    "compare_people", "compare_conditions", "with_lapses", "dimension_reproducibility",
    "penalty_curve", *chain.from_iterable(TOLD_IN.values()),
)

# What makes a part says so as soon as its module is loaded.
for _module in ("method", "results", "interpretable", "features", "end"):
    import_module(f"{__package__}.{_module}")

__all__ = ["PARTS", "TOLD"]
