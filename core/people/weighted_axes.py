"""Likelihood of choices under maps whose axes every person weights.

Person p sees the squared distance ``sum_k w_pk (x_ik - x_jk)^2``; choices among pairs have the
response function of an embedding, STE's, t-STE's or CKL's.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from tripletscope.core.data.choices import Choices
from tripletscope.core.data.lazy import cached_property
from tripletscope.core.data.triplets import Answers
from tripletscope.core.engine.short_repr import short_repr
from tripletscope.core.models.optimise.elementary import compiled
from tripletscope.core.models.optimise.layout import AnswerLayout, LayoutPart
from tripletscope.core.models.optimise.loss import Block, Loss, add_up
from tripletscope.core.models.optimise.pairs import PairModel, pair_of, values_of
from tripletscope.core.models.optimise.responses import choice_losses, hits, shares, stage_scores


def choices_by(answers: Answers, who: np.ndarray) -> Choices:
    """The choices of answers of positive weight, by person, a row of weights (T,) for each answer.

    Several chosen in no order count one by one, each against the rest: the expected information of
    a set has no short form.
    """
    choices = answers.choices.take(answers.choices.weight > 0)
    return choices.of_units(np.asarray(who)[choices.answer]).singly()


def sums_by(unit: np.ndarray, values: np.ndarray, number: int) -> np.ndarray:
    """(U, M) sums of values (S, M) over the choices of each of so many units."""
    return np.stack([np.bincount(unit, column, number) for column in values.T], axis=1)


@short_repr
class ChoiceScores(NamedTuple):
    """Predictions of choices.

    answer (S,): Row of the answers of each choice.
    log_share (S,): Log probability of the choice.
    right (S,): 1 where it was the likeliest, 0 if not; a share for several.
    """

    answer: np.ndarray
    log_share: np.ndarray
    right: np.ndarray


@compiled
def _weighted(x, w, roles, unit, low, high, values):
    for e in range(values.shape[0]):
        one, other = pair_of(roles, e)
        for t in range(high - low):
            i, j, p = roles[one, low + t], roles[other, low + t], unit[low + t]
            values[e, t] = 0.0
            for k in range(x.shape[1]):
                values[e, t] += w[p, k] * (x[i, k] - x[j, k]) ** 2


@compiled
def _weighted_back(x, w, roles, unit, low, high, by, by_x, by_w):
    for e in range(by.shape[0]):
        one, other = pair_of(roles, e)
        for t in range(high - low):
            i, j, p = roles[one, low + t], roles[other, low + t], unit[low + t]
            for k in range(x.shape[1]):
                difference = x[i, k] - x[j, k]
                by_w[p, k] += by[e, t] * difference * difference
                step = 2.0 * by[e, t] * w[p, k] * difference
                by_x[i, k] += step
                by_x[j, k] -= step


#: Squared distances whose axes every unit weights.
WEIGHTED = PairModel(_weighted, _weighted_back)


class Likelihood:
    """Minus the log-likelihood of choices, its gradient and its information.

    Units of the choices, of one pair each, are rows of the weights; the loss has a similarity.
    """

    def __init__(self, choices: Choices, loss: Loss) -> None:
        self.choices, self._loss = choices, replace(loss, kernel=None, pairs=WEIGHTED)

    @cached_property
    def _parts(self) -> tuple[LayoutPart, ...]:
        return AnswerLayout.of_choices(self.choices).parts

    def __call__(self, x: np.ndarray, w: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        """Loss and its gradients by positions (n, d) and weights (P, d)."""
        x, w = np.ascontiguousarray(x), np.ascontiguousarray(w)
        by_x, by_w = np.zeros_like(x), np.zeros_like(w)
        total = sum(
            add_up(Block.of(part, self._loss, x, by_x, w), 0, len(part), by_x, by_w)
            for part in self._parts
        )
        return float(total), by_x, by_w

    def _seen(self, x: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Similarity (E,) of every pair, its differences (E, d), and half its slopes by these."""
        i, j = self.choices.pairs.T
        difference = x[i] - x[j]
        along = w[self._who] * difference
        similarity, slope = self._loss.similarities(np.sum(along * difference, axis=1))
        return similarity, difference, slope[:, None] * along

    @property
    def _who(self) -> np.ndarray:
        """(E,) row of the weights of every pair."""
        return self.choices.unit[self.choices.stage]

    def judged(self, x: np.ndarray, w: np.ndarray) -> ChoiceScores:
        """Predictions of every choice."""
        choices = self.choices
        squares = values_of(self._loss.pairs, choices.pairs, x, w, self._who)
        similarity, _ = self._loss.similarities(squares)
        log_share = -choice_losses(choices, similarity)[0]
        return ChoiceScores(choices.answer, log_share, hits(choices, similarity))

    def curvature(self, x: np.ndarray, w: np.ndarray) -> np.ndarray:
        """(P, d, d) expected information on log weights alone."""
        similarity, difference, pull = self._seen(x, w)
        choices, each = self.choices, stage_scores(self.choices, similarity, pull * difference)[1]
        each *= choices.weight[:, None, None]
        return sums_by(choices.unit, each.reshape(len(each), -1), len(w)).reshape(*w.shape, -1)

    def information(
        self, x: np.ndarray, w: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Expected information: positions (n d, n d), both (P, d, n d), and log weights (P, d, d).

        Coordinates of an object stand one after the other.
        """
        similarity, difference, pull = self._seen(x, w)
        joint = self._joint(similarity)
        by_places = _sparse(np.hstack([2.0 * pull, -2.0 * pull]), self.choices.pairs, len(x))
        by_logs = _sparse(pull * difference, self._who[:, None], len(w))
        with_places = (by_logs.T @ joint @ by_places).toarray()
        return (
            (by_places.T @ joint @ by_places).toarray(), with_places.reshape(*w.shape, -1),
            _blocks(by_logs.T @ joint @ by_logs, w.shape),
        )

    def _joint(self, similarity: np.ndarray) -> csr_array:
        """(E, E) expected information of the choices on the similarities."""
        rows, columns, values = [], [], []
        of_all = shares(self.choices, similarity)
        for stage, place, _ in self.choices.kinds:
            share, m = of_all[place], place.shape[1]
            off = np.eye(m) - share[:, None, :]
            weight = self.choices.weight[stage]
            values.append(np.einsum("s,sg,sge,sgf->sef", weight, share, off, off))
            rows.append(np.repeat(place, m, axis=1))
            columns.append(np.tile(place, (1, m)))
        rows, columns, values = (
            np.concatenate([one.ravel() for one in each]) for each in (rows, columns, values)
        )
        return csr_array((values, (rows, columns)), shape=(len(similarity),) * 2)


def _sparse(values: np.ndarray, which: np.ndarray, number: int) -> csr_array:
    """(E, number d) matrix of values (E, r d), d for each of the r blocks (E, r) of a row."""
    d = values.shape[1] // which.shape[1]
    columns = (which[:, :, None] * d + np.arange(d)).reshape(values.shape)
    begins = np.arange(len(values) + 1) * values.shape[1]
    return csr_array((values.ravel(), columns.ravel(), begins), shape=(len(values), number * d))


def _blocks(matrix: csr_array, shape: tuple[int, int]) -> np.ndarray:
    """(P, d, d) blocks on the diagonal of a block-diagonal matrix (P d, P d)."""
    entries, d = matrix.tocoo(), shape[1]
    result = np.zeros((*shape, d))
    result[entries.row // d, entries.row % d, entries.col % d] = entries.data
    return result
