"""Bounds of the noise ceiling from repeated questions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import betaln, comb

from tripletscope.core.data.quadruples import as_answers
from tripletscope.core.data.triplets import Answers
from tripletscope.core.engine.short_repr import short_repr
from tripletscope.core.inference.held_out.score import CHANCE, ErrorEstimate, mean_over
from tripletscope.core.inference.held_out.share import Share, jackknifed, left_out
from tripletscope.core.inference.held_out.units import (
    SamplingUnits,
    different_pairs,
    known_people,
    participants_of,
    unit_fields,
)

#: Widest interval of a bound that says something of a method.
VAGUE = 0.1
#: Largest distance to the upper bound that leaves nothing to gain.
_REACHED = 0.02
#: Of the test that people differ: level, permutations, and most people and questions.
_LEVEL, _PERMUTATIONS, _PEOPLE, _QUESTIONS = 0.05, 99, 60, 300
#: Fewest answers to questions with four for an estimate of the share of equal noise.
_FOUR = 200


@short_repr
@dataclass(frozen=True)
class Ceiling:
    """The accuracy that noise in the answers allows, between two bounds.

    Bounds are of answers to repeated questions, and None without any; 95 % intervals are over eight
    or more participants, else over answers.

    lower: Share of answers that the majority of the other answers gives. Few other answers make an
        uncertain majority, which a map can beat.
    upper: Best accuracy without knowing who answers, with the probability p of every response
        known, E[max(p, 1 - p)]. Its `n` counts pairs of answers.
    limit: Highest such accuracy of any distribution with the same agreement.
    agreement: Chance that two answers to a repeated question agree.
    questions, pairs: Repeated questions, and compared pairs of their answers.
    among {"people", "self"}: Whether answers are compared with those of other participants, or,
        where no two participants share a question, with the participant's own.
    unit, n_units: As of `ErrorEstimate`.
    differ: Whether people are seen to answer differently (`people_differ`): who knows who answers
        may then exceed both bounds.
    """

    lower: Share | None
    upper: Share | None
    limit: float = np.nan
    agreement: float = np.nan
    questions: int = 0
    pairs: int = 0
    among: str = "people"
    unit: str = "answers"
    n_units: int | None = None
    differ: bool = False

    @property
    def is_precise(self) -> bool:
        """Whether both bounds are precise enough to compare a method with them."""
        return all(
            bound is not None and bound.high - bound.low < VAGUE
            for bound in (self.lower, self.upper)
        )

    def is_reached(self, error: float, low: float) -> bool:
        """Whether a held-out error, with the low end of its interval, leaves nothing to gain.

        It must exceed that of the upper bound by at most two points, and the intervals must
        overlap. Where people differ, the bound is not that of what can be predicted.
        """
        if self.upper is None or not self.is_precise or self.differ:
            return False
        return error - (1 - self.upper.value) <= _REACHED and low <= 1 - self.upper.low

    def leaves_nothing(self, error: float, low: float, high: float) -> bool:
        """Whether more answers would hardly lower a held-out error, given with its interval."""
        return high < CHANCE and self.is_reached(error, low)


def both_ways(triplets: Answers, group: np.ndarray, n_groups: int) -> np.ndarray:
    """(groups, 2) weight of the answers of one and of the other verdict."""
    weights = np.bincount(2 * group + triplets.verdicts, triplets.weight, 2 * n_groups)
    weights = weights.astype(float)  # integers where there are no answers
    # Sums of fractional weights would hardly ever be equal.
    return np.round(weights, 9).reshape(n_groups, 2)


def pairs_of(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of answers that agree, and all pairs, from `both_ways`."""
    total = counts.sum(axis=1)
    same = np.maximum(counts * (counts - 1) / 2, 0.0).sum(axis=1)
    return same, np.maximum(total * (total - 1) / 2, same)


@dataclass(frozen=True)
class _Repeats:
    """Answers, their questions, and pairs of participant and question, -1 for unknown ones."""

    answers: Answers
    question: np.ndarray
    pair: np.ndarray
    among: str

    def counts(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(Q, 2) answers to every question, (O, 2) those of every pair, (O,) its question."""
        named = self.pair >= 0
        counts = both_ways(self.answers, self.question, int(self.question.max(initial=-1)) + 1)
        n_by_one = int(self.pair.max(initial=-1)) + 1
        mine = both_ways(self.answers.take(named), self.pair[named], n_by_one)
        to = np.zeros(n_by_one, dtype=np.int64)
        to[self.pair[named]] = self.question[named]
        return counts, mine, to

    def take(self, which: np.ndarray) -> _Repeats:
        """Some of the answers, with questions and pairs numbered from 0."""
        question = np.unique(self.question[which], return_inverse=True)[1]
        pair = self.pair[which]
        pair[pair >= 0] = np.unique(pair[pair >= 0], return_inverse=True)[1]
        return _Repeats(self.answers.take(which), question, pair, self.among)


def _repeats(triplets: Answers) -> _Repeats:
    """Answers of others where participants share questions, else those of each participant."""
    question = triplets.questions.astype(np.int64)
    who = participants_of(triplets)[0]
    named = who >= 0
    pair = np.full(len(triplets), -1)
    pair[named] = different_pairs(question[named], who[named])[2]
    repeats = _Repeats(triplets, question, pair, "people")
    counts, mine, to = repeats.counts()
    shared = np.bincount(to, pairs_of(mine)[1], len(counts)) < pairs_of(counts)[1]
    if shared.any() or not pairs_of(mine)[1].any():
        return repeats
    alone = np.full(int(named.sum()), -1)
    return _Repeats(triplets.take(named), pair[named], alone, "self")


def repeat_error(triplets: Answers, *, unit: str = "auto") -> ErrorEstimate | None:
    """Error of predicting each answer by the majority of the other answers to its question.

    Others are other participants, or, where none of these share questions, each one's own repeats.
    Few make an uncertain majority, so that a map may do better. None without repeats. Over
    participants the interval is by the jackknife: who is left out is missed in the majorities, too.
    """
    triplets = as_answers(triplets)
    repeats = _repeats(triplets)
    wrong = _by_majority(repeats)
    repeated = np.isfinite(wrong)
    if not repeated.any():
        return None
    kept, wrong_kept = repeats.answers.take(repeated), wrong[repeated]
    people = known_people(kept, unit)
    if people is None or repeats.among == "self":
        estimate = mean_over(people, wrong_kept, kept.weight, kept.groups)
    else:
        without = _error_without(repeats.take(repeated), people)
        estimate = mean_over(people, wrong_kept, kept.weight, kept.groups, jackknifed(without))
    everywhere = wrong
    if repeats.among == "self":
        everywhere = np.full(len(triplets), np.nan)
        everywhere[participants_of(triplets)[0] >= 0] = wrong
    return ErrorEstimate(
        *estimate, int(repeated.sum()), "the majority of the other answers to the same question",
        np.array([]), everywhere, **unit_fields(people),
    )


def _by_majority(repeats: _Repeats) -> np.ndarray:
    """(T,) error of the others' majority for each answer; NaN without others."""
    counts, mine, _ = repeats.counts()
    side, weight, named = repeats.answers.verdicts, repeats.answers.weight, repeats.pair >= 0
    place = np.arange(len(side))
    left = counts[repeats.question]
    left[named] -= mine[repeats.pair[named]]
    left[place[~named], side[~named]] -= np.minimum(weight[~named], 1.0)
    left = np.round(left, 9)
    same, other = left[place, side], left[place, 1 - side]
    return np.where(same + other > 0, 0.5 + np.sign(other - same) / 2, np.nan)


def _error_without(repeats: _Repeats, people: SamplingUnits) -> np.ndarray:
    """(P,) share of the answers that differ from the others' majority, without each participant.

    Answers to a question that are judged alike are counted together: as rows of what they say,
    (2,), and of what is theirs in the counts, which of an unknown participant is one answer.
    """
    counts, mine, to = repeats.counts()
    side, weight, named = repeats.answers.verdicts, repeats.answers.weight, repeats.pair >= 0
    single = np.zeros((int((~named).sum()), 2))
    single[np.arange(len(single)), side[~named]] = np.round(weight[~named], 9)
    rows = np.column_stack([
        np.concatenate([to, repeats.question[~named]]), np.concatenate([mine, single]),
        np.concatenate([mine, np.minimum(single, 1.0)]),
    ])
    kind = np.zeros(len(rows), dtype=np.int64)
    for column in rows.T:  # of whole rows at once, sorting takes four times as long
        values, code = np.unique(column, return_inverse=True)
        kind = np.unique(kind * len(values) + code, return_inverse=True)[1]
    first, number = np.unique(kind, return_index=True, return_counts=True)[1:]
    kinds = rows[first]
    question, said, own = kinds[:, 0].astype(np.int64), kinds[:, 1:3], kinds[:, 3:]

    def judged(
        which: np.ndarray, times: np.ndarray, left: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Weight of the wrong answers, and of all with others, of kinds of answers."""
        others = np.round(left - own[which], 9)
        wrong = 0.5 + np.sign(others[:, ::-1] - others) / 2
        weight = times[:, None] * said[which] * (others.sum(axis=1) > 0)[:, None]
        return (wrong * weight).sum(axis=1), weight.sum(axis=1)

    sums = judged(np.arange(len(kinds)), number, counts[question])
    of_questions = [np.bincount(question, each, len(counts)) for each in sums]
    # What one says to a question changes the judgement of every kind of answers to it.
    n_kinds = np.bincount(question, minlength=len(counts))
    cell = np.repeat(np.arange(len(mine)), n_kinds[to])
    which = np.arange(len(cell)) - np.repeat(
        np.cumsum(n_kinds[to]) - n_kinds[to] - (np.cumsum(n_kinds) - n_kinds)[to], n_kinds[to]
    )
    times = number[which] - (which == kind[: len(mine)][cell])
    moved = judged(which, times, counts[to][cell] - mine[cell])
    first = np.unique(repeats.pair[named], return_index=True)[1]
    unit = people.part[np.flatnonzero(named)[first]]
    wrong, total = (
        of.sum() + np.bincount(unit, np.bincount(cell, each, len(mine)) - of[to], people.number)
        for of, each in zip(of_questions, moved, strict=True)
    )
    return wrong[total > 0] / total[total > 0]


def noise_ceiling(triplets: Answers, *, unit: str = "auto") -> Ceiling:
    """Bounds of the accuracy that noise in the answers (T, 3) or (T, 4) allows.

    For the upper bound, 2p - 1 of a repeated question is s (2b - 1), where b has a symmetric beta
    distribution and s <= 1: two answers agree with probability E[p² + (1 - p)²], and four tell how
    much of their disagreement is the same for all questions (lapses). Pairs and quadruples of
    answers by different participants estimate both moments without bias; with fewer than 200
    answers to questions with four, s = 1. An upper bound below the lower one is raised to it.
    Intervals are by the jackknife over units: participants and, beside them, the questions that
    they share.

    In simulations with two to ten answers to each of 300 questions the bias is within 1.5 points
    where responses follow distances, with or without lapses; up to -4 points where all questions
    are equally hard and none has four answers, or participants repeat them; +7 points where half of
    the questions are guesses and the others certain.

    References
    ----------
    Nili, H., et al. (2014). A toolbox for representational similarity analysis. PLoS
    Computational Biology, 10, e1003553: a lower and an upper bound of the noise ceiling.
    """
    triplets = as_answers(triplets)
    estimate = repeat_error(triplets, unit=unit)
    if estimate is None:
        return Ceiling(None, None)
    lower = Share(
        1 - estimate.error, 1 - estimate.high, 1 - estimate.low, estimate.n_answers,
        estimate.n_units,
    )
    repeats = _repeats(triplets)
    repeats = repeats.take(np.isfinite(_by_majority(repeats)))
    people = known_people(repeats.answers, unit)
    units = repeats.answers.groups if people is None else people.part
    sums, without = _sums(repeats, units, people is not None)
    agreement = float(sums[0] / sums[1]) if sums[1] else np.nan
    upper = Share.of(0, 0)
    n_pairs = round(float(sums[5]))
    if np.isfinite(agreement):
        if sums[3] < _FOUR:
            sums[3] = 0.0
        value = float(_best_accuracy(sums))
        n_units = None if people is None else people.number
        parts = [without]
        if people is not None:
            cell = different_pairs(repeats.question, units)[2]
            parts += [_sums(repeats, each, False)[1] for each in (repeats.question, cell)]
        low, high = left_out(
            value, _best_without(parts[0], sums), n_pairs, n_units,
            *(_best_without(part, sums) for part in parts[1:]),
        )
        upper = Share(
            max(value, lower.value), max(low, lower.low, 0.5), max(high, lower.high), n_pairs,
            n_units,
        )
    return Ceiling(
        lower, upper, 0.5 + 0.5 * np.sqrt(max(2 * agreement - 1, 0.0)), agreement,
        int(repeats.question.max()) + 1, n_pairs, repeats.among, **unit_fields(people),
    )


def _sums(repeats: _Repeats, units: np.ndarray, are_people: bool) -> tuple[np.ndarray, np.ndarray]:
    """(6,) the sums of `_of_questions` over all questions, and (6, U) those without each unit."""
    counts, mine, to = repeats.counts()
    within = np.array([np.bincount(to, pairs, len(counts)) for pairs in pairs_of(mine)])
    each = _of_questions(counts, within)
    n_units = int(units.max()) + 1
    question, unit, group = different_pairs(repeats.question, units)
    removed = both_ways(repeats.answers, group, len(unit))
    if are_people:
        # A participant's own pairs go, too; unknown participants have none.
        named = np.zeros(len(unit), dtype=bool)
        named[group] = repeats.pair >= 0
        left = within[:, question] - np.where(named, pairs_of(removed), 0.0)
    else:
        left = np.zeros((2, len(unit)))
    change = _of_questions(np.round(counts[question] - removed, 9), left) - each[:, question]
    total = each.sum(axis=1)
    without = [np.bincount(unit, row, n_units) for row in change]
    return total, total[:, None] + np.array(without)


def _best_without(without: np.ndarray, sums: np.ndarray) -> np.ndarray:
    """(U',) best accuracy by sums (6, U) without each unit, where these are some; of all, (6,)."""
    left = without[:, without[1] > 0].copy()
    if not sums[3]:  # too few questions with four answers to count
        left[3] = 0.0
    return _best_accuracy(left)


def _of_questions(counts: np.ndarray, within: np.ndarray) -> np.ndarray:
    """(6, Q) terms of the moments, by question; zeros where there are none.

    Answers times the share of pairs that agree, and answers; for questions with four answers by
    different participants, answers times the mean product of four answers of +1 and -1, answers,
    and the first term; last, pairs.

    counts (Q, 2).
    within (2, Q): Pairs by one participant that agree, and all of them; they do not count.
    """
    same, pairs = (of - by_one for of, by_one in zip(pairs_of(counts), within, strict=True))
    total = counts.sum(axis=1)
    has_pairs = pairs > 1e-9
    agree = np.divide(same, pairs, out=np.zeros(len(counts)), where=has_pairs)
    four = (total >= 4) & (within[1] == 0) & (counts % 1 == 0).all(axis=1)
    one, other = counts.T
    products = sum((-1) ** j * comb(other, j) * comb(one, 4 - j) for j in range(5))
    product = np.divide(products, comb(total, 4), out=np.zeros(len(counts)), where=four)
    return np.array([
        total * agree, total * has_pairs, total * product, total * four, total * agree * four,
        np.where(has_pairs, pairs, 0.0),
    ])


def _best_accuracy(sums: np.ndarray) -> np.ndarray:
    """E[max(p, 1 - p)] from sums as `_sums` has them, (6,) or (6, U)."""
    agree, answers, product, with_four, agree_four, _ = sums
    with np.errstate(invalid="ignore", divide="ignore"):
        second = np.clip(2 * agree / answers - 1, 1e-12, 1.0)
        there = np.clip(2 * agree_four / with_four - 1, 1e-12, 1.0)
        # Of a beta distribution: E (2b - 1)² = 1 / x and E (2b - 1)⁴ = 3 / (x (x + 2)), with
        # x = 2a + 1; the ratio of the latter to the former's square does not depend on s.
        ratio = np.clip(product / with_four / there**2, 1.0, 3.0 - 1e-9)
        x = np.where(with_four > 0, 2 * ratio / (3 - ratio), np.inf)
    x = np.maximum(np.minimum(x, 1 / second), 1 + 1e-9)
    size = np.sqrt(np.minimum(second * x, 1.0))
    a = (x - 1) / 2
    return 0.5 + size * np.exp(-a * np.log(4) - np.log(a) - betaln(a, a))


def people_differ(triplets: Answers, seed: int = 0) -> bool:
    """Whether people are seen to differ in what they answer, beside how consistently.

    Questions with answers of three or more people count, once for each. Answers of people who are
    alike can be exchanged within a question. The statistic sums over pairs of people the squared
    covariance of what their answers have beside the mean of the question, of which each follows as
    much as fits best: people who guess do not differ by that. Its permutation test is at 5 %, of
    up to 60 people and 300 questions.
    """
    triplets = as_answers(triplets)
    who = participants_of(triplets)[0]
    named = np.flatnonzero(who >= 0)
    question, person, pair = different_pairs(triplets.questions[named].astype(np.int64), who[named])
    first = named[np.unique(pair, return_index=True)[1]]
    shared = np.bincount(np.unique(question, return_inverse=True)[1])
    known = shared[np.unique(question, return_inverse=True)[1]] >= 3
    question, person, first = question[known], person[known], first[known]
    for most, of_people in ((_PEOPLE, True), (_QUESTIONS, False)):
        codes = person if of_people else question
        names, place, number = np.unique(codes, return_inverse=True, return_counts=True)
        if len(names) > most:
            kept = np.isin(place, np.argsort(-number, kind="stable")[:most])
            question, person, first = question[kept], person[kept], first[kept]
    rows, columns = (np.unique(codes, return_inverse=True)[1] for codes in (person, question))
    if len(np.unique(rows)) < 3:
        return False
    said = np.zeros((int(rows.max()) + 1, int(columns.max()) + 1))
    there = np.zeros(said.shape, dtype=bool)
    said[rows, columns], there[rows, columns] = 1.0 - 2.0 * triplets.verdicts[first], True
    rng, observed, above = np.random.default_rng(seed), _differences(said, there), 0
    order = np.argsort(~there, axis=0, kind="stable")
    for _ in range(_PERMUTATIONS):
        drawn = np.argsort(np.where(there, rng.random(there.shape), 2.0), axis=0)
        other = np.zeros_like(said)
        np.put_along_axis(other, order, np.take_along_axis(said, drawn, axis=0), axis=0)
        above += _differences(other, there) >= observed
    return (1 + above) / (1 + _PERMUTATIONS) <= _LEVEL


def _differences(said: np.ndarray, there: np.ndarray) -> float:
    """Sum of squared covariances of people's answers (P, Q) of 1 and -1, 0 where not asked."""
    number = there.sum(axis=0)
    mean = np.where(there, (said.sum(axis=0) - said) / np.maximum(number - 1, 1), 0.0)
    follows = (said * mean).sum(axis=1) / np.maximum((mean**2).sum(axis=1), 1e-12)
    rest = said - follows[:, None] * mean
    together = rest @ rest.T
    return float(np.sum(np.tril(together, -1) ** 2))
