"""Analyses beside the main one: what depends on choices, what stands, and what is continued."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import tripletscope as ts
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.geometry import map_disparity
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.progress import Stopped
from tripletscope.core.inference.uncertainty.robustness import ALL
from tripletscope.core.models.embedding import LORE, STE
from tripletscope.core.studies.multiverse.multiverse import Multiverse, multiverse

QUICK = {"methods": ["ste", "tste"], "fewest": 1, "most": 2, "folds": 2, "replicates": 10}
MAIN = STE(n_init=1)


def answers_of(places: np.ndarray, seed: int = 0, number: int = 900) -> Triplets:
    return ts.simulate(places, number, noise="logistic", seed=seed)


def with_columns(answers: Triplets, **columns: np.ndarray) -> Triplets:
    return answers.with_objects(answers.objects.assign(**columns))


@pytest.fixture(scope="module")
def places() -> np.ndarray:
    turn = np.linspace(0, 2 * np.pi, 14, endpoint=False)
    return 2.0 * np.column_stack([np.cos(turn), np.sin(turn)])  # of a ring, no line is as good


@pytest.fixture(scope="module")
def answers(places) -> Triplets:
    data = answers_of(places)
    half = np.arange(len(data)) % 2 == 0
    return with_columns(data, size=places[:, 0]).with_columns({"half": half, "none": ~half & half})


@pytest.fixture(scope="module")
def tried(answers) -> Multiverse:
    return multiverse(MAIN, answers, views=["half"], columns=["size"], **QUICK)


def test_every_choice_is_combined_and_the_main_analysis_comes_first(tried, answers):
    cells = [*zip(tried.methods, tried.n_components.tolist(), tried.views, strict=True)]
    assert cells[0] == ("ste", 2, ALL)
    assert len({*cells}) == len(cells) == 8
    differ = [sum(a != b for a, b in zip(cell, cells[0], strict=True)) for cell in cells]
    assert differ == sorted(differ), "those that differ in one choice come before others"
    assert tried.done.all()
    assert tried.marks.tolist() == answers.answers[["half"]].to_numpy().tolist()
    other = multiverse(MAIN, answers, views=["half"], main=1, **QUICK)
    assert (other.methods[0], other.views[0]) == ("ste", "half")


def test_errors_are_those_of_cross_validation(tried, answers):
    own = ts.cross_validate(MAIN, answers, folds=2)
    assert tried.error[0].interval == (own.error, own.low, own.high)
    on_line = tried.n_components == 1
    assert tried.error.value[on_line].min() > tried.error.value[~on_line].max()
    assert tried.table["error"].is_monotonic_increasing
    assert tried.table.loc[tried.sorted_by("moved"), "moved"].is_monotonic_increasing


def test_how_far_maps_move(tried):
    assert tried.moved.value[0] == 0
    assert 0 < tried.moved.high[0] < 0.2, "maps of resampled answers are near the main one"
    same = [k for k in range(8) if tried.n_components[k] == 2 and tried.views[k] == ALL]
    assert (tried.moved.value[same] < 0.03).all(), "of another method, of the same ring"
    assert tried.moved.value[tried.n_components == 1].min() > tried.moved.high[0]


def test_a_planted_column_is_predicted_and_clusters_are_seen_where_they_are(tried, places):
    assert tried.shares[0] > 0.5
    assert tried.p[0] <= 0.05
    centres = np.repeat([[-4.0, 0.0], [4.0, 0.0], [0.0, 5.0]], 8, axis=0)
    grouped = centres + np.random.default_rng(1).normal(size=centres.shape) * 0.4
    found = multiverse(MAIN, answers_of(grouped, number=2500), **QUICK)
    assert found.n_clusters[0] == 3
    cloud = multiverse(MAIN, answers_of(np.random.default_rng(2).normal(size=(24, 2))), **QUICK)
    assert not cloud.has_clusters.any()
    without = multiverse(MAIN, answers_of(places), clusters=False, **QUICK)
    assert (without.n_clusters == -1).all()
    assert not without.asks_for_clusters
    assert "clusters" not in without.table


def test_random_columns_stand_by_chance_alone():
    """Also marks of few objects, columns that are alike, and a map of coin flips.

    Rates: ``benchmarks/verdicts.py multiverse``.
    """
    for seed in range(4):
        rng = np.random.default_rng(seed)
        places = rng.normal(size=(14, 2)) * 1.5
        data = answers_of(places * (seed % 4 > 0), seed, number=500)
        same = rng.normal(size=14)
        columns = {"normal": rng.normal(size=14), "marks": (rng.permutation(14) < 3) * 1.0,
                   "one": same, "like it": same + 0.3 * rng.normal(size=14)}
        found = multiverse(
            MAIN, with_columns(data, **columns), columns=[*columns], clusters=False, **QUICK
        )
        assert (found.p > 0.05).all()
        assert not found.predicted[0, :, 0].any(), "of the main analysis alone"


def crowd(seed: int, groups: int = 1, each: int = 60, n_people: int = 12) -> Triplets:
    """Answers of people under two conditions, in groups with maps of their own."""
    rng = np.random.default_rng(seed)
    maps = 1.5 * rng.normal(size=(groups, 12, 2))
    parts = [ts.simulate(maps[k % groups], each, noise="logistic", seed=100 * seed + k)
             for k in range(n_people)]
    who = np.arange(n_people).repeat(each)
    light = np.where(rng.permutation(n_people)[who] % 2, "day", "night")
    return Triplets(np.concatenate([one.rows for one in parts]), parts[0].objects, pd.DataFrame({
        "participant": [f"p{k}" for k in who], "light": light, "one": "same",
    }))


def test_groups_and_conditions_that_do_not_exist_seldom_stand():
    """Rates: ``benchmarks/verdicts.py plans``."""
    settings = {**QUICK, "methods": ["ste"], "fewest": 2, "clusters": False}
    for seed in range(3):
        assert not multiverse(MAIN, crowd(seed), conditions=["light"], **settings).differ[0].any()


def test_planted_groups_and_conditions_stand_and_methods_share_their_tests():
    data = crowd(1, groups=2, each=300)  # enough for any rounding
    data = data.with_columns({"map": np.where(np.arange(3600) // 300 % 2, "a", "b")})
    found = multiverse(MAIN, data, conditions=["map", "one"], clusters=False, **QUICK)
    on_line = found.n_components == 1
    assert found.people == ["", "map", "one"]
    assert found.differ[~on_line, :2].all()
    assert found.told[~on_line].tolist() == [[True, True, False]] * 2, "of one condition"
    assert not found.told[on_line].any(), "a line has no axes to weight"
    assert found.table["groups"].isna().sum() == on_line.sum()
    without = multiverse(MAIN, data, clusters=False, groups=False, **QUICK)
    assert without.people == []
    with pytest.raises(DataError, match="dark"):
        multiverse(MAIN, data, conditions=["dark"], **QUICK)


def test_what_was_stopped_goes_on_where_it_was(answers, tried):
    def until(share: float):
        return lambda fraction, **_: fraction >= share

    options = {"views": ["half"], "columns": ["size"], **QUICK}
    begun = multiverse(MAIN, answers, progress=until(0.3), **options)
    assert 1 <= begun.done.sum() < 8
    assert begun.done[: begun.done.sum()].all(), "the first analyses are the first"
    assert not begun.tested[~begun.done].any()
    assert len(begun.table) == begun.done.sum()
    assert np.isnan(begun.error.value[~begun.done]).all()
    more = multiverse(MAIN, answers, begun=begun, **options)
    for name in ("value", "low", "high"):
        assert np.array_equal(getattr(more.error, name), getattr(tried.error, name))
        assert np.array_equal(getattr(more.moved, name), getattr(tried.moved, name))
    assert np.array_equal(more.predicted, tried.predicted)
    with pytest.raises(ValueError, match="other analyses"):
        multiverse(MAIN, answers, begun=begun, **{**options, "most": 3})
    with pytest.raises(Stopped):
        multiverse(MAIN, answers, progress=lambda *_, **__: True, **options)


def test_runs_go_on_too(answers, tried):
    options = {"views": ["half"], "columns": ["size"], **QUICK}
    begun = ts.run("multiverse", MAIN, answers, options,
                   progress=lambda fraction, **_: fraction >= 0.5)
    assert not begun.complete
    whole = ts.run("multiverse", MAIN, answers, options, begun=begun)
    assert whole.complete
    assert whole.seconds > begun.seconds
    assert np.array_equal(whole.result().error.value, tried.error.value)
    other = ts.run("fit", MAIN, answers)
    with pytest.raises(ValueError, match="another computation"):
        ts.run("multiverse", MAIN, answers, options, begun=other)


def test_what_cannot_be_analysed_is_left_open(answers):
    few = answers.with_columns({"few": np.arange(len(answers)) < 3})
    found = multiverse(MAIN, few, views=["few"], **QUICK)
    tiny = np.array([view == "few" for view in found.views])
    assert np.isfinite(found.error.value[~tiny]).all()
    assert not found.has_clusters[tiny].any()
    assert found.done.all()
    alone = answers.with_objects(answers.objects.assign(same=1.0, text=answers.ids))
    untold = multiverse(MAIN, alone, columns=["same", "text"], **QUICK)
    assert not untold.tested.any()
    assert np.isnan(untold.p).all()
    assert untold.table["predicts same"].isna().all(), "which is not False"
    with pytest.raises(DataError, match="none has no answer"):
        multiverse(MAIN, answers, views=["none"], **QUICK)
    with pytest.raises(DataError, match="colour"):
        multiverse(MAIN, answers, columns=["colour"], **QUICK)
    with pytest.raises(ValueError, match="'ste', 'tste'"):
        multiverse(MAIN, answers, **{**QUICK, "methods": ["mds"]})
    with pytest.raises(ValueError, match="the number of views is 0"):
        multiverse(MAIN, answers, main=1, **QUICK)


def test_categories_count_as_columns_do():
    places = np.random.default_rng(0).normal(size=(20, 2)) * 2
    data = answers_of(places, number=1500)
    near = np.where(places[:, 0] > np.median(places[:, 0]), "right", "left")
    found = multiverse(MAIN, with_columns(data, side=pd.Series(near)), columns=["side"], **QUICK)
    assert found.predicted[0, 0, 0]
    assert found.p[0] <= 0.05


def test_further_dimensions_are_no_distance(places):
    """A map that has the main one in it is as near as can be."""
    rng = np.random.default_rng(0)
    rotation = np.linalg.qr(rng.normal(size=(5, 5)))[0]
    around = np.hstack([places, rng.normal(size=(14, 3))]) @ rotation
    assert map_disparity(3 * around + 1, places) < 1e-5
    assert map_disparity(rng.normal(size=(14, 5)), places) > 0.3
    assert map_disparity(places[:, :1], places) == pytest.approx(0.5)


def test_a_method_that_chooses_its_dimensions_is_one_analysis(answers):
    found = multiverse(MAIN, answers, **{**QUICK, "methods": ["lore"], "most": 3}, clusters=False)
    cells = [*zip(found.methods, found.n_components.tolist(), strict=True)]
    assert sorted(cells) == [("lore", 3), ("ste", 1), ("ste", 2), ("ste", 3)]
    other = multiverse(LORE(n_components=4), answers, **QUICK, clusters=False)
    cells = [*zip(other.methods, other.n_components.tolist(), strict=True)]
    assert cells[0] == ("lore", 4)
    assert {d for name, d in cells if name != "lore"} == {1, 2}


def test_the_unit_is_that_of_the_main_analysis(answers):
    who = np.array([f"p{k}" for k in np.arange(len(answers)) % 12])
    data = answers.with_columns({"participant": who, "three": np.isin(who, ["p0", "p1", "p2"])})
    found = multiverse(MAIN, data, views=["three"], clusters=False, **QUICK)
    assert found.error.over == ("participants", 12)


def test_the_range_of_resampled_maps_does_not_hang_on_the_seed(answers):
    ranges = [multiverse(MAIN, answers, **{**QUICK, "replicates": 20, "seed": seed, "most": 1},
                         clusters=False).moved.high[0] for seed in range(4)]
    assert max(ranges) < 1.8 * min(ranges)
