"""What the catalogue says, once more in small files: one for each data set and for each result.

From these the list of data sets is made again where the catalogue is lost. They are written before
a change of the catalogue is complete, and moved away before a deletion is, so that whatever is here
is at least as new as the catalogue.
"""

from __future__ import annotations

import json
import re
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, get_type_hints

from sqlalchemy import delete, select, text, update
from sqlalchemy.orm import Session

from tripletscope.dashboard.keeping.arrays import whole_file
from tripletscope.dashboard.keeping.catalogue import DatasetRow, RunRow
from tripletscope.dashboard.keeping.storage import PARTIAL
from tripletscope.dashboard.keeping.trash import Trash

NAME = "records"
_OF_DATASET = re.compile(r"([0-9a-f]{16})\.json")
_OF_RUN = re.compile(r"([0-9a-f]{16}|none)\.([0-9a-f]{32})\.json")
_VERSION = 1
_STEP = {"rule", "parameters", "participants", "answers", "removed_answers", "removed_participants"}
_RUN = {"kind", "method", "parameters", "options"}
#: Columns that belong to the catalogue alone: when a data set was looked at, and a running number.
_ITS_OWN = {DatasetRow: {"opened"}, RunRow: {"id"}}


@dataclass
class Reconciled:
    """What came of comparing the catalogue with the records.

    write: Whether records may be written.
    notes: What the user has to know.
    unreadable: Data sets whose entries are damaged, and of which there is no record either.
    """

    write: bool
    notes: list[str] = field(default_factory=list)
    unreadable: set[str] = field(default_factory=set)


class Records:
    """The records of a workspace.

    workspace: Its folder.
    """

    def __init__(self, workspace: Path) -> None:
        self._workspace = workspace
        self._folder = workspace / NAME
        self._changes = threading.local()

    @contextmanager
    def changing(self) -> Iterator[None]:
        """What is written meanwhile is taken back where this does not end well.

        That needs no room on the disk: earlier records stand by.
        """
        self._changes.made = made = []
        try:
            yield
        except BaseException:
            for path, earlier in reversed(made):
                with suppress(OSError):
                    earlier.replace(path) if earlier else path.unlink()
            raise
        finally:
            self._changes.made = None
            for _, earlier in made:
                with suppress(OSError):
                    if earlier:
                        earlier.unlink(missing_ok=True)

    def write(self, row: DatasetRow | RunRow) -> None:
        """Keep what a row says; on the disk before the catalogue is, over which it wins."""
        self._folder.mkdir(exist_ok=True)
        path, earlier = self.path(row), None
        content = json.dumps({"version": _VERSION, **columns_of(row)}, indent=1).encode()
        if path.exists():
            earlier = path.with_name(f"{path.name}.{secrets.token_hex(4)}.partial")
            path.replace(earlier)
        self._changes.made.append((path, earlier))
        with whole_file(path) as file:
            file.write(content)

    def remove_partial(self, trash: Trash) -> None:
        """Move to the trash what a process that was killed has left unfinished."""
        trash.take(path for path in sorted(self._folder.glob("*"))
                   if PARTIAL.fullmatch(path.name))

    def path(self, row: DatasetRow | RunRow) -> Path:
        """Where the record of a row is, or would be."""
        name = row.id if isinstance(row, DatasetRow) else f"{row.dataset or 'none'}.{row.key}"
        return self._folder / f"{name}.json"

    def of(self, dataset: str) -> list[Path]:
        """The records of a data set and its results."""
        return sorted(self._folder.glob(f"{dataset}.*json"))

    def exist(self) -> bool:
        """Whether there are records of any data set or result."""
        return any(
            _OF_DATASET.fullmatch(path.name) or _OF_RUN.fullmatch(path.name)
            for path in self._folder.glob("*.json")
        )

    # Comparing ----------------------------------------------------------------------------

    def reconcile(self, session: Session, *, restored: bool, write: bool) -> Reconciled:
        """Make catalogue and records say the same.

        session: In which the catalogue is written.
        restored: Whether the catalogue comes from a backup, and may list what was deleted since.
        write: Whether records may be written; otherwise they only tell what the catalogue lacks.
        """
        found = Reconciled(write=write)
        ids = set(session.scalars(select(DatasetRow.id)))
        for dataset in sorted(ids):
            self._reconcile_dataset(session, dataset, restored, found)
        listed = self._list_datasets(session, ids, found)
        if listed:
            names = ", ".join(listed[:5]) + (" and others" if len(listed) > 5 else "")
            found.notes.append(f"The catalogue did not list what the files contain: {names}. Now "
                               "it does.")
        session.flush()
        self._reconcile_runs(session, found)
        return found

    def _reconcile_dataset(
        self, session: Session, dataset: str, restored: bool, found: Reconciled
    ) -> None:
        row = _loaded(session, DatasetRow, dataset)
        path = self._folder / f"{dataset}.json"
        record = _read(path, DatasetRow)
        if record is not None:
            if row is None or _differ(row, record):
                session.execute(update(DatasetRow).where(DatasetRow.id == dataset).values(
                    **{**columns_of(record), "opened": row.opened if row else record.opened}
                ))
            if row is None:
                found.notes.append(
                    f"The entry of {record.name} in the catalogue was damaged. It was read from "
                    f"{NAME}/{path.name} instead."
                )
        elif row is None:
            found.unreadable.add(dataset)
            found.notes.append(
                f"The entry of the data set {dataset} in the catalogue is damaged, and it is not "
                "shown. Its files are left as they are; importing its file once more gives it back."
            )
        elif restored and not path.exists() and not self._has_files(row):
            session.execute(delete(DatasetRow).where(DatasetRow.id == dataset))
        elif found.write:
            self.write(row)

    def _list_datasets(self, session: Session, ids: set[str], found: Reconciled) -> list[str]:
        """List data sets that the catalogue does not; their names."""
        names = []
        for path in sorted(self._folder.glob("*.json")):
            named = _OF_DATASET.fullmatch(path.name)
            if named is None or named[1] in ids:
                continue
            record = _read(path, DatasetRow)
            if record is None:
                found.notes.append(f"{NAME}/{path.name} is damaged: it was to say what files of "
                                   "this workspace contain. They are left as they are.")
            elif self._has_files(record):
                session.add(record)
                names.append(record.name)
        return names

    def _reconcile_runs(self, session: Session, found: Reconciled) -> None:
        broken = session.execute(text(
            "SELECT id, dataset, key, name FROM runs WHERE"
            " CASE WHEN json_valid(record) THEN json_type(record) END IS NOT 'object'"
        )).all()
        for number, dataset, key, name in broken:
            session.execute(delete(RunRow).where(RunRow.id == number))
            if _read(self._folder / f"{dataset or 'none'}.{key}.json", RunRow) is None:
                found.notes.append(f"The entry of the result {name} was damaged and is no longer "
                                   "listed. It can be computed again.")
        ids = set(session.scalars(select(DatasetRow.id))) | {None}
        known = {(dataset or "none", key): number for number, dataset, key in
                 session.execute(select(RunRow.id, RunRow.dataset, RunRow.key))}
        recorded = set()
        for path in sorted(self._folder.glob("*.*.json")):
            named = _OF_RUN.fullmatch(path.name)
            if named is None:
                continue
            record = _read(path, RunRow)
            if record is None:
                continue
            recorded.add(named.groups())
            if named.groups() in known:
                self._reconcile_run(session, known[named.groups()], record)
            elif record.dataset in ids and self._has_files(record):
                record.id = None
                session.add(record)
        for place in sorted(known.keys() - recorded) if found.write else ():
            row = _loaded(session, RunRow, known[place])
            if row is not None:
                self.write(row)

    def _reconcile_run(self, session: Session, number: int, record: RunRow) -> None:
        row = _loaded(session, RunRow, number)
        if row is None or _differ(row, record):
            session.execute(update(RunRow).where(RunRow.id == number).values(
                **{**columns_of(record), "id": number}
            ))

    def _has_files(self, row: DatasetRow | RunRow) -> bool:
        if isinstance(row, RunRow):
            return (self._workspace / "runs" / Path(row.file).name).is_file()
        data = self._workspace / "data"
        return all((data / f"{row.imported}.{table}.parquet").is_file()
                   for table in ("answers", "objects"))


def columns_of(row: DatasetRow | RunRow) -> dict[str, Any]:
    """The values of a row by their columns."""
    return {column.key: getattr(row, column.key) for column in row.__table__.columns}


def is_sound(row: DatasetRow | RunRow) -> bool:
    """Whether the values of a row are of the kinds that the program counts on."""
    values = columns_of(row)
    if not all(isinstance(values[name], kind) for name, kind in _kinds(type(row)).items()
               if name != "id" or isinstance(row, DatasetRow)):
        return False
    try:
        datetime.fromisoformat(values["created"])
    except ValueError:
        return False
    if isinstance(row, RunRow):
        return set(row.record) >= _RUN
    return (
        all(isinstance(line, str) for line in row.report)
        and all(isinstance(file, str) for file in row.pictures.values())
        and all(isinstance(step, dict) and set(step) >= _STEP for step in row.exclusions)
    )


@cache
def _kinds(table: type) -> dict[str, Any]:
    hints = get_type_hints(table)
    found = {}
    for column in table.__table__.columns:
        (hint,) = hints[column.key].__args__  # of Mapped[...]
        found[column.key] = getattr(hint, "__origin__", hint)
    return found


def _loaded(session: Session, table: type, key: Any) -> Any | None:
    """A row of the catalogue; None if it is damaged."""
    try:
        row = session.get(table, key)
    except (ValueError, TypeError):  # what is no JSON, or text that is none
        return None
    return row if row is not None and is_sound(row) else None


def _read(path: Path, table: type) -> Any | None:
    """A record as a row; None if there is none, or it is damaged or of a newer version."""
    try:
        content = json.loads(path.read_bytes())
        if content.pop("version") != _VERSION:
            return None
        row = table(**{column.key: content[column.key] for column in table.__table__.columns})
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    named = (row.id,) if table is DatasetRow else (row.dataset or "none", row.key)
    return row if is_sound(row) and path.name == f"{'.'.join(map(str, named))}.json" else None


def _differ(row: Any, record: Any) -> bool:
    own = _ITS_OWN[type(row)]
    return any(
        value != getattr(record, name)
        for name, value in columns_of(row).items() if name not in own
    )
