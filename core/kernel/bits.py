"""Inner products of vectors of votes, 64 at a time.

The vectors that complete landmark designs give hold nothing but +v, -v and 0, with a v of their
own. Two bits say which: whether there is a vote, and its sign. Counting the bits in which two
vectors agree takes a fifth of the time of multiplying them.
"""

from __future__ import annotations

import numba
import numpy as np
from numba.core import types
from numba.extending import intrinsic

#: Objects whose products are counted at a time: their bits stay in the processor's cache.
_TILE = 1024

_compiled = numba.njit(nogil=True, cache=True, error_model="numpy")


@intrinsic
def _count_bits(context, word):
    def generate(context, builder, signature, arguments):
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


@_compiled
def _pack(features, votes, signs, scale):
    """Write the two bits of every entry, 64 to a word; False if an entry is none of three."""
    for i in range(features.shape[0]):
        for j in range(features.shape[1]):
            value = features[i, j]
            if value != 0.0:
                size = abs(value)
                if scale[i] == 0.0:
                    scale[i] = size
                elif scale[i] != size:
                    return False
                bit = np.uint64(1) << np.uint64(j & 63)
                votes[j >> 6, i] |= bit
                if value < 0.0:
                    signs[j >> 6, i] |= bit
    return True


@_compiled
def _agree(vote, sign, votes, signs, agree):
    # On slices, with no other index, the compiler counts eight words at a time.
    for j in range(votes.size):
        both = vote & votes[j]
        against = _count_bits(both & (sign ^ signs[j]))
        agree[j] += _count_bits(both) - (against << np.uint64(1))


@_compiled
def _scaled(agree, scale_of, scale, products):
    for j in range(agree.size):
        products[j] = np.int64(agree[j]) * scale_of * scale[j]


@_compiled
def _multiply(votes, signs, scale, products):
    n = votes.shape[1]
    buffer = np.empty(_TILE, dtype=np.uint64)  # sums below zero wrap round, and back at the end
    for start in range(0, n, _TILE):
        for i in range(start, n):
            stop = min(start + _TILE, i + 1)
            agree = buffer[: stop - start]
            agree[:] = 0
            for word in range(votes.shape[0]):
                _agree(
                    votes[word, i], signs[word, i],
                    votes[word, start:stop], signs[word, start:stop], agree,
                )
            _scaled(agree, scale[i], scale[start:stop], products[i, start:stop])


def products_of_votes(features: np.ndarray) -> np.ndarray | None:
    """Lower triangle of the (n, n) products of the rows of `features`, shape (n, m).

    Returns: The upper triangle is not filled. None if some row has entries of different sizes.
    """
    n, n_features = features.shape
    votes, signs = np.zeros((2, -(-n_features // 64), n), dtype=np.uint64)
    scale = np.zeros(n, dtype=features.dtype)
    if not _pack(features, votes, signs, scale):
        return None
    products = np.empty((n, n), dtype=features.dtype)
    _multiply(votes, signs, scale, products)
    return products
