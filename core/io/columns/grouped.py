"""Answers of one trial in several rows, such as the two of an odd one out, told by a column."""

from __future__ import annotations

import numpy as np
import pandas as pd


def trial_of_rows(
    told: np.ndarray, objects: np.ndarray, participant: np.ndarray | None = None
) -> np.ndarray:
    """Number of the trial, from 0, of rows that hold one answer each.

    Rows that follow each other are of one trial if a column tells the same of them, one
    participant gave them, and they are different answers about the same objects, or about the
    same anchor. So numbers may begin anew with each participant.

    Parameters
    ----------
    told : ndarray of int, shape (N,)
        Codes of the column that tells the trial; -1 where it says nothing.
    objects : ndarray of int, shape (N, k)
        What each answer is about, the anchor first.
    participant : ndarray of int, shape (N,), optional

    Returns
    -------
    ndarray of int, shape (N,)
    """
    before, after = objects[:-1], objects[1:]
    together = (told[1:] == told[:-1]) & (told[1:] >= 0)
    if participant is not None:
        together &= participant[1:] == participant[:-1]
    together &= (np.sort(before, axis=1) == np.sort(after, axis=1)).all(axis=1) | (
        before[:, 0] == after[:, 0]
    )
    together &= (before != after).any(axis=1)
    return np.concatenate([[0], np.cumsum(~together)])[: len(told)]


def tells_trials(
    told: np.ndarray, objects: np.ndarray, participant: np.ndarray | None = None
) -> bool:
    """Whether some trial has several answers, and nothing else has the same value twice in a row.

    Otherwise the column counts answers, or tells something else. Parameters are those of
    `trial_of_rows`.
    """
    trial = trial_of_rows(told, objects, participant)
    same = told[1:] == told[:-1]
    if participant is not None:
        same &= participant[1:] == participant[:-1]
    return bool(same.any() and (same == (trial[1:] == trial[:-1])).all())


def named_trials(trial: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """The trials by the file's own numbers, where each is a whole number of one trial alone."""
    if not np.isfinite(numbers).all() or (numbers != np.round(numbers)).any():
        return trial
    pairs = pd.DataFrame({"trial": trial, "number": numbers}).drop_duplicates()
    if pairs["trial"].duplicated().any() or pairs["number"].duplicated().any():
        return trial
    return numbers.astype(np.int64) if np.abs(numbers).max(initial=0.0) < 2**53 else trial
