"""Comparison-based learning: ordinal embeddings and their uncertainty, from triplets alone."""
