"""Ordinal embeddings. Every module of this package that registers a method adds it here."""

from tripletscope.core.engine.registry import exports
from tripletscope.core.models.embedding.tste import TSTE

#: What is fitted where no method is chosen: it predicts best for most data, above all few answers
#: (benchmarks/RESULTS.md, What to begin with).
DEFAULT_EMBEDDING = TSTE

__getattr__, __dir__, __all__ = exports(__name__)
