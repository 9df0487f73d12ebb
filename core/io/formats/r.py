"""Tables in .rds and .RData, without evaluating anything.

The format is that of "Serialization Formats" in the manual *R Internals*. Code, environments and
pointers are skipped; a table needs none.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tripletscope.core.data.errors import DataError
from tripletscope.core.io.table import as_text

#: Beginnings of workspaces and of single objects.
_WORKSPACE, _OBJECT = (b"RDX2\n", b"RDX3\n"), b"X\n\0\0\0"
_TEXT = (b"RDA2\n", b"RDA3\n", b"A\n2\n", b"A\n3\n")
#: Types of items.
_NULL, _SYMBOL, _PAIRS, _LIST_ENDS = 0, 1, (2, 3, 5, 6, 17), (254, 0)
_CHARS, _LOGICAL, _INTEGER, _REAL, _COMPLEX, _TEXTS = 9, 10, 13, 14, 15, 16
_LISTS, _POINTER, _RAW, _S4 = (19, 20), 22, 24, 25
_ALTERNATIVE, _REFERENCE, _ENVIRONMENT, _PACKAGES = 238, 255, 4, (247, 248, 249)
#: Items without content: standard environments, and missing values.
_EMPTY = (241, 242, 250, 251, 252, 253, 254)
_MISSING = -(2**31)
#: Depth of nested lists; a table needs little.
_DEEPEST = 100


@dataclass
class RValue:
    """A value of R with its attributes.

    content: An array of numbers, a list of texts (None if missing), or a list of values.
    """

    content: Any
    attributes: dict[str, Any] = field(default_factory=dict)

    @property
    def classes(self) -> list[str]:
        return texts_of(self.attributes.get("class"))

    @property
    def named(self) -> dict[str, Any]:
        """Values of a list by name."""
        return dict(zip(texts_of(self.attributes.get("names")), self.content, strict=False))


def is_r(data: bytes) -> bool:
    return data.startswith((*_WORKSPACE, *_TEXT, _OBJECT))


def read_r(data: bytes, name: str) -> Mapping[str, Any]:
    """The objects of a workspace by name; a single object has the name of the file."""
    if data.startswith(_TEXT):
        raise DataError("R saved this as text", file=name, remedy="Save it with ascii = FALSE.")
    start = 5 if data.startswith(_WORKSPACE) else 0
    value = _Reader(data, start).item()
    return value if start else {name: value}


def texts_of(value: Any) -> list[str]:
    """Texts of a value; none of any other."""
    content = value.content if isinstance(value, RValue) else None
    is_texts = isinstance(content, list) and all(isinstance(one, str) for one in content)
    return content if is_texts else []


class _Reader:
    """Items, one after the other; each states its type, and whether attributes follow."""

    def __init__(self, data: bytes, start: int) -> None:
        self._data, self._at, self._seen, self._depth = data, start + 2, [], 0
        version = self._whole()
        self._at += 8
        if version == 3:
            self._bytes(self._whole())  # the default encoding of texts
        elif version != 2:
            raise ValueError(f"version {version}")

    def item(self) -> Any:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise RecursionError
        flags = self._whole()
        value = self._of(flags & 0xFF, flags)
        self._depth -= 1
        return value

    def _of(self, kind: int, flags: int) -> Any:
        if kind == _NULL or kind in _EMPTY:
            return None
        if kind == _REFERENCE:
            return self._seen[(flags >> 8 or self._whole()) - 1]
        if kind == _SYMBOL:
            self._seen.append(self.item())
            return self._seen[-1]
        if kind == _ENVIRONMENT:
            self._seen.append(None)
            self._at += 4
            for _ in range(4):
                self.item()
            return None
        if kind in _PACKAGES:
            self._seen.append(None)
            self._at += 4
            for _ in range(self._whole()):
                self.item()
            return None
        if kind == _POINTER:
            self._seen.append(None)
            self.item(), self.item()
        if kind in (_POINTER, _S4):
            return RValue(None, self.item() if flags & 0x200 else {})
        if kind in _PAIRS:
            return self._pairs(flags)
        if kind == _CHARS:
            length = self._whole()
            if length < 0:
                return None
            raw = self._bytes(length)
            return raw.decode("latin-1" if flags >> 12 & 4 else "utf-8", "replace")
        if kind == _ALTERNATIVE:
            return self._alternative(self.item(), self.item(), self.item())
        content = self._vector(kind)
        return RValue(content, self.item() if flags & 0x200 else {})

    def _vector(self, kind: int) -> Any:
        length = self._whole()
        if length == -1:  # more than 2³¹
            raise ValueError("too long")
        if kind in (_LOGICAL, _INTEGER):
            whole = np.frombuffer(self._bytes(4 * length), ">i4")
            if (whole == _MISSING).any():
                return np.where(whole == _MISSING, np.nan, whole)
            return whole.astype(bool if kind == _LOGICAL else np.int64)
        if kind == _REAL:
            return np.frombuffer(self._bytes(8 * length), ">f8").astype(float)
        if kind == _TEXTS or kind in _LISTS:
            # Each takes four bytes at least.
            if 4 * length > len(self._data) - self._at:
                raise ValueError("too short")
            return [self.item() for _ in range(length)]
        if kind in (_RAW, _COMPLEX):
            self._bytes(length * (1 if kind == _RAW else 16))
            return None
        raise ValueError(f"an item of type {kind}")

    def _pairs(self, flags: int) -> dict[str, Any]:
        """A pairlist, for attributes and workspaces; iterative, because they are long."""
        pairs: dict[str, Any] = {}
        while flags & 0xFF in _PAIRS:
            if flags & 0x200:
                self.item()
            tag = self.item() if flags & 0x400 else None
            pairs[tag if isinstance(tag, str) else f"[{len(pairs) + 1}]"] = self.item()
            flags = self._whole()
        if flags & 0xFF not in _LIST_ENDS:
            pairs["cdr"] = self._of(flags & 0xFF, flags)
        return pairs

    @staticmethod
    def _alternative(about: Any, state: Any, attributes: Any) -> RValue:
        """A vector in a compact form: a sequence, or a vector with a note."""
        kind = next(iter(about.values()))
        if kind in ("compact_intseq", "compact_realseq"):
            n, first, step = state.content
            if not 0 <= n <= 50_000_000:
                raise ValueError("too long")
            return RValue(first + step * np.arange(int(n)), attributes or {})
        inner = next(iter(state.values())) if isinstance(state, dict) else state.content[0]
        if kind == "deferred_string":
            content = [as_text(float(x)) if x == x else None for x in inner.content.tolist()]
            return RValue(content, attributes or {})
        return RValue(inner.content, attributes or inner.attributes)

    def _whole(self) -> int:
        (number,) = struct.unpack_from(">i", self._data, self._at)
        self._at += 4
        return number

    def _bytes(self, length: int) -> bytes:
        if not 0 <= length <= len(self._data) - self._at:
            raise ValueError("too short")
        self._at += length
        return self._data[self._at - length : self._at]


def frames_in(value: Any, name: str, is_frame: Callable[[Any], bool]) -> Iterator[tuple[str, Any]]:
    """Values that satisfy `is_frame` in a value, also inside lists."""
    if is_frame(value):
        yield name, value
    elif isinstance(value, RValue) and isinstance(value.content, list):
        for inner, one in value.named.items():
            yield from frames_in(one, f"{name}${inner}", is_frame)
