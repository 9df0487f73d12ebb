"""Kernels on objects. Every module of this package that registers a method adds it here."""

from importlib import import_module
from pkgutil import iter_modules

import tripletscope.core.embedding
from tripletscope.core.method import methods

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")

_methods = [*methods("kernel").values(), *methods("graph_kernel").values()]
globals().update({method.__name__: method for method in _methods})
__all__ = [method.__name__ for method in _methods]
