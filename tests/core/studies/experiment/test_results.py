"""Answers written as a table are read back by themselves, and only those about objects count."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tripletscope as ts
from tests.core.studies.experiment.made import TASKS, answered, experiment_of, whole
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.question_kinds import ABOUT_OBJECTS, CHECKS, UNANSWERED
from tripletscope.core.reading import load, load_several, propose
from tripletscope.core.reading.interpretation.interpret import interpret
from tripletscope.core.reading.measuring import file_of_measured
from tripletscope.core.studies.experiment.experiment import Stimulus
from tripletscope.core.studies.experiment.question import ASKINGS
from tripletscope.core.studies.experiment.results import (
    AnswerRecord,
    answers_table,
    checks_answered,
    experiment_objects,
    gathered_answers,
    measured_answers,
    questions_asked,
    with_facts_of_people,
)
from tripletscope.core.studies.quality import RULES, participants, quality
from tripletscope.core.studies.quality.rules import RuleData


def read_back(experiment, records):
    """The best reading of the table as a file, and what it gives."""
    table = load(answers_table(experiment, records).to_csv(index=False).encode(), "answers.csv")
    reading = propose(table)[0]
    return reading, interpret(table, reading, experiment_objects(experiment))


def test_an_answer_that_was_sent_twice_is_read_once():
    experiment = whole(5, "triplet")
    records = answered(experiment, 2)
    table = answers_table(experiment, records)
    table["id"] = [f"id {k}" for k in range(len(table))]
    twice = load((table.to_csv(index=False) * 2).encode(), "answers.csv")
    assert any("sent twice" in note for note in twice.notes)
    found = interpret(twice, propose(twice)[0], experiment_objects(experiment)).triplets
    assert np.array_equal(found.rows, gathered_answers(experiment, records).rows)


def data_of(imported):
    return imported.pairs.quadruples() if imported.pairs else imported.triplets


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("n", [5, 12])
def test_a_table_is_read_back_by_itself_as_the_same_answers(task, n):
    experiment = whole(n, task)
    records = answered(experiment, 4)
    reading, imported = read_back(experiment, records)
    assert reading.layout == "collect"
    mine, read = gathered_answers(experiment, records), data_of(imported)
    assert isinstance(mine, Quadruples) == (task in ("pairs", "triad"))
    assert np.array_equal(mine.rows, read.rows)
    own, told = mine.answers, read.answers
    columns = {"participant", "sampler", "response_time", "time", "kind", "input"}
    assert columns <= set(own) <= set(told)
    for column in own.columns.difference(["trial"]):
        assert own[column].astype("str").tolist() == told[column].astype("str").tolist(), column
    assert (mine.trials is None) == (read.trials is None)
    if mine.trials is not None:
        assert np.array_equal(mine.trials, read.trials)


@pytest.mark.parametrize("task", TASKS)
def test_scripts_read_the_table_as_the_same_answers_under_the_same_names(task):
    experiment = whole(9, task)
    records = answered(experiment, 3)
    of_pairs = ASKINGS[task].size == 2
    read, other = ts.read, ts.experiment.read_pairs
    if of_pairs:
        read, other = other, read
    file = answers_table(experiment, records).to_csv(index=False).encode()
    mine, found = gathered_answers(experiment, records), read(file, name="Things")

    def by_name(answers):
        return np.array(answers.ids)[answers.rows].tolist()

    assert by_name(found) == by_name(mine)
    if task == "triad":  # pairs with an object in common are triplets as well
        assert len(other(file)) == len(mine)
        return
    with pytest.raises(DataError, match="ead them as"):
        other(file)


@pytest.mark.parametrize("task", TASKS)
def test_practice_catch_and_gold_are_no_answers_about_objects_but_tell_of_people(task):
    experiment = whole(6, task)
    records = answered(experiment, 3)
    assert {record.kind for record in records} == {
        "question", "repeat", "catch", "gold", "practice"
    }
    _, imported = read_back(experiment, records)
    about = [record for record in records if record.kind in ("question", "repeat")]
    data = gathered_answers(experiment, records)
    assert len(data) >= len(about)
    assert set(data.answers["kind"]) == {"question", "repeat"}
    assert not {"catch", "gold", "practice"} & set(data.answers["sampler"])
    expected = [
        (record.participant, record.is_right) for record in records
        if record.kind in ("catch", "gold")
    ]
    for checks in (checks_answered(records), imported.catch_trials):
        assert list(
            zip(checks["participant"].astype("str"), checks["correct"], strict=True)
        ) == expected
    people = participants(data, catch_trials=imported.catch_trials)
    assert people["checks"].tolist() == [
        sum(name == who for name, _ in expected) for who in ("p0", "p1", "p2")
    ]
    wrong = [sum(name == who and not right for name, right in expected) for who in
             ("p0", "p1", "p2")]
    assert np.allclose(people["failed"] * people["checks"], wrong)


@pytest.mark.parametrize("task", [name for name in ASKINGS if ASKINGS[name].has_care])
def test_what_is_left_open_comes_back_as_missing_and_is_counted(task):
    measured = ASKINGS[task].measured
    made = experiment_of if measured else whole  # ratings have no gold questions
    experiment = made(9, task=task, skip=True, time_limit=20, catch=0.2)
    rng = np.random.default_rng(1)
    records = [
        replace(one, chosen=(), unanswered=str(rng.choice(UNANSWERED))) if rng.random() < 0.3
        else one if not measured else replace(one, chosen=(1,)) for one in answered(experiment, 4)
    ]
    silent = records[0].participant  # answers nothing, and counts all the same
    records = [replace(one, chosen=(), unanswered=one.unanswered or "skipped")
               if one.participant == silent and not one.item else one for one in records]
    about = [one for one in records if one.kind in ABOUT_OBJECTS]
    given = [one for one in records if one.is_about_objects]
    assert 0 < len(given) < len(about)
    n_open = [sum(one.unanswered == why for one in about) for why in UNANSWERED]
    said = [f"{n} questions were {how} ({100 * n / len(about):.0f} %)." for n, how in zip(
        n_open, ("skipped", "not answered in time"), strict=True)]
    checks = [one for one in records if one.kind in CHECKS]
    assert len(checks_answered(records)) == sum(not one.unanswered for one in checks) < len(checks)
    content = answers_table(experiment, records).to_csv(index=False).encode()
    if measured:
        found = file_of_measured([("r.csv", content)], None, {})
        assert len(found.table) == len(measured_answers(experiment, records).table) == len(given)
        assert [note for note in found.notes if note in said] == said
        return
    _, imported = read_back(experiment, records)
    assert len(imported.catch_trials) == len(checks_answered(records))
    assert [line for line in imported.report.summary() if line in said] == said
    read, mine = data_of(imported), gathered_answers(experiment, given)
    assert np.array_equal(read.rows, mine.rows)
    assert np.array_equal(read.rows, gathered_answers(experiment, records).rows)
    told = participants(read)
    own = participants(with_facts_of_people(mine, questions_asked(records)))
    for people in (told, own):
        assert silent not in {*people["participant"]}
    for data in (read, with_facts_of_people(mine, questions_asked(records))):
        left = quality(data).unanswered
        assert [(left[why].n, round(left[why].value * left[why].n)) for why in UNANSWERED] == [
            (len(about), n) for n in n_open]
    assert told[["asked", *UNANSWERED]].equals(own[["asked", *UNANSWERED]])
    rows = content.decode().splitlines(keepends=True)
    half, more = rows[: len(rows) // 2], rows[len(rows) // 3 :]  # downloads that overlap
    both = load_several([("a.csv", "".join(half).encode()),
                         ("b.csv", "".join(rows[:1] + more).encode())])
    both = data_of(interpret(both, propose(both)[0], experiment_objects(experiment)))
    assert quality(both).unanswered == quality(read).unanswered
    most = told[[*UNANSWERED]].sum(axis=1).max()
    rule = RULES["unanswered"]
    assert not rule.find(RuleData(read), most=float(most)).any()
    assert 0 < rule.find(RuleData(read), most=float(most) - 1e-6).sum() < len(read)


def test_tables_can_neither_be_skipped_nor_hurried():
    for values in ({"skip": True}, {"time_limit": 9}):
        with pytest.raises(DataError, match="all of it would be lost"):
            experiment_of(task="piles", **values)


@pytest.mark.parametrize(("task", "shown", "chosen", "rows"), [
    ("triplet", "abc", (1,), ["acb"]),
    ("odd_one_out", "abc", (0,), ["bca", "cba"]),
    ("similar_pair", "abc", (2, 0), ["acb", "cab"]),
    ("ranking", "abcde", (3, 1), ["aec", "aeb", "aed", "acb", "acd"]),
    ("pairs", "abcd", (0,), ["cdab"]),
    ("pairs", "abcd", (1,), ["abcd"]),
    ("triad", "abc", (0,), ["bcab"]),
])
def test_an_answer_says_what_one_would_write_by_hand(task, shown, chosen, rows):
    experiment = experiment_of(ids=list("abcde"), task=task)
    record = AnswerRecord("ann", "q1", 0, task, tuple(shown), chosen)
    for data in (
        gathered_answers(experiment, [record]), data_of(read_back(experiment, [record])[1]),
    ):
        found = ["".join(np.array(list("abcde"))[row]) for row in data.rows]
        assert sorted(found) == sorted(rows)


@pytest.mark.parametrize("task", TASKS)
def test_without_answers_there_is_an_empty_data_set(task):
    experiment = experiment_of(task=task)
    data = gathered_answers(experiment, [])
    assert len(data) == 0
    assert data.ids == [one.id for one in experiment.objects]
    assert len(answers_table(experiment, [])) == 0
    assert len(checks_answered([])) == 0


@pytest.mark.parametrize("name", ["none", " NA ", "", "a;b", 'say "no"', "=1+1", "é\u200b"])
def test_nobody_is_lost_whatever_the_name(name):
    experiment = experiment_of()
    records = [
        AnswerRecord(who, f"q{k}", k, "triplet", ("o1", "o2", "o3"), (0,))
        for who in (name, "ann") for k in range(3)
    ]
    read = read_back(experiment, records)[1].triplets.answers["participant"]
    mine = gathered_answers(experiment, records).answers["participant"]
    assert read.astype("str").tolist() == mine.astype("str").tolist()
    assert read.notna().all()
    assert read.nunique() == 2


def usable(text: str) -> bool:
    try:
        Stimulus(text, "text", text)
    except DataError:
        return False
    return True


@settings(max_examples=20)
@given(
    ids=st.lists(st.text(min_size=1, max_size=12).filter(usable), min_size=5, max_size=8,
                 unique=True),
    task=st.sampled_from(TASKS),
)
def test_whatever_objects_are_called_they_are_the_same_when_read(ids, task):
    experiment = experiment_of(ids=ids, task=task, n_questions=20)
    records = answered(experiment, 1)
    table = load(answers_table(experiment, records).to_csv(index=False).encode(), "answers.csv")
    imported = interpret(table, propose(table)[0])
    read, mine = data_of(imported), gathered_answers(experiment, records)
    names = np.array(imported.triplets.ids, dtype=object)
    assert names[read.rows].tolist() == np.array(ids, dtype=object)[mine.rows].tolist()


@pytest.mark.parametrize("text", ["", " a", "a ", "none", "N/A", "7.0", '"a"', "a\nb", "\ud800"])
def test_ids_that_a_file_would_not_give_back_are_refused(text):
    with pytest.raises(DataError):
        Stimulus(text, "text", "x")


def test_impossible_times_are_missing_and_not_wrong():
    experiment = experiment_of()
    records = [
        AnswerRecord("ann", f"q{k}", k, "triplet", ("o1", "o2", "o3"), (0,), rt_ms=rt,
                     answered_at=when)
        for k, (rt, when) in enumerate([
            (None, ""), (float("nan"), "yesterday"), (float("inf"), "2026-03-01T10:00:00"),
            (-5.0, "2026-03-01T11:00:00+01:00"), (1500.0, "2026-03-01T10:00:00Z"),
        ])
    ]
    read = read_back(experiment, records)[1].triplets.answers
    for answers in (gathered_answers(experiment, records).answers, read):
        assert np.array_equal(
            answers["response_time"], [np.nan] * 4 + [1.5], equal_nan=True
        )
        assert np.isnan(answers["time"].to_numpy()[:2]).all()
        assert len(set(answers["time"].to_numpy()[2:])) == 1


def test_answers_of_another_task_or_about_other_objects_are_named():
    experiment = experiment_of()
    with pytest.raises(DataError, match="ann to question q7 is of the task 'pairs'"):
        answers_table(experiment, [
            AnswerRecord("ann", "q7", 6, "pairs", ("o1", "o2", "o3", "o4"), (0,))
        ])
    with pytest.raises(DataError, match="names 'z'"):
        gathered_answers(experiment, [
            AnswerRecord("ann", "q7", 6, "triplet", ("o1", "o2", "z"), (0,))
        ])


@pytest.mark.parametrize(("kind", "source", "tells"), [
    ("question", "random", True), ("question", "balanced", True), ("question", "landmark", True),
    ("question", "list", True), ("repeat", "random", False), ("question", "uncertain", False),
    ("question", "gain", False), ("question", "stand-in", False), ("catch", "random", False),
    ("gold", "random", False), ("practice", "random", False),
])
def test_a_map_is_judged_only_by_answers_to_questions_that_did_not_depend_on_answers(
    kind, source, tells
):
    record = AnswerRecord("ann", "q1", 0, "triplet", ("a", "b", "c"), (0,), kind, source)
    assert record.tells_accuracy is tells
