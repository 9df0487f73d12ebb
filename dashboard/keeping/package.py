"""A whole workspace in one ZIP file: made while it is in use, and opened elsewhere."""

from __future__ import annotations

import json
import os
import re
import shutil
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from tripletscope.dashboard.door.contents import Unsound, content_of, opened
from tripletscope.dashboard.keeping.change import ABOUT
from tripletscope.dashboard.keeping.dataset import WorkspaceError
from tripletscope.dashboard.keeping.description import read_about, read_run
from tripletscope.dashboard.keeping.files import (
    PARTIAL,
    hash_of,
    partial_of,
    slug,
    sum_of,
    unfinished,
)
from tripletscope.dashboard.keeping.folder import (
    OPENED,
    RESULTS,
    RUN,
    SESSIONS,
    SIMULATIONS,
    DataFolder,
)
from tripletscope.dashboard.keeping.trash import Trash

#: Names of folders on every system.
_SAFE = re.compile(r"[\w .()+,&=@-]{1,100}", re.ASCII)
_MARK = "backup.json"
_FORMAT = 2


@dataclass(frozen=True)
class Packed:
    """Number of files in a package, and those that were missing."""

    files: int
    missing: list[str]


def pack(workspace: Path, target: Path) -> Packed:
    """Put a workspace, which may be in use, into a file that appears only when it is complete.

    Descriptions are read first. Files that are deleted meanwhile are taken from the trash.
    """
    if not workspace.is_dir():
        raise WorkspaceError(f"{workspace} cannot be backed up: it is missing.")
    if target.exists():
        raise WorkspaceError(f"{target} exists already. Name another file.")
    trash, missing = Trash(workspace), []
    try:
        with unfinished(target) as partial:
            # The files are compressed already.
            with zipfile.ZipFile(partial, "w", zipfile.ZIP_STORED) as archive:
                archive.writestr(_MARK, json.dumps({
                    "format": _FORMAT, "made": datetime.now(UTC).isoformat(timespec="seconds"),
                }))
                for place, content in list(_described(workspace)):
                    packed = _packed(place)
                    if isinstance(content, bytes):
                        archive.writestr(packed, content)
                        continue
                    source = _opened(workspace, place, content, trash)
                    if source is None:
                        missing.append(place)
                        continue
                    with source, archive.open(packed, "w", force_zip64=True) as entry:
                        shutil.copyfileobj(source, entry, 2**20)
                number = len(archive.namelist()) - 1
            partial.replace(target)
    except OSError as error:
        raise WorkspaceError(f"{target} could not be written ({error.strerror}).") from error
    return Packed(number, missing)


def _described(workspace: Path) -> Iterator[tuple[str, bytes | str | None]]:
    """Places of files, with the content of a description or the sum of another file.

    The folder of a data set that cannot be read is packed as it is.
    """
    for path in [workspace / OPENED, *sorted((workspace / SESSIONS).glob("*.json"))]:
        with suppress(FileNotFoundError, Unsound):
            yield path.relative_to(workspace).as_posix(), content_of(path)
    for path in sorted(workspace.iterdir()):
        name = path.name
        if name != SIMULATIONS:
            if not (path / ABOUT).exists() or PARTIAL.fullmatch(name):
                continue
            try:
                content = content_of(path / ABOUT)
                sums = read_about(path / ABOUT, content)["sums"]
            except OSError:
                continue  # it was deleted a moment ago
            except (WorkspaceError, Unsound):
                yield from ((file.relative_to(workspace).as_posix(), None)
                            for file in sorted(path.rglob("*")) if file.is_file())
                continue
            yield f"{name}/{ABOUT}", content
            yield from ((f"{name}/{place}", total) for place, total in sorted(sums.items()))
        for key in DataFolder(path).result_keys():
            place = f"{name}/{RESULTS}/{key}"
            with suppress(OSError, WorkspaceError, Unsound):  # it can be computed again
                content = content_of(workspace / place / RUN)
                said = read_run(workspace / place / RUN, content)
                yield f"{place}/{RUN}", content
                yield f"{place}/{said['file']}", said["sum"]


def _opened(workspace: Path, place: str, total: str | None, trash: Trash) -> BinaryIO | None:
    """A file with this sum, which may be moved meanwhile; None if it is gone."""
    for paths in ([workspace / place], trash.find(place), [workspace / place]):
        for path in paths:
            with suppress(FileNotFoundError, Unsound):
                file = opened(path)
                if total is None or sum_of(path) == total:
                    return file
                file.close()
    return None


def _packed(place: str) -> str:
    """Folders without a name for every system are renamed."""
    folder, slash, rest = place.partition("/")
    if slash and not _SAFE.fullmatch(folder):
        folder = f"{slug(folder)}-{hash_of(os.fsencode(folder))[:6]}"
    return f"{folder}{slash}{rest}"


def unpack(source: Path, workspace: Path) -> int:
    """Make a workspace of a package, whole or not at all; the number of its files."""
    if workspace.exists() and (not workspace.is_dir() or any(workspace.iterdir())):
        raise WorkspaceError(
            f"{workspace} exists and is not empty. Nothing was overwritten: name a new folder."
        )
    partial = partial_of(workspace)
    try:
        with zipfile.ZipFile(source) as archive:
            names = _names(archive)
            for name in names:
                path = partial / name
                path.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(name) as entry, path.open("xb") as target:
                    shutil.copyfileobj(entry, target, 2**20)
        partial.mkdir(exist_ok=True)
        if workspace.exists():
            workspace.rmdir()
        partial.replace(workspace)
    except FileNotFoundError as error:
        raise WorkspaceError(f"{error.filename} is not there.") from error
    except OSError as error:
        raise WorkspaceError(f"{workspace} could not be made ({error.strerror}).") from error
    except (zipfile.BadZipFile, KeyError, ValueError, TypeError, AttributeError, EOFError,
            NotImplementedError, RuntimeError) as error:
        raise WorkspaceError(
            f"{source} is damaged, or is not a backup made by tripletscope --backup."
        ) from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return len(names)


def _names(archive: zipfile.ZipFile) -> list[str]:
    """Names in a package; `ValueError` for one that leads out of the workspace."""
    there = archive.namelist()
    about = json.loads(archive.read(_MARK))
    if about["format"] > _FORMAT:
        raise WorkspaceError(
            f"{archive.filename} was made by a newer version of TripletScope. Update the program."
        )
    inside = [name for name in there if name != _MARK]
    for name in inside:
        parts = PurePosixPath(name).parts
        if name != "/".join(parts) or ".." in parts or "\\" in name or ":" in name or (
            len(parts) == 1 and name != OPENED
        ):
            raise ValueError("a name that leads elsewhere")
    return inside
