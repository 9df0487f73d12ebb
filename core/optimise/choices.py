"""Choices as compiled code takes them: those of one kind together, as answers of some roles."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tripletscope.core.data.choices import Choices
from tripletscope.core.data.triplets import Judgements
from tripletscope.core.optimise.answers import PreparedAnswers
from tripletscope.core.optimise.stages import MOST_CHOSEN


class PreparedChoices:
    """Choices laid out for `Objective`; to its users as `PreparedAnswers` are.

    parts: Of one kind each: so many pairs shown, so many chosen.
    """

    def __init__(self, parts: list[PreparedAnswers]) -> None:
        self.parts = tuple(parts)
        self.n_objects = parts[0].n_objects

    @classmethod
    def of(cls, choices: Choices, weight: np.ndarray, n_objects: int) -> PreparedChoices:
        """Choices, and the weight of every stage, shape (S,)."""
        return cls([
            PreparedAnswers.of(kind.rows, weight[kind.stage], n_objects, kind.chosen)
            for kind in _kinds(choices)
        ])

    def __len__(self) -> int:
        return sum(map(len, self.parts))

    @property
    def weight(self) -> np.ndarray:
        """(T,) of every stage, part by part."""
        return np.concatenate([part.weight for part in self.parts])

    @property
    def placed(self) -> np.ndarray:
        """(n,) bool: objects that some stage of a weight above 0 mentions."""
        return np.any([part.placed for part in self.parts], axis=0)

    @property
    def comparisons(self) -> PreparedAnswers:
        """Every chosen pair against every one that was not, as answers about near and far."""
        rows, weight = [], []
        for part in self.parts:
            each = _compared(part.pairs, part.chosen or 1)
            rows.append(each)
            weight.append(np.tile(part.weight, len(each) // len(part)))
        rows, weight = np.concatenate(rows), np.concatenate(weight)
        return PreparedAnswers.of(_with_anchors(rows), weight, self.n_objects)

    def thinned(self, n_answers: int) -> PreparedChoices:
        """About so many of the stages, of every kind."""
        return PreparedChoices([
            part.thinned(max(n_answers * len(part) // len(self), 1)) for part in self.parts
        ])

    def reweighted(self, weight: np.ndarray) -> PreparedChoices:
        """The same stages with other weights, shape (T,); those of weight 0 are left out."""
        ends = np.cumsum([len(part) for part in self.parts])
        parts = [
            part.reweighted(own)
            for part, own in zip(self.parts, np.split(weight, ends[:-1]), strict=True)
        ]
        return PreparedChoices([part for part in parts if len(part)] or parts[:1])


def prepared(
    given: Judgements, as_choices: bool
) -> Answers:
    """Data laid out for `Objective`.

    as_choices: Whether what was chosen among several pairs is one choice, as a likelihood takes it;
        otherwise it is as many answers as the data hold.
    """
    if not (as_choices and given.are_choices):
        return PreparedAnswers(given)
    choices = given.choices
    return PreparedChoices.of(choices, given.weight[choices.answer], given.n_objects)


def rows_of(given: Judgements, as_choices: bool) -> np.ndarray:
    """(T,) an answer of the data that each of the `prepared` stands for."""
    if not (as_choices and given.are_choices):
        return np.argsort(given.rows[:, 0], kind="stable")
    return given.choices.answer[stages_of(given.choices)]


Answers = PreparedAnswers | PreparedChoices


class _Kind(NamedTuple):
    """Stages of one kind, or their comparisons.

    rows (S, r): As the roles of `PreparedAnswers`, turned round.
    stage (S,): Which stage each is.
    """

    rows: np.ndarray
    stage: np.ndarray
    chosen: int


def stages_of(choices: Choices) -> np.ndarray:
    """(T,) the stage that each of the prepared choices is, in their order."""
    return np.concatenate([
        kind.stage[np.argsort(kind.rows[:, 0], kind="stable")] for kind in _kinds(choices)
    ])


def _kinds(choices: Choices) -> Iterator[_Kind]:
    shown, chosen = choices.n_shown, choices.n_chosen * choices.sign
    few = _of_few(choices)
    code = (shown * (2 * int(shown.max(initial=0)) + 1) + chosen) * 2 + few
    _, first, kind = np.unique(code, return_index=True, return_inverse=True)
    for number, one in enumerate(first.tolist()):
        stage = np.flatnonzero(kind == number)
        n_pairs, n_chosen = int(shown[one]), int(chosen[one])
        places = choices.bounds[stage][:, None] + np.arange(n_pairs)
        rows = choices.pairs[places].reshape(len(stage), -1)
        if few[one]:
            rows = rows[:, [0, 1, 3]]
        if n_pairs == 2 and n_chosen == 1:
            n_chosen = 0
        if n_chosen > MOST_CHOSEN:
            compared = _compared(rows.T.reshape(n_pairs, 2, -1), n_chosen)
            again = np.tile(stage, len(compared) // len(stage))
            yield _Kind(_with_anchors(compared), again, 0)
        else:
            yield _Kind(rows, stage, n_chosen)


def _of_few(choices: Choices) -> np.ndarray:
    """(S,) bool: stages of two pairs of three objects, or of all three pairs of them."""
    found = np.zeros(len(choices), dtype=bool)
    i, j = choices.pairs.T
    for shown in (2, 3):
        which = np.flatnonzero(choices.n_shown == shown)
        begin = choices.bounds[which]
        same = i[begin] == i[begin + 1]
        if shown == 3:
            same &= (j[begin] == i[begin + 2]) & (j[begin + 1] == j[begin + 2])
        found[which] = same
    return found


def _compared(pairs: np.ndarray, chosen: int) -> np.ndarray:
    """(r (m - r) S, 4) each chosen pair against each that was not; all stages, then the next ones.

    Shapes: pairs (m, 2, S).
    chosen: Below 0, as the least similar.
    """
    found = []
    for one in pairs[: abs(chosen)]:
        for other in pairs[abs(chosen):]:
            near, far = (one, other) if chosen > 0 else (other, one)
            found.append(np.concatenate([near, far]).T)
    return np.concatenate(found)


def _with_anchors(rows: np.ndarray) -> np.ndarray:
    """Rows (T, 4) of two pairs as anchor, near and far, where all pairs have an object in common.

    So an odd one out starts where its two answers would.
    """
    rows = rows.astype(np.int64)
    near, far = rows[:, :2], rows[:, 2:]
    shared = np.where((near[:, :1] == far).any(axis=1), near[:, 0], near[:, 1])
    if not (shared[:, None] == far).any(axis=1).all():
        return rows
    return np.column_stack([shared, near.sum(axis=1) - shared, far.sum(axis=1) - shared])
