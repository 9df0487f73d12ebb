"""A little room on the disk, kept for when it is full: looking needs some, and so does deleting."""

from __future__ import annotations

import errno
from contextlib import suppress
from pathlib import Path

from sqlalchemy import exc

from tripletscope.dashboard.keeping.arrays import whole_file
from tripletscope.dashboard.keeping.trash import free

NAME = "reserve"
_PIECES, _SIZE = 4, 2**20
_FULL = (errno.ENOSPC, errno.EDQUOT)
_READ_ONLY = (errno.EROFS, errno.EACCES, errno.EPERM)


class Reserve:
    """Files without content, which can be given up one after the other.

    workspace: Folder of the workspace.
    """

    def __init__(self, workspace: Path) -> None:
        self._folder = workspace / NAME

    def fill(self) -> None:
        """Make what is missing, if there is plenty of room."""
        with suppress(OSError):
            self._folder.mkdir(exist_ok=True)
            for path in self._pieces():
                if not path.exists() and free(self._folder) > 3 * _PIECES * _SIZE:
                    with whole_file(path, sync=False) as file:
                        file.write(bytes(_SIZE))

    def give(self) -> bool:
        """Give a piece up; whether there was one."""
        for path in self._pieces():
            with suppress(OSError):
                path.unlink()
                return True
        return False

    def _pieces(self) -> list[Path]:
        return [self._folder / f"{number}" for number in range(_PIECES)]


def is_for_lack_of_room(error: BaseException | None) -> bool:
    """Whether something failed because the disk is full."""
    if isinstance(error, OSError):
        return error.errno in _FULL
    return isinstance(error, exc.DatabaseError) and "full" in str(error.orig)


def is_for_lack_of_permission(error: BaseException) -> bool:
    """Whether something failed because the folder or its disk may not be written."""
    if isinstance(error, OSError):
        return error.errno in _READ_ONLY
    return isinstance(error, exc.DatabaseError) and "readonly" in str(error.orig)


def words_for(error: OSError | exc.DatabaseError) -> str:
    """What went wrong with the workspace's folder, and what to do, as sentences."""
    if is_for_lack_of_room(error):
        return (
            "The disk of the workspace is full: nothing was changed. Delete data sets or results "
            "that are not needed, which frees their room at once, or make room elsewhere on it."
        )
    if is_for_lack_of_permission(error):
        return "The folder of the workspace cannot be written: nothing was changed."
    if isinstance(error, exc.OperationalError) and "locked" in str(error.orig):
        return "The workspace's catalogue is busy: nothing was changed. Try again in a minute."
    if isinstance(error, exc.DatabaseError):
        return (
            f"The workspace's catalogue cannot be used ({error.orig}). End TripletScope and start "
            "it again: it restores the catalogue from its backup. The files are untouched."
        )
    return f"The folder of the workspace cannot be used ({error.strerror}): nothing was changed."
