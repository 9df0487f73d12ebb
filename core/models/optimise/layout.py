"""Answers as compiled code takes them: by kind, in columns, grouped by their first object."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from tripletscope.core.data.choices import Choices
from tripletscope.core.data.triplets import Answers
from tripletscope.core.models.optimise.elementary import compiled
from tripletscope.core.models.optimise.responses import MOST_CHOSEN

#: Units of answers that are told apart by nothing.
NO_UNITS = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class LayoutPart:
    """Answers of one kind: equally many pairs each, of which equally many were chosen.

    roles uint32 (3, T) or (4, T): Objects of every answer, grouped by the first: anchor, near, far;
        or i, j, k, l, where i and j are the near pair. Of choices among m pairs (2 m, T): the
        pairs, the chosen ones first; or (3, T): the pairs are the first two of three objects, first
        and last, and the last two.
    weight (T,), unit int64 (T,): Of every answer; no units of answers about near and far.
    chosen: Number of chosen pairs, negative if they are the least similar; 0 for near and far.
    """

    roles: np.ndarray
    weight: np.ndarray
    unit: np.ndarray
    n_objects: int
    chosen: int = 0

    @classmethod
    def of(
        cls, rows: np.ndarray, weight: np.ndarray, n_objects: int, chosen: int = 0,
        unit: np.ndarray = NO_UNITS,
    ) -> LayoutPart:
        """From valid rows (T, r), the transpose of `roles`, weights and units (T,)."""
        rows = np.ascontiguousarray(rows, np.int32).view()
        rows.flags.writeable = False  # as those of data: each kind of array is compiled for
        return cls(*_grouped(rows, weight, unit, n_objects), n_objects, chosen)

    def __len__(self) -> int:
        return len(self.weight)

    @property
    def n_shown(self) -> int:
        """Number m of the pairs of each answer."""
        n_roles = len(self.roles)
        return n_roles // 2 if n_roles > 3 else (3 if self.chosen else 2)

    @property
    def pairs(self) -> np.ndarray:
        """(m, 2, T) the pairs of objects of each answer, the chosen ones first."""
        if len(self.roles) > 3:
            return self.roles.reshape(self.n_shown, 2, -1)
        return self.roles[[[0, 1], [0, 2], [1, 2]][: self.n_shown]]

    def thinned(self, n_answers: int) -> LayoutPart:
        """At most `n_answers` of the answers, evenly spread over the anchors."""
        step = -(-len(self) // n_answers)
        return self._at(slice(None, None, step))

    def reweighted(self, weight: np.ndarray) -> LayoutPart:
        """The same answers with other weights, shape (T,); those of weight 0 are left out."""
        result = replace(self, weight=weight.astype(float))
        return result if weight.all() else result._at(np.flatnonzero(weight))

    def _at(self, which: slice | np.ndarray) -> LayoutPart:
        """Some of the answers."""
        return replace(
            self, roles=np.ascontiguousarray(self.roles[:, which]),
            weight=np.ascontiguousarray(self.weight[which]),
            unit=np.ascontiguousarray(self.unit[which]) if self.unit.size else self.unit,
        )

    @property
    def placed(self) -> np.ndarray:
        """(n,) bool: objects that some answer of a weight above 0 mentions."""
        roles = self.roles if self.weight.all() else self.roles[:, self.weight > 0]
        return np.bincount(roles.ravel(), minlength=self.n_objects) > 0


class AnswerLayout:
    """Answers laid out for `Objective`, in one part or more."""

    def __init__(self, parts: list[LayoutPart]) -> None:
        self.parts = tuple(parts)
        self.n_objects = parts[0].n_objects

    @classmethod
    def of(cls, answers: Answers, as_choices: bool = False) -> AnswerLayout:
        """From data; `as_choices` keeps a choice among several pairs whole, for likelihoods."""
        if as_choices and answers.are_choices:
            return cls.of_choices(answers.choices)
        return cls([LayoutPart.of(answers.rows, answers.weight, answers.n_objects)])

    @classmethod
    def of_choices(cls, choices: Choices) -> AnswerLayout:
        """Of choices with their weights."""
        return cls([
            LayoutPart.of(
                kind.rows, choices.weight[kind.stage], choices.n_objects, kind.chosen,
                choices.unit[kind.stage],
            ) for kind in _kinds(choices)
        ])

    def __len__(self) -> int:
        return sum(map(len, self.parts))

    @property
    def weight(self) -> np.ndarray:
        """(T,) of every answer, part by part."""
        return np.concatenate([part.weight for part in self.parts])

    @property
    def unit(self) -> np.ndarray:
        """(T,) of every choice, part by part."""
        return np.concatenate([part.unit for part in self.parts])

    @property
    def placed(self) -> np.ndarray:
        """(n,) bool: objects that some answer of a weight above 0 mentions."""
        return np.any([part.placed for part in self.parts], axis=0)

    @property
    def comparisons(self) -> LayoutPart:
        """Every chosen pair against every other, as answers about near and far."""
        if len(self.parts) == 1 and not self.parts[0].chosen:
            return self.parts[0]
        rows, weight = [], []
        for part in self.parts:
            each = _compared(part.pairs, part.chosen or 1)
            rows.append(each)
            weight.append(np.tile(part.weight, len(each) // len(part)))
        rows, weight = np.concatenate(rows), np.concatenate(weight)
        return LayoutPart.of(_with_anchors(rows), weight, self.n_objects)

    def thinned(self, n_answers: int) -> AnswerLayout:
        """About `n_answers` of the answers, of every kind."""
        return AnswerLayout([
            part.thinned(max(n_answers * len(part) // len(self), 1)) for part in self.parts
        ])

    def reweighted(self, weight: np.ndarray) -> AnswerLayout:
        """The same answers with other weights, shape (T,); those of weight 0 are left out."""
        ends = np.cumsum([len(part) for part in self.parts])
        parts = [
            part.reweighted(of_part)
            for part, of_part in zip(self.parts, np.split(weight, ends[:-1]), strict=True)
        ]
        return AnswerLayout([part for part in parts if len(part)] or parts[:1])


def order_of(answers: Answers, as_choices: bool) -> np.ndarray:
    """(T,) the answer of the data that each of its `AnswerLayout` stands for."""
    if not (as_choices and answers.are_choices):
        return np.argsort(answers.rows[:, 0], kind="stable")
    return answers.choices.answer[stages_of(answers.choices)]


def stages_of(choices: Choices) -> np.ndarray:
    """(T,) the stage that each of the `AnswerLayout` of choices stands for."""
    return np.concatenate([
        kind.stage[np.argsort(kind.rows[:, 0], kind="stable")] for kind in _kinds(choices)
    ])


class _Kind(NamedTuple):
    """Stages of one kind, or their comparisons: rows (K, r) as `roles` transposed, stages (K,)."""

    rows: np.ndarray
    stage: np.ndarray
    chosen: int


def _kinds(choices: Choices) -> Iterator[_Kind]:
    few = _of_few(choices)
    for kind in choices.kinds:
        n_pairs = kind.place.shape[1]
        for of_few in (False, True):
            kept = few[kind.stage] == of_few
            if not kept.any():
                continue
            stage, pairs = kind.stage[kept], choices.pairs[kind.place[kept]]
            if (n_pairs, kind.chosen) == (2, -1):
                pairs = pairs[:, ::-1]
            rows = pairs.reshape(len(stage), -1)
            if abs(kind.chosen) > MOST_CHOSEN:
                rows = _compared(np.moveaxis(pairs, 0, 2), kind.chosen)
                yield _Kind(_with_anchors(rows), np.tile(stage, len(rows) // len(stage)), 0)
                continue
            chosen = 0 if n_pairs == 2 else kind.chosen
            yield _Kind(rows[:, [0, 1, 3]] if of_few else rows, stage, chosen)


def _of_few(choices: Choices) -> np.ndarray:
    """(S,) bool: stages of two pairs of three objects, or of all three pairs of them."""
    result = np.zeros(len(choices), dtype=bool)
    i, j = choices.pairs.T
    for shown in (2, 3):
        which = np.flatnonzero(choices.n_shown == shown)
        begin = choices.bounds[which]
        same = i[begin] == i[begin + 1]
        if shown == 3:
            same &= (j[begin] == i[begin + 2]) & (j[begin + 1] == j[begin + 2])
        result[which] = same
    return result


def _compared(pairs: np.ndarray, chosen: int) -> np.ndarray:
    """(r (m - r) S, 4) each chosen pair against each other, of pairs (m, 2, S); stages together."""
    result = []
    for one in pairs[: abs(chosen)]:
        for other in pairs[abs(chosen):]:
            near, far = (one, other) if chosen > 0 else (other, one)
            result.append(np.concatenate([near, far]).T)
    return np.concatenate(result)


def _with_anchors(rows: np.ndarray) -> np.ndarray:
    """Rows (T, 4) of two pairs as (T, 3), if each has an object in common."""
    rows = rows.astype(np.int64)
    near, far = rows[:, :2], rows[:, 2:]
    shared = np.where((near[:, :1] == far).any(axis=1), near[:, 0], near[:, 1])
    if not (shared[:, None] == far).any(axis=1).all():
        return rows
    return np.column_stack([shared, near.sum(axis=1) - shared, far.sum(axis=1) - shared])


@compiled
def _grouped(rows, weight, unit, n_objects):
    """Columns of `rows`, weights and units, in the order of the first column: a counting sort."""
    n_answers, n_roles = rows.shape
    place = np.zeros(n_objects + 1, dtype=np.int64)
    for t in range(n_answers):
        place[rows[t, 0] + 1] += 1
    for i in range(n_objects):
        place[i + 1] += place[i]
    roles = np.empty((n_roles, n_answers), dtype=np.uint32)
    ordered, units = np.empty(n_answers), np.empty_like(unit)
    for t in range(n_answers):
        p = place[rows[t, 0]]
        place[rows[t, 0]] += 1
        ordered[p] = weight[t]
        if unit.size:
            units[p] = unit[t]
        for role in range(n_roles):
            roles[role, p] = rows[t, role]
    return roles, ordered, units
