"""Messages between the server and the processes of jobs, as bytes.

Large arrays follow as they are, in pieces. Answers are sent once while a process uses them. Both
sides trust each other, unlike the readers of files.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Iterator, Set
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from tripletscope.core.data.triplets import Answers

#: Class, fingerprint and name of answers.
Key = tuple[type[Answers], str, str]

_LARGE = 2**20  # bytes


class Parcel(pickle.Pickler):
    """A message: its bytes in pieces, and the keys of the answers in it."""

    def __init__(self, message: Any, there: Set[Key] = frozenset()) -> None:
        """`there` are the keys of the request before, whose answers need not be sent."""
        self.keys: set[Key] = set()
        self._there = there
        target, large = io.BytesIO(), []
        super().__init__(target, protocol=5, buffer_callback=lambda buffer: (
            buffer.raw().nbytes < _LARGE or large.append(buffer.raw())
        ))
        self.dump(message)
        self.pieces = [target.getvalue(), *(piece for array in large for piece in _cut(array))]

    def persistent_id(self, value: Any) -> tuple[Key, tuple[Any, ...] | None] | None:
        if not isinstance(value, Answers):
            return None
        key = (type(value), value.fingerprint, value.name)
        is_there = key in self._there or key in self.keys
        self.keys.add(key)
        return key, None if is_there else (value.objects, value.rows, value.answers, value.name)


def packed(message: Any) -> list[Any]:
    return Parcel(message).pieces


class _Opening(pickle.Unpickler):
    def __init__(self, data: bytes, line: Connection, before: dict[Key, Answers]) -> None:
        super().__init__(io.BytesIO(data), buffers=_following(line))
        self.answers: dict[Key, Answers] = {}
        self._before = before

    def persistent_load(self, pid: tuple[Key, tuple[Any, ...] | None]) -> Answers:
        key, parts = pid
        if key not in self.answers:
            self.answers[key] = key[0]._about(*parts) if parts else self._before[key]
        return self.answers[key]


def _cut(array: memoryview) -> Iterator[Any]:
    """An array's number of bytes, and then its bytes in pieces that are read at once."""
    yield array.nbytes.to_bytes(8, "little")
    for start in range(0, array.nbytes, _LARGE):
        yield array[start:start + _LARGE]


def _following(line: Connection) -> Iterator[np.ndarray]:
    while True:
        array = np.empty(int.from_bytes(line.recv_bytes(), "little"), dtype=np.uint8)
        done = 0
        while done < len(array):
            done += line.recv_bytes_into(array, done)
        yield array


class Opener:
    """Opens the messages of a line, and keeps the answers of the last one."""

    def __init__(self, line: Connection) -> None:
        self._line = line
        self._answers: dict[Key, Answers] = {}

    def __call__(self, data: bytes) -> Any:
        opening = _Opening(data, self._line, self._answers)
        message = opening.load()
        self._answers = opening.answers
        return message


def received(line: Connection) -> Any:
    return _Opening(line.recv_bytes(), line, {}).load()
