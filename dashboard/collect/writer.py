"""The log of an experiment: one file, one writer, and no reply before the disk has it.

One thread does all waiting jobs in order and commits them together: many simultaneous answers cost
little more than one. After a failed commit none of them has happened. Answers are ordered by
serial, and durations come from a steady clock; only dates follow the computer's clock.
"""

from __future__ import annotations

import logging
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

_logger = logging.getLogger(__name__)

FILE = "answers.sqlite"
_MOST = 512  # jobs in one commit
#: Seconds to wait for another program that writes, such as the dashboard.
_PATIENCE = 5.0
_JOURNAL = 2**25  # bytes of the emptied journal on disk

Made = TypeVar("Made")

_TABLES = """
CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS people (
    number INTEGER PRIMARY KEY, person TEXT, simulated INTEGER NOT NULL,
    state TEXT NOT NULL, parameters TEXT NOT NULL, device TEXT NOT NULL, tab TEXT NOT NULL,
    code TEXT NOT NULL, failed INTEGER NOT NULL DEFAULT 0, began TEXT NOT NULL, seen TEXT NOT NULL,
    finished TEXT, began_ms REAL NOT NULL, finished_ms REAL, UNIQUE (person, simulated)
);
CREATE TABLE IF NOT EXISTS tokens (hash TEXT PRIMARY KEY, number INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS tokens_of ON tokens (number);
CREATE TABLE IF NOT EXISTS questions (
    number INTEGER, place INTEGER, key TEXT NOT NULL, record TEXT, served_at TEXT,
    answer INTEGER, PRIMARY KEY (number, place), UNIQUE (number, key)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS answers (
    serial INTEGER PRIMARY KEY, number INTEGER NOT NULL, id TEXT NOT NULL, key TEXT NOT NULL,
    chosen TEXT NOT NULL, rt_ms REAL, shown_ms REAL, at_ms REAL, clock_ms REAL, input TEXT,
    received_at TEXT NOT NULL, steady_ms REAL NOT NULL, is_right INTEGER, UNIQUE (number, id)
);
CREATE TABLE IF NOT EXISTS events (
    serial INTEGER PRIMARY KEY, number INTEGER NOT NULL, id TEXT NOT NULL, what TEXT NOT NULL,
    at_ms REAL, clock_ms REAL, received_at TEXT NOT NULL, steady_ms REAL NOT NULL,
    UNIQUE (number, id)
);
CREATE TABLE IF NOT EXISTS refused (
    serial INTEGER PRIMARY KEY, number INTEGER, what TEXT NOT NULL, why TEXT NOT NULL,
    given TEXT NOT NULL, received_at TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS refused_of ON refused (number);
CREATE TABLE IF NOT EXISTS queue (
    id INTEGER PRIMARY KEY, shown TEXT NOT NULL, source TEXT NOT NULL, made_at TEXT NOT NULL,
    n_answers_then INTEGER NOT NULL, taken_by INTEGER, taken_at TEXT
);
CREATE INDEX IF NOT EXISTS queue_free ON queue (id) WHERE taken_by IS NULL;
"""


class NotKept(Exception):
    """Nothing was written: the disk is full or failing, or another program writes."""

    def __init__(self, message: str, is_full: bool) -> None:
        super().__init__(message)
        self.is_full = is_full


class SteadyClock:
    """Milliseconds for durations, monotonic through restarts; it stands still between them.

    start: Its last value.
    """

    def __init__(self, start: float) -> None:
        self._start = start
        self._since = time.monotonic()

    def now(self) -> float:
        """Its value."""
        return self._start + 1000 * (time.monotonic() - self._since)


class AnswerLog:
    """The only writer of the log in an experiment's folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._jobs: queue.SimpleQueue[tuple[Callable, Future] | None] = queue.SimpleQueue()
        self._fails = False
        with _as_not_kept():
            self._log = opened(folder)
        shown = self._log.execute(
            "SELECT max((SELECT coalesce(max(max(began_ms), max(coalesce(finished_ms, 0))), 0) "
            "FROM people), (SELECT coalesce(max(steady_ms), 0) FROM answers WHERE serial = "
            "(SELECT max(serial) FROM answers)))"
        ).fetchone()[0]
        self.clock = SteadyClock(shown)
        self._thread = threading.Thread(target=self._run, name="answer log", daemon=True)
        self._thread.start()

    def ask(self, job: Callable[[sqlite3.Connection], Made]) -> Future[Made]:
        """Do a job; its result comes when it is on disk.

        A job that raises is undone; with `NotKept` all jobs of the same commit are.
        """
        answer: Future[Made] = Future()
        self._jobs.put((job, answer))
        return answer

    def close(self) -> None:
        """Do the waiting jobs, and end."""
        self._jobs.put(None)
        self._thread.join()
        with suppress(sqlite3.Error):
            self._log.close()

    def _run(self) -> None:
        going = True
        while going:
            jobs = [self._jobs.get()]
            with suppress(queue.Empty):
                while len(jobs) < _MOST:
                    jobs.append(self._jobs.get_nowait())
            going = None not in jobs
            self._do([job for job in jobs if job is not None])

    def _do(self, jobs: list[tuple[Callable, Future]]) -> None:
        """Do jobs, commit them together, and only then set their results."""
        done, before = [], self._log.total_changes
        try:
            with kept(self._log) as log:
                for job, answer in jobs:
                    log.execute("SAVEPOINT job")
                    try:
                        result = job(log)
                    except sqlite3.Error:
                        raise
                    except Exception as error:
                        log.execute("ROLLBACK TO job")
                        done.append((answer.set_exception, error))
                    else:
                        done.append((answer.set_result, result))
                    log.execute("RELEASE job")
        except sqlite3.Error as error:
            refusal = _not_kept(error)
            if not refusal.is_full:
                self._open_again()
            if not self._fails:  # once: the message may go to the same disk
                _logger.error("nothing can be kept: %s", refusal)
            self._fails = True
            done = [(answer.set_exception, refusal) for _, answer in jobs]
        else:
            if self._fails and self._log.total_changes > before:  # reading needs no room
                _logger.warning("answers are kept again")
                self._fails = False
        for tell, what in done:
            tell(what)

    def _open_again(self) -> None:
        """Replace a connection whose state may be wrong after a failure."""
        with suppress(sqlite3.Error):
            fresh = opened(self._folder)
            self._log.close()
            self._log = fresh


def _not_kept(error: sqlite3.Error) -> NotKept:
    # Extended codes of the system's own errors end in that of the family.
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
        return NotKept(f"the disk is full or failing ({error})", True)
    return NotKept(f"the log of answers cannot be written now ({error})", False)


@contextmanager
def _as_not_kept() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise _not_kept(error) from None


def opened(folder: Path) -> sqlite3.Connection:
    """The log of an experiment for writing; it is made if it is missing."""
    log = sqlite3.connect(
        folder / FILE, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
    )
    log.row_factory = sqlite3.Row
    try:
        log.execute("PRAGMA journal_mode = WAL")
        log.execute("PRAGMA synchronous = FULL")  # a commit waits for the disk
        log.execute("PRAGMA fullfsync = ON")  # for macOS
        log.execute("PRAGMA secure_delete = ON")  # deleted rows are overwritten
        log.execute("PRAGMA temp_store = MEMORY")
        log.execute(f"PRAGMA journal_size_limit = {_JOURNAL}")
        with kept(log):
            _make_tables(log)
            log.execute("INSERT OR IGNORE INTO settings VALUES ('state', 'open')")
    except BaseException:
        log.close()
        raise
    return log


def _make_tables(log: sqlite3.Connection) -> None:
    for statement in _TABLES.split(";\n"):
        log.execute(statement)


@contextmanager
def kept(log: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """A transaction: afterwards all of it is on disk, or nothing has happened."""
    log.execute("BEGIN IMMEDIATE")
    try:
        yield log
        log.execute("COMMIT")
    except BaseException:
        if log.in_transaction:  # a full disk has ended it already
            log.execute("ROLLBACK")
        raise


@contextmanager
def writing(folder: Path) -> Iterator[sqlite3.Connection]:
    """A transaction of a program other than the server."""
    with _as_not_kept(), closing(opened(folder)) as log, kept(log):
        yield log


@contextmanager
def reading(folder: Path) -> Iterator[sqlite3.Connection]:
    """The log as it is at this moment, read-only; an empty one where there is none."""
    file = folder / FILE
    exists = file.exists()
    address = f"{file.resolve().as_uri()}?mode=ro" if exists else ":memory:"
    log = sqlite3.connect(address, uri=True, timeout=_PATIENCE, isolation_level=None)
    with closing(log):
        log.row_factory = sqlite3.Row
        if not exists:
            _make_tables(log)
        log.execute("BEGIN")  # a snapshot
        yield log


def copied(folder: Path) -> bytes:
    """The log as it is at this moment, as a file of SQLite; nobody waits for it."""
    with TemporaryDirectory() as place:
        target = Path(place) / FILE
        with reading(folder) as log, closing(sqlite3.connect(target)) as copy:
            log.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")  # all of it is in one file
        return target.read_bytes()


def overwrite(folder: Path) -> None:
    """Remove deleted rows from the files of a log for good; others wait meanwhile."""
    with _as_not_kept(), closing(opened(folder)) as log:
        log.execute("VACUUM")
        is_busy, *_ = log.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    if is_busy:
        raise NotKept("deleted data are still in the log's journal, which another program reads; "
                      "try again in a moment", False)


def n_rows(log: sqlite3.Connection, of: str, *values: Any) -> int:
    """Number of rows of a table; `of` is its name, and maybe joins and a condition."""
    return log.execute(f"SELECT count(*) FROM {of}", values).fetchone()[0]


def setting(log: sqlite3.Connection, name: str, default: str | int = "") -> str | int:
    """A setting of a log."""
    row = log.execute("SELECT value FROM settings WHERE name = ?", (name,)).fetchone()
    return default if row is None else row[0]


def set_setting(log: sqlite3.Connection, name: str, value: str | int) -> None:
    """Write a setting of a log."""
    log.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", (name, value))


def now() -> str:
    """Date and time for the log, by the computer's clock."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
