"""Kernels on objects. Every module of this package that registers a method adds it here."""

from importlib import import_module
from pkgutil import iter_modules

import tripletscope.core.embedding  # registers the maps that a Gaussian kernel is put on
from tripletscope.core.method import methods

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")

for _kind in ("kernel", "graph_kernel"):
    globals().update({method.__name__: method for method in methods(_kind).values()})
