"""Scales beside each other, what is said of them and of maps, and who stands beside whom."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from tests.core.scales.observers import observers
from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.inference.held_out.paired import PairedDifference
from tripletscope.core.inference.held_out.score import cross_validate
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.core.run import run
from tripletscope.core.scales import MLDS, GroupScales, bootstrap_scale, diagnose
from tripletscope.core.scales.map_scales import OrdinalScale
from tripletscope.dashboard.results import drawings
from tripletscope.dashboard.results.circles import circle_said
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.results.observers import by_similarity
from tripletscope.dashboard.results.presentation import Advice, ShownResults, Statement
from tripletscope.dashboard.results.registry import presented
from tripletscope.dashboard.results.scales import (
    ScaleLook,
    aligned,
    departures_said,
    groups_aligned,
    rises,
    scale_said,
    scale_table,
)

STIMULUS = np.arange(12.0)


def scale(values: np.ndarray) -> pd.DataFrame:
    """From 0 to 1, as a scale of one method is given."""
    values = (values - values.min()) / np.ptp(values)
    return pd.DataFrame({
        "stimulus": STIMULUS, "value": values, "standard error": 0.02, "low": values - 0.04,
        "high": values + 0.04,
    })


def test_curves_that_differ_by_the_noise_of_one_end_lie_together():
    """Pinned at both ends they lay 0.1 apart in the middle."""
    first = scale(STIMULUS)
    noisy = scale(STIMULUS + 3.0 * (STIMULUS == 11))
    inner = slice(0, 11)
    pinned = np.abs(noisy["value"] - first["value"])[inner].mean()
    found = aligned({"a": first, "b": noisy})
    assert pinned > 0.09
    assert np.abs(found["b"]["value"] - first["value"])[inner].mean() < pinned / 2
    assert found["a"].equals(first)
    stretched = found["b"]["standard error"][0] / 0.02
    assert np.allclose(found["b"]["high"] - found["b"]["low"], 0.08 * stretched)


def test_curves_of_other_shapes_keep_them():
    curved = aligned({"a": scale(STIMULUS), "b": scale(STIMULUS**2)})["b"]["value"]
    assert np.corrcoef(curved, STIMULUS**2)[0, 1] == pytest.approx(1)
    against = scale(-STIMULUS)
    assert aligned({"a": scale(STIMULUS), "b": against})["b"].equals(against)
    few = scale(STIMULUS).iloc[:2]
    assert aligned({"a": scale(STIMULUS), "b": few})["b"].equals(few)


def test_groups_are_fitted_to_all_answers():
    """One noisy end moved the whole curve of a group."""
    everybody = STIMULUS / 11
    group = everybody.copy()
    group[-1] += 0.2
    group /= group[-1]
    nobody, opposite = np.full(12, np.nan), 1 - everybody
    values = np.stack([everybody, group, nobody, opposite])
    found = groups_aligned(GroupScales(
        np.array(["all", "a", "b", "c"]), np.full(4, 90), np.full(4, 40), STIMULUS, values,
        values - 0.04, values + 0.04, np.zeros(4, dtype=bool), np.zeros(4, dtype=bool),
    ))
    assert np.abs(group - everybody)[:-1].max() > 0.12
    assert np.abs(found.values[1] - everybody)[:-1].max() < 0.06
    slope = (found.values[1, 5] - found.values[1, 4]) / (group[5] - group[4])
    assert found.high[1] - found.low[1] == pytest.approx(0.08 * slope)
    assert np.isnan(found.values[2]).all()
    np.testing.assert_array_equal(found.values[[0, 3]], values[[0, 3]])


def test_noise_of_each_observer_is_said_and_pooled_tests_are_no_proof():
    """Pooled answers passed all tests while the noise of observers differed twofold."""
    rng = np.random.default_rng(2)
    sets = [simulate(np.linspace(0, 1, 8)[:, None] ** 0.7, 240, noise="positions", level=level,
                     seed=rng) for level in (0.05, 0.2)]
    data = Triplets.from_array(np.concatenate([one.rows for one in sets]), 8)
    data = data.with_columns({"participant": np.repeat(["ann", "bob"], 240)})
    data = data.with_objects(data.objects.assign(x=np.linspace(0, 1, 8)))
    groups = run("scales_by", MLDS(), data, {"stimulus": "x", "maps": 10})
    tests = run("diagnose", MLDS(stimulus="x"), data, {"simulations": 20})
    shown = ShownResults((groups, tests), data, "Lines")
    (said,) = (part.text for part in presented(shown, groups) if isinstance(part, Statement))
    ann, bob = (float(size) for size in re.findall(r"(?:ann|bob) ([\d.]+\d)", said))
    assert 2 * ann < bob
    assert any("although observers differ" in part.text for part in presented(shown, tests)
               if isinstance(part, Advice))


def test_bands_from_the_fitted_model_are_called_so():
    """They were told as replicates over answers, and read as resampled answers."""
    data = simulate(np.linspace(0, 1, 8)[:, None], 300, noise="positions", level=0.1, seed=1)
    for scheme, origin in (("model", "simulated by the fitted model"), ("answers", "over answers")):
        options = {"resamples": 20, "scheme": scheme}
        runs = (run("fit", MLDS(), data), run("bootstrap_scale", MLDS(), data, options))
        drawn = next(part for part in presented(ShownResults(runs, data, "x"), runs[1])
                     if isinstance(part, Drawing))
        assert origin in drawn.caption


def test_guesses_do_not_fall():
    """A band of few guesses is narrow by luck: of 100, 9 % were said to fall somewhere."""
    fallen = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        coins = Triplets.from_array([rng.permutation(10)[:3] for _ in range(100)], 10)
        found = bootstrap_scale(MLDS(), coins, resamples=100, seed=seed)
        if not found.is_monotone():
            fallen.append(found)
            guessed = cross_validate(MLDS(), coins)
            assert rises(found, None) is None
            assert rises(found, guessed) is None
    assert fallen
    assert rises(fallen[0], replace(guessed, low=0.1, high=0.2)) is False


def test_that_no_scale_is_seen_stands_first_and_no_shape_is_claimed():
    """A curve that rises fitted into the wide band of guesses, and stood first."""
    for seed in range(2):
        rng = np.random.default_rng(seed)
        coins = Quadruples([np.sort(rng.permutation(8)[:4]) for _ in range(300)], 8)
        turned = np.where(rng.random(300)[:, None] < 0.5, coins.rows, coins.rows[:, [2, 3, 0, 1]])
        for answers, has in ((Quadruples(turned, 8), False), (by_scale(300, seed), True)):
            runs = [run(task, MLDS(), answers, options) for task, options in (
                ("bootstrap_scale", {"resamples": 20}), ("fit", {}), ("cross_validate", {}),
            )]
            for shown in (runs, runs[:2]):  # the error, or before it is known the fit
                said = [*scale_said(ShownResults(tuple(shown), answers, "x"), "MLDS", runs[0])]
                assert ("monotonic curve" in " ".join(said)) == has
                assert said[0].startswith("No scale is seen in these answers: MLDS") != has
                caption = drawings(shown, answers)[0].caption
                assert ("No scale is seen" in caption) != has


def by_scale(n: int, seed: int) -> Quadruples:
    """Answers to which the model of difference scaling holds."""
    rng = np.random.default_rng(seed)
    s = np.sort([rng.choice(8, 4, replace=False) for _ in range(n)])
    x = np.linspace(0, 1, 8) ** 0.7
    larger = x[s[:, 3]] - x[s[:, 2]] - x[s[:, 1]] + x[s[:, 0]] + rng.normal(0, 0.2, n) > 0
    return Quadruples(np.where(larger[:, None], s, s[:, [2, 3, 0, 1]]), 8)


def test_the_test_that_the_model_fails_is_told_first():
    """That no residual lies outside stood above residuals which depend on each other."""
    fits = diagnose(MLDS(), by_scale(120, 0), simulations=100)
    first, *_ = departures_said(fits)
    assert first.startswith("Residuals: ")
    first, second, _ = departures_said(replace(fits, runs=0))
    assert first.startswith("Runs: 0 sign changes")
    assert second.startswith("Residuals: ")


def test_the_model_is_seldom_denied():
    """And few answers do not confirm it."""
    denied = {"Many answers": 0, "serially dependent": 0, "not additive": 0}
    for seed in range(20):
        said = " ".join(departures_said(diagnose(MLDS(), by_scale(120, seed), simulations=100)))
        for word in denied:
            denied[word] += word in said
    assert max(denied.values()) <= 3
    few = " ".join(departures_said(diagnose(MLDS(), by_scale(20, 0), simulations=100)))
    assert not any(word in few for word in ("distributed as", "are not", "are additive"))
    assert "No serial dependence is seen" in few


def around(angle: np.ndarray) -> OrdinalScale:
    """A map of points of a circle, with maps that hardly differ."""
    values = np.c_[np.cos(angle), np.sin(angle)]
    maps = values + 0.001 * np.random.default_rng(0).normal(size=(10, *values.shape))
    return OrdinalScale(
        np.arange(len(angle)), np.arange(len(angle)), values, maps, np.full(values.shape, 0.001)
    )


def test_a_circle():
    """Of five objects the order was blamed, which no test can show."""
    clear, chance = (PairedDifference(0.03, *ends, spread, 8.0, 0.1)
                     for spread, *ends in ((0.01, 0.007, 0.053), (0.03, -0.04, 0.1)))
    assert clear.p_above < 0.05 < chance.p_above
    ring = np.linspace(0, 1.7 * np.pi, 14)
    mixed = np.r_[0, np.random.default_rng(0).permutation(ring[1:-1]), ring[-1]]
    said = {
        name: circle_said("hue", around(angle), clear) for name, angle in (
            ("ring", ring), ("half", np.linspace(0, np.pi, 14)), ("mixed", mixed),
            ("five", np.linspace(0, 1.6 * np.pi, 5)), ("six", np.linspace(0, 1.66 * np.pi, 6)),
        )
    }
    closes = {name for name, text in said.items() if text.startswith("The stimulus nearly closes")}
    assert closes == {"ring", "six"}
    assert "fewer than 6 objects cannot be tested" in said["five"]
    assert "of the widest distance apart" in said["half"]
    assert "no nearer than in other orders" in said["mixed"] or "full turn" in said["mixed"]
    unsure = circle_said("hue", around(ring), chance)
    assert unsure.startswith("No circle is seen: a line predicts")


@pytest.mark.parametrize("unit", ["participants", "answers"])
def test_standard_errors_are_over_the_same_units_as_their_bands(unit):
    answers, _ = observers(0, usable=60)
    method = MLDS(stimulus="x")
    made = [run(task, method, answers, options) for task, options in (
        ("fit", {}), ("bootstrap_scale", {"unit": unit, "resamples": 200}),
    )]
    look = {"": ScaleLook(units="noise")}
    table = scale_table(ShownResults(tuple(made), answers, "Greys", looks=look), made[1])
    spread = made[1].result().standard_errors(unconstrained=True)
    own = made[0].fitted().standard_errors_
    expected = spread if unit == "participants" else own
    np.testing.assert_allclose(table["standard error"], expected)
    assert not np.allclose(spread[1:], own[1:], rtol=0.02)


def test_participants_stand_beside_those_whom_they_predict():
    place = np.array([0.0, 3.0, 1.0, 2.0, 0.0, 2.0, 1.0])
    groups = np.array(["b", "b", "b", "b", "a", "a", "a"])
    accuracy = 0.9 - 0.1 * np.abs(place[:, None] - place)
    accuracy[0, 1] = np.nan
    order = by_similarity(accuracy, groups)
    assert groups[order].tolist() == ["a"] * 3 + ["b"] * 4
    for part in (place[order][:3], place[order][3:]):
        assert np.all(np.abs(np.diff(part)) == 1)
    nothing = by_similarity(np.full((3, 3), np.nan), np.array(["", "", ""]))
    assert sorted(nothing.tolist()) == [0, 1, 2]


def test_coins_contradict_no_scale():
    """Of coin flips half have a negative σ; answers turned round have one, and predict others."""
    x = np.linspace(0, 1, 6)
    objects = pd.DataFrame({"id": list("abcdef"), "x": x})
    said, negative = [], 0
    for seed in range(6):
        rows = simulate(x[:, None], 300, noise="flip", level=0.5, seed=seed).rows
        sigma, sentences = _scale_of_mlds(Triplets(rows, objects))
        negative += sigma < 0
        said += sentences
    assert negative
    assert not [sentence for sentence in said if "contradict a rising scale" in sentence]
    turned = simulate(x[:, None], 300, noise="positions", level=0.05, seed=1).rows[:, [0, 2, 1]]
    sigma, sentences = _scale_of_mlds(Triplets(turned, objects))
    assert sigma < 0
    assert "MLDS: most answers contradict a rising scale" in sentences[0]


def _scale_of_mlds(answers: Triplets) -> tuple[float, list[str]]:
    """The noise, and what is said of the scale."""
    method = MLDS(stimulus="x")
    fit = run("fit", method, answers)
    scale = run("bootstrap_scale", method, answers, {"resamples": 20})
    runs = (fit, scale, run("cross_validate", method, answers))
    return fit.fitted().sigma_, list(scale_said(ShownResults(runs, answers, "x"), "MLDS", scale))


def test_scales_against_two_stimuli_are_two_figures():
    """Reports and scripts left the second one out."""
    nm = np.linspace(400, 700, 8)
    objects = pd.DataFrame({"id": [str(k) for k in range(8)], "nm": nm, "log": np.log(nm)})
    answers = by_scale(120, 0).with_objects(objects)
    runs = [
        run(task, MLDS(stimulus=name), answers, options)
        for name in ("nm", "log")
        for task, options in (("fit", {}), ("bootstrap_scale", {"resamples": 20}))
    ]
    found = drawings(runs, answers)
    assert [one.name for one in found] == ["scale", "scale-2"]
    assert "against nm" in found[0].caption
    assert "against log" in found[1].caption
