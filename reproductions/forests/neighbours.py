"""Nearest neighbours of a table of distances, as many as folds choose."""

from __future__ import annotations

import numpy as np
from scipy.stats import mode
from sklearn.model_selection import KFold

#: From which the authors choose the number of nearest neighbours.
NEIGHBOURS = (2, 6, 10, 14, 18)


def nearest(
    table: np.ndarray, labels: np.ndarray, train: np.ndarray, test: np.ndarray, seed: int
) -> np.ndarray:
    """Classes of test objects, with as many neighbours as ten folds of the training ones choose."""
    wrong = np.zeros(len(NEIGHBOURS))
    for inner, held in KFold(10, shuffle=True, random_state=seed).split(train):
        found = _neighbours(table, labels, train[inner], train[held])
        wrong += [np.sum(_vote(found, k) != labels[train[held]]) for k in NEIGHBOURS]
    return _vote(_neighbours(table, labels, train, test), NEIGHBOURS[int(np.argmin(wrong))])


def _neighbours(
    table: np.ndarray, labels: np.ndarray, train: np.ndarray, test: np.ndarray
) -> np.ndarray:
    """(m, largest k) labels of the nearest objects, nearest first."""
    near = table[np.ix_(test, train)]
    most = min(NEIGHBOURS[-1], len(train))
    found = np.argpartition(near, most - 1, axis=1)[:, :most]
    order = np.argsort(np.take_along_axis(near, found, axis=1), axis=1, kind="stable")
    return labels[train][np.take_along_axis(found, order, axis=1)]


def _vote(votes: np.ndarray, k: int) -> np.ndarray:
    return mode(votes[:, :k], axis=1).mode
