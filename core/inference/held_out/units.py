"""Sampling units: participants, or trials."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np
import pandas as pd

from tripletscope.core.data.answers import HELD_TOGETHER
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.named import one_of
from tripletscope.core.data.triplets import Answers
from tripletscope.core.engine.declared import Choice

#: Fewest participants who are resampled by default: fewer say too little of how people differ.
ENOUGH = 8

UNITS = {
    "auto": "Automatic",
    "participants": "Participants",
    "answers": "Answers",
    "both": "Participants and answers",
}

Unit = Annotated[str, Choice(
    UNITS, "Sampling unit",
    "Participants: variation over samples of people. Answers: variation over answers of the same "
    "people, which is too small for a statement about people. Participants and answers: people, "
    f"then their answers, which is conservative. Automatic: participants from {ENOUGH} on."
)]

#: Units of intervals by a formula.
IntervalUnit = Annotated[str, Choice(
    {name: UNITS[name] for name in ("auto", "participants", "answers")}, "Sampling unit",
    "Unit of the interval. Participants: variation of the error over samples of people whose other "
    "answers are learned from, as here; people without answers are predicted worse. Answers: "
    f"variation over answers of the same people. Automatic: participants from {ENOUGH} on."
)]

#: Units of predictions from features.
LearnedUnit = Annotated[str, Choice(
    {name: UNITS[name] for name in ("auto", "participants", "answers")}, "Sampling unit",
    "Unit of the intervals, beside the objects. Participants: variation of a share over objects "
    "and samples of people. Answers: variation over objects and answers of the same people. In "
    "both, the learned models are fixed."
)]


@dataclass(frozen=True)
class SamplingUnits:
    """Which answers are drawn together.

    unit: one of {"participants", "answers", "both"}.
    number: Participants or, where answers are drawn, trials (answers without trials).
    part (T,) or None: Unit of each answer, from 0; None where each answer is one. Trials of unknown
        participants come last.
    trial (T,) or None: Trial of each answer, ascending with its unit; for ``both`` only.
    question, cell (T,) or None: Question of each answer, and the pair of question and unit, from 0,
        where several participants share questions.
    ratings (T, 2) or None: Numbers, from 0, of the two ratings that each answer compares, where
        all answers are comparisons of ratings, and these are drawn; `part` is None then.
    """

    unit: str
    number: int
    part: np.ndarray | None
    trial: np.ndarray | None = None
    question: np.ndarray | None = None
    cell: np.ndarray | None = None
    ratings: np.ndarray | None = None

    @property
    def degrees(self) -> int | None:
        """Degrees of freedom of a variance between participants; None where answers are drawn."""
        return None if self.unit == "answers" else self.number - 1

    @property
    def correction(self) -> float:
        """Factor to the variance between resamples: P participants vary by 1 - 1/P too little."""
        # The variance of two stages is too large in any case.
        return self.number / (self.number - 1) if self.unit == "participants" else 1.0

    def take(self, which: np.ndarray) -> SamplingUnits:
        """The units of the answers at some positions."""
        if self.ratings is not None:
            return _of_ratings(self.ratings[which])
        if self.part is None:
            return replace(self, number=len(which))
        kept, part = np.unique(self.part[which], return_inverse=True)
        trial = self.trial
        if trial is not None:
            trial = np.unique(trial[which], return_inverse=True)[1]
        question, cell = (None if one is None else one[which] for one in (self.question, self.cell))
        return replace(
            self, number=int(np.sum(kept < self.number)), part=part, trial=trial,
            question=question, cell=cell,
        )

    def drawn(self, rng: np.random.Generator, share: float | None = None) -> np.ndarray:
        """(T,) draws of each answer: with replacement, or a share of the units without.

        A comparison of two ratings is drawn once for each pair of their draws.
        """
        counts = _drawn(self.number, share, rng)
        if self.ratings is not None:
            return counts[self.ratings].prod(axis=1)
        if self.part is None:
            return counts
        others = int(self.part.max(initial=-1)) + 1 - self.number
        if others:
            counts = np.concatenate([counts, _drawn(others, share, rng)])
        if self.trial is None:
            return counts[self.part]
        # Trials are numbered by unit, so that those of a unit follow each other.
        unit = self.part[np.unique(self.trial, return_index=True)[1]]
        trials = np.bincount(unit)
        sizes = counts * trials
        first = np.repeat(np.cumsum(trials) - trials, sizes)
        chosen = first + (rng.random(len(first)) * np.repeat(trials, sizes)).astype(np.int64)
        return np.bincount(chosen, minlength=len(unit))[self.trial]

    def halves(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """(T,) masks of the answers of each random half of the units.

        Comparisons of a rating of one half with one of the other are in neither.
        """
        if self.ratings is None:
            half = self.drawn(rng, 0.5) > 0
            return half, ~half
        half = (_drawn(self.number, 0.5, rng) > 0)[self.ratings]
        return half.all(axis=1), ~half.any(axis=1)

    def influence(
        self, wrong: np.ndarray, weight: np.ndarray, which: np.ndarray | slice = slice(None)
    ) -> np.ndarray:
        """(P,) by how much each unit moves a mean of `wrong` (t,) over the answers `which` (T,)."""
        weight = weight / weight.sum()
        return np.bincount(
            self.part[which], weight * (wrong - weight @ wrong), int(self.part.max()) + 1
        )

    def shared(
        self, wrong: np.ndarray, weight: np.ndarray, which: np.ndarray | slice = slice(None)
    ) -> float:
        """Variance of the same mean that comes of shared questions: see `shared_covariance`."""
        if self.question is None:
            return 0.0
        weight = weight / weight.sum()
        moved = weight * (wrong - weight @ wrong)
        shared = shared_covariance(self.question[which], self.cell[which], moved[:, None])
        return max(float(shared[0, 0]), 0.0)

    def subsampled(self, share: float) -> float:
        """Factor from the variance between subsamples to that of all answers, r / (1 - r)."""
        if self.unit == "answers":
            return share / (1.0 - share)
        few = _size(self.number, share)
        return few / (self.number - few)


def _of_ratings(pairs: np.ndarray) -> SamplingUnits:
    """The ratings that answers compare, codes (T, 2), as units."""
    pair, ratings = np.unique(pairs, return_inverse=True)
    return SamplingUnits("answers", len(pair), None, ratings=ratings.reshape(-1, 2))


def _size(number: int, share: float) -> int:
    return max(int(share * number), 1)


def _drawn(number: int, share: float | None, rng: np.random.Generator) -> np.ndarray:
    """(number,) how often each unit is drawn."""
    if share is None:
        return np.bincount(rng.integers(number, size=number), minlength=number)
    counts = np.zeros(number, dtype=np.int64)
    counts[rng.choice(number, _size(number, share), replace=False)] = 1
    return counts


def sampling_units(data: Answers, unit: str = "auto") -> SamplingUnits:
    """The units of these answers.

    unit {"auto", "participants", "answers", "both"}: ``answers``: the answers of a trial are drawn
        together; of comparisons of ratings, the ratings are. ``participants``: those of
        a participant. ``both``: participants, and for each draw of one, as many of the own trials,
        with replacement. ``auto``: participants if at least `ENOUGH` gave at least half of the
        answers; otherwise answers.

    Trials of unknown participants are drawn among themselves, and `SamplingUnits.number` leaves
    them out. Answers of weight 0 do not count.

    References
    ----------
    Davison, A. C., & Hinkley, D. V. (1997). Bootstrap methods and their application. Section 3.8:
    drawing groups, and groups and their members.
    """
    one_of(UNITS, unit, "unit")
    who, n_people = participants_of(data)
    if unit == "auto":
        named = np.mean(who[data.weight > 0] >= 0) if n_people else 0.0
        unit = "participants" if n_people >= ENOUGH and named >= 0.5 else "answers"
    trial = data.trials
    if unit == "answers":
        if data.are_rated:
            whose = pd.factorize(data.answers[HELD_TOGETHER])[0]
            return _of_ratings(whose[:, None] * data.n_objects**2 + data.compared_pairs)
        number = len(data) if trial is None else int(trial.max()) + 1
        return SamplingUnits(unit, number, trial)
    if n_people < 2:
        raise DataError(
            f"participants cannot be resampled where {'one is' if n_people else 'none are'} known",
            file=data.name, remedy="Resample answers, or name the column of participants.",
        )
    trial = np.arange(len(data)) if trial is None else trial
    part = np.where(who >= 0, who, n_people + trial)
    both = different_pairs(part, trial)[2] if unit == "both" else None
    return SamplingUnits(unit, n_people, np.unique(part, return_inverse=True)[1], both)


def n_participants(data: Answers) -> int:
    """Number of participants who gave answers of positive weight."""
    return participants_of(data)[1]


def participants_of(data: Answers) -> tuple[np.ndarray, int]:
    """(T,) participant of each answer of positive weight, or -1, and the number of participants."""
    if "participant" not in data.answers:
        return np.full(len(data), -1), 0
    # Texts of millions of answers would take more memory than the answers.
    codes, values = pd.factorize(data.answers["participant"])
    names = pd.Series(values).astype("str")
    name = np.append(np.where(names == "", -1, pd.factorize(names)[0]), -1)[codes]
    counts = (name >= 0) & (data.weight > 0)
    who = np.full(len(data), -1)
    who[counts] = pd.factorize(name[counts])[0]
    return who, int(who.max(initial=-1)) + 1


def different_pairs(
    first: np.ndarray, second: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Both numbers of the different pairs, (G,) each, and the pair of every row (T,)."""
    n = np.int64(second.max(initial=0)) + 1
    codes, group = np.unique(first.astype(np.int64) * n + second, return_inverse=True)
    return *np.divmod(codes, n), group


def shared_covariance(question: np.ndarray, cell: np.ndarray, moved: np.ndarray) -> np.ndarray:
    """(M, M) covariance of M means that comes of questions which several people were asked.

    That between questions, less that of a person's answers to one, which is part of the covariance
    between people; zero where no question is shared, and negative by chance.

    question, cell (T,): Question of each answer, and pair of question and person, from 0.
    moved (T, M): By how much each answer moves the means.

    References
    ----------
    Cameron, A. C., Gelbach, J. B., & Miller, D. L. (2011). Robust inference with multiway
    clustering. Journal of Business & Economic Statistics, 29, 238-249.
    """
    by_question, alone = (
        np.stack([np.bincount(part, column) for column in moved.T], axis=1)
        for part in (question, cell)
    )
    return by_question.T @ by_question - alone.T @ alone


def known_people(data: Answers, unit: str) -> SamplingUnits | None:
    """Participants as units, with the questions they share; None where answers are the unit."""
    units = sampling_units(data, unit)
    if units.unit == "answers":
        return None
    cell = different_pairs(units.part, data.groups)[2]
    if int(cell.max(initial=-1)) == int(data.groups.max(initial=-1)):
        return units
    return replace(units, question=data.groups, cell=cell)


def unit_fields(people: SamplingUnits | None) -> dict[str, Any]:
    """Fields of an error estimate for its unit."""
    return {} if people is None else {"unit": "participants", "n_units": people.number}
