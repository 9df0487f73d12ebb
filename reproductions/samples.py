"""Data sets that come with the program, as papers' experiments use them."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from tripletscope.core.reading import load, propose
from tripletscope.core.reading.interpretation.imported import Imported
from tripletscope.core.reading.interpretation.interpret import interpret

_FOLDER = Path(__file__).resolve().parent.parent / "sample_data"


@lru_cache(maxsize=4)
def sample(name: str) -> Imported:
    """A sample, read as a user's file is.

    name: one of {"alien_eggs", "crowd", "ekman_colors", "odd_one_out"}.
    """
    folder = _FOLDER / name
    table = load(folder / ("responses.csv" if name == "alien_eggs" else "answers.csv"))
    return interpret(table, propose(table)[0], folder / "objects.csv")
