"""Stochastic triplet embedding."""

from __future__ import annotations

from dataclasses import dataclass

from tripletscope.core.engine.method import register
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding
from tripletscope.core.models.optimise.elementary import compiled, softplus
from tripletscope.core.models.optimise.loss import Loss


@compiled
def _ste(near2, far2, weight, constants, by_near, by_far):
    total = 0.0
    for t in range(near2.size):
        value, slope = softplus(near2[t] - far2[t])
        total += weight[t] * value
        by_near[t] = weight[t] * slope
        by_far[t] = -weight[t] * slope
    return total


@compiled
def _similarity(squares, constants, similarity, slope):
    for e in range(squares.size):
        similarity[e] = -squares[e]
        slope[e] = -1.0


@register("embedding")
@dataclass(kw_only=True, eq=False, repr=False)
class STE(OrdinalEmbedding):
    """Stochastic triplet embedding.

    Maximises the likelihood of the answers, where "near" is chosen with probability
    exp(-d_near^2) / (exp(-d_near^2) + exp(-d_far^2)). The noisier the answers, the smaller the
    map. A choice among more pairs, such as an odd one out, is one choice of the same kind; several
    chosen or ranked pairs are such choices one after the other.

    References
    ----------
    van der Maaten, L., & Weinberger, K. (2012). Stochastic triplet embedding. IEEE International
    Workshop on Machine Learning for Signal Processing. Section 3.
    Plackett, R. L. (1975). The analysis of permutations. Applied Statistics, 24, 193-202.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.read("sample_data/ekman_colors/answers.csv")
    >>> fitted = ts.STE(n_components=2).fit(answers)
    >>> fitted.embedding_.shape
    (14, 2)
    >>> fitted.triplet_error_ < 0.1
    True
    """

    name = "ste"
    title = "STE"
    is_likelihood = True

    def _loss(self) -> Loss:
        return Loss(_ste, similarity=_similarity)
