"""Several feature spaces as one method: the best weighted sum of their distances."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any, Self

import numpy as np

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Answers
from tripletscope.core.engine.declared import DataIdentity
from tripletscope.core.engine.method import Method, register
from tripletscope.core.engine.progress import Progress, silent
from tripletscope.core.features.models import choices_about, combine
from tripletscope.core.features.spaces import FeatureSpace, spaces_of


@register("spaces")
@dataclass(kw_only=True, eq=False, repr=False)
class FeatureModel(Method):
    """Feature spaces that are compared with answers; made by `FeatureModel.of`.

    The fitted method predicts answers by the sum of the spaces' dissimilarities with the weights,
    0 or more, of the highest likelihood.

    Attributes
    ----------
    spaces : list of FeatureSpace
    weights_ : ndarray, shape (s,)
        Of each space: log-odds for each unit of its dissimilarity, squared if Euclidean.
    n_objects_ : int
    stopped_ : bool

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.read("sample_data/ekman_colors/answers.csv")
    >>> objects = ts.features.read_objects("sample_data/ekman_colors/objects.csv")
    >>> wavelength = ts.features.FeatureSpace.of(objects, answers, name="wavelength")
    >>> fitted = ts.features.FeatureModel.of([wavelength]).fit(answers)
    >>> round(fitted.score(answers), 2)
    0.78
    """

    name = "feature_spaces"
    title = "Feature spaces"

    content: Annotated[
        list[str], DataIdentity("Feature spaces", "Name and hash of each table or its distances.")
    ]

    @classmethod
    def of(cls, spaces: FeatureSpace | Iterable[FeatureSpace]) -> Self:
        """The method that holds these spaces.

        Raises
        ------
        ValueError
            If there is none, or two have one name.
        """
        result = spaces_of(spaces)
        made = cls(content=[f"{space.name}: {space.fingerprint}" for space in result])
        made.spaces = result
        return made

    def __sklearn_clone__(self) -> FeatureModel:
        return FeatureModel.of(self.spaces)

    def spaces_about(self, n_objects: int) -> list[FeatureSpace]:
        """The spaces, each with a row for every object.

        Raises
        ------
        DataError
            If the method was made from a record, without the spaces, or they are of other objects.
        """
        if not hasattr(self, "spaces"):
            raise DataError(
                "the feature spaces themselves are not there", file=", ".join(self.content),
                remedy="Make the method by FeatureModel.of.",
            )
        for space in self.spaces:
            if space.n_objects != n_objects:
                raise DataError(
                    f"there are features of {space.n_objects:,} objects, and answers about "
                    f"{n_objects:,}", file=space.name,
                    remedy="Give one row per object, or use FeatureSpace.of.",
                )
        return self.spaces

    def fit(
        self, triplets: Answers, y: Any = None, *, sample_weight: Any = None,
        progress: Progress = silent,
    ) -> Self:
        """Find the weights of the spaces.

        Parameters
        ----------
        triplets : Triplets or Quadruples
        progress : ignored

        Raises
        ------
        DataError
            If no answer is about objects that have features in every space.
        """
        answers = self._to_learn(triplets, y, sample_weight)
        spaces = self.spaces_about(answers.n_objects)
        has_features = np.logical_and.reduce([space.known for space in spaces])
        choices = choices_about(answers, has_features)
        if not len(choices):
            raise DataError(
                "no answer is about objects that have features in every space", file=answers.name,
                remedy="Complete the tables, or use other ones.",
            )
        self.weights_ = combine(choices, np.column_stack(
            [space.apart(choices.distinct) for space in spaces]
        ))
        self.n_objects_, self.stopped_ = answers.n_objects, False
        return self

    def distances(self) -> np.ndarray:
        """(n, n) weighted sums of the dissimilarities; NaN where an object has no features.

        Where products make some of them negative, the lowest becomes 0.
        """
        self._require_fit()
        n = self.n_objects_
        i, j = np.triu_indices(n, 1)
        spaces = self.spaces_about(n)
        parts = [space.apart(np.column_stack([i, j])) for space in spaces]
        apart = np.column_stack(parts) @ self.weights_
        apart -= min(np.nanmin(apart), 0.0)
        result = np.zeros((n, n))
        result[i, j] = result[j, i] = apart
        return result
