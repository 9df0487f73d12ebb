"""Answers of an experiment: records, a table that is read back, a data set."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd
import pyarrow as pa

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.question_kinds import (
    ABOUT_OBJECTS,
    CHECKS,
    N_ASKED,
    N_UNANSWERED,
    UNANSWERED,
)
from tripletscope.core.data.triplets import Answers, Triplets
from tripletscope.core.engine.short_repr import short_repr
from tripletscope.core.reading.columns.reading import TAKEN
from tripletscope.core.reading.interpretation.interpret import interpret
from tripletscope.core.reading.layouts.collect import (
    COLUMNS,
    CORRECT,
    IN_ORDER,
    KIND,
    LAYOUT,
    MEASURED_COLUMNS,
    N_CHOSEN,
    RANKED,
    TASK,
    UNANSWERED_BY,
    with_silent,
)
from tripletscope.core.reading.measuring import RatingsFile, file_of_measured
from tripletscope.core.reading.table import Table, as_cells
from tripletscope.core.studies.experiment.experiment import Experiment
from tripletscope.core.studies.experiment.items import SurveyItem
from tripletscope.core.studies.experiment.participant import shown_id
from tripletscope.core.studies.experiment.question import ASKINGS, Question

#: Sources of questions that depend on earlier answers, or on the duration of a fit.
CHOSEN_BY_ANSWERS = ("uncertain", "gain", "stand-in")


@short_repr
@dataclass(frozen=True)
class AnswerRecord:
    """One answer with its question.

    Attributes
    ----------
    participant : str
    key : str
        Of the question, among those of the participant.
    place : int
        Of the question in the participant's list, from 0.
    task : str
    shown : tuple of str
        Ids of the objects in the order of their places: see `Question`.
    chosen : tuple
        Options from 0, in the order of choice, or other values of the task.
    kind, source : str
        See `Question`.
    correct : tuple of int
        The options of the right answer, if there is one.
    rt_ms : float or None
        From the frame in which the stimuli appeared to the response, in milliseconds.
    shown_ms : float or None
        Time of that frame by the browser's monotonic clock, in milliseconds.
    answered_at : str
        Time of the answer by ISO 8601, in UTC; from our own server, when it arrived, which is later
        after a lost connection.
    input : str
        ``mouse``, ``keyboard`` or ``touch``.
    n_levels, item
        See `Question`.
    unanswered : {"", "skipped", "late"}
        Why there is no answer: it was skipped, or the time limit was over; `chosen` is then empty.

    Examples
    --------
    >>> from tripletscope.experiment import AnswerRecord
    >>> record = AnswerRecord("ann", "q1", 0, "triplet", ("cup", "mug", "fork"), (1,))
    >>> record.is_about_objects, record.is_right
    (True, None)
    """

    participant: str
    key: str
    place: int
    task: str
    shown: tuple[str, ...]
    chosen: tuple[Any, ...]
    kind: str = "question"
    source: str = "random"
    correct: tuple[int, ...] = ()
    rt_ms: float | None = None
    shown_ms: float | None = None
    answered_at: str = ""
    input: str = ""
    n_levels: int = 0
    item: Mapping[str, Any] | None = None
    unanswered: str = ""

    @classmethod
    def of(
        cls, question: Question, participant: str, place: int, chosen: Sequence[int] | str,
        **more: Any,
    ) -> Self:
        """The record of an answer to a question; of a word of `UNANSWERED`, that of none."""
        if isinstance(chosen, str):
            chosen, more = (), {**more, "unanswered": chosen}
        return cls(
            participant, question.key, place, question.task, question.shown, tuple(chosen),
            question.kind, question.source, question.correct, n_levels=question.n_levels,
            item=question.item, **more,
        )

    @property
    def question(self) -> Question:
        """The question of the answer."""
        return Question(
            self.key, self.task, self.shown, len(self.chosen), self.kind, self.source,
            self.correct, self.n_levels, self.item,
        )

    @property
    def is_right(self) -> bool | None:
        """Whether it is the right answer; None where there is no right one, or no answer."""
        return None if self.unanswered else self.question.is_right(self.chosen)

    @property
    def is_about_objects(self) -> bool:
        """Whether it is an answer about objects: not of a catch, gold or practice question."""
        return self.kind in ABOUT_OBJECTS and not self.unanswered

    @property
    def tells_accuracy(self) -> bool:
        """Whether a map may be judged by predicting it.

        Its question is no repeat and not adaptive: adaptive questions are harder to predict.
        """
        return (
            self.kind == "question" and not self.unanswered
            and self.source not in CHOSEN_BY_ANSWERS
        )


# As a table ----------------------------------------------------------------------------------


def answers_table(experiment: Experiment, records: Iterable[AnswerRecord]) -> pd.DataFrame:
    """Answers as a table, whose CSV `tripletscope.read` recognises.

    For difference scaling use `tripletscope.experiment.read_pairs`; for ratings, piles and
    arrangements `tripletscope.ratings.read_measured`.

    Parameters
    ----------
    experiment : Experiment
    records : iterable of AnswerRecord

    Returns
    -------
    DataFrame, one row per answer; of tables, one per object
        ``participant``, ``trial`` (place in the list, from 1), ``collect_task``, ``kind``,
        ``source``; objects in the order of their places and the choice, named by task (`COLUMNS`
        and `MEASURED_COLUMNS` of `tripletscope.core.reading.layouts.collect`; piles as the place of
        their table and a number; same is 1, different 0); ``correct`` (1, 0 or empty),
        ``response_time_ms``, ``time`` (ISO 8601), ``shown_at_ms``, ``input``, ``key``. Practice,
        catch and gold questions are marked, and reading leaves them out of answers about objects.
        Where questions may be skipped or have a time limit, ``unanswered`` is why the choice is
        empty.

    Raises
    ------
    DataError
        If an answer is of another task, or two participants would have one name.

    Examples
    --------
    >>> import tripletscope as ts
    >>> from tripletscope.experiment import AnswerRecord, Experiment, Stimulus, answers_table
    >>> objects = tuple(Stimulus(name, "text", name) for name in ("cup", "mug", "fork"))
    >>> experiment = Experiment(title="Dishes", objects=objects)
    >>> record = AnswerRecord("ann", "q1", 0, "triplet", ("cup", "mug", "fork"), (0,))
    >>> table = answers_table(experiment, [record])
    >>> table.loc[0, ["anchor", "left", "right", "chosen"]].tolist()
    ['cup', 'mug', 'fork', 'mug']
    >>> ts.read(table.to_csv(index=False).encode(), name="Dishes")
    <Triplets 'Dishes': 1 answers on 3 objects>
    """
    several = [(one, _cells(one)) for one in _of_task(experiment, records)]
    records = [one for one, rows in several for _ in rows]
    right = {True: "1", False: "0", None: ""}
    head = pd.DataFrame({
        "participant": _names(records),
        "trial": [one.place + 1 for one in records], TASK: experiment.task,
        KIND: [one.kind for one in records], "source": [one.source for one in records],
    })
    care = {UNANSWERED_BY: [one.unanswered for one in records]} if experiment.unanswered else {}
    tail = pd.DataFrame({
        **care, CORRECT: [right[one.is_right] for one in records],
        "response_time_ms": pd.array([_number(one.rt_ms) for one in records], "Float64"),
        "time": [one.answered_at for one in records],
        "shown_at_ms": pd.array([_number(one.shown_ms) for one in records], "Float64"),
        "input": [one.input for one in records], "key": [one.key for one in records],
    })
    cells = [row for _, rows in several for row in rows]
    body = pd.DataFrame(cells, columns=_columns(experiment), dtype=object)
    return pd.concat([head, body, tail], axis=1)


def _columns(experiment: Experiment) -> list[str]:
    """Names of the columns of objects and choice."""
    if experiment.task in MEASURED_COLUMNS:
        return [name for name in MEASURED_COLUMNS[experiment.task] if name != "trial"]
    columns = COLUMNS[experiment.task]
    if experiment.task != "ranking":
        return [*columns.objects, *columns.choice]
    numbers = range(1, experiment.n_options + 1)
    return [
        "anchor", *(f"option_{k}" for k in numbers), *(RANKED.format(k) for k in numbers),
        N_CHOSEN, IN_ORDER,
    ]


def _cells(record: AnswerRecord) -> list[list[Any]]:
    """The rows of an answer, as client/elsewhere.js writes them, too."""
    asking, shown, values = ASKINGS[record.task], record.shown, record.chosen
    if record.unanswered:
        return [_open_cells(record)]
    if asking.answer == "number":
        return [[*shown, *values]]
    if asking.answer == "words":
        return [[*shown, 1 - values[0]]]
    if asking.answer == "piles":
        piles = [f"{record.place + 1}.{pile + 1}" for pile in values]
        return [list(row) for row in zip(shown, piles, strict=True)]
    if asking.answer == "positions":
        return [list(row) for row in zip(shown, values[::2], values[1::2], strict=True)]
    options = asking.options(shown)
    if asking.size == 2:
        return [[one for pair in options for one in pair] + [values[0] + 1]]
    chosen = [options[k][0] for k in values]
    if not asking.in_order:
        return [[*shown, *chosen]]
    rest = [one for k, (one,) in enumerate(options) if k not in values]
    return [[*shown, *chosen, *rest, len(chosen), 1]]


def _open_cells(record: AnswerRecord) -> list[Any]:
    """The row of a question without an answer: what was shown, and an empty choice."""
    asking, shown = ASKINGS[record.task], record.shown
    if asking.in_order:  # its options as shown, of which none was chosen
        return [*shown, *shown[asking.is_anchored :], "", ""]
    pairs = [one for pair in asking.options(shown) for one in pair]
    return [*(pairs if asking.size == 2 else shown), *[""] * (asking.n_chosen or 1)]


def _of_task(experiment: Experiment, records: Iterable[AnswerRecord]) -> list[AnswerRecord]:
    """Answers without the questionnaire; DataError for another task."""
    records = [one for one in records if one.item is None]
    strange = next((one for one in records if one.task != experiment.task), None)
    if strange is not None:
        raise DataError(
            f"the answer of {strange.participant} to question {strange.key} is of the task "
            f"{strange.task!r}, and the experiment's is {experiment.task!r}",
            file=experiment.title, remedy="Begin a new experiment for another task.",
        )
    return records


def _names(records: Sequence[AnswerRecord]) -> list[str]:
    """Names of the records' participants in a data set; DataError if two are equal."""
    names = {one.participant: shown_id(one.participant) for one in records}
    first: dict[str, str] = {}
    for participant, name in names.items():
        other = first.setdefault(name, participant)
        if other != participant:
            raise DataError(
                f"the participants {other!r} and {participant!r} would both be called {name!r}",
                file="answers", remedy="Give one of them another id.",
            )
    return [names[one.participant] for one in records]


def _number(value: float | None) -> float | None:
    """A finite number, or None: a browser may send anything."""
    return None if value is None or not np.isfinite(value) else float(value)


# As a data set -------------------------------------------------------------------------------


def experiment_objects(experiment: Experiment) -> pd.DataFrame:
    """Table of objects: ``id``, ``label``; ``image`` of pictures, ``color`` of colours."""
    objects = experiment.objects
    table = pd.DataFrame({
        "id": [one.id for one in objects], "label": [one.label or one.id for one in objects],
    }, dtype="str")
    if any(one.medium == "picture" for one in objects):
        table["image"] = pd.array(
            [one.content if one.medium == "picture" else None for one in objects], "str"
        )
    if all(one.medium == "colour" for one in objects):
        table["color"] = pd.array([one.content for one in objects], "str")
    return table


def gathered_answers(experiment: Experiment, records: Iterable[AnswerRecord]) -> Answers:
    """The answers about objects as a data set, as read from their table.

    Practice, catch and gold questions are left out: see `checks_answered`.

    Parameters
    ----------
    experiment : Experiment
    records : iterable of AnswerRecord

    Returns
    -------
    Triplets or Quadruples
        About all objects of the experiment, in their order; quadruples for pairs. Answers have
        ``participant``, ``sampler`` (the source of the question), ``response_time``, ``time``,
        ``kind``, ``input``, for two or three single options ``side``, and for responses with
        several answers ``trial``.

    Raises
    ------
    DataError
        If an answer is of another task, names an unknown object or is no comparison (see
        `measured_answers`), or if two participants would have one name.

    Examples
    --------
    >>> from tripletscope.experiment import AnswerRecord, Experiment, Stimulus, gathered_answers
    >>> objects = tuple(Stimulus(name, "text", name) for name in ("cup", "mug", "fork"))
    >>> experiment = Experiment(title="Dishes", objects=objects, task="odd_one_out")
    >>> record = AnswerRecord("ann", "q1", 0, "odd_one_out", ("cup", "mug", "fork"), (2,))
    >>> gathered_answers(experiment, [record]).rows.tolist()
    [[0, 1, 2], [1, 0, 2]]
    """
    records = [one for one in _of_task(experiment, records) if one.is_about_objects]
    ids = {stimulus.id for stimulus in experiment.objects}
    for record in records:
        strange = [one for one in record.shown if one not in ids]
        if strange:
            raise DataError(
                f"the answer of {record.participant} to question {record.key} names "
                f"{strange[0]!r}, which is no object of the experiment",
                file=experiment.title, remedy="Put the object back.",
            )
    if ASKINGS[experiment.task].measured:
        raise DataError(
            f"answers to the task {experiment.task!r} are no comparisons", file=experiment.title,
            remedy="Read their table as ratings.",
        )
    objects, of_pairs = experiment_objects(experiment), ASKINGS[experiment.task].size == 2
    rows, answers = np.empty((0, 4 if of_pairs else 3), np.int64), None
    if records:
        cells = answers_table(experiment, records)
        table = Table(experiment.title, pa.table({
            name: as_cells(pa.chunked_array([pa.Array.from_pandas(cells[name])])) for name in cells
        }), True, None, None, [], first_row=1)
        result = interpret(table, LAYOUT.propose(table)[0], objects)
        source = result.pairs or result.triplets
        rows, answers = source.rows, source.answers
    if of_pairs:
        return Quadruples(rows, objects=objects, answers=answers, name=experiment.title)
    return Triplets(rows, objects, answers, experiment.title)


def measured_answers(experiment: Experiment, records: Iterable[AnswerRecord]) -> RatingsFile:
    """Ratings, piles or arrangements, as read from the table of answers.

    Parameters
    ----------
    experiment : Experiment
        With a task that has `Asking.measured`.
    records : iterable of AnswerRecord

    Returns
    -------
    RatingsFile

    Raises
    ------
    DataError
        If there are no answers, or too few objects.

    Examples
    --------
    >>> from tripletscope.experiment import AnswerRecord, Experiment, Stimulus, measured_answers
    >>> objects = tuple(Stimulus(name, "text", name) for name in ("cup", "mug", "fork"))
    >>> experiment = Experiment(title="Dishes", objects=objects, task="piles")
    >>> record = AnswerRecord("ann", "q1", 0, "piles", ("cup", "mug", "fork"), (0, 0, 1))
    >>> measured_answers(experiment, [record]).measured().dissimilarities().mean[0].tolist()
    [0.0, 1.0, 0.0]
    """
    content = answers_table(experiment, records).to_csv(index=False).encode()
    return file_of_measured([(experiment.title, content)], None, {})


def questionnaire_answers(records: Iterable[AnswerRecord]) -> pd.DataFrame:
    """One row per participant of the questionnaire: ``participant``, and items, options by name."""
    records = [one for one in records if one.item is not None]
    rows: dict[str, dict[str, Any]] = {}
    for name, one in zip(_names(records), records, strict=True):
        item = SurveyItem(**one.item)
        rows.setdefault(name, {"participant": name})[item.name] = item.shown(one.chosen[0])
    return pd.DataFrame(list(rows.values()), columns=list(dict.fromkeys(
        ["participant", *(one.item["name"] for one in records)]
    )))


def with_questionnaire(answers: Answers, records: Iterable[AnswerRecord]) -> Answers:
    """Answers with their participants' questionnaire, but for texts, as columns."""
    records = [one for one in records if one.item is None or one.item["kind"] != "text"]
    return with_facts_of_people(answers, questionnaire_answers(records))


def questions_asked(records: Iterable[AnswerRecord]) -> pd.DataFrame:
    """Questions about objects of each participant.

    ``participant``; ``n_asked``, ``n_skipped`` and ``n_late``, and the last two of all who answered
    nothing, as a file of answers has them.
    """
    about = [one for one in records if one.kind in ABOUT_OBJECTS]
    return with_silent(pd.DataFrame({
        "participant": pd.array(_names(about), "str"), N_ASKED: 1,
        **{name: [int(one.unanswered == why) for one in about]
           for name, why in zip(N_UNANSWERED, UNANSWERED, strict=True)},
    }).groupby("participant", sort=False, as_index=False).sum())


def with_facts_of_people(answers: Answers, facts: pd.DataFrame) -> Answers:
    """Answers with facts about their participants as columns.

    Names with a meaning, such as ``weight``, are followed by ``(asked)``.

    facts: ``participant``, once each, and further columns.
    """
    facts, table = facts.set_index("participant"), answers.answers
    if facts.empty or "participant" not in table:
        return answers
    who = table["participant"].astype("str")
    return answers.with_columns({
        f"{name} (asked)" if name in {*table, *TAKEN} else name: who.map(facts[name]).to_numpy()
        for name in facts
    })


def checks_answered(records: Iterable[AnswerRecord]) -> pd.DataFrame:
    """Catch and gold questions: ``participant`` and ``correct``.

    For ``catch_trials`` of `tripletscope.Cleaning` and `tripletscope.quality`.

    Parameters
    ----------
    records : iterable of AnswerRecord

    Raises
    ------
    DataError
        If two participants would have one name.

    Examples
    --------
    >>> from tripletscope.experiment import AnswerRecord, checks_answered
    >>> shown = ("cup", "mug", "cup")
    >>> record = AnswerRecord("ann", "q1", 0, "triplet", shown, (1,), "catch", correct=(1,))
    >>> checks_answered([record])["correct"].tolist()
    [True]
    """
    checks = [one for one in records if one.kind in CHECKS and one.is_right is not None]
    return pd.DataFrame({
        "participant": pd.array(_names(checks), "str"),
        "correct": np.array([one.is_right for one in checks], dtype=bool),
    })
