"""The part of an archive that the program opens again: its files, and how they are read.

Known to the processes that read what strangers wrote, and so light: no workspace, no pages.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.io.formats.archive import Archive, check_size
from tripletscope.core.io.records import MAX_ROWS

INSIDE = "tripletscope/"
#: What is in an archive; and the sums of all other files.
ABOUT, MANIFEST = f"{INSIDE}archive.json", "manifest-sha256.txt"
FORMAT = 1
#: Stands in settings for the data set, which has another name in each workspace.
SETTINGS_OF = "{data set}"
#: How the keys begin under which pages keep how figures are composed.
COMPOSER = "composer"
_ROLES = ["anchor", "near", "far"]


def is_archive(content: bytes) -> bool:
    """Whether a file claims to be an archive of this program; nothing of it is unpacked."""
    # The list at the end of a ZIP has the names as they are.
    return content.startswith(b"PK") and ABOUT.encode() in content[-2**22:]


def manifest(files: Mapping[str, bytes]) -> bytes:
    """Sums of files, as ``sha256sum -c`` takes them."""
    return "".join(
        f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in files.items()
    ).encode()


def table_file(table: pd.DataFrame) -> bytes:
    """A table as Parquet."""
    buffer = io.BytesIO()
    table.to_parquet(buffer)
    return buffer.getvalue()


def triplet_files(triplets: Triplets, name: str) -> dict[str, bytes]:
    """Answers and objects as Parquet, by the names of files."""
    rows = pd.DataFrame(triplets.rows, columns=_ROLES)
    return {
        f"{name}-answers.parquet": table_file(pd.concat([rows, triplets.answers], axis=1)),
        f"{name}-objects.parquet": table_file(triplets.objects),
    }


class Parts:
    """The files of an archive that somebody has uploaded.

    name: Of the file, for messages.
    about: What `ABOUT` says.
    """

    def __init__(self, content: bytes, name: str) -> None:
        self.name = name
        self._zip = Archive(content, name)
        # Whoever unpacks and packs it again often adds a folder around all.
        inner = [path for path in self._zip.names if path.endswith(ABOUT)]
        if len(inner) != 1:
            raise self.problem("this is no archive of TripletScope")
        self._above = inner[0].removesuffix(ABOUT)
        self._sums = self._manifest()
        content = self.read(ABOUT)
        try:
            self.about: dict[str, Any] = json.loads(content)
            newer = self.about["format"] > FORMAT
            version = str(self.about["version"])[:20]
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise self.problem(f"its file {ABOUT} is not what was written") from error
        if newer:
            raise DataError(
                f"it was made by TripletScope {version}, which is newer", file=name,
                remedy="Update the program.",
            )

    def changed(self, needed: Collection[str]) -> list[str]:
        """Files for other programs that are missing or were changed; `needed` are not looked at."""
        others = (p for p in self._sums if not p.startswith(INSIDE) and p not in needed)
        return [path for path in others if not self._is_whole(path)]

    def _manifest(self) -> dict[str, str]:
        path = f"{self._above}{MANIFEST}"
        if path not in self._zip.names:
            raise self.problem(f"its file {MANIFEST} is missing")
        lines = self._zip.read(path).decode(errors="replace").splitlines()
        return {place: known for known, _, place in (line.partition("  ") for line in lines)}

    def _is_whole(self, path: str) -> bool:
        there = f"{self._above}{path}"
        return there in self._zip.names and hashlib.sha256(
            self._zip.read(there)
        ).hexdigest() == self._sums[path]

    def read(self, path: str) -> bytes:
        """A file that is needed."""
        there = f"{self._above}{path}"
        if there not in self._zip.names:
            raise self.problem(f"its file {path} is missing")
        content = self._zip.read(there)
        if hashlib.sha256(content).hexdigest() != self._sums.get(path):
            raise self.problem(f"its file {path} is not what was written")
        return content

    def has(self, path: str) -> bool:
        return f"{INSIDE}{path}" in self._sums

    def table(self, path: str) -> pd.DataFrame:
        """A table of ours."""
        content = self.read(f"{INSIDE}{path}")
        try:
            file = pyarrow.parquet.ParquetFile(pa.BufferReader(content))
            about = file.metadata
            unpacked = sum(
                about.row_group(i).total_byte_size for i in range(about.num_row_groups)
            )
            if about.num_rows > MAX_ROWS:
                raise ValueError("too many rows")
            # A value that is repeated takes no room in the file, but does in a table.
            check_size(max(unpacked, 8 * about.num_rows * about.num_columns), len(content), path)
            return file.read().to_pandas()
        except DataError:
            raise
        except (pa.ArrowException, OSError, ValueError, KeyError, TypeError) as error:
            raise self.problem(f"its file {INSIDE}{path} cannot be read") from error

    def triplets(self, name: str) -> Triplets:
        """Answers and objects."""
        answers, objects = self.table(f"{name}-answers.parquet"), self.table(
            f"{name}-objects.parquet"
        )
        try:
            return Triplets(
                answers[_ROLES].to_numpy(), objects, answers.drop(columns=_ROLES)
            )
        except (KeyError, ValueError, TypeError) as error:
            raise self.problem(
                f"its file {INSIDE}{name}-answers.parquet holds no answers"
            ) from error

    def arrays(self, path: str) -> dict[str, np.ndarray]:
        """The arrays of a result."""
        content = self.read(path)
        try:
            with zipfile.ZipFile(io.BytesIO(content)) as packed:
                unpacked = sum(entry.file_size for entry in packed.infolist())
            check_size(unpacked, len(content), path)
            with np.load(io.BytesIO(content), allow_pickle=False) as kept:
                return dict(kept)
        except DataError:
            raise
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
            raise self.problem(f"its file {path} cannot be read") from error

    def problem(self, what: str) -> DataError:
        return DataError(
            what, file=self.name, remedy="Download it again from where it was kept.",
        )
