"""Clustering. Every module of this package that registers a method adds it here."""

from importlib import import_module
from pkgutil import iter_modules

import tripletscope.core.kernel  # registers what is clustered
from tripletscope.core.method import methods

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")

globals().update({method.__name__: method for method in methods("cluster").values()})
