"""Simulated data sets are what they are said to be, and scenarios resemble given answers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.models.optimise.loss import margins
from tripletscope.core.models.simulation.simulate import LEVELS, NOISE
from tripletscope.core.models.simulation.truth import TRUTHS
from tripletscope.core.studies.design.scenario import (
    SampleSizes,
    Scenario,
    scenario_like,
    simulated_data,
)


def test_every_noise_that_has_a_level_has_one_to_begin_with():
    assert set(LEVELS) == set(NOISE.options) - {"none"}
    for name, level in LEVELS.items():
        assert Scenario(noise=name, level=level.default).noise == name
    with pytest.raises(ValueError, match=r"0\.7; it must be a number from 0 to 0\.5"):
        Scenario(noise="flip", level=0.7)
    with pytest.raises(ValueError, match="n_objects of Scenario is 3"):
        Scenario(n_objects=3)


@pytest.mark.parametrize(("most", "fewest", "points", "numbers"), [
    (3000, None, 3, [150, 671, 3000]), (100, None, 2, [50, 100]), (20, None, 5, [20]),
    (3000, 30, 3, [30, 300, 3000]), (3000, 30, 1, [3000]),
])
def test_sample_sizes_are_steps_of_their_logarithm(most, fewest, points, numbers):
    sizes = SampleSizes(most=most, fewest=fewest, points=points)
    assert sizes.n_answers.tolist() == numbers


def test_sample_sizes_are_checked_when_they_are_made():
    with pytest.raises(ValueError, match="fewest is 300; it must not exceed the most, 200"):
        SampleSizes(most=200, fewest=300)
    with pytest.raises(ValueError, match="points of SampleSizes is 0"):
        SampleSizes(points=0)


@pytest.mark.parametrize("truth", TRUTHS.options)
def test_simulated_data_say_what_an_experimenter_would_know(truth):
    scenario = Scenario(truth=truth, n_objects=20, noise="none", n_components=3)
    data = simulated_data(scenario, 200, participants=3, seed=4)
    assert (data.n_objects, len(data)) == (20, 200)
    assert data.answers["participant"].value_counts().to_dict() == {"p1": 67, "p2": 67, "p3": 66}
    objects = data.objects
    assert ("group" in objects) == (truth in ("mixture", "moons", "rings"))
    assert ("stimulus" in objects) == (scenario.is_scale or truth in ("circle", "helix"))
    axes = [f"true {k + 1}" for k in range(scenario.dimensions)]
    if truth == "observer":
        assert "true 1" not in objects, "everybody has a scale of their own"
    else:
        assert np.all(margins(objects[axes].to_numpy(dtype=float), data.rows) >= 0)
    again = simulated_data(scenario, 200, participants=3, seed=4)
    assert data.fingerprint == again.fingerprint


def test_observers_of_their_own_disagree():
    scenario = Scenario(truth="observer", n_objects=12, noise="none", length_scale=0.1)
    data = simulated_data(scenario, 4000, participants=2, seed=0)
    who = data.answers["participant"].to_numpy()
    said = {}
    for name in ("p1", "p2"):
        said[name] = set(map(tuple, data.rows[who == name].tolist()))
    contradicted = {(a, c, b) for a, b, c in said["p1"]} & said["p2"]
    assert len(contradicted) > 20
    own = {(a, c, b) for a, b, c in said["p1"]} & said["p1"]
    assert not own, "without noise nobody contradicts themselves"


def test_repeats_go_to_different_people_and_sides_are_recorded():
    scenario = Scenario(n_objects=10, level=0.3)
    data = simulated_data(scenario, 300, design="repeated", repeated=3, participants=3, seed=1)
    questions = data.questions.reshape(-1, 3)
    assert np.all(questions == questions[:, :1])
    assert data.answers["side"].value_counts(normalize=True)["left"] == pytest.approx(0.5, abs=0.15)
    with pytest.raises(ValueError, match="triads need"):
        simulated_data(scenario, 100, design="triads")
    with pytest.raises(ValueError, match="participants of simulated_data is 0"):
        simulated_data(scenario, 100, participants=0)


def test_three_objects_have_no_scenario():
    data = Triplets([[0, 1, 2], [1, 0, 2]] * 30, pd.DataFrame({"id": list("abc")}))
    with pytest.raises(DataError, match=r"3 objects cannot be simulated, 4 to 5,000 can"):
        scenario_like(data)


def test_how_far_observers_differ_is_part_of_the_description():
    assert "length scale 0.88" in Scenario(truth="observer", length_scale=0.88).described
    assert "length scale" not in Scenario(truth="sigmoid", length_scale=0.88).described


@pytest.mark.parametrize("truth", ["linear", "root", "sigmoid", "cubic"])
def test_triads_are_of_a_scale(truth):
    scenario = Scenario(n_objects=12, truth=truth, noise="logistic", level=0.25)
    found = scenario_like(simulated_data(scenario, 2000, design="triads", seed=1))
    assert (found.truth, found.dimensions, found.n_objects) == (truth, 1, 12)
    assert found.level == pytest.approx(0.25, rel=0.25)


@pytest.mark.parametrize(("d", "level"), [(1, 0.4), (2, 0.5), (2, 1.2), (3, 0.8)])
def test_noise_and_dimensions_of_answers_are_found_again(d, level):
    scenario = Scenario(n_objects=25, n_components=d, noise="logistic", level=level)
    found = scenario_like(simulated_data(scenario, 3000, seed=2))
    assert (found.n_objects, found.n_components, found.noise) == (25, d, "logistic")
    assert found.level == pytest.approx(level, rel=0.2)
