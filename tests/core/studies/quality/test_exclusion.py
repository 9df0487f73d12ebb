"""Exclusions: whom rules remove, what steps see and how they are taken back."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.core.reading.layouts import FORMATS
from tests.core.studies.quality.answers import people_data
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.reading import load, propose
from tripletscope.core.reading.interpretation.interpret import interpret
from tripletscope.core.studies.quality import (
    RULES,
    Cleaning,
    Exclusion,
    quality,
)


def test_every_rule_declares_what_it_needs():
    triplets = people_data()
    for rule in RULES.values():
        assert rule.title
        assert rule.help.endswith(".")
        assert rule.source
        exclusion = Exclusion(rule.name)
        assert Exclusion(**exclusion.to_dict()) == exclusion
        bare = Cleaning(Triplets.from_array(triplets.rows))
        if any(word in rule.name for word in (
            "time", "side", "fast", "slow", "checks", "unanswered",
        )):
            with pytest.raises(DataError, match=r"no (response time|side|catch|questions)"):
                bare.preview(exclusion)
        else:
            assert bare.preview(exclusion).mask.shape == (len(triplets),)
    with pytest.raises(ValueError, match="rule is 'guess'"):
        Exclusion("guess")
    with pytest.raises(ValueError, match="Failed catch or gold questions"):
        Exclusion("failed_checks", {"most": 2.0})
    with pytest.raises(ValueError, match="no parameter 'least'"):
        Exclusion("failed_checks", {"least": 0.5})


@pytest.mark.parametrize(
    ("rule", "settings_", "gone"),
    [
        ("fast_participants", {"least": 1.0}, {"p5"}),
        ("few_answers", {"least": 121}, {f"p{i}" for i in range(6)}),
        ("few_answers", {"least": 120}, set()),
        ("favourite_side", {"most": 0.75}, {"p5"}),
        ("favourite_side", {"most": 1.0, "least": 0.3}, {"p5"}),
        ("at_odds", {"least": 0.6, "shared": 20}, {"p5"}),
        ("slow_answers", {"most": 60.0}, set()),
        ("without_time", {}, set()),
        ("duplicates", {}, set()),
    ],
)
def test_rules_remove_whom_they_should(rule, settings_, gone):
    removed = Cleaning(people_data()).preview(Exclusion(rule, settings_))
    assert set(removed.participants) == gone
    assert removed.n_answers == 120 * len(gone) == removed.mask.sum()
    assert removed.touched == dict.fromkeys(gone, 120)


def test_only_some_values_of_a_column_stay():
    data = people_data()
    experts = pd.Categorical(["expert" if who in ("p0", "p3") else "novice"
                              for who in data.answers["participant"]])
    data = Triplets(data.rows, data.objects, data.answers.assign(group=experts))
    only = Exclusion("other_values", {"column": "group", "values": ["expert"]})
    assert only.title == "Other values of a column (column: group, kept values: expert)"
    assert {*Cleaning(data).excluding(only).triplets.answers["participant"]} == {"p0", "p3"}
    numbers = Triplets(data.rows, data.objects, data.answers.assign(block=["1.0", "2.0"] * 360))
    assert Cleaning(numbers).preview(
        Exclusion("other_values", {"column": "block", "values": ["2"]})
    ).n_answers == 360, "an update of the file had an empty cell"
    unknown = data.answers["group"].where(np.arange(720) >= 5)
    some = Triplets(data.rows, data.objects, data.answers.assign(group=unknown))
    assert Cleaning(some).preview(only).n_answers == 480 + 5, "who has no value is no expert"
    with pytest.raises(DataError, match="no session"):
        Cleaning(data).preview(Exclusion("other_values", {"column": "session", "values": ["2"]}))


def test_failed_checks_and_single_answers():
    triplets = people_data()
    catch = pd.DataFrame({"participant": ["p0"] * 5 + ["p1"] * 5,
                          "correct": [True] * 4 + [False] + [True] * 3 + [False] * 2})
    cleaning = Cleaning(triplets, catch)
    # One of five is not over 20 %.
    assert cleaning.preview(Exclusion("failed_checks")).participants == ["p1"]
    times = triplets.answers["response_time"]
    removed = cleaning.preview(Exclusion("fast_answers", {"least": 1.5}))
    assert (removed.mask == (times < 1.5).to_numpy()).all()
    twice = Triplets(np.concatenate([triplets.rows, triplets.rows[:7]]), triplets.objects,
                     pd.concat([triplets.answers, triplets.answers[:7]], ignore_index=True))
    removed = Cleaning(twice).preview(Exclusion("duplicates"))
    assert np.flatnonzero(removed.mask).tolist() == list(range(720, 727))


def test_fast_blocks_against_sorting():
    rng = np.random.default_rng(3)
    triplets = people_data()
    answers = triplets.answers.assign(
        block=pd.Categorical(np.arange(720) % 120 // 20),  # numbered anew by each participant
        response_time=rng.lognormal(0.1, 0.5, 720),
    )
    triplets = Triplets(triplets.rows, triplets.objects, answers)
    expected = np.zeros(720, dtype=bool)
    fast_blocks = {}
    for (name, _), own in answers.groupby(["participant", "block"], observed=True):
        times = np.sort(own["response_time"])
        if times[4] < 0.8 and times[9] < 1.1:
            expected[own.index] = True
            fast_blocks[name] = fast_blocks.get(name, 0) + 1
    for name, count in fast_blocks.items():
        if count >= 3:
            expected |= (answers["participant"] == name).to_numpy()
    found = Cleaning(triplets).preview(Exclusion("fast_blocks", {"blocks": 3}))
    assert 0 < expected.sum() < 720
    assert (found.mask == expected).all()


def test_answers_of_nobody_are_no_participant_s():
    triplets = people_data()
    named = triplets.answers["participant"].where(np.arange(720) % 120 >= 10)
    triplets = Triplets(triplets.rows, triplets.objects, triplets.answers.assign(participant=named))
    removed = Cleaning(triplets).preview(Exclusion("few_answers", {"least": 111}))
    assert (removed.mask == named.notna()).all()


def test_who_has_no_side_prefers_none():
    triplets = people_data()
    side = triplets.answers["side"].where(triplets.answers["participant"] != "p2")
    triplets = Triplets(triplets.rows, triplets.objects, triplets.answers.assign(side=side))
    exclusion = Exclusion("favourite_side", {"most": 1.0, "least": 0.3})
    assert Cleaning(triplets).preview(exclusion).participants == ["p5"]


def test_a_block_of_nine_answers_is_not_judged_by_the_next():
    triplets = people_data(n_people=1, each=40)
    times = np.r_[np.full(9, 0.1), 0.9, np.full(30, 2.0)]
    answers = triplets.answers.assign(
        block=pd.Categorical(np.arange(40) >= 9), response_time=times
    )
    triplets = Triplets(triplets.rows, triplets.objects, answers)
    assert not Cleaning(triplets).preview(Exclusion("fast_blocks", {"blocks": 1})).mask.any()


def test_steps_see_what_is_left_and_undo_is_exact():
    raw = people_data()
    before = raw.fingerprint
    start = Cleaning(raw)
    first = start.excluding(Exclusion("fast_answers", {"least": 1.9}))
    second = first.excluding(Exclusion("few_answers", {"least": 50}, reason="too little"))
    third = second.excluding(Exclusion(participants=["p0"], answers=[125, 130]))
    assert len(third.triplets) == third.kept.sum()
    left = raw.take((raw.answers["response_time"] >= 1.9).to_numpy())
    sizes = left.answers["participant"].value_counts()
    assert set(second.previews[1].participants) == set(sizes[(sizes < 50) & (sizes > 0)].index)
    assert third.undone().triplets.fingerprint == second.triplets.fingerprint
    assert third.undone().undone().undone().triplets is raw
    assert raw.fingerprint == before
    log = third.log()
    assert [entry["removed_answers"] for entry in log] == [p.n_answers for p in third.previews]
    assert sum(entry["removed_answers"] for entry in log) == len(raw) - len(third.triplets)
    again = Cleaning.from_log(raw, log)
    assert (again.kept == third.kept).all()
    assert again.log() == log
    with pytest.raises(DataError, match="no answer would remain"):
        start.excluding(Exclusion("few_answers", {"least": 1000}))


@settings(max_examples=10)
@given(st.lists(st.sampled_from([
    Exclusion("fast_answers", {"least": 1.8}), Exclusion("few_answers", {"least": 60}),
    Exclusion("at_odds", {"least": 0.6}), Exclusion(participants=("p2",)), Exclusion(answers=(3,)),
    Exclusion("duplicates"),
]), max_size=4))
def test_any_steps_can_be_taken_back(steps):
    cleaning = Cleaning(RAW)
    seen = [cleaning]
    for step in steps:
        seen.append(seen[-1].excluding(step))
    for before, after in zip(seen[-2::-1], seen[:0:-1], strict=True):
        assert (after.undone().kept == before.kept).all()
        assert not (after.kept & ~before.kept).any()


RAW = people_data()


def test_answers_of_one_trial_go_together():
    text = "image1,image2,image3,choice,RT,subject_id\n" + "".join(
        f"{1 + i % 5},{6 + i % 3},{9 + i % 2},{1 + i % 3},{50 if i < 4 else 1500},{i % 2}\n"
        for i in range(40)
    )
    table = load(text.encode())
    triplets = interpret(table, propose(table)[0]).triplets
    cleaning = Cleaning(triplets).excluding(Exclusion(answers=[20]))
    assert np.flatnonzero(~cleaning.kept).tolist() == [20, 21]
    removed = cleaning.preview(Exclusion("fast_answers"))
    assert (removed.n_trials, removed.n_answers) == (4, 8)


def test_a_real_file_with_catch_trials():
    table = load(FORMATS / "tripletTools_individual.csv")
    imported = interpret(table, propose(table)[0])
    report = quality(imported.triplets, catch_trials=imported.catch_trials)
    assert report.checks.n == len(imported.catch_trials)
    assert report.participants["checks"].sum() == len(imported.catch_trials)


def test_weights_leave_nobody_out_and_are_undone():
    triplets = people_data()
    names = tuple(sorted(triplets.answers["participant"].astype(str).unique()))
    step = Exclusion(
        "weights", {"weights": [1.0, 0.5, *[0.25] * (len(names) - 2)]}, names, reason="why"
    )
    assert Exclusion(**step.to_dict()) == step
    cleaning = Cleaning(triplets).excluding(step)
    who = triplets.answers["participant"].astype(str).to_numpy()
    assert cleaning.kept.all()
    assert (cleaning.triplets.weight[who == names[1]] == 0.5).all()
    assert (cleaning.triplets.weight[who == names[0]] == 1.0).all()
    assert cleaning.previews[0].participants == []
    assert names[0] not in cleaning.previews[0].touched
    weight = cleaning.triplets.weight
    assert cleaning.effective == pytest.approx(weight.sum() ** 2 / (weight @ weight))
    again = Cleaning.from_log(triplets, cleaning.log())
    assert again.triplets.fingerprint == cleaning.triplets.fingerprint
    assert cleaning.undone().triplets is triplets
    twice = cleaning.excluding(step).excluding(Exclusion(participants=names[:1]))
    assert names[0] not in set(twice.triplets.answers["participant"])
    assert twice.triplets.weight.max() == pytest.approx(0.25)


@pytest.mark.parametrize("values", [
    {}, {"weights": [1.0]}, {"weights": [1.0, 2.0]}, {"weights": [1.0, 0.5], "least": 1},
])
def test_weights_that_are_none_are_refused(values):
    with pytest.raises(ValueError, match="weights"):
        Exclusion("weights", values, ("a", "b"))


def test_weights_need_names():
    triplets = people_data()
    bare = Cleaning(Triplets(triplets.rows, triplets.objects))
    with pytest.raises(DataError, match="no participant"):
        bare.excluding(Exclusion("weights", {"weights": [0.5]}, ("p0",)))
