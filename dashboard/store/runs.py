"""Results of data sets, and of simulations."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np

from tripletscope.core.data.answers import Answers
from tripletscope.core.run import TASKS, Run
from tripletscope.dashboard.files.contents import is_there
from tripletscope.dashboard.files.errors import DamagedFile, DamagedResult, WorkspaceError
from tripletscope.dashboard.files.storage import outline_of, reading
from tripletscope.dashboard.store.dataset import DatasetInfo, RunInfo, UnreadableRun
from tripletscope.dashboard.store.description import FORMAT, run_info_of
from tripletscope.dashboard.store.folder import RESULTS, RUN
from tripletscope.dashboard.store.recent import Recent
from tripletscope.dashboard.store.workspace_base import OpenFolder

#: Bytes of results in memory.
_IN_MEMORY = 2**28
#: Results whose state is remembered.
_MANY = 10_000


class KeptRuns(OpenFolder):
    """The part of `Workspace` that keeps results."""

    def __init__(self, folder: Path) -> None:
        self._arrays = Recent(_IN_MEMORY, _size)  # by path and sum
        #: What is wrong with results, by data set and key, with the state of their files.
        self._looked_at = Recent(_MANY)
        super().__init__(folder)

    def add_run(
        self, info: DatasetInfo | None, run: Run, name: str, *, state: str | None = None,
        unasked: bool = False,
    ) -> RunInfo | None:
        """Keep a run of a data set as in `info`, or of none; None if that was deleted meanwhile.

        state: `DatasetInfo.state` where it was computed, if that differs.
        unasked: Whether a page computed it on its own.
        """
        dataset = info.id if info else None
        folder = self._folder(dataset)
        while True:
            with self.explaining(writing=True):
                if info is None:
                    folder.path.mkdir(exist_ok=True)
                try:
                    file, total = folder.write_result(run.key, run.arrays)
                except FileNotFoundError:
                    if folder.path.exists():
                        raise
                    return None
                with self._changes:
                    if info is not None and self._about_of(dataset) is None:
                        return None
                    if (folder.path / RESULTS / run.key / file).exists():
                        return self._keep_run(info, run, name, file, total, state, unasked)
            # The former result was deleted meanwhile, and this with it.

    def _keep_run(
        self, info: DatasetInfo | None, run: Run, name: str, file: str, total: str,
        state: str | None, unasked: bool,
    ) -> RunInfo:
        """List a run whose arrays are written, under the lock for changes."""
        dataset = info.id if info else None
        folder, before = self._folder(dataset), self._described_result(dataset, run.key)
        if self._problem_of_description(dataset, run.key) and before is None:
            self.trash.take([folder.path / RESULTS / run.key / RUN])  # it was computed again
        latest = max((other.number for other in self._listed(dataset)), default=0)
        if info is None or run.table:  # these do not depend on exclusions
            state = None
        elif state is None:
            state = info.state_for(run.options)
        renewals = info.renewals if info else 0
        also = set()
        if before is not None and before["renewals"] == renewals:
            also = {*before.get("also", []), before["state"]} - {state, None}
        said = {
            **(before or {"name": name, "number": latest + 1}), "format": FORMAT,
            "state": state, "also": sorted(also), "renewals": renewals, "file": file, "sum": total,
            "unasked": unasked and (before is None or before.get("unasked", False)),
            "run": {part: value for part, value in vars(run).items() if part != "arrays"},
        }
        try:
            folder.keep_result(run.key, said)
        except BaseException:
            (folder.path / RESULTS / run.key / file).unlink(missing_ok=True)
            raise
        if before is not None and before["file"] != file:
            self.trash.take([folder.path / RESULTS / run.key / before["file"]])
        return run_info_of(dataset, run.key, said)

    def runs(
        self, dataset: str | None, task: str | None = None, kind: str | None = None,
        *, of_any_exclusions: bool = False,
    ) -> list[RunInfo]:
        """Runs of a data set, the newest first; of simulations for None.

        Those with other exclusions only with `of_any_exclusions`.
        """
        info = self.dataset(dataset) if dataset else None
        return [
            run for run in self._listed(dataset)
            if task in (None, run.task) and kind in (None, run.record["kind"])
            and (info is None or run.state is None or (
                run.renewals == info.renewals and (of_any_exclusions or info.has(run))
            ))
        ]

    def _adopt_runs(self, info: DatasetInfo, answers: Answers) -> None:
        """Results of other exclusions that left the same answers are of those in use, too."""
        with self._changes:
            for run in self._listed(info.id):
                said = self._described_result(info.id, run.key)
                if said and run.renewals == info.renewals and not info.has(run) and (
                    not run.record["options"].get("views")
                    and is_about(Run(**run.record), answers)
                ):
                    also = [*said.get("also", []), info.state]
                    self._folder(info.id).keep_result(run.key, {**said, "also": also})

    def first_map(self, dataset: str) -> RunInfo | None:
        """The earliest map of a data set, with any exclusions."""
        maps = [run for run in self._listed(dataset)
                if run.task == "fit" and run.record["kind"] == "embedding"]
        return maps[-1] if maps else None

    def run(self, dataset: str | None, key: str) -> Run | None:
        """Whole or stopped early; None if there is none, or one that is known to be unreadable."""
        said = self._described_result(dataset, key)
        if said is None:
            return None
        state, problem = self._looked_at.get((dataset, key)) or ((), "")
        if problem and state == self._state(dataset, key, said):
            return None
        folder, place = self._folder(dataset), f"{RESULTS}/{key}/{said['file']}"
        mark = folder.path / place, said["sum"]
        arrays = self._arrays.get(mark)
        if arrays is None:
            try:
                arrays = folder.arrays(place, said["sum"])
                folder.made_run(key, said, arrays, self._about_of(dataset))
            except DamagedFile as error:
                return self._run_again(dataset, key, said, error)
            for array in arrays.values():
                array.setflags(write=False)
            self._arrays.keep(mark, arrays)
        return Run(**said["run"], arrays=dict(arrays))

    def _run_again(
        self, dataset: str | None, key: str, said: Mapping[str, Any], error: DamagedFile
    ) -> Run | None:
        """Read a run that has changed meanwhile; a damaged one is left, and no longer listed."""
        with self._changes:
            has_changed = self._described_result(dataset, key) != said
            if not has_changed:
                self._looked_at.keep((dataset, key), (self._state(dataset, key, said), str(error)))
        if has_changed:
            return self.run(dataset, key)
        raise DamagedResult(f"The result {said['name']} cannot be read. {error}") from error

    def unreadable(self, dataset: str | None) -> list[UnreadableRun]:
        """Results of a data set that cannot be used, and why: they are not listed by `runs`."""
        return self._looked_up("unreadable", dataset, lambda: self._unreadable(dataset))

    def _unreadable(self, dataset: str | None) -> list[UnreadableRun]:
        found = []
        for key in self._folder(dataset).result_keys():
            problem = self._problem(dataset, key)
            if problem:
                said = self._described_result(dataset, key)
                found.append(UnreadableRun(
                    f"{dataset or ''}/{key}", said["name"] if said else key, problem
                ))
        return found

    def _problem(self, dataset: str | None, key: str) -> str:
        """Why a result cannot be used; empty if it can, or is not there."""
        said = self._described_result(dataset, key)
        if said is None:
            return self._problem_of_description(dataset, key)
        state = self._state(dataset, key, said)
        looked = self._looked_at.get((dataset, key))
        if looked is None or looked[0] != state:
            looked = state, self._look_at(dataset, key, said)
            self._looked_at.keep((dataset, key), looked)
        return looked[1]

    def _problem_of_description(self, dataset: str | None, key: str) -> str:
        folder = self._folder(dataset)
        if not is_there(folder.path / RESULTS / key / RUN) or self._is_no_key(dataset, key):
            return ""  # the rest of a job that was killed, or no result
        try:
            folder.result(key)
        except WorkspaceError as error:
            return str(error)
        return ""  # while folders are copied, arrays may be missing

    def _look_at(self, dataset: str | None, key: str, said: Mapping[str, Any]) -> str:
        """What is wrong with a result, by its description and the heads of its arrays."""
        folder = self._folder(dataset)
        path = folder.path / RESULTS / key / said["file"]
        try:
            with reading(path):
                arrays = outline_of(path)
            folder.made_run(key, said, arrays, self._about_of(dataset))
        except WorkspaceError as error:
            return str(error)
        return ""

    def _state(self, dataset: str | None, key: str, said: Mapping[str, Any]) -> tuple:
        """What tells the files of a result from those before."""
        folder = self._folder(dataset).path / RESULTS / key
        with suppress(OSError):
            return tuple(
                (one.st_mtime_ns, one.st_size, one.st_ino)
                for one in (folder.joinpath(name).lstat() for name in (RUN, said["file"]))
            )
        return ()

    def describe_run(self, run: str, **said: str | bool | list[str]) -> None:
        """Change its name, group, pin or further states; see `RunInfo`."""
        dataset, key = _named(run)
        with self.explaining(writing=True), self._changes:
            before = self._described_result(dataset, key)
            if before is not None:
                self._folder(dataset).keep_result(key, {**before, **said})

    def delete_run(self, run: str) -> None:
        """Delete a fit together with the results of its method, or any other run alone.

        Beside a fit of another version, only results of its own version go along.
        """
        dataset, key = _named(run)
        with self._changes:
            listed = self._listed(dataset)
            doomed = [other for other in listed if other.key == key]
            if doomed and doomed[0].task == "fit":
                others = [other for other in listed if _same_method(other, doomed[0])]
                again = any(other.task == "fit" for other in others)
                doomed += [
                    other for other in others
                    if not again or other.record["version"] == doomed[0].record["version"]
                ]
            self.delete_runs(doomed)

    def delete_runs(self, runs: list[RunInfo]) -> None:
        with self.explaining(writing=True), self._changes:
            for run in runs:
                path = self._folder(run.dataset).path / RESULTS / run.key
                if path.exists():
                    self.trash.throw(path)

    def throw_unreadable(self, run: str) -> None:
        """Move a result that cannot be used to the trash."""
        dataset, key = _named(run)
        with self.explaining(writing=True), self._changes:
            if self._problem(dataset, key):
                self.trash.throw(self._folder(dataset).path / RESULTS / key)

    def _listed(self, dataset: str | None) -> list[RunInfo]:
        return self._looked_up("results", dataset, lambda: self._list(dataset))

    def _list(self, dataset: str | None) -> list[RunInfo]:
        keys = self._folder(dataset).result_keys()
        said = {key: self._described_result(dataset, key) for key in keys
                if not self._problem(dataset, key)}
        runs = [run_info_of(dataset, key, one) for key, one in said.items() if one is not None]
        return sorted(runs, key=attrgetter("number"), reverse=True)

    def _described_result(self, dataset: str | None, key: str) -> dict[str, Any] | None:
        if self._is_no_key(dataset, key):
            return None
        folder = self._folder(dataset)
        path = folder.path / RESULTS / key / RUN
        said = self._remembered(path, lambda: folder.result(key))
        # While folders are copied, a file may be missing.
        return said if said is not None and is_there(path.with_name(said["file"])) else None

    def _is_no_key(self, dataset: str | None, key: str) -> bool:
        return bool(set(key) & set("/\\\0.") or (dataset and self._about_of(dataset) is None))


def is_about(run: Run, answers: Answers) -> bool:
    """Whether a result was computed of these answers, and of their objects as they are."""
    with suppress(ValueError, KeyError):  # a task of another version, a column that is gone
        return run.data == TASKS[run.task].fingerprint(run.fresh(), answers, run.options)
    return False


def _same_method(other: RunInfo, fit: RunInfo) -> bool:
    """Whether a run goes with a fit: it was computed for the same method."""
    # A fit to uploaded distances does not depend on the answers.
    return (
        not {other.state, *other.also}.isdisjoint({fit.state, *fit.also})
        and other.id != fit.id and other.table == fit.table
        and other.settings == fit.settings
    )


def _named(run: str) -> tuple[str | None, str]:
    dataset, _, key = run.rpartition("/")
    return dataset or None, key


def _size(arrays: Mapping[str, np.ndarray]) -> int:
    return sum(array.nbytes for array in arrays.values())
