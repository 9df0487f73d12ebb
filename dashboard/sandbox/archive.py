"""Reads the folder of a data set in an uploaded ZIP, inside the processes without rights."""

from __future__ import annotations

import hashlib
import io
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet

from tripletscope.core.data.errors import DataError
from tripletscope.core.engine.parsing import undisturbed
from tripletscope.core.reading.formats.archive import Archive
from tripletscope.dashboard.files.contents import check_table, json_of, packed_arrays

#: As `tripletscope.dashboard.store` writes them.
ABOUT, FORMAT = "about.json", 1
#: Beside the data set's files: settings of pages, and the sums of all files.
PAGES, MANIFEST = "pages.json", "manifest-sha256.txt"
#: What damaged files and unexpected values raise.
_DAMAGE = (
    AttributeError, EOFError, KeyError, NotImplementedError, OSError, RecursionError, TypeError,
    ValueError, pa.ArrowException, zipfile.BadZipFile, zlib.error,
)
_ANSWERS = re.compile(rb"answers(-\d+)?\.parquet")
_MARK = re.compile(rf"((?:.*/)?){re.escape(ABOUT)}")
_RUN = re.compile(r"results/(.+)/run\.json")


def is_archive(content: bytes) -> bool:
    """Whether a file claims to hold the folder of a data set; nothing of it is unpacked."""
    names = content[-2**22:]  # the list at the end of a ZIP is not compressed
    return (
        content.startswith(b"PK") and ABOUT.encode() in names
        and _ANSWERS.search(names) is not None
    )


def manifest(files: Mapping[str, bytes]) -> bytes:
    """Sums of files for ``sha256sum -c``."""
    return "".join(
        f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in files.items()
    ).encode()


class PackedFolder:
    """The files of a data set.

    sums: Of the manifest, for files that were not read yet.
    changed: Files with other sums.
    """

    def __init__(self, content: bytes, name: str) -> None:
        self.name, self.changed = name, []
        self._zip = Archive(content, name)
        self._names = set(self._zip.names)
        marks = list(filter(None, map(_MARK.fullmatch, self._names)))
        # Packing it again often adds a folder around all.
        depth = min((mark[1].count("/") for mark in marks), default=0)
        marks = [mark for mark in marks if mark[1].count("/") == depth]
        if len(marks) != 1:
            raise DataError(
                f"it holds {len(marks) or 'no'} data set{'s' * (len(marks) != 1)}", file=name,
                remedy="Unpack it, and put each data set into the folder of the workspace.",
            )
        self._above = marks[0][1]
        self.sums: dict[str, str] = {}
        if self.has(MANIFEST):
            lines = self.read(MANIFEST).decode(errors="replace").splitlines()
            self.sums = {place: total for total, _, place in (x.partition("  ") for x in lines)}

    def has(self, place: str) -> bool:
        return f"{self._above}{place}" in self._names

    def read(self, place: str, total: str | None = None) -> bytes:
        """A file, which must be there and have the sum `total`, if that is given."""
        if not self.has(place):
            raise self.problem(f"its file {place} is missing")
        content = self._zip.read(f"{self._above}{place}")
        listed = self.sums.pop(place, "")
        if listed and listed != hashlib.sha256(content).hexdigest():
            self.changed.append(place)
        if total is not None and total != _sum_of(content):
            raise self.problem(f"its file {place} is not what was written")
        return content

    def rest(self) -> list[str]:
        """Changed or missing files, after reading all files that remain."""
        for place in list(self.sums):
            if self.has(place):
                self.read(place)
            else:
                self.changed.append(place)
        return self.changed

    def json(self, place: str) -> Any:
        """The unchecked content of a file."""
        content = self.read(place)
        try:
            return json_of(content)
        except ValueError as error:
            raise self.problem(f"its file {place} is not what was written ({error})") from error

    def about(self) -> dict[str, Any]:
        """The content of `ABOUT`, whose format is supported."""
        about = self.json(ABOUT)
        if about.get("format", FORMAT) > FORMAT:
            raise DataError(
                "it was made by a newer version of TripletScope", file=self.name,
                remedy="Update the program.",
            )
        return about

    def results(self) -> dict[str, dict[str, Any]]:
        """The content of each ``run.json``, by the result's key."""
        names = (path.removeprefix(self._above) for path in self._names)
        matches = filter(None, map(_RUN.fullmatch, names))
        return {match[1]: self.json(match[0]) for match in matches}

    def table(self, place: str, total: str) -> pd.DataFrame:
        """A table with this sum."""
        content = self.read(place, total)
        with self.checking(f"its file {place} cannot be read"):
            file = pyarrow.parquet.ParquetFile(pa.BufferReader(content))
            check_table(file.metadata, len(content), place)
            return file.read().to_pandas()

    def arrays(self, place: str, total: str) -> dict[str, np.ndarray]:
        """The arrays of a file with this sum."""
        content = self.read(place, total)
        with self.checking(f"its file {place} cannot be read"):
            with zipfile.ZipFile(io.BytesIO(content)) as packed:
                packed_arrays(packed, len(content), place)
            with np.load(io.BytesIO(content), allow_pickle=False) as kept:
                return undisturbed(lambda: dict(kept))

    @contextmanager
    def checking(self, problem: str) -> Iterator[None]:
        """Says that there is this problem where a file or a value is not as it should be."""
        try:
            yield
        except DataError:
            raise
        except _DAMAGE as error:
            raise self.problem(problem) from error

    def problem(self, what: str) -> DataError:
        return DataError(
            what, file=self.name, remedy="Download it again from where it was kept.",
        )


def _sum_of(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest()
