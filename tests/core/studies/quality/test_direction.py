"""The direction test: right where answers tell, silent where they do not."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tests.conftest import SAMPLES
from tripletscope.core.engine.progress import Stopped
from tripletscope.core.models.simulation.simulate import random_questions
from tripletscope.core.reading import Reading, load, propose
from tripletscope.core.reading.columns.alternatives import alternatives
from tripletscope.core.reading.interpretation.interpret import interpret
from tripletscope.core.studies.quality.direction import direction_test
from tripletscope.dashboard.results.quality import direction_said

POSITIONS = np.random.default_rng(1).normal(size=(30, 3))


def sorted_out(kind: str, n_trials: int = 3000, noise: float = 0.3, seed: int = 0):
    """(T, 3) objects of trials, and the position of the odd or the central one, seen noisily."""
    rng = np.random.default_rng(seed)
    objects = random_questions(len(POSITIONS), n_trials, rng)
    seen = POSITIONS[objects] + noise * rng.normal(size=(n_trials, 3, 3))
    across = [np.linalg.norm(seen[:, i] - seen[:, j], axis=1) for i, j in ((1, 2), (0, 2), (0, 1))]
    pick = np.argmin if kind == "odd" else np.argmax
    return objects, pick(across, axis=0)


def table_of(objects, choice, columns=("image1", "image2", "image3", "choice")):
    frame = pd.DataFrame(np.column_stack([objects, choice]), columns=list(columns))
    return load(frame.to_csv(index=False).encode(), "answers.csv")


def reading_of(table, task):
    return next(reading for reading in propose(table) if reading.task == task)


@pytest.fixture(scope="module")
def eggs_table():
    return load(SAMPLES / "alien_eggs" / "responses.csv")


def test_alien_eggs(eggs_table):
    right = propose(eggs_table)[0]
    test = direction_test(eggs_table, right)
    assert not test.warns
    assert test.accuracy[0] == pytest.approx(0.84, abs=0.02)
    assert {reading.task for reading in test.readings} == {"nearer", "farther"}
    flipped = Reading.from_dict({**right.to_dict(), "task": "farther"})
    test = direction_test(eggs_table, flipped)
    assert test.warns
    assert test.readings[test.best].task == "nearer"
    assert test.judgement == "wrong"
    said = direction_said(test)
    assert f"{test.accuracy[0]:.1%}" in said
    assert f"{test.accuracy[test.best]:.1%}" in said
    assert test.low[test.best] > test.high[0]


def test_bare_columns_of_the_eggs(eggs_table):
    rows = interpret(eggs_table, propose(eggs_table)[0]).triplets.rows[:3000]
    for order, warns in (([0, 1, 2], False), ([2, 0, 1], True), ([0, 2, 1], True)):
        table = load(pd.DataFrame(rows[:, order]).to_csv(header=False, index=False).encode())
        test = direction_test(table, propose(table)[0])
        assert len(test.readings) == 12
        assert test.warns == warns, order
        best = test.readings[test.best]
        assert best.task == "nearer"
        role = {column: role for role, column in best.roles.items()}
        assert [role[c] for c in table.columns] == [("anchor", "near", "far")[i] for i in order]


@pytest.mark.parametrize(("kind", "task"), [("odd", "odd_one_out"), ("central", "most_central")])
def test_odd_and_central_ones(kind, task):
    table = table_of(*(lambda objects, choice: (objects, choice + 1))(*sorted_out(kind)))
    other = {"odd_one_out": "most_central", "most_central": "odd_one_out"}[task]
    test = direction_test(table, reading_of(table, task))
    assert not test.warns
    test = direction_test(table, reading_of(table, other))
    assert test.warns
    assert test.readings[test.best].task == task
    assert test.accuracy[test.best] > test.accuracy[0] + 0.1


def test_the_odd_one_in_the_wrong_column():
    objects, odd = sorted_out("odd")
    last = np.array([[*np.delete(row, k), row[k]] for row, k in zip(objects, odd, strict=True)])
    for order, warns in (([0, 1, 2], False), ([2, 0, 1], True)):
        text = pd.DataFrame(last[:, order]).to_csv(header=False, index=False, sep=" ")
        table = load(text.encode(), "train_90.txt")
        reading = propose(table)[0]
        assert reading.task == "odd_one_out"
        test = direction_test(table, reading)
        assert test.warns == warns
        assert test.readings[test.best].task == "odd_one_out"
        assert test.readings[test.best].roles["item3"] == f"column {order.index(2) + 1}"


@pytest.mark.parametrize("seed", range(2))
def test_silent_without_signal(seed):
    rng = np.random.default_rng(seed)
    objects = random_questions(30, 3000, rng)
    bare = load(pd.DataFrame(objects).to_csv(header=False, index=False).encode())
    chosen = table_of(objects, rng.integers(1, 4, 3000))
    for table in (bare, chosen):
        test = direction_test(table, propose(table)[0], seed=seed)
        assert not test.warns
        assert abs(test.accuracy - 0.5).max() < 0.06
        assert test.judgement == "chance"


def test_difference_scales_and_pairs():
    rng = np.random.default_rng(2)
    scale = np.linspace(0, 1, 9) ** 2
    for n_objects in (3, 4):
        s = np.array([np.sort(rng.permutation(9)[:n_objects]) for _ in range(600)])
        last = scale[s[:, -1]] - scale[s[:, -2]]
        first = scale[s[:, 1]] - scale[s[:, 0]]
        larger = (last - first + 0.05 * rng.normal(size=600) > 0).astype(int)
        table = table_of(s, larger, [*(f"s{i + 1}" for i in range(n_objects)), "Response"])
        reading = propose(table)[0]
        assert reading.task == ("larger_difference" if n_objects == 3 else "larger_pair")
        assert not direction_test(table, reading).warns
        wrong = Reading.from_dict({**reading.to_dict(), "choice_coding": "first_is_nearer"})
        test = direction_test(table, wrong)
        assert test.warns
        ids = interpret(table, test.readings[test.best])
        right = interpret(table, reading)
        given = (ids.pairs or ids.triplets).rows, (right.pairs or right.triplets).rows
        assert (given[0] == given[1]).all()


def test_alternatives_mean_different_things():
    objects, odd = sorted_out("odd", 60)
    table = table_of(objects, odd + 1)
    for reading in propose(table):
        found = alternatives(table, reading)
        assert found[0] == reading
        answers = []
        for other in found:
            rows = interpret(table, other).triplets
            answers.append(tuple(map(tuple, np.array(rows.ids)[rows.rows])))
        assert len({frozenset(a) for a in answers}) == len(answers)


def test_the_test_can_be_stopped_and_repeats_itself():
    table = table_of(*sorted_out("odd", 300))
    reading = propose(table)[0]
    first, second = direction_test(table, reading), direction_test(table, reading)
    assert (first.accuracy == second.accuracy).all()
    with pytest.raises(Stopped):
        direction_test(table, reading, progress=lambda fraction: True)


def test_a_handful_of_answers_is_no_proof():
    table = load(b"s1,s2,s3,s4,resp\n1,2,3,4,1\n2,3,4,5,0\n")
    for task in ("larger_pair", "smaller_pair"):
        found = direction_test(table, reading_of(table, task))
        assert sorted(found.accuracy) == [0, 1], "the one as good as the other is bad"
        assert not found.warns


def test_answers_without_a_weight_say_nothing():
    table = load(b"anchor,near,far,weight\na,b,c,0\nb,a,c,0\n")
    found = direction_test(table, propose(table)[0])
    assert not found.warns
    assert found.judgement == "unknown"


def test_intervals_are_over_the_people_who_answered():
    """Answers of nine people, whose noise differs; which reading is best goes by questions."""
    noises = [0.2] * 5 + [3.0] * 4
    parts = [sorted_out("odd", 120, noise, seed) for seed, noise in enumerate(noises)]
    objects, choice = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    frame = pd.DataFrame(
        np.column_stack([objects, choice + 1]), columns=["image1", "image2", "image3", "choice"]
    )
    bare = load(frame.to_csv(index=False).encode(), "answers.csv")
    named = load(frame.assign(
        participant=np.repeat([f"p{i}" for i in range(9)], 120)
    ).to_csv(index=False).encode(), "answers.csv")
    answers = direction_test(bare, reading_of(bare, "odd_one_out"))
    people = direction_test(named, reading_of(named, "odd_one_out"))
    assert (answers.unit, answers.n_units) == ("answers", None)
    assert (people.unit, people.n_units) == ("participants", 9)
    assert people.accuracy[0] == answers.accuracy[0]
    assert people.best == answers.best
    wide, narrow = (test.high[0] - test.low[0] for test in (people, answers))
    assert wide > 1.2 * narrow
