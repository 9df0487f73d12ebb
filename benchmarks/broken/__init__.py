"""For every computed item of the papers, a broken method that turns what it shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Broken:
    """A broken method.

    what: What is broken, in a few words.
    instead: ``instead(original)`` makes the broken function, by the dotted place of what it
        replaces: a module or class, and the name there, as
        ``tripletscope.core.models.embedding.ste:STE.fit``.
    full: Whether it needs the settings in full.
    """

    what: str
    instead: Mapping[str, Callable[[Any], Any]]
    full: bool = False
