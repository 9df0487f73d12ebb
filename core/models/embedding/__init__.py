"""Ordinal embeddings. Every module of this package that registers a method adds it here."""

from tripletscope.core.engine.registry import exports

__getattr__, __dir__, __all__ = exports(__name__)
