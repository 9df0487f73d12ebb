"""Features of objects, as tables or distances, to be compared with answers.

A predictor is a whole feature space, or one of its columns.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, NamedTuple, Self

import numpy as np
import pandas as pd
from scipy.spatial.distance import cdist

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.lazy import cached_property
from tripletscope.core.data.triplets import Answers
from tripletscope.core.engine.declared import Choice
from tripletscope.core.engine.short_repr import short_repr

#: How rows of a table are compared.
METRICS = {
    "euclidean": "Euclidean", "cosine": "Cosine", "correlation": "Correlation",
    "cityblock": "City block", "product": "Inner product",
}
TOGETHER = {"auto": "Spaces, if several", "spaces": "Feature spaces", "features": "Features"}
#: Most features that are weighted one by one by default.
MOST_FEATURES = 20
#: Numbers subtracted at a time.
_BLOCK = 10_000_000

Together = Annotated[str, Choice(
    TOGETHER, "Predictors", "Unit that counts as one predictor: a whole feature space, or each "
    "feature."
)]


@short_repr
@dataclass(frozen=True, eq=False, kw_only=True)
class FeatureSpace:
    """Features of n objects, or distances between them.

    Parameters
    ----------
    name : str
        Such as a layer of a network, or a questionnaire.
    values : array-like of float, shape (n, m), optional
        One row per object, in the order of the answers; rows with NaN are of objects without
        features. Single precision is kept; read-only arrays of it are not copied.
    distances : array-like of float, shape (n, n), optional
        Instead of `values`; rows of NaN are of objects without distances.
    feature_names : sequence of str, optional
        Of the m columns.
    metric : {"euclidean", "cosine", "correlation", "cityblock", "product"}
        Of the rows of `values`. "product" is the inner product with its sign changed: similar are
        objects that have much of the same features, as in models of odd-one-out choices.
    standardise : bool
        Whether each column gets a standard deviation of 1 first; else large numbers dominate.
        Columns in one unit, such as a network's, are usually left unchanged.

    Attributes
    ----------
    known : ndarray of bool, shape (n,)
        Objects that have features.

    Raises
    ------
    DataError
        If the numbers are no table of features or no distances, or fewer than three objects have
        any.
    ValueError
        If not exactly one of `values` and `distances` is given, or the metric is unknown.

    Examples
    --------
    >>> import tripletscope as ts
    >>> space = ts.features.FeatureSpace(name="size", values=[[1.0], [2.0], [4.0]])
    >>> space.dissimilarities()[0]
    array([0., 1., 3.])
    """

    name: str
    values: Any = None
    distances: Any = None
    feature_names: Sequence[str] | None = None
    metric: str = "euclidean"
    standardise: bool = False
    known: np.ndarray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if (self.values is None) == (self.distances is None):
            raise ValueError(f"{self.name!r} needs either values or distances, and not both.")
        if self.metric not in METRICS:
            raise ValueError(f"metric is {self.metric!r}; it must be one of {', '.join(METRICS)}.")
        table = _numbers(self.name, self.values if self.distances is None else self.distances)
        fill = object.__setattr__  # a frozen dataclass sets its own fields so
        if self.distances is None:
            has_features = np.isfinite(table).all(axis=1)
            fill(self, "values", table)
            fill(self, "feature_names", _checked_names(self.name, self.feature_names, table))
        else:
            table, has_features = _checked_distances(self.name, table)
            fill(self, "distances", table)
            fill(self, "feature_names", None)
        if has_features.sum() < 3:
            raise DataError(
                "fewer than three objects have features", file=self.name,
                remedy="Name objects as the answers do, and leave no cell empty.",
            )
        table.setflags(write=False)
        fill(self, "known", has_features)

    @classmethod
    def of(
        cls, table: Any, objects: Answers | pd.DataFrame, *, name: str = "features",
        **settings: Any,
    ) -> Self:
        """A space of a table, its rows brought into the order of the objects.

        Parameters
        ----------
        table : DataFrame or array-like
            One row per object, named by the column ``id`` or the index of a data frame; else in the
            order of the objects. Columns without numbers are left out.
        objects : Triplets, Quadruples or DataFrame
            The answers, or their table of objects.
        name : str
        **settings
            Other parameters of a `FeatureSpace`.

        Raises
        ------
        DataError
            If rows belong to no objects, or there are too many or too few without names.

        Examples
        --------
        >>> import pandas as pd, tripletscope as ts
        >>> answers = ts.Triplets.from_array([[0, 1, 2]], ids=["cup", "mug", "fork"])
        >>> table = pd.DataFrame({"id": ["fork", "cup", "mug"], "size": [3.0, 1.0, 2.0]})
        >>> ts.features.FeatureSpace.of(table, answers).values.ravel()
        array([1., 2., 3.])
        """
        about = objects.objects if isinstance(objects, Answers) else objects
        ids = about["id"].astype("str")
        if isinstance(table, pd.DataFrame):
            named = table.set_index("id") if "id" in table else table
            columns = named.select_dtypes("number")
            index = named.index.astype("str")
            known = {*ids, *about.get("label", ())}
            by_index = not isinstance(table.index, pd.RangeIndex) and index.isin(known).any()
            if "id" in table or by_index:
                if not index.is_unique:
                    raise DataError(
                        f"{index[index.duplicated()][0]!r} has several rows", file=name,
                        remedy="Give one row per object.",
                    )
                if not index.isin(ids).any() and "label" in about and about["label"].is_unique:
                    ids = about["label"].astype("str")  # as pages show the objects
                columns = columns.set_axis(index).reindex(ids)
            settings.setdefault("feature_names", [str(column) for column in columns])
            table = columns.to_numpy(dtype=float, na_value=np.nan)
        table = _numbers(name, table)
        if len(table) != len(ids):
            raise DataError(
                f"{len(table):,} rows are not one for each of {len(ids):,} objects", file=name,
                remedy="Give one row per object, or name the objects in a column id.",
            )
        return cls(name=name, values=table, **settings)

    @property
    def n_objects(self) -> int:
        """Number of rows, with features or without."""
        return len(self.known)

    @property
    def n_features(self) -> int | None:
        """Number of columns; None for distances."""
        return None if self.values is None else self.values.shape[1]

    @property
    def names(self) -> list[str]:
        """Names of the columns; for distances, of the space."""
        if self.feature_names is not None:
            return list(self.feature_names)
        if self.n_features in (None, 1):
            return [self.name]
        return [f"{self.name} {k}" for k in range(1, self.n_features + 1)]

    @cached_property
    def fingerprint(self) -> str:
        """Hash of everything that determines the distances."""
        digest = hashlib.blake2b(digest_size=16)
        table = self.values if self.distances is None else self.distances
        how = [self.distances is None, table.shape, self.metric, self.standardise]
        digest.update(repr([*how, self.feature_names]).encode())
        digest.update(np.ascontiguousarray(table))
        return digest.hexdigest()

    @cached_property
    def coordinates(self) -> np.ndarray:
        """(n, m) rows as they are compared; 0 for objects without features.

        Standardised if `standardise`; of unit length for cosine and correlation, which are then
        half of the squared Euclidean distance.
        """
        if self.values is None:
            raise ValueError(f"{self.name!r} has distances alone.")
        as_is = self.metric in ("euclidean", "cityblock", "product") and not self.standardise
        if self.known.all() and as_is:
            return self.values  # no copy: it may be as large as memory
        result = np.where(self.known[:, None], self.values, 0)
        values = result if self.known.all() else result[self.known]
        if self.standardise:
            spread = values.std(axis=0)
            values -= values.mean(axis=0)
            values /= np.where(spread > 0, spread, 1.0)
        if self.metric == "correlation":
            values -= values.mean(axis=1, keepdims=True)
        if self.metric in ("cosine", "correlation"):
            length = np.linalg.norm(values, axis=1, keepdims=True)
            values /= np.where(length > 0, length, 1.0)
        result[self.known] = values
        return result

    def dissimilarities(self) -> np.ndarray:
        """(n, n) distances between the objects by the metric; NaN where one has no features.

        Inner products are taken from the largest one of two objects.
        """
        if self.distances is not None:
            return self.distances.copy()
        x = self.coordinates
        if self.metric in ("cosine", "correlation"):
            result = cdist(x, x, "sqeuclidean") / 2
        elif self.metric == "product":
            result = -(x @ x.T).astype(float)
            known = np.flatnonzero(self.known)
            among = result[np.ix_(known, known)]
            result -= among[np.triu_indices(len(known), 1)].min()
        else:
            result = cdist(x, x, self.metric)
        result[~self.known], result[:, ~self.known] = np.nan, np.nan
        np.fill_diagonal(result, 0.0)
        return result

    def apart(self, pairs: np.ndarray) -> np.ndarray:
        """(u,) dissimilarities of pairs (u, 2) as models weight them: squared if Euclidean.

        Of products they may be below 0.
        """
        if self.distances is not None:
            return self.distances[pairs[:, 0], pairs[:, 1]]
        rows = max(_BLOCK // self.n_features, 1)
        blocks = (pairs[k:k + rows] for k in range(0, max(len(pairs), 1), rows))
        return np.concatenate([self.parts(block).sum(axis=1, dtype=float) for block in blocks])

    def parts(self, pairs: np.ndarray, dtype: type | None = None) -> np.ndarray:
        """(u, m) part of each column in `apart`: squares, absolute values, or minus products."""
        x = self.coordinates if dtype is None else self.coordinates.astype(dtype, copy=False)
        result = x[pairs[:, 0]]
        if self.metric == "product":
            result *= x[pairs[:, 1]]
            return np.negative(result, out=result)
        result -= x[pairs[:, 1]]
        if self.metric == "cityblock":
            return np.abs(result, out=result)
        result *= result
        if self.metric in ("cosine", "correlation"):
            result /= 2
        return result


def _numbers(name: str, numbers: Any) -> np.ndarray:
    try:
        result = np.asarray(numbers)
        # A file mapped to memory is large, and cannot change.
        if result.dtype != np.float32 or result.flags.writeable:
            single = result.dtype in (np.float16, np.float32)
            result = np.array(numbers, dtype=np.float32 if single else float)
    except (TypeError, ValueError) as error:
        raise DataError(
            "some cells are not numbers", file=name, remedy="Give numbers alone.",
        ) from error
    if result.ndim == 1:
        result = result[:, None]
    if result.ndim != 2 or not result.size:
        raise DataError(
            f"an array of shape {result.shape} is no table", file=name,
            remedy="Give one row per object and one column per feature.",
        )
    if np.isinf(result).any():
        raise DataError(
            "a number is infinite", file=name, remedy="Give finite numbers, or leave cells empty.",
        )
    return result


def _checked_names(name: str, names: Sequence[str] | None, values: np.ndarray) -> list[str] | None:
    if names is None:
        return None
    names = [str(one) for one in names]
    if len(names) != values.shape[1] or len(set(names)) < len(names):
        raise DataError(
            f"{len(set(names))} different names do not name {values.shape[1]} columns", file=name,
            remedy="Give each column its own name.",
        )
    return names


def _checked_distances(name: str, distances: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Symmetric distances, NaN in rows and columns without any, and the objects with some."""
    wrong = DataError(
        "these are no distances: a square, symmetric table without gaps is needed", file=name,
        remedy="Leave whole rows empty for objects that were not compared.",
    )
    if distances.shape[0] != distances.shape[1]:
        raise wrong
    distances = distances.astype(float)
    np.fill_diagonal(distances, np.nan)
    compared = ~np.isnan(distances).all(axis=1)
    np.fill_diagonal(distances, 0.0)
    among = distances[np.ix_(compared, compared)]
    difference = np.abs(among - among.T).max(initial=0.0)
    if not difference <= 1e-6 * np.abs(among).max(initial=0.0):  # nor where there is NaN
        raise wrong
    distances = (distances + distances.T) / 2
    distances[~compared], distances[:, ~compared] = np.nan, np.nan
    return distances, compared


def spaces_of(spaces: FeatureSpace | Iterable[FeatureSpace]) -> list[FeatureSpace]:
    """One space or several as a list."""
    result = [spaces] if isinstance(spaces, FeatureSpace) else list(spaces)
    if not result or not all(isinstance(space, FeatureSpace) for space in result):
        raise ValueError("At least one FeatureSpace is needed, and nothing else.")
    names = [space.name for space in result]
    if len(set(names)) < len(names):
        raise ValueError("Two feature spaces have the same name.")
    return result


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

    "auto": spaces if there are several, else the features of the only one, at most `most`.
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
