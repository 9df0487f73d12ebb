"""Simulated people answer by the map as everywhere else, and what an experiment takes adds up."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from tests.core.studies.experiment.made import TASKS, experiment_of, whole
from tripletscope.core.data.errors import DataError
from tripletscope.core.models.simulation.simulate import LEVELS, NOISE, answer
from tripletscope.core.studies.design.scenario import Scenario
from tripletscope.core.studies.experiment.results import checks_answered, gathered_answers
from tripletscope.core.studies.experiment.simulated import (
    ATTENTIVE_SECONDS,
    expected_accuracy,
    experiment_cost,
    simulated_participants,
)

PLACES = np.random.default_rng(0).standard_normal((8, 2))


@pytest.mark.parametrize("task", TASKS)
def test_without_noise_answers_are_those_of_the_map(task):
    experiment = experiment_of(8, task=task, catch=0.1)
    records = simulated_participants(experiment, PLACES, 3, noise="none", level=0, careless=0.0)
    data = gathered_answers(experiment, records)
    places = [0, 1, 0, 2] if data.rows.shape[1] == 3 else [0, 1, 2, 3]
    i, j, k, m = PLACES[data.rows[:, places]].transpose(1, 0, 2)
    assert (np.linalg.norm(i - j, axis=1) < np.linalg.norm(k - m, axis=1)).all()
    assert len({(r.participant, r.key) for r in records}) == len(records)


@pytest.mark.parametrize("noise", NOISE.options)
def test_noise_of_triplets_is_that_of_other_simulations(noise):
    level = LEVELS[noise].default if noise in LEVELS else 0.0
    experiment = experiment_of(
        3, n_questions=3, repeated=0.0, catch=0.0, n_practice=0, labels=False
    )
    places = np.array([[0.0, 0.0], [0.6, 0.0], [0.9, 0.2]])
    records = simulated_participants(
        experiment, places, 2_000, noise=noise, level=level, careless=0.0
    )
    rows = gathered_answers(experiment, records).rows
    asked = np.repeat([[0, 1, 2], [1, 0, 2], [2, 0, 1]], 20_000, axis=0)
    for rows_of, whole_of in zip(
        (rows[rows[:, 0] == k] for k in range(3)), np.split(asked, 3), strict=True
    ):
        usual = answer(places, whole_of, np.random.default_rng(1), noise=noise, level=level)
        share, mine = (np.mean(of[:, 1] == whole_of[0, 1]) for of in (usual, rows_of))
        assert len(rows_of) == 2_000
        assert mine == pytest.approx(share, abs=0.045)  # four standard errors


def test_the_odd_one_out_is_chosen_by_luce():
    experiment = experiment_of(
        3, task="odd_one_out", n_questions=1, repeated=0.0, catch=0.0, n_practice=0
    )
    places = np.array([[0.0], [0.5], [1.2]])
    records = simulated_participants(
        experiment, places, 3_000, noise="logistic", level=1.0, careless=0.0
    )
    odd = Counter(record.shown[record.chosen[0]] for record in records)
    weight = np.exp(-np.array([0.7**2, 1.2**2, 0.5**2]))
    share = [odd[f"o{k}"] / 3_000 for k in range(3)]
    assert share == pytest.approx(weight / weight.sum(), abs=0.04)


def judged(task: str, places: np.ndarray, n: int, n_questions: int, **how) -> list:
    """What so many simulated people say to all questions of a task without checks."""
    experiment = experiment_of(
        len(places), task=task, n_questions=n_questions, repeated=0.0, catch=0.0, n_practice=0,
    )
    return simulated_participants(experiment, places, n, careless=0.0, **how)


def test_two_objects_are_the_same_and_in_a_pile_below_a_part_of_the_largest_distance():
    line = np.array([[0.0, 0.0], [2.9, 0.0], [6.1, 0.0], [10.0, 0.0]])
    found = judged("same_different", line, 2, 6, noise="positions", level=0.0)
    same = {frozenset(one.shown) for one in found if not one.chosen[0]}
    assert same == {frozenset({"o0", "o1"})}, "2.9 of 10, and not 3.2"
    piles = judged("piles", line, 1, 1, noise="positions", level=0.0)[0]
    at = dict(zip(piles.shown, piles.chosen, strict=True))
    assert at["o0"] == at["o1"] != at["o2"] == at["o3"]


def test_perception_is_blurred_by_a_part_of_the_radius():
    places = np.array([[0.0, 0.0], [2.0, 0.0], [10.0, 0.0]])
    found = judged("same_different", places, 3_000, 3, noise="logistic", level=1.0)
    near = [one.chosen[0] for one in found if {*one.shown} == {"o0", "o1"}]
    radius = np.sqrt(np.mean((places[:, 0] - 4.0) ** 2))
    seen = np.random.default_rng(0).standard_normal((200_000, 2)) * 0.2 * radius * np.sqrt(2)
    expected = np.mean(np.linalg.norm(places[1] + seen, axis=1) > 3.0)
    assert len(near) == 3_000
    assert np.mean(near) == pytest.approx(expected, abs=0.035)


def test_who_does_not_look_is_quick_guesses_and_is_stopped():
    experiment = experiment_of(8, n_questions=100, catch=0.2, fails=3)
    for careless, n_done in ((0.0, 10), (1.0, 0)):
        records = simulated_participants(experiment, PLACES, 10, careless=careless)
        done = Counter(record.participant for record in records)
        assert sum(count == 133 for count in done.values()) == n_done
        failed = checks_answered(records).groupby("participant")["correct"].agg(
            lambda right: int((~right).sum())
        )
        assert (failed == 3).all() if careless else (failed < 3).all()
    quick = np.median([record.rt_ms for record in records])
    assert quick < 0.5 * 1000 * ATTENTIVE_SECONDS


def test_reaction_times_are_log_normal_and_never_below_the_minimum_display_time():
    experiment = experiment_of(8, n_questions=60, least_ms=500)
    records = simulated_participants(experiment, PLACES, 80, careless=0.0)
    assert min(record.rt_ms for record in records) >= 500
    times = np.log([record.rt_ms for record in records])
    assert np.exp(np.median(times)) == pytest.approx(1000 * ATTENTIVE_SECONDS, rel=0.15)
    assert times.std() == pytest.approx(np.hypot(0.45, 0.3), rel=0.15)
    moments = [record.answered_at for record in records if record.participant == "simulated 1"]
    assert moments == sorted(moments)


def test_the_same_seed_gives_the_same_people_however_many_there_are():
    experiment = whole(8)
    few = simulated_participants(experiment, PLACES, 2, seed=3)
    many = simulated_participants(experiment, PLACES, 4, seed=3)
    assert many[: len(few)] == few
    assert few != simulated_participants(experiment, PLACES, 2, seed=4)


def test_adaptive_questions_of_simulated_people_are_stand_ins_and_say_so():
    experiment = experiment_of(8, source="gain", n_questions=50)
    records = simulated_participants(experiment, PLACES, 2, careless=0.0)
    sources = Counter(record.source for record in records if record.kind == "question")
    assert sources == {"stand-in": 80, "random": 20}
    assert sum(record.tells_accuracy for record in records) == 20


@pytest.mark.parametrize("places", [PLACES[:5], PLACES[0], np.full((8, 2), np.nan)])
def test_positions_that_are_none_are_refused(places):
    with pytest.raises(DataError, match="positions of 8 objects"):
        simulated_participants(experiment_of(8), places)


@pytest.mark.parametrize("values", [{"careless": 2.0}, {"noise": "fog"}, {"noise": "flip",
                                                                          "level": 0.9}])
def test_options_that_are_none_are_refused(values):
    with pytest.raises(ValueError, match=r"careless|noise|0\.9"):
        simulated_participants(experiment_of(8), PLACES, **values)


def test_what_an_experiment_takes_adds_up():
    experiment = experiment_of(
        8, n_questions=100, repeated=0.1, catch=0.05, n_practice=5, most_people=40
    )
    found = experiment_cost(experiment, seconds=3.0, seconds_before=60.0, pay=12.0, fee=0.5)
    assert found.n_asked == pytest.approx(120)
    assert found.minutes == pytest.approx(7.0)
    assert found.cost == pytest.approx(40 * 7 / 60 * 12 * 1.5)
    assert (found.n_answers, found.n_random) == (4000, 4000)
    adaptive = experiment_cost(experiment.changed(source="gain", random_share=0.25))
    assert (adaptive.n_answers, adaptive.n_random) == (4000, 1000)


def test_the_accuracy_of_the_map_is_that_of_a_plan():
    experiment = experiment_of(8, n_questions=30, most_people=10)
    found = expected_accuracy(experiment, scenario=Scenario(noise="none"), repeats=2)
    assert found.n_answers[-1] == 300
    assert found.accuracy[:, -1].mean() > 0.8
    with pytest.raises(DataError, match="make a scale"):
        expected_accuracy(experiment_of(8, task="pairs"))
    with pytest.raises(DataError, match="3 objects cannot be simulated, one of 4 to 5,000 can"):
        expected_accuracy(experiment_of(3))
