"""The catalogue of a workspace: its tables in SQLite, and what is said of their rows."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import (
    JSON,
    Connection,
    Engine,
    ForeignKey,
    Integer,
    String,
    create_engine,
    event,
    exc,
    inspect,
    text,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

#: What the catalogue of a workspace is called.
FILE = "catalogue.sqlite"
_SCHEMA = 2
_PATIENCE = 30  # seconds to wait for others that write


class WorkspaceError(Exception):
    """The workspace cannot be used; the message says why and what to do."""


class _Base(DeclarativeBase):
    type_annotation_map = {  # noqa: RUF012
        dict[str, Any]: JSON, list[str]: JSON, list[dict[str, Any]]: JSON,
    }


class DatasetRow(_Base):
    __tablename__ = "datasets"
    id: Mapped[str] = mapped_column(String, primary_key=True)
    name: Mapped[str]
    origin: Mapped[str]
    created: Mapped[str]
    opened: Mapped[str]
    fingerprint: Mapped[str]
    n_objects: Mapped[int]
    n_answers: Mapped[int]
    n_participants: Mapped[int]
    report: Mapped[list[str]]
    pictures: Mapped[dict[str, Any]]
    imported: Mapped[str]
    exclusions: Mapped[list[dict[str, Any]]]
    gold: Mapped[str | None]
    catch_trials: Mapped[str | None]
    pairs: Mapped[str | None]
    n_pairs: Mapped[int]
    extra: Mapped[dict[str, Any]]


class RunRow(_Base):
    __tablename__ = "runs"
    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    dataset: Mapped[str | None] = mapped_column(
        ForeignKey("datasets.id", ondelete="CASCADE"), index=True
    )
    exclusions: Mapped[str | None]
    key: Mapped[str] = mapped_column(String, index=True)
    name: Mapped[str]
    task: Mapped[str]
    complete: Mapped[bool]
    created: Mapped[str]
    file: Mapped[str]
    record: Mapped[dict[str, Any]]


class SessionRow(_Base):
    __tablename__ = "sessions"
    id: Mapped[str] = mapped_column(String, primary_key=True)
    saved: Mapped[str]
    state: Mapped[dict[str, Any]]


@dataclass(frozen=True)
class DatasetInfo:
    """A data set as the catalogue lists it.

    fingerprint, imported: Of the triplets that are not left out, and of all that were imported.
    exclusions: `tripletscope.core.studies.quality.Cleaning.log`.
    gold, catch_trials, pairs: Names of the files with gold questions, catch trials and comparisons
        of pairs.
    n_pairs: Answers that compare two pairs of objects, without those left out where all do.
    extra: Plain values: what importing notes, such as how the file was read, and what is kept
        beside the data, such as how its report is set.
    """

    id: str
    name: str
    origin: str
    created: str
    opened: str
    fingerprint: str
    n_objects: int
    n_answers: int
    n_participants: int
    report: list[str]
    pictures: dict[str, str]
    imported: str
    exclusions: list[dict[str, Any]]
    gold: str | None
    catch_trials: str | None
    pairs: str | None
    n_pairs: int
    extra: dict[str, Any]

    @property
    def state(self) -> str:
        """Hash of what is left out; empty where nothing is."""
        return state_of(self.exclusions, self.gold)

    @property
    def n_trials(self) -> int | None:
        """Trials in which the answers were given; None if each has its own, or none is known."""
        trials = self.extra.get("trials")
        return trials if isinstance(trials, int) else None

    @property
    def has_only_pairs(self) -> bool:
        """Whether all answers compare two pairs of objects without one in common."""
        return not self.n_answers and self.n_pairs > 0

    @property
    def left_out(self) -> str:
        """What is left out, as a sentence; empty where nothing is."""
        if not self.exclusions:
            return ""
        weighted = any(step["rule"] == "weights" for step in self.exclusions)
        weights = "Participants are weighted by their lapse rates." if weighted else ""
        if weighted and all(step["rule"] == "weights" for step in self.exclusions):
            return weights
        number = sum(step["removed_answers"] for step in self.exclusions)
        people = sum(len(step["removed_participants"]) for step in self.exclusions)
        words = f", {people:,} participant{'s' * (people != 1)} entirely" if people else ""
        used = self.n_pairs if self.has_only_pairs else self.n_answers
        return f"Excluded: {number:,} of {used + number:,} answers{words}. {weights}".strip()

    @property
    def record(self) -> dict[str, Any]:
        """What the data are, as plain values for exports."""
        return {
            "name": self.name, "origin": self.origin, "fingerprint": self.fingerprint,
            "objects": self.n_objects, "answers": self.n_answers,
            "comparisons_of_pairs": self.n_pairs, "reading": self.report,
            "imported": self.imported, "exclusions": self.exclusions,
        }


@dataclass(frozen=True)
class RunInfo:
    """A run as the catalogue lists it: everything but its arrays.

    `dataset` is None for simulations.
    """

    id: int
    dataset: str | None
    key: str
    name: str
    task: str
    complete: bool
    created: str
    record: dict[str, Any]


def open_catalogue(folder: Path) -> Engine:
    """The catalogue of a folder, made or brought up to date where that is needed."""
    path = folder / FILE
    engine = create_engine(f"sqlite:///{path}", connect_args={"timeout": _PATIENCE})
    event.listen(engine, "connect", _configure)
    event.listen(engine, "begin", _begin)
    try:
        with for_writing(engine).begin() as connection:
            found = connection.execute(text("PRAGMA user_version")).scalar_one()
            if found > _SCHEMA:
                raise WorkspaceError(
                    f"The workspace {folder} was made by a newer version of TripletScope. "
                    "Update the program, or choose another folder with --workspace."
                )
            if found == 1:
                _upgrade(connection)
            if found < _SCHEMA:  # a full disk can be read as long as nothing is written
                _Base.metadata.create_all(connection)
                connection.execute(text(f"PRAGMA user_version = {_SCHEMA}"))
    except exc.OperationalError:
        engine.dispose()
        raise
    except exc.DatabaseError as error:
        raise lost(path, "is damaged") from error
    return engine


def for_writing(engine: Engine) -> Engine:
    """The same catalogue with transactions that write.

    They wait for one another at their beginning. One that first reads and then writes would fail
    at once, however long it may wait, where another has written between the two.
    """
    return engine.execution_options(begin="BEGIN IMMEDIATE")


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql(connection.get_execution_options().get("begin", "BEGIN"))


def _configure(connection: Any, record: Any) -> None:
    connection.isolation_level = None  # or the driver begins transactions itself, and later
    cursor = connection.cursor()
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            # A write-ahead log keeps readers going during a write and survives a killed process.
            cursor.execute("PRAGMA journal_mode = WAL")
            break
        except sqlite3.OperationalError as error:
            # Where several open a new folder at once, SQLite does not wait here by itself.
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(0.01)
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.close()


def open_read_only(path: Path) -> sqlite3.Connection:
    """A catalogue that is only looked at; the file is not touched."""
    return sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=_PATIENCE,
        check_same_thread=False,
    )


def shorten_log(folder: Path) -> None:
    """Give the room of the log of changes back to the disk, where nobody needs it."""
    with closing(sqlite3.connect(folder / FILE)) as database, suppress(sqlite3.Error):
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def fault_of(path: Path) -> str | None:
    """What is wrong with a catalogue, as the end of a sentence; None where nothing is."""
    if not path.exists():
        return "is missing"
    if path.is_dir():
        return "is a folder"
    if not path.stat().st_size:
        return "is empty"  # SQLite would make it one, and delete a log that it finds beside it
    try:
        with closing(open_read_only(path)) as database:
            (version,) = database.execute("PRAGMA user_version").fetchone()
            if version > _SCHEMA:
                return None  # which is said where it is opened
            tables = {name for name, in database.execute("SELECT name FROM sqlite_master")}
            if not tables:
                return "is empty"
            (verdict,) = database.execute("PRAGMA integrity_check(1)").fetchone()
    except sqlite3.OperationalError:
        return None  # it cannot be opened at all, which is said where it is opened for writing
    except sqlite3.DatabaseError:
        return "is damaged"
    whole = verdict == "ok" and tables.issuperset(_Base.metadata.tables)
    return None if whole else "is damaged"


def lost(path: Path, how: str) -> WorkspaceError:
    """What is said of a catalogue that is lost, with nothing to make it again from."""
    beside = (
        f" (but first move {path.name}-wal elsewhere, which belongs to the lost one)"
        if has_log(path) else ""
    )
    return WorkspaceError(
        f"The workspace {path.parent} has lost its catalogue: {path.name} {how}, there is no "
        "sound backup, and nothing else records what the other files contain. Nothing was changed "
        f"or deleted. Put back {path.name} from a backup{beside}, or name an empty folder with "
        "--workspace."
    )


def has_log(path: Path) -> bool:
    """Whether changes to a catalogue are left that are not yet part of it."""
    log = path.with_name(f"{path.name}-wal")
    return log.exists() and log.stat().st_size > 0


def _upgrade(connection: Connection) -> None:
    """From the first schema: exclusions, comparisons of pairs, and runs without a data set."""
    for name, kind in (
        ("imported", "VARCHAR NOT NULL DEFAULT ''"), ("exclusions", "JSON NOT NULL DEFAULT '[]'"),
        ("gold", "VARCHAR"), ("catch_trials", "VARCHAR"), ("pairs", "VARCHAR"),
        ("n_pairs", "INTEGER NOT NULL DEFAULT 0"), ("extra", "JSON NOT NULL DEFAULT '{}'"),
    ):
        connection.execute(text(f"ALTER TABLE datasets ADD COLUMN {name} {kind}"))
    connection.execute(text("UPDATE datasets SET imported = fingerprint"))
    # SQLite cannot let a column be empty that was not before.
    for index in inspect(connection).get_indexes("runs"):
        connection.execute(text(f"DROP INDEX {index['name']}"))
    connection.execute(text("ALTER TABLE runs RENAME TO runs_before"))
    _Base.metadata.create_all(connection)
    names = "id, dataset, key, name, task, complete, created, file, record"
    connection.execute(text(
        f"INSERT INTO runs ({names}, exclusions) SELECT {names}, '' FROM runs_before"
    ))
    connection.execute(text("DROP TABLE runs_before"))


def info_of(row: DatasetRow) -> DatasetInfo:
    return DatasetInfo(**{name: getattr(row, name) for name in DatasetInfo.__annotations__})


def run_info_of(row: RunRow) -> RunInfo:
    return RunInfo(**{name: getattr(row, name) for name in RunInfo.__annotations__})


def state_of(exclusions: list[dict[str, Any]], gold: str | None) -> str:
    """Hash of what is left out, whatever the reasons; empty where nothing is."""
    if not exclusions:
        return ""
    steps = [[step[name] for name in ("rule", "parameters", "participants", "answers")]
             for step in exclusions]
    if gold and any(step["rule"] == "failed_checks" for step in exclusions):
        steps.append([gold])
    return hashlib.blake2b(
        json.dumps(steps, sort_keys=True).encode(), digest_size=16
    ).hexdigest()
