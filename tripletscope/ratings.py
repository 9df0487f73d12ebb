"""Ratings, confusions, piles and arrangements: dissimilarities with their uncertainty."""

from ._names import public_names

__getattr__, __dir__, __all__ = public_names(__name__, __file__)
