"""Simulated experiments: more answers help, noise harms; lists of questions are balanced."""

from __future__ import annotations

from dataclasses import replace

import joblib
import numpy as np
import pytest

from tripletscope.core.data.geometry import map_size
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.method import Method, to_arguments
from tripletscope.core.engine.parallel import CancelToken
from tripletscope.core.engine.progress import Stopped
from tripletscope.core.inference.held_out.inspection import inspect_objects
from tripletscope.core.inference.uncertainty import Samples, bootstrap
from tripletscope.core.models.embedding import SOE, STE
from tripletscope.core.models.simulation.simulate import random_questions
from tripletscope.core.scales import MLDS
from tripletscope.core.similarity.kernels import K1
from tripletscope.core.studies.design import plan as planning
from tripletscope.core.studies.design.detection import Detection, detect_dimension
from tripletscope.core.studies.design.plan import Plan, plan, ranking
from tripletscope.core.studies.design.scenario import SampleSizes, Scenario

METHOD = STE(n_init=1)
SMALL = {"n_objects": 12, "most": 1000, "points": 3, "repeats": 4}


def planned(method: Method, **options) -> Plan:
    """A plan from options by their names, as runs have them."""
    return plan(method, **to_arguments(plan, options))


@pytest.fixture(scope="module")
def small() -> Plan:
    return planned(METHOD, **SMALL)


def test_more_answers_predict_better_and_shrink_the_ellipses(small):
    assert small.accuracy.shape == small.ellipse.shape == (4, 3)
    assert small.n_answers.tolist() == [50, 224, 1000]
    accuracy, ellipse = small.accuracy.mean(axis=0), small.ellipse.mean(axis=0)
    assert accuracy[0] < accuracy[-1] < small.ceiling.mean()
    assert ellipse[0] > ellipse[-1]
    assert small.disparity.mean(axis=0)[-1] < 0.1
    # a tenth of the answers is flipped
    assert small.ceiling.mean() == pytest.approx(0.9, abs=0.02)
    band = small.band()
    assert np.all(band.low < band["mean"])
    assert band["mean"].tolist() == accuracy.tolist()


def test_where_nothing_is_known_ellipses_are_as_large_as_the_map():
    found = planned(METHOD, n_objects=60, most=90, points=1, repeats=3)
    assert found.accuracy.mean() < 0.6
    # a normal cloud as large as a map of size 1 has a 95 % radius of 2.45 / √2
    assert 1.25 < found.ellipse.mean() < 1.85


@pytest.mark.parametrize("d", [1, 2, 3])
def test_ellipses_are_in_the_unit_of_the_table_of_objects(d):
    rng = np.random.default_rng(0)
    positions = 5.0 * rng.normal(size=(40, d))
    positions -= positions.mean(axis=0)
    maps = positions + 0.2 * rng.normal(size=(400, 40, d))
    fitted = STE(n_components=d)
    fitted.embedding_, fitted.placed_ = positions, np.ones(40, dtype=bool)
    fitted.n_objects_ = 40
    answers = Triplets.from_array([[0, 1, 2]], 40)
    table = inspect_objects(fitted, answers, Samples(maps, positions).covariances)
    found = planning._radius(Samples(maps, positions), map_size(positions))
    assert found == pytest.approx(table["uncertainty"].median(), rel=0.03)


def test_noise_costs_accuracy(small):
    noisy = planned(METHOD, **SMALL, level=0.3)
    assert noisy.accuracy[:, -1].mean() < small.accuracy[:, -1].mean() - 0.05
    assert noisy.ellipse[:, -1].mean() > small.ellipse[:, -1].mean()


@pytest.mark.parametrize("design", ["repeated", "landmark", "uncertain", "gain"])
def test_every_design_learns(design, small):
    found = planned(METHOD, **{**SMALL, "repeats": 2}, design=design)
    assert found.accuracy[:, -1].mean() > 0.7
    assert not np.array_equal(found.accuracy, small.accuracy[:2])


def test_difference_scaling_is_best_at_triads_of_a_rising_scale():
    scale = {**SMALL, "truth": "sigmoid", "noise": "positions", "repeats": 3, "points": 2}
    asked = {**scale, "design": "triads"}
    mlds, map_, mixed = planned(MLDS(), **asked), planned(METHOD, **asked), planned(MLDS(), **scale)
    assert mlds.accuracy[:, 0].mean() > map_.accuracy[:, 0].mean()
    assert mlds.disparity[:, -1].mean() < 0.01
    assert mlds.ellipse[:, -1].mean() < mlds.ellipse[:, 0].mean()
    # of random questions, it can use a third
    assert mixed.ellipse[:, -1].mean() > mlds.ellipse[:, -1].mean()


def test_kernels_predict_without_ellipses():
    found = planned(K1(), **{**SMALL, "repeats": 2})
    assert found.accuracy[:, -1].mean() > 0.7
    assert np.isnan(found.ellipse).all()
    assert found.enough(ellipse=1.0) is None


def test_plans_can_be_compared_where_they_have_answers_in_common(small):
    other = planned(METHOD, **{**SMALL, "fewest": 1000, "most": 2000, "points": 2})
    assert ranking({"a": small, "b": other}).n_answers == 1000
    longer = planned(METHOD, **{**SMALL, "fewest": 2000, "most": 2000, "points": 1, "repeats": 2})
    assert longer.n_answers.tolist() == [2000]
    with pytest.raises(ValueError, match="no number of answers in common"):
        ranking({"a": small, "b": longer})


def test_guesses_are_called_guesses():
    noisy = planned(METHOD, **{**SMALL, "repeats": 2, "points": 1}, level=0.5)
    assert noisy.judgement == "guesses"
    assert a_plan([[0.5, 0.51], [0.5, 0.49]]).judgement == "nothing"


def test_scales_have_one_dimension_whatever_is_said():
    options = {**SMALL, "repeats": 2, "truth": "sinusoid", "noise": "positions", "level": 0.05}
    found = planned(METHOD, **options)
    assert found.disparity[:, -1].mean() < 0.1


def test_the_same_plan_on_any_number_of_threads_and_a_stop_keeps_some(small):
    with joblib.parallel_config("threading", n_jobs=2):
        again = planned(METHOD, **SMALL)
    assert np.array_equal(small.accuracy, again.accuracy)
    few = planned(METHOD, **SMALL, progress=lambda done, **_: done > 0.5)
    assert few.n_answers.tolist() == [50, 224]
    assert np.array_equal(few.accuracy, small.accuracy[:, :2])
    with pytest.raises(Stopped):
        planned(METHOD, **SMALL, progress=lambda *_, **__: True)


@pytest.mark.parametrize("design", ["random", "uncertain"])
def test_a_stop_is_heard_between_the_replicates_of_an_ellipse(design, monkeypatch):
    """These take most of the time; who cancels should not wait for all of them."""
    replicates, stopping = [], {}

    def counted(method, triplets, *, progress, **options):
        def listening(fraction, **details):
            replicates.append(fraction)
            stopping["now"] = True
            return progress(fraction, **details)

        return bootstrap(method, triplets, progress=listening, **options)

    monkeypatch.setattr(planning, "bootstrap", counted)
    halt = CancelToken()
    monkeypatch.setattr(CancelToken, "__call__", lambda self, *_, **__: bool(stopping))
    running = planning._start(Scenario(n_objects=12), 1, np.random.default_rng(0))
    running = replace(running, answers=random_questions(12, 60, running.rng))
    _, worth = planning._continued(METHOD, design, 3, running, 100, halt)
    assert np.isnan(worth).all()
    assert len(replicates) == 1


def a_plan(accuracy, ellipse=None) -> Plan:
    accuracy = np.array(accuracy, dtype=float)
    ellipse = np.ones_like(accuracy) if ellipse is None else np.array(ellipse, dtype=float)
    return Plan(np.array([100, 1000]), accuracy, np.full(len(accuracy), 0.95), ellipse, ellipse)


def test_enough_by_hand():
    found = a_plan([[0.6, 0.8], [0.6, 0.8]], [[1.0, 0.2], [1.0, 0.2]])
    assert found.enough(accuracy=0.7) == round(100 * np.sqrt(10))
    assert found.enough(accuracy=0.81) is None
    assert found.enough(ellipse=0.2) == 1000
    assert found.enough(ellipse=0.1) is None
    small_by_chance = Plan(
        np.array([10, 100, 1000]), *np.full((2, 1, 3), 0.5), np.array([[0.5, 1.0, 0.2]]),
        np.ones((1, 3)),
    )
    assert small_by_chance.enough(ellipse=0.6) == round(100 * np.sqrt(10))
    with pytest.raises(ValueError, match="one of"):
        found.enough()
    assert found.judgement == "rising"
    flat = a_plan([[0.9, 0.9], [0.9, 0.9]])
    assert (flat.judgement, flat.needed) == ("fewer", (100, 0.9))


def test_no_more_is_asked_for_than_was_simulated_and_no_less_than_what_it_reaches():
    ceiling = np.full(2, 0.95)

    def judged(n_answers, means):
        each = np.array(means) + np.array([[-0.001], [0.001]])
        found = Plan(np.array(n_answers), each, ceiling, each, each)
        return found.judgement, *found.needed

    # 95 % of the way lie just below the last number, which is no round one
    assert judged([1000, 9876, 9901], [0.6, 0.87, 0.8999])[0] == "rising"
    assert judged([617, 1234], [0.8, 0.8095]) == ("fewer", 617, pytest.approx(0.8))
    bent = judged([1000, 1233, 1234, 1235], [0.6, 0.61, 0.8, 0.8])
    assert bent == ("enough", 1235, pytest.approx(0.785, abs=1e-3))
    assert judged([500], [0.8])[0] == "alone"


def test_bands_stay_within_what_a_share_can_be():
    found = a_plan([[0.7, 0.99], [0.2, 1.0]], [[0.1, 0.1], [2.0, 3.0]])
    accuracy, ellipse = found.band(), found.band("ellipse")
    assert accuracy.low[0] == 0.0
    assert accuracy.high.max() == 1.0
    assert ellipse.low.min() == 0.0
    assert ellipse.high.max() > 3.0


def test_the_best_plan_is_told_from_others_where_it_can_be():
    better = a_plan([[0.6, 0.9], [0.6, 0.91], [0.6, 0.92]])
    worse = a_plan([[0.6, 0.8], [0.6, 0.81], [0.6, 0.81]])
    level = a_plan([[0.6, 0.93], [0.6, 0.9], [0.6, 0.88]])
    first = ranking({"random": worse, "landmark": better})
    assert list(first.accuracy) == ["landmark", "random"]
    assert first.accuracy["landmark"] == pytest.approx(0.91)
    assert (first.n_answers, first.n_simulations, first.alike) == (1000, 3, [])
    assert ranking({"a": better, "repeated": level}).alike == ["repeated"]


def test_equal_plans_are_not_told_apart():
    rng, told = np.random.default_rng(0), []
    for _ in range(200):
        equal = {
            name: a_plan(np.column_stack([np.full(8, 0.6), rng.normal(0.8, 0.02, 8)]))
            for name in "ab"
        }
        told.append(not ranking(equal).alike)
    assert np.mean(told) < 0.08


def test_coins_reveal_no_dimension():
    for seed in range(2):
        found = detect_dimension(
            METHOD, scenario=Scenario(n_objects=10, n_components=1, noise="flip", level=0.5),
            sizes=SampleSizes(fewest=100, most=300, points=2), repeats=8, beyond=2, seed=seed,
        )
        assert found.revealed is None


def test_the_dimension_is_found_with_many_answers_only():
    found = detect_dimension(
        METHOD, scenario=Scenario(n_objects=15, noise="flip", level=0.05),
        sizes=SampleSizes(most=2500, points=2), repeats=3, beyond=1,
    )
    assert found.true == 2
    assert found.found[-1] == 1.0
    assert found.found[0] <= found.found[1]
    assert found.n_answers[found.revealed] == 2500


def test_a_dimension_is_revealed_where_it_stays_so():
    found = Detection(np.array([100, 200]), np.array([[1, 2], [1, 2], [2, 2], [1, 3]]), 2)
    assert found.found.tolist() == [0.25, 0.75]
    lost = Detection(np.array([50, 100, 200]), np.array([[1, 2, 1], [1, 1, 1], [1, 2, 1]]), 1)
    assert lost.found.tolist() == pytest.approx([1.0, 1 / 3, 1.0])
    assert lost.revealed == 2
    assert Detection(np.array([50, 100]), np.array([[1, 2], [1, 2]]), 1).revealed is None
    assert found.revealed is None
    sure = Detection(np.array([100, 200]), np.array([[2, 1], [1, 1], [1, 1]]), 1)
    assert sure.revealed == 1


def test_what_cannot_be_simulated():
    with pytest.raises(ValueError, match="truth of Scenario is 'flat'"):
        planned(METHOD, truth="flat")
    with pytest.raises(ValueError, match="scenario of plan is 30; it must be made by Scenario"):
        plan(METHOD, scenario=30)
    with pytest.raises(TypeError, match="n_objects"):
        plan(METHOD, n_objects=30)
    with pytest.raises(ValueError, match="odd number"):
        planned(METHOD, design="repeated", repeated=4)
    with pytest.raises(ValueError, match="no model of answers"):
        planned(SOE(), design="gain")
    with pytest.raises(ValueError, match="ordered along a stimulus"):
        planned(MLDS())
    with pytest.raises(ValueError, match="triads need"):
        planned(METHOD, design="triads")
    with pytest.raises(ValueError, match="no map"):
        planned(K1(), design="uncertain")
    with pytest.raises(ValueError, match="level of flipped answers noise is"):
        planned(METHOD, level=0.6)
    with pytest.raises(ValueError, match="must not exceed the most"):
        planned(METHOD, fewest=300, most=200)


# At several levels of noise -------------------------------------------------------------------


LEVELS = {"sizes": SampleSizes(most=800, points=1), "steps": 3, "repeats": 4}


@pytest.fixture(scope="module")
def noisy() -> Plan:
    scenario = Scenario(n_objects=15, truth="mixture", noise="positions")
    return plan(
        STE(n_init=2), scenario=scenario, vary="level", lowest=0.05, highest=2.0, **LEVELS
    )


def test_maps_are_worse_with_noise(noisy):
    assert noisy.levels.tolist() == noisy.band()["level"].tolist() == [0.05, 1.025, 2.0]
    assert noisy.n_answers.tolist() == [800] * 3
    assert noisy.ceiling.shape == noisy.accuracy.shape == (4, 3)
    assert np.all(np.diff(noisy.ceiling.mean(axis=0)) < 0)
    assert np.all(np.diff(noisy.accuracy.mean(axis=0)) < 0)
    for worse in (noisy.ellipse, noisy.disparity):
        assert np.all(np.diff(worse.mean(axis=0)) > 0)


def test_one_level_is_the_plan_at_that_level(noisy):
    scenario = Scenario(n_objects=15, truth="mixture", noise="positions", level=2.0)
    alone = plan(STE(n_init=2), scenario=scenario, sizes=LEVELS["sizes"], repeats=4)
    for name in ("accuracy", "ellipse", "disparity"):
        assert np.array_equal(getattr(alone, name)[:, 0], getattr(noisy, name)[:, 2])
    assert np.array_equal(alone.ceiling, noisy.ceiling[:, 2])


def test_observers_who_differ_more_make_a_scale_less_certain():
    curve = plan(
        SOE(n_init=2), scenario=Scenario(n_objects=12, truth="observer", noise="none"),
        vary="length_scale", lowest=0.54, highest=2.0, participants=20, **LEVELS,
    )
    for values in (curve.ellipse, curve.disparity, -curve.accuracy):
        assert values[:, 0].mean() > values[:, -1].mean()


@pytest.mark.parametrize(("further", "why"), [
    ({"vary": "length_scale"}, "observers"),
    ({"vary": "level", "scenario": Scenario(noise="none")}, "kind of noise"),
    ({"vary": "level", "lowest": 0.5}, "below the highest"),
    ({"vary": "level", "highest": 0.6}, "0.5"),  # more than half of the answers flipped
])
def test_what_cannot_be_varied_is_said(further, why):
    with pytest.raises(ValueError, match=why):
        plan(STE(), **{**LEVELS, **further})


def test_levels_that_are_done_are_kept():
    def after(n: int):
        calls = iter(range(100))
        return lambda fraction, **_: next(calls) + 1 >= n

    options = {"scenario": Scenario(n_objects=6, noise="flip"), "vary": "level", **LEVELS}
    curve = plan(STE(n_init=1), progress=after(5), **options)
    assert len(curve.levels) == len(curve.n_answers) == curve.accuracy.shape[1] == 1
    assert np.isfinite([curve.accuracy, curve.ellipse, curve.disparity, curve.ceiling]).all()
    with pytest.raises(Stopped):
        plan(STE(n_init=1), progress=after(3), **options)
