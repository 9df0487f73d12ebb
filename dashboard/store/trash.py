"""The trash of a workspace: files that are no longer needed stay for thirty days.

Every folder in it is named by a moment (UTC) and has the workspace's folders in it. A file moved
back to its place is part of the workspace again.
"""

from __future__ import annotations

import errno
import logging
import os
import re
import secrets
import shutil
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tripletscope.dashboard.files.errors import WorkspaceError
from tripletscope.dashboard.files.storage import partial_of

log = logging.getLogger(__name__)

NAME = "trash"
_STAY = timedelta(days=30)
_FORM = "%Y-%m-%dT%H%M%S"
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\dT\d{6})-[0-9a-f]{8}")
#: With less free space than this, files are deleted at once to make room.
_LITTLE = 2**28


class Trash:
    def __init__(self, workspace: Path) -> None:
        self._workspace = workspace
        self.folder = workspace / NAME

    def take(self, paths: Iterable[Path]) -> None:
        """Move files or folders of the workspace here; what cannot be moved stays where it is."""
        for path in paths:
            try:
                self.throw(path)
            except FileNotFoundError:
                pass  # another session was faster
            except OSError as error:  # such as a file that is open elsewhere, on Windows
                log.warning("%s could not be moved to the trash (%s)", path.name, error)

    def throw(self, path: Path) -> None:
        """Move a file or folder here; where the disk is full, delete it at once."""
        inside = path.relative_to(self._workspace)
        if not inside.parts or ".." in inside.parts:
            raise ValueError(f"{path} is no part of the workspace")
        if is_full(self._workspace):
            self.remove(path)
        else:
            moment = datetime.now(UTC).strftime(_FORM)
            target = self.folder / f"{moment}-{secrets.token_hex(4)}" / inside
            target.parent.mkdir(parents=True, exist_ok=True)
            try:
                path.rename(target)
            except OSError as error:
                if error.errno != errno.EXDEV:
                    raise
                shutil.move(path, target)  # a part of the workspace may be on another disk

    def remove(self, path: Path) -> None:
        """Delete a file or folder, at once or not at all."""
        if path.is_dir() and not path.is_symlink():
            partial = partial_of(path)
            path.replace(partial)
            shutil.rmtree(partial, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)

    @property
    def what_becomes(self) -> str:
        """What a page says of a deletion."""
        if is_full(self._workspace):
            return "The disk is nearly full: the files are deleted at once, for good."
        return f"The files stay in {self.folder} for {_STAY.days} days."

    def empty_old(self, now: datetime) -> None:
        """Delete what came more than thirty days before; folders with other names stay."""
        for path in self._entries():
            if now - _came(path) > _STAY:
                shutil.rmtree(path, ignore_errors=True)

    def empty(self) -> None:
        for path in self._entries():
            shutil.rmtree(path, ignore_errors=True)

    def size(self) -> int:
        """In bytes."""
        return sum(map(_size, self._entries()))

    def _entries(self) -> list[Path]:
        entries = self.folder.iterdir() if self.folder.is_dir() else ()
        return sorted(path for path in entries if _came(path) and path.is_dir())


def _came(entry: Path) -> datetime | None:
    """The moment in its name; None without one."""
    named = _MOMENT.fullmatch(entry.name)
    try:
        return datetime.strptime(named[1], _FORM).replace(tzinfo=UTC) if named else None
    except ValueError:
        return None


def _size(entry: Path) -> int:
    """Bytes of the files that are still there."""
    total = 0
    for folder, _, files in os.walk(entry):  # it skips a folder that is gone
        for name in files:
            with suppress(FileNotFoundError):
                total += Path(folder, name).lstat().st_size
    return total


def is_full(folder: Path) -> bool:
    return free(folder) < _LITTLE


def free(folder: Path) -> int:
    try:
        return shutil.disk_usage(folder).free
    except FileNotFoundError as error:
        raise WorkspaceError(
            f"The folder {folder} is no longer there. Put it back, or end TripletScope and start "
            "it again."
        ) from error
