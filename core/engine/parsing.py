"""What parses Python beside other threads, as NumPy does to read the head of an array."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

T = TypeVar("T")
_TRIES = 10


def undisturbed(parse: Callable[[], T]) -> T:
    """The result of a function that makes syntax trees, and does the same when called again.

    Before Python 3.11.8 and 3.12.2, all threads count the depth of their trees together. A search
    for garbage may let another thread on in between: "AST constructor recursion depth mismatch".
    """
    for _ in range(_TRIES - 1):
        with suppress(SystemError):
            return parse()
    return parse()
