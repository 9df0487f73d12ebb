"""What the server and the processes of jobs tell each other, as bytes.

Arrays go as they are, without a copy. Answers are named by their content, and go to a process once.
Both sides are this program: what they say can be trusted, unlike that of the readers of files.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tripletscope.core.data.triplets import Judgements

#: Class, fingerprint and name of answers.
Key = tuple[type[Judgements], str, str]

_ALIGNED = 64  # bytes: compiled code takes arrays that begin anywhere for others


def pack(message: Any) -> list[Any]:
    """A message in pieces, of which the large ones are the arrays in it."""
    buffers: list[pickle.PickleBuffer] = []
    head = pickle.dumps(message, protocol=5, buffer_callback=buffers.append)
    pieces = [memoryview(head), *(buffer.raw() for buffer in buffers)]
    sizes = np.array([len(pieces), *map(len, pieces)], dtype="<u8").tobytes()
    padded = [sizes, _padding(len(sizes))]
    for piece in pieces:
        padded += [piece, _padding(len(piece))]
    return padded


def _padding(length: int) -> bytes:
    return bytes(-length % _ALIGNED)


def unpack(data: memoryview) -> Any:
    """The message that `pack` made pieces of; arrays in it are parts of `data`."""
    (n,) = np.frombuffer(data, "<u8", 1)
    sizes = np.frombuffer(data, "<u8", int(n), 8).tolist()
    pieces, at = [], 8 * (1 + len(sizes))
    for size in sizes:
        at += -at % _ALIGNED
        pieces.append(data[at:at + size])
        at += size
    return pickle.loads(pieces[0], buffers=pieces[1:])


@dataclass
class Parcel:
    """A value whose answers are named rather than packed.

    head, buffers: As pickle has them.
    keys: Of the answers in it.
    """

    head: bytes
    buffers: list[Any]
    keys: list[Key]

    @classmethod
    def of(cls, value: Any) -> tuple[Parcel, dict[Key, Judgements]]:
        """The parcel of a value, and the answers in it."""
        target, buffers = io.BytesIO(), []
        pickler = _Pickler(target, protocol=5, buffer_callback=buffers.append)
        pickler.dump(value)
        return cls(target.getvalue(), buffers, list(pickler.found)), pickler.found

    def opened(self, known: Mapping[Key, Judgements]) -> Any:
        """The value again."""
        return _Unpickler(io.BytesIO(self.head), known, self.buffers).load()


class _Pickler(pickle.Pickler):
    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.found: dict[Key, Judgements] = {}

    def persistent_id(self, value: Any) -> Key | None:
        if not isinstance(value, Judgements):
            return None
        key = (type(value), value.fingerprint, value.name)
        self.found[key] = value
        return key


class _Unpickler(pickle.Unpickler):
    def __init__(self, source: Any, known: Mapping[Key, Judgements], buffers: list[Any]) -> None:
        super().__init__(source, buffers=buffers)
        self._known = known

    def persistent_load(self, key: Key) -> Judgements:
        return self._known[key]


def parts_of(answers: Judgements) -> tuple[Any, ...]:
    """What answers are made of, without what was computed of them."""
    return answers.objects, answers.rows, answers.answers, answers.name


def of_parts(kind: type[Judgements], parts: tuple[Any, ...]) -> Judgements:
    return kind._about(*parts)
