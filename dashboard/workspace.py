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
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from PIL import Image
from sqlalchemy import Select, or_, select
from sqlalchemy.orm import Session

from core.files import Pairs
from core.quality import Cleaning
from core.run import Run
from core.triplets import Triplets
from dashboard.catalogue import (
    DatasetInfo,
    DatasetRow,
    RunInfo,
    RunRow,
    SessionRow,
    WorkspaceError,
    info_of,
    open_catalogue,
    run_info_of,
    state_of,
)

_ROLES = ["anchor", "near", "far"]
_PAIR_ROLES = ["i", "j", "k", "l"]
_IN_MEMORY = 2**28  # bytes of arrays of runs


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
        self._engine = open_catalogue(self.folder)
        self._loaded: OrderedDict[str, Triplets] = OrderedDict()
        self._object_ids: dict[str, str] = {}
        self._cleaning: tuple[tuple, Cleaning] | None = None
        self._arrays: OrderedDict[str, dict[str, np.ndarray]] = OrderedDict()
        self._lock = threading.Lock()

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
        catch_trials: pd.DataFrame | None = None,
        pairs: Pairs | None = None,
        extra: Mapping[str, Any] | None = None,
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
        catch_trials : DataFrame, optional
            As `core.files.Imported.catch_trials`.
        pairs : Pairs, optional
            Answers that compare two pairs of objects.
        extra : mapping, optional
            Plain values to keep along.
        """
        self._write_triplets(triplets)
        now = _now()
        row = DatasetRow(
            id=secrets.token_hex(8), name=triplets.name, origin=origin, created=now, opened=now,
            report=report, pictures=self._write_pictures(pictures or {}),
            imported=triplets.fingerprint, exclusions=[], gold=None,
            catch_trials=self._write_table(catch_trials),
            pairs=self._write_table(_pair_table(pairs) if pairs else None),
            n_pairs=len(pairs or ()), extra=dict(extra or {}), **_facts(triplets, pairs),
        )
        with self._session() as session:
            session.add(row)
            session.flush()
            return info_of(row)

    def update_dataset(
        self, dataset: str, cleaning: Cleaning, pictures: Mapping[str, bytes] | None = None
    ) -> DatasetInfo:
        """Change what a data set leaves out, its gold questions or what is known of its objects.

        `pictures` are added to those it has.
        """
        for triplets in (cleaning.raw, cleaning.triplets, cleaning.gold):
            if triplets is not None:
                self._write_triplets(triplets)
        added = self._write_pictures(pictures or {})
        with self._session() as session:
            row = session.get_one(DatasetRow, dataset)
            for name, value in _facts(cleaning.triplets, self.pairs(info_of(row))).items():
                setattr(row, name, value)
            row.imported, row.exclusions = cleaning.raw.fingerprint, cleaning.log()
            row.gold = cleaning.gold.fingerprint if cleaning.gold is not None else None
            row.pictures = {**row.pictures, **added}
            info = info_of(row)
        self._remove_unused()
        return info

    def datasets(self) -> list[DatasetInfo]:
        """All data sets, the last opened first."""
        with self._session() as session:
            rows = session.scalars(select(DatasetRow).order_by(DatasetRow.opened.desc()))
            return [info_of(row) for row in rows]

    def dataset(self, dataset: str) -> DatasetInfo | None:
        """One data set, or None if it is not there (any more)."""
        with self._session() as session:
            row = session.get(DatasetRow, dataset)
            return info_of(row) if row else None

    def triplets(self, info: DatasetInfo) -> Triplets:
        """The content of a data set. The last few are held in memory."""
        return self._triplets(info.fingerprint).renamed(info.name)

    def _triplets(self, fingerprint: str) -> Triplets:
        with self._lock:
            if fingerprint in self._loaded:
                self._loaded.move_to_end(fingerprint)
                return self._loaded[fingerprint]
        answers = pd.read_parquet(self._data_file(fingerprint, "answers"))
        objects = pd.read_parquet(self._data_file(fingerprint, "objects"))
        triplets = Triplets(answers[_ROLES].to_numpy(), objects, answers.drop(columns=_ROLES))
        self._hold(fingerprint, triplets)
        return triplets

    def cleaning(self, info: DatasetInfo) -> Cleaning:
        """What was imported, and what was left out of it."""
        wanted = (info.imported, info.gold, info.catch_trials, info.state, info.name)
        with self._lock:
            if self._cleaning and self._cleaning[0] == wanted:
                return self._cleaning[1]
        cleaning = Cleaning.from_log(
            self._triplets(info.imported).renamed(info.name), info.exclusions,
            self._table(info.catch_trials),
            self._triplets(info.gold).renamed("gold questions") if info.gold else None,
        )
        with self._lock:
            self._cleaning = wanted, cleaning
        return cleaning

    def pairs(self, info: DatasetInfo) -> Pairs | None:
        """Answers of a data set that compare two pairs of objects."""
        table = self._table(info.pairs)
        if table is None:
            return None
        return Pairs(
            table[_PAIR_ROLES].to_numpy(np.int32), table.drop(columns=[*_PAIR_ROLES, "file_row"]),
            table["file_row"].to_numpy(), info.n_objects,
        )

    def rename_dataset(self, dataset: str, name: str) -> None:
        with self._session() as session:
            session.get_one(DatasetRow, dataset).name = name

    def touch(self, dataset: str) -> None:
        """Note that a data set was opened just now."""
        with self._session() as session:
            session.get_one(DatasetRow, dataset).opened = _now()

    def delete_dataset(self, dataset: str) -> None:
        """Delete a data set and its runs."""
        with self._session() as session:
            row = session.get(DatasetRow, dataset)
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
            if path.exists():
                os.utime(path)  # not to be removed before it is mentioned again
                continue
            with _whole(path) as file:
                table.to_parquet(file)
        self._hold(triplets.fingerprint, triplets)

    def _write_table(self, table: pd.DataFrame | None) -> str | None:
        """Name under which a table is kept; None for none or an empty one."""
        if table is None or table.empty:
            return None
        buffer = io.BytesIO()
        table.to_parquet(buffer)
        name = _hash(buffer.getvalue())
        with _whole(self._data_file(name, "table")) as file:
            file.write(buffer.getvalue())
        return name

    def _table(self, name: str | None) -> pd.DataFrame | None:
        return pd.read_parquet(self._data_file(name, "table")) if name else None

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
            if path.exists():
                os.utime(path)
                continue
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

    def add_run(self, info: DatasetInfo | None, run: Run, name: str) -> RunInfo:
        """Keep a run of a data set as it was when `info` was read, or of none.

        A run of the same key is replaced.
        """
        buffer = io.BytesIO()
        np.savez_compressed(buffer, **run.arrays)
        file = f"{_hash(buffer.getvalue())}.npz"
        with _whole(self.folder / "runs" / file) as target:
            target.write(buffer.getvalue())
        record = {name: value for name, value in vars(run).items() if name != "arrays"}
        dataset = info.id if info else None
        # Given distances have nothing to do with the answers that are left out.
        free = info is None or "distances" in run.options
        with self._session() as session:
            row = session.scalar(_of(dataset, run.key)) or RunRow(
                dataset=dataset, key=run.key, name=name
            )
            row.exclusions = None if free else info.state
            row.task, row.complete, row.created = run.task, run.complete, run.created
            row.file, row.record = file, record
            session.add(row)
            session.flush()
            listed = run_info_of(row)
        self._remove_unused()
        return listed

    def runs(
        self, dataset: str | None, task: str | None = None, kind: str | None = None
    ) -> list[RunInfo]:
        """The runs of a data set, of a task, with methods of a kind; the newest first.

        Those that were computed while other answers were left out are not among them, and come
        back with these exclusions. None is for simulations, which belong to no data set.
        """
        wanted = select(RunRow).where(RunRow.dataset == dataset).order_by(RunRow.id.desc())
        if task is not None:
            wanted = wanted.where(RunRow.task == task)
        with self._session() as session:
            row = session.get(DatasetRow, dataset) if dataset else None
            if row is not None:
                now = state_of(row.exclusions, row.gold)
                wanted = wanted.where(or_(RunRow.exclusions == now, RunRow.exclusions.is_(None)))
            found = [run_info_of(row) for row in session.scalars(wanted)]
        return [run for run in found if kind in (None, run.record["kind"])]

    def run(self, dataset: str | None, key: str) -> Run | None:
        """The run of a key, whole or stopped early, or None."""
        with self._session() as session:
            row = session.scalar(_of(dataset, key))
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
            session.get_one(RunRow, run).name = name

    def delete_run(self, run: int) -> None:
        """Delete a fit together with what was computed for it, or any other run alone."""
        with self._session() as session:
            row = session.get(RunRow, run)
            if row is None:
                return
            doomed = [row]
            if row.task == "fit":
                others = session.scalars(select(RunRow).where(RunRow.dataset == row.dataset))
                doomed += [other for other in others if _same_method(other, row)]
            for one in doomed:
                session.delete(one)
        self._remove_unused()

    # Sessions ------------------------------------------------------------------------------

    def session(self, session_id: str) -> dict[str, Any] | None:
        """What was saved of a browser session, or None."""
        with self._session() as session:
            row = session.get(SessionRow, session_id)
            return dict(row.state) if row else None

    def save_session(self, session_id: str, state: dict[str, Any]) -> None:
        with self._session() as session:
            session.merge(SessionRow(id=session_id, saved=_now(), state=state))

    # Files ---------------------------------------------------------------------------------

    def _remove_unused(self) -> None:
        """Delete files that the catalogue no longer mentions."""
        with self._session() as session:
            data = {
                name for row in session.scalars(select(DatasetRow))
                for name in (row.fingerprint, row.imported, row.gold, row.catch_trials, row.pairs)
            }
            runs = set(session.scalars(select(RunRow.file)))
            pictures = {
                Path(file).stem
                for used in session.scalars(select(DatasetRow.pictures))
                for file in used.values()
            }
        used = {"data": data, "runs": {Path(file).stem for file in runs},
                "pictures": pictures}
        # A file that was just written may be about to be mentioned.
        recent = datetime.now(UTC).timestamp() - 60
        for part, stems in used.items():
            for path in (self.folder / part).iterdir():
                if path.name.split(".")[0] not in stems and path.stat().st_mtime < recent:
                    path.unlink(missing_ok=True)


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


def _facts(triplets: Triplets, pairs: Pairs | None) -> dict[str, Any]:
    # Comparisons of pairs hold all answers, also those that are triplets.
    answers = triplets.answers if pairs is None else pairs.answers
    participants = answers.get("participant", pd.Series(dtype=str))
    return {
        "fingerprint": triplets.fingerprint,
        "n_objects": triplets.n_objects,
        "n_answers": len(triplets),
        "n_participants": int(participants.nunique()),
    }


def _pair_table(pairs: Pairs) -> pd.DataFrame:
    rows = pd.DataFrame(pairs.rows, columns=_PAIR_ROLES)
    return pd.concat(
        [rows.assign(file_row=pairs.file_rows), pairs.answers.reset_index(drop=True)], axis=1
    )


def _of(dataset: str | None, key: str) -> Select[tuple[RunRow]]:
    # SQLAlchemy writes "IS NULL" where this is None.
    return select(RunRow).where(RunRow.dataset == dataset, RunRow.key == key)


def _size(arrays: Mapping[str, np.ndarray]) -> int:
    return sum(array.nbytes for array in arrays.values())


def _same_method(other: RunRow, fit: RunRow) -> bool:
    if other.exclusions != fit.exclusions:
        return False
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
