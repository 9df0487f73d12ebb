"""Generalised non-metric multidimensional scaling."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from tripletscope.core.declared import Switch
from tripletscope.core.embedding.ordinal import OrdinalEmbedding
from tripletscope.core.method import register
from tripletscope.core.optimise.elementary import compiled
from tripletscope.core.optimise.loss import Loss

#: Width over which the corner of the hinge is rounded.
ROUNDING = 0.5


@compiled
def _gnmds(near2, far2, weight, constants, by_near, by_far):
    width = constants[0]
    total = 0.0
    for t in range(near2.size):
        short = max(1.0 + near2[t] - far2[t], 0.0)
        round_part = min(short, width)
        total += weight[t] * (round_part * round_part / (2.0 * width) + short - round_part)
        slope = weight[t] * round_part / width
        by_near[t] = slope
        by_far[t] = -slope
    return total


@compiled
def _hinge(near2, far2, weight, constants, by_near, by_far):
    total = 0.0
    for t in range(near2.size):
        short = max(1.0 + near2[t] - far2[t], 0.0)
        total += weight[t] * short
        slope = weight[t] if short > 0.0 else 0.0
        by_near[t] = slope
        by_far[t] = -slope
    return total


@register("embedding")
@dataclass(kw_only=True, eq=False, repr=False)
class GNMDS(OrdinalEmbedding):
    """Generalised non-metric multidimensional scaling, over positions.

    Requires d_far^2 to exceed d_near^2 by a margin of 1, with the hinge loss
    max(0, 1 + d_near^2 - d_far^2); unless `rounded` is off, its corner is rounded over a width of
    0.5, so that the loss has a gradient everywhere. The paper's lambda is half of `prior`. The two
    answers of an odd one out count as two.

    References
    ----------
    Agarwal, S., Wills, J., Cayton, L., Lanckriet, G., Kriegman, D., & Belongie, S. (2007).
    Generalized non-metric multidimensional scaling. International Conference on Artificial
    Intelligence and Statistics. Section 3.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.read("sample_data/ekman_colors/answers.csv")
    >>> fitted = ts.GNMDS(n_components=2).fit(answers)
    >>> fitted.embedding_.shape, fitted.triplet_error_ < 0.1
    ((14, 2), True)
    """

    name = "gnmds"
    title = "GNMDS"

    rounded: Annotated[
        bool,
        Switch(
            "Rounded hinge",
            "Rounds off the corner of the loss, which fits need to come near to its minimum. "
            "Published programs keep the corner.",
            advanced=True, later=True,
        ),
    ] = True

    def _loss(self) -> Loss:
        return Loss(_gnmds, (ROUNDING,)) if self.rounded else Loss(_hinge)
