"""Pieces of work: how they are sent to other processes, and computed there."""

from __future__ import annotations

import hashlib
import pickle
import platform
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import cloudpickle
from joblib import parallel_config
from threadpoolctl import ThreadpoolController

from tripletscope import __version__

#: Libraries that the bits of results, or pickles, depend on.
LIBRARIES = ("numpy", "scipy", "numba", "scikit-learn", "pandas", "joblib")
#: Bytes from which an argument is sent separately, if several calls share it, and otherwise.
_SHARED, _LARGE = 4_000, 1_000_000
#: Bytes of opened arguments that a process keeps for later calls.
_KEPT = 500_000_000
#: Seconds between checks whether anybody waits for a piece.
_LOOK = 0.1


class EngineError(RuntimeError):
    """An engine cannot be used: it is not there, was lost, or differs from this process."""


def ended(name: str, times: int) -> EngineError:
    """Error of a piece that ends its process again and again."""
    return EngineError(
        f"A piece of “{name}” has ended its process {times} times. Perhaps it needs more memory "
        "than there is."
    )


class CancelToken:
    """Tells pieces of work to stop; a progress object that reports nowhere."""

    #: See `tripletscope.core.engine.progress.is_coarse`.
    coarse = True

    def __init__(self) -> None:
        self._set = False

    def set(self) -> None:
        self._set = True

    def __call__(self, *report: Any, **details: Any) -> bool:
        return self._set

    def __reduce__(self) -> tuple[Any, ...]:
        return (CancelToken, ())


class _FarHalt(CancelToken):
    """Checks now and then whether the waiting process has given up."""

    def __init__(self, abandoned: Callable[[], bool]) -> None:
        super().__init__()
        self._abandoned, self._next = abandoned, 0.0

    def __call__(self, *report: Any, **details: Any) -> bool:
        now = time.monotonic()
        if not self._set and now >= self._next:
            self._set, self._next = self._abandoned(), now + _LOOK
        return self._set


@cache
def versions() -> dict[str, str]:
    """Of Python, this package and the libraries that results depend on, in this process."""
    result = {"python": ".".join(platform.python_version_tuple()[:2]), "tripletscope": __version__}
    for library in LIBRARIES:
        try:
            result[library] = version(library)
        except PackageNotFoundError:
            result[library] = "none"
    return result


def differences(theirs: Mapping[str, str], ours: Mapping[str, str]) -> list[str]:
    """How the versions of a worker differ from those of the sending process."""
    return [
        f"{name} {theirs.get(name, 'none')} instead of {here}"
        for name, here in ours.items() if theirs.get(name) != here
    ]


@dataclass(frozen=True)
class Reference:
    """Stands for a separately sent argument, by the hash of its content."""

    digest: str


@dataclass(frozen=True)
class Batch:
    """Some calls of one function, ready to send.

    calls: Numbers of the calls, and their arguments.
    versions: Of the sending process.
    """

    function: bytes | Reference
    calls: list[tuple[int, list[bytes | Reference]]]
    versions: dict[str, str]

    @property
    def digests(self) -> set[str]:
        """Of all separately sent arguments."""
        parts = [self.function, *(part for _, call in self.calls for part in call)]
        return {part.digest for part in parts if isinstance(part, Reference)}


class Packing:
    """Puts calls of a function into batches; shared arguments are sent separately.

    contents: Pickles of these, by hash.
    """

    def __init__(self, function: Callable[..., Any], items: Sequence[tuple]) -> None:
        self.contents: dict[str, bytes] = {}
        self._items = items
        self._shared: dict[int, bytes | Reference] = {}
        self._single: set[str] = set()
        self._function = self._packed(function, _SHARED)
        self._times = Counter(id(argument) for item in items for argument in item)

    def batch(self, numbers: Sequence[int]) -> Batch:
        calls = [(number, [self._of(x) for x in self._items[number]]) for number in numbers]
        return Batch(self._function, calls, versions())

    def size(self, batch: Batch) -> int:
        """Bytes of a batch with its separate arguments."""
        inside = sum(
            len(part) for _, call in batch.calls for part in call if isinstance(part, bytes)
        )
        return inside + sum(len(self.contents[digest]) for digest in batch.digests)

    def forget(self, batch: Batch) -> None:
        """Drop the arguments of a batch alone, once it is sent; they are packed again if needed."""
        for digest in batch.digests & self._single:
            self.contents.pop(digest, None)

    def _of(self, argument: Any) -> bytes | Reference:
        if self._times[id(argument)] == 1:
            part = self._packed(argument, _LARGE)
            if isinstance(part, Reference):
                self._single.add(part.digest)
            return part
        if id(argument) not in self._shared:
            self._shared[id(argument)] = self._packed(argument, _SHARED)
        return self._shared[id(argument)]

    def _packed(self, thing: Any, limit: int) -> bytes | Reference:
        content = cloudpickle.dumps(thing, protocol=5)
        if len(content) < limit:
            return content
        digest = hashlib.blake2b(content, digest_size=16).hexdigest()
        self.contents[digest] = content
        return Reference(digest)


# In the other process ----------------------------------------------------------------------------

#: A call's number, seconds and result.
Outcome = tuple[int, float, Any]


def work(
    batch: Batch, opened: Mapping[str, Any], abandoned: Callable[[], bool], name: str
) -> list[Outcome]:
    """Make the calls of a batch, one after the other.

    opened: Separate arguments, by hash.
    abandoned: Whether nobody waits any more; the batch then ends early.
    name: Of this process, for errors.
    """
    if problems := differences(versions(), batch.versions):
        raise EngineError(
            f"Worker {name} has {', '.join(problems)}. Results could differ, too. Install the same "
            "versions everywhere."
        )
    _keep_to_one_thread()

    def of(part: bytes | Reference) -> Any:
        return opened[part.digest] if isinstance(part, Reference) else pickle.loads(part)

    halt, function, outcomes = _FarHalt(abandoned), of(batch.function), []
    with parallel_config("sequential", n_jobs=1):
        for number, call in batch.calls:
            if halt():
                break
            begun = time.perf_counter()
            result = function(*map(of, call), halt)
            outcomes.append((number, time.perf_counter() - begun, result))
    return outcomes


@cache
def _keep_to_one_thread() -> None:
    import scipy.linalg  # noqa: F401 - its BLAS has to be loaded before the limit

    # Permanent: other batches may run in this process when this one ends.
    ThreadpoolController().limit(limits=1, user_api="blas")


_opened: OrderedDict[str, tuple[int, Any]] = OrderedDict()
_opened_lock = threading.Lock()


def opened(digest: str, content: bytes | Path) -> Any:
    """A separate argument, opened once in each process and kept while there is room."""
    with _opened_lock:
        if digest not in _opened:
            content = content.read_bytes() if isinstance(content, Path) else content
            _opened[digest] = len(content), pickle.loads(content)
        _opened.move_to_end(digest)
        while sum(size for size, _ in _opened.values()) > _KEPT and len(_opened) > 1:
            _opened.popitem(last=False)
        return _opened[digest][1]


def nothing() -> None:
    """An empty call, whose time is the engine's overhead."""
