"""When features are said to predict better if their rows are compared otherwise."""

from __future__ import annotations

import numpy as np
import pytest

from tripletscope.core.data.triplets import Triplets
from tripletscope.core.features import ways
from tripletscope.core.features.intervals import Units
from tripletscope.core.features.spaces import FeatureSpace
from tripletscope.core.features.splits import prepared
from tripletscope.core.features.ways import WAYS, better_way, other_ways

N_OBJECTS, N_TRIALS = 40, 1_500


def similarity(kind: str, x: np.ndarray) -> np.ndarray:
    if kind == "cosine":
        x = x / np.linalg.norm(x, axis=1, keepdims=True)
    squares = ((x[:, None] - x[None]) ** 2).sum(axis=2)
    return {"euclidean": -squares, "none": np.zeros_like(squares)}.get(kind, x @ x.T)


def observed(kind: str, seed: int, *, sparse: bool) -> tuple[np.ndarray, Triplets]:
    """Features of objects, and odd ones out that 20 people choose by them."""
    rng = np.random.default_rng(seed)
    shape = N_OBJECTS, 3
    seen = rng.gamma(2, 0.5, shape) * (rng.random(shape) < 0.6) + 0.05 if sparse else (
        rng.normal(size=shape)
    )
    apart = similarity(kind, seen)
    trials = np.array([rng.permutation(N_OBJECTS)[:3] for _ in range(N_TRIALS)])
    i, j, k = trials.T
    likely = np.column_stack([apart[j, k], apart[i, k], apart[i, j]])
    likely = likely / (likely.std() or 1.0) + rng.gumbel(size=likely.shape)
    place = (likely.argmax(axis=1)[:, None] + np.arange(3)) % 3  # of the odd one, then the others
    odd, one, other = np.take_along_axis(trials, place, axis=1).T
    rows = np.concatenate([np.column_stack([one, other, odd]), np.column_stack([other, one, odd])])
    which = np.tile(np.arange(N_TRIALS), 2)
    answers = Triplets.from_array(rows).with_columns({"participant": which % 20, "trial": which})
    values = seen @ rng.normal(size=(3, 12)) + 0.3 * rng.normal(size=(N_OBJECTS, 12))
    return values, answers


def told(kind: str, metric: str, seed: int, *, sparse: bool) -> str | None:
    """The metric by which features are said to predict better."""
    values, answers = observed(kind, seed, sparse=sparse)
    tables, _, data = prepared(FeatureSpace(name="x", values=values, metric=metric), answers)
    found = other_ways(tables, data.choices, Units.of(answers, "auto"), np.random.default_rng(0))
    way = better_way(found["by_way"].value, found["by_way_p"], 0)
    return None if way is None else WAYS[way][0]


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(("kind", "metric"), [
    ("euclidean", "euclidean"), ("cosine", "cosine"), ("product", "product"), ("none", "euclidean"),
])
def test_people_who_compare_as_the_features_do(kind, metric, sparse):
    assert not any(told(kind, metric, seed, sparse=sparse) for seed in range(4))


def test_people_who_compare_by_what_objects_have_in_common():
    found = [told("product", "euclidean", seed, sparse=True) for seed in range(6)]
    assert found.count("product") >= 4


def test_of_distances_single_columns_and_very_large_tables_nothing_is_compared(monkeypatch):
    values, answers = observed("euclidean", 0, sparse=False)
    spaces = [
        FeatureSpace(name="apart", distances=similarity("product", values)),
        FeatureSpace(name="one", values=values[:, :1]), FeatureSpace(name="all", values=values),
    ]
    tables, _, data = prepared(spaces, answers)
    units = Units.of(answers, "auto")
    found = other_ways(tables, data.choices, units, np.random.default_rng(0))
    assert np.isnan(found["by_way_p"]).all(axis=1).tolist() == [True, True, False]
    assert found["own_way"].tolist() == [-1, -1, 0]
    assert better_way(found["by_way"].value, found["by_way_p"], 0) is None
    monkeypatch.setattr(ways, "_LARGE", 100)
    monkeypatch.setattr(ways, "_MOST", 1_000)
    found = other_ways(tables, data.choices, units, np.random.default_rng(0))
    assert np.isnan(found["by_way_p"]).all()
    assert found["n_by_way"] == 1_000
