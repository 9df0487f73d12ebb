"""Copies of the catalogue: made at every start and once a day of use, the last five kept.

They are numbered, because a clock may be set back.
"""

from __future__ import annotations

import re
import secrets
import sqlite3
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path

from tripletscope.dashboard.keeping.catalogue import FILE, fault_of, open_read_only
from tripletscope.dashboard.keeping.trash import Trash

NAME = "backups"
_KEPT = 5
_OWN = re.compile(r"catalogue-(\d{6})-(\d{4}-\d\d-\d\d)\.sqlite")


def back_up(workspace: Path, trash: Trash) -> None:
    """Copy the catalogue, which may be in use, unless it is as in the last copy."""
    folder = workspace / NAME
    folder.mkdir(exist_ok=True)
    earlier = backups(workspace)
    number = _number(earlier[0]) + 1 if earlier else 1
    target = folder / f"catalogue-{number:06d}-{today()}.sqlite"
    partial = target.with_name(f"{target.name}.{secrets.token_hex(4)}.partial")
    try:
        copy_catalogue(workspace / FILE, partial)
        if earlier and earlier[0].read_bytes() == partial.read_bytes():
            return
        partial.replace(target)
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
    trash.take(backups(workspace)[_KEPT:])


def copy_catalogue(source: Path, target: Path) -> None:
    """A consistent copy of a catalogue, whoever writes it meanwhile."""
    with closing(open_read_only(source)) as database, closing(sqlite3.connect(target)) as copy:
        copy.execute("PRAGMA synchronous = FULL")
        database.backup(copy)
        copy.execute("PRAGMA journal_mode = DELETE")  # one file, without a log beside it


def backups(workspace: Path) -> list[Path]:
    """The copies of a catalogue, the newest first."""
    found = (path for path in (workspace / NAME).glob("*") if _OWN.fullmatch(path.name))
    return sorted(found, key=_number, reverse=True)


def sound_backups(workspace: Path) -> list[Path]:
    """Those that are not damaged."""
    return [path for path in backups(workspace) if fault_of(path) is None]


def day_of(backup: Path) -> str:
    """The day on which a copy was made."""
    return _OWN.fullmatch(backup.name)[2]


def today() -> str:
    return datetime.now(UTC).date().isoformat()


def _number(path: Path) -> int:
    return int(_OWN.fullmatch(path.name)[1])
