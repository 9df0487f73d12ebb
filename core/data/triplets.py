"""Answers of the form "the anchor is more similar to near than to far"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import pandas as pd

from tripletscope.core.data.answers import (
    Answers,
    answered,
    checked_objects,
    numbered_objects,
    refuse_responses,
)
from tripletscope.core.data.errors import DataError, warn
from tripletscope.core.data.lazy import cached_property

ANCHOR, NEAR, FAR = 0, 1, 2
#: Objects that a message names.
_NAMED = 3


class Triplets(Answers):
    """Similarity judgements about a set of objects. Read-only.

    Parameters
    ----------
    rows : array-like of int, shape (T, 3)
        Anchor, near and far of every answer, as positions in `objects`.
    objects : DataFrame, n rows
        Column ``id`` (unique text) and ``label`` (text, by default the id); optionally ``image``
        (name of a picture); any further columns: numbers, categories, a physical stimulus value.
    answers : DataFrame, T rows, optional
        Any of ``participant``, ``response_time`` (seconds), ``split``, ``sampler``, ``weight``,
        ``side`` (position of the chosen option), ``time``, ``block``, ``trial`` (shared by the
        answers of one trial, such as the two of an odd one out), ``held_together`` (shared by
        answers that are held out together but are no one choice, such as all from a person's
        ratings), and further columns.
    name : str
        Of the data set.

    Raises
    ------
    DataError
        If a row names an unknown object or the same object twice, an id occurs twice, or a weight
        is not a number from 0 up.

    Notes
    -----
    Objects without answers are allowed; contradictions and repeats are kept.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.Triplets.from_array([[0, 1, 2], [1, 0, 2]], ids=["cup", "mug", "fork"])
    >>> len(answers), answers.n_objects, answers.labels
    (2, 3, ['cup', 'mug', 'fork'])
    >>> answers[1:], [(anchor, near, far) for anchor, near, far in answers]
    (<Triplets 'answers': 1 answers on 3 objects>, [(0, 1, 2), (1, 0, 2)])
    """

    def __init__(
        self, rows: Any, objects: pd.DataFrame, answers: pd.DataFrame | None = None,
        name: str = "answers",
    ) -> None:
        objects = checked_objects(objects)
        self._fill(_checked_rows(rows, len(objects)), objects, answers, name)

    @property
    def rows(self) -> np.ndarray:
        """(T, 3) int32, not writeable: anchor, near and far as positions in `objects`."""
        return self._rows

    @classmethod
    def from_array(
        cls, rows: Any, n_objects: int | None = None, *, ids: Sequence[str] | None = None,
        weight: Any = None, y: Any = None, name: str = "answers",
    ) -> Self:
        """Triplets from a (T, 3) array of object positions, counted from 0.

        Parameters
        ----------
        rows : array-like of int, shape (T, 3)
            Anchor, nearer and farther object; with `y`, anchor and two options as they were shown.
        n_objects : int, optional
            By default the highest position plus one, with a warning if some occur in no answer.
        ids : sequence of str, optional
            Names of the objects, in order; by default their positions.
        weight : array-like of float, shape (T,), optional
        y : array-like, shape (T,), optional
            +1 or True where the first option is nearer, else -1 or False.

        Raises
        ------
        DataError
            If the array is not (T, 3), an entry is not a whole number from 0, or an answer names an
            object twice.
        """
        if n_objects is not None and np.ndim(n_objects):
            raise DataError("n_objects is an array", remedy="Give responses by their name, y.")
        rows = answered(_integer_rows(rows), y)
        answers = None
        if weight is not None:
            answers = pd.DataFrame({"weight": np.asarray(weight, dtype=float)})
        if ids is not None:
            objects = pd.DataFrame({"id": pd.Series(list(ids), dtype="str")})
            return cls(rows, objects, answers, name)
        is_counted = n_objects is not None
        n_objects = n_objects if is_counted else numbered_up_to(rows)
        rows = _checked_rows(rows, n_objects)
        if not is_counted:
            warn_of_gaps(rows)
        return cls._about(numbered_objects(n_objects), rows, answers, name)

    def __repr__(self) -> str:
        return f"<Triplets {self.name!r}: {len(self):,} answers on {self.n_objects:,} objects>"

    @cached_property
    def questions(self) -> np.ndarray:
        n = self.n_objects
        anchor, near, far = self.rows.T.astype(np.int64)
        code = (anchor * n + np.minimum(near, far)) * n + np.maximum(near, far)
        return np.unique(code, return_inverse=True)[1]

    @cached_property
    def verdicts(self) -> np.ndarray:
        return (self.rows[:, NEAR] > self.rows[:, FAR]).astype(np.int8)


def as_triplets(data: Any, y: Any = None, *, known: int = 0) -> Triplets:
    """`data` if it is Triplets, or Triplets of a (T, 3) array of positions.

    y: Responses to the rows of an array: see `tripletscope.core.data.answers.answered`.
    known: So many objects exist, whether or not an answer is about them.
    """
    if isinstance(data, Triplets):
        refuse_responses(y, data.name)
        return data
    if isinstance(data, Answers):
        raise DataError(
            "comparisons of pairs are not triplets, which are needed here", file=data.name,
            remedy="Embeddings, MLDS, cross_validate and bootstrap take comparisons of pairs.",
        )
    rows = answered(_integer_rows(data), y)
    return Triplets.from_array(rows, max(known, numbered_up_to(rows)) if known else None)


def numbered_up_to(rows: np.ndarray) -> int:
    """Number of objects whose highest position is in the rows."""
    return int(rows.max()) + 1 if rows.size else 0


def warn_of_gaps(rows: np.ndarray) -> None:
    """Warn of objects below the highest that are in no row: indices from 1, or with gaps."""
    missing = np.flatnonzero(np.bincount(rows.ravel()) == 0)
    if not len(missing):
        return
    named = ", ".join(map(str, missing[:_NAMED]))
    others = f" and {len(missing) - _NAMED:,} more" if len(missing) > _NAMED else ""
    first = int(rows.min())
    remedy = f"Objects are counted from 0: subtract {first} from all numbers"
    if len(missing) > first:
        remedy = (
            "Number the objects without gaps, by numpy.unique(rows, return_inverse=True)[1]"
            ".reshape(rows.shape)"
        )
    warn(
        f"no answer is about {'object' if len(missing) == 1 else 'objects'} {named}{others}, so "
        f"nothing places {'it' if len(missing) == 1 else 'them'}. {remedy}, or say with n_objects "
        "of tripletscope.Triplets.from_array how many there are."
    )


def refuse(wrong: np.ndarray, problem: str, remedy: str) -> None:
    """Raise DataError for the first row that is wrong (T,), if any."""
    if wrong.any():
        raise DataError(problem, row=int(np.argmax(wrong)), remedy=remedy)


def refuse_others(answers: Answers, n_objects: int) -> None:
    """Raise DataError if an answer is about objects beyond those of a fit."""
    if answers.n_objects > n_objects:
        refuse(
            (answers.rows >= n_objects).any(axis=1),
            f"an answer is about an object beyond the {n_objects:,} that were learned",
            "Learn from answers with the same table of objects, such as all of those that "
            "tripletscope.read returns, or give Triplets.from_array their number.",
        )


def _integer_rows(rows: Any) -> np.ndarray:
    rows = np.asarray(rows)
    if rows.size == 0 and rows.ndim < 2:
        rows = rows.reshape(0, 3).astype(np.int32)
    if rows.ndim != 2 or rows.shape[1] != 3:
        raise DataError(
            f"answers need three columns (anchor, near, far), this array has shape {rows.shape}",
            remedy="Give an array of shape (number of answers, 3).",
        )
    if rows.dtype.kind not in "iu":
        if rows.dtype.kind != "f":
            raise DataError(
                f"answers must be whole numbers, not {rows.dtype}",
                remedy="Replace names by indices, or read the file with tripletscope.read.",
            )
        with np.errstate(invalid="ignore"):
            wrong = ~(np.isfinite(rows) & (rows == np.floor(rows))).all(axis=1)
        refuse(
            wrong, "an object number is missing or not a whole number",
            "Remove or correct the row.",
        )
    if rows.size and rows.max() >= 2**31:
        row = int(np.argmax((rows >= 2**31).any(axis=1)))
        raise DataError(
            f"object number {int(rows[row].max())} is too large to be an index",
            row=row, remedy="Number the objects from 0 without gaps.",
        )
    return rows


def _checked_rows(rows: Any, n_objects: int) -> np.ndarray:
    rows = _integer_rows(rows)
    if rows.size:
        outside = ((rows < 0) | (rows >= n_objects)).any(axis=1)
        if outside.any():
            row = int(np.argmax(outside))
            raise DataError(
                f"names object {next(int(i) for i in rows[row] if not 0 <= i < n_objects)}, "
                f"but there are objects 0 to {n_objects - 1} only",
                row=row, remedy="Number objects from 0, and list every object.",
            )
        anchor, near, far = rows.T
        same = (anchor == near) | (anchor == far) | (near == far)
        refuse(same, "the same object occurs twice in one answer", "Remove such answers.")
    if rows.dtype != np.int32 or rows.flags.writeable or not rows.flags.c_contiguous:
        rows = np.array(rows, dtype=np.int32, order="C")
        rows.setflags(write=False)
    return rows


