"""A whole workspace in one ZIP file: made while it is in use, and opened elsewhere."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from tripletscope.dashboard.keeping.dataset import DamagedFile, WorkspaceError
from tripletscope.dashboard.keeping.earlier import CATALOGUE
from tripletscope.dashboard.keeping.files import partial_of, unfinished
from tripletscope.dashboard.keeping.folder import (
    ABOUT,
    OPENED,
    RESULTS,
    RUN,
    SESSIONS,
    SIMULATIONS,
    DataFolder,
    files_of,
)
from tripletscope.dashboard.keeping.trash import Trash

_MARK = "backup.json"
_FORMAT = 2


@dataclass(frozen=True)
class Packed:
    """What a package holds.

    missing: Files that data sets mention and that were not there.
    """

    files: int
    missing: list[str]


def pack(workspace: Path, target: Path) -> Packed:
    """Put a workspace, which may be in use, into a file.

    What describes data sets and results is read first. A file that somebody deletes while others
    are being packed is taken from the trash, so that the package is as the workspace was at its
    beginning.

    target: Appears only when it is complete.
    """
    if not workspace.is_dir():
        raise WorkspaceError(f"{workspace} cannot be backed up: it is missing.")
    if (workspace / CATALOGUE).exists():
        raise WorkspaceError(
            f"{workspace} is of an earlier version of TripletScope. Start this one on it, which "
            "takes it over; then back it up."
        )
    if target.exists():
        raise WorkspaceError(f"{target} exists already. Name another file.")
    trash, missing = Trash(workspace), []
    try:
        with unfinished(target) as partial:
            # What there is is compressed already.
            with zipfile.ZipFile(partial, "w", zipfile.ZIP_STORED) as archive:
                archive.writestr(_MARK, json.dumps({
                    "format": _FORMAT, "made": datetime.now(UTC).isoformat(timespec="seconds"),
                }))
                for place, content in list(_described(workspace)):
                    source = None if content is not None else _opened(workspace, place, trash)
                    if content is not None:
                        archive.writestr(place, content)
                    elif source is None:
                        missing.append(place)
                    else:
                        with source, archive.open(place, "w", force_zip64=True) as entry:
                            shutil.copyfileobj(source, entry, 2**20)
                number = len(archive.namelist()) - 1
            partial.replace(target)
    except OSError as error:
        raise WorkspaceError(f"{target} could not be written ({error.strerror}).") from error
    return Packed(number, missing)


def _described(workspace: Path) -> Iterator[tuple[str, bytes | None]]:
    """The files of a workspace: those that say what others are with their contents."""
    for path in [workspace / OPENED, *sorted((workspace / SESSIONS).glob("*.json"))]:
        with suppress(FileNotFoundError):
            yield path.relative_to(workspace).as_posix(), path.read_bytes()
    for path in sorted(workspace.iterdir()):
        folder, name = DataFolder(path), path.name
        if name != SIMULATIONS:
            if not (path / ABOUT).exists() or name.endswith(".partial"):
                continue
            try:
                about, content = folder.about(), (path / ABOUT).read_bytes()
            except (OSError, DamagedFile):
                continue  # it was deleted a moment ago, or is mended when it is opened
            yield f"{name}/{ABOUT}", content
            yield from ((f"{name}/{place}", None) for place in sorted(files_of(about)))
        for key in folder.result_keys():
            with suppress(OSError, DamagedFile):
                said, place = folder.result(key), f"{name}/{RESULTS}/{key}"
                yield f"{place}/{RUN}", (path / RESULTS / key / RUN).read_bytes()
                yield f"{place}/{said['file']}", None


def _opened(workspace: Path, place: str, trash: Trash) -> BinaryIO | None:
    """A file, which may be moved while it is read; None if it is gone."""
    for path in (workspace / place, trash.find(place), workspace / place):
        with suppress(FileNotFoundError):
            if path is not None:
                return path.open("rb")
    return None


def unpack(source: Path, workspace: Path) -> int:
    """Make a workspace of a package; the number of its files.

    Nothing is overwritten, and the workspace appears only when it is complete.
    """
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
    """What is in a package. Names lead nowhere but into the workspace."""
    there = archive.namelist()
    mark = _MARK if _MARK in there else ABOUT  # of 0.2 and 0.3
    about = json.loads(archive.read(mark))
    if about["format"] > _FORMAT:
        raise WorkspaceError(
            f"{archive.filename} was made by a newer version of TripletScope. Update the program."
        )
    inside = [name for name in there if name != mark]
    if mark == ABOUT and (CATALOGUE not in inside or set(inside) != set(about["sums"])):
        raise ValueError("not a package")
    for name in inside:
        parts = PurePosixPath(name).parts
        if name != "/".join(parts) or ".." in parts or "\\" in name or ":" in name or (
            len(parts) == 1 and name not in (OPENED, CATALOGUE)
        ):
            raise ValueError("a name that leads elsewhere")
    return inside
