"""Uploads that wait for a decision: their files on disk, the last ones as objects in memory.

Every session has one at most, which no other session displaces and a restart of the server does
not lose. A session in which nobody looks at it for a day is taken to be gone, and its upload goes
to the trash, as does what a killed server has left. Only what its own user replaces, discards or
has accepted is deleted at once: the file has been uploaded a moment ago.
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
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tripletscope.dashboard.keeping.files import PARTIAL, hash_of, whole_file
from tripletscope.dashboard.keeping.trash import Trash

log = logging.getLogger(__name__)

_AT_MOST = 4  # in memory, over all sessions
_GONE = 24 * 60 * 60  # seconds
_ARCHIVE = re.compile(r"[0-9a-f]{16}\.tar")

#: Name and content.
File = tuple[str, bytes]


class Uploads:
    """Uploads in a folder.

    An upload is a JSON file, under a hash of its session, which mentions archives of files.

    folder: Made if it does not exist; those of earlier servers are found there.
    trash: Of the workspace that the folder is in.
    """

    def __init__(self, folder: Path, trash: Trash) -> None:
        self._folder = folder
        self._trash = trash
        self._held: OrderedDict[str, Any] = OrderedDict()
        self._lock = threading.Lock()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._tidy()
        except OSError as error:  # nothing can be uploaded there, but everything else goes on
            log.warning("the folder of uploads cannot be used (%s)", error)

    def _tidy(self) -> None:
        self._forget()
        folder = self._folder
        mentioned = {
            archive for path in folder.glob("*.json") if (record := _record(path))
            for archive in record["archives"].values()
        }
        left = (  # by a server that was killed
            path for path in sorted(folder.iterdir()) if path.name not in mentioned
            and (_ARCHIVE.fullmatch(path.name) or PARTIAL.fullmatch(path.name))
        )
        self._trash.take(left)

    # In memory -----------------------------------------------------------------------------

    def held(self, session_id: str) -> Any | None:
        """The object of a session's upload, if it is in memory."""
        with self._lock:
            if not self._path(session_id).exists():  # removed, maybe while it was made
                self._held.pop(session_id, None)
            if session_id in self._held:
                self._held.move_to_end(session_id)
            return self._held.get(session_id)

    def hold(self, session_id: str, upload: Any) -> None:
        """Hold the object of a session's upload for as long as no others need its place."""
        with self._lock:
            self._held[session_id] = upload
            self._held.move_to_end(session_id)
            while len(self._held) > _AT_MOST:
                self._held.popitem(last=False)

    # On disk -------------------------------------------------------------------------------

    def pack(self, files: Iterable[File]) -> str:
        """Name of an archive in which files are kept, once an upload mentions it."""
        archive = f"{secrets.token_hex(8)}.tar"
        with (
            whole_file(self._folder / archive) as target,
            tarfile.open(fileobj=target, mode="w") as tar,
        ):
            for name, content in files:
                entry = tarfile.TarInfo(name)
                entry.size = len(content)
                tar.addfile(entry, io.BytesIO(content))
        return archive

    def keep(
        self, session_id: str, settings: Mapping[str, Any], archives: Mapping[str, str],
        *, anew: bool,
    ) -> None:
        """Keep what is to be known of an upload.

        settings: Plain values; ``id`` tells this upload from others of the same session.
        archives: What `pack` has returned, by what is in it.
        anew: Whether it takes the place of the one before. Otherwise nothing is kept of an upload
            that was removed or replaced meanwhile, in another tab.
        """
        path = self._path(session_id)
        record = {"settings": dict(settings), "archives": dict(archives)}
        with self._lock:
            before = _record(path)
            if not anew and (before is None or before["settings"]["id"] != settings["id"]):
                self._remove_archives(archives.values())
                return
            if before == record:
                os.utime(path)  # somebody has looked at it
                return
            with whole_file(path) as file:
                file.write(json.dumps(record).encode())
            if before is not None:
                self._remove_archives({*before["archives"].values()} - {*archives.values()})
        if anew:
            self._forget()

    def load(
        self, session_id: str
    ) -> tuple[dict[str, Any], dict[str, str]] | None:
        """Settings and archives of a session's upload, or None if there is none."""
        with self._lock:
            record = _record(self._path(session_id))
            if record is None:
                return None
            for archive in record["archives"].values():
                tarfile.open(self._folder / archive).close()
        return record["settings"], record["archives"]

    def unpacked(self, archive: str) -> list[File]:
        """The files in an archive."""
        with tarfile.open(self._folder / archive) as tar:
            return [(entry.name, tar.extractfile(entry).read()) for entry in tar]

    def remove(self, session_id: str, upload: str | None = None) -> None:
        """Remove a session's upload, if it has one; with `upload`, only if it has this ``id``."""
        path = self._path(session_id)
        with self._lock:
            record = _record(path)
            if upload is not None and record is not None and record["settings"]["id"] != upload:
                return
            self._held.pop(session_id, None)
            path.unlink(missing_ok=True)
            if record is not None:
                self._remove_archives(record["archives"].values())

    def _forget(self) -> None:
        """Move the uploads of sessions that are gone to the trash."""
        with self._lock:
            for path in self._folder.glob("*.json"):
                record = _record(path)
                if record is not None and path.stat().st_mtime < time.time() - _GONE:
                    archives = record["archives"].values()
                    self._trash.take([path, *(self._folder / name for name in archives)])

    def _remove_archives(self, archives: Iterable[str]) -> None:
        for name in archives:
            (self._folder / name).unlink(missing_ok=True)

    def _path(self, session_id: str) -> Path:
        return self._folder / f"{hash_of(session_id.encode())}.json"


def _record(path: Path) -> dict[str, Any] | None:
    """What is kept of an upload; None if there is none, or it is damaged."""
    try:
        record = json.loads(path.read_text())
        archives = record["archives"].values()
        whole = "id" in record["settings"] and all(map(_ARCHIVE.fullmatch, archives))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return record if whole else None
