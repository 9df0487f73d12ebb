"""Every task gives the same bits on every engine."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest

from tests.core.test_run import FEATURES, METHODS, QUICK, features
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.engine import engine
from tripletscope.core.models.embedding import STE
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.core.run import Run, run

#: Tasks of which each sends something else: fits, states of chains, estimators.
SOME = ("bootstrap", "posterior", "forest_errors")


@pytest.fixture(scope="module")
def answers() -> Triplets:
    """Six hundred answers of five people on twelve objects of two kinds."""
    truth = np.random.default_rng(7).normal(size=(12, 2))
    found = simulate(truth, 600, noise="logistic", seed=3)
    table = found.answers.assign(
        split=["train", "train", "test"] * 200, who=["x", "y"] * 300,
        participant=["p", "q", "r", "s", "t"] * 120, some=[True, True, False, False, False] * 120,
    )
    objects = found.objects.assign(kind=["a", "b"] * 6, size=np.arange(12.0) // 3)
    return Triplets(found.rows, objects, table)


def computed(task: str, answers: Triplets) -> Run:
    method = METHODS.get(task, STE(n_init=2))
    if method is FEATURES:
        method = features(answers.n_objects)
    return run(task, method, answers, QUICK[task])


@pytest.fixture(scope="module")
def alone(answers) -> dict[str, Run]:
    """Every result, computed one piece after the other."""
    with engine("threads:1").in_use():
        return {task: computed(task, answers) for task in QUICK}


def assert_same(alone: dict[str, Run], answers: Triplets, tasks: Iterable[str]) -> None:
    for task in tasks:
        found, expected = computed(task, answers), alone[task]
        assert found.numbers == expected.numbers, task
        assert found.arrays.keys() == expected.arrays.keys(), task
        for key, array in expected.arrays.items():
            np.testing.assert_array_equal(found.arrays[key], array, err_msg=f"{task} {key}")


def test_every_task_on_dask(alone, answers, dask, all_is_sent):
    with dask.in_use():
        assert_same(alone, answers, QUICK)


@pytest.mark.parametrize("name", ["threads:2", "loky:2"])
def test_tasks_elsewhere(name, alone, answers, all_is_sent):
    with engine(name).in_use():
        assert_same(alone, answers, SOME)
    engine(name).close()
