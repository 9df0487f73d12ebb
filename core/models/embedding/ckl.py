"""Crowd kernel learning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from tripletscope.core.engine.declared import Number
from tripletscope.core.engine.method import register
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding
from tripletscope.core.models.optimise.elementary import compiled, log_positive
from tripletscope.core.models.optimise.loss import Loss


@compiled
def _ckl(near2, far2, weight, constants, by_near, by_far):
    mu = constants[0]
    total = 0.0
    for t in range(near2.size):
        far = far2[t] + mu
        both = near2[t] + far + mu
        total += weight[t] * log_positive(both / far)
        by_near[t] = weight[t] / both
        by_far[t] = weight[t] * (1.0 / both - 1.0 / far)
    return total


@compiled
def _similarity(squares, constants, similarity, slope):
    for e in range(squares.size):
        far = squares[e] + constants[0]
        similarity[e] = -log_positive(far)
        slope[e] = -1.0 / far


@register("embedding")
@dataclass(kw_only=True, eq=False, repr=False)
class CKL(OrdinalEmbedding):
    """Crowd kernel learning, over positions.

    Maximises the likelihood of the answers when "near" is chosen with probability
    (d_far^2 + mu) / (d_near^2 + d_far^2 + 2 mu). On answers without noise the loss falls as the
    map grows, until mu no longer matters; only `prior` bounds the map. A choice among more pairs,
    such as an odd one out, is one choice, as in STE: in proportion to 1 / (d^2 + mu).

    References
    ----------
    Tamuz, O., Liu, C., Belongie, S., Shamir, O., & Kalai, A. T. (2011). Adaptively learning the
    crowd kernel. International Conference on Machine Learning. Section 3.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.read("sample_data/ekman_colors/answers.csv")
    >>> ts.CKL(n_components=3).fit(answers).embedding_.shape
    (14, 3)
    """

    name = "ckl"
    title = "CKL"
    is_likelihood = True
    fixes_scale = False

    mu: Annotated[float, Number(
        1e-6, 1000.0, "Smoothing μ", "Squared distances well below this are treated as equal.",
        advanced=True
    )] = 0.1

    def _loss(self) -> Loss:
        return Loss(_ckl, (float(self.mu),), _similarity)
