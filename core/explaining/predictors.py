"""What is taken together as one predictor: a whole feature space, or each of its columns."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from tripletscope.core.declared import Choice
from tripletscope.core.explaining.spaces import FeatureSpace

TOGETHER = {
    "auto": "Feature spaces, if several", "spaces": "Feature spaces", "features": "Features"
}
#: Features that are weighed one by one if nothing else is asked for.
MOST_FEATURES = 20

Together = Annotated[
    str,
    Choice(
        TOGETHER, "Predictors", "What is taken together as one: a whole feature space, or each "
        "feature.",
    ),
]


class Predictor(NamedTuple):
    """A feature space, or one of its columns."""

    name: str
    space: FeatureSpace
    column: int | None = None

    def apart(self, pairs: np.ndarray) -> np.ndarray:
        """(u,) dissimilarities of pairs (u, 2); squared if Euclidean."""
        if self.column is None:
            return self.space.apart(pairs)
        return self.space.parts(pairs)[:, self.column]


def predictors_of(tables: list[FeatureSpace], together: str, *, most: int) -> list[Predictor]:
    """The predictors among feature spaces.

    together {"auto", "spaces", "features"}: ``auto``: spaces if there are several; of one its
        features.
    most: Features of one space that are taken one by one if nothing else is asked for.
    """
    whole = [Predictor(space.name, space) for space in tables]
    each = []
    for space in tables:
        columns = [None] if space.values is None else range(space.n_features)
        each += [
            Predictor(name, space, column)
            for name, column in zip(space.names, columns, strict=True)
        ]
    if together == "auto":
        return each if len(tables) == 1 and len(each) <= most else whole
    return each if together == "features" else whole
