"""The parts of a report, in the order of a paper.

A part is a function of `Material` that yields blocks; `part` declares it. It yields nothing where
there is nothing to say.
"""

from importlib import import_module

from tripletscope.dashboard.report.parts.part import CHAPTERS, PARTS, TOLD, Part

# What makes a part says so as soon as its module is loaded.
for _module in ("method", "results", "interpretable", "features", "end"):
    import_module(f"{__name__}.{_module}")

__all__ = ["CHAPTERS", "PARTS", "TOLD", "Part"]
