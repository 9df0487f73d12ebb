"""Stochastic triplet embedding with heavy tails."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from tripletscope.core.engine.declared import Number
from tripletscope.core.engine.method import register
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding
from tripletscope.core.models.optimise.elementary import compiled, log_positive, softplus
from tripletscope.core.models.optimise.loss import Loss


@compiled
def _tste(near2, far2, weight, constants, by_near, by_far):
    alpha = constants[0]
    half = (alpha + 1.0) / 2.0
    total = 0.0
    if half == 1.0:  # in the plane the power is none, and needs no exponential: a third less time
        for t in range(near2.size):
            near = alpha + near2[t]
            far = alpha + far2[t]
            both = near + far
            total += weight[t] * log_positive(both / far)
            by_near[t] = weight[t] / both
            by_far[t] = -weight[t] * near / (both * far)
        return total
    for t in range(near2.size):
        near = alpha + near2[t]
        far = alpha + far2[t]
        value, slope = softplus(half * log_positive(near / far))
        total += weight[t] * value
        by_near[t] = weight[t] * slope * half / near
        by_far[t] = -weight[t] * slope * half / far
    return total


@compiled
def _similarity(squares, constants, similarity, slope):
    alpha = constants[0]
    half = (alpha + 1.0) / 2.0
    for e in range(squares.size):
        far = alpha + squares[e]
        similarity[e] = -half * log_positive(far / alpha)
        slope[e] = -half / far


@register("embedding")
@dataclass(kw_only=True, eq=False, repr=False)
class TSTE(OrdinalEmbedding):
    """t-distributed stochastic triplet embedding.

    Like STE, with the heavy-tailed similarity (1 + d^2 / alpha)^(-(alpha + 1) / 2): strongly
    violated answers cost little more than slightly violated ones. On answers without noise the map
    grows without limit unless `prior` bounds it. A choice among more pairs, such as an odd one out,
    is one choice, as in STE.

    References
    ----------
    van der Maaten, L., & Weinberger, K. (2012). Stochastic triplet embedding. IEEE International
    Workshop on Machine Learning for Signal Processing. Section 4.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.read("sample_data/ekman_colors/answers.csv")
    >>> ts.TSTE(n_components=3, alpha=5).fit(answers).embedding_.shape
    (14, 3)
    """

    name = "tste"
    title = "t-STE"
    is_likelihood = True
    fixes_scale = False

    alpha: Annotated[float | None, Number(
        0.1, 1000.0, "Degrees of freedom",
        "Degrees of freedom of the Student-t similarity. Small values have heavy tails and give "
        "tight, well-separated clusters; large values approach STE.", advanced=True,
        automatic="dimensions − 1, at least 1"
    )] = None

    def _loss(self) -> Loss:
        alpha = self.alpha if self.alpha is not None else max(self.n_components - 1, 1)
        return Loss(_tste, (float(alpha),), _similarity)
