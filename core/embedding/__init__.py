"""Ordinal embeddings. Every module of this package that registers a method adds it here."""

from importlib import import_module
from pkgutil import iter_modules

from tripletscope.core.embedding.tste import TSTE
from tripletscope.core.method import methods

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")

#: What is fitted where no method is chosen: it predicts best for most data, above all few answers
#: (benchmarks/RESULTS.md, What to begin with).
DEFAULT_EMBEDDING = TSTE

for _kind in ("embedding", "matrix_embedding"):
    globals().update({method.__name__: method for method in methods(_kind).values()})
