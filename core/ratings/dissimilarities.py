"""Shared by all measured dissimilarities: raters, means, errors, resamples, comparisons."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import pandas as pd
from pandas.api.types import is_numeric_dtype

from tripletscope.core.data.answers import HELD_TOGETHER
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.lazy import cached_property
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.declared import with_random_state

#: Most comparisons from measured dissimilarities, and fewest from one rater's.
MOST_ANSWERS, _FEWEST_EACH = 200_000, 20
#: Share of the comparisons that have a value in a further column from which on they keep it.
_SHARED = 0.05
#: Objects of most people from which on other places of them are other data.
_OBJECTS = 5
#: Most questions to list; of more, some are drawn.
_ALL_AT_ONCE = 2_000_000
#: Degrees of freedom of the mean variance of all pairs, beside a pair's own.
_PRIOR_DEGREES = 10.0


@dataclass(frozen=True, eq=False)
class Dissimilarities:
    """Dissimilarities of n objects with their uncertainty.

    Attributes
    ----------
    ids : list of str
        Names of the objects.
    mean : ndarray, shape (n, n)
        Symmetric, zero on the diagonal; NaN for pairs without judgements.
    standard_error : ndarray, shape (n, n)
        Of `mean`, over raters, or over the trials of one known rater; NaN for too few judgements.
    count : ndarray of float, shape (n, n)
        Raters of each pair; for one known rater, trials.
    n_raters : int
        0 if raters are unknown.
    unit : {"raters", "trials"}
        Unit of `standard_error` and `replicates`.
    replicates : ndarray, shape (b, n, n)
        Resamples of `mean`, with its standard error as their spread; empty if nothing was repeated.
    notes : list of str
        How the data were processed, as sentences.

    Examples
    --------
    >>> import tripletscope as ts
    >>> rated = ts.ratings.read_measured("sample_data/ekman_colors/similarity.csv")
    >>> apart = rated.dissimilarities()
    >>> fitted = ts.ratings.NMDS().fit_dissimilarities(apart.mean, weights=apart.weights)
    >>> round(fitted.loss_, 3)
    0.023
    """

    ids: list[str]
    mean: np.ndarray
    standard_error: np.ndarray
    count: np.ndarray
    n_raters: int
    unit: str
    replicates: np.ndarray
    notes: list[str]

    def __repr__(self) -> str:
        return f"<Dissimilarities of {len(self.ids)} objects by {self.n_raters} raters>"

    @property
    def weights(self) -> np.ndarray:
        """(n, n) inverse squared standard errors, with a mean of 1; 0 for pairs without judgements.

        The variance of each pair is shrunk towards that of all (Smyth, 2004), as it would be 0 for
        few raters who agree by chance. Without any errors, every judged pair has weight 1.

        References
        ----------
        Smyth, G. K. (2004). Linear models and empirical Bayes methods for assessing differential
        expression in microarray experiments. Statistical Applications in Genetics and Molecular
        Biology, 3(1), 3.
        """
        judged = np.isfinite(self.mean) & ~np.eye(len(self.mean), dtype=bool)
        squared = self.standard_error**2 * self.count  # of one rater
        has_error = judged & np.isfinite(squared)
        if not has_error.any() or not squared[has_error].mean() > 0:
            return judged.astype(float)
        freedom = np.maximum(self.count - 1, 0)
        prior = squared[has_error].mean()
        variances = np.where(has_error, squared, prior)
        variance = (_PRIOR_DEGREES * prior + freedom * variances) / (_PRIOR_DEGREES + freedom)
        weights = np.where(judged, np.maximum(self.count, 1) / variance, 0.0)
        return weights / weights[judged].mean()


class RatedDissimilarities:
    """Dissimilarities by people, rater by rater.

    Attributes
    ----------
    table : DataFrame
        The data in the columns of its kind, and further ones; `measured` remakes them from it.
    options : dict
        Plain values for the interpretation of the data.
    ids : list of str
        Names of the objects.
    raters : list of str
        Empty if unknown.
    notes : list of str
        What was left out, as sentences.
    """

    kind: ClassVar[str]
    title: ClassVar[str]
    #: What a row, or a count, of the table is called.
    judgement: ClassVar[str]
    #: Columns of the table.
    columns: ClassVar[tuple[str, ...]]
    #: Name of a table beside the answers that they come from; empty for the data set's own.
    source: str = ""

    table: pd.DataFrame
    options: dict[str, Any]
    ids: list[str]
    raters: list[str]
    notes: list[str]

    def _columns_first(self, table: pd.DataFrame) -> pd.DataFrame:
        """The table with the columns of its kind before further ones."""
        own = [name for name in self.columns if name in table]
        return table[[*own, *(name for name in table if name not in own)]].reset_index(drop=True)

    @property
    def further(self) -> list[str]:
        """Columns of the table beside those of its kind."""
        return [name for name in self.table if name not in self.columns]

    @property
    def n_judgements(self) -> int:
        """Ratings, responses, or objects that were placed."""
        return int(self.table["count"].sum()) if "count" in self.table else len(self.table)

    @property
    def n_objects(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        return (f"<{type(self).__name__}: {self.n_objects} objects, {len(self.raters)} raters>")

    @property
    def objects(self) -> list[str]:
        """Names of the objects in the order of what is estimated of each, by default of `ids`."""
        return vars(self).get("_objects", self.ids)

    def among(self, objects: Sequence[str]) -> Self:
        """The same data, whose objects are some of those of a data set, in another order."""
        if list(objects) == self.objects:
            return self
        if missing := sorted(set(self.ids).difference(objects)):
            raise DataError(f"{missing[0]} was judged, but is none of the objects")
        changed = copy(self)
        vars(changed).pop("fingerprint", None)
        changed._objects = list(objects)
        return changed

    @cached_property
    def fingerprint(self) -> str:
        """Hash of the table, the options, and the order of the objects."""
        about = [self.kind, self.options, self.ids, [*self.table]]
        if self.objects != self.ids:
            about.append(self.objects)
        digest = hashlib.blake2b(repr(about).encode(), digest_size=16)
        for _, column in self.table.items():
            if is_numeric_dtype(column):
                digest.update(column.to_numpy(dtype=float, na_value=np.nan))
            else:
                digest.update("\0".join(column.astype("str").fillna("")).encode())
        return digest.hexdigest()

    #: As of answers, where tasks ask either; nobody chose among pairs.
    are_choices: ClassVar[bool] = False

    def fingerprint_of(self, *columns: str, objects: tuple[str, ...] = ()) -> str:
        """The same, whatever columns of answers a task reads."""
        return self.fingerprint

    @with_random_state
    def dissimilarities(self, replicates: int = 200, *, seed: int = 0) -> Dissimilarities:
        """Their mean over raters, and resamples of it.

        Parameters
        ----------
        replicates : int
            Resamples of raters; of trials if fewer than two raters are known.
        seed : int
        """
        judged, unit, n_raters = self._judged()
        n, errors, drawn = self.n_objects, judged.errors(), np.empty((0, judged.n_pairs))
        if judged.n_units > 1 and np.isfinite(errors).any():
            rng = np.random.default_rng(seed)
            drawn = resampled(judged.means, judged.n_units, replicates, rng)
        return Dissimilarities(
            self.ids, squares(judged.means(), n), squares(errors, n), squares(judged.counts(), n),
            n_raters, unit, squares(drawn, n), self.notes,
        )

    def similarity_of(self, dissimilarities: np.ndarray) -> np.ndarray:
        """Similarities from 0 up: the largest dissimilarity minus each."""
        return np.nanmax(dissimilarities) - dissimilarities

    def of_raters(self, names: Collection[str]) -> Self:
        """The data of some of the raters alone."""
        return type(self)(self.table[self.table["participant"].astype("str").isin(names)],
                          **self.options)

    def _judged(self) -> tuple[JudgedPairs, str, int]:
        """Judged pairs, the unit "raters" or "trials", and the number of raters."""
        raise NotImplementedError

    @with_random_state
    def triplets(
        self, *, most: int = MOST_ANSWERS, seed: int = 0, name: str = "answers"
    ) -> Triplets:
        """Each rater's comparisons of two objects with a third; ties give none.

        There are far more of them than judgements, and comparisons that share a judgement depend on
        each other. All of a rater's therefore are ``held_together``, without being one choice, and
        have weights that add up to the number of independent comparisons: two ratings make one.

        Parameters
        ----------
        most : int
            From more, each rater's are drawn at random.
        seed : int
        name : str
            Of the answers.

        Returns
        -------
        Triplets
            With ``weight``, ``held_together``, for named raters ``participant``, and further
            columns of the table, empty where the judgements behind a comparison differ in them;
            where hardly any comparison would have a value, such as a time, without the column.
        """
        rng, parts = np.random.default_rng(seed), self._ordered()
        share = max(most // max(len(parts), 1), _FEWEST_EACH)
        rows = [compared(part.square, part.tie, share, rng) for part in parts]
        sizes = [len(each) for each in rows]
        # Each weighs at most one, however few remain beside ties.
        weights = [min(part.n_independent / max(len(each), 1), 1.0)
                   for part, each in zip(parts, rows, strict=True)]
        return self._answers(
            np.concatenate([np.empty((0, 3), dtype=np.int64), *rows]),
            np.repeat(np.array(weights, dtype=float), sizes),
            np.repeat(np.array([part.owner for part in parts], dtype=np.int64), sizes), name,
        )

    def _answers(
        self, rows: np.ndarray, weight: np.ndarray, owner: np.ndarray, name: str
    ) -> Triplets:
        """Triplets with weights, held together by their owners."""
        answers = pd.DataFrame({"weight": weight})
        if self.raters:
            answers["participant"] = pd.Categorical.from_codes(owner, self.raters)
        answers[HELD_TOGETHER] = owner
        for column in self.further:
            cells = self.table[column]
            coded = cells.astype("str").where(~is_blank(cells)).astype("category").cat
            shared = self._shared(coded.codes.to_numpy(dtype=np.int64), rows, owner)
            if len(rows) and np.mean(shared >= 0) >= _SHARED:
                answers[column] = pd.Categorical.from_codes(shared, coded.categories)
        return Triplets(rows, pd.DataFrame({"id": pd.Series(self.ids, dtype="str")}), answers, name)

    def _shared(self, codes: np.ndarray, rows: np.ndarray, owner: np.ndarray) -> np.ndarray:
        """(t,) code that all of the judgements behind each comparison share; -1 without one.

        codes: (m,) of the rows of the table, -1 if empty.
        """
        return only_code(named_raters(self.table)[1], codes)[owner]

    def _ordered(self) -> list[Ordered]:
        """Each rater's comparable dissimilarities."""
        raise NotImplementedError

    def differs_from_random(self, rng: np.random.Generator) -> bool:
        """Whether the data are known to differ from those `at_random`, before any map is made."""
        return False

    def at_random(self, rng: np.random.Generator) -> RatedDissimilarities | None:
        """The same data of people who have nothing in common; None of fewer than two.

        Objects change places within each person's data, which keep what they are of, such as piles.
        Where most people have hardly any, nothing would change: None, too.
        """
        if len(self.raters) < 2:
            return None
        named = [name for name in ("item", "item1", "item2") if name in self.table]
        objects = self.table[named].to_numpy(dtype=object)
        place, names = pd.factorize(objects.ravel())
        place = place.reshape(objects.shape)
        numbers = []
        for rows in self.table.groupby("participant", observed=True).indices.values():
            own, where = np.unique(place[rows], return_inverse=True)
            place[rows] = rng.permutation(own)[where].reshape(len(rows), -1)
            numbers.append(len(own))
        if np.median(numbers) < _OBJECTS:
            return None
        changed = {name: names[column] for name, column in zip(named, place.T, strict=True)}
        return type(self)(self.table.assign(**changed), **self.options)


class JudgedPairs:
    """Judged dissimilarities (m,) of units and `pair_number` pairs, and weights in the mean."""

    def __init__(
        self, n_objects: int, unit: np.ndarray, pair: np.ndarray, value: np.ndarray,
        evidence: np.ndarray | None = None,
    ) -> None:
        self.n_objects, self.unit, self.pair, self.value = n_objects, unit, pair, value
        self.evidence = np.ones(len(value)) if evidence is None else evidence
        self.n_units = int(unit.max(initial=-1)) + 1
        self.n_pairs = n_objects * (n_objects - 1) // 2

    @classmethod
    def of(cls, values: np.ndarray, n_objects: int) -> JudgedPairs:
        """From the values of all pairs, (units, p), NaN without a judgement."""
        unit, pair = np.nonzero(np.isfinite(values))
        return cls(n_objects, unit, pair, values[unit, pair])

    def means(self, drawn: np.ndarray | None = None) -> np.ndarray:
        """(p,) mean of every pair, each unit weighted by the number of its draws."""
        weight = self.evidence if drawn is None else self.evidence * drawn[self.unit]
        total = np.bincount(self.pair, weight, self.n_pairs)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.bincount(self.pair, weight * self.value, self.n_pairs) / total

    def counts(self) -> np.ndarray:
        return np.bincount(self.pair, minlength=self.n_pairs).astype(float)

    def errors(self) -> np.ndarray:
        """(p,) standard error of the weighted mean over units; NaN for fewer than two."""
        mean, count = self.means(), self.counts()
        total = np.bincount(self.pair, self.evidence, self.n_pairs)
        off = np.bincount(
            self.pair, (self.evidence * (self.value - mean[self.pair])) ** 2, self.n_pairs
        )
        with np.errstate(invalid="ignore", divide="ignore"):
            errors = np.sqrt(off * count / (count - 1)) / total
        return np.where(count > 1, errors, np.nan)


def resampled(
    mean_of: Callable[[np.ndarray], np.ndarray], n_units: int, replicates: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """(b, p) means of resampled units; `mean_of` maps their numbers of draws (u,) to (p,).

    Widened, as P units drawn with replacement vary by 1 - 1/P too little.
    """
    mean = mean_of(np.ones(n_units))
    means = np.empty((replicates, len(mean)))
    for each in means:
        drawn = np.bincount(rng.integers(n_units, size=n_units), minlength=n_units)
        each[:] = mean + np.sqrt(n_units / (n_units - 1)) * (mean_of(drawn) - mean)
    return means


def square_matrices(
    matrices: Mapping[str, Any], ids: Sequence[str] | None
) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Rater, matrix and names of its objects, by default numbers from 1."""
    for rater, values in matrices.items():
        matrix = np.array(values, dtype=float)
        names = np.array(ids if ids is not None else range(1, len(matrix) + 1)).astype(str)
        if matrix.shape != (len(names), len(names)):
            raise DataError(
                f"the matrix of {len(names)} objects has shape {matrix.shape}", file=rater or None,
                remedy="Give one row and one column per object.",
            )
        yield rater, matrix, names


def squares(pairs: np.ndarray, n_objects: int) -> np.ndarray:
    """(..., n, n) symmetric matrices from (..., p) values of pairs."""
    matrices = np.zeros((*pairs.shape[:-1], n_objects, n_objects))
    first, second = np.triu_indices(n_objects, 1)
    matrices[..., first, second] = matrices[..., second, first] = pairs
    return matrices


def pair_number(first: np.ndarray, second: np.ndarray, n_objects: int) -> np.ndarray:
    """Number of the pair of two different objects, in the order of `numpy.triu_indices`."""
    low, high = np.minimum(first, second), np.maximum(first, second)
    return low * (2 * n_objects - low - 1) // 2 + high - low - 1


def named_objects(*columns: pd.Series) -> tuple[list[str], list[np.ndarray]]:
    """Names of the objects in natural order, and the position of each cell."""
    for column in columns:
        empty = is_blank(column)
        if empty.any():
            raise DataError(
                f"there is no object in column {column.name}", row=int(np.argmax(empty)),
                remedy="Fill in the cell, or remove the row.",
            )
    texts = [column.astype(str).str.strip() for column in columns]
    ids = sorted(set().union(*texts), key=natural)
    place = {text: i for i, text in enumerate(ids)}
    return ids, [text.map(place).to_numpy(dtype=np.int64) for text in texts]


def is_blank(column: pd.Series) -> np.ndarray:
    """(m,) bool: cells that are empty, or white space alone."""
    return (column.isna() | (column.astype(str).str.strip() == "")).to_numpy(dtype=bool)


def natural(text: str) -> tuple[bool, float, str]:
    """A sort key: numbers first, by size."""
    try:
        number = float(text)
    except ValueError:
        return True, 0.0, text
    return False, number, text


def named_raters(table: pd.DataFrame) -> tuple[list[str], np.ndarray]:
    """Names of the raters, and the number of each row's; all 0 without names."""
    if "participant" not in table:
        return [], np.zeros(len(table), dtype=np.int64)
    codes, names = pd.factorize(table["participant"].astype(str))
    return list(map(str, names)), codes.astype(np.int64)


def numbered_sets(table: pd.DataFrame, rater: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(m,) number of the set of objects of each row, by rater and trial, and the sets' raters."""
    trial = pd.factorize(table["trial"].astype(str))[0] if "trial" in table else 0
    number, sets = pd.factorize(rater * (len(table) + 1) + trial)
    return number, sets // (len(table) + 1)


def refuse_few(number: int, problem: str) -> None:
    """Raise DataError for fewer than three objects."""
    if number < 3:
        raise DataError(problem, remedy="Give three or more.")


def numbers_of(table: pd.DataFrame, column: str) -> np.ndarray:
    """(m,) numbers of a column."""
    numbers = pd.to_numeric(table[column], errors="coerce").to_numpy(dtype=float)
    wrong = ~np.isfinite(numbers)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise DataError(
            f"{table[column].iloc[row]!r} in column {column} is no number", row=row,
            remedy="Correct the cell, or remove the row.",
        )
    return numbers


def counts_of(table: pd.DataFrame) -> np.ndarray:
    """(m,) whole numbers of column ``count``."""
    count = numbers_of(table, "count")
    wrong = (count < 0) | (count != np.round(count))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise DataError(
            f"{count[row]:g} is no count", row=row,
            remedy="Give whole numbers, not percentages: shares without the number of trials have "
            "no known error.",
        )
    return count


class Ordered(NamedTuple):
    """Comparable dissimilarities (n, n) of one rater, NaN without a judgement.

    tie: Differences up to this are ties.
    n_independent: Number of independent comparisons.
    """

    owner: int
    square: np.ndarray
    tie: float
    n_independent: float


def only_code(group: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """(g,) the code that all of each group have, -1 if they differ; codes (m,), -1 if empty."""
    n_groups = int(group.max(initial=-1)) + 1
    low, high = np.full(n_groups, np.iinfo(np.int64).max), np.full(n_groups, -1)
    np.minimum.at(low, group, codes)
    np.maximum.at(high, group, codes)
    return np.where(low == high, high, -1)


def compared(square: np.ndarray, tie: float, most: int, rng: np.random.Generator) -> np.ndarray:
    """(t, 3) comparisons of all pairs with all anchors, at most `most`.

    Dissimilarities may be NaN; differences up to `tie` give no comparison.
    """
    judged = np.isfinite(square) & ~np.eye(len(square), dtype=bool)
    beside = judged.sum(axis=1)
    if int((beside * (beside - 1) // 2).sum()) > _ALL_AT_ONCE:
        rows = _drawn(judged, 4 * most, rng)
    else:
        rows = np.concatenate([np.empty((0, 3), dtype=np.int64), *(
            _around(anchor, np.flatnonzero(others)) for anchor, others in enumerate(judged)
        )])
    lead = square[rows[:, 0], rows[:, 2]] - square[rows[:, 0], rows[:, 1]]
    rows[lead < 0] = rows[lead < 0][:, [0, 2, 1]]
    rows = rows[np.abs(lead) > tie]
    if len(rows) > most:
        rows = rows[np.sort(rng.choice(len(rows), most, replace=False))]
    return rows


def _around(anchor: int, others: np.ndarray) -> np.ndarray:
    first, second = np.triu_indices(len(others), 1)
    return np.column_stack([np.full(len(first), anchor), others[first], others[second]])


def _drawn(judged: np.ndarray, most: int, rng: np.random.Generator) -> np.ndarray:
    """(t, 3) different random questions about judged pairs."""
    rows = np.sort(rng.integers(len(judged), size=(most, 3)), axis=1)
    rows = np.take_along_axis(rows, rng.permuted(np.tile(np.arange(3), (most, 1)), axis=1), axis=1)
    rows[:, 1:] = np.sort(rows[:, 1:], axis=1)
    rows = np.unique(rows, axis=0)
    return rows[judged[rows[:, 0], rows[:, 1]] & judged[rows[:, 0], rows[:, 2]]
                & (rows[:, 1] != rows[:, 2])]
