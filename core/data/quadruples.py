"""Comparisons of two pairs of objects with no object in common."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from tripletscope.core.data.answers import answered, refuse_responses
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.lazy import cached_property
from tripletscope.core.data.triplets import (
    Answers,
    Triplets,
    as_triplets,
    checked_objects,
    numbered_objects,
    numbered_up_to,
    refuse,
    warn_of_gaps,
)


class Quadruples(Answers):
    """Answers "i and j are more similar than k and l". Read-only.

    A triplet is the case i = k.

    Parameters
    ----------
    rows : array-like of int, shape (T, 4)
        i, j, k and l of every answer, counted from 0.
    n_objects : int, optional
        By default the highest position plus one, with a warning if some occur in no answer.
    weight : array-like of float, shape (T,), optional
        By default ones.
    name : str
    objects : DataFrame, n rows, optional
        As of `Triplets`; by default positions are the names.
    answers : DataFrame, T rows, optional
        As of `Triplets`; ``side`` is ``right`` if the second pair differs more.

    Raises
    ------
    DataError
        If the array is not (T, 4), an entry is no position of an object, an answer pairs an object
        with itself or compares a pair with itself, or a weight is not a number from 0 up.

    Examples
    --------
    >>> import tripletscope as ts
    >>> ts.Quadruples([[0, 1, 2, 3]])  # 0 and 1 are more similar than 2 and 3
    <Quadruples 'answers': 1 answers on 4 objects>
    """

    def __init__(
        self, rows: Any, n_objects: int | None = None, *, weight: Any = None, name: str = "answers",
        objects: pd.DataFrame | None = None, answers: pd.DataFrame | None = None,
    ) -> None:
        rows = np.asarray(rows)
        if rows.ndim != 2 or rows.shape[1] != 4:
            raise DataError(
                f"comparisons of pairs need four columns, this array has shape {rows.shape}",
                remedy="Give an array of shape (number of answers, 4).",
            )
        whole = rows.astype(np.int64)
        if objects is not None:
            n_objects = len(objects)
        is_counted = n_objects is not None
        n_objects = n_objects if is_counted else numbered_up_to(whole)
        refuse(
            ((whole != rows) | (whole < 0) | (whole >= n_objects)).any(axis=1),
            "an object number is out of range",
            f"Objects are numbered from 0 to {n_objects - 1}.",
        )
        near, far = np.sort(whole[:, :2], axis=1), np.sort(whole[:, 2:], axis=1)
        refuse(
            (near[:, 0] == near[:, 1]) | (far[:, 0] == far[:, 1]) | (near == far).all(axis=1),
            "an object is paired with itself, or a pair is compared with itself",
            "Remove such answers.",
        )
        if not is_counted:
            warn_of_gaps(whole)
        if weight is not None:
            weight = np.array(weight, dtype=float)
            if weight.shape != (len(whole),):
                raise ValueError(f"{weight.shape} weights for {len(whole)} answers")
            columns = pd.DataFrame(index=range(len(whole))) if answers is None else answers
            answers = columns.assign(weight=weight)
        objects = numbered_objects(n_objects) if objects is None else checked_objects(objects)
        self._fill(whole.astype(np.int32, order="C"), objects, answers, name)

    def __repr__(self) -> str:
        return f"<Quadruples {self.name!r}: {len(self):,} answers on {self.n_objects:,} objects>"

    @property
    def is_first_mention(self) -> np.ndarray:
        first, second = self.rows[:, :2], self.rows[:, 2:]
        mentioned = (second[:, :, None] == first[:, None, :]).any(axis=2)
        return np.hstack([np.ones(first.shape, dtype=bool), ~mentioned])

    @cached_property
    def answers_per_object(self) -> np.ndarray:
        return np.bincount(self.rows[self.is_first_mention], minlength=self.n_objects)

    @cached_property
    def _pairs(self) -> np.ndarray:
        """(2, T) number of the more similar pair and of the other one."""
        low, high = np.sort(self.rows.reshape(-1, 2, 2).astype(np.int64), axis=2).T
        return low * self.n_objects + high

    @cached_property
    def questions(self) -> np.ndarray:
        pairs = np.sort(self._pairs, axis=0)
        return np.unique(pairs, axis=1, return_inverse=True)[1].ravel()

    @cached_property
    def verdicts(self) -> np.ndarray:
        return (self._pairs[0] > self._pairs[1]).astype(np.int8)


def as_answers(data: Any, y: Any = None, *, known: int = 0) -> Answers:
    """Triplets or Quadruples unchanged; arrays by their number of columns.

    y, known: As of `as_triplets`.
    """
    if isinstance(data, Quadruples):
        refuse_responses(y, data.name)
        return data
    if not isinstance(data, Triplets) and np.ndim(data) == 2 and np.shape(data)[1] == 4:
        rows = answered(np.asarray(data), y)
        n_objects = max(known, int(np.max(rows, initial=-1)) + 1) if known else None
        return Quadruples(rows, n_objects)
    return as_triplets(data, y, known=known)
