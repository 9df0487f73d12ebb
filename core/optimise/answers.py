"""Answers as compiled code takes them: in columns, in an order that keeps objects in the cache."""

from __future__ import annotations

from copy import copy

import numpy as np

from tripletscope.core.data.triplets import Judgements
from tripletscope.core.optimise.elementary import compiled


class PreparedAnswers:
    """Answers laid out for `Objective`.

    Attributes
    ----------
    roles : ndarray of uint32, shape (3, T) or (4, T)
        Objects of every answer, grouped by the first: anchor, near, far; or i, j, k, l, where i
        and j are said to be more similar than k and l. Of choices among m pairs, shape (2 m, T):
        the pairs, the chosen ones first; or (3, T), where the pairs are the first two of three
        objects, first and last, and the last two.
    weight : ndarray, shape (T,)
    n_objects : int
    chosen : int
        How many pairs were chosen in each, below 0 where as the least similar; 0 for answers,
        which the loss of near and far is for.
    """

    def __init__(self, given: Judgements) -> None:
        self.n_objects, self.chosen = given.n_objects, 0
        self.roles, self.weight = _grouped(given.rows, given.weight, given.n_objects)
        self._tiled: dict[int, PreparedAnswers] = {}

    @classmethod
    def of(
        cls, rows: np.ndarray, weight: np.ndarray, n_objects: int, chosen: int = 0
    ) -> PreparedAnswers:
        """Rows, as `roles` turned round, and weights, shape (T,), that are known to be right."""
        found = cls.__new__(cls)
        found.n_objects, found.chosen, found._tiled = n_objects, chosen, {}
        rows = np.ascontiguousarray(rows, np.int32).view()
        rows.flags.writeable = False  # as those of data: each kind of array is compiled for
        found.roles, found.weight = _grouped(rows, weight, n_objects)
        return found

    def __len__(self) -> int:
        return len(self.weight)

    @property
    def parts(self) -> tuple[PreparedAnswers, ...]:
        """Answers of one kind each; see `tripletscope.core.optimise.choices.PreparedChoices`."""
        return (self,)

    @property
    def pairs(self) -> np.ndarray:
        """(m, 2, T) the pairs of objects that each is about, the chosen ones first."""
        n_roles = len(self.roles)
        if n_roles > 3:
            return self.roles.reshape(n_roles // 2, 2, -1)
        return self.roles[[[0, 1], [0, 2], [1, 2]] if self.chosen else [[0, 1], [0, 2]]]

    @property
    def comparisons(self) -> PreparedAnswers:
        """The same as answers about near and far."""
        return self

    def thinned(self, n_answers: int) -> PreparedAnswers:
        """At most so many of the answers, evenly spread over the anchors."""
        thin = self._copy()
        step = -(-len(self) // n_answers)
        thin.roles = np.ascontiguousarray(self.roles[:, ::step])
        thin.weight = np.ascontiguousarray(self.weight[::step])
        return thin

    def reweighted(self, weight: np.ndarray) -> PreparedAnswers:
        """The same answers with other weights, shape (T,); those of weight 0 are left out."""
        found = self._copy()
        found.weight = weight.astype(float)
        if not weight.all():
            kept = np.flatnonzero(weight)
            found.roles = np.ascontiguousarray(self.roles[:, kept])
            found.weight = found.weight[kept]
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
            found.weight = self.weight[order]
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
