"""Lists of one person: in balance over people, with repeats, catch and gold questions."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.core.studies.experiment.made import TASKS, experiment_of, gold_of, whole
from tripletscope.core.data.errors import DataError
from tripletscope.core.studies.experiment.drawing import QuestionPool
from tripletscope.core.studies.experiment.listed_designs import experiment_questions
from tripletscope.core.studies.experiment.lists import (
    catch_question,
    check_questions,
    key_of,
    person_list,
    stand_in,
)
from tripletscope.core.studies.experiment.question import ASKINGS, Question

BARE = {"repeated": 0.0, "catch": 0.0, "gold_share": 0.0, "n_practice": 0}
tasks = st.sampled_from(TASKS)


def bare(n, task="triplet", n_questions=20, **values):
    return experiment_of(n, task=task, n_questions=n_questions, **(BARE | values))


def pool_of(experiment) -> QuestionPool:
    return QuestionPool(
        experiment.task, len(experiment.objects), experiment.n_shown, experiment.seed
    )


def same(experiment, question: Question) -> tuple:
    """What a question is about, whatever the places of its options."""
    number = {one.id: k for k, one in enumerate(experiment.objects)}
    return pool_of(experiment).same([number[one] for one in question.shown])


def of_kind(asked, *kinds) -> list[Question]:
    return [question for question in asked.questions if question and question.kind in kinds]


def in_places(experiment, n_people: int) -> np.ndarray:
    """(k, n) how often every object stood in every place; in any, where they are ordered."""
    number = {one.id: k for k, one in enumerate(experiment.objects)}
    often = np.zeros((experiment.n_shown, len(experiment.objects)), dtype=int)
    for person in range(n_people):
        for question in person_list(experiment, person).questions:
            for place, one in enumerate(question.shown):
                often[place, number[one]] += 1
    return often.sum(axis=0, keepdims=True) if experiment.task == "triad" else often


# Balance -------------------------------------------------------------------------------------


@given(
    n=st.integers(3, 200), task=tasks, n_questions=st.integers(1, 60),
    n_people=st.integers(1, 30), seed=st.integers(0, 99),
)
def test_over_people_every_object_is_in_every_place_equally_often(
    n, task, n_questions, n_people, seed
):
    assume(n > 4 or task not in ("ranking", "pairs"))
    experiment = bare(n, task, n_questions, seed=seed, n_options=4)
    # Where there are hardly more different questions than asked, see the next test.
    assume(4 * n_questions <= pool_of(experiment).n_possible)
    often = in_places(experiment, n_people)
    each = experiment.n_shown // len(often)
    assert (often.sum(axis=1) == n_people * n_questions * each).all()
    spread = often.max(axis=1) - often.min(axis=1)
    assert spread.max() <= (1 + (n_questions < 3 or n < 8) * 2) * each


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize(("n", "n_questions"), [(3, 10), (5, 7), (5, 25), (6, 100), (8, 100)])
def test_few_objects_asked_about_again_and_again_are_nearly_in_balance(task, n, n_questions):
    if n < 5 and task in ("ranking", "pairs"):
        n = 5
    often = in_places(bare(n, task, n_questions), 20)
    mean = often.mean()
    assert np.abs(often - mean).max() <= max(0.1 * mean, 8)
    if ASKINGS[task].is_anchored:
        assert np.ptp(often[0]) <= 0.05 * mean + 3


@given(n=st.integers(3, 30), task=tasks, n_questions=st.integers(1, 150),
       person=st.integers(0, 10_000), source=st.sampled_from(["balanced", "random"]))
def test_nobody_is_asked_anything_twice_as_long_as_there_is_something_else(
    n, task, n_questions, person, source
):
    assume(n > 4 or task not in ("ranking", "pairs"))
    experiment = bare(n, task, n_questions, source=source)
    asked = person_list(experiment, person).questions
    often = Counter(same(experiment, question) for question in asked)
    possible = pool_of(experiment).n_possible
    assert sum(often.values()) == n_questions
    assert max(often.values()) == -(-n_questions // possible)
    assert len(often) == min(n_questions, possible)
    assert all(len({*question.shown}) == experiment.n_shown for question in asked)


@pytest.mark.parametrize("task", TASKS)
def test_every_different_question_is_counted_and_listed_once(task):
    pool = pool_of(bare(6, task))
    every = pool.every()
    assert len(every) == pool.n_possible == len({pool.same(row) for row in every})
    # Any order of the objects shown is one of them, and nothing else is.
    rng = np.random.default_rng(0)
    drawn = {pool.same(rng.permutation(6)[: pool.n_shown].tolist()) for _ in range(4000)}
    assert drawn == {pool.same(row) for row in every}


def test_lists_of_people_differ_and_a_persons_is_always_the_same():
    experiment = whole(12)
    lists = [person_list(experiment, person).questions for person in (0, 1, 2)]
    assert lists[0] != lists[1] != lists[2]
    assert person_list(experiment, 1).questions == lists[1]
    other = person_list(replace(experiment, seed=1), 1).questions
    assert other != lists[1]


def test_random_questions_are_uniform():
    experiment = bare(4, n_questions=1, source="random")
    rng = np.random.default_rng(0)
    often = Counter(
        person_list(experiment, person, rng).questions[0].shown for person in range(4800)
    )
    assert len(often) == 24
    assert max(abs(count - 200) for count in often.values()) < 60  # four standard deviations


# What is added -------------------------------------------------------------------------------


@pytest.mark.parametrize("task", TASKS)
def test_everything_is_there_as_often_as_chosen(task):
    experiment = whole(12, task)
    asked = person_list(experiment, 3)
    kinds = [question.kind for question in asked.questions]
    assert Counter(kinds) == {"question": 40, "repeat": 8, "catch": 4, "gold": 4, "practice": 2}
    assert kinds[:2] == ["practice"] * 2
    assert [question.key for question in asked.questions] == list(map(key_of, range(58)))
    assert all(question.source == question.kind for question in of_kind(
        asked, "catch", "gold", "practice"
    ))
    assert all(question.source == "balanced" for question in of_kind(asked, "question", "repeat"))


def test_everybody_has_as_many_checks():
    """Numbers that came out over people were 0 or 1 here, though three failures end it."""
    for share, number in ((0.03, 1), (0.25, 2), (0.28, 3), (0.0, 0)):
        experiment = experiment_of(12, n_questions=10, catch=share, repeated=0.0, n_practice=0)
        caught = [len(of_kind(person_list(experiment, person), "catch")) for person in range(20)]
        assert set(caught) == {number}


def test_shares_of_repeats_that_are_no_whole_numbers_come_out_over_people():
    experiment = experiment_of(12, n_questions=10, catch=0.0, repeated=0.03, n_practice=0)
    again = [len(of_kind(person_list(experiment, person), "repeat")) for person in range(100)]
    assert set(again) == {0, 1}
    assert sum(again) == 30


@given(n=st.integers(5, 40), task=tasks, n_questions=st.integers(2, 80),
       person=st.integers(0, 1000))
def test_repeats_stand_in_the_second_half_well_after_and_their_options_elsewhere(
    n, task, n_questions, person
):
    experiment = bare(n, task, n_questions, repeated=0.3)
    assume(pool_of(experiment).n_possible >= n_questions)
    asked = person_list(experiment, person).questions
    first: dict[tuple, tuple[int, Question]] = {}
    before = 0
    for question in asked:
        if question.kind == "question":
            first[same(experiment, question)] = (before, question)
            before += 1
            continue
        place, original = first[same(experiment, question)]
        assert place < max(n_questions // 2, 1)
        assert before >= n_questions // 2
        assert before - place >= min(1 + n_questions // 4, n_questions - place)
        assert question.source == original.source
        if question.n_options > 2:
            assert question.shown != original.shown


@pytest.mark.parametrize("task", ["triplet", "pairs"])
def test_two_options_change_sides_in_half_of_the_repeats(task):
    experiment = bare(20, task, 100, repeated=0.4)
    changed = []
    for person in range(10):
        asked = person_list(experiment, person)
        shown = {same(experiment, one): one.shown for one in of_kind(asked, "question")}
        changed += [one.shown != shown[same(experiment, one)] for one in of_kind(asked, "repeat")]
    assert 0.4 < np.mean(changed) < 0.6
    assert len(changed) == 400


@given(task=tasks, n=st.integers(5, 12), seed=st.integers(0, 10**6))
def test_a_catch_question_has_one_right_answer_that_the_eyes_tell(task, n, seed):
    experiment = experiment_of(n, task=task)
    question = catch_question(experiment, np.random.default_rng(seed))
    shown, right = question.shown, question.correct
    if task == "triplet":
        assert shown[1 + right[0]] == shown[0] != shown[2 - right[0]]
    elif task == "odd_one_out":
        rest = [one for k, one in enumerate(shown) if k != right[0]]
        assert rest[0] == rest[1] != shown[right[0]]
    elif task == "similar_pair":
        assert shown[right[0]] == shown[right[1]]
        assert len({*shown}) == 2
    elif task == "ranking":
        assert shown[1 + right[0]] == shown[0]
        assert len({*shown[1:]}) == question.n_options
        others = [k for k in range(question.n_options) if k != right[0]]
        assert question.is_right((right[0], others[0]))
        assert question.is_right((right[0], others[1]))
        assert not question.is_right((others[0], right[0]))
    else:
        pairs = ASKINGS[task].options(shown)
        assert len({*pairs[right[0]]}) == 2
        assert len({*pairs[1 - right[0]]}) == 1
    assert question.is_right(question.correct + tuple(
        k for k in range(question.n_options) if k not in question.correct
    )[: question.n_chosen - len(question.correct)])


@pytest.mark.parametrize("task", TASKS)
def test_the_right_place_of_catch_and_gold_questions_tells_nothing(task):
    experiment = whole(12, task, gold_share=0.3, catch=0.3)
    often = Counter()
    for person in range(40):
        for question in of_kind(person_list(experiment, person), "catch", "gold"):
            often[question.kind, question.correct[0]] += 1
    for kind in ("catch", "gold"):
        n = sum(count for (of, _), count in often.items() if of == kind)
        places = [count for (of, _), count in often.items() if of == kind]
        assert len(places) >= 2
        assert max(places) < 0.75 * n


def test_checks_are_spread_evenly():
    experiment = experiment_of(12, n_questions=100, catch=0.1, repeated=0.0, n_practice=0)
    for person in range(20):
        kinds = [question.kind for question in person_list(experiment, person).questions]
        at = np.flatnonzero(np.array(kinds) == "catch")
        assert len(at) == 10
        assert np.diff(at).max() <= 23
        assert all(kinds[k : k + 11].count("catch") <= 3 for k in range(100))


def test_practice_shows_gold_questions_only_where_they_are_not_asked_later():
    told, asked = whole(8, gold_share=0.0), whole(8)
    gold = sorted(asked.gold[0]["shown"])
    practice = of_kind(person_list(told, 0), "practice")
    assert all(sorted(question.shown) == gold for question in practice)


@pytest.mark.parametrize("task", TASKS)
def test_practice_is_what_is_asked_later(task):
    """Identical objects, as in catch questions, would teach matching."""
    practice = of_kind(person_list(whole(8, task), 0), "practice")
    assert len(practice) == 2
    for question in practice:
        assert len({*question.shown}) == len(question.shown)
        assert not question.correct, "nobody is told what is right"


def test_practice_of_a_list_is_drawn_from_it():
    """Questions about all objects were drawn, be they in the list or not."""
    rows = tuple({"shown": [f"o{k}" for k in (1, 2 + k, 3 + k)]} for k in range(3))
    experiment = experiment_of(12, source="list", n_practice=5, questions=rows)
    practice = of_kind(person_list(experiment, 0), "practice")
    assert len(practice) == 5
    assert {question.shown for question in practice} == {tuple(row["shown"]) for row in rows}
    assert {question.source for question in practice} == {"practice"}


# Sources -------------------------------------------------------------------------------------


def test_adaptive_places_are_left_open_but_for_the_random_share():
    experiment = bare(12, n_questions=50, source="gain", random_share=0.3, repeated=0.1)
    shares = []
    for person in range(40):
        asked = person_list(experiment, person)
        random = of_kind(asked, "question")
        assert asked.questions.count(None) + len(random) == 50
        assert {question.source for question in random} == {"random"}
        repeats = of_kind(asked, "repeat")
        about = {same(experiment, question) for question in random}
        assert {same(experiment, question) for question in repeats} <= about
        shares.append(len(random) / 50)
    assert np.mean(shares) == pytest.approx(0.3)
    # Every place is as likely to be a random one, so that learning and fatigue concern both.
    places = np.array([
        [question is not None for question in person_list(replace(
            experiment, repeated=0.0), person).questions] for person in range(400)
    ])
    assert np.abs(places.mean(axis=0) - 0.3).max() < 0.12


@pytest.mark.parametrize("task", TASKS)
def test_a_stand_in_is_any_question_and_says_so(task):
    experiment = bare(6, task)
    rng = np.random.default_rng(0)
    found = [stand_in(experiment, rng, "q9") for _ in range(600)]
    assert {(one.key, one.source, one.kind, one.correct) for one in found} == {
        ("q9", "stand-in", "question", ())
    }
    assert all(len({*one.shown}) == experiment.n_shown for one in found)
    often = Counter(one for question in found for one in question.shown)
    assert len(often) == 6
    assert max(often.values()) < 150 * experiment.n_shown


@pytest.mark.parametrize("task", TASKS)
def test_landmarks_are_the_same_for_everybody_and_everything_stands_beside_them(task):
    experiment = bare(20, task, 40, source="landmark", n_landmarks=6, n_options=4)
    often = Counter()
    for person in range(20):
        for question in person_list(experiment, person).questions:
            often.update(question.shown)
    common = [one for one, _ in often.most_common(6)]
    for person in range(20):
        for question in person_list(experiment, person).questions:
            assert sum(one not in common for one in question.shown) <= 1
    assert len(often) == 20
    rest = [often[one.id] for one in experiment.objects if one.id not in common]
    assert max(rest) - min(rest) <= 12


def test_too_few_landmarks_are_refused_and_just_enough_are_not():
    with pytest.raises(DataError, match="a question shows 4 of them"):
        person_list(bare(12, "ranking", source="landmark", n_landmarks=3, n_options=4), 0)
    asked = person_list(bare(12, source="landmark", n_landmarks=2), 0).questions
    assert len({one for question in asked for one in question.shown[1:]}) == 2


def test_numbered_lists_are_dealt_in_turn_and_asked_as_they_stand():
    shown = [["o1", "o2", "o3"], ["o2", "o3", "o4"], ["o3", "o4", "o5"], ["o4", "o5", "o6"]]
    experiment = bare(8, source="list", questions=tuple(
        {"shown": row, "list": k % 2} for k, row in enumerate(shown)
    ))
    for person in range(4):
        asked = person_list(experiment, person).questions
        assert [list(question.shown) for question in asked] == shown[person % 2 :: 2]
        assert {question.source for question in asked} == {"list"}


def test_of_one_long_list_everybody_gets_the_next_questions():
    rows = [["o0", f"o{1 + k % 7}", f"o{1 + (k + 1) % 7}"] for k in range(7)]
    experiment = bare(8, n_questions=3, source="list", questions=tuple(
        {"shown": row} for row in rows
    ))
    often = Counter(
        question.shown for person in range(7) for question in person_list(
            experiment, person).questions
    )
    assert set(often.values()) == {3}
    assert len(often) == 7


def test_a_list_with_repeats_or_checks_of_its_own_gets_no_more_of_them():
    experiment = experiment_of(8, source="list", catch=0.3, repeated=0.5, n_practice=0, questions=(
        {"shown": ["o1", "o2", "o3"], "list": 0}, {"shown": ["o2", "o2", "o3"], "kind": "catch",
                                                   "correct": [0], "list": 0},
        {"shown": ["o1", "o3", "o2"], "kind": "repeat", "list": 0},
    ))
    kinds = [question.kind for question in person_list(experiment, 0).questions]
    assert kinds == ["question", "catch", "repeat"]


@pytest.mark.parametrize(("record", "problem"), [
    ({}, "no question"), ({"shown": ["o1", "o2", "x"]}, "'x' is no object"),
    ({"shown": ["o1", "o2"]}, "shows 2 objects"), ({"shown": ["o1", "o2", "o3"], "colour": 1},
                                                   "no question"),
    ({"shown": ["o1", "o2", "o3"], "task": "pairs"}, "'pairs'"),
    ({"shown": ["o1", "o2", "o3"], "correct": [2]}, "options shown"),
    ({"shown": ["o1", "o2", "o3"], "kind": "riddle"}, "'riddle'"),
    ({"shown": ["o1", "o2", "o3"], "n_chosen": 2}, "names 2"),
    ({"shown": ["o1", "o2", "o2"]}, "with itself"), ({"shown": ["o1", "o2", "o1"]}, "with itself"),
    ({"shown": ["o1", "o2", "o1"], "kind": "catch"}, "right answer is missing"),
])
def test_a_question_that_is_none_is_refused_by_its_number(record, problem):
    fine = {"shown": ["o1", "o2", "o3"]}
    experiment = bare(8, source="list", questions=(fine, record))
    with pytest.raises(DataError, match="question 2") as found:
        check_questions(experiment)
    assert problem in str(found.value)


def test_gold_questions_need_a_right_answer_and_a_list_questions():
    experiment = experiment_of(8, gold=({"shown": ["o1", "o2", "o3"]},), gold_share=0.1)
    with pytest.raises(DataError, match="right answer is missing"):
        check_questions(experiment)
    with pytest.raises(DataError, match="no list of questions"):
        person_list(bare(8, source="list"), 0)
    check_questions(whole(8, "ranking"))


def test_what_the_browser_is_told_does_not_give_checks_away():
    experiment = whole(8)
    told = [question.for_participant() for question in person_list(experiment, 0).questions]
    checked = [one for one in told if "kind" not in one]
    assert len(checked) == 56
    assert all(set(one) == {"key", "task", "shown", "n_chosen"} for one in checked)
    assert gold_of(experiment)["shown"] == ["o0", "o1", "o2"]


def test_a_model_is_asked_about_the_pairs_of_a_triad_and_not_for_ratings():
    triads = bare(6, "triad")
    ids = [one.id for one in triads.objects]
    (questions,) = experiment_questions(triads, ids)
    assert questions.kind == "pairs"
    for row, one in zip(questions.shown, person_list(triads, 0).questions, strict=True):
        assert [ids[k] for k in row] == [one.shown[k] for k in (0, 1, 1, 2)]
    for task in ("rating", "same_different", "piles", "arrangement"):
        with pytest.raises(DataError, match="no comparisons"):
            experiment_questions(bare(6, task), ids)
