"""What survives a refresh and a restart: data sets, runs, pictures and open sessions.

A workspace is a folder with a SQLite catalogue and the files that it mentions. Files are written
before they are mentioned, so that a crash at any moment leaves a catalogue that opens. Only files
that the catalogue mentioned until just now go to the trash, never others that it does not know:
these may be all that is left of somebody's data. What a crash leaves unmentioned therefore stays.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from sqlalchemy import or_, select, update

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import Judgements, Triplets
from tripletscope.core.engine.progress import Stopped
from tripletscope.core.run import Run
from tripletscope.dashboard.door.workers import Gone, Worker, workers
from tripletscope.dashboard.keeping.catalogue import (
    DatasetInfo,
    DatasetRow,
    RunInfo,
    RunRow,
    SessionRow,
    WorkspaceError,
    info_of,
    run_info_of,
    state_of,
)
from tripletscope.dashboard.keeping.growing import GrowingAnswers
from tripletscope.dashboard.keeping.rows import (
    PAIR_ROLES,
    facts,
    files_of,
    measured_of,
    note_of,
    pair_table,
    run_of,
    same_method,
    trials_of,
)
from tripletscope.dashboard.keeping.storage import DamagedFile, File, file_of, hash_of

if TYPE_CHECKING:  # who only looks at a workspace needs nothing that computes
    from tripletscope.core.io import Pairs
    from tripletscope.core.ratings import Measured
    from tripletscope.core.studies.quality import Cleaning


class Workspace(GrowingAnswers):
    """A folder that keeps data sets, runs, pictures and sessions.

    folder: Made if it does not exist.
    notes: What the user has to know of what was found when it was opened.
    read_only: Why nothing can be kept, as a sentence; empty where it can.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._object_ids: dict[str, str] = {}
        self._cleaning: tuple[tuple, Cleaning] | None = None
        self._lock = threading.Lock()
        self._shrinker: Worker | None = None  # what a picture does to it reaches nobody else's
        self._shrinking = threading.Lock()

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
        measured: Measured | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> DatasetInfo:
        """Keep a data set.

        origin: Where it came from: a file's name, or ``sample:`` and the name of a sample.
        report: What was read and what was left out.
        pictures: Pictures by the name that column ``image`` of the objects uses.
        catch_trials: As `tripletscope.core.io.Imported.catch_trials`.
        pairs: Answers that compare two pairs of objects.
        measured: Ratings and so on that the answers were made of.
        extra: Plain values to keep along.
        """
        now = _now()
        with self._keeping():
            self._storage.keep_triplets(triplets)
            row = DatasetRow(
                id=secrets.token_hex(8), name=triplets.name, origin=origin, created=now,
                opened=now, report=report, pictures=self._storage.keep_pictures(pictures or {}),
                imported=triplets.fingerprint, exclusions=[], gold=None,
                catch_trials=self._storage.keep_table(catch_trials),
                pairs=self._storage.keep_table(pair_table(pairs) if pairs else None),
                extra={**(extra or {}), **trials_of(triplets),
                       **note_of(measured, self._storage.keep_table)},
                **facts(triplets, pairs),
            )
            with self._writing() as session:
                session.add(row)
                session.flush()
                self._records.write(row)
                return info_of(row)

    def update_dataset(
        self, info: DatasetInfo, cleaning: Cleaning, pictures: Mapping[str, bytes] | None = None
    ) -> DatasetInfo:
        """Change what a data set leaves out, its gold questions or what is known of its objects.

        info: The data set as it was when `cleaning` was made.
        pictures: Are added to those it has.
        """
        state = attrgetter("imported", "exclusions", "gold")
        imported, left, pairs = cleaning.raw, cleaning.triplets, None
        if isinstance(imported, Quadruples):
            # The comparisons are kept as they came; what is left out of them is in the log.
            imported, pairs = Triplets(np.zeros((0, 3)), imported.objects, name=imported.name), left
            left = imported
        with self._keeping():
            parts = [part for part in (imported, left, cleaning.gold) if part is not None]
            for triplets in parts:
                self._storage.keep_triplets(triplets)
            added = self._storage.keep_pictures(pictures or {})
            if pairs is None:
                pairs = self.pairs(info)
            with self._writing() as session:
                row = session.get(DatasetRow, info.id)
                changed = row is not None and state(row) != state(info)
                if row is None or changed:
                    released = {file_of("data", part.fingerprint) for part in parts}
                    released |= {file_of("pictures", file) for file in added.values()}
                else:
                    before = files_of(row)
                    for name, value in facts(left, pairs).items():
                        setattr(row, name, value)
                    row.extra = {
                        **{k: v for k, v in row.extra.items() if k != "trials"}, **trials_of(left),
                    }
                    row.imported, row.exclusions = imported.fingerprint, cleaning.log()
                    row.gold = cleaning.gold.fingerprint if cleaning.gold is not None else None
                    row.pictures = {**row.pictures, **added}
                    self._records.write(row)
                    now, released = info_of(row), before - files_of(row)
        self._release(released)
        if row is None or changed:
            raise WorkspaceError(
                f"{info.name} was {'changed' if changed else 'deleted'} in another tab meanwhile, "
                "so that nothing was changed here. Load the page again."
            )
        return now

    def datasets(self) -> list[DatasetInfo]:
        """All data sets, the last opened first."""
        with self._reading() as session:
            rows = session.scalars(
                select(DatasetRow).where(DatasetRow.id.not_in(self._unreadable))
                .order_by(DatasetRow.opened.desc())
            )
            return [info_of(row) for row in rows]

    def dataset(self, dataset: str) -> DatasetInfo | None:
        """One data set, or None if it is not there."""
        with self._reading() as session:
            row = None if dataset in self._unreadable else session.get(DatasetRow, dataset)
            return info_of(row) if row else None

    def triplets(self, info: DatasetInfo) -> Triplets:
        """The triplets of a data set. The last few are held in memory."""
        return self._storage.triplets(info.fingerprint).renamed(info.name)

    def answers(self, info: DatasetInfo) -> Judgements:
        """The content of a data set: its comparisons of pairs, where there are no others."""
        return self.pairs(info) if info.has_only_pairs else self.triplets(info)

    def cleaning(self, info: DatasetInfo) -> Cleaning:
        """What was imported, and what was left out of it."""
        wanted = info.imported, info.pairs, info.gold, info.catch_trials, info.state, info.name
        with self._lock:
            if self._cleaning and self._cleaning[0] == wanted:
                return self._cleaning[1]
        from tripletscope.core.studies.quality import Cleaning

        imported = self._storage.triplets(info.imported).renamed(info.name)
        cleaning = Cleaning.from_log(
            self._pairs(info) if info.has_only_pairs else imported, info.exclusions,
            self._storage.table(info.catch_trials),
            self._storage.triplets(info.gold).renamed("gold questions") if info.gold else None,
        )
        with self._lock:
            self._cleaning = wanted, cleaning
        return cleaning

    def measured(self, info: DatasetInfo) -> Measured | None:
        """What was measured of a data set, without participants who are left out entirely."""
        return measured_of(info, self._storage.table)

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
            table[PAIR_ROLES].to_numpy(), name=info.name,
            objects=self._storage.triplets(info.imported).objects,
            # Older versions kept the row of the file, too.
            answers=table.drop(columns=[*PAIR_ROLES, "file_row"], errors="ignore"),
        )

    def rename_dataset(self, dataset: str, name: str) -> None:
        """Give a data set another name; nothing is done if it was deleted meanwhile."""
        with self._writing() as session:
            row = session.get(DatasetRow, dataset)
            if row is not None:
                row.name = name
                self._records.write(row)

    def note(self, dataset: str, name: str, value: Any) -> None:
        """Keep something beside a data set, in `DatasetInfo.extra`.

        Nothing is done if it was deleted meanwhile.
        """
        with self._writing() as session:
            row = session.get(DatasetRow, dataset)
            if row is not None:
                row.extra = {**row.extra, name: value}
                self._records.write(row)

    def touch(self, dataset: str) -> None:
        """Note that a data set was opened just now, if that can be kept."""
        with suppress(WorkspaceError), self._writing() as session:
            session.execute(
                update(DatasetRow).where(DatasetRow.id == dataset).values(opened=_now())
            )

    def delete_dataset(self, dataset: str) -> None:
        """Delete a data set and its runs; their files go to the trash."""
        self._deleting(lambda: self._delete_dataset(dataset))

    def _delete_dataset(self, dataset: str) -> None:
        with self._writing() as session:
            row = session.get(DatasetRow, dataset)
            if row is None:
                return
            runs = session.scalars(select(RunRow.file).where(RunRow.dataset == dataset))
            released = files_of(row) | {file_of("runs", file) for file in runs}
            session.delete(row)
            session.flush()
            self.trash.take(self._records.of(dataset))
        self._release(released)

    def about_the_same_objects(self, info: DatasetInfo) -> list[DatasetInfo]:
        """The other data sets whose objects have the same ids in the same order."""
        own = self._ids_of(info)
        return [
            other for other in self.datasets()
            if other.id != info.id and other.n_objects == info.n_objects
            and own == self._ids_of(other) != ""
        ]

    def _ids_of(self, info: DatasetInfo) -> str:
        """Hash of the ids of a data set's objects; its file is read once. Empty if damaged."""
        if info.fingerprint not in self._object_ids:
            try:
                ids = "\0".join(self.triplets(info).ids)
            except DamagedFile:
                return ""
            self._object_ids[info.fingerprint] = hash_of(ids.encode())
        return self._object_ids[info.fingerprint]

    def picture(self, file: str, size: int | None = None) -> Path:
        """Path of a picture; with `size`, of a PNG at most so many pixels wide and high."""
        path = self._storage.picture(file, size)
        if size is None or path.name != Path(file).name:
            return path
        small = self._shrunk(path, size)
        if small is not None:
            with self._keeping():  # a small one is not to outlast its picture
                self._storage.keep_small(path, size, small)
        return self._storage.picture(file, size)

    def _shrunk(self, path: Path, size: int) -> bytes | None:
        """A picture made small by a reader of files; none where that cannot be done."""
        with self._shrinking, suppress(DataError, Gone, Stopped, OSError):
            if self._shrinker is None or not self._shrinker.alive:
                self._shrinker = workers().take(lambda: True)
                self._shrinker.reserved = False
            name, content = f"{path.stem}.png", path.read_bytes()  # whatever kind it is
            return self._shrinker.ask("small", file=name, name=name, content=content, size=size)
        return None

    def pictures(self, info: DatasetInfo) -> dict[str, bytes]:
        """The pictures of a data set by their names, without those that are damaged."""
        found = {}
        for name, file in info.pictures.items():
            with suppress(DamagedFile):
                found[name] = self.picture(file).read_bytes()
        return found

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
                    row = session.scalar(run_of(dataset, run.key))
                    if row is None:
                        row = RunRow(dataset=dataset, key=run.key, name=name)
                    else:
                        released = {file_of("runs", row.file)}
                    row.exclusions = None if free else info.state
                    row.task, row.complete, row.created = run.task, run.complete, run.created
                    row.file, row.record = file, record
                    session.add(row)
                    session.flush()
                    self._records.write(row)
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

    def first_map(self, dataset: str) -> RunInfo | None:
        """The map of a data set that was computed first, whatever was left out then."""
        wanted = select(RunRow).where(RunRow.dataset == dataset, RunRow.task == "fit")
        with self._reading() as session:
            rows = session.scalars(wanted.order_by(RunRow.id))
            return next((run_info_of(r) for r in rows if r.record["kind"] == "embedding"), None)

    def run(self, dataset: str | None, key: str) -> Run | None:
        """The run of a key, whole or stopped early, or None."""
        with self._reading() as session:
            row = session.scalar(run_of(dataset, key))
            if row is None:
                return None
            number, file, record, name = row.id, row.file, row.record, row.name
        try:
            arrays = self._storage.arrays(file)
        except DamagedFile as error:
            self.unlist_run(number)
            raise WorkspaceError(
                f"The result {name} was damaged and is no longer listed; load the page again, and "
                "compute it anew. Everything else can be used."
            ) from error
        return Run(**record, arrays=dict(arrays))

    def unlist_run(self, number: int) -> None:
        """Take one result out of the list; its file and its record go to the trash."""
        with self._writing() as session:
            row = session.get(RunRow, number)
            if row is None:
                return
            session.delete(row)
            session.flush()
            self.trash.take([self._records.path(row)])
        self._release({file_of("runs", row.file)})

    def rename_run(self, run: int, name: str) -> None:
        with self._writing() as session:
            row = session.get(RunRow, run)
            if row is not None:
                row.name = name
                self._records.write(row)

    def delete_run(self, run: int) -> None:
        """Delete a fit together with what was computed for it, or any other run alone.

        Beside a fit that another version has made anew, only what its own version computed.
        """
        self._deleting(lambda: self._delete_run(run))

    def _delete_run(self, run: int) -> None:
        with self._writing() as session:
            row = session.get(RunRow, run)
            if row is None:
                return
            doomed = [row]
            if row.task == "fit":
                listed = session.scalars(select(RunRow).where(RunRow.dataset == row.dataset))
                others = [other for other in listed if same_method(other, row)]
                again = any(other.task == "fit" for other in others)
                doomed += [
                    other for other in others
                    if not again or other.record["version"] == row.record["version"]
                ]
            released = {file_of("runs", one.file) for one in doomed}
            for one in doomed:
                session.delete(one)
            session.flush()
            self.trash.take([self._records.path(one) for one in doomed])
        self._release(released)

    # Sessions ------------------------------------------------------------------------------

    def session(self, session_id: str) -> dict[str, Any] | None:
        """What was saved of a browser session, or None."""
        with self._reading() as session:
            try:
                row = session.get(SessionRow, session_id)
                return dict(row.state) if row else None
            except (ValueError, TypeError):  # damaged: it begins anew
                return None

    def save_session(self, session_id: str, state: dict[str, Any]) -> None:
        """Keep the state of a browser session, if that can be kept."""
        with suppress(WorkspaceError), self._writing() as session:
            session.merge(SessionRow(id=session_id, saved=_now(), state=state))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")
