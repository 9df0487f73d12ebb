"""A workspace's folder that is open: its lock, its catalogue, and the files that it lets go."""

from __future__ import annotations

import logging
import sqlite3
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlalchemy import exc, func, select
from sqlalchemy.orm import Session

from tripletscope.dashboard.keeping.backups import back_up, today
from tripletscope.dashboard.keeping.catalogue import (
    FILE,
    DatasetRow,
    RunRow,
    WorkspaceError,
    for_writing,
    open_catalogue,
    shorten_log,
)
from tripletscope.dashboard.keeping.holding import Held, Hold
from tripletscope.dashboard.keeping.records import Records
from tripletscope.dashboard.keeping.recovery import Recovery, recover
from tripletscope.dashboard.keeping.room import (
    Reserve,
    is_for_lack_of_permission,
    is_for_lack_of_room,
    words_for,
)
from tripletscope.dashboard.keeping.rows import DATA, FURTHER, files_of
from tripletscope.dashboard.keeping.storage import File, Storage, file_of
from tripletscope.dashboard.keeping.trash import Trash, free, is_full

log = logging.getLogger(__name__)

_opening = threading.Lock()
#: With less than this left on a disk, in bytes, SQLite cannot even begin.
_NOTHING = 2**17
_AN_HOUR = timedelta(hours=1)


class OpenFolder:
    """What every part of a workspace stands on. See `Workspace`."""

    def __init__(self, folder: Path) -> None:
        self.folder = Path(folder)
        self.notes: list[str] = []
        #: Why nothing can be kept; empty where it can.
        self.read_only = ""
        self.trash = Trash(self.folder)
        self._records = Records(self.folder)
        self._reserve = Reserve(self.folder)
        self._copy: tempfile.TemporaryDirectory | None = None
        self._hold: Hold | None = None
        self._released: set[File] = set()
        self._n_keeping = 0
        self._files = threading.Lock()
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with _opening:
                self._open_as_can_be()
        except Held as other:
            raise WorkspaceError(
                f"The workspace {self.folder} is in use by another TripletScope: {other}. Use "
                "that one, end it, or choose another folder with --workspace."
            ) from None
        except (OSError, exc.DatabaseError) as error:
            why = error.strerror if isinstance(error, OSError) else error.orig
            raise WorkspaceError(
                f"The workspace {self.folder} cannot be written ({why}). "
                "Choose another folder with --workspace."
            ) from error

    def _open_as_can_be(self) -> None:
        """Open the folder; where it is full, with the reserve; where it is read-only, a copy."""
        while True:
            try:
                return self._open()
            except (OSError, exc.DatabaseError) as error:
                self._let_go()
                full = is_for_lack_of_room(error) or free(self.folder) < _NOTHING
                if full and self._reserve.give():
                    continue
                if not (full or is_for_lack_of_permission(error)) or not self._has_content():
                    raise
                log.info("the workspace is opened as a copy", exc_info=True)
                why = "is full" if full else "cannot be written"
            except BaseException:
                self._let_go()
                raise
            return self._open_copy(
                f"The {'disk' if full else 'folder'} of the workspace {why}: everything can be "
                "looked at, but nothing new is kept."
                + (" Make room on it, and start TripletScope again." if full else "")
            )

    def _open(self) -> None:
        self._hold = Hold(self.folder)
        recovery = recover(self.folder, self.trash)
        self._back_up()  # before anything is brought up to date
        self._engine = open_catalogue(self.folder)
        self._writer = for_writing(self._engine)
        self._storage = Storage(self.folder, self.trash)
        self._reconcile(recovery)
        if self._hold.is_first:  # or others may be writing them
            self._storage.remove_partial()
            self._records.remove_partial(self.trash)
        self._reserve.fill()
        last = self._last_use()
        if last > datetime.now(UTC) + _AN_HOUR:
            self.notes.append(
                "The clock of this computer is behind the last use of this workspace: its data "
                "sets may not stand in the order in which they were opened, and the trash is not "
                "emptied."
            )
        else:
            self.trash.empty_old(last)  # by a clock that is ahead, all of it would be old

    def _open_copy(self, why: str) -> None:
        """Open a copy of the catalogue elsewhere, because the folder cannot be written."""
        self._copy = tempfile.TemporaryDirectory(prefix="tripletscope-")
        place = Path(self._copy.name)
        recovery = recover(self.folder, self.trash, into=place)
        self._backed_up = None  # never
        self._engine = open_catalogue(place)
        self._writer = for_writing(self._engine)
        self._storage = Storage(self.folder, self.trash, make=False)
        self._reconcile(recovery)
        self.read_only = why
        self.notes.append(why)

    def _reconcile(self, recovery: Recovery) -> None:
        with (
            self._records.changing(), Session(self._writer) as session, session.begin()
        ):
            found = self._records.reconcile(
                session, restored=recovery.restored, write=self._copy is None
            )
        self.notes = [note for note in (recovery.note, *found.notes) if note]
        self._unreadable = found.unreadable

    def _has_content(self) -> bool:
        return (self.folder / FILE).exists() or self._records.exist()

    def _last_use(self) -> datetime:
        """When a data set was last opened; now, where there is none."""
        with self._reading() as session:
            last = session.scalar(select(func.max(DatasetRow.opened)))
        try:
            return datetime.fromisoformat(last).astimezone(UTC)
        except (TypeError, ValueError):
            return datetime.now(UTC)

    def _back_up(self) -> None:
        """Copy the catalogue, if there is one; without a copy everything goes on."""
        self._backed_up: str | None = today()
        try:
            if (self.folder / FILE).exists():
                back_up(self.folder, self.trash)
        except (OSError, sqlite3.Error) as error:
            log.warning("the catalogue could not be copied (%s)", error)

    def close(self) -> None:
        """Let go of the catalogue and of the folder."""
        self._engine.dispose()
        self._let_go()

    def _let_go(self) -> None:
        if self._hold is not None:
            self._hold.release()
        if self._copy is not None:
            self._copy.cleanup()

    def announce(self, address: str) -> None:
        """Let other processes that want this workspace know where it is served."""
        if not self.read_only:
            self._hold.announce(address)

    @contextmanager
    def _reading(self) -> Iterator[Session]:
        with self._explaining(), Session(self._engine) as session, session.begin():
            yield session

    @contextmanager
    def _writing(self) -> Iterator[Session]:
        """A transaction in which nobody else writes, so that what it reads stays true."""
        if self.read_only:
            raise WorkspaceError(self.read_only)
        with (
            self._explaining(), self._records.changing(), Session(self._writer) as session,
            session.begin(),
        ):
            yield session
        if self._backed_up != today():
            self._back_up()

    @contextmanager
    def _explaining(self) -> Iterator[None]:
        """Say in a sentence what is wrong with the disk or the catalogue; the log has it all."""
        try:
            yield
        except WorkspaceError:  # a damaged picture is also an OSError
            raise
        except (OSError, exc.DatabaseError) as error:
            log.info("the workspace could not be used", exc_info=True)
            raise WorkspaceError(words_for(error)) from error

    def _deleting(self, delete: Callable[[], None]) -> None:
        """Delete; where the disk is so full that not even this is possible, with the reserve."""
        while True:
            try:
                delete()
                break
            except WorkspaceError as error:
                cause = error.__cause__
                full = is_for_lack_of_room(cause) or free(self.folder) < _NOTHING
                if cause is None or not full or not self._reserve.give():
                    raise
                shorten_log(self.folder)
        if is_full(self.folder):  # or the log of the deletion takes what it has freed
            shorten_log(self.folder)
        self._reserve.fill()

    # Files ---------------------------------------------------------------------------------

    @contextmanager
    def _keeping(self) -> Iterator[None]:
        """No file goes meanwhile: one that is kept, or is there already, will be needed.

        However long this takes: what is being kept is counted, no clock is asked.

        The catalogue has to mention it before this ends.
        """
        with self._files:
            self._n_keeping += 1
        try:
            with self._explaining():
                yield
        finally:
            with self._files:
                self._n_keeping -= 1
                self._remove_released()

    def _release(self, files: set[File]) -> None:
        """Let go of files that a row no longer mentions, as soon as nobody is keeping any."""
        with self._files:
            self._released |= files
            self._remove_released()

    def _remove_released(self) -> None:
        if self._n_keeping or not self._released:
            return
        if self._unreadable:  # they may need any of them
            return
        columns = [getattr(DatasetRow, name) for name in (*DATA, *FURTHER)]
        with self._reading() as session:
            used = {file_of("runs", file) for file in session.scalars(select(RunRow.file))}
            for row in session.execute(select(*columns)):
                used |= files_of(row)
        self._storage.remove(self._released - used)
        self._released.clear()
