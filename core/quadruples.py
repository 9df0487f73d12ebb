"""Answers that compare two pairs of objects with no object in common."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.triplets import DataError, Triplets, as_triplets


class Quadruples:
    """Answers "i and j are more similar than k and l". Read-only.

    A triplet is the case i = k.

    Parameters
    ----------
    rows : array-like of int, shape (T, 4)
        i, j, k and l of every answer, counted from 0.
    n_objects : int, optional
        By default the highest position plus one.
    weight : array-like of float, shape (T,), optional
        By default ones.
    name : str

    Raises
    ------
    DataError
        If the array is not (T, 4), holds anything but positions of objects, pairs an object with
        itself, compares a pair with itself, or a weight is not a number from 0 up.
    """

    def __init__(
        self, rows: Any, n_objects: int | None = None, *, weight: Any = None,
        name: str = "answers",
    ) -> None:
        rows = np.asarray(rows)
        if rows.ndim != 2 or rows.shape[1] != 4:
            raise DataError(
                f"comparisons of pairs need four columns, this array has shape {rows.shape}",
                remedy="Give an array of shape (number of answers, 4).",
            )
        whole = rows.astype(np.int64)
        if n_objects is None:
            n_objects = int(whole.max()) + 1 if len(whole) else 0
        _refuse(
            ((whole != rows) | (whole < 0) | (whole >= n_objects)).any(axis=1),
            "an object's number is not a position",
            f"Objects are numbered from 0 to {n_objects - 1}.",
        )
        near, far = np.sort(whole[:, :2], axis=1), np.sort(whole[:, 2:], axis=1)
        _refuse(
            (near[:, 0] == near[:, 1]) | (far[:, 0] == far[:, 1]) | (near == far).all(axis=1),
            "an object is paired with itself, or a pair compared with itself",
            "Leave such answers out.",
        )
        weight = np.ones(len(whole)) if weight is None else np.array(weight, dtype=float)
        if weight.shape != (len(whole),):
            raise ValueError(f"{weight.shape} weights for {len(whole)} answers")
        _refuse(
            ~(np.isfinite(weight) & (weight >= 0)), "a weight is not a number from 0 up",
            "Weights count how often an answer was given.",
        )
        self.rows = whole.astype(np.int32)
        self.weight = weight
        self.n_objects, self.name = n_objects, name
        for array in (self.rows, self.weight):
            array.setflags(write=False)

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"<Quadruples {self.name!r}: {len(self):,} answers on {self.n_objects:,} objects>"

    @property
    def answers_per_object(self) -> np.ndarray:
        """(n,) number of times that each object occurs."""
        return np.bincount(self.rows.ravel(), minlength=self.n_objects)

    def take(self, which: Any) -> Quadruples:
        """The same objects with only some of the answers: positions or a mask."""
        return Quadruples(
            self.rows[which], self.n_objects, weight=self.weight[which], name=self.name
        )


def as_answers(data: Any) -> Triplets | Quadruples:
    """Triplets or Quadruples as they are; arrays by their number of columns."""
    if isinstance(data, Quadruples):
        return data
    if not isinstance(data, Triplets) and np.ndim(data) == 2 and np.shape(data)[1] == 4:
        return Quadruples(data)
    return as_triplets(data)


def _refuse(wrong: np.ndarray, problem: str, remedy: str) -> None:
    if wrong.any():
        raise DataError(problem, row=int(np.argmax(wrong)), remedy=remedy)
