"""Reliability on held-out responses: by hand, and on planted data for every kind of method."""

from __future__ import annotations

import sys
from dataclasses import asdict, replace

import numpy as np
import pytest

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.progress import Stopped
from tripletscope.core.inference.held_out.score import question_folds
from tripletscope.core.inference.uncertainty import Reliability, bootstrap, margin_reliability
from tripletscope.core.inference.uncertainty.reliability import reliability
from tripletscope.core.inference.uncertainty.sources import samples_from
from tripletscope.core.models.embedding import CKL, GNMDS, GNMDSK, LORE, SOE, STE, TSTE
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.core.similarity.kernels.triplet import K1, K2
from tripletscope.core.trees.proximity import ForestProximity


def made(said: np.ndarray, right: np.ndarray, **settings: object) -> Reliability:
    """Predictions of this probability, of which some were right."""
    fields = {
        "response": np.where(right, said, 1 - said), "order": np.full(len(said), np.nan),
        "weight": np.ones(len(said)), "part": np.arange(len(said)), "n_people": None,
        "slope": 1.0, "power": 1.0, "lapse": 0.0, "method": {},
    }
    return Reliability(**fields | settings)


def test_classes_and_errors_by_hand():
    said = np.repeat(np.repeat([0.6, 0.95], 5) + np.tile([-2e-3, -1e-3, 0, 1e-3, 2e-3], 2), 10)
    right = np.concatenate([np.arange(50) % 2 < 1, np.arange(50) % 10 < 9])
    found = made(said, right)
    bins = found.bins()
    assert bins.counts.tolist() == [10] * 10
    assert bins.said == pytest.approx(said[::10])
    assert bins.right == pytest.approx(np.repeat([0.5, 0.9], 5))
    assert (bins.low < bins.right).all()
    assert (bins.right < bins.high).all()
    assert found.expected_error() == pytest.approx((0.1 + 0.05) / 2)
    sure = found.sure()
    assert (sure.count, sure.said, sure.right) == (50, pytest.approx(0.95), pytest.approx(0.9))
    assert made(np.tile(said, 9), np.tile(right, 9)).sure().judgement == "overconfident"
    assert found.bins("order").counts.size == 0
    assert np.isnan(found.expected_error("order"))


def test_equal_probabilities_are_in_one_class():
    """Else the order of the rows would decide: here, those given as predicted come first."""
    said, right = np.full(1000, 0.7), np.arange(1000) < 700
    found = made(said, right)
    assert found.bins().counts.tolist() == [1000]
    assert found.expected_error() == pytest.approx(0, abs=1e-12)
    mixed = made(np.append(said, [0.6, 0.9]), np.append(right, [True, True]))
    turned = made(np.append(said, [0.6, 0.9])[::-1], np.append(right, [True, True])[::-1])
    assert mixed.bins().counts.tolist() == turned.bins().counts.tolist() == [1, 1000, 1]
    assert mixed.expected_error() == pytest.approx(turned.expected_error())


def test_what_is_unknown_or_without_weight_is_not_judged():
    said, right = np.full(30, 0.8), np.arange(30) < 24
    weight = np.ones(30)
    weight[:10] = 0
    found = made(said, right, weight=weight)
    assert found.bins().counts.sum() == 20
    assert found.bins().right.mean() == pytest.approx(14 / 20)
    found = made(np.full(3, np.nan), np.ones(3, bool))
    assert found.judgement is None
    assert np.isnan(found.error_interval()).all()
    assert np.isnan(found.error_by_chance())
    assert found.sure().count == 0
    assert found.sure().judgement is None


def test_exact_probabilities_are_off_by_chance_alone():
    """The mean over 40 data sets; that of one has a standard deviation of a quarter of it."""
    rng = np.random.default_rng(0)
    off, expected = [], []
    for _ in range(40):
        said = rng.uniform(0.5, 1, 2000)
        found = made(said, rng.random(2000) < said)
        off.append(found.expected_error())
        expected.append(found.error_by_chance())
    assert np.mean(off) == pytest.approx(np.mean(expected), rel=0.12)
    assert found.judgement == "hold"
    assert made(said, rng.random(2000) < said - 0.1).judgement == "do not hold"


@pytest.mark.parametrize("number", [100, 400, 2000])
def test_exact_probabilities_are_seldom_denied(number):
    rng, denied = np.random.default_rng(0), np.zeros(2)
    for _ in range(200):
        said = rng.uniform(0.5, 1, number)
        found = made(said, rng.random(number) < said)
        denied += (
            found.judgement == "do not hold",
            found.sure().judgement in ("overconfident", "underconfident"),
        )
    assert denied.max() <= 15


def test_people_who_differ_widen_the_intervals():
    rng = np.random.default_rng(0)
    who = np.tile(np.arange(20), 50)
    right = rng.random(1000) < np.where(who < 10, 0.6, 1.0)
    people = made(np.full(1000, 0.9), right, part=who, n_people=20)
    alone = made(np.full(1000, 0.9), right)

    def width(found: Reliability) -> float:
        return found.sure(threshold=0.7).high - found.sure(threshold=0.7).low

    assert width(people) > 2 * width(alone)
    low, high = people.error_interval()
    assert low < people.expected_error() < high
    assert high - low > np.subtract(*alone.error_interval()[::-1])


@pytest.fixture(scope="module")
def noisy() -> Triplets:
    """6,000 answers about 30 objects with STE's noise and a tenth of guesses."""
    positions = np.random.default_rng(8).normal(size=(30, 2))
    answers = simulate(positions, 6000, noise="logistic", level=0.7, seed=9)
    rows = answers.rows.copy()
    turned = np.random.default_rng(10).random(len(rows)) < 0.05
    rows[turned, 1:] = rows[turned, :0:-1]
    return Triplets.from_array(rows, 30)


@pytest.mark.parametrize("method", [
    STE(n_init=1), TSTE(n_init=1), CKL(n_init=1), SOE(n_init=1), GNMDS(n_init=1), LORE(n_init=1),
])
def test_response_probabilities_hold_where_order_certainty_does_not(method, noisy):
    """Off by chance alone: about 0.01 of 6,000; order certainty takes no account of guesses."""
    found = reliability(method, noisy, maps=10)
    assert found.expected_error() < 0.025
    sure = found.sure()
    assert sure.count > 500
    assert abs(sure.right - sure.said) < 0.03
    assert found.expected_error("order") > 0.05
    assert found.expected_error("order") > 2 * found.expected_error()
    assert found.judgement == "hold"


@pytest.mark.parametrize("method", [
    K1(), K2(), ForestProximity(n_estimators=30), GNMDSK(), SOE(n_init=1),
])
def test_margins_of_every_kind_can_be_calibrated(method, noisy):
    found = margin_reliability(method, noisy)
    assert found.expected_error() < 0.03
    assert np.isnan(found.order).all()
    assert found.slope > 0


@pytest.mark.parametrize(("given", "word"), [
    (0.8, "overconfident"), (0.95, "about right"), (1.0, "underconfident"),
])
def test_the_verdict_says_in_which_direction_sure_predictions_err(given, word, noisy):
    found = margin_reliability(STE(n_init=1), noisy.take(np.arange(800)), folds=2)
    turned = np.arange(800) >= 800 * given
    said = np.where(turned, 1 - 0.95, 0.95)
    assert replace(found, response=said).sure().judgement == word


def test_lapses_are_found(noisy):
    assert reliability(STE(n_init=1), noisy, maps=10).lapse == pytest.approx(0.1, abs=0.04)


@pytest.mark.parametrize("source", ["posterior", "laplace"])
def test_posteriors_are_judged_too(source, noisy):
    found = reliability(STE(n_init=1), noisy.take(np.arange(2000)), source=source)
    assert found.expected_error() < 0.04


def test_no_response_is_predicted_from_itself(noisy):
    """Turned round, the responses of a fold are predicted just as they were before."""
    few = noisy.take(np.arange(800))
    test = question_folds(few, 5, np.random.default_rng(0)) == 2
    rows = few.rows.copy()
    rows[test, 1:] = rows[test, :0:-1]
    before = margin_reliability(STE(n_init=1), few).response[test]
    after = margin_reliability(STE(n_init=1), Triplets.from_array(rows, 30)).response[test]
    assert np.array_equal(before > 0.5, after < 0.5)


def test_participants_are_the_unit_of_intervals(noisy):
    who = np.repeat([f"p{k}" for k in range(10)], 80)
    few = noisy.take(np.arange(800))
    few = Triplets(few.rows, few.objects, few.answers.assign(participant=who))
    found = reliability(STE(n_init=1), few, maps=10, folds=2)
    assert found.n_people == 10
    assert reliability(STE(n_init=1), few, maps=10, folds=2, unit="answers").n_people is None
    alone = replace(found, part=np.zeros(800, dtype=int))
    assert alone.sure(threshold=0.5).low < alone.sure(threshold=0.5).high


def test_trials_of_nobody_give_an_interval_no_degrees_of_freedom():
    """One hundred answers of each of eight people, and some whose giver is not known."""
    rng = np.random.default_rng(0)
    people = np.repeat(np.arange(8), 100)
    right = rng.random(800) < 0.7
    known = made(np.full(800, 0.8), right, part=people, n_people=8).sure(threshold=0.5)
    more = made(
        np.full(801, 0.8), np.append(right, True), part=np.append(people, 8), n_people=8
    ).sure(threshold=0.5)
    assert more.high - more.low == pytest.approx(known.high - known.low, rel=0.01)


def test_every_fold_resamples_the_same_unit(noisy, monkeypatch):
    """Of eight participants, one gave a single answer, which is held out once."""
    few = noisy.take(np.arange(400))
    who = np.append(np.repeat([f"p{k}" for k in range(7)], 57), "last")
    few = Triplets(few.rows, few.objects, few.answers.assign(participant=who))
    module = sys.modules[reliability.__module__]
    units = []

    def seen(*given, unit: str, **options):
        units.append(unit)
        return samples_from(*given, unit=unit, **options)

    monkeypatch.setattr(module, "samples_from", seen)
    reliability(STE(n_init=1), few, maps=10)
    assert units == ["participants"] * 5
    two = few.take(np.append(np.arange(57), 399))
    assert reliability(STE(n_init=1), two, maps=10, unit="participants").n_people == 2


def test_many_questions_are_resampled_in_groups(monkeypatch):
    """A million took more than a minute; the interval is that of single questions."""
    rng = np.random.default_rng(0)
    said = rng.uniform(0.5, 1, 30_000)
    found = made(said, rng.random(30_000) < said - 0.05, part=np.arange(30_000) // 2)
    module = sys.modules[reliability.__module__]
    assert len(found._sums("response")) == module._CLUSTERS < 15_000
    error, (low, high) = found.expected_error(), found.error_interval()
    monkeypatch.setattr(module, "_CLUSTERS", 15_000)
    assert len(found._sums("response")) == 15_000
    assert found.expected_error() == pytest.approx(error)
    assert found.error_interval() == pytest.approx((low, high), abs=0.001)


def test_few_responses_are_said_to_be_few():
    few = made(np.full(8, 0.95), np.arange(8) > 0)
    assert few.judgement == "too few"
    assert few.sure().judgement == "not surely off"
    assert made(np.full(60, 0.95), np.arange(60) % 3 > 0).judgement == "do not hold"


def test_its_model_is_for_samples_that_have_none(noisy):
    few = noisy.take(np.arange(1000))
    model = reliability(STE(n_init=1), few, maps=10).model
    assert model.n_responses == 1000
    samples = bootstrap(STE(n_init=1), few, replicates=10)
    other = replace(samples, response=asdict(model))
    apart = other.response_probability(few) - samples.response_probability(few)
    assert 0 < np.abs(apart).max() < 0.1


def test_stops_and_too_few_answers(noisy):
    with pytest.raises(Stopped):
        reliability(STE(n_init=1), noisy, progress=lambda f, **_: f > 0.4)
    with pytest.raises(DataError, match="cannot be divided into 5 folds"):
        reliability(STE(), noisy.take(np.arange(3)))
