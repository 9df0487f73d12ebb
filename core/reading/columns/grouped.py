"""Trials of answers in several rows, such as the two of an odd one out."""

from __future__ import annotations

import numpy as np
import pandas as pd


def trial_of_rows(
    codes: np.ndarray, objects: np.ndarray, participant: np.ndarray | None = None
) -> np.ndarray:
    """(N,) numbers of the trials, from 0, of rows with one answer each.

    Consecutive rows share a trial if `codes` (N,) of a column, -1 for empty, and
    `participant` (N,) are equal, and they are different answers about the same `objects` (N, k), or
    about the same anchor, which is first. So numbers may restart with each participant.
    """
    before, after = objects[:-1], objects[1:]
    together = (codes[1:] == codes[:-1]) & (codes[1:] >= 0)
    if participant is not None:
        together &= participant[1:] == participant[:-1]
    together &= (np.sort(before, axis=1) == np.sort(after, axis=1)).all(axis=1) | (
        before[:, 0] == after[:, 0]
    )
    together &= (before != after).any(axis=1)
    return np.concatenate([[0], np.cumsum(~together)])[: len(codes)]


def numbers_trials(
    codes: np.ndarray, objects: np.ndarray, participant: np.ndarray | None = None
) -> bool:
    """Whether equal values in a row of a column occur exactly within trials of `trial_of_rows`.

    Otherwise the column counts answers, or has another meaning.
    """
    trial = trial_of_rows(codes, objects, participant)
    same = codes[1:] == codes[:-1]
    if participant is not None:
        same &= participant[1:] == participant[:-1]
    return bool(same.any() and (same == (trial[1:] == trial[:-1])).all())


def named_trials(trial: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """The trials by the file's own numbers, if each is a whole number of one trial."""
    if not np.isfinite(numbers).all() or (numbers != np.round(numbers)).any():
        return trial
    pairs = pd.DataFrame({"trial": trial, "number": numbers}).drop_duplicates()
    if pairs["trial"].duplicated().any() or pairs["number"].duplicated().any():
        return trial
    return numbers.astype(np.int64) if np.abs(numbers).max(initial=0.0) < 2**53 else trial


#: Columns of a triplet that differ between the two answers of a trial, by task.
_TWINS = {"an odd-one-out": ((0, 1), 2), "a most-central": ((0, 2), 1)}
#: Of single answers about all triples, two of three have a twin by geometry alone.
_MOST_BY_CHANCE = 0.9
_FEWEST = 20
_SAMPLE = 200_000  # of larger files a part is tested first


def twin_trials(
    rows: np.ndarray, participant: np.ndarray | None = None
) -> tuple[str, np.ndarray] | None:
    """(T,) trials of (T, 3) triplets that nearly all come in twos, and their task; else None.

    An odd one out is "a is nearer to b than to c" and "b is nearer to a than to c", a most central
    object similarly. Held out alone, each of the two would give the other away.
    """
    if len(rows) < _FEWEST:
        return None
    who = np.zeros(len(rows), np.int64) if participant is None else participant.astype(np.int64)
    # Twins are about the same objects: the part has both or neither.
    part = np.arange(len(rows))
    if len(rows) > _SAMPLE:
        part = np.flatnonzero(rows.sum(axis=1) % (len(rows) // _SAMPLE + 1) == 0)
    for task, (exchanged, kept) in _TWINS.items():
        if _paired(rows[part], who[part], exchanged, kept)[1] < _MOST_BY_CHANCE:
            continue
        trial, share = _paired(rows, who, exchanged, kept)
        if share >= _MOST_BY_CHANCE:
            return task, trial
    return None


def _paired(
    rows: np.ndarray, who: np.ndarray, exchanged: tuple[int, int], kept: int
) -> tuple[np.ndarray, float]:
    """Trial of every row, the k-th of one direction with the k-th of the other; share in twos."""
    if not len(rows):
        return np.zeros(0, np.int64), 0.0
    one, other = (rows[:, column] for column in exchanged)
    about = (who, rows[:, kept], np.maximum(one, other), np.minimum(one, other))
    order, starts = _groups(one < other, *about)
    turn = np.empty(len(rows), dtype=np.int64)
    turn[order] = np.arange(len(rows)) - np.maximum.accumulate(np.where(
        starts, np.arange(len(rows)), 0))
    order, starts = _groups(turn, *about)
    trial = np.empty(len(rows), dtype=np.int64)
    trial[order] = np.cumsum(starts) - 1
    return trial, float(np.mean(np.bincount(trial)[trial] == 2))


def _groups(*keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows by their keys, the last one first, and where in this order a group of equal ones starts.

    Equal rows stay in their order. pandas takes a millisecond for each column of a small file.
    """
    order = np.lexsort(keys)
    differ = np.any([np.diff(key[order].astype(np.int64)) != 0 for key in keys], axis=0)
    return order, np.append(True, differ)
