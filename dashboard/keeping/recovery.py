"""What is done about a catalogue that is lost: from the newest sound backup, or from the files."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from tripletscope.dashboard.keeping.arrays import whole_file
from tripletscope.dashboard.keeping.backups import backups, copy_catalogue, day_of, sound_backups
from tripletscope.dashboard.keeping.catalogue import FILE, fault_of, has_log, lost, open_read_only
from tripletscope.dashboard.keeping.records import Records
from tripletscope.dashboard.keeping.storage import holds_files
from tripletscope.dashboard.keeping.trash import Trash


@dataclass(frozen=True)
class Recovery:
    """What was done before a catalogue could be opened.

    note: What the user has to know; empty where nothing was done.
    restored: Whether the catalogue may list what was deleted since.
    """

    note: str = ""
    restored: bool = False


def recover(workspace: Path, trash: Trash, into: Path | None = None) -> Recovery:
    """Put a sound catalogue in the place of a lost one, which goes to the trash.

    into: Put it there instead, and leave the workspace as it is.
    """
    path, records = workspace / FILE, Records(workspace)
    fault = fault_of(path)
    if fault is None:
        if not _lists_nothing(path) or not holds_files(workspace) or records.exist():
            return _as_it_is(path, into)
        useful = [backup for backup in sound_backups(workspace) if _has_files(workspace, backup)]
        if not useful:
            return _as_it_is(path, into)
        fault = "listed nothing"
    else:
        unused = not (holds_files(workspace) or records.exist() or backups(workspace))
        if unused and fault not in ("is damaged", "is a folder") and not has_log(path):
            return Recovery()
        useful = sound_backups(workspace)
    if not useful and not records.exist():
        raise lost(path, fault)
    aside = [path, *(path.with_name(f"{path.name}-{end}") for end in ("wal", "shm"))]
    if into is None:
        trash.move([each for each in aside if each.exists()])
    was = fault.replace("is ", "was ")
    if not useful:
        return Recovery(
            f"The catalogue of the workspace {was}. The list of data sets was made again from the "
            "files; which of them belonged to which browser session is not known.", True,
        )
    with whole_file((into or workspace) / FILE) as target, useful[0].open("rb") as source:
        shutil.copyfileobj(source, target)
    return Recovery(
        f"The catalogue of the workspace {was}. It was restored from the backup of "
        f"{day_of(useful[0])}, and brought up to date from the files.", True,
    )


def _as_it_is(path: Path, into: Path | None) -> Recovery:
    if into is not None:
        try:
            copy_catalogue(path, into / FILE)
        except sqlite3.Error:  # SQLite itself would have to write; then nobody else does
            for each in (path, path.with_name(f"{path.name}-wal")):
                if each.exists():
                    shutil.copyfile(each, into / each.name)
    return Recovery()


def _lists_nothing(path: Path) -> bool:
    with closing(open_read_only(path)) as database:
        ask = "SELECT EXISTS (SELECT * FROM datasets) + EXISTS (SELECT * FROM runs)"
        try:
            return database.execute(ask).fetchone() == (0,)
        except sqlite3.DatabaseError:  # of a newer version, or SQLite cannot write beside it
            return False


def _has_files(workspace: Path, backup: Path) -> bool:
    """Whether a backup lists something that is still there."""
    with closing(sqlite3.connect(backup)) as database:
        names = [name for name, in database.execute("SELECT imported FROM datasets")]
    return any((workspace / "data" / f"{name}.answers.parquet").is_file() for name in names)
