"""Threads inside one computation."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from joblib import parallel_config

from tripletscope.core.engine import threads
from tripletscope.core.engine.parallel import in_parallel
from tripletscope.core.engine.threads import side_by_side, threads_here
from tripletscope.core.models.embedding import STE
from tripletscope.core.models.optimise import loss
from tripletscope.core.models.simulation.simulate import simulate


def test_as_many_threads_as_were_asked_for(monkeypatch):
    monkeypatch.setattr(threads, "_n_processors", lambda: 8)
    assert threads_here() == 8
    with parallel_config(n_jobs=3):
        assert threads_here() == 3
    with parallel_config("threading", n_jobs=1):
        assert threads_here() == 1
    with parallel_config("threading", n_jobs=6):
        # Two pieces leave three processors to each, eight leave none.
        assert list(in_parallel(lambda _: threads_here(), [()] * 2)) == [3, 3]
        assert set(in_parallel(lambda _: threads_here(), [()] * 8)) == {1}


def test_results_stay_in_order_and_threads_are_used(monkeypatch):
    monkeypatch.setattr(threads, "_n_processors", lambda: 2)
    both = threading.Barrier(2, timeout=300)

    def part(number: int) -> int:
        if number < 2:
            both.wait()  # only two threads get past it
        return number**2

    assert side_by_side(part, range(5)) == [0, 1, 4, 9, 16]


def test_an_error_of_a_part_comes_through(monkeypatch):
    monkeypatch.setattr(threads, "_n_processors", lambda: 2)

    def part(number: int) -> None:
        raise KeyError(number)

    with pytest.raises(KeyError):
        side_by_side(part, range(4))


@pytest.mark.parametrize("n_components", [2, 5])
def test_a_map_has_the_same_bits_on_any_number_of_threads(n_components, monkeypatch):
    monkeypatch.setattr(threads, "_n_processors", lambda: 5)
    monkeypatch.setattr(loss, "_PART", 500)
    monkeypatch.setattr(loss, "SEVERAL_PARTS", 4000)
    positions = np.random.default_rng(0).normal(size=(60, n_components))
    answers = simulate(positions, 8000, noise="flip", level=0.1, seed=1)
    maps = []
    for n_jobs in (1, 2, 5):
        with parallel_config(n_jobs=n_jobs):
            maps.append(STE(n_components=n_components, n_init=1, max_iter=50).fit(answers))
    assert all(np.array_equal(maps[0].embedding_, other.embedding_) for other in maps[1:])
    assert len({fitted.loss_ for fitted in maps}) == 1
