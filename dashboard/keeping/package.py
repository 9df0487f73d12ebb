"""A whole workspace in one ZIP file: made while it is in use, and opened elsewhere."""

from __future__ import annotations

import hashlib
import json
import re
import secrets
import shutil
import sqlite3
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from tripletscope.dashboard.keeping.backups import copy_catalogue
from tripletscope.dashboard.keeping.catalogue import FILE, WorkspaceError, fault_of
from tripletscope.dashboard.keeping.rows import MEASURED, table_files
from tripletscope.dashboard.keeping.storage import OWN
from tripletscope.dashboard.keeping.trash import Trash

_ABOUT = "about.json"
_FORMAT = 1
_NAME = re.compile(r"(data|runs|pictures|records)/[0-9a-z.]+|catalogue\.sqlite")


@dataclass(frozen=True)
class Packed:
    """What a package holds.

    missing: Files that the catalogue mentions and that were not there.
    """

    files: int
    missing: list[str]


def pack(workspace: Path, target: Path) -> Packed:
    """Put a workspace, which may be in use, into a file.

    The catalogue is copied first. A file that somebody deletes while others are being packed is
    taken from the trash, so that the package is as the workspace was at its beginning.

    target: Appears only when it is complete.
    """
    fault = fault_of(workspace / FILE)
    if fault is not None:
        raise WorkspaceError(
            f"{workspace} cannot be backed up: its {FILE} {fault}."
            + ("" if fault == "is missing" else " Start TripletScope on it, which restores it.")
        )
    if target.exists():
        raise WorkspaceError(f"{target} exists already. Name another file.")
    partial = target.with_name(f"{target.name}.{secrets.token_hex(4)}.partial")
    try:
        with tempfile.TemporaryDirectory(prefix="tripletscope-") as folder:
            catalogue = Path(folder) / FILE
            copy_catalogue(workspace / FILE, catalogue)
            packed = _write(workspace, catalogue, partial)
        partial.replace(target)
    except ValueError as error:
        raise WorkspaceError(
            f"{workspace} cannot be backed up: an entry of its {FILE} is damaged. Start "
            "TripletScope on it, which repairs it."
        ) from error
    except (OSError, sqlite3.Error) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise WorkspaceError(f"{target} could not be written ({why}).") from error
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
    return packed


def _write(workspace: Path, catalogue: Path, target: Path) -> Packed:
    trash, sums, missing = Trash(workspace), {}, []
    # What there is is compressed already.
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
        for part, name in [("", FILE), *_mentioned(workspace, catalogue)]:
            place = f"{part}/{name}".lstrip("/")
            source = _opened(workspace / place if part else catalogue)
            if source is None:
                there = trash.find(part, name)
                source = _opened(there) if there else None
            if source is None:
                missing.append(place)
                continue
            with source:
                sums[place] = _add(archive, source, place)
        archive.writestr(_ABOUT, json.dumps({
            "format": _FORMAT, "made": datetime.now(UTC).isoformat(timespec="seconds"),
            "sums": sums,
        }))
    return Packed(len(sums), missing)


def _opened(path: Path) -> BinaryIO | None:
    """A file, which may be moved while it is read; None if it is gone."""
    try:
        return path.open("rb")
    except FileNotFoundError:
        return None


def _add(archive: zipfile.ZipFile, source: BinaryIO, place: str) -> str:
    """Hash of a file that was added."""
    found = hashlib.blake2b(digest_size=16)
    with archive.open(place, "w", force_zip64=True) as entry:
        while chunk := source.read(2**20):
            found.update(chunk)
            entry.write(chunk)
    return found.hexdigest()


def _mentioned(workspace: Path, catalogue: Path) -> Iterator[tuple[str, str]]:
    """The files that a catalogue mentions: part of the workspace, and name.

    Records are not among them: they are written anew where the package is opened, and those of now
    may tell of changes after the catalogue was copied, whose files are not packed.
    """
    with closing(sqlite3.connect(catalogue)) as database:
        rows = database.execute(
            "SELECT fingerprint, imported, gold, catch_trials, pairs, pictures, extra FROM datasets"
        ).fetchall()
        found = {("runs", file) for file, in database.execute("SELECT file FROM runs")}
    for fingerprint, imported, gold, catch, pairs, pictures, extra in rows:
        for name in {fingerprint, imported, gold} - {None}:
            found |= {("data", f"{name}.{kind}.parquet") for kind in ("answers", "objects")}
            if (workspace / "data" / f"{name}.sums.json").exists():  # not of earlier versions
                found.add(("data", f"{name}.sums.json"))
        measured = json.loads(extra).get(MEASURED, {}).get("file")
        found |= {("data", f"{name}.table.parquet") for name in {catch, pairs, measured} - {None}}
        found |= {("pictures", file) for file in json.loads(pictures).values()}
        found |= {("runs", file) for file in table_files(json.loads(extra))}
    return iter(sorted(found))


def unpack(source: Path, workspace: Path) -> int:
    """Make a workspace of a package; the number of its files.

    Nothing is overwritten, and the workspace appears only when it is complete.
    """
    if workspace.exists() and (not workspace.is_dir() or any(workspace.iterdir())):
        raise WorkspaceError(
            f"{workspace} exists and is not empty. Nothing was overwritten: name a new folder."
        )
    partial = workspace.with_name(f"{workspace.name}.{secrets.token_hex(4)}.partial")
    try:
        with zipfile.ZipFile(source) as archive:
            sums = _sums_of(archive)
            for place, known in sums.items():
                path = partial / place
                path.parent.mkdir(parents=True, exist_ok=True)
                if _extract(archive, place, path) != known:
                    raise WorkspaceError(f"{source} is damaged: {place} is not what was packed.")
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
    return len(sums)


def _sums_of(archive: zipfile.ZipFile) -> dict[str, str]:
    """What is in a package, with hashes. Names lead nowhere but into the parts of a workspace."""
    about = json.loads(archive.read(_ABOUT))
    if about["format"] > _FORMAT:
        raise WorkspaceError(
            f"{archive.filename} was made by a newer version of TripletScope. Update the program."
        )
    sums = about["sums"]
    if FILE not in sums or not all(map(_is_ours, sums)):
        raise ValueError("not a package")
    return sums


def _is_ours(place: str) -> bool:
    part, _, name = place.rpartition("/")
    return bool(_NAME.fullmatch(place)) and (part not in OWN or bool(OWN[part].fullmatch(name)))


def _extract(archive: zipfile.ZipFile, place: str, path: Path) -> str:
    found = hashlib.blake2b(digest_size=16)
    with archive.open(place) as entry, path.open("xb") as target:
        while chunk := entry.read(2**20):
            found.update(chunk)
            target.write(chunk)
    return found.hexdigest()
