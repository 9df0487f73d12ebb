"""What survives a refresh and a restart: data sets, runs, pictures and open sessions.

A workspace is a folder with a SQLite catalogue and files named by the hash of their content.
Files are written whole before the catalogue mentions them, so that a crash at any moment loses
at most what was being written, and leaves a catalogue that opens.
"""

from __future__ import annotations

import hashlib
import io
import os
import secrets
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from PIL import Image
from sqlalchemy import JSON, ForeignKey, Integer, String, create_engine, event, select, text
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

from core.run import Run
from core.triplets import Triplets

_SCHEMA = 1
_ROLES = ["anchor", "near", "far"]
_IN_MEMORY = 2**28  # bytes of arrays of runs


class WorkspaceError(Exception):
    """The workspace cannot be used; the message says why and what to do."""


class _Base(DeclarativeBase):
    type_annotation_map = {dict[str, Any]: JSON, list[str]: JSON}  # noqa: RUF012


class _Dataset(_Base):
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


class _Run(_Base):
    __tablename__ = "runs"
    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    dataset: Mapped[str] = mapped_column(ForeignKey("datasets.id", ondelete="CASCADE"), index=True)
    key: Mapped[str] = mapped_column(String, index=True)
    name: Mapped[str]
    task: Mapped[str]
    complete: Mapped[bool]
    created: Mapped[str]
    file: Mapped[str]
    record: Mapped[dict[str, Any]]


class _Session(_Base):
    __tablename__ = "sessions"
    id: Mapped[str] = mapped_column(String, primary_key=True)
    saved: Mapped[str]
    state: Mapped[dict[str, Any]]


@dataclass(frozen=True)
class DatasetInfo:
    """A data set as the catalogue lists it."""

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


@dataclass(frozen=True)
class RunInfo:
    """A run as the catalogue lists it: everything but its arrays."""

    id: int
    dataset: str
    key: str
    name: str
    task: str
    complete: bool
    created: str
    record: dict[str, Any]


class Workspace:
    """A folder that keeps data sets, runs, pictures and sessions.

    Parameters
    ----------
    folder : Path
        Made if it does not exist.

    Raises
    ------
    WorkspaceError
        If the folder cannot be written, or was made by a newer version.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = Path(folder)
        try:
            for part in ("data", "runs", "pictures"):
                (self.folder / part).mkdir(parents=True, exist_ok=True)
                for stale in (self.folder / part).glob("*.partial"):
                    stale.unlink(missing_ok=True)
        except OSError as error:
            raise WorkspaceError(
                f"The workspace {self.folder} cannot be written ({error.strerror}). "
                "Choose another folder with --workspace."
            ) from error
        self._engine = create_engine(
            f"sqlite:///{self.folder / 'catalogue.sqlite'}", connect_args={"timeout": 30}
        )
        event.listen(self._engine, "connect", _configure)
        self._check_schema()
        self._loaded: OrderedDict[str, Triplets] = OrderedDict()
        self._object_ids: dict[str, str] = {}
        self._arrays: OrderedDict[str, dict[str, np.ndarray]] = OrderedDict()
        self._lock = threading.Lock()

    def _check_schema(self) -> None:
        with self._engine.begin() as connection:
            found = connection.execute(text("PRAGMA user_version")).scalar_one()
            if found > _SCHEMA:
                raise WorkspaceError(
                    f"The workspace {self.folder} was made by a newer version of TripletScope. "
                    "Update the program, or choose another folder with --workspace."
                )
            _Base.metadata.create_all(connection)
            connection.execute(text(f"PRAGMA user_version = {_SCHEMA}"))

    def close(self) -> None:
        """Let go of the catalogue."""
        self._engine.dispose()

    @contextmanager
    def _session(self) -> Iterator[Session]:
        with Session(self._engine) as session, session.begin():
            yield session

    # Data sets -----------------------------------------------------------------------------

    def add_dataset(
        self,
        triplets: Triplets,
        *,
        origin: str,
        report: list[str],
        pictures: Mapping[str, bytes] | None = None,
    ) -> DatasetInfo:
        """Keep a data set.

        Parameters
        ----------
        triplets : Triplets
        origin : str
            Where it came from: a file's name, or ``sample:`` and the name of a sample.
        report : list of str
            What was read and what was left out.
        pictures : mapping of str to bytes
            Pictures by the name that column ``image`` of the objects uses.
        """
        self._write_triplets(triplets)
        now = _now()
        row = _Dataset(
            id=secrets.token_hex(8), name=triplets.name, origin=origin, created=now, opened=now,
            report=report, pictures=self._write_pictures(pictures or {}), **_facts(triplets),
        )
        with self._session() as session:
            session.add(row)
            session.flush()
            return _info(row)

    def update_dataset(
        self, dataset: str, triplets: Triplets, pictures: Mapping[str, bytes] | None = None
    ) -> DatasetInfo:
        """Put a new version in the place of a data set, adding `pictures` to those it has."""
        self._write_triplets(triplets)
        added = self._write_pictures(pictures or {})
        with self._session() as session:
            row = session.get_one(_Dataset, dataset)
            for name, value in _facts(triplets).items():
                setattr(row, name, value)
            row.pictures = {**row.pictures, **added}
            info = _info(row)
        self._remove_unused()
        return info

    def datasets(self) -> list[DatasetInfo]:
        """All data sets, the last opened first."""
        with self._session() as session:
            rows = session.scalars(select(_Dataset).order_by(_Dataset.opened.desc()))
            return [_info(row) for row in rows]

    def dataset(self, dataset: str) -> DatasetInfo | None:
        """One data set, or None if it is not there (any more)."""
        with self._session() as session:
            row = session.get(_Dataset, dataset)
            return _info(row) if row else None

    def triplets(self, info: DatasetInfo) -> Triplets:
        """The content of a data set. The last few are held in memory."""
        with self._lock:
            if info.fingerprint in self._loaded:
                self._loaded.move_to_end(info.fingerprint)
                return self._loaded[info.fingerprint].renamed(info.name)
        answers = pd.read_parquet(self._data_file(info.fingerprint, "answers"))
        objects = pd.read_parquet(self._data_file(info.fingerprint, "objects"))
        triplets = Triplets(
            answers[_ROLES].to_numpy(), objects, answers.drop(columns=_ROLES), info.name
        )
        self._hold(info.fingerprint, triplets)
        return triplets

    def rename_dataset(self, dataset: str, name: str) -> None:
        with self._session() as session:
            session.get_one(_Dataset, dataset).name = name

    def touch(self, dataset: str) -> None:
        """Note that a data set was opened just now."""
        with self._session() as session:
            session.get_one(_Dataset, dataset).opened = _now()

    def delete_dataset(self, dataset: str) -> None:
        """Delete a data set and its runs."""
        with self._session() as session:
            row = session.get(_Dataset, dataset)
            if row:
                session.delete(row)
        self._remove_unused()

    def _data_file(self, fingerprint: str, table: str) -> Path:
        return self.folder / "data" / f"{fingerprint}.{table}.parquet"

    def _write_triplets(self, triplets: Triplets) -> None:
        answers = pd.concat(
            [pd.DataFrame(triplets.rows, columns=_ROLES), triplets.answers], axis=1
        )
        for name, table in (("answers", answers), ("objects", triplets.objects)):
            path = self._data_file(triplets.fingerprint, name)
            if not path.exists():
                with _whole(path) as file:
                    table.to_parquet(file)
        self._hold(triplets.fingerprint, triplets)

    def about_the_same_objects(self, info: DatasetInfo) -> list[DatasetInfo]:
        """The other data sets whose objects have the same ids in the same order."""
        return [
            other for other in self.datasets()
            if other.id != info.id and other.n_objects == info.n_objects
            and self._ids_of(other) == self._ids_of(info)
        ]

    def _ids_of(self, info: DatasetInfo) -> str:
        """Hash of the ids of a data set's objects; its file is read once."""
        if info.fingerprint not in self._object_ids:
            ids = "\0".join(self.triplets(info).ids)
            self._object_ids[info.fingerprint] = _hash(ids.encode())
        return self._object_ids[info.fingerprint]

    def _hold(self, fingerprint: str, triplets: Triplets, at_most: int = 4) -> None:
        with self._lock:
            self._loaded[fingerprint] = triplets
            self._loaded.move_to_end(fingerprint)
            while len(self._loaded) > at_most:
                self._loaded.popitem(last=False)

    # Pictures ------------------------------------------------------------------------------

    def _write_pictures(self, pictures: Mapping[str, bytes]) -> dict[str, str]:
        """Name of the file of every picture, by its name."""
        files = {}
        for name, content in pictures.items():
            with Image.open(io.BytesIO(content)) as image:
                ending = (image.format or "png").lower()
            files[name] = f"{_hash(content)}.{ending}"
            path = self.folder / "pictures" / files[name]
            if not path.exists():
                with _whole(path) as file:
                    file.write(content)
        return files

    def picture(self, file: str, size: int | None = None) -> Path:
        """Path of a picture; with `size`, of a PNG at most so many pixels wide and high.

        Raises
        ------
        FileNotFoundError
            If there is no such picture.
        """
        original = self.folder / "pictures" / Path(file).name
        if not original.is_file():
            raise FileNotFoundError(file)
        if size is None:
            return original
        small = original.with_name(f"{original.stem}.{size}px.png")
        if not small.exists():
            with Image.open(original) as image, _whole(small) as target:
                image.thumbnail((size, size), Image.Resampling.LANCZOS)
                image.convert("RGBA").save(target, "PNG", optimize=True)
        return small

    # Runs ----------------------------------------------------------------------------------

    def add_run(self, dataset: str, run: Run, name: str) -> RunInfo:
        """Keep a run of a data set; a run of the same key is replaced."""
        buffer = io.BytesIO()
        np.savez_compressed(buffer, **run.arrays)
        file = f"{_hash(buffer.getvalue())}.npz"
        with _whole(self.folder / "runs" / file) as target:
            target.write(buffer.getvalue())
        record = {name: value for name, value in vars(run).items() if name != "arrays"}
        with self._session() as session:
            same = select(_Run).where(_Run.dataset == dataset, _Run.key == run.key)
            row = session.scalar(same) or _Run(dataset=dataset, key=run.key, name=name)
            row.task, row.complete, row.created = run.task, run.complete, run.created
            row.file, row.record = file, record
            session.add(row)
            session.flush()
            info = _run_info(row)
        self._remove_unused()
        return info

    def runs(
        self, dataset: str, task: str | None = None, kind: str | None = None
    ) -> list[RunInfo]:
        """The runs of a data set, of a task, with methods of a kind; the newest first."""
        wanted = select(_Run).where(_Run.dataset == dataset).order_by(_Run.id.desc())
        if task is not None:
            wanted = wanted.where(_Run.task == task)
        with self._session() as session:
            found = [_run_info(row) for row in session.scalars(wanted)]
        return [run for run in found if kind in (None, run.record["kind"])]

    def run(self, dataset: str, key: str) -> Run | None:
        """The run of a key, whole or stopped early, or None."""
        with self._session() as session:
            row = session.scalar(select(_Run).where(_Run.dataset == dataset, _Run.key == key))
            if row is None:
                return None
            file, record = row.file, row.record
        return Run(**record, arrays=dict(self._arrays_of(file)))

    def _arrays_of(self, file: str) -> dict[str, np.ndarray]:
        """What a file of a run holds, read-only; the last ones stay in memory."""
        with self._lock:
            found = self._arrays.get(file)
            if found is not None:
                self._arrays.move_to_end(file)
                return found
        with np.load(self.folder / "runs" / file) as arrays:
            found = dict(arrays)
        for array in found.values():
            array.setflags(write=False)
        with self._lock:
            self._arrays[file] = found
            while len(self._arrays) > 1 and sum(map(_size, self._arrays.values())) > _IN_MEMORY:
                self._arrays.popitem(last=False)
        return found

    def rename_run(self, run: int, name: str) -> None:
        with self._session() as session:
            session.get_one(_Run, run).name = name

    def delete_run(self, run: int) -> None:
        """Delete a fit together with what was computed for it, or any other run alone."""
        with self._session() as session:
            row = session.get(_Run, run)
            if row is None:
                return
            doomed = [row]
            if row.task == "fit":
                others = session.scalars(select(_Run).where(_Run.dataset == row.dataset))
                doomed += [other for other in others if _same_method(other, row)]
            for one in doomed:
                session.delete(one)
        self._remove_unused()

    # Sessions ------------------------------------------------------------------------------

    def session(self, session_id: str) -> dict[str, Any] | None:
        """What was saved of a browser session, or None."""
        with self._session() as session:
            row = session.get(_Session, session_id)
            return dict(row.state) if row else None

    def save_session(self, session_id: str, state: dict[str, Any]) -> None:
        with self._session() as session:
            session.merge(_Session(id=session_id, saved=_now(), state=state))

    # Files ---------------------------------------------------------------------------------

    def _remove_unused(self) -> None:
        """Delete files that the catalogue no longer mentions."""
        with self._session() as session:
            fingerprints = set(session.scalars(select(_Dataset.fingerprint)))
            runs = set(session.scalars(select(_Run.file)))
            pictures = {
                Path(file).stem
                for used in session.scalars(select(_Dataset.pictures))
                for file in used.values()
            }
        used = {"data": fingerprints, "runs": {Path(file).stem for file in runs},
                "pictures": pictures}
        # A file that was just written may be about to be mentioned.
        recent = datetime.now(UTC).timestamp() - 60
        for part, stems in used.items():
            for path in (self.folder / part).iterdir():
                if path.name.split(".")[0] not in stems and path.stat().st_mtime < recent:
                    path.unlink(missing_ok=True)


def _configure(connection: Any, record: Any) -> None:
    cursor = connection.cursor()
    # A write-ahead log keeps readers going during a write and survives a killed process.
    cursor.execute("PRAGMA journal_mode = WAL")
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.close()


@contextmanager
def _whole(path: Path) -> Iterator[io.BufferedWriter]:
    """A file that appears under its name only when it is complete."""
    partial = path.with_name(f"{path.name}.{secrets.token_hex(4)}.partial")
    try:
        with partial.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)


def _facts(triplets: Triplets) -> dict[str, Any]:
    participants = triplets.answers.get("participant", pd.Series(dtype=str))
    return {
        "fingerprint": triplets.fingerprint,
        "n_objects": triplets.n_objects,
        "n_answers": len(triplets),
        "n_participants": int(participants.nunique()),
    }


def _info(row: _Dataset) -> DatasetInfo:
    return DatasetInfo(**{name: getattr(row, name) for name in DatasetInfo.__annotations__})


def _run_info(row: _Run) -> RunInfo:
    return RunInfo(**{name: getattr(row, name) for name in RunInfo.__annotations__})


def _size(arrays: Mapping[str, np.ndarray]) -> int:
    return sum(array.nbytes for array in arrays.values())


def _same_method(other: _Run, fit: _Run) -> bool:
    names = ("kind", "method", "parameters")
    # A method that was fitted to uploaded distances has nothing to do with the answers.
    uploaded = [run.record["options"].get("distances") for run in (other, fit)]
    return (
        other.id != fit.id and uploaded[0] == uploaded[1]
        and all(other.record[n] == fit.record[n] for n in names)
    )


def _hash(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")
