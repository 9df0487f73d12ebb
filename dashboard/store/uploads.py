"""Uploads that wait for a decision, on disk.

Every session has at most one, which survives a restart. After a day without a look it goes to the
trash, as do files of a killed server. One that its user replaces, discards or accepts is deleted
at once.
"""

from __future__ import annotations

import io
import json
import logging
import os
import re
import secrets
import tarfile
import threading
import time
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from tripletscope.core.reading import Reading
from tripletscope.dashboard.files.contents import content_of, json_of
from tripletscope.dashboard.files.storage import PARTIAL, hash_of, whole_file
from tripletscope.dashboard.sandbox.workers import File
from tripletscope.dashboard.store.trash import Trash

log = logging.getLogger(__name__)

_GONE = 24 * 60 * 60  # seconds
_ARCHIVE = re.compile(r"[0-9a-f]{16}\.tar")


def new_archive() -> str:
    return f"{secrets.token_hex(8)}.tar"


@dataclass(frozen=True)
class Upload:
    """An upload and how it will be read.

    archives: ``tables`` as uploaded, ``objects`` and ``pictures`` that were added later.
    readings: Proposals, the best first, and others that were used.
    reading: The user's version of the `chosen` one.
    shape: The user's other way to cut the file: ``header``, ``delimiter``, ``encoding``.
    turn: How often the user has begun from another reading.
    asked: Why each of the first readings may be right, until the user says which; see `Proposals`.
    others: What else the file may be.
    """

    name: str
    archives: Mapping[str, str]
    readings: tuple[Reading, ...]
    reading: Reading
    chosen: int = 0
    shape: Mapping[str, Any] = field(default_factory=dict)
    turn: int = 0
    asked: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    id: str = field(default_factory=lambda: secrets.token_hex(8))

    @property
    def version(self) -> str:
        """Distinguishes the form from the one before, whose widgets have other values."""
        return f"{self.id}.{self.turn}"

    def begun_from(self, reading: Reading) -> dict[str, Any]:
        """Changes when the user begins from a reading, which may be a new one."""
        readings = self.readings if reading in self.readings else (*self.readings, reading)
        return {"readings": readings, "reading": reading, "chosen": readings.index(reading),
                "turn": self.turn + 1, "asked": (), "others": ()}

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "reading": self.reading.to_dict(),
                "readings": [reading.to_dict() for reading in self.readings]}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """The inverse of `to_dict`; ValueError, KeyError or TypeError for other values."""
        if not all(map(_ARCHIVE.fullmatch, values["archives"].values())):
            raise ValueError("no archive is called so")
        readings = tuple(map(Reading.from_dict, values["readings"]))
        reading = Reading.from_dict(values["reading"])
        asked, others = (tuple(map(str, values.get(name, ()))) for name in ("asked", "others"))
        return cls(**{**values, "readings": readings, "reading": reading, "asked": asked,
                      "others": others})


class Uploads:
    """Uploads in a folder: a JSON file per session, named by its hash, and archives of files."""

    def __init__(self, folder: Path, trash: Trash) -> None:
        self._folder = folder
        self._trash = trash
        self._lock = threading.Lock()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._tidy()
        except OSError as error:  # uploads fail, everything else works
            log.warning("the folder of uploads cannot be used (%s)", error)

    def _tidy(self) -> None:
        self._forget()
        mentioned = {
            archive for path in self._folder.glob("*.json") if (upload := _read(path))
            for archive in upload.archives.values()
        }
        left = (  # by a server that was killed
            path for path in sorted(self._folder.iterdir()) if path.name not in mentioned
            and (_ARCHIVE.fullmatch(path.name) or PARTIAL.fullmatch(path.name))
        )
        self._trash.take(left)

    def pack(self, archive: str, files: Iterable[File]) -> None:
        with (
            whole_file(self._folder / archive) as target,
            tarfile.open(fileobj=target, mode="w") as tar,
        ):
            for name, content in files:
                entry = tarfile.TarInfo(name)
                entry.size = len(content)
                tar.addfile(entry, io.BytesIO(content))

    def unpacked(self, archive: str) -> list[File]:
        with tarfile.open(self._folder / archive) as tar:
            return [(entry.name, tar.extractfile(entry).read()) for entry in tar]

    def of(self, session_id: str) -> Upload | None:
        """The upload of a session, and note that it was looked at."""
        path = self._path(session_id)
        with self._lock:
            upload = _read(path)
            try:
                for archive in upload.archives.values() if upload else ():
                    tarfile.open(self._folder / archive).close()
            except (OSError, tarfile.TarError):
                upload = None
            if upload is None and path.exists():
                # It is damaged or another version's: the user can upload it again.
                log.warning("an upload could not be read again")
                self._remove(path, _read(path))
            with suppress(OSError):
                os.utime(path)
        return upload

    def begin(self, session_id: str, upload: Upload) -> Upload | None:
        """Keep an upload; returns the one that it replaces."""
        path = self._path(session_id)
        with self._lock:
            before = _read(path)
            self._write(path, upload)
            self._remove_archives(before, upload.archives.values())
        self._forget()
        return before

    def change(self, session_id: str, upload: Upload, **changes: Any) -> Upload:
        """Change an upload; archives come beside its other ones.

        Nothing is kept of one that was removed or replaced in another tab.
        """
        path = self._path(session_id)
        with self._lock:
            before = _read(path)
            there = before is not None and before.id == upload.id
            now = before if there else upload
            archives = {**now.archives, **changes.pop("archives", {})}
            now = replace(now, archives=archives, **changes)
            if there and now != before:
                self._write(path, now)
                self._remove_archives(before, archives.values())
            elif not there:
                self._remove_archives(now)
        return now

    def remove(self, session_id: str, upload: Upload) -> None:
        """Remove an upload, unless another one has replaced it."""
        path = self._path(session_id)
        with self._lock:
            there = _read(path)
            if there is not None and there.id == upload.id:
                self._remove(path, there)

    def _write(self, path: Path, upload: Upload) -> None:
        with whole_file(path) as file:  # in ASCII: names may have surrogates
            file.write(json.dumps(upload.to_dict()).encode())

    def _remove(self, path: Path, upload: Upload | None) -> None:
        path.unlink(missing_ok=True)
        self._remove_archives(upload)

    def _remove_archives(self, upload: Upload | None, but: Collection[str] = ()) -> None:
        for name in {*upload.archives.values()} - {*but} if upload else ():
            (self._folder / name).unlink(missing_ok=True)

    def _forget(self) -> None:
        """Move the uploads of absent sessions to the trash."""
        with self._lock:
            for path in self._folder.glob("*.json"):
                upload = _read(path)
                if upload is not None and path.stat().st_mtime < time.time() - _GONE:
                    archives = upload.archives.values()
                    self._trash.take([path, *(self._folder / name for name in archives)])

    def _path(self, session_id: str) -> Path:
        return self._folder / f"{hash_of(session_id.encode())}.json"


def _read(path: Path) -> Upload | None:
    """None if it is missing or damaged."""
    try:
        return Upload.from_dict(json_of(content_of(path)))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
