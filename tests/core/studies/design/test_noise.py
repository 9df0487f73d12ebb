"""What noise does to maps, against what is known of it."""

from __future__ import annotations

import numpy as np
import pytest

from tripletscope.core.engine.progress import Stopped
from tripletscope.core.models.embedding import SOE, STE
from tripletscope.core.scale import MLDS
from tripletscope.core.studies.design.noise import MEASURED, noise_curve, squared_error
from tripletscope.core.studies.design.scenario import SampleSizes, Scenario

FEW = {"sizes": SampleSizes(most=800, points=1), "steps": 3, "repeats": 4}


@pytest.fixture(scope="module")
def noisy():
    scenario = Scenario(n_objects=15, truth="mixture", noise="positions")
    return noise_curve(STE(n_init=2), scenario=scenario, lowest=0.05, highest=2.0, **FEW)


@pytest.mark.parametrize("quantity", ["error", "disparity", "uncertainty"])
def test_error_and_uncertainty_rise_with_noise(noisy, quantity):
    mean = noisy.band(quantity)["mean"].to_numpy()
    assert np.all(np.diff(mean) > 0)
    assert noisy.band("mse").empty


def test_observers_who_differ_more_make_a_scale_less_certain():
    scenario = Scenario(n_objects=12, truth="observer", noise="none")
    curve = noise_curve(
        SOE(n_init=2), scenario=scenario, vary="length_scale", lowest=0.54, highest=2.0,
        participants=20, **FEW,
    )
    for quantity in ("mse", "uncertainty"):
        mean = curve.band(quantity)["mean"].to_numpy()
        assert mean[0] > mean[-1]


def test_a_difference_scale_has_an_error_and_no_uncertainty():
    scenario = Scenario(n_objects=8, truth="sigmoid", noise="positions")
    curve = noise_curve(MLDS(), scenario=scenario, design="triads", lowest=0.02, **FEW)
    assert curve.band("uncertainty").empty
    assert curve.mse.mean(axis=0)[0, 0] < 0.05


def test_equal_distances_of_a_symmetric_scale_are_no_errors():
    scenario = Scenario(n_objects=8, truth="polynomial", noise="positions")
    curve = noise_curve(
        SOE(n_init=4), scenario=scenario, lowest=0.0, highest=0.01, steps=2,
        sizes=SampleSizes(most=3000, points=1), repeats=2,
    )
    assert curve.error[:, 0, 0].max() < 0.03


def test_the_squared_error_does_not_know_directions():
    truth = np.array([0.0, 0.2, 1.0])
    assert squared_error(5.0 - 3.0 * truth, truth) == pytest.approx(0.0)
    assert squared_error(np.array([0.0, 0.5, 1.0]), truth) == pytest.approx(0.03)


@pytest.mark.parametrize(("further", "why"), [
    ({"vary": "length_scale"}, "observers"),
    ({"scenario": Scenario(noise="none")}, "kind of noise"),
    ({"lowest": 0.5}, "below the highest"),
    ({"highest": 0.6}, "0.5"),  # more than half of the answers flipped
])
def test_what_cannot_be_varied_is_said(further, why):
    with pytest.raises(ValueError, match=why):
        noise_curve(STE(), **{**FEW, **further})


def test_levels_that_are_done_are_kept():
    def after(n: int):
        calls = iter(range(100))
        return lambda fraction, **_: next(calls) + 1 >= n

    scenario = Scenario(n_objects=6, noise="flip")
    curve = noise_curve(STE(n_init=1), scenario=scenario, progress=after(5), **FEW)
    assert len(curve.levels) == 1
    assert np.isfinite([getattr(curve, name) for name in MEASURED if name != "mse"]).all()
    with pytest.raises(Stopped):
        noise_curve(STE(n_init=1), scenario=scenario, progress=after(3), **FEW)
