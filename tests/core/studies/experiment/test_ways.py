"""Answers that are no comparisons: what can be true of them, and how they come back as data."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import spearmanr

import tripletscope as ts
from tests.core.studies.experiment.made import experiment_of
from tripletscope.core.data.errors import DataError
from tripletscope.core.reading import MeasuredGiven, load, propose
from tripletscope.core.studies.experiment.conduct import conduct_table
from tripletscope.core.studies.experiment.items import MOST_WRITTEN, SurveyItem
from tripletscope.core.studies.experiment.lists import person_list
from tripletscope.core.studies.experiment.question import ASKINGS, MOST_ON_TABLE, Question
from tripletscope.core.studies.experiment.results import (
    AnswerRecord,
    answers_table,
    gathered_answers,
    measured_answers,
    with_questionnaire,
)
from tripletscope.core.studies.experiment.simulated import (
    expected_accuracy,
    experiment_cost,
    simulated_participants,
)

SHOWN = {"piles": "abc", "arrangement": "abc"}
PLACES = np.random.default_rng(3).normal(size=(10, 2))


def question_of(task: str, **values) -> Question:
    shown = tuple(SHOWN.get(task, "ab"))
    n_chosen = {"piles": 3, "arrangement": 6}.get(task, 1)
    return Question("q1", task, shown, n_chosen, **{"n_levels": 7, **values})


def simulated(task: str, n_people: int = 12, **values):
    is_table = ASKINGS[task].is_table
    experiment = experiment_of(
        10, ids=[f"o{k}" for k in range(10)], task=task,
        **({"n_questions": 1 if is_table else 45, "repeated": 0.0, "n_practice": 1} | values),
    )
    return experiment, simulated_participants(experiment, PLACES, n_people, careless=0.0)


@pytest.mark.parametrize(("task", "true"), [
    ("rating", [[1], [7]]), ("same_different", [[0], [1]]),
    ("piles", [[0, 0, 0], [2, 1, 0]]),
    ("arrangement", [[0, 0, 1, 0, 0, -1], [0.6, 0.8, -0.7071, 0.7071, 0.5, 0.5]]),
])
def test_what_can_be_true_is_taken_and_nothing_else(task, true):
    question = question_of(task)
    for answer in true:
        assert question.checked(answer) == tuple(answer)
    n = question.n_chosen
    for wrong in (
        [], [0] * (n + 1), [None] * n, ["1"] * n, [True] * n, [float("nan")] * n,
        [float("inf")] * n, [10**400] * n, [-1.5] * n, [[0]] * n, "0" * n, None, 0,
        [8 if task == "rating" else 3] * n, [0.9] * n if n == 6 else [1.0] * n,
    ):
        with pytest.raises(DataError, match="an answer names"):
            question.checked(wrong)


@pytest.mark.parametrize(("item", "true", "wrong"), [
    (SurveyItem("a", "choice", "?", ("x", "y")), [0, 1], [2, -1, "x", 1.0, True]),
    (SurveyItem("a", "number", "?", low=1, high=9), [1, 8.5],
     [0, 10**400, float("nan"), "5", True]),
    (SurveyItem("a", "scale", "?", ("x", "y"), high=5), [1, 5], [0, 6, 2.5, "1", False]),
    (SurveyItem("a", "text", "?"), ["a\nb", "ä" * MOST_WRITTEN],
     ["", " ", "a" * (MOST_WRITTEN + 1), "\x00", "\ud800", 5]),
])
def test_items_take_what_can_be_true_and_nothing_else(item, true, wrong):
    assert [item.checked(value) for value in true] == true
    for value in [*wrong, None, [], {}]:
        with pytest.raises(DataError, match="cannot be answered"):
            item.checked(value)
    assert replace(item, required=False).checked(None) is None
    question = Question.of_item(item, "after")
    for chosen in ([], [true[0], true[0]], None, [None]):
        with pytest.raises(DataError):
            question.checked(chosen)


@pytest.mark.parametrize("values", [
    {"name": "participant"}, {"high": float("inf")}, {"low": float("-inf")}, {"low": float("nan")},
])
def test_items_that_no_browser_or_table_could_hold_are_refused(values):
    with pytest.raises(DataError):
        SurveyItem(**{"name": "age", "kind": "number", "text": "?", **values})


def test_items_called_like_columns_of_answers_do_not_become_them():
    experiment = experiment_of(ids=list("abc"), before=tuple(
        SurveyItem(name, "number", "?", high=300) for name in ("weight", "trial", "age")))
    items = [Question.of_item(item, "before") for item in experiment.before]
    records = [
        AnswerRecord.of(one, person, k, [value])
        for person, value in (("ann", 70), ("bob", 90)) for k, one in enumerate(items)
    ] + [AnswerRecord(person, "q4", 3, "triplet", tuple("abc"), (0,)) for person in ("bob", "ann")]
    result = with_questionnaire(gathered_answers(experiment, records), records)
    assert (result.weight == 1).all()
    assert result.trials is None
    assert result.answers["weight (asked)"].tolist() == [90, 70]
    assert result.answers["age"].tolist() == [90, 70]


def test_levels_agree_within_a_fifth_of_the_scale_and_identical_ones_are_alike():
    catch = question_of("rating", kind="catch", correct=(7,))
    assert [catch.is_right((k,)) for k in (5, 6, 7)] == [False, True, True]
    fine = question_of("rating", n_levels=100)
    assert fine.agrees((40,), (59,))
    assert not fine.agrees((40,), (60,))
    same = question_of("same_different", kind="catch", correct=(0,))
    assert same.is_right((0,))
    assert not same.is_right((1,))


@pytest.mark.parametrize("task", ["rating", "same_different", "piles", "arrangement"])
def test_data_come_back_as_the_ratings_that_the_page_reads_already(task):
    experiment, records = simulated(task)
    file = measured_answers(experiment, records)
    assert file.kind == ASKINGS[task].measured
    table = answers_table(experiment, records)
    assert {*table["kind"]} >= {"question", "practice"}
    table["id"] = [f"id {k}" for k in range(len(table))]
    content = table.to_csv(index=False).encode()
    content += content.partition(b"\n")[2]  # sent twice, and read once
    read = ts.ratings.read_measured(content)
    data = read.dissimilarities(0)
    assert np.array_equal(data.mean, file.measured().dissimilarities(0).mean, equal_nan=True)
    about = sum(record.is_about_objects for record in records)
    assert len(read.table) == about * (10 if ASKINGS[task].is_table else 1), "no practice or checks"
    upper = np.triu_indices(10, 1)
    true = np.linalg.norm(PLACES[:, None] - PLACES, axis=2)[upper]
    assert spearmanr(data.mean[upper], true, nan_policy="omit")[0] > 0.6
    with pytest.raises(MeasuredGiven):
        propose(load(content, "answers.csv"))
    with pytest.raises(DataError, match="no comparisons"):
        gathered_answers(experiment, records)
    with pytest.raises(DataError, match="pilot"):
        expected_accuracy(experiment)
    assert all(one.question.checked(one.chosen) == one.chosen for one in records)
    assert (conduct_table(records)["failed"] <= 1).all()
    assert experiment_cost(experiment).minutes > 2


def test_few_answers_are_read_too_and_left_and_right_may_be_different_kinds():
    """The columns of a file of unknown origin must share names, and not every pile is of one."""
    ids = [f"o{k}" for k in range(12)]
    for task in ("rating", "same_different", "piles"):
        experiment = experiment_of(ids=ids, task=task)
        shown = [ids] if task == "piles" else zip(ids[:6], ids[6:], strict=True)
        chosen = range(12) if task == "piles" else (1,)
        records = [AnswerRecord("ann", f"q{k}", k, task, tuple(one), tuple(chosen), n_levels=7)
                   for k, one in enumerate(shown)]
        result = measured_answers(experiment, records)
        if task == "piles":
            assert (result.measured().dissimilarities().mean == 1 - np.eye(12)).all()
        else:
            assert len(result.table) == 6


def test_tables_show_a_part_of_the_objects_and_name_piles_apart():
    experiment, records = simulated("piles", 6, n_on_table=6, n_questions=3)
    assert {len(record.shown) for record in records} == {6}
    table = measured_answers(experiment, records).table
    assert table["item"].nunique() == 10
    of_one = table[table["participant"] == "simulated 1"]["pile"]
    assert {pile.split(".")[0] for pile in of_one} == {"2", "3", "4"}, "practice was the first"
    ids = list("abcde")
    parts = experiment_of(ids=ids, task="piles", n_on_table=3)
    records = [AnswerRecord("ann", f"q{k}", k, "piles", shown, chosen) for k, (shown, chosen) in
               enumerate([(tuple("abc"), (0, 0, 1)), (tuple("cda"), (0, 0, 0))])]
    square = measured_answers(parts, records).measured().dissimilarities().mean
    np.testing.assert_equal(square[np.triu_indices(4, 1)], [0, 0.5, 0, 1, np.nan, 0])
    many = [f"o{k}" for k in range(MOST_ON_TABLE + 1)]
    with pytest.raises(DataError, match="how many objects are on a table"):
        experiment_of(ids=many, task="piles")


def test_triads_are_in_the_order_of_the_objects_from_either_end():
    experiment = experiment_of(8, task="triad", n_questions=40, repeated=0.2)
    turned = set()
    for question in person_list(experiment, 0).questions:
        if question.kind in ("question", "repeat"):
            numbers = [int(one[1:]) for one in question.shown]
            assert numbers in (sorted(numbers), sorted(numbers, reverse=True))
            turned.add(numbers[0] > numbers[2])
    assert turned == {True, False}
