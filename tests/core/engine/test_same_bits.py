"""Every task can be sent elsewhere, and gives the same bits on every engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import cloudpickle
import numpy as np
import pytest

from tests.core.test_run import DATA, FEATURES, METHODS, QUICK, features
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine import parallel
from tripletscope.core.engine.engine import Engine, engine
from tripletscope.core.models.embedding import STE
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.core.run import Run, run

#: Tasks of which each sends something else: fits, states of chains, estimators.
SOME = ("bootstrap", "posterior", "predict_column")


def of_all_kinds() -> Triplets:
    """Six hundred answers of five people on twelve objects of two kinds."""
    truth = np.random.default_rng(7).normal(size=(12, 2))
    found = simulate(truth, 600, noise="logistic", seed=3)
    table = found.answers.assign(
        split=["train", "train", "test"] * 200, who=["x", "y"] * 300,
        participant=["p", "q", "r", "s", "t"] * 120, some=[True, True, False, False, False] * 120,
    )
    objects = found.objects.assign(kind=["a", "b"] * 6, size=np.arange(12.0) // 3)
    return Triplets(found.rows, objects, table)


@pytest.fixture(scope="module")
def answers() -> Triplets:
    return of_all_kinds()


def computed(task: str, answers: Triplets) -> Run:
    method = METHODS.get(task, STE(n_init=2))
    if method is FEATURES:
        method = features(answers.n_objects)
    return run(task, method, DATA.get(task, answers), QUICK[task])


def alone(
    function: Callable, items: list[tuple], shared: bool, halt: parallel.CancelToken
) -> Iterator[object]:
    """One piece after the other, each with a copy of all that another process would get."""
    for item in items:
        if not shared:
            function, item = cloudpickle.loads(cloudpickle.dumps((function, item)))
        result = function(*item, halt)
        yield result if shared else cloudpickle.loads(cloudpickle.dumps(result))


def same(one: Run, other: Run) -> bool:
    return one.numbers == other.numbers and one.arrays.keys() == other.arrays.keys() and all(
        np.array_equal(one.arrays[key], array, equal_nan=array.dtype.kind == "f")
        for key, array in other.arrays.items()
    )


@pytest.mark.parametrize("task", QUICK)
def test_every_task_can_be_sent(task, answers, monkeypatch):
    in_threads = computed(task, answers)
    monkeypatch.setattr(parallel, "_results", alone)
    assert same(computed(task, answers), in_threads)


def differing_on(used: Engine, answers: Triplets, tasks: tuple[str, ...] = SOME) -> list[str]:
    """Tasks that give other bits on another engine than in threads of this process."""
    here = {task: computed(task, answers) for task in tasks}
    with used.in_use():
        return [task for task in tasks if not same(computed(task, answers), here[task])]


@pytest.mark.parametrize("name", ["threads:1", "loky:2"])  # on Dask in `test_dask`
def test_tasks_elsewhere(name, answers, all_is_sent):
    assert differing_on(engine(name), answers) == []
    if name == "loky:2":
        engine(name).close()
