"""Responses beside questions, as scikit-learn has them: X the questions, y who was chosen."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from tripletscope.core.data.errors import DataError

_ACCEPTED = (
    "y has one of +1 and -1, or of True and False, for each row: +1 or True if the second column "
    "is nearer to the first than the third is, or of four columns, if the first two are nearer "
    "than the last two."
)


def answered(questions: np.ndarray, y: Any) -> np.ndarray:
    """The nearer option first: rows (T, 3) or (T, 4) from questions and responses.

    y: True or +1 where the questions are in this order, False or -1 elsewhere; None if all are.
    """
    if y is None:
        return questions
    order = [0, 2, 1] if questions.shape[1] == 3 else [2, 3, 0, 1]
    return np.where(_is_first(y, len(questions))[:, None], questions, questions[:, order])


def refuse_responses(y: Any, name: str) -> None:
    """Raise if there are responses beside data that have their own."""
    if y is not None:
        raise ValueError(
            f"{name} has its answers already (anchor, nearer, farther), and y would be others; "
            "leave y out, or give the questions as an array."
        )


def _is_first(y: Any, n_questions: int) -> np.ndarray:
    """(T,) bool: whether the first option was chosen."""
    values = np.asarray(y)
    if values.shape != (n_questions,):
        raise DataError(
            f"the responses y have shape {values.shape}, but there are {n_questions:,} questions",
            remedy=_ACCEPTED,
        )
    if values.dtype == object:  # pandas has responses of bool so, if some may be missing
        values = pd.Series(values).infer_objects().to_numpy()
    if values.dtype == bool:
        return values
    right = np.zeros(n_questions, dtype=bool)
    if values.dtype.kind in "iuf":
        right = (values == 1) | (values == -1)
    if not right.all():
        row = int(np.argmin(right))
        wrong = values.tolist()[row]
        # Elsewhere, 0 beside +1 and -1 means that nobody decided.
        hint = " Where 0 means False, give y == 1." if wrong == 0 else ""
        raise DataError(f"y holds {wrong!r}", row=row, remedy=_ACCEPTED + hint)
    return values == 1
