"""Ordinal embeddings. Every module of this package that registers a method adds it here."""

from tripletscope.core.embedding.tste import TSTE
from tripletscope.core.registry import exports

#: What is fitted where no method is chosen: it predicts best for most data, above all few answers
#: (benchmarks/RESULTS.md, What to begin with).
DEFAULT_EMBEDDING = TSTE

__getattr__, __dir__, __all__ = exports(__name__)
