"""What a reader of files sends to the server about an upload."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from tripletscope.core.data.triplets import Triplets
from tripletscope.core.reading import Pairs, Reading
from tripletscope.core.reading.columns.reading import ROLES

PREVIEW = 50  # rows of a file


@dataclass(frozen=True)
class Sheet:
    """A table for forms: as `Table`, with the first rows only.

    numeric: Columns that hold mostly numbers.
    rows, cells: The first rows, as numbers in the file and by column.
    examples: Texts that show whether the encoding is right.
    """

    name: str
    columns: list[str]
    header: bool
    delimiter: str | None
    encoding: str | None
    notes: list[str]
    files: tuple[str, ...]
    refused: Mapping[str, str]
    numeric: list[str]
    rows: list[int]
    cells: list[list[str]]
    examples: list[str] = field(default_factory=list)

    def preview(self) -> pd.DataFrame:
        """The first rows as text, labelled with their rows in the file."""
        cells = dict(zip(self.columns, self.cells, strict=True))
        return pd.DataFrame(cells, index=pd.Index(self.rows, name="row"), dtype="str")

    def candidates(self, role: str) -> list[str]:
        """The columns that can play a role, as `tripletscope.core.reading.candidates`."""
        return self.numeric if ROLES[role].numeric else self.columns


@dataclass(frozen=True)
class Proposals:
    """How a file may be read, the best supported first.

    asked: Why each of the first readings may be right, where nothing tells them apart: people have
        to say which; empty if one is clear.
    others: What else the file may be, in sentences.
    """

    readings: list[Reading]
    asked: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Album:
    """Names of an upload's pictures, and sentences on those shrunk or left out."""

    names: list[str]
    lines: list[str]

    def __len__(self) -> int:
        return len(self.names)


@dataclass(frozen=True)
class Companion:
    """A table of objects beside the answers, without its cells."""

    name: str
    n_objects: int
    columns: list[str]


@dataclass(frozen=True)
class Opened:
    """What a form shows of an upload, whatever its reading."""

    sheet: Sheet
    album: Album | None
    objects: Companion | None


@dataclass(frozen=True)
class Shown:
    """An answer in words, what each of its objects is there, and pictures if there are any."""

    text: str
    row: int
    parts: list[str]
    pictures: list[bytes | None]


@dataclass(frozen=True)
class Look:
    """A preview of a reading; `missing` are objects, `unused` pictures without a partner."""

    sentences: list[Shown]
    report: list[str]
    missing: list[str]
    unused: list[str]


@dataclass(frozen=True, eq=False)
class ReadAnswers:
    """An upload's data set, with pictures by name."""

    triplets: Triplets
    report: list[str]
    file_rows: np.ndarray
    catch_trials: pd.DataFrame
    pairs: Pairs | None
    asked: str
    pictures: dict[str, bytes]


@dataclass(frozen=True, eq=False)
class Unpacked:
    """The unchecked folder of a data set in an archive.

    results: By key.
    tables, arrays: By their places in the folder.
    pictures: By the names that objects use.
    settings: Of pages.
    changed: Files that are missing or have other sums.
    """

    about: dict[str, Any]
    results: dict[str, dict[str, Any]]
    tables: dict[str, pd.DataFrame]
    arrays: dict[str, dict[str, np.ndarray]]
    pictures: dict[str, bytes]
    settings: dict[str, Any]
    changed: list[str]
