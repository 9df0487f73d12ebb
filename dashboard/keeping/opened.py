"""A workspace's folder that is open: its lock, its catalogue, and the files that it lets go."""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.orm import Session

from tripletscope.dashboard.keeping.backups import back_up, today
from tripletscope.dashboard.keeping.catalogue import (
    FILE,
    DatasetRow,
    RunRow,
    WorkspaceError,
    for_writing,
    open_catalogue,
)
from tripletscope.dashboard.keeping.holding import Held, Hold
from tripletscope.dashboard.keeping.records import Records
from tripletscope.dashboard.keeping.recovery import recover
from tripletscope.dashboard.keeping.rows import DATA, files_of
from tripletscope.dashboard.keeping.storage import File, Storage, file_of
from tripletscope.dashboard.keeping.trash import Trash

log = logging.getLogger(__name__)

_opening = threading.Lock()


class Opened:
    """What every part of a workspace stands on. See `Workspace`."""

    def __init__(self, folder: Path) -> None:
        self.folder = Path(folder)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._hold = Hold(self.folder)
            try:
                with _opening:
                    self._open()
            except BaseException:
                self._hold.release()
                raise
        except Held as other:
            raise WorkspaceError(
                f"The workspace {self.folder} is in use by another TripletScope: {other}. Use "
                "that one, end it, or choose another folder with --workspace."
            ) from None
        except OSError as error:
            raise WorkspaceError(
                f"The workspace {self.folder} cannot be written ({error.strerror}). "
                "Choose another folder with --workspace."
            ) from error
        self._released: set[File] = set()
        self._n_keeping = 0
        self._files = threading.Lock()

    def _open(self) -> None:
        self.trash = Trash(self.folder)
        self._records = Records(self.folder)
        recovery = recover(self.folder, self.trash)
        self._back_up()  # before anything is brought up to date
        self._engine = open_catalogue(self.folder)
        self._writer = for_writing(self._engine)
        self._storage = Storage(self.folder, self.trash)
        with self._writing() as session:
            found = self._records.reconcile(session, restored=recovery.restored)
        self.notes = [note for note in (recovery.note, *found.notes) if note]
        self._unreadable = found.unreadable
        if self._hold.is_first:  # or others may be writing them
            self._storage.remove_partial()
        self.trash.empty_old()

    def _back_up(self) -> None:
        """Copy the catalogue, if there is one; without a copy everything goes on."""
        self._backed_up = today()
        try:
            if (self.folder / FILE).exists():
                back_up(self.folder, self.trash)
        except (OSError, sqlite3.Error):
            log.warning("the catalogue could not be copied", exc_info=True)

    def close(self) -> None:
        """Let go of the catalogue and of the folder."""
        self._engine.dispose()
        self._hold.release()

    def announce(self, address: str) -> None:
        """Let other processes that want this workspace know where it is served."""
        self._hold.announce(address)

    @contextmanager
    def _reading(self) -> Iterator[Session]:
        with Session(self._engine) as session, session.begin():
            yield session

    @contextmanager
    def _writing(self) -> Iterator[Session]:
        """A transaction in which nobody else writes, so that what it reads stays true."""
        with Session(self._writer) as session, session.begin():
            yield session
        if self._backed_up != today():
            self._back_up()

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
        columns = [getattr(DatasetRow, name) for name in (*DATA, "pictures")]
        with self._reading() as session:
            used = {file_of("runs", file) for file in session.scalars(select(RunRow.file))}
            for row in session.execute(select(*columns)):
                used |= files_of(row)
        self._storage.remove(self._released - used)
        self._released.clear()
