"""Tasks give the same bits on every engine; that each can be sent, see `test_run`."""

from __future__ import annotations

import pytest

from tests.core.test_run import ALONE, METHODS, QUICK, of_all_kinds, same
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.engine import Engine, engine
from tripletscope.core.run import Run, run

#: Tasks of which each sends something else: fits, states of chains, estimators.
SOME = ("bootstrap", "posterior", "predict_column")


def computed(task: str, answers: Triplets) -> Run:
    return run(task, METHODS.get(task, ALONE), answers, QUICK[task])


def differing_on(used: Engine, answers: Triplets, tasks: tuple[str, ...] = SOME) -> list[str]:
    """Tasks that give other bits on another engine than in threads of this process."""
    here = {task: computed(task, answers) for task in tasks}
    with used.in_use():
        return [task for task in tasks if not same(computed(task, answers), here[task])]


@pytest.mark.parametrize("name", ["threads:1", "loky:2"])  # on Dask in `test_dask`
def test_tasks_elsewhere(name, all_is_sent):
    assert differing_on(engine(name), of_all_kinds()) == []
    if name == "loky:2":
        engine(name).close()
