"""Which answers were taken from which, so that a score can see that trials were divided."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tripletscope.core.data.errors import warn

#: At most this share of the answers to predict is of no weight: folds of neighbouring rows divide
#: the trials at their ends.
_NEGLIGIBLE = 0.01


@dataclass(frozen=True, eq=False)
class AnswersPart:
    """Some of the answers of a data set whose trials have several.

    trials (T,): Trial of each answer of the whole. Parts of the same data set have the same array,
        not an equal one.
    positions (t,): Of the part.
    """

    trials: np.ndarray
    positions: np.ndarray

    def take(self, which: np.ndarray) -> AnswersPart:
        """The part of a part."""
        return AnswersPart(self.trials, self.positions[which])

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies know of no whole: its trials would go with each of them."""
        return (type(None), ())

    def divided_share(self, other: AnswersPart) -> float:
        """Share of the other part's answers whose trials have further answers in this one.

        0 if the parts overlap, so that nobody takes one as held out from the other.
        """
        if other.trials is not self.trials or not len(other.positions):
            return 0.0
        here = np.zeros(len(self.trials), dtype=bool)
        here[self.positions] = True
        if here[other.positions].any():
            return 0.0
        known = np.zeros(int(self.trials.max()) + 1, dtype=bool)
        known[self.trials[self.positions]] = True
        return float(np.mean(known[self.trials[other.positions]]))


def warn_of_divided_trials(learned: AnswersPart | None, predicted: AnswersPart | None) -> None:
    """Warn if predictions are of trials that were learned from in part."""
    if learned is None or predicted is None:
        return
    share = learned.divided_share(predicted)
    if share > _NEGLIGIBLE:
        warn(
            f"{share:.0%} of these answers are of trials whose other answers were learned from, so "
            "the score is too good. Hold out whole trials: cv=GroupKFold(5) with "
            "groups=answers.groups in scikit-learn, or tripletscope.cross_validate."
        )
