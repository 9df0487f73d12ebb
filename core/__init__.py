"""Comparison-based learning: ordinal embeddings and their uncertainty, from triplets alone."""

#: Part of every run's key: raise it when the same settings give other results than before.
__version__ = "0.2.0"
