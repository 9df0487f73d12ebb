"""A map of objects by their measured features, without answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Self

import numpy as np
import pandas as pd

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.named import column_of
from tripletscope.core.data.triplets import Answers
from tripletscope.core.engine.declared import Column, Switch
from tripletscope.core.engine.method import register
from tripletscope.core.engine.progress import Progress, silent
from tripletscope.core.models.embedding.ordinal import Embedding


@register("features")
@dataclass(kw_only=True, eq=False, repr=False)
class ColumnMap(Embedding):
    """Places objects by columns of numbers; distances are Euclidean.

    Trees, searches and forests that compare objects by features use it instead of a map.

    Attributes
    ----------
    embedding_ : ndarray, shape (n, d)
        The columns, centred if they are standardised; 0 for objects that lack a number.
    placed_ : ndarray of bool, shape (n,)
        False for objects that lack a number.
    n_objects_ : int
    stopped_ : bool

    Examples
    --------
    >>> import numpy as np, pandas as pd, tripletscope as ts
    >>> objects = pd.DataFrame({"id": ["a", "b", "c"], "width": [1.0, 2.0, 4.0]})
    >>> answers = ts.Triplets([[0, 1, 2]], objects)
    >>> ts.features.ColumnMap(columns=["width"], standardise=False).fit(answers).distances()[0]
    array([0., 1., 3.])
    """

    name = "features"
    title = "Features"

    columns: Annotated[list[str], Column(
        "Features", "Columns of numbers for comparing objects. Leave out the column to be "
        "predicted.", several=True
    )]
    standardise: Annotated[bool, Switch(
        "Standardise", "Each feature gets a standard deviation of 1; otherwise features with large "
        "numbers dominate."
    )] = True

    def fit(
        self, triplets: Answers, y: Any = None, *, sample_weight: Any = None,
        progress: Progress = silent,
    ) -> Self:
        """Take the features of the objects; answers do not matter.

        Parameters
        ----------
        triplets : Triplets or Quadruples
        y : None
            The answers say who chose what; further responses are refused.
        sample_weight : array-like of float, shape (T,), optional
            It does not matter.
        progress : ignored

        Raises
        ------
        DataError
            If a column is missing or not numeric, or fewer than two objects have all numbers.
        """
        data = self._to_learn(triplets, y, sample_weight)
        values = np.column_stack([_numbers(data, column) for column in self.columns])
        self.placed_ = np.isfinite(values).all(axis=1)
        if self.placed_.sum() < 2:
            raise DataError(
                "fewer than two objects have a number in each of the features", file=data.name,
                remedy="Choose fewer features, or complete the table of objects.",
            )
        if self.standardise:
            complete = values[self.placed_]
            spread = complete.std(axis=0)
            values = (values - complete.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
        self.n_objects_, self.stopped_ = data.n_objects, False
        self.embedding_ = np.where(self.placed_[:, None], values, 0.0)
        return self


def _numbers(data: Answers, name: str) -> np.ndarray:
    column = column_of(data.objects, name, data.name)
    if not is_feature(column):
        raise DataError(
            f"the column {name!r} does not hold numbers", file=data.name,
            remedy="Choose columns of numbers.",
        )
    return column.to_numpy(dtype=float, na_value=np.nan)


def is_feature(column: pd.Series) -> bool:
    """Whether a column holds numbers, by which objects can be compared."""
    return pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)
