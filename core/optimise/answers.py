"""Answers as compiled code takes them: in columns, in an order that keeps objects in the cache."""

from __future__ import annotations

from copy import copy

import numpy as np

from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.optimise.elementary import compiled


class PreparedAnswers:
    """Answers laid out for `Objective`.

    Attributes
    ----------
    roles : ndarray of uint32, shape (3, T) or (4, T)
        Objects of every answer, grouped by the first: anchor, near, far; or i, j, k, l, where i
        and j are said to be more similar than k and l.
    weight : ndarray, shape (T,)
    trial : ndarray of int, shape (T,), or None
        In which trial each was given; None where each has its own.
    n_objects : int
    """

    def __init__(self, given: Triplets | Quadruples) -> None:
        self.n_objects = given.n_objects
        self.roles, self.weight = _grouped(given.rows, given.weight, given.n_objects)
        self._tiled: dict[int, PreparedAnswers] = {}
        self.trial = given.trials
        if self.trial is not None:
            self.trial = self.trial[np.argsort(given.rows[:, 0], kind="stable")]

    @classmethod
    def of(cls, rows: np.ndarray, weight: np.ndarray, n_objects: int) -> PreparedAnswers:
        """Rows, shape (T, 3) or (T, 4), and weights, shape (T,), that are known to be right."""
        found = cls.__new__(cls)
        found.n_objects, found.trial, found._tiled = n_objects, None, {}
        rows = np.ascontiguousarray(rows, np.int32).view()
        rows.flags.writeable = False  # as those of data: each kind of array is compiled for
        found.roles, found.weight = _grouped(rows, weight, n_objects)
        return found

    def __len__(self) -> int:
        return len(self.weight)

    def thinned(self, n_answers: int) -> PreparedAnswers:
        """At most so many of the answers, evenly spread over the anchors."""
        thin = self._copy()
        step = -(-len(self) // n_answers)
        thin.roles = np.ascontiguousarray(self.roles[:, ::step])
        thin.weight = np.ascontiguousarray(self.weight[::step])
        thin.trial = None if self.trial is None else self.trial[::step]
        return thin

    def reweighted(self, weight: np.ndarray) -> PreparedAnswers:
        """The same answers with other weights, shape (T,); those of weight 0 are left out."""
        found = self._copy()
        found.weight = weight.astype(float)
        if not weight.all():
            kept = np.flatnonzero(weight)
            found.roles = np.ascontiguousarray(self.roles[:, kept])
            found.weight = found.weight[kept]
            found.trial = None if self.trial is None else self.trial[kept]
        return found

    def tiled(self, n_tiles: int) -> PreparedAnswers:
        """The same answers, those together that are about the same parts of the objects.

        Parameters
        ----------
        n_tiles : int
            Into so many parts the objects are divided, for each role by itself.
        """
        if n_tiles == 1:
            return self
        if n_tiles not in self._tiled:
            size = -(-self.n_objects // n_tiles)
            key = np.zeros(len(self), dtype=np.int64)
            for role in self.roles[:3]:
                key = key * n_tiles + role // size
            order = _in_order_of(key, n_tiles**3)
            found = self._copy()
            found.roles = np.ascontiguousarray(self.roles[:, order])
            found.weight, found.trial = self.weight[order], None
            self._tiled[n_tiles] = found
        return self._tiled[n_tiles]

    def _copy(self) -> PreparedAnswers:
        found = copy(self)
        found._tiled = {}
        return found

    @property
    def placed(self) -> np.ndarray:
        """(n,) bool: objects that some answer of a weight above 0 mentions."""
        roles = self.roles if self.weight.all() else self.roles[:, self.weight > 0]
        return np.bincount(roles.ravel(), minlength=self.n_objects) > 0


@compiled
def _grouped(rows, weight, n_objects):
    """Columns of `rows` and weights, in the order of the first column; by a counting sort."""
    n_answers, n_roles = rows.shape
    place = np.zeros(n_objects + 1, dtype=np.int64)
    for t in range(n_answers):
        place[rows[t, 0] + 1] += 1
    for i in range(n_objects):
        place[i + 1] += place[i]
    roles = np.empty((n_roles, n_answers), dtype=np.uint32)
    ordered = np.empty(n_answers)
    for t in range(n_answers):
        p = place[rows[t, 0]]
        place[rows[t, 0]] += 1
        ordered[p] = weight[t]
        for role in range(n_roles):
            roles[role, p] = rows[t, role]
    return roles, ordered


@compiled
def _in_order_of(key, n_keys):
    """A stable order of answers by a key below `n_keys`; by a counting sort."""
    place = np.zeros(n_keys + 1, dtype=np.int64)
    for t in range(key.size):
        place[key[t] + 1] += 1
    for k in range(n_keys):
        place[k + 1] += place[k]
    order = np.empty(key.size, dtype=np.int64)
    for t in range(key.size):
        order[place[key[t]]] = t
        place[key[t]] += 1
    return order
