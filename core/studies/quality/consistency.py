"""Consistency and coverage of answers."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

from tripletscope.core.data.columns import codes_of, divided
from tripletscope.core.data.places import different
from tripletscope.core.data.quadruples import Quadruples, as_answers
from tripletscope.core.data.triplets import Answers, Triplets, as_triplets
from tripletscope.core.engine.short_repr import short_repr
from tripletscope.core.inference.held_out.ceiling import both_ways, pairs_of
from tripletscope.core.inference.held_out.compare import needed_answers
from tripletscope.core.inference.held_out.share import Share, left_out, wilson
from tripletscope.core.inference.held_out.units import (
    different_pairs,
    known_people,
    participants_of,
)
from tripletscope.core.inference.validity import parts_of


@short_repr
@dataclass(frozen=True)
class Repeats:
    """How often two answers to one question agree.

    within, between: Of pairs of answers by one participant, and by two; `n` counts pairs, chance is
        one half.
    questions: Different comparisons.
    repeated, contradicted: Those that were answered more than once, and both ways.
    """

    within: Share
    between: Share
    questions: int
    repeated: int
    contradicted: int


def repeats(triplets: Answers, *, unit: str = "auto") -> Repeats:
    """Agreement of repeated answers (T, 3) or (T, 4), with intervals by the jackknife over `unit`.

    Without participants all pairs count as between. An answer of weight w counts as w answers of
    its participant or, if nobody is named, of different people.
    """
    triplets = as_answers(triplets)
    people = known_people(triplets, unit)
    question = triplets.questions
    n_questions = int(question.max(initial=-1)) + 1
    counts = both_ways(triplets, question, n_questions)
    same, pairs = pairs_of(counts)
    within_same, within_pairs = np.zeros(n_questions), np.zeros(n_questions)
    if "participant" in triplets.answers:
        who, _ = codes_of(triplets, "participant")
        named = who >= 0
        of, _, group = different_pairs(question[named], who[named])
        agree, all_of_them = pairs_of(both_ways(triplets.take(named), group, len(of)))
        within_same = np.bincount(of, agree, n_questions)
        within_pairs = np.bincount(of, all_of_them, n_questions)
    sums = np.array([[within_same, within_pairs], [same - within_same, pairs - within_pairs]])
    if people is None:
        within, between = (_ratio(*of) for of in sums)
    else:
        change = _without_each(triplets, people.part, counts, sums)
        within, between = (
            _over_people(*of, people.number)
            for of in zip(sums.sum(axis=2), change, strict=True)
        )
    # An answer of weight 2 counts as two, and one of little weight as one.
    answered = np.bincount(
        question, np.where(triplets.weight > 0, np.maximum(triplets.weight, 1.0), 0.0), n_questions
    )
    return Repeats(
        within, between, n_questions, int(np.count_nonzero(answered > 1)),
        int(np.count_nonzero((counts > 0).all(axis=1))),
    )


def _without_each(
    triplets: Answers, part: np.ndarray, counts: np.ndarray, sums: np.ndarray
) -> np.ndarray:
    """(2, 2, P) what `sums` (2, 2, Q) lose with each participant.

    Sums are of pairs by one participant, and by two: those that agree, and all of them.
    """
    n = int(part.max()) + 1
    of, who, group = different_pairs(triplets.questions, part)
    theirs = both_ways(triplets, group, len(of))
    named = np.zeros(len(of), dtype=bool)
    named[group] = participants_of(triplets)[0] >= 0
    mine = np.where(named, pairs_of(theirs), 0.0)
    loss = sums.sum(axis=0)[:, of] - pairs_of(np.round(counts[of] - theirs, 9))
    return np.array([[np.bincount(who, row, n) for row in pair] for pair in (mine, loss - mine)])


def _over_people(sums: np.ndarray, loss: np.ndarray, n_people: int) -> Share:
    """A share of `sums` (2,) with its interval over participants.

    loss (2, P): The same of each participant, of whom the first `n_people` are known.
    """
    part, whole = sums
    with_any = loss[1] > 1e-9
    left = whole - loss[1, with_any]
    if whole < 1 or np.any(left < 1e-9):
        return _ratio(sums[:1], sums[1:])
    share = part / whole
    without = (part - loss[0, with_any]) / left
    people = int(with_any[:n_people].sum())
    return Share(share, *left_out(share, without, whole, people), round(whole), people)


def ratios(
    part: np.ndarray, whole: np.ndarray, of: np.ndarray, n: int, most: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Total, share, low and high (n,) of sums over questions, with Wilson's 95 % interval.

    At the effective number of cases, by the variance of a ratio estimator over questions. NaN for
    less than one case.

    part, whole (G,): Cases of one question and one group `of` that count, and all of them.
    most (n,): Largest effective number of cases, where `whole` are weights.
    """
    total = np.bincount(of, whole, n)
    most = total if most is None else most
    share = divided(np.bincount(of, part, n), np.where(most < 1, 0.0, total))
    rest = part - share[of] * whole
    with np.errstate(invalid="ignore", divide="ignore"):
        variance = np.bincount(of, rest**2, n) / total**2
        effective = np.where(
            variance > 0, share * (1 - share) / variance, np.bincount(of[whole > 0], minlength=n)
        )
        low, high = wilson(share, np.minimum(effective, most))
    return total, share, low, high


def _ratio(part: np.ndarray, whole: np.ndarray) -> Share:
    total, *interval = (float(a[0]) for a in ratios(part, whole, np.zeros(len(part), np.int64), 1))
    return Share(*interval, round(total) if total >= 1 else 0)


def transitivity(triplets: Triplets) -> pd.DataFrame:
    """Circles in the answers about each anchor.

    If j is nearer than k and k than l, then j should be nearer than l. Pairs of options count by
    the majority of their answers, without ties.

    Columns: ``id``, ``triples`` of options that were all compared with each other, and ``circular``
    ones, one in four by guessing.
    """
    triplets = as_triplets(triplets)
    n = triplets.n_objects
    question = triplets.questions
    counts = both_ways(triplets, question, int(question.max(initial=-1)) + 1)
    lead = counts[:, 0] - counts[:, 1]
    first = np.unique(question, return_index=True)[1]
    anchor, near, far = triplets.rows[first].T
    low, high = np.minimum(near, far), np.maximum(near, far)
    decided = lead != 0
    from_, to = np.where(lead > 0, low, high)[decided], np.where(lead > 0, high, low)[decided]
    anchor = anchor[decided]
    order = np.argsort(anchor, kind="stable")
    bounds = np.searchsorted(anchor[order], np.arange(n + 1))
    triples, circular = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    for i in range(n):
        members = order[bounds[i] : bounds[i + 1]]
        if len(members) < 3:
            continue
        names, ends = np.unique(np.concatenate([from_[members], to[members]]), return_inverse=True)
        tail, head = np.split(ends, 2)
        size = (len(names), len(names))
        wins = csr_array((np.ones(len(members)), (tail, head)), shape=size)
        met = wins + wins.T
        circular[i] = round(((wins @ wins) * wins.T).sum() / 3)
        triples[i] = round(((met @ met) * met).sum() / 6)
    return pd.DataFrame({"id": triplets.ids, "triples": triples, "circular": circular})


@dataclass(frozen=True)
class RuleOfThumb:
    """How many judgements a map takes at least, and how many there are.

    number, needed: Of what `of` says.
    of: "questions", different triplets as far as they are independent, of which a map takes
        d n ln n; or "pairs", rated pairs of objects, of which it takes two for each coordinate.
    """

    number: int
    needed: float
    of: str

    @property
    def is_met(self) -> bool:
        return self.number >= self.needed


def rule_of_thumb(answers: Answers, n_components: int) -> RuleOfThumb:
    """Whether answers suffice for a map; there is no rule for comparisons of pairs, which do.

    References
    ----------
    Kruskal, J. B., & Wish, M. (1978). Multidimensional scaling. Sage. P. 34.
    """
    n = answers.n_objects
    if isinstance(answers, Quadruples):
        return RuleOfThumb(answers.n_questions, 0.0, "questions")
    if answers.are_rated:
        pairs = len(different(answers.compared_pairs.ravel()))
        return RuleOfThumb(pairs, 2.0 * n_components * n, "pairs")
    return RuleOfThumb(answers.n_questions, needed_answers(n, n_components), "questions")


@short_repr
@dataclass(frozen=True)
class Coverage:
    """How many comparisons were asked, and how many are needed.

    answers, questions: Answers, and different comparisons among them.
    independent: The latter, as far as they are independent: see `Answers.n_questions`. Of ratings,
        rated pairs.
    possible: All comparisons of n objects: 3 C(n, 3) triplets, C(C(n, 2), 2) of pairs.
    needed: As many by the `rule_of_thumb`, for d dimensions; empty for comparisons of pairs.
    never_asked: Ids of objects in no answer.
    components: Groups of objects that no answer joins, whose relative positions are unknown.
    """

    answers: int
    questions: int
    independent: int
    possible: int
    needed: dict[int, float]
    never_asked: list[str]
    components: int

    @property
    def dimensions(self) -> int:
        """Most dimensions with enough questions by the rule of thumb; 0 if none."""
        return max((d for d, least in self.needed.items() if self.independent >= least), default=0)


def coverage(triplets: Answers) -> Coverage:
    """Coverage of the comparisons, with the questions needed for up to ten dimensions."""
    triplets = as_answers(triplets)
    n = triplets.n_objects
    mentioned = triplets.answers_per_object > 0
    rules = {d: rule_of_thumb(triplets, d) for d in range(1, 11)}
    if isinstance(triplets, Quadruples):
        possible, needed = comb(comb(n, 2), 2), {}
    else:
        possible, needed = 3 * comb(n, 3), {d: rule.needed for d, rule in rules.items()}
    return Coverage(
        len(triplets), len(different(triplets.questions)), rules[1].number, possible, needed,
        [name for name, is_in in zip(triplets.ids, mentioned, strict=True) if not is_in],
        int(parts_of(triplets).max(initial=-1)) + 1,
    )
