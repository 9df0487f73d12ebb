"""Ratings, confusions, piles and arrangements: dissimilarities with their uncertainty.

Each kind of data knows its dissimilarities, what they would have been with other raters, and the
comparisons that each rater has made.
"""

from tripletscope.core.ratings.arrangements import Arrangements
from tripletscope.core.ratings.confusions import Confusions
from tripletscope.core.ratings.measured import KINDS, Dissimilarities, Measured, measured
from tripletscope.core.ratings.piles import Piles
from tripletscope.core.ratings.pooling import pool
from tripletscope.core.ratings.preferences import PreferenceScale, paired_preferences
from tripletscope.core.ratings.ratings import Ratings
