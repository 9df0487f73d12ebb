"""A cluster that is asked for too much, loses workers, is given up, or is another version."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from tests.core.engine.conftest import address, two_workers
from tests.processes import kill
from tests.waiting import PATIENCE, becomes
from tripletscope.core.engine import crews, pieces
from tripletscope.core.engine.crews import DaskCrew
from tripletscope.core.engine.engine import engine
from tripletscope.core.engine.parallel import CancelToken, in_parallel
from tripletscope.core.engine.pieces import EngineError, Packing

pytestmark = pytest.mark.usefixtures("all_is_sent")

#: Seconds that a piece takes which nobody tells to stop.
LONG = 2 * PATIENCE


def process(number: int, halt: CancelToken) -> tuple[int, int]:
    return number, os.getpid()


def process_and_those_inside(number: int, halt: CancelToken) -> set[int]:
    inside = in_parallel(process, [(k,) for k in range(4)])
    return {os.getpid(), *(one for _, one in inside)}


def total(array: np.ndarray, number: int, halt: CancelToken) -> float:
    return float(array.sum()) + number


def apart(one: np.ndarray, other: np.ndarray, number: int, halt: CancelToken) -> float:
    return float(one[0] - other[0]) + number


def slow(number: int, seconds: float, halt: CancelToken) -> tuple[int, int]:
    end = time.monotonic() + seconds
    while time.monotonic() < end and not halt():
        time.sleep(0.01)
    return number, os.getpid()


def deadly(number: int, halt: CancelToken) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_task_has_the_same_bits(dask):
    """What other tasks send is the same for processes of this machine, see `test_same_bits`."""
    # Here, as workers load this file for the pieces of all other tests.
    from tests.core.engine.test_same_bits import differing_on
    from tests.core.test_run import of_all_kinds

    assert differing_on(dask, of_all_kinds(), ("bootstrap",)) == []


def test_pieces_inside_of_pieces_stay_in_their_process(dask):
    with dask.in_use():
        found = list(in_parallel(process_and_those_inside, [(k,) for k in range(4)]))
    assert all(len(processes) == 1 for processes in found)
    assert os.getpid() not in set.union(*found)


def test_a_scheduler_is_found_by_its_file(dask, cluster, tmp_path):
    file = tmp_path / "a scheduler.json"
    file.write_text(json.dumps({"type": "Scheduler", "address": cluster.scheduler_address}))
    there = engine(f"dask:{file}")
    with there.in_use():
        assert os.getpid() not in {at for _, at in in_parallel(process, [(k,) for k in range(4)])}
    assert there.status().address == cluster.scheduler_address
    there.close()


def test_what_pieces_share_is_sent_once(dask):
    array = np.arange(300_000.0)
    items = [(array, k) for k in range(10)]
    packing = Packing(total, items)
    batch = packing.batch(range(10))
    inside = sum(len(part) for _, call in batch.calls for part in call if isinstance(part, bytes))
    assert inside < 1_000 < len(packing.contents[next(iter(batch.digests))])
    with dask.in_use():
        before = {len(there) for there in DaskCrew._scattered.values()} or {0}
        first = list(in_parallel(total, items))
        again = list(in_parallel(total, [(array.copy(), k) for k in range(10)]))
        after = {len(there) for there in DaskCrew._scattered.values()}
    assert first == again == [array.sum() + k for k in range(10)]
    assert max(after) == max(before) + 1


def test_what_pieces_share_is_not_mixed_up(dask):
    array = np.arange(1_000.0)
    with dask.in_use():
        found = list(in_parallel(apart, [(array, 2 * array - 3, k) for k in range(4)]))
    assert found == [3, 4, 5, 6]


def test_cancelling_frees_the_workers(dask):
    with dask.in_use():
        results = in_parallel(slow, [(0, 0.0), *((k, LONG) for k in range(1, 6))])
        assert next(results)[0] == 0
        begun = time.monotonic()
        results.close()
        list(in_parallel(process, [(k,) for k in range(8)]))
        assert time.monotonic() - begun < PATIENCE  # 0.2 s, where no others want the processors


def test_workers_that_die_lose_their_piece_until_it_is_given_up():
    array = np.arange(300_000.0)  # which may lie on that worker alone
    with two_workers() as cluster, engine(address(cluster)).in_use():
        list(in_parallel(total, [(array, k) for k in range(2)]))
        results = in_parallel(slow, [(k, 0.3) for k in range(8)])
        _, victim = next(results)
        kill(victim)
        assert [number for number, _ in results] == list(range(1, 8))
        expected = [array.sum() + k for k in range(8)]
        assert list(in_parallel(total, [(array, k) for k in range(8)])) == expected

        cluster.scheduler.allowed_failures = 0
        # Where the machine is busy, Dask may give up its workers before it gives up the piece.
        sentence = "“deadly” has ended its process 1 times|has no workers any more"
        with pytest.raises(EngineError, match=sentence):
            list(in_parallel(deadly, [(k,) for k in range(2)]))


def test_a_cluster_without_workers_is_given_up(monkeypatch):
    from distributed import LocalCluster

    monkeypatch.setattr(crews, "_ROLL_CALL", 0.1)
    monkeypatch.setattr(crews, "_PATIENCE", 0.5)
    with LocalCluster(
        n_workers=1, threads_per_worker=1, host="127.0.0.1", dashboard_address=":0",
    ) as cluster:
        alone = engine(cluster.scheduler_address.replace("tcp", "dask"))
        with alone.in_use():
            results = in_parallel(slow, [(0, 0.0), (1, LONG)])
            next(results)
            cluster.scale(0)
            with pytest.raises(EngineError, match="has no workers any more"):
                next(results)
        alone.close()


def test_other_versions_are_refused(dask, monkeypatch):
    sentence = r"orker \d.* has numpy .* instead of 0\.1"
    with dask.in_use():  # a worker may come later
        monkeypatch.setitem(pieces.versions(), "numpy", "0.1")  # workers have a dict of their own
        with pytest.raises(EngineError, match=sentence):
            list(in_parallel(process, [(0,), (1,)]))
    dask.close()
    with pytest.raises(EngineError, match=sentence), dask.in_use():
        pass


def test_status(dask):
    asked = []
    with dask.in_use():
        # A worker may begin with another piece than the first, which then waits for it.
        while not asked or [str(one) for one in asked[-1].running] != ["slow 1 of 4"]:
            results = in_parallel(slow, [(0, 0.0), *((k, 20.0) for k in range(1, 4))])
            next(results)
            assert becomes(lambda: asked.append(dask.status()) or any(
                one.running for one in asked[-1].workers
            ))
            results.close()
    status = asked[-1]
    assert status.problem is None
    assert status.address.startswith("tcp://127.0.0.1")
    assert [worker.cores for worker in status.workers] == [1] * len(status.workers)
    assert all(worker.memory_limit == 2_000_000_000 for worker in status.workers)
    assert {name for worker in status.workers for name in worker.running} == {"slow"}
    assert [str(one) for one in status.running] == ["slow 1 of 4"]
    assert dask.status().running == []


def started(*arguments: str) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-m", "distributed.cli." + arguments[0], *arguments[1:]],
        cwd=Path(__file__).parents[3],
    )


def test_a_scheduler_that_dies_is_told_within_seconds(tmp_path):
    file = tmp_path / "scheduler.json"
    scheduler = started(
        "dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard",
        "--scheduler-file", str(file),
    )
    worker = started(
        "dask_worker", "--scheduler-file", str(file), "--no-nanny", "--nthreads", "1",
        "--no-dashboard", "--death-timeout", "5",
    )
    try:
        assert becomes(lambda: file.exists() and file.read_text().strip())
        address = json.loads(file.read_text())["address"]
        used = engine(address.replace("tcp", "dask"))
        with used.in_use():
            results = in_parallel(slow, [(0, 0.0), *((k, LONG) for k in range(1, 6))])
            assert next(results)[0] == 0
            scheduler.kill()
            begun = time.monotonic()
            with pytest.raises(EngineError, match="connection to the Dask scheduler"):
                list(results)
            assert time.monotonic() - begun < PATIENCE
        assert "There is no Dask scheduler" in used.status().problem
        used.close()
    finally:
        for one in (scheduler, worker):
            one.kill()
            one.wait()
