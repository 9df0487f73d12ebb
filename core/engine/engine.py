"""Engines: threads and processes of this machine, or a cluster.

joblib says which engine is in use; loky or Dask run the pieces (`tripletscope.core.engine.crews`).
"""

from __future__ import annotations

import json
import os
import re
import socket
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from joblib import cpu_count, parallel_config

from tripletscope.core.engine.crews import LokyCrew
from tripletscope.core.engine.parallel import Running, at_work
from tripletscope.core.engine.pieces import EngineError, differences, versions
from tripletscope.core.engine.short_repr import short_repr

#: Environment variable with the default engine.
VARIABLE = "TRIPLETSCOPE_ENGINE"
_FORMS = (
    "threads, threads:4, loky, loky:8, multiprocessing:4, dask://scheduler:8786, "
    "tls://scheduler:8786, or dask:FILE with the file of a scheduler"
)
#: Seconds to wait for a scheduler and for its first worker; and for a scheduler's status.
_PATIENCE, _GLANCE = 10, 2


@dataclass(frozen=True)
class EngineWorker:
    """A process that computes pieces.

    cores: Pieces at a time.
    memory, memory_limit: Bytes; None if unknown.
    running: Its pieces.
    """

    name: str
    host: str
    cores: int
    memory: int | None = None
    memory_limit: int | None = None
    running: list[str] = field(default_factory=list)


@short_repr
@dataclass(frozen=True)
class Status:
    """Status of an engine.

    name: As of `engine`.
    address: Of the scheduler, or "this machine".
    versions: Of Python and of the libraries that results depend on, the same in every worker.
    running: Pieces that this process waits for.
    page: URL of the engine's dashboard.
    problem: Why it cannot be used now, with the remedy.
    """

    name: str
    address: str
    workers: list[EngineWorker]
    versions: dict[str, str]
    running: list[Running] = field(default_factory=list)
    page: str | None = None
    problem: str | None = None


class Engine(ABC):
    """A backend of `in_parallel`, for the calling thread and the duration of the context.

    name: As in ``TRIPLETSCOPE_ENGINE``.
    """

    #: Whether pieces leave this machine.
    remote = False

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"<Engine {self.name!r}>"

    @abstractmethod
    def in_use(self) -> AbstractContextManager:
        """Context in which this thread computes with the engine; the first one connects.

        Raises
        ------
        EngineError
            If it cannot be reached, has no worker, or a worker has other versions.
        """

    @abstractmethod
    def status(self) -> Status:
        """Its status; problems are reported instead of raised."""

    def close(self) -> None:  # noqa: B027 - threads need no end
        """Disconnect; the next use connects again."""


class _Local(Engine):
    """Threads or processes of this machine."""

    def __init__(self, name: str, backend: str, number: int | None) -> None:
        super().__init__(name)
        self._backend, self._number = backend, number

    def in_use(self) -> AbstractContextManager:
        return parallel_config(self._backend, n_jobs=self._number or cpu_count())

    def status(self) -> Status:
        number, running = self._number or cpu_count(), at_work()
        one, many = ("thread", "threads") if self._backend == "threading" else (
            "process", "processes"
        )
        worker = EngineWorker(
            f"{number} {one if number == 1 else many}", socket.gethostname(), number,
            _memory(), _memory_limit(), [str(task) for task in running],
        )
        return Status(self.name, "this machine", [worker], versions(), running)

    def close(self) -> None:
        if self._backend == "loky":
            LokyCrew.leave(self._number or cpu_count())


class _Dask(Engine):
    """A Dask cluster, through one client for each process.

    address: Of the scheduler, or the scheduler's file.
    """

    remote = True

    def __init__(self, name: str, address: str | Path) -> None:
        super().__init__(name)
        self._place, self._client, self._workers = address, None, frozenset()
        self._lock = threading.Lock()

    @property
    def _address(self) -> str:
        """Address of the scheduler; the file's name until the file has one."""
        if isinstance(self._place, Path):
            with suppress(OSError, ValueError, LookupError):
                return str(json.loads(self._place.read_text("utf-8"))["address"])
        return str(self._place)

    @contextmanager
    def in_use(self) -> Iterator[None]:
        with parallel_config("dask", client=self._checked()):
            yield

    def _connected(self, timeout: float) -> Any:
        from distributed import Client

        with self._lock:
            if self._client is not None and self._client.status != "running":
                lost, self._client = self._client, None
                with suppress(OSError, TimeoutError):  # on a busy machine it ends when it can
                    lost.close(timeout=1)
            if self._client is None:
                self._workers = frozenset()
                try:
                    self._client = Client(
                        self._address, timeout=timeout, set_as_default=False, name="tripletscope"
                    )
                except (OSError, TimeoutError, RuntimeError, ValueError) as error:
                    raise EngineError(
                        f"There is no Dask scheduler at {self._address}. Start it with "
                        f"“dask scheduler”, or name another engine. ({error})"
                    ) from error
            return self._client

    def _checked(self) -> Any:
        client = self._connected(_PATIENCE)
        try:
            client.wait_for_workers(1, timeout=_PATIENCE)
        except TimeoutError:
            raise EngineError(
                f"The Dask scheduler at {self._address} has no workers. Start some with "
                f"“dask worker {self._address}”."
            ) from None
        workers = frozenset(client.nthreads())
        if workers - self._workers:
            theirs = client.run(versions, workers=list(workers - self._workers), on_error="return")
            refuse_others({_named(client, address): answer for address, answer in theirs.items()})
            self._workers = workers
        return client

    def status(self) -> Status:
        try:
            client = self._connected(_GLANCE)
            info = client.scheduler_info(n_workers=-1)
            tasks = client.processing()
        except (EngineError, OSError, TimeoutError) as error:
            problem = str(error)
            return Status(self.name, self._address, [], versions(), at_work(), problem=problem)
        workers = [
            EngineWorker(
                str(one["name"]), one["host"], one["nthreads"],
                one.get("metrics", {}).get("memory"), one["memory_limit"] or None,
                [key.rpartition("-")[0] for key in map(str, tasks.get(address, ()))],
            )
            for address, one in info["workers"].items()
        ]
        problem = None
        if not workers:
            problem = f"It has no workers. Start some with “dask worker {self._address}”."
        return Status(
            self.name, self._address, workers, versions(), at_work(),
            client.dashboard_link if "dashboard" in info["services"] else None, problem,
        )

    def close(self) -> None:
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close(timeout=1)


_engines: dict[str, Engine] = {}
_engines_lock = threading.Lock()


def engine(name: str | None = None) -> Engine:
    """The engine of a name; always the same one within a process.

    Parameters
    ----------
    name : str, optional
        ``threads`` and ``threads:4``; ``loky:8`` (or ``multiprocessing:8``) for processes of this
        machine; ``dask://scheduler:8786``, ``tls://scheduler:8786`` (Dask, with the certificates
        of its configuration), or ``dask:FILE`` with the ``--scheduler-file`` of a Dask scheduler.
        By default that of the environment variable ``TRIPLETSCOPE_ENGINE``, or threads, one per
        processor.

    Raises
    ------
    ValueError
        If there is no such engine, or its library is not installed.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.read("sample_data/ekman_colors/answers.csv")
    >>> with ts.engine("threads:2").in_use():
    ...     samples = ts.bootstrap(ts.STE(), answers, replicates=20)
    """
    if name is None:
        name = os.environ.get(VARIABLE, "")
    name = name.strip() or "threads"
    with _engines_lock:
        if name not in _engines:
            _engines[name] = _parsed(name)
        return _engines[name]


def _parsed(name: str) -> Engine:
    backends = {"threads": "threading", "loky": "loky", "multiprocessing": "loky"}
    if local := re.fullmatch(r"(threads|loky|multiprocessing)(?::([1-9]\d{0,3}))?", name):
        kind, number = local.groups()
        return _Local(name, backends[kind], int(number) if number else None)
    if remote := re.fullmatch(r"(dask|tls)://((?:[\w.-]+|\[[0-9a-fA-F:]+\]):\d{1,5})", name):
        kind, place = remote.groups()
        _require("distributed", "dask")
        return _Dask(name, f"{'tcp' if kind == 'dask' else 'tls'}://{place}")
    if written := re.fullmatch(r"dask:(?!//)(.+)", name):
        _require("distributed", "dask")
        return _Dask(name, Path(written[1]))
    raise ValueError(f"There is no engine “{name}”. Write it as {_FORMS}.")


def _require(module: str, extra: str) -> None:
    try:
        import_module(module)
    except ImportError as error:
        raise ValueError(
            f"This engine needs {module}, which is not installed. "
            f"Install it in a copy of the repository: pip install '.[{extra}]'"
        ) from error


def refuse_others(answers: Mapping[str, dict[str, str] | BaseException]) -> None:
    """Raise if workers have other versions than this process.

    answers: Results or errors of `versions`, by the worker's name.
    """
    problems = []
    for name, theirs in answers.items():
        if isinstance(theirs, BaseException):
            problems.append(f"worker {name} has no tripletscope {versions()['tripletscope']}")
        else:
            problems += [f"worker {name} has {text}" for text in differences(theirs, versions())]
    if problems:
        raise EngineError(
            f"The versions differ: {'; '.join(problems)}. Results could differ, too. Install the "
            "same versions everywhere."
        )


def _named(client: Any, address: str) -> str:
    workers = client.scheduler_info(n_workers=-1)["workers"]
    return f"{workers[address]['name']} ({address})" if address in workers else address


def _memory() -> int | None:
    """Resident bytes of this process; None if the system does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return None
    return pages * os.sysconf("SC_PAGE_SIZE")


def _memory_limit() -> int | None:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None
