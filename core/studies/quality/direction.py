"""Whether a file is read the right way round, by predictions of each possible reading.

A wrong reading gives a plausible map, often with a held-out accuracy above one half: only the
comparison of readings shows it.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import pandas as pd

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.grouping import grouped
from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import Answers, Triplets
from tripletscope.core.engine.method import Method
from tripletscope.core.engine.parallel import CancelToken, results_of
from tripletscope.core.engine.progress import Progress, silent
from tripletscope.core.inference.held_out.popularity import popularity_mistakes
from tripletscope.core.inference.held_out.score import half_width_over_people
from tripletscope.core.inference.held_out.units import SamplingUnits, known_people, unit_fields
from tripletscope.core.models.embedding import STE
from tripletscope.core.reading import Reading, Table
from tripletscope.core.reading.columns.alternatives import alternatives
from tripletscope.core.reading.interpretation.interpret import interpret
from tripletscope.core.reading.interpretation.proposal import Recognition
from tripletscope.core.reading.kinds import Sign
from tripletscope.core.scales import MLDS

#: Rows of the sample: at least this many, and this many for each object.
MOST_ROWS = 20_000
ROWS_PER_OBJECT = 30
FOLDS = 3
#: Least accuracy, and standard errors, by which a reading is clearly better.
CLEARLY, SURELY = 0.02, 4.0
#: Standard errors by which a reading is confirmed, or chosen among those that nothing else tells
#: apart; most such readings.
CONFIRMED = 2.0
MOST_TIED = 12
#: Added to the sum of squared differences, as by one question of which three answers changed sides:
#: a few answers that all agree have no standard error.
_DOUBT = 9.0


@dataclass(frozen=True, eq=False)
class DirectionTest:
    """How well a map predicts the answers under each reading of a file.

    readings: Those that fit; the first is the user's.
    accuracy (R,): Share of held-out answers that a map predicts.
    low, high (R,): 95 % intervals, by question where answers are the unit; see
        `tripletscope.core.inference.held_out.score.half_width_over_people`.
    over_popularity (R,): Accuracy beyond what the objects' popularity predicts without an anchor:
        objects that are hardly ever options make a wrong reading look good.
    best: The reading to choose, by questions: 0 unless another one is clearly better.
    winner: The reading that predicts better than popularity and than every other reading, by more
        than two standard errors over questions, about objects that recur; -1 if none does.
    n_rows: Rows of the sample.
    unit, n_units: As of `ErrorEstimate`.
    """

    readings: list[Reading]
    accuracy: np.ndarray
    low: np.ndarray
    high: np.ndarray
    over_popularity: np.ndarray
    best: int
    n_rows: int
    winner: int = -1
    unit: str = "answers"
    n_units: int | None = None

    @property
    def warns(self) -> bool:
        """Whether another reading predicts clearly better."""
        return self.best > 0

    @property
    def next_best(self) -> int:
        """The other reading with the highest accuracy; 0 where there is none."""
        return 1 + int(np.argmax(self.accuracy[1:])) if len(self.readings) > 1 else 0

    @property
    def judgement(self) -> str:
        """One of {"wrong", "unknown", "only", "chance", "popularity", "tie", "right"}.

        "popularity": another reading predicts more, by popularity alone; "only": no other reading
        fits; "tie": no reading is better than all others by more than chance.
        """
        chosen = self.accuracy[0]
        if self.warns:
            return "wrong"
        if not np.isfinite(chosen):
            return "unknown"
        if len(self.readings) == 1:
            return "only"
        if self.low[0] <= 0.5:
            return "chance"
        if self.accuracy[self.next_best] - chosen > CLEARLY:
            return "popularity"
        return "right" if self.winner == 0 else "tie"


def direction_test(
    table: Table, reading: Reading, others: Sequence[Reading] | None = None, *, seed: int = 0,
    progress: Progress = silent,
) -> DirectionTest:
    """Compare a reading of a file, the user's, with others, by default all that fit its columns.

    A two-dimensional map of two thirds of the rows predicts the rest, three times, with the same
    rows under every reading; answers about the same objects, or of one trial, are held out
    together. Triads of levels are predicted by a difference scale (MLDS) instead.
    """
    rng = np.random.default_rng(seed)
    sample = _sample(table, reading, rng)
    trials = [_RowAnswers.of(sample, reading)]
    readings = [reading]
    for other in alternatives(sample, reading)[1:] if others is None else others:
        try:
            answers = _RowAnswers.of(sample, other)
        except DataError:
            continue
        # Two codings may give the same answers.
        if not any(answers.equal(one) for one in trials):
            trials.append(answers)
            readings.append(other)
    fold, question = _folds(trials, sample.n_rows, rng)
    jobs = [(one, fold[one.row] == k) for one in trials for k in range(FOLDS)]
    right = [np.full(len(one.row), np.nan) for one in trials]
    popular = [np.full(len(one.row), np.nan) for one in trials]
    predictions = results_of(_predicted, jobs, progress)
    for i, ((_, held_out), each) in enumerate(zip(jobs, predictions, strict=True)):
        right[i // FOLDS][held_out], popular[i // FOLDS][held_out] = each
    by_row = [one.by_row(values) for one, values in zip(trials, right, strict=True)]
    gain = [
        one.by_row(values - plain)
        for one, values, plain in zip(trials, right, popular, strict=True)
    ]
    people = trials[0].people
    part = question
    if people is not None:
        part = np.zeros(sample.n_rows, dtype=np.int64)
        part[trials[0].row] = people.part
    accuracy = np.array([_mean(values, question)[0] for values in by_row])
    n_people = None if people is None else people.number
    half = np.array([_half_width(values, fold, part, n_people) for values in by_row])
    return DirectionTest(
        readings, accuracy, np.maximum(accuracy - half, 0.0), np.minimum(accuracy + half, 1.0),
        np.array([_mean(g, question)[0] for g in gain]),
        _best(readings, by_row, gain, question), sample.n_rows,
        _winner(by_row, gain, question) if trials[0].recurs else -1, **unit_fields(people),
    )


def decided(table: Table, recognition: Recognition, *, progress: Progress = silent) -> Recognition:
    """The recognition of a table of answers, in which these have decided where nothing else does.

    Of readings that nothing in the table tells apart, one is chosen if it predicts held-out answers
    better than all others, by more than two standard errors.
    """
    tied = recognition.undecided
    if recognition.clear is not None or len(tied) < 2 or len(tied) > MOST_TIED:
        return recognition
    try:
        test = direction_test(table, tied[0], tied[1:], progress=progress)
    except DataError:
        return recognition
    if test.winner < 0:
        return recognition
    rest = np.delete(test.accuracy, test.winner)
    return recognition.with_first(test.readings[test.winner], Sign("answers_say", {
        "accuracy": f"{test.accuracy[test.winner]:.1%}",
        "other": f"{np.nanmax(rest, initial=0.0):.1%}",
    }))


@dataclass(frozen=True, eq=False)
class _RowAnswers:
    """Answers under one reading, each by itself, with its row in the sample."""

    data: Answers
    row: np.ndarray
    trial: np.ndarray | None
    n_rows: int
    people: SamplingUnits | None = None
    recurs: bool = True  # whether objects occur in different questions
    levels: np.ndarray | None = None  # (n,): physical values of the objects of triads

    @classmethod
    def of(cls, table: Table, reading: Reading) -> _RowAnswers:
        imported = interpret(table, reading)
        pairs, n = imported.pairs, imported.triplets.n_objects
        whole = pairs.quadruples() if pairs else imported.triplets
        rows, weight = whole.rows, whole.weight
        alone = Quadruples(rows, n, weight=weight) if pairs else Triplets.from_array(
            rows, n, weight=weight
        )
        levels = None
        if reading.task in ("larger_difference", "smaller_difference"):
            with suppress(ValueError):
                levels = np.array([float(one) for one in imported.triplets.ids])
        return cls(
            alone, (pairs or imported).file_rows, None if pairs else whole.trials, table.n_rows,
            known_people(whole, "auto"), imported.triplets.objects_recur or pairs is not None,
            levels,
        )

    def equal(self, other: _RowAnswers) -> bool:
        return np.array_equal(self.data.rows, other.data.rows) and np.array_equal(
            self.row, other.row
        )

    def by_row(self, values: np.ndarray) -> np.ndarray:
        """(n_rows,) weighted mean of the answers of each row; NaN where it has none."""
        finite = np.isfinite(values)
        row, weight = self.row[finite], self.data.weight[finite]
        total = np.bincount(row, weight * values[finite], self.n_rows)
        with np.errstate(invalid="ignore"):
            return total / np.bincount(row, weight, self.n_rows)


def _sample(table: Table, reading: Reading, rng: np.random.Generator) -> Table:
    """Rows of the sample, numbered from 0."""
    n_objects = interpret(table.head(MOST_ROWS), reading).triplets.n_objects
    most = max(MOST_ROWS, ROWS_PER_OBJECT * n_objects)
    which = np.arange(table.n_rows)
    if table.n_rows > most:
        which = np.sort(rng.choice(table.n_rows, most, replace=False))
    return table.take(which)


def _folds(
    trials: list[_RowAnswers], n_rows: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """(n_rows,) fold and question of every row: its objects in any order, or its trial."""
    first = trials[0]
    objects = np.full((n_rows, first.data.rows.shape[1]), -1, dtype=np.int64)
    objects[first.row] = np.sort(first.data.rows, axis=1)
    question = np.unique(objects, axis=0, return_inverse=True)[1].ravel()
    if first.trial is not None:
        trial = first.trial.max() + 1 + np.arange(n_rows)
        trial[first.row] = first.trial
        question = grouped(question, trial)[0]
    n_questions = int(question.max(initial=0)) + 1
    return (rng.permutation(n_questions) * FOLDS // n_questions)[question], question


def _predicted(
    trials: _RowAnswers, held_out: np.ndarray, halt: CancelToken
) -> tuple[np.ndarray, np.ndarray]:
    """Accuracy of each held-out answer's prediction by a map, and by the popularity of objects."""
    train, test = trials.data.take(~held_out), trials.data.take(held_out)
    if not len(train) or not len(test):
        return np.full(len(test), 0.5), np.full(len(test), 0.5)
    right = 1.0 - _fitted(train, trials.levels, halt).mistakes(test)
    return right, 1.0 - popularity_mistakes(trials.data, ~held_out, held_out)


def _fitted(train: Answers, levels: np.ndarray | None, halt: CancelToken) -> Method:
    """What predicts: a scale of levels, or else a map."""
    if levels is not None and len(levels) > 2:
        about = pd.DataFrame({"id": [str(k) for k in range(len(levels))], "level": levels})
        with suppress(DataError):
            scaled = Triplets(train.rows, about, pd.DataFrame({"weight": train.weight}))
            return MLDS(stimulus="level").fit(scaled, progress=halt)
    return STE(n_components=2, n_init=1, max_iter=200).fit(train, progress=halt)


def _half_width(
    values: np.ndarray, fold: np.ndarray, part: np.ndarray, people: int | None,
) -> float:
    """Half the width of the 95 % interval of a mean over rows; see `half_width_over_people`.

    part (n_rows,): Participant or question of each row.
    people: Number of known participants, if these are the units.
    """
    finite = np.isfinite(values)
    values, fold = values[finite], fold[finite]
    units = np.unique(part[finite], return_inverse=True)[1]
    if not len(values) or units.max() == 0:
        return np.nan
    by_fold = np.array([values[fold == k].mean() for k in np.unique(fold)])
    influence = np.bincount(units, values - values.mean()) / len(values)
    return half_width_over_people(by_fold, 1.0 / (FOLDS - 1), influence, people or len(influence))


def _mean(values: np.ndarray, question: np.ndarray) -> tuple[float, float]:
    """Mean over rows with a value, and its standard error by question."""
    finite = np.isfinite(values)
    values, question = values[finite], question[finite]
    if not len(values):
        return np.nan, np.nan
    mean = values.mean()
    by_question = np.bincount(question, values - mean)
    return float(mean), float(np.sqrt(by_question @ by_question) / len(values))


def _winner(accuracy: list[np.ndarray], gain: list[np.ndarray], question: np.ndarray) -> int:
    """The reading that is better than popularity and all others by two standard errors, or -1."""

    def surely(values: np.ndarray) -> bool:
        mean, error = _mean(values, question)
        n_values = max(np.count_nonzero(np.isfinite(values)), 1)
        return mean > CONFIRMED * np.hypot(error, np.sqrt(_DOUBT) / n_values)

    means = np.array([_mean(values, question)[0] for values in accuracy])
    if not np.isfinite(means).any():
        return -1
    first = int(np.nanargmax(means))
    others = [values for i, values in enumerate(accuracy) if i != first]
    better = all(surely(accuracy[first] - other) for other in others)
    return first if better and surely(gain[first]) else -1


def _best(
    readings: list[Reading], accuracy: list[np.ndarray], gain: list[np.ndarray],
    question: np.ndarray,
) -> int:
    """The reading to choose: the user's, unless others are clearly better."""

    def clearly(other: int, than: int) -> bool:
        more, _ = _mean(accuracy[other] - accuracy[than], question)
        difference = gain[other] - gain[than]
        points, error = _mean(difference, question)
        n_values = max(np.count_nonzero(np.isfinite(difference)), 1)
        error = np.hypot(error, np.sqrt(_DOUBT) / n_values)
        return more > CLEARLY and points > CLEARLY and points > SURELY * error

    better = [other for other in range(1, len(readings)) if clearly(other, 0)]
    if not better:
        return 0
    points = [np.nanmean(values) for values in gain]
    best = max(better, key=lambda other: points[other])
    # An equal reading of the same task is nearer to what the user meant.
    as_good = [other for other in better if not clearly(best, other)]
    same = [other for other in as_good if readings[other].task == readings[0].task]
    return max(same or as_good, key=lambda other: points[other])
