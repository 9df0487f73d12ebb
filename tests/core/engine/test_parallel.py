"""Pieces in threads and in processes of this machine."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import joblib
import numpy as np
import pytest
from joblib.parallel import get_active_backend
from threadpoolctl import threadpool_info, threadpool_limits

from tests.processes import has_ended, kill, runs, started_by
from tests.waiting import PATIENCE, becomes
from tripletscope.core.engine import crews, parallel
from tripletscope.core.engine.engine import engine
from tripletscope.core.engine.parallel import (
    CancelToken,
    at_work,
    in_parallel,
    results_of,
    single_blas_thread,
)
from tripletscope.core.engine.pieces import EngineError, Packing
from tripletscope.core.engine.progress import Stopped, stopping


@pytest.fixture(autouse=True)
def _processes_load_little(monkeypatch):
    """Nothing here computes with what takes long to load."""
    monkeypatch.setattr(crews, "_loaded", lambda: [])


def process(number: int, halt: CancelToken) -> tuple[int, int]:
    return number, os.getpid()


def failing(number: int, halt: CancelToken) -> int:
    if number == 3:
        raise KeyError(number)
    return number


def backend(number: int, halt: CancelToken) -> str:
    return type(get_active_backend()[0]).__name__


def waiting(number: int, folder: Path, halt: CancelToken) -> int:
    """Says that it has begun, waits until it is told to stop, and says so."""
    if number:
        (folder / f"began {number}").touch()
        while not halt():
            time.sleep(0.01)
        (folder / f"ended {number}").touch()
    return number


def deadly(number: int, folder: Path, times: int, halt: CancelToken) -> int:
    """One of the pieces takes its process along, so many times."""
    (folder / f"{number} {time.monotonic_ns()}").touch()
    if number == 5 and len(list(folder.glob("5 *"))) <= times:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def wait_for(folder: Path, pattern: str, number: int) -> None:
    assert becomes(lambda: len(list(folder.glob(pattern))) >= number)


@pytest.mark.parametrize("name", ["threads:1", "threads:2", "loky:2", "multiprocessing:2"])
def test_order_errors_and_what_runs(name, all_is_sent):
    with engine(name).in_use():
        results = in_parallel(process, [(k,) for k in range(20)])
        assert next(results)[0] == 0
        assert [str(one) for one in at_work()] == ["process 1 of 20"]
        assert [number for number, _ in results] == list(range(1, 20))
        assert at_work() == []
        with pytest.raises(KeyError):
            list(in_parallel(failing, [(k,) for k in range(8)]))
        assert list(in_parallel(process, [])) == []


@pytest.mark.parametrize("name", ["threads:2", "loky:2"])
def test_closing_tells_pieces_at_work_to_stop(name, tmp_path, all_is_sent):
    with engine(name).in_use():
        results = in_parallel(waiting, [(k, tmp_path) for k in range(9)])
        assert next(results) == 0
        wait_for(tmp_path, "began *", 2 if name.startswith("t") else 1)
        results.close()
        wait_for(tmp_path, "ended *", len(list(tmp_path.glob("began *"))))
        # What was already on its way to a process may begin, and ends at once.
        assert len(list(tmp_path.glob("began *"))) < 8


@pytest.mark.parametrize("name", ["threads:2", "loky:2"])
@pytest.mark.parametrize("partial", [False, True])
def test_those_who_wait_can_be_told_to_stop(name, partial, tmp_path, all_is_sent):
    found = []

    def asked() -> bool:
        return len(found) == 1 and any(tmp_path.glob("began *"))

    items = [(k, tmp_path) for k in range(4)]
    told = contextlib.nullcontext() if partial else pytest.raises(Stopped)
    with engine(name).in_use(), stopping(asked), told:
        for number in in_parallel(waiting, items, partial=partial):
            found.append(number)
    assert found == [0]
    wait_for(tmp_path, "ended *", len(list(tmp_path.glob("began *"))))


@pytest.mark.parametrize(
    ("least", "number"), [(None, 3), (2, 3), (4, 3), (None, 5)]
)
def test_a_stop_keeps_results_that_are_enough(least, number):
    shares, results = [], []

    def progress(share: float) -> bool:
        shares.append(share)
        return len(shares) == number

    enough = number >= (5 if least is None else least)
    told = contextlib.nullcontext() if enough else pytest.raises(Stopped)
    items = [(k,) for k in range(5)]
    with told:
        for result, _ in results_of(
            process, items, progress, least=least, efforts=[1, 1, 2, 2, 2]
        ):
            results.append(result)
    assert results == list(range(number))
    assert shares == [1 / 8, 2 / 8, 4 / 8, 6 / 8, 1.0][:number]


def test_a_process_that_dies_loses_its_piece_and_nothing_else(tmp_path, all_is_sent):
    with engine("loky:2").in_use():
        found = list(in_parallel(deadly, [(k, tmp_path, 1) for k in range(12)]))
    assert found == list(range(12))
    assert len(list(tmp_path.glob("5 *"))) == 2
    assert len(list(tmp_path.glob("0 *"))) == 1


def test_a_piece_that_always_ends_its_process_is_given_up(tmp_path, all_is_sent, monkeypatch):
    monkeypatch.setattr(parallel, "_TRIES", 1)
    with engine("loky:2").in_use(), pytest.raises(EngineError, match="“deadly” has ended its"):
        list(in_parallel(deadly, [(k, tmp_path, 9) for k in range(7)]))


def pid_and_wait(number: int, folder: Path, halt: CancelToken) -> int:
    (folder / str(os.getpid())).touch()
    return waiting(number, folder, halt)


def test_processes_do_not_outlive_the_one_they_work_for(tmp_path):
    killed = f"""
import os, signal
from pathlib import Path
from tests.core.engine.test_parallel import pid_and_wait
from tripletscope.core.engine.engine import engine
from tripletscope.core.engine.parallel import in_parallel
with engine("loky:2").in_use():
    next(in_parallel(pid_and_wait, [(k, Path({str(tmp_path)!r})) for k in range(4)]))
    os.kill(os.getpid(), signal.SIGKILL)
"""
    root = Path(__file__).parents[3]
    done = subprocess.run([sys.executable, "-c", killed], cwd=root, stderr=subprocess.DEVNULL)
    assert done.returncode == -signal.SIGKILL
    there = [int(path.name) for path in tmp_path.glob("[0-9]*")]
    assert there
    assert has_ended(*there)


def test_small_pieces_are_sent_together(monkeypatch, all_is_sent):
    batches = []
    submit = crews.LokyCrew.submit

    def counted(self, batch, apart, name):
        batches.append(len(batch.calls))
        return submit(self, batch, apart, name)

    monkeypatch.setattr(crews.LokyCrew, "submit", counted)
    with engine("loky:2").in_use():
        for _ in range(2):
            found = list(in_parallel(process, [(k,) for k in range(500)]))
            assert [number for number, _ in found] == list(range(500))
    assert sum(batches) == 1000
    assert len(batches) < 50


def test_what_is_not_worth_sending_is_done_here():
    items = [(k,) for k in range(5)]
    with engine("loky:2").in_use():
        list(in_parallel(process, items))  # now it is known how quick they are
        assert {one for _, one in in_parallel(process, items)} == {os.getpid()}


def test_what_one_piece_needs_alone_is_not_kept():
    packing = Packing(process, [(np.full(200_000, k),) for k in range(2)])
    batch = packing.batch([0])
    assert batch.digests == set(packing.contents)
    packing.forget(batch)
    assert not packing.contents
    assert packing.batch([0]).digests == batch.digests == set(packing.contents)


def test_calls_that_share_memory_stay_in_threads():
    with engine("loky:2").in_use():
        found = list(in_parallel(process, [(k,) for k in range(4)], shared=True))
    assert {one for _, one in found} == {os.getpid()}


def thread(together: threading.Barrier, halt: CancelToken) -> int:
    together.wait()  # only so many threads get past it
    return threading.get_ident()


def test_without_an_engine_there_is_a_thread_for_every_processor(monkeypatch):
    def threads(number: int) -> int:
        together = threading.Barrier(number, timeout=PATIENCE)
        return len(set(in_parallel(thread, [(together,)] * 12)))

    monkeypatch.setattr(parallel, "cpu_count", lambda: 3)
    assert threads(3) == 3
    with joblib.parallel_config(n_jobs=2):
        assert threads(2) == 2


def test_two_that_are_as_far_are_told_apart():
    with engine("threads:1").in_use():
        one, other = (in_parallel(process, [(k,) for k in range(3)]) for _ in range(2))
        next(one), next(other)
        other.close()
        assert [str(running) for running in at_work()] == ["process 1 of 3"]
        assert len(list(one)) == 2
        assert at_work() == []


def test_the_last_lifts_the_limit_on_linear_algebra():
    def threads():
        return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}

    with threadpool_limits(3, user_api="blas"):
        first, second = single_blas_thread(), single_blas_thread()
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        assert threads() == {1}
        second.__exit__(None, None, None)
        assert threads() == {3}


def test_inside_of_pieces_that_are_not_worth_sending_nothing_is_sent(monkeypatch):
    monkeypatch.setattr(parallel, "_seconds", {})
    with engine("loky:2").in_use():
        for worth in (0, 1e9):
            monkeypatch.setattr(parallel, "_WORTH", worth)
            found = list(in_parallel(backend, [(k,) for k in range(3)]))
            assert found == ["SequentialBackend"] * 3


def lead(folder: Path) -> None:
    with engine("loky:2").in_use():
        list(in_parallel(waiting, [(k, folder) for k in range(1, 4)]))


@pytest.mark.skipif(os.name == "nt", reason="Windows cannot tell")
def test_pieces_end_when_who_waits_for_them_is_killed(tmp_path):
    code = (
        "import sys; from pathlib import Path; from tests.core.engine.test_parallel import lead;"
        "lead(Path(sys.argv[1]))"
    )
    leader = subprocess.Popen([sys.executable, "-c", code, str(tmp_path)])
    try:
        wait_for(tmp_path, "began *", 2)
        others = started_by(leader.pid)
    finally:
        leader.kill()
        leader.wait()
    try:
        # The pieces end, or their processes do.
        assert becomes(
            lambda: len(list(tmp_path.glob("ended *"))) == 2 or not any(map(runs, others))
        )
    finally:
        kill(*others)  # idle, for minutes
