"""Uncertainty of ordinal embeddings: Lohaus, Hennig & von Luxburg (2019)."""
