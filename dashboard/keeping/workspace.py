"""What survives a refresh and a restart: data sets, runs, pictures and open sessions.

A workspace is a folder with a SQLite catalogue and the files that it mentions. Files are written
before they are mentioned, so that a crash at any moment leaves a catalogue that opens. Only files
that the catalogue mentioned until just now go to the trash, never others that it does not know:
these may be all that is left of somebody's data. What a crash leaves unmentioned therefore stays.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sqlalchemy import Row, Select, or_, select, update
from sqlalchemy.orm import Session

from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.io import Pairs
from tripletscope.core.quality import Cleaning
from tripletscope.core.run import Run
from tripletscope.dashboard.keeping.catalogue import (
    DatasetInfo,
    DatasetRow,
    RunInfo,
    RunRow,
    SessionRow,
    WorkspaceError,
    for_writing,
    info_of,
    open_catalogue,
    run_info_of,
    state_of,
)
from tripletscope.dashboard.keeping.holding import Held, Hold
from tripletscope.dashboard.keeping.storage import File, Storage, file_of, hash_of, holds_files
from tripletscope.dashboard.keeping.trash import Trash

_PAIR_ROLES = ["i", "j", "k", "l"]
#: Where a data set mentions files of data.
_DATA = ("fingerprint", "imported", "gold", "catch_trials", "pairs")


class Workspace:
    """A folder that keeps data sets, runs, pictures and sessions.

    Parameters
    ----------
    folder : Path
        Made if it does not exist.

    Raises
    ------
    WorkspaceError
        If the folder cannot be written, is in use by another process, was made by a newer
        version, or holds files whose catalogue is lost.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = Path(folder)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._hold = Hold(self.folder)
            try:
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
        self._writer = for_writing(self._engine)
        self._object_ids: dict[str, str] = {}
        self._cleaning: tuple[tuple, Cleaning] | None = None
        self._lock = threading.Lock()
        self._released: set[File] = set()
        self._n_keeping = 0
        self._files = threading.Lock()

    def _open(self) -> None:
        self._engine = open_catalogue(self.folder, used=holds_files(self.folder))
        self.trash = Trash(self.folder)
        self._storage = Storage(self.folder, self.trash)
        if self._hold.is_first:  # or others may be writing them
            self._storage.remove_partial()
        self.trash.empty_old()

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
            As `tripletscope.core.io.Imported.catch_trials`.
        pairs : Pairs, optional
            Answers that compare two pairs of objects.
        extra : mapping, optional
            Plain values to keep along.
        """
        now = _now()
        with self._keeping():
            self._storage.keep_triplets(triplets)
            row = DatasetRow(
                id=secrets.token_hex(8), name=triplets.name, origin=origin, created=now,
                opened=now, report=report, pictures=self._storage.keep_pictures(pictures or {}),
                imported=triplets.fingerprint, exclusions=[], gold=None,
                catch_trials=self._storage.keep_table(catch_trials),
                pairs=self._storage.keep_table(_pair_table(pairs) if pairs else None),
                extra=dict(extra or {}), **_facts(triplets, pairs),
            )
            with self._writing() as session:
                session.add(row)
                session.flush()
                return info_of(row)

    def update_dataset(
        self, dataset: str, cleaning: Cleaning, pictures: Mapping[str, bytes] | None = None
    ) -> DatasetInfo:
        """Change what a data set leaves out, its gold questions or what is known of its objects.

        `pictures` are added to those it has.
        """
        imported, left, pairs = cleaning.raw, cleaning.triplets, None
        if isinstance(imported, Quadruples):
            # The comparisons are kept as they came; what is left out of them is in the log.
            imported, pairs = Triplets(np.zeros((0, 3)), imported.objects, name=imported.name), left
            left = imported
        with self._keeping():
            for triplets in (imported, left, cleaning.gold):
                if triplets is not None:
                    self._storage.keep_triplets(triplets)
            added = self._storage.keep_pictures(pictures or {})
            if pairs is None:
                with self._reading() as session:
                    info = info_of(session.get_one(DatasetRow, dataset))
                pairs = self.pairs(info)
            with self._writing() as session:
                row = session.get_one(DatasetRow, dataset)
                before = _files_of(row)
                for name, value in _facts(left, pairs).items():
                    setattr(row, name, value)
                row.imported, row.exclusions = imported.fingerprint, cleaning.log()
                row.gold = cleaning.gold.fingerprint if cleaning.gold is not None else None
                row.pictures = {**row.pictures, **added}
                info, now = info_of(row), _files_of(row)
        self._release(before - now)
        return info

    def datasets(self) -> list[DatasetInfo]:
        """All data sets, the last opened first."""
        with self._reading() as session:
            rows = session.scalars(select(DatasetRow).order_by(DatasetRow.opened.desc()))
            return [info_of(row) for row in rows]

    def dataset(self, dataset: str) -> DatasetInfo | None:
        """One data set, or None if it is not there (any more)."""
        with self._reading() as session:
            row = session.get(DatasetRow, dataset)
            return info_of(row) if row else None

    def triplets(self, info: DatasetInfo) -> Triplets:
        """The triplets of a data set. The last few are held in memory."""
        return self._storage.triplets(info.fingerprint).renamed(info.name)

    def answers(self, info: DatasetInfo) -> Triplets | Quadruples:
        """The content of a data set: its comparisons of pairs, where there are no others."""
        return self.pairs(info) if info.has_only_pairs else self.triplets(info)

    def cleaning(self, info: DatasetInfo) -> Cleaning:
        """What was imported, and what was left out of it."""
        wanted = (
            info.imported, info.pairs, info.gold, info.catch_trials, info.state, info.name
        )
        with self._lock:
            if self._cleaning and self._cleaning[0] == wanted:
                return self._cleaning[1]
        imported = self._storage.triplets(info.imported).renamed(info.name)
        cleaning = Cleaning.from_log(
            self._pairs(info) if info.has_only_pairs else imported, info.exclusions,
            self._storage.table(info.catch_trials),
            self._storage.triplets(info.gold).renamed("gold questions") if info.gold else None,
        )
        with self._lock:
            self._cleaning = wanted, cleaning
        return cleaning

    def pairs(self, info: DatasetInfo) -> Quadruples | None:
        """Answers of a data set that compare two pairs of objects, without those left out."""
        # Where there are triplets, exclusions are of these.
        return self.cleaning(info).triplets if info.has_only_pairs else self._pairs(info)

    def _pairs(self, info: DatasetInfo) -> Quadruples | None:
        """All comparisons of pairs that were imported."""
        table = self._storage.table(info.pairs)
        if table is None:
            return None
        return Quadruples(
            table[_PAIR_ROLES].to_numpy(), name=info.name,
            objects=self._storage.triplets(info.imported).objects,
            # Older versions kept the row of the file, too.
            answers=table.drop(columns=[*_PAIR_ROLES, "file_row"], errors="ignore"),
        )

    def rename_dataset(self, dataset: str, name: str) -> None:
        """Give a data set another name; nothing is done if it was deleted meanwhile."""
        with self._writing() as session:
            session.execute(
                update(DatasetRow).where(DatasetRow.id == dataset).values(name=name)
            )

    def touch(self, dataset: str) -> None:
        """Note that a data set was opened just now."""
        with self._writing() as session:
            session.execute(
                update(DatasetRow).where(DatasetRow.id == dataset).values(opened=_now())
            )

    def delete_dataset(self, dataset: str) -> None:
        """Delete a data set and its runs; their files go to the trash."""
        with self._writing() as session:
            row = session.get(DatasetRow, dataset)
            if row is None:
                return
            runs = session.scalars(select(RunRow.file).where(RunRow.dataset == dataset))
            released = _files_of(row) | {file_of("runs", file) for file in runs}
            session.delete(row)
        self._release(released)

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
            self._object_ids[info.fingerprint] = hash_of(ids.encode())
        return self._object_ids[info.fingerprint]

    def picture(self, file: str, size: int | None = None) -> Path:
        """Path of a picture; with `size`, of a PNG at most so many pixels wide and high.

        Raises
        ------
        FileNotFoundError
            If there is no such picture.
        """
        with self._keeping():  # a small one is not to outlast its picture
            return self._storage.picture(file, size)

    # Runs ----------------------------------------------------------------------------------

    def add_run(self, info: DatasetInfo | None, run: Run, name: str) -> RunInfo | None:
        """Keep a run of a data set as it was when `info` was read, or of none.

        A run of the same key is replaced. None is returned if the data set was deleted
        meanwhile, and with it the place for the run.
        """
        record = {name: value for name, value in vars(run).items() if name != "arrays"}
        dataset = info.id if info else None
        # Given distances have nothing to do with the answers that are left out.
        free = info is None or "distances" in run.options
        released: set[File] = set()
        with self._keeping():
            file = self._storage.keep_arrays(run.arrays)
            with self._writing() as session:
                if info is not None and session.get(DatasetRow, dataset) is None:
                    listed, released = None, {file_of("runs", file)}
                else:
                    row = session.scalar(_of(dataset, run.key))
                    if row is None:
                        row = RunRow(dataset=dataset, key=run.key, name=name)
                    else:
                        released = {file_of("runs", row.file)}
                    row.exclusions = None if free else info.state
                    row.task, row.complete, row.created = run.task, run.complete, run.created
                    row.file, row.record = file, record
                    session.add(row)
                    session.flush()
                    listed = run_info_of(row)
        self._release(released)
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
        with self._reading() as session:
            row = session.get(DatasetRow, dataset) if dataset else None
            if row is not None:
                now = state_of(row.exclusions, row.gold)
                wanted = wanted.where(or_(RunRow.exclusions == now, RunRow.exclusions.is_(None)))
            found = [run_info_of(row) for row in session.scalars(wanted)]
        return [run for run in found if kind in (None, run.record["kind"])]

    def run(self, dataset: str | None, key: str) -> Run | None:
        """The run of a key, whole or stopped early, or None."""
        with self._reading() as session:
            row = session.scalar(_of(dataset, key))
            if row is None:
                return None
            file, record = row.file, row.record
        return Run(**record, arrays=dict(self._storage.arrays(file)))

    def rename_run(self, run: int, name: str) -> None:
        with self._writing() as session:
            session.execute(update(RunRow).where(RunRow.id == run).values(name=name))

    def delete_run(self, run: int) -> None:
        """Delete a fit together with what was computed for it, or any other run alone.

        Beside a fit that another version has made anew, only what its own version computed.
        """
        with self._writing() as session:
            row = session.get(RunRow, run)
            if row is None:
                return
            doomed = [row]
            if row.task == "fit":
                listed = session.scalars(select(RunRow).where(RunRow.dataset == row.dataset))
                others = [other for other in listed if _same_method(other, row)]
                again = any(other.task == "fit" for other in others)
                doomed += [
                    other for other in others
                    if not again or other.record["version"] == row.record["version"]
                ]
            released = {file_of("runs", one.file) for one in doomed}
            for one in doomed:
                session.delete(one)
        self._release(released)

    # Sessions ------------------------------------------------------------------------------

    def session(self, session_id: str) -> dict[str, Any] | None:
        """What was saved of a browser session, or None."""
        with self._reading() as session:
            row = session.get(SessionRow, session_id)
            return dict(row.state) if row else None

    def save_session(self, session_id: str, state: dict[str, Any]) -> None:
        with self._writing() as session:
            session.merge(SessionRow(id=session_id, saved=_now(), state=state))

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
        columns = [getattr(DatasetRow, name) for name in (*_DATA, "pictures")]
        with self._reading() as session:
            used = {file_of("runs", file) for file in session.scalars(select(RunRow.file))}
            for row in session.execute(select(*columns)):
                used |= _files_of(row)
        self._storage.remove(self._released - used)
        self._released.clear()


def _files_of(row: DatasetRow | Row) -> set[File]:
    """The files that a data set mentions, without those of its runs."""
    data = {file_of("data", name) for column in _DATA if (name := getattr(row, column))}
    return data | {file_of("pictures", file) for file in row.pictures.values()}


def _facts(triplets: Triplets, pairs: Pairs | Quadruples | None) -> dict[str, Any]:
    # Comparisons of pairs hold all answers, also those that are triplets.
    answers = triplets.answers if pairs is None else pairs.answers
    participants = answers.get("participant", pd.Series(dtype=str))
    return {
        "fingerprint": triplets.fingerprint,
        "n_objects": triplets.n_objects,
        "n_answers": len(triplets),
        "n_participants": int(participants.nunique()),
        "n_pairs": len(pairs or ()),
    }


def _pair_table(pairs: Pairs) -> pd.DataFrame:
    rows = pd.DataFrame(pairs.rows, columns=_PAIR_ROLES)
    return pd.concat([rows, pairs.answers.reset_index(drop=True)], axis=1)


def _of(dataset: str | None, key: str) -> Select[tuple[RunRow]]:
    # SQLAlchemy writes "IS NULL" where this is None.
    return select(RunRow).where(RunRow.dataset == dataset, RunRow.key == key)


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


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")
