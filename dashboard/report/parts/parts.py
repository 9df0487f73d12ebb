"""All parts of a report."""

from importlib import import_module

from tripletscope.dashboard.report.parts.part import PARTS
from tripletscope.dashboard.results.showing import TOLD_IN

#: Tasks whose results are told of.
TOLD = {task for tasks in TOLD_IN.values() for task, _ in tasks}

# What makes a part says so as soon as its module is loaded.
for _module in ("findings", "method", "results", "interpretable", "end"):
    import_module(f"{__package__}.{_module}")

__all__ = ["PARTS", "TOLD"]
