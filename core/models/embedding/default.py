"""The method that is fitted where none is chosen."""

from tripletscope.core.models.embedding.tste import TSTE

#: It predicts most data best, above all few answers (benchmarks/RESULTS.md, What to begin with).
DEFAULT_EMBEDDING = TSTE
