"""Directions on a map: as vegan has them, what is told by them, and where they are silent."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

from tests.paths import FIXTURES
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.geometry import procrustes
from tripletscope.core.features.directions import _adjusted, directions, directions_on
from tripletscope.core.models.embedding import STE
from tripletscope.core.models.simulation.simulate import simulate

TABLE = pd.read_csv(FIXTURES / "vegan" / "map.csv")
FLAT = TABLE[["x", "y"]].to_numpy()
COLUMNS = {name: TABLE[name] for name in ("stove_rating", "gaps", "random", "category")}


@pytest.fixture(scope="module")
def found():
    return directions_on(FLAT, COLUMNS)


@pytest.mark.parametrize("axes", [["x", "y"], ["x3", "y3", "z3"]])
def test_directions_are_those_of_vegan(axes):
    d, theirs = len(axes), pd.read_csv(FIXTURES / "vegan" / "reference.csv")
    theirs = theirs[theirs["d"] == d]
    mine = directions_on(TABLE[axes].to_numpy(), COLUMNS, permutations=99)
    assert mine.columns == theirs["column"].tolist()
    np.testing.assert_allclose(mine.direction, theirs[["x", "y", "z"][:d]], atol=5e-4)
    np.testing.assert_allclose(mine.fit, theirs["r2"], atol=5e-4)


def test_objects_are_predicted_that_were_left_out(found):
    def explained(name: str, degree: int) -> float:
        there = COLUMNS[name].notna()
        x, y = FLAT[there], COLUMNS[name][there].to_numpy()
        method = make_pipeline(PolynomialFeatures(degree), LinearRegression())
        errors = y - cross_val_predict(method, x, y, cv=LeaveOneOut())
        n = len(y)
        return 1 - np.sum(errors**2) / np.sum(((y - y.mean()) * n / (n - 1)) ** 2)

    for k, name in enumerate(["stove_rating", "gaps", "random"]):
        assert found.explained[k] == pytest.approx(explained(name, 1))
        assert found.curved_explained[k] == pytest.approx(explained(name, 2))
    assert found.n_values.tolist() == [40, TABLE["gaps"].notna().sum(), 40, 39]


def test_categories_are_predicted_by_nearest_neighbours(found):
    there = TABLE["category"].notna()
    y = TABLE["category"][there]
    guessed = cross_val_predict(KNeighborsClassifier(5), FLAT[there], y, cv=LeaveOneOut())
    assert found.accuracy[3] == pytest.approx(balanced_accuracy_score(y, guessed))
    assert found.chance[3] == pytest.approx(1 / y.nunique(), abs=0.06)
    assert found.found == ["arrow", "arrow", "chance", "separated"]
    assert np.isfinite(found.accuracy).tolist() == [False, False, False, True]


def test_p_values_are_for_all_columns_together():
    rng = np.random.default_rng(0)
    # The second statistic is the first with another unit; the third has no test.
    one = np.sort(rng.normal(size=100))[::-1]
    both = _adjusted(np.stack([one, 7 * one + 3, np.full(100, np.nan)]))
    assert both[:2] == pytest.approx(_adjusted(one[None])[0]) == 0.01
    assert np.isnan(both[2])
    alone = np.r_[np.quantile(one, 0.97), rng.normal(size=99)]
    many = np.vstack([alone, rng.normal(size=(20, 100))])
    assert _adjusted(many)[0] > 3 * _adjusted(alone[None])[0]


def test_few_shuffles_are_enough_for_many_columns():
    rng = np.random.default_rng(1)
    columns = {f"c{k}": pd.Series(rng.normal(size=40)) for k in range(120)}
    many = directions_on(FLAT, {"x": TABLE["x"], **columns}, permutations=99)
    assert many.found[0] == "arrow"
    assert many.found[1:].count("arrow") <= 1


def test_random_columns_get_no_arrow():
    """Rates: ``benchmarks/verdicts.py directions``."""
    said = []
    for seed in range(15):
        rng = np.random.default_rng([2, seed])
        columns = {f"c{k}": pd.Series(rng.normal(size=25)) for k in range(5)}
        one = directions_on(rng.normal(size=(25, 2)), columns, permutations=199)
        said.append([one.drawn.any(), bool({"curved", "peak", "trough"} & {*one.found})])
    # Of 15 data sets at 5 %, four or more are expected once in 180 times.
    assert np.sum(said, axis=0).max() < 4


@pytest.mark.parametrize("number", [2, 3])
def test_what_rests_on_few_objects_gets_no_arrow(number):
    rng = np.random.default_rng(3)
    places, values = rng.normal(size=(30, 2)), 0.02 * rng.normal(size=30)
    places[:number] += 8.0
    values[:number] += 1.0
    one = directions_on(places, {"mark": pd.Series(values)})
    assert one.explained[0] > 0.5
    assert one.found == ["few"]


@pytest.mark.parametrize(("sign", "shape"), [(-1, "peak"), (1, "trough")])
def test_what_is_best_in_the_middle_is_said_to_be(sign, shape):
    rng = np.random.default_rng(4)
    places = rng.normal(size=(40, 2))
    values = sign * np.sum((places - [0.4, -0.2]) ** 2, axis=1) + 0.3 * rng.normal(size=40)
    one = directions_on(places, {"taste": pd.Series(values)})
    assert one.found == [shape]
    grown = directions_on(places, {"size": pd.Series(places[:, 0] + places[:, 0] ** 2 / 2)})
    assert grown.found == ["curved"]


def test_columns_that_say_nothing_are_listed_with_the_reason():
    few = pd.Series([1.0, 2.0, 3.0, 4.0, *[np.nan] * 36])
    names = pd.Series([f"object {k}" for k in range(40)])
    one = directions_on(
        FLAT, {"few": few, "same": pd.Series(np.ones(40)), "names": names, "none": few * np.nan,
               "two": pd.Series(["a", "b"] * 20).where(TABLE.index < 20)},
    )
    assert one.found == ["short", "constant", "short", "short", "mixed"]
    assert np.isnan(one.p[:4]).all()
    assert np.isfinite(one.p[4])
    three = directions_on(FLAT[:3], {"x": TABLE["x"][:3]})
    assert three.found == ["short"]
    empty = directions_on(np.full((3, 2), np.nan), {"x": TABLE["x"][:3]})
    assert empty.found == ["short"]


def test_ranks_do_not_care_for_large_numbers():
    huge = np.exp(3 * TABLE["x"])
    plain, ranks = (directions_on(FLAT, {"huge": huge}, form=form) for form in ("linear", "rank"))
    assert ranks.explained[0] > 0.9 > plain.explained[0]
    same = directions_on(FLAT, {"x": TABLE["x"]}, form="rank")
    assert same.explained == pytest.approx(ranks.explained)


SEEN = np.random.default_rng(5).normal(size=(30, 3)) * [1.5, 1.5, 0.0]


@pytest.fixture(scope="module")
def described():
    answers = simulate(SEEN[:, :2], 2000, noise="logistic", seed=0)
    noise = 0.5 * np.random.default_rng(6).normal(size=(30, 2))
    slanted = SEEN[:, :2] @ [[0.8, -0.6], [0.6, 0.8]] + noise
    return answers.with_objects(answers.objects.assign(first=slanted[:, 0], second=slanted[:, 1]))


def test_wedges_are_over_objects_and_answers(described):
    both = directions(STE(), described, columns=["first", "second"], replicates=40)
    alone = directions_on(both.embedding, dict(described.objects.iloc[:, 2:]))
    assert (both.half_angle > alone.half_angle - 1.0).all()
    few = described.take(np.arange(300))
    wide = directions(STE(), few, columns=["first", "second"], replicates=40)
    assert (wide.half_angle > 1.5 * alone.half_angle).all()
    turn = procrustes(SEEN[:, :2], both.embedding).rotation
    planted = np.array([[0.8, 0.6], [-0.6, 0.8]]) @ turn
    off = np.degrees(np.arccos(np.sum(both.direction * planted, axis=1)))
    assert (off < both.half_angle).all()
    assert both.between.low[0, 1] < 90 < both.between.high[0, 1]
    assert both.between.over == ("answers", 2000)
    assert both.angle.high - both.angle.low == pytest.approx(2 * both.half_angle)
    assert both.table["found"].tolist() == ["arrow", "arrow"]


def test_a_turned_map_turns_directions_and_not_what_is_between(found):
    turn = np.array([[0.6, 0.8], [0.8, -0.6]])
    turned = directions_on(FLAT @ turn, COLUMNS)
    np.testing.assert_allclose(turned.direction[:3], found.direction[:3] @ turn, atol=1e-9)
    np.testing.assert_allclose(turned.between.value, found.between.value, atol=1e-4)
    np.testing.assert_allclose(turned.half_angle, found.half_angle, atol=1e-4)
    np.testing.assert_allclose(turned.p, found.p)


def test_a_column_that_is_not_there_is_refused(described):
    with pytest.raises(DataError, match="third"):
        directions(STE(), described, columns=["third"])
