"""Checks, repeats and response times of participants while answers come in."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence

import numpy as np
import pandas as pd

from tripletscope.core.data.question_kinds import ABOUT_OBJECTS, CHECKS, UNANSWERED
from tripletscope.core.studies.experiment.items import WHEN
from tripletscope.core.studies.experiment.question import ASKINGS
from tripletscope.core.studies.experiment.results import AnswerRecord


def conduct_table(records: Iterable[AnswerRecord]) -> pd.DataFrame:
    """Checks, repeats and response times of every participant.

    Parameters
    ----------
    records : iterable of AnswerRecord

    Returns
    -------
    DataFrame, one row per participant, in the order of their first answers
        ``participant``; ``answers`` about objects; ``skipped`` and ``late``, questions about
        objects without an answer; ``checks`` (catch and gold questions that were answered) and
        ``failed``; ``repeats`` and ``consistent`` (the same answer as before, ratings within a
        fifth of the scale), without tables; ``median_time`` in seconds, without practice and
        questionnaire.

    Examples
    --------
    >>> from tripletscope.experiment import AnswerRecord, conduct_table
    >>> record = AnswerRecord(
    ...     "ann", "q1", 0, "triplet", ("cup", "mug", "fork"), (0,), rt_ms=900.0
    ... )
    >>> again = AnswerRecord(
    ...     "ann", "q2", 1, "triplet", ("cup", "fork", "mug"), (1,), "repeat", rt_ms=700.0
    ... )
    >>> table = conduct_table([record, again])
    >>> table[["answers", "repeats", "consistent", "median_time"]].iloc[0].tolist()
    [2.0, 1.0, 1.0, 0.8]
    """
    by_person: dict[str, list[AnswerRecord]] = defaultdict(list)
    for record in records:
        by_person[record.participant].append(record)
    rows = []
    for participant, answered in by_person.items():
        open_ = Counter(one.unanswered for one in answered if one.kind in ABOUT_OBJECTS)
        answered = [one for one in answered if not one.unanswered]
        checks = [one.is_right for one in answered if one.kind in CHECKS]
        again = _repeated(answered)
        times = [
            one.rt_ms for one in answered
            if one.kind not in ("practice", *WHEN)
            and one.rt_ms is not None and np.isfinite(one.rt_ms)
        ]
        rows.append({
            "participant": participant, "answers": sum(one.is_about_objects for one in answered),
            **{why: open_[why] for why in UNANSWERED},
            "checks": len(checks), "failed": checks.count(False), "repeats": len(again),
            "consistent": sum(again),
            "median_time": float(np.median(times)) / 1000 if times else np.nan,
        })
    columns = [
        "participant", "answers", *UNANSWERED, "checks", "failed", "repeats", "consistent",
        "median_time",
    ]
    return pd.DataFrame(rows, columns=columns)


def _repeated(answered: Iterable[AnswerRecord]) -> list[bool]:
    """Whether each repeated question was answered as before."""
    before: dict[Hashable, Sequence[Hashable]] = {}
    agreements = []
    for record in sorted(answered, key=lambda one: one.place):
        if record.is_about_objects and not ASKINGS[record.task].is_table:
            question, said = _question_and_answer(record)
            if record.kind == "repeat" and question in before:
                agreements.append(record.question.agrees(before[question], said))
            before.setdefault(question, said)
    return agreements


def _question_and_answer(record: AnswerRecord) -> tuple[Hashable, Sequence[Hashable]]:
    """A question and its answer as objects, whatever their places."""
    asking = ASKINGS[record.task]
    options = [frozenset(one) for one in asking.options(record.shown)]
    of_options = asking.answer == "options"
    chosen = [options[k] for k in record.chosen] if of_options else record.chosen
    return (record.shown[: asking.is_anchored], frozenset(options)), chosen
