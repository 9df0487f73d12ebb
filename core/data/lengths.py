"""Sequences that belong together, item by item."""

from __future__ import annotations

from typing import Any


def refuse_lengths(**parts: Any) -> None:
    """Raise ValueError unless all parts, sequences by their names, are equally long.

    A part may be a number, the length that is wanted.
    """
    lengths = {
        name.replace("_", " "): part if isinstance(part, int) else len(part)
        for name, part in parts.items()
    }
    if len(set(lengths.values())) > 1:
        said = " but ".join(f"{length:,} {name}" for name, length in lengths.items())
        raise ValueError(f"there are {said}; give one of each for every object.")
