"""What a page is told of an upload by the process that has read it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from tripletscope.core.data.triplets import Triplets
from tripletscope.core.io import Pairs
from tripletscope.core.io.columns.reading import ROLES

#: Rows of a file that are shown.
PREVIEW = 50


@dataclass(frozen=True)
class Sheet:
    """A table as a form shows it, without its cells; for readings it is as good as the table.

    name, header, delimiter, encoding, notes, files, refused: As of `Table`.
    numeric: Columns that hold numbers mostly.
    rows: Numbers of the first rows in the file.
    cells: These rows, by column.
    examples: Texts that show whether the encoding is right; none where that is no question.
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
        """The columns that can play a role, as `tripletscope.core.io.candidates`."""
        return self.numeric if ROLES[role].numeric else self.columns


@dataclass(frozen=True)
class Album:
    """Pictures that came along, without the pictures themselves.

    lines: What was shrunk and what was left out, as sentences.
    """

    names: list[str]
    lines: list[str]

    def __len__(self) -> int:
        return len(self.names)


@dataclass(frozen=True)
class Companion:
    """A table of objects that came along, without its cells."""

    name: str
    n_objects: int
    columns: list[str]


@dataclass(frozen=True)
class Opened:
    """What a form shows of an upload, however it is read."""

    sheet: Sheet
    album: Album | None
    objects: Companion | None


@dataclass(frozen=True)
class Shown:
    """An answer in words, with small pictures of its objects where there are any."""

    text: str
    row: int
    pictures: list[bytes | None]


@dataclass(frozen=True)
class Look:
    """What a reading makes of a file.

    missing, unused: Objects without a picture, and pictures without an object.
    """

    sentences: list[Shown]
    report: list[str]
    missing: list[str]
    unused: list[str]


@dataclass(frozen=True, eq=False)
class Answers:
    """Everything that is kept of an upload: the data set, with pictures by name."""

    triplets: Triplets
    report: list[str]
    file_rows: np.ndarray
    catch_trials: pd.DataFrame
    pairs: Pairs | None
    asked: str
    pictures: dict[str, bytes]


@dataclass(frozen=True, eq=False)
class Unpacked:
    """What the folder of a data set in an archive holds; nothing of what it says was checked.

    about: Of the data set.
    results: What is said of each, by its key.
    tables, arrays: By their places in the folder.
    pictures: By the names that objects use.
    settings: What was set on pages.
    changed: Files that are missing, or are not what the manifest says.
    """

    about: dict[str, Any]
    results: dict[str, dict[str, Any]]
    tables: dict[str, pd.DataFrame]
    arrays: dict[str, dict[str, np.ndarray]]
    pictures: dict[str, bytes]
    settings: dict[str, Any]
    changed: list[str]
