"""A bootstrap, a plan and a forest in threads and on clusters of this machine.

    python benchmarks/engines.py [--workers 1 2 4]

Every engine first computes each task once without being timed: its workers load and compile what
they need. Bytes are those of batches, of what is sent apart, and of results, pickled; each worker
that needs what is sent apart gets it once more, which is counted where Dask says so.
"""

from __future__ import annotations

import argparse
import pickle
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial, partialmethod
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from report import machine, print_table
from sklearn.datasets import load_digits

from tripletscope.core.engine import crews, parallel
from tripletscope.core.engine.engine import Engine, engine
from tripletscope.core.engine.pieces import CancelToken
from tripletscope.core.inference.uncertainty import bootstrap
from tripletscope.core.models.embedding import STE
from tripletscope.core.studies.design.plan import plan
from tripletscope.core.studies.design.scenario import SampleSizes, Scenario
from tripletscope.core.studies.quality.importing import read
from tripletscope.core.trees import ComparisonForestClassifier

EGGS = Path(__file__).parent.parent / "sample_data" / "alien_eggs"
#: Seconds of a piece that only waits.
WAITS = 0.05
DIGITS, CLASSES = load_digits(return_X_y=True)


@dataclass
class Ledger:
    """What crossed between processes while a task ran."""

    batches: int = 0
    pieces: int = 0
    seconds: float = 0.0
    sent: int = 0
    apart: int = 0
    results: int = 0


@contextmanager
def counted() -> Iterator[Ledger]:
    """Counts what is sent and what comes back."""
    ledger, seen = Ledger(), set()

    def submit(original: Callable, self: Any, batch: Any, apart: Any, name: str) -> Any:
        ledger.batches += 1
        ledger.pieces += len(batch.calls)
        ledger.sent += len(pickle.dumps(batch))
        new = batch.digests - seen
        ledger.apart += sum(len(apart[digest]) for digest in new)
        seen.update(new)
        return original(self, batch, apart, name)

    def outcomes(original: Callable, self: Any, future: Any) -> Any:
        found = original(self, future)
        ledger.results += len(pickle.dumps(found))
        ledger.seconds += sum(seconds for _, seconds, _ in found)
        return found

    with ExitStack() as stack:
        for crew in (crews._Processes, crews.DaskCrew, crews.RayCrew):
            for name, wrapper in (("submit", submit), ("outcomes", outcomes)):
                method = partialmethod(partial(wrapper, getattr(crew, name)))
                stack.enter_context(patch.object(crew, name, method))
        yield ledger


def tasks() -> dict[str, Callable[[], np.ndarray]]:
    """What is computed: arrays that must be the same everywhere."""
    eggs = read(EGGS / "responses.csv", objects=EGGS / "objects.csv")
    fitted = STE(n_components=2, n_init=1).fit(eggs).embedding_
    sizes = SampleSizes(most=8_000, points=4)
    return {
        "bootstrap of 200": lambda: bootstrap(
            STE(n_components=2, n_init=1), eggs, replicates=200, reference=fitted
        ).embeddings,
        "plan": lambda: plan(
            STE(n_init=4), scenario=Scenario(n_objects=60), sizes=sizes, repeats=16
        ).accuracy,
        "forest of 400": lambda: ComparisonForestClassifier(n_estimators=400, leaf_size=5)
        .fit(DIGITS, CLASSES).predict(DIGITS[:300]),
    }


def nothing(number: int, halt: CancelToken) -> int:
    return number


def waiting(array: np.ndarray, number: int, halt: CancelToken) -> int:
    """As long as a piece of `WAITS`, but without a processor, of which there may be too few."""
    time.sleep(WAITS)
    return number


def waited(workers: int) -> tuple[str, str]:
    """Seconds for 400 pieces that wait, and the share of them in which workers were idle."""
    items = [(DIGITS, k) for k in range(400)]
    begun = time.perf_counter()
    list(parallel.in_parallel(waiting, items))
    seconds = time.perf_counter() - begun
    return f"{seconds:.2f}", f"{1 - len(items) * WAITS / (workers * seconds):.0%}"


def each(items: list[tuple], together: float) -> float:
    """Milliseconds for a piece that does nothing, in batches of so many seconds at least."""
    before, parallel._LEAST, parallel._MOST = (
        (parallel._LEAST, parallel._MOST), together, max(together, 1e-9)
    )
    parallel._seconds.clear()
    begun = time.perf_counter()
    list(parallel.in_parallel(nothing, items))
    parallel._LEAST, parallel._MOST = before
    return 1e3 * (time.perf_counter() - begun) / len(items)


@contextmanager
def dask(workers: int) -> Iterator[Engine]:
    """A cluster of processes with one thread each."""
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=workers, threads_per_worker=1, host="127.0.0.1", dashboard_address=":0"
    ) as cluster:
        found = engine(cluster.scheduler_address.replace("tcp", "dask"))
        yield found
        found.close()


def between_workers(used: Engine) -> int:
    """Bytes that workers have got from each other."""
    client = getattr(used, "_client", None)
    if client is None:
        return 0
    return sum(
        one["total"]
        for log in client.run(lambda dask_worker: list(dask_worker.transfer_incoming_log)).values()
        for one in log
    )


def rows(name: str, used: Engine, expected: dict[str, tuple[float, np.ndarray]]) -> Iterator[tuple]:
    """A row for each task."""
    for task, compute in tasks().items():
        with used.in_use():
            compute()
            moved = between_workers(used)
            with counted() as ledger:
                begun = time.perf_counter()
                found = compute()
                seconds = time.perf_counter() - begun
            moved = between_workers(used) - moved
        alone, same = expected.setdefault(task, (seconds, found))
        np.testing.assert_array_equal(found, same)
        far = ledger.batches > 0
        yield (
            task, name, f"{seconds:.2f}", f"{alone / seconds:.2f}",
            *([ledger.pieces, ledger.batches] if far else ["", ""]),
            *([f"{1e3 * ledger.seconds / ledger.pieces:.1f}"] if far else [""]),
            *([f"{(size / 1e6):.2f}" for size in (
                ledger.apart, ledger.sent, ledger.results, moved
            )] if far else [""] * 4),
        )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 2, 4])
    options = parser.parse_args()
    print(machine())
    expected: dict[str, tuple[float, np.ndarray]] = {}
    table, small = [], []

    def measure(name: str, used: Engine, width: int) -> None:
        table.extend(rows(name, used, expected))
        with used.in_use():
            list(parallel.in_parallel(nothing, [(k,) for k in range(50)]))
            items = [(k,) for k in range(500)]
            small.append(
                (name, f"{each(items, 0.0):.2f}", f"{each(items, 0.1):.3f}", *waited(width))
            )

    for name, width in (("threads:1", 1), ("threads:2", 2), ("loky:2", 2)):
        measure(name, engine(name), width)
        engine(name).close()
    for workers in options.workers:
        with dask(workers) as used:
            measure(f"Dask, {workers}", used, workers)
    table.sort(key=lambda row: list(expected).index(row[0]))
    print_table([
        "task", "engine", "seconds", "times as fast", "pieces", "batches", "ms each",
        "apart, MB", "batches, MB", "results, MB", "between workers, MB",
    ], table)
    print_table([
        "engine", "ms for nothing, one by one", "together",
        f"400 that wait {WAITS} s", "idle",
    ], small)


if __name__ == "__main__":
    main()
