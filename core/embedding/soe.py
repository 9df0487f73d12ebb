"""Soft ordinal embedding."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

from tripletscope.core.declared import Number
from tripletscope.core.embedding.ordinal import OrdinalEmbedding, Prior
from tripletscope.core.method import register
from tripletscope.core.optimise.elementary import compiled
from tripletscope.core.optimise.loss import Loss

#: Added to squared distances, because a distance has no derivative where it is 0.
_ROUNDING = 1e-12


@compiled
def _soe(near2, far2, weight, constants, by_near, by_far):
    margin = constants[0]
    total = 0.0
    for t in range(near2.size):
        near, far = math.sqrt(near2[t] + _ROUNDING), math.sqrt(far2[t] + _ROUNDING)
        short = max(near + margin - far, 0.0)
        total += weight[t] * short * short
        by_near[t] = weight[t] * short / near
        by_far[t] = -weight[t] * short / far
    return total


@register("embedding")
@dataclass(kw_only=True, eq=False, repr=False)
class SOE(OrdinalEmbedding):
    """Soft ordinal embedding.

    Requires the distance to far to exceed the distance to near by a margin, with the loss
    max(0, d_near + margin - d_far)^2. The map grows in proportion to the margin, and shrinks
    where answers contradict each other. The two answers of an odd one out count as two.

    References
    ----------
    Terada, Y., & von Luxburg, U. (2014). Local ordinal embedding. International Conference on
    Machine Learning. Section 3.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.read("sample_data/ekman_colors/answers.csv")
    >>> fitted = ts.SOE().fit(answers)
    >>> fitted.predict([[0, 1, 9]])  # 434 nm, 445 nm and 600 nm
    array([ True])
    """

    name = "soe"
    title = "SOE"

    margin: Annotated[float, Number(
        1e-3, 1000.0, "Margin",
        "By how much the two distances in an answer should differ. It sets the size of the "
        "map.", advanced=True
    )] = 1.0
    prior: Prior = 0.01

    def _loss(self) -> Loss:
        return Loss(_soe, (float(self.margin),))
