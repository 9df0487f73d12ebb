"""The files of a workspace: answers, tables, results and pictures, named by their content.

A file appears under its name only when it is whole, so that a crash at any moment loses at most
what was being written. What is no longer needed goes to the trash; files that are not named as
those of a workspace are, such as hidden ones and somebody's notes, are never touched.

Every file is compared with its hash when a process first reads it. The hash is its name; of answers
and objects, which are called after what they say, it stands in a file of sums beside them. Earlier
versions wrote none: what can be read of theirs is taken as it is.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import secrets
import threading
import zipfile
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Set
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
import pandas as pd

from tripletscope.core.data.triplets import Triplets
from tripletscope.dashboard.keeping.arrays import (
    HeldArrays,
    put,
    sum_of,
    unfinished,
    whole_file,
    write_arrays,
)
from tripletscope.dashboard.keeping.catalogue import WorkspaceError
from tripletscope.dashboard.keeping.trash import Trash

#: Parts of a workspace, and how files are called there.
OWN = {
    "data": re.compile(r"[0-9a-f]+\.((answers|objects|table)\.parquet|sums\.json)"),
    "runs": re.compile(r"[0-9a-f]{32}\.npz"),
    "pictures": re.compile(r"[0-9a-f]{32}\.(\d+px\.png|png|jpe?g|gif|webp|bmp|mpo|tiff)"),
}
#: How a file is called that is not yet complete.
PARTIAL = re.compile(r"[^.].*\.[0-9a-f]{8}\.partial")
_ROLES = ["anchor", "near", "far"]
#: How the kinds of picture begin that uploads may hold.
_BEGINNINGS = {
    b"\x89PNG": "png", b"\xff\xd8": "jpeg", b"GIF8": "gif", b"RIFF": "webp", b"BM": "bmp",
}
#: Part of the workspace, and a name there without what follows a dot.
File = tuple[str, str]
#: Sets of answers, and bytes of arrays of results, that stay in memory.
_FEW, _IN_MEMORY = 4, 2**28
#: What reading a damaged file raises, whatever kind of file it is.
_UNREADABLE = (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile)


class DamagedFile(WorkspaceError):
    """A file of the workspace is not what was written; the message says which."""


class DamagedPicture(DamagedFile, FileNotFoundError):
    """A picture is missing, or is not what was written."""


class Storage:
    """Files in a folder.

    trash: Where files go that are no longer needed.
    make: Whether to make what is missing of the folder.
    """

    def __init__(self, folder: Path, trash: Trash, *, make: bool = True) -> None:
        self._folder = folder
        self._trash = trash
        for part in OWN if make else ():
            (folder / part).mkdir(parents=True, exist_ok=True)
        self._triplets: OrderedDict[str, Triplets] = OrderedDict()
        self._arrays: OrderedDict[str, dict[str, np.ndarray]] = OrderedDict()
        self._checked: set[Path] = set()
        self._lock = threading.Lock()

    # Answers and tables --------------------------------------------------------------------

    def keep_triplets(self, triplets: Triplets) -> None:
        """Keep answers and objects under their fingerprint."""
        answers = pd.concat(
            [pd.DataFrame(triplets.rows, columns=_ROLES), triplets.answers], axis=1
        )
        name, tables = triplets.fingerprint, {"answers": answers, "objects": triplets.objects}
        if not self._has_whole(name):
            sums = {}
            for kind, table in tables.items():
                path = self._data(name, kind)
                with whole_file(path) as file:
                    table.to_parquet(file)
                sums[kind] = sum_of(path)
                self._checked.add(path)
            with whole_file(self._sums(name)) as file:
                file.write(json.dumps(sums).encode())
        self._hold(name, triplets)

    def _has_whole(self, fingerprint: str) -> bool:
        """Whether answers and objects are there, with their sums, and undamaged."""
        try:
            return all(self._is_as_written(fingerprint, kind) for kind in ("answers", "objects"))
        except OSError:
            return False

    def triplets(self, fingerprint: str) -> Triplets:
        """Answers by their fingerprint, under no name. The last few are held in memory."""
        with self._lock:
            if fingerprint in self._triplets:
                self._triplets.move_to_end(fingerprint)
                return self._triplets[fingerprint]
        paths = [self._data(fingerprint, kind) for kind in ("answers", "objects")]
        with _reading(paths[0]):
            answers = pd.read_parquet(paths[0])
        with _reading(paths[1]):
            objects = pd.read_parquet(paths[1])
        with _reading(paths[0]):
            triplets = Triplets(answers[_ROLES].to_numpy(), objects, answers.drop(columns=_ROLES))
        for kind, path in zip(("answers", "objects"), paths, strict=True):
            # Where the sums are what is damaged, the content says by itself that it is right.
            if self._is_as_written(fingerprint, kind) is False and (
                triplets.fingerprint != fingerprint
            ):
                raise _damaged(path)
        self._hold(fingerprint, triplets)
        return triplets

    def _is_as_written(self, fingerprint: str, kind: str) -> bool | None:
        """Whether a file has its sum; None where that is not known."""
        path = self._data(fingerprint, kind)
        if path in self._checked and path.exists():
            return True
        try:
            known = json.loads(self._sums(fingerprint).read_bytes())[kind]
        except (OSError, ValueError, KeyError, TypeError):
            return None
        if sum_of(path) != known:
            return False
        self._checked.add(path)
        return True

    def _sums(self, fingerprint: str) -> Path:
        return self._folder / "data" / f"{fingerprint}.sums.json"

    def _check(self, path: Path) -> None:
        """Compare a file that is named by its hash with its name."""
        if path in self._checked and path.exists():
            return
        with _reading(path):
            found = sum_of(path)
        if found != path.name.partition(".")[0]:
            raise _damaged(path)
        self._checked.add(path)

    def _hold(self, fingerprint: str, triplets: Triplets) -> None:
        with self._lock:
            self._triplets[fingerprint] = triplets
            self._triplets.move_to_end(fingerprint)
            while len(self._triplets) > _FEW:
                self._triplets.popitem(last=False)

    def keep_table(self, table: pd.DataFrame | None) -> str | None:
        """Name under which a table is kept; None for none or an empty one."""
        if table is None or table.empty:
            return None
        buffer = io.BytesIO()
        table.to_parquet(buffer)
        name = hash_of(buffer.getvalue())
        with whole_file(self._data(name, "table")) as file:
            file.write(buffer.getvalue())
        return name

    def table(self, name: str | None) -> pd.DataFrame | None:
        """A table by its name; None for None."""
        if not name:
            return None
        path = self._data(name, "table")
        self._check(path)
        with _reading(path):
            return pd.read_parquet(path)

    def _data(self, name: str, table: str) -> Path:
        return self._folder / "data" / f"{name}.{table}.parquet"

    # Results -------------------------------------------------------------------------------

    def keep_arrays(self, arrays: Mapping[str, np.ndarray] | HeldArrays) -> str:
        """Name of the file in which arrays are kept."""
        with unfinished(self._folder / "runs" / f"{secrets.token_hex(16)}.npz") as partial:
            if isinstance(arrays, HeldArrays):
                name = arrays.write(partial)
            else:
                name = write_arrays(partial, arrays)
            put(partial, partial.with_name(f"{name}.npz"))
        return f"{name}.npz"

    def arrays(self, file: str) -> dict[str, np.ndarray]:
        """What a file of arrays holds, read-only; the last ones stay in memory."""
        with self._lock:
            found = self._arrays.get(file)
            if found is not None:
                self._arrays.move_to_end(file)
                return found
        path = self._folder / "runs" / file
        self._check(path)
        with _reading(path), np.load(path) as kept:
            found = dict(kept)
        for array in found.values():
            array.setflags(write=False)
        with self._lock:
            self._arrays[file] = found
            while len(self._arrays) > 1 and sum(map(_size, self._arrays.values())) > _IN_MEMORY:
                self._arrays.popitem(last=False)
        return found

    # Pictures ------------------------------------------------------------------------------

    def keep_pictures(self, pictures: Mapping[str, bytes]) -> dict[str, str]:
        """Name of the file of every picture, by its name."""
        files = {}
        for name, content in pictures.items():
            files[name] = f"{hash_of(content)}.{_ending(content)}"
            path = self._folder / "pictures" / files[name]
            try:
                self._check(path)
            except DamagedFile:  # or not there yet
                with whole_file(path) as file:
                    file.write(content)
        return files

    def picture(self, file: str, size: int | None = None) -> Path:
        """Path of a picture; with `size`, of the small one of that size if there is one."""
        original = self._folder / "pictures" / Path(file).name
        try:
            self._check(original)
        except DamagedFile as error:
            raise DamagedPicture(str(error)) from error
        if size is None:
            return original
        small = _small(original, size)
        return small if small.exists() else original

    def keep_small(self, original: Path, size: int, content: bytes) -> None:
        """Keep a picture of a size, unless the large one has gone meanwhile.

        On a full disk the large one has to do.
        """
        if original.exists():
            with suppress(OSError), whole_file(_small(original, size)) as file:
                file.write(content)

    # Tidying -------------------------------------------------------------------------------

    def remove(self, files: Set[File]) -> None:
        """Move to the trash: all tables of a name, a picture with its small ones, and so on."""
        self._trash.take(
            path for part in sorted({part for part, _ in files})
            for path in _own_files(self._folder, part) if file_of(part, path.name) in files
        )

    def remove_partial(self) -> None:
        """Move to the trash what a process that was killed has left unfinished."""
        self._trash.take(
            path for part in OWN for path in sorted((self._folder / part).iterdir())
            if PARTIAL.fullmatch(path.name)
        )


def _small(original: Path, size: int) -> Path:
    return original.with_name(f"{original.stem}.{size}px.png")


def _ending(picture: bytes) -> str:
    """How the name of a picture ends, by its first bytes."""
    found = (kind for start, kind in _BEGINNINGS.items() if picture.startswith(start))
    return next(found, "png")


def file_of(part: str, name: str) -> File:
    """What a file is known by: the part of the workspace, and its name as far as the first dot."""
    return part, name.partition(".")[0]


def holds_files(folder: Path) -> bool:
    """Whether something is kept in a folder."""
    return any(_own_files(folder, part) for part in OWN)


def _own_files(folder: Path, part: str) -> list[Path]:
    """The files in a part of a workspace that are named as its own are."""
    found = (folder / part).glob("*")
    return sorted(path for path in found if OWN[part].fullmatch(path.name) and path.is_file())


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Say which file cannot be read."""
    try:
        yield
    except _UNREADABLE as error:
        raise _damaged(path) from error


def _damaged(path: Path) -> DamagedFile:
    how = "is not what was written: it is damaged" if path.is_file() else "is missing"
    return DamagedFile(
        f"The file {path.parent.name}/{path.name} of the workspace {how}. Put it back from a "
        "backup, or import or compute again what it holds. Everything else can be used."
    )


def _size(arrays: Mapping[str, np.ndarray]) -> int:
    return sum(array.nbytes for array in arrays.values())


def hash_of(content: bytes) -> str:
    """Name for a content."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()
