"""Ratings, confusions, piles and arrangements: dissimilarities with their uncertainty.

Each kind of data knows its dissimilarities, what they would have been with other raters, and the
comparisons that each rater has made.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(__name__, submod_attrs={
    "arrangements": ["Arrangements"],
    "confusions": ["Confusions"],
    "kinds": ["KINDS"],
    "measured": ["Dissimilarities", "Measured"],
    "piles": ["Piles"],
    "pooling": ["pool_ratings"],
    "preferences": ["PreferenceScale", "paired_preferences"],
    "ratings": ["Ratings"],
})
