"""For every computed item of the papers, a broken method that turns what it shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Broken:
    """A broken method.

    Attributes
    ----------
    what : str
        What is broken, in a few words.
    instead : mapping of str to callable
        ``instead(original)`` makes the broken function, by the dotted place of what it replaces: a
        module or class, and the name there, as ``tripletscope.core.embedding.ste:STE.fit``.
    full : bool
        Whether it needs the settings in full.
    """

    what: str
    instead: Mapping[str, Callable[[Any], Any]]
    full: bool = False
