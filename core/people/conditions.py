"""Attention under different conditions: weights or maps of each, tested against one map for all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from tripletscope.core.data.choices import Choices
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Answers
from tripletscope.core.engine.declared import Number, Seed
from tripletscope.core.engine.progress import Progress, Stopped, part, silent
from tripletscope.core.engine.task import task
from tripletscope.core.inference.held_out.units import participants_of
from tripletscope.core.models.optimise.loss import Loss
from tripletscope.core.models.optimise.responses import stage_scores
from tripletscope.core.people.comparing import (
    ONE,
    OWN,
    PRECISION,
    WEIGHTS,
    Folds,
    Gains,
    held_out,
    mean_by,
)
from tripletscope.core.people.groups import counted
from tripletscope.core.people.weighted_axes import choices_by, sums_by
from tripletscope.core.people.weights import WeightedEuclidean, common_map, people_of

#: Fewest participants for an interval.
_FEWEST = 4
#: Least share of participants with several conditions for permutations within participants.
_WITHIN = 0.5
#: Of the test.
_LEVEL = 0.05


@dataclass(frozen=True)
class ConditionComparison(Gains):
    """Whether answers under different conditions show different attention.

    Attributes
    ----------
    conditions : ndarray of str, shape (C,)
    n_answers : ndarray of int, shape (C,)
    models : ndarray of str, shape (M,)
        ``one map``, ``precision``, ``weights``, ``own maps``, of the conditions.
    log_share, accuracy : ndarray, shape (U, M)
        Mean log probability of a held-out choice, and share predicted, by `unit`.
    unit : {"participants", "answers"}
        The rows: participants, or tenths of the answers if there are too few.
    p : float
        Of the permutation test that conditions weight the axes of the map alike.
    permutations : int
    permuted : {"within participants", "between participants", "between trials"}
        Permuted units, as the design has it.
    are_rated : bool
        Whether the answers are comparisons of ratings.
    """

    conditions: np.ndarray
    n_answers: np.ndarray
    models: np.ndarray
    log_share: np.ndarray
    accuracy: np.ndarray
    unit: str
    p: float
    permutations: int
    permuted: str
    are_rated: bool = False

    @property
    def attention(self) -> str:
        """Whether conditions change attention: "seen", "stretched" or "unseen".

        ``seen``: the test rejects at 5 %, and weights predict held-out answers better than
        consistency. ``stretched``: the test alone rejects. ``unseen``: it does not.
        """
        if self.p > _LEVEL:
            return "unseen"
        gains = (self.gain(WEIGHTS, PRECISION, of) for of in self.measures)
        return "seen" if all(low > 0 for _, low, _ in gains) else "stretched"

    @property
    def weights_differ(self) -> bool:
        """Whether the test rejects that all conditions weight the map alike."""
        return self.attention != "unseen"


@task("Comparing conditions", "individuals", columns=("participant",))
def compare_conditions(
    method: WeightedEuclidean, triplets: Answers, *,
    permutations: Annotated[
        int, Number(19, 100_000, "Permutations", "Permutations of the conditions, for the test.")
    ] = 999,
    folds: Folds = 10, seed: Seed = 0, progress: Progress = silent,
) -> ConditionComparison:
    """Weights or maps of conditions against one map, by held-out answers and by a permutation test.

    Parameters
    ----------
    method : WeightedEuclidean
        Its column `by` names the condition of each answer.
    triplets : Triplets or Quadruples

    Raises
    ------
    DataError
        If the column names fewer than two conditions.

    Notes
    -----
    The score test asks how much the answers under each condition would stretch the map of all, in
    any direction, beyond a change of size, which is consistency. If most participants answered
    under several conditions, these are permuted within participants, with all trials of a
    participant under one of them together, so that differences without a common direction are
    part of the null; otherwise over participants. Lapses are not removed: guessing shrinks long
    distances more than short ones, and under one condition alone it can look like attention
    (between participants, 40 % of guesses give p < .05 in about one of seven). With four
    participants no p within them is below 0.1.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.read("sample_data/crowd/answers.csv")
    >>> method = ts.people.WeightedEuclidean(by="group")
    >>> found = ts.people.compare_conditions(method, answers, folds=2)
    >>> found.p < 0.01, found.permuted
    (True, 'between participants')
    """
    answers = counted(triplets)
    which, names = people_of(answers, method.by)
    answers, which = answers.take(which < len(names)), which[which < len(names)]
    p, permuted = permutation_test(
        method, answers, which, permutations, seed, part(progress, 0.0, 0.3)
    )
    models = [ONE, PRECISION, WEIGHTS, OWN]
    judged = held_out(method, answers, models, folds, seed, part(progress, 0.3, 1.0))
    who, number = participants_of(answers)
    unit = "participants" if number >= _FEWEST else "answers"
    answer, n = judged.answer, len(judged.answer)
    of = who[answer] if unit == "participants" else np.arange(n) * 10 // n
    log_share, accuracy = (
        mean_by(np.maximum(of, 0), np.where(of >= 0, answers.weight[answer], 0.0), values)
        for values in (judged.log_share, judged.right)
    )
    return ConditionComparison(
        names, np.bincount(which), np.array(models), log_share, accuracy, unit, p, permutations,
        permuted, answers.are_rated,
    )


def permutation_test(
    method: WeightedEuclidean, answers: Answers, which: np.ndarray, permutations: int,
    seed: int, progress: Progress = silent,
) -> tuple[float, str]:
    """The p value that all conditions stretch the common map alike, and the permuted units.

    `which` (T,) is the condition of each answer, from 0.
    """
    scores, information, (labels, _, block, permuted) = _stretched(method, answers, which)
    number, rng = int(which.max()) + 1, np.random.default_rng(seed)
    observed = _statistic(scores, information, labels, number)
    above = 0
    for done in range(permutations):
        drawn = _drawn(labels, block, rng)
        above += _statistic(scores, information, drawn, number) >= observed - 1e-9
        if done % 50 == 0 and progress(done / permutations):
            raise Stopped
    return (1 + above) / (1 + permutations), permuted


@dataclass(frozen=True)
class Exchange:
    """Conditions exchanged alike in all analyses of some answers.

    answers: Those under a known condition; `which` is that of each, from 0, and `known` where they
        are among all.
    unit: (T,) Of each answer; -1 where it has none.
    drawn: (R, U) Conditions of the units in each exchange.
    permuted: As of `ConditionComparison`.
    """

    answers: Answers
    which: np.ndarray
    known: np.ndarray
    unit: np.ndarray
    drawn: np.ndarray
    permuted: str

    def statistics(
        self, method: WeightedEuclidean, inside: np.ndarray, progress: Progress = silent
    ) -> np.ndarray | None:
        """(1 + R,) the test's statistic of some of all answers, as they are and exchanged.

        None if these would be exchanged otherwise than all are.
        """
        inside = inside[self.known]
        answers, which, unit = self.answers.take(inside), self.which[inside], self.unit[inside]
        if len(np.unique(which)) < 2:
            return None
        scores, information, (labels, first, _, permuted) = _stretched(method, answers, which)
        if permuted != self.permuted:
            return None
        number = int(max(which.max(), self.drawn.max(initial=0))) + 1
        found = []
        for done, drawn in enumerate([labels, *(one[unit[first]] for one in self.drawn)]):
            found.append(_statistic(scores, information, drawn, number))
            if done % 50 == 0 and progress(done / (len(self.drawn) + 1)):
                raise Stopped
        return np.array(found)


def exchanged_conditions(
    answers: Answers, which: np.ndarray, number: int, permutations: int, seed: int
) -> Exchange:
    """Exchange conditions as `permutation_test` does, in all answers; `number` is of no condition.

    The first of them are the same whatever their number.
    """
    known = which < number
    answers, which = answers.take(known), which[known]
    choices = choices_by(answers, which)
    labels, of_stage, block, permuted = _design(answers, choices)
    unit = np.full(len(answers), -1)
    unit[choices.answer] = of_stage
    drawn = [_drawn(labels, block, np.random.default_rng([seed, r])) for r in range(permutations)]
    return Exchange(answers, which, known, unit, np.array(drawn), permuted)


def _drawn(labels: np.ndarray, block: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Labels exchanged within blocks."""
    drawn = labels.copy()
    drawn[np.argsort(block, kind="stable")] = labels[
        np.lexsort((rng.random(len(labels)), block))]
    return drawn


def _stretched(
    method: WeightedEuclidean, answers: Answers, which: np.ndarray
) -> tuple[np.ndarray, np.ndarray, tuple[np.ndarray, np.ndarray, np.ndarray, str]]:
    """Scores and information of units; their labels, first answers and blocks, and the design."""
    if method.n_components == 1:
        raise DataError(
            "a map of one dimension has no axes to weight differently", file=answers.name,
            remedy="Choose two dimensions or more.",
        )
    common = common_map(answers, method.response, method.n_components, method.prior, method.seed)
    choices = choices_by(answers, which)
    scores, information = stretching(common.embedding_, choices, method.response_loss)
    labels, unit, block, permuted = _design(answers, choices)
    scores, information = (sums_by(unit, of, len(labels)) for of in (scores, information))
    first = choices.answer[np.unique(unit, return_index=True)[1]]
    return scores, information, (labels, first, block, permuted)


def _design(answers: Answers, choices: Choices) -> tuple[np.ndarray, np.ndarray, np.ndarray, str]:
    """Labels of units, unit of each stage, block of each unit, and the design in words."""
    who, number = participants_of(answers)
    trial = np.arange(len(answers)) if answers.trials is None else answers.trials
    unit = np.unique(trial[choices.answer], return_inverse=True)[1]
    first = np.unique(unit, return_index=True)[1]
    labels, person = choices.unit[first], who[choices.answer][first]
    if number < _FEWEST:
        return labels, unit, np.zeros(len(labels), np.int64), "between trials"
    seen = np.zeros((number, int(labels.max()) + 1), dtype=bool)
    seen[person[person >= 0], labels[person >= 0]] = True
    if np.mean(seen.sum(axis=1) > 1) >= _WITHIN:
        # All trials of a person under a condition move together, because a person's random
        # preference under one of them is not repeated by others.
        cell, which = np.unique(person * seen.shape[1] + labels, return_inverse=True)
        owner, label = np.divmod(cell, seen.shape[1])
        return label, which[unit], owner, "within participants"
    owner = np.unique(np.where(person >= 0, person, number + np.arange(len(person))),
                      return_inverse=True)[1]
    counts = np.zeros((int(owner.max()) + 1, seen.shape[1]))
    np.add.at(counts, (owner, labels), 1)
    main = counts.argmax(axis=1)
    return main, owner[unit], np.zeros(len(main), np.int64), "between participants"


def stretching(
    positions: np.ndarray, choices: Choices, loss: Loss
) -> tuple[np.ndarray, np.ndarray]:
    """How much each choice would stretch a map (n, d), in every direction.

    Returns scores (S, m), slopes of the log probability by the m = d (d + 1) / 2 entries of a
    symmetric metric at the unit matrix, and their information (S, m²), the expected square.
    """
    d = positions.shape[1]
    rows, columns = np.triu_indices(d)
    difference = positions[choices.pairs[:, 0]] - positions[choices.pairs[:, 1]]
    products = difference[:, rows] * difference[:, columns] * np.where(rows == columns, 1.0, 2.0)
    squares = np.einsum("ek,ek->e", difference, difference)
    likeness, slope = loss.similarities(squares)
    slopes, information = stage_scores(choices, likeness, slope[:, None] * products)
    weight = choices.weight[:, None]
    return weight * slopes, weight * information.reshape(len(slopes), -1)


def _statistic(
    scores: np.ndarray, information: np.ndarray, labels: np.ndarray, number: int
) -> float:
    """Sum over conditions of the squared score beyond size, in units of its information."""
    m = scores.shape[1]
    d = int((np.sqrt(8 * m + 1) - 1) / 2)
    rows, columns = np.triu_indices(d)
    size = (rows == columns).astype(float)
    s, i = (sums_by(labels, of, number) for of in (scores, information))
    i = i.reshape(number, m, m)
    along = i @ size
    of_size = np.maximum(along @ size, 1e-12)
    s = s - along * ((s @ size) / of_size)[:, None]
    i = i - along[:, :, None] * along[:, None, :] / of_size[:, None, None]
    return float(np.einsum("ck,ckl,cl->", s, np.linalg.pinv(i, rcond=1e-6, hermitian=True), s))
