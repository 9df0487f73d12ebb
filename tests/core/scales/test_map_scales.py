"""Scales from maps: rising, falling, circular, with their errors, and per participant."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tests.core.scales.test_scale import some_trials
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.progress import Stopped
from tripletscope.core.models.embedding import STE
from tripletscope.core.models.simulation.simulate import answer, simulate
from tripletscope.core.scales import (
    MLDS,
    ScaleSamples,
    bootstrap_scale,
    normalised,
    ordinal_scale,
    scale_error,
    scales_by,
)
from tripletscope.core.scales.map_scales import OrdinalScale, oriented
from tripletscope.core.scales.scale_samples import may_rise


def line(shape, n: int = 12, answers: int = 1500, noise: float = 0.05) -> Triplets:
    x = np.linspace(0, 1, n)
    data = simulate(shape(x)[:, None], answers, noise="positions", level=noise, seed=2)
    shuffled = np.random.default_rng(0).permutation(n)
    objects = pd.DataFrame({"id": [str(i) for i in range(n)], "x": x[np.argsort(shuffled)]})
    people = pd.DataFrame({"participant": np.resize(["a", "b", "b"], len(data))})
    return Triplets(
        shuffled[data.rows], objects.assign(x=x[np.argsort(shuffled)]), people
    )


def test_a_rising_scale_from_a_map():
    found = ordinal_scale(STE(), line(lambda x: x**2), stimulus="x", maps=30)
    assert np.all(np.diff(found.stimulus) > 0)
    assert (found.values.min(), found.values.max()) == pytest.approx((0, 1))
    np.testing.assert_allclose(found.values[:, 0], found.stimulus**2, atol=0.08)
    assert found.is_monotone()
    correlation, low, high = found.rank_correlation
    assert low <= correlation <= 1
    assert 0.9 < low <= high
    below, above = found.band()
    held = np.mean((below[:, 0] <= found.stimulus**2) & (found.stimulus**2 <= above[:, 0]))
    assert held >= 0.6


def test_the_order_of_the_objects_is_a_stimulus_too():
    data = line(lambda x: x)
    order = np.argsort(data.objects["x"].to_numpy())
    place = np.argsort(order)
    sorted_data = Triplets(place[data.rows], data.objects.iloc[order], data.answers)
    by_column = ordinal_scale(STE(), sorted_data, stimulus="x", maps=10)
    by_order = ordinal_scale(STE(), sorted_data, maps=10)
    assert by_order.stimulus.tolist() == list(range(12))
    np.testing.assert_allclose(by_order.values, by_column.values)


def test_a_difference_scale_says_whether_it_may_rise():
    rising = bootstrap_scale(MLDS(), some_trials(), resamples=300)
    assert rising.is_monotone()
    fallen = np.array([0.0, 3.0, 2.0, 4.0])
    noise = 0.1 * np.random.default_rng(0).standard_normal((300, 4)) * [0, 1, 1, 1]
    falling = ScaleSamples(np.arange(4.0), fallen + noise, fallen)
    assert not falling.is_monotone()
    assert may_rise(np.array([0.0, np.nan, 0.2]), np.array([0.1, np.nan, 0.3]))


def test_guesses_seldom_fall():
    """Nor do scales that rise."""
    falls = []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        coins = Triplets.from_array([rng.permutation(10)[:3] for _ in range(400)], 10)
        falls.append(not bootstrap_scale(MLDS(), coins, resamples=300, seed=seed).is_monotone())
        levels = np.linspace(0, 1, 10)[:, None]
        rising = simulate(np.sqrt(levels), 100, noise="positions", level=0.1, seed=seed)
        assert bootstrap_scale(MLDS(), rising, resamples=100).is_monotone()
    assert np.mean(falls) <= 0.1
    for seed in range(3):
        coins = Triplets.from_array([rng.permutation(10)[:3] for _ in range(100)], 10)
        assert ordinal_scale(STE(n_init=1), coins, maps=20, seed=seed).is_monotone()


def test_a_scale_that_falls_again_is_not_monotone():
    data = line(lambda x: 4 * x * (1 - 0.8 * x))
    found = ordinal_scale(STE(), data, stimulus="x", maps=30)
    assert not found.is_monotone()
    with pytest.raises(ValueError, match="no angles"):
        _ = found.angles
    # difference scaling cannot follow it
    assert MLDS(stimulus="x").fit(data).triplet_error_ > found_error(data) + 0.1


def found_error(data: Triplets) -> float:
    return STE(n_components=1).fit(data).triplet_error_


def test_a_circle_has_angles():
    angle = np.linspace(0, 1.8 * np.pi, 14)
    data = simulate(np.c_[np.cos(angle), np.sin(angle)], 2500, noise="flip", level=0.05, seed=0)
    objects = data.objects.assign(wave=400.0 + 20 * np.arange(14))
    found = ordinal_scale(
        STE(), data.with_objects(objects), stimulus="wave", n_components=2, maps=20
    )
    np.testing.assert_allclose(found.angles, angle, atol=0.25)
    assert np.ptp(found.values, axis=0).max() == pytest.approx(1)


def closed(positions: np.ndarray, seed: int = 0) -> bool:
    """Whether a map of answers about positions, in the order of a stimulus, is round."""
    data = simulate(positions, 2500, noise="flip", level=0.05, seed=seed)
    return not ordinal_scale(STE(n_init=1), data, n_components=2, maps=20).not_round()


def test_no_circle_in_a_line():
    """Any line through its middle turns by 180°: in a straight cloud, 187° were found."""
    rng = np.random.default_rng(0)
    along = np.linspace(0, 3, 14)
    assert not closed(np.c_[along, 0.3 * rng.normal(size=14)])
    assert not closed(np.c_[np.cos(along), np.sin(along)]), "half of a circle"
    assert not any(closed(rng.normal(size=(14, 2)), seed) for seed in range(6)), "of no order"
    turn = np.linspace(0, 1.8 * np.pi, 14)
    assert closed(np.c_[np.cos(turn), np.sin(turn)])


def test_orientation_keeps_shape():
    rng = np.random.default_rng(0)
    for d in (1, 2, 3):
        positions = rng.normal(size=(9, d))
        turned = oriented(positions, rng.normal(size=9))(positions)
        distance = np.linalg.norm(turned[0] - turned[1:], axis=1)
        original = np.linalg.norm(positions[0] - positions[1:], axis=1)
        np.testing.assert_allclose(distance / distance[0], original / original[0])


def test_a_map_that_follows_no_stimulus_keeps_its_shape():
    positions = np.array([[1.0, 0.0], [-1.0, 0.0], [-1.0, 0.0], [1.0, 0.0]])  # no trend in the rank
    turned = oriented(positions, np.arange(4.0))(positions)
    assert np.ptp(turned, axis=0).tolist() == pytest.approx([1.0, 0.0])


def test_monotone_by_hand():
    def scale(values, deviation, stimulus=(0, 1, 2)):
        values = np.array(values, dtype=float)[:, None]
        return OrdinalScale(
            np.arange(3), np.array(stimulus, dtype=float), values, values[None],
            np.full_like(values, deviation),
        )

    # three at once: 0.95 ** (1 / 3) of a normal distribution lies within 2.388 deviations
    assert scale([0, 1, 0.762], 0.05).is_monotone()
    assert not scale([0, 1, 0.760], 0.05).is_monotone()
    assert scale([0, 1, 0.7], 0.1).is_monotone()
    assert scale([0, 1, 0.7], 0.05, stimulus=(0, 2, 2)).is_monotone() is False
    assert scale([0, 1, 0.9], 0.05, stimulus=(0, 2, 2)).is_monotone()


def test_errors_of_scales():
    truth = np.array([0.0, 0.1, 0.5, 1.0])
    assert scale_error(3 - 2 * truth, truth) == pytest.approx(0)
    assert scale_error(np.array([0, 1, 5, 10.0]), truth + 7) == pytest.approx(0)
    assert scale_error(np.array([0, 0, 0, 1.0]), truth) == pytest.approx(0.26 / 4)
    assert normalised(np.zeros(3), np.zeros(3)).tolist() == [0, 0, 0]


@pytest.mark.parametrize("method", [MLDS(), STE(n_init=1)])
def test_scales_by_participant(method):
    data = line(np.sqrt, answers=2400)
    found = scales_by(method, data, stimulus="x", maps=20)
    assert found.names.tolist() == ["all", "b", "a"]
    usable = [841, 563, 278] if isinstance(method, MLDS) else [2400, 1600, 800]
    assert found.n_answers.tolist() == usable
    for values in found.values:
        np.testing.assert_allclose(values, np.sqrt(found.stimulus), atol=0.12)
    if isinstance(method, MLDS):
        alone = [MLDS(stimulus="x").fit(some).sigma_ for some in (data, *(
            data.take((data.answers["participant"] == who).to_numpy()) for who in "ba"))]
        assert found.noise.tolist() == alone
        guesses = data.take(np.arange(30)).take(np.arange(30))
        turned = Triplets(guesses.rows[:, [0, 2, 1]], guesses.objects, guesses.answers)
        against = scales_by(method, turned, stimulus="x", maps=20, by=None)
        assert np.isnan(against.noise).all(), "no standard deviation is negative, or the prior's"
    else:
        assert found.noise is None
    assert np.all(found.low <= found.high)
    assert np.mean(found.high[2] - found.low[2]) > np.mean(found.high[0] - found.low[0])
    with pytest.raises(DataError, match="no column 'group'"):
        scales_by(method, data, stimulus="x", by="group")
    with pytest.raises(Stopped):
        scales_by(method, data, stimulus="x", maps=20, progress=lambda *_, **__: True)


def test_questions_about_a_line_are_answered_from_the_scale():
    positions = np.arange(5.0)[:, None] ** 2
    questions = np.array([[2, 1, 3], [1, 4, 0], [0, 1, 2]])
    rows = answer(positions, questions, np.random.default_rng(0))
    fitted = MLDS().fit(simulate(positions, 400, noise="positions", level=1.0))
    assert fitted.predict(rows).all()
    assert fitted.score(rows[:, [0, 2, 1]]) == 0
    assert fitted.predict(Quadruples([[0, 1, 3, 4], [4, 3, 1, 0]], 5)).tolist() == [True, False]
