"""Participants who agree predict each other; those who do not form their own branch."""

from __future__ import annotations

import joblib
import numpy as np
import pandas as pd
import pytest

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.progress import Stopped
from tripletscope.core.inference.held_out.score import cross_validate
from tripletscope.core.models.embedding import STE
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.core.people.groups import errors_by_group, groups_of
from tripletscope.core.people.maps import observer_maps
from tripletscope.core.people.predictions import (
    PoolingCurve,
    Predictions,
    pooling_curve,
    who_predicts_whom,
)
from tripletscope.core.scales import MLDS

METHOD = STE(n_components=2, n_init=1)


@pytest.fixture(scope="module")
def two_kinds() -> Triplets:
    """Six participants, 300 answers each: three see one map, three another."""
    maps = np.random.default_rng(0).normal(size=(2, 15, 2))
    parts = [
        simulate(maps[number // 3], 300, noise="flip", level=0.05, seed=number)
        for number in range(6)
    ]
    answers = pd.DataFrame({
        "participant": np.repeat([f"p{i}" for i in range(6)], 300),
        "place": np.repeat(["lab", "crowd"], 900),
    })
    return Triplets(np.concatenate([part.rows for part in parts]), parts[0].objects, answers)


def test_groups_come_by_size_and_without_the_unknown():
    people = pd.DataFrame({"participant": ["b", None, "a", "b"]})
    data = Triplets([[0, 1, 2]] * 4, pd.DataFrame({"id": list("xyz")}), people)
    found = groups_of(data, "participant")
    assert {name: of.tolist() for name, of in found.items()} == {"b": [0, 3], "a": [2]}
    assert list(found) == ["b", "a"]
    with pytest.raises(DataError, match="no column 'session'"):
        groups_of(data, "session")


def test_who_predicts_whom(two_kinds):
    found = who_predicts_whom(METHOD, two_kinds, group="place")
    assert found.names.tolist() == [f"p{i}" for i in range(6)]
    assert found.groups.tolist() == ["lab"] * 3 + ["crowd"] * 3
    assert found.accuracy.shape == (6, 6)
    same = found.groups[:, None] == found.groups
    others = ~np.eye(6, dtype=bool)
    assert found.accuracy[same & others].min() > 0.75
    assert found.accuracy[~same].max() < 0.65
    table = found.relations.set_index("relation")
    assert table.index.tolist() == ["self", "same group", "other group", "all others"]
    expected = np.mean([found.accuracy[same[:, i] & others[:, i], i].mean() for i in range(6)])
    assert table.accuracy["same group"] == pytest.approx(expected)
    assert table.low["self"] < table.accuracy["self"] < table.high["self"]
    # learned from one, tested on the other: by hand
    fitted = METHOD.fit(two_kinds.take(np.arange(300)))
    assert found.accuracy[0, 1] == pytest.approx(fitted.score(two_kinds.take(np.arange(300, 600))))


def test_intervals_of_relations_by_hand():
    accuracy = np.array([[0.6, 0.9, 0.8], [0.5, 0.7, 0.95], [0.6, 0.5, 0.8]])
    unknown = np.array(["", "", ""])
    found = Predictions(np.array(["a", "b", "c"]), unknown, np.ones(3), accuracy, np.full(3, 0.75))
    table = found.relations.set_index("relation")
    itself = table.loc["self"]
    # the mean of 0.6, 0.7 and 0.8, whose standard deviation is 0.1; t(2, 0.975) = 4.3027
    assert itself.accuracy == pytest.approx(0.7)
    assert itself.low == pytest.approx(0.7 - 4.3027 * 0.1 / np.sqrt(3), abs=1e-4)
    assert itself.high == pytest.approx(0.7 + 4.3027 * 0.1 / np.sqrt(3), abs=1e-4)
    # b and c predict a with 0.5 and 0.6, and so on
    another = np.mean([0.55, 0.7, 0.875])
    assert table.accuracy["another"] == pytest.approx(another)
    # Without a: b predicts c with 0.95, c predicts b with 0.5; without b and without c alike.
    without = np.array([0.725, 0.7, 0.7])
    reach = 4.3027 * np.sqrt(2 / 3 * np.sum((without - without.mean()) ** 2))
    assert table.high["another"] - another == pytest.approx(reach, abs=1e-5)
    assert table.loc["all others", ["low", "high"]].tolist() == pytest.approx([0.75, 0.75])


def test_without_groups_there_is_only_another(two_kinds):
    found = who_predicts_whom(METHOD, two_kinds, most=3)
    assert len(found.names) == 3
    assert found.relations.relation.tolist() == ["self", "another", "all others"]


def test_participants_of_two_answers_are_no_obstacle(two_kinds):
    few = two_kinds.take(np.r_[0:300, 300:302, 600:900])
    found = who_predicts_whom(METHOD, few)
    assert np.isnan(found.accuracy[2, 2])
    assert np.isfinite(found.accuracy[:2, :2]).all()
    assert np.isfinite(found.relations.accuracy).all()


def test_a_participant_belongs_to_the_most_frequent_group_and_strangers_to_none(two_kinds):
    """The most frequent of four need not have half of the answers."""
    sessions = np.resize(["x", "y", "y", "z", "z", "z", "w", "w"], 300)
    few = two_kinds.take(np.arange(1500))
    place = [*sessions, *["w"] * 300, *["z"] * 300, *[None] * 600]
    data = Triplets(few.rows, few.objects, few.answers.assign(place=place))
    found = who_predicts_whom(METHOD, data, group="place", folds=2)
    assert found.groups.tolist() == ["z", "w", "z", "", ""]
    table = found.relations.set_index("relation")
    assert table.participants.tolist() == [2, 2, 2, 2], "only two stand in every relation"
    assert table.accuracy["self"] == pytest.approx(found.accuracy[[0, 2], [0, 2]].mean())
    same = np.mean([found.accuracy[0, 2], found.accuracy[2, 0]])
    assert table.accuracy["same group"] == pytest.approx(same)


def test_whoever_teaches_nothing_is_still_predicted():
    """Of triads, difference scaling learns only from those with the anchor between the others."""
    x = np.linspace(0, 1, 6)[:, None]
    parts = [simulate(x, 200, noise="positions", level=0.05, seed=k) for k in range(3)]
    rows = np.concatenate([part.rows for part in parts])
    who = np.repeat(["a", "b", "c"], 200)
    kept = (who != "c") | np.isin(rows[:, 0], [0, 5])
    data = Triplets(
        rows[kept], parts[0].objects, pd.DataFrame({"participant": who[kept]})
    )
    found = who_predicts_whom(MLDS(), data, folds=2)
    assert found.names.tolist() == ["a", "b", "c"]
    assert np.isnan(found.accuracy[2]).all()
    assert np.all(found.accuracy[:2, 2] > 0.9)
    assert np.all(found.pooled > 0.8)


def test_answers_without_weight_count_for_nobody(two_kinds):
    weight = np.where(two_kinds.answers.participant == "p5", 0.0, 1.0)
    data = Triplets(
        two_kinds.rows, two_kinds.objects, two_kinds.answers.assign(weight=weight)
    )
    found = who_predicts_whom(METHOD, data, folds=2)
    assert found.names.tolist() == [f"p{k}" for k in range(5)]
    assert np.isfinite(found.accuracy).all()
    without = who_predicts_whom(METHOD, two_kinds.take(np.arange(1500)), folds=2)
    assert np.array_equal(found.accuracy, without.accuracy)
    assert np.isfinite(pooling_curve(METHOD, data, repeats=6).accuracy).all()
    assert len(observer_maps(METHOD, data).maps) == 5
    assert errors_by_group(METHOD, data, folds=2).names.tolist() == ["all", *found.names]


def test_intervals_by_hand():
    found = PoolingCurve(
        np.array([1, 2, 3]),
        np.array([[0.6, 0.9, np.nan], [0.7, 1.0, np.nan], [0.8, np.nan, np.nan]]),
    ).table
    assert found.accuracy[0] == pytest.approx(0.7)
    # t(2, 0.975) = 4.303
    assert found.low[0] == pytest.approx(0.7 - 4.3027 * 0.1 / np.sqrt(3), abs=1e-4)
    assert found.accuracy[1] == pytest.approx(0.95), "of the two orders that could be learned from"
    assert found.high[1] == 1.0, "no share is above 1"
    assert np.isnan(found.accuracy[2])


def test_orders_that_predict_the_same_participant_count_once():
    accuracy = np.array([[0.6], [0.7], [0.8]])
    once = PoolingCurve(np.array([1]), accuracy, np.array([4, 0, 2])).table
    again = PoolingCurve(
        np.array([1]), np.tile(accuracy, (10, 1)), np.tile([4, 0, 2], 10)
    ).table
    pd.testing.assert_frame_equal(once, again)
    assert once.predicted[0] == 3
    assert once.high[0] == pytest.approx(0.7 + 4.3027 * 0.1 / np.sqrt(3), abs=1e-4)


def test_pooling_helps_where_participants_agree(two_kinds):
    agreeing = two_kinds.take(np.arange(900))
    thin = agreeing.take(np.flatnonzero(np.arange(900) % 12 < 5))  # 125 answers each, of 300
    found = pooling_curve(METHOD, thin, repeats=9)
    assert found.n_pooled.tolist() == [1, 2]
    assert found.table.accuracy[1] > found.table.accuracy[0]
    assert np.all(found.table["standard error"] < 0.1)
    with joblib.parallel_config("threading", n_jobs=2):
        again = pooling_curve(METHOD, thin, repeats=9)
    assert np.array_equal(found.accuracy, again.accuracy)


def test_maps_cluster_as_the_participants_do(two_kinds):
    found = observer_maps(METHOD, two_kinds)
    assert found.maps.shape == (6, 15, 2)
    np.testing.assert_allclose(found.apart, found.apart.T)
    labels = found.tree.cut(2)
    assert len(set(labels[:3])) == len(set(labels[3:])) == 1
    assert labels[0] != labels[5]
    # aligned to the map of all as well as can be
    off = found.maps - found.common
    assert np.sum(off[0] ** 2) < np.sum((found.maps[0] * [1, -1] - found.common) ** 2)


def test_objects_somebody_was_not_asked_about_have_no_place(two_kinds):
    own = two_kinds.answers.participant.to_numpy() == "p0"
    kept = ~own | (two_kinds.rows != 4).all(axis=1)
    found = observer_maps(METHOD, two_kinds.take(kept))
    number = found.names.tolist().index("p0")
    assert np.isnan(found.maps[number, 4]).all()
    assert np.isfinite(np.delete(found.maps[number], 4, axis=0)).all()
    assert np.isfinite(found.apart).all()


def test_maps_without_common_objects_are_not_compared(two_kinds):
    people = two_kinds.answers.participant.to_numpy()
    rows = two_kinds.rows.copy()
    apart = np.concatenate([
        simulate(np.random.default_rng(1).normal(size=(7, 2)), 300, seed=seed).rows + first
        for seed, first in enumerate((0, 8))
    ])
    rows[people < "p2"] = apart
    found = observer_maps(METHOD, Triplets(rows, two_kinds.objects, two_kinds.answers))
    first, second = (found.names.tolist().index(name) for name in ("p0", "p1"))
    expected = np.ones((6, 6), dtype=bool)
    expected[first, second] = expected[second, first] = False
    assert np.array_equal(found.comparable, expected)
    assert found.apart[first, second] == 1.0


def test_errors_by_group(two_kinds):
    found = errors_by_group(METHOD, two_kinds, by="place", folds=3)
    assert found.names.tolist() == ["all", "crowd", "lab"]
    table = found.table.set_index("name")
    assert table.error["lab"] < table.error["all"]
    assert table.spread["lab"] == pytest.approx(found.fold_errors[2].std(ddof=1))
    assert table.participants.tolist() == [0, 0, 0], "six are too few for an interval over them"


def test_errors_of_groups_are_over_their_participants(two_kinds):
    found = errors_by_group(METHOD, two_kinds, folds=2, most=2, unit="participants").table
    estimate = cross_validate(METHOD, two_kinds, folds=2, unit="participants")
    assert found.participants.tolist() == [6, 0, 0]
    assert found.loc[0, ["error", "low", "high"]].tolist() == [
        estimate.error, estimate.low, estimate.high
    ]
    alone = cross_validate(METHOD, two_kinds.take(np.arange(300)), folds=2)
    assert found.loc[1, ["low", "high"]].tolist() == [alone.low, alone.high]


def test_stops_and_single_participants(two_kinds):
    for compute in (who_predicts_whom, pooling_curve, observer_maps, errors_by_group):
        with pytest.raises(Stopped):
            compute(METHOD, two_kinds, progress=lambda *_, **__: True)
    alone = two_kinds.take(np.arange(300))
    for compute in (who_predicts_whom, pooling_curve, observer_maps):
        with pytest.raises(DataError, match="a single participant"):
            compute(METHOD, alone)
