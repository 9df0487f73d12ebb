"""Ratings, confusions, piles and arrangements: dissimilarities with their uncertainty."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(__name__, submod_attrs={
    "arrangements": ["Arrangements"],
    "confusions": ["Confusions"],
    "kinds": ["KINDS"],
    "dissimilarities": ["RatedDissimilarities"],
    "piles": ["Piles"],
    "pooling": ["pool_ratings"],
    "ratings": ["Ratings"],
})
