"""What is resampled as one: draws by hand, and the rule by which the unit is chosen."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets, numbered_objects
from tripletscope.core.inference.held_out.units import (
    known_people,
    sampling_units,
)


def answers_of(participant: list, **columns: list) -> Triplets:
    rows = np.tile([[0, 1, 2]], (len(participant), 1))
    table = pd.DataFrame({"participant": pd.Series(participant, dtype=object), **columns})
    return Triplets(rows, numbered_objects(3), table)


def named(n: int, each: int = 2) -> list[str]:
    return [f"p{i}" for i in range(n) for _ in range(each)]


def test_participants_are_the_unit_where_eight_are_known():
    found = sampling_units(answers_of(named(8)))
    assert (found.unit, found.number, found.degrees) == ("participants", 8, 7)
    assert found.correction == pytest.approx(8 / 7)
    few = sampling_units(answers_of(named(7)))
    assert (few.unit, few.number, few.degrees, few.correction) == ("answers", 14, None, 1.0)
    bare = Triplets.from_array([[0, 1, 2]] * 5)
    assert sampling_units(bare).number == 5


def test_answers_of_nobody_decide_where_they_are_most():
    assert sampling_units(answers_of([*named(8), *[None] * 16])).unit == "participants"
    assert sampling_units(answers_of([*named(8), *[""] * 17])).unit == "answers"


def test_who_gave_no_answer_that_counts_is_not_counted():
    weight = [1.0] * 16 + [0.0] * 2
    assert sampling_units(answers_of(named(9), weight=weight)).number == 8
    assert sampling_units(answers_of(named(8), weight=[0.0] * 2 + [1.0] * 14)).unit == "answers"


@pytest.mark.parametrize("participant", [[None] * 4, ["a"] * 4])
@pytest.mark.parametrize("unit", ["participants", "both"])
def test_fewer_than_two_participants_cannot_be_resampled(participant, unit):
    with pytest.raises(DataError, match="participants cannot be resampled"):
        sampling_units(answers_of(participant), unit)


def test_a_participant_is_drawn_with_all_answers():
    units = sampling_units(answers_of([*named(10, 3), None, None]), "participants")
    rng = np.random.default_rng(0)
    draws = np.array([units.drawn(rng) for _ in range(2000)])
    people = draws[:, :30].reshape(2000, 10, 3)
    assert (people == people[..., :1]).all()
    assert (people[..., 0].sum(axis=1) == 10).all()
    assert (draws[:, 30:].sum(axis=1) == 2).all(), "trials of nobody are drawn among themselves"
    # multinomial: variance 1 - 1/10, whose standard error is 0.015
    assert people[..., 0].var() == pytest.approx(0.9, abs=0.06)


def test_subsamples_are_of_participants():
    units = sampling_units(answers_of(named(9)), "participants")
    counts = units.drawn(np.random.default_rng(0), 0.5)
    assert counts.sum() == 8
    assert set(counts) == {0, 1}
    assert units.subsampled(0.5) == pytest.approx(4 / 5)


def test_two_stages_draw_trials_of_the_drawn_participants():
    trial = np.repeat(np.arange(20), 2).tolist()
    units = sampling_units(answers_of(named(10, 4), trial=trial), "both")
    rng = np.random.default_rng(1)
    draws = np.array([units.drawn(rng) for _ in range(2000)])
    assert (draws[:, ::2] == draws[:, 1::2]).all(), "a trial is drawn with both answers"
    trials = draws[:, ::2].reshape(2000, 10, 2)
    people = trials.sum(axis=2)
    assert (people % 2 == 0).all(), "as many trials as there are, each time one is drawn"
    assert (people.sum(axis=1) == 20).all()
    # Each trial: variance of the participant's multiplicity, 0.9, and half of its mean for the
    # draws within.
    assert trials.var() == pytest.approx(1.4, abs=0.08)


@pytest.mark.parametrize("unit", ["participants", "both", "answers"])
def test_units_of_some_answers(unit):
    trial = np.repeat(np.arange(20), 2).tolist()
    given = answers_of([*named(9, 4), None, None, None, None], trial=trial)
    which = np.random.default_rng(0).permutation(40)[:25]
    part = sampling_units(given, unit).take(which)
    again = sampling_units(given.take(which), unit)
    assert part.number == again.number
    for mine, its in ((part.part, again.part), (part.trial, again.trial)):
        if its is None:
            assert mine is None
        else:  # the same division, whatever the numbers
            assert len(set(zip(mine, its, strict=True))) == len(set(its)) == len(set(mine))
    assert len(part.drawn(np.random.default_rng(0))) == 25


def test_influence_of_participants_by_hand():
    people = known_people(answers_of(["a", "a", "b", "b"]), "participants")
    found = people.influence(np.array([1.0, 1.0, 0.0, 1.0]), np.array([1.0, 1.0, 1.0, 1.0]))
    assert found == pytest.approx([0.125, -0.125])
    assert known_people(answers_of(["a", "a", "b", "b"]), "auto") is None


def test_answers_that_are_each_one_are_drawn_by_their_place():
    units, order = sampling_units(Triplets.from_array([[0, 1, 2]] * 9)), np.arange(9)[::-1]
    draws = [of.drawn(np.random.default_rng(0)) for of in (units, units.take(order))]
    assert np.array_equal(*draws)
