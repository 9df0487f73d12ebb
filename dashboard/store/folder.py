"""The folder of a data set: ``about.json`` lists its files with their sums.

Files are whole before they are mentioned, and new content has a new name: a change is complete
when ``about.json`` is replaced, and a crash leaves the version before. Results have folders with a
``run.json``. A process compares each file once with its sum.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import Triplets, checked_objects
from tripletscope.core.run import NotComputed, Run
from tripletscope.dashboard.files.contents import Unsound, check_table, opened
from tripletscope.dashboard.files.errors import DamagedFile, WorkspaceError
from tripletscope.dashboard.files.storage import (
    Compared,
    HeldArrays,
    checked,
    damaged,
    put_beside,
    read_arrays,
    reading,
    sum_of,
    unfinished,
    write_arrays,
    write_json,
)
from tripletscope.dashboard.store.change import (
    ABOUT,
    BEFORE,
    PAIR_ROLES,
    PICTURES,
    ROLES,
    Draft,
    FolderChange,
    facts,
    files_of,
    picture_place,
)
from tripletscope.dashboard.store.description import MEASURED, new_about, read_about, read_run

if TYPE_CHECKING:  # lists of data sets load nothing that computes
    from tripletscope.core.ratings import RatedDissimilarities
    from tripletscope.core.studies.quality import Cleaning

RESULTS, RUN = "results", "run.json"
#: In a workspace: results that belong to no data set, the states of browser sessions, when each
#: data set was last opened, pictures that were made small, which can be made again, and plans.
SIMULATIONS, SESSIONS, OPENED, SMALL, PLANS = (
    "simulations", "sessions", "opened.json", "small pictures", "plans",
)

#: Folders of a workspace that are no data sets, whatever is in them.
OWN = frozenset({
    SIMULATIONS, SESSIONS, SMALL, PLANS, "trash", "uploads", "experiments", "fetched",
})
#: Identifiers of browser sessions.
SESSION = re.compile(r"[\w-]{1,64}", re.ASCII)


class DataFolder:
    """The folder of a data set, or of simulations, which have results alone."""

    def __init__(self, path: Path, compared: Compared | None = None) -> None:
        self.path = path
        self._compared = set() if compared is None else compared

    def about(self) -> dict[str, Any]:
        return read_about(self.path / ABOUT)

    # Reading -------------------------------------------------------------------------------

    def triplets(self, about: Mapping[str, Any], part: str = "answers") -> Triplets:
        files, answers = about["files"], self.table(about, part)
        objects = self.table(about, f"{part}_objects" if f"{part}_objects" in files else "objects")
        with reading(self.path / files[part]):
            found = Triplets(answers[ROLES].to_numpy(), objects, answers.drop(columns=ROLES))
            wanted = about[{"answers": "imported"}.get(part, part)]
            # A description that was made again knows none.
            if wanted and wanted != found.fingerprint:
                raise Unsound(f"{ABOUT} is about other {part} or objects")
        return found

    def table(self, about: Mapping[str, Any], part: str) -> pd.DataFrame | None:
        if part not in about["files"]:
            return None
        path = self.checked(about, about["files"][part])
        with reading(path), opened(path) as file:
            return _read_table(file, path)

    def objects(self, about: Mapping[str, Any]) -> pd.DataFrame:
        table = self.table(about, "objects")
        with reading(self.path / about["files"]["objects"]):
            return checked_objects(table)

    def pairs(self, about: Mapping[str, Any], objects: pd.DataFrame) -> Quadruples | None:
        table = self.table(about, "pairs")
        if table is None:
            return None
        with reading(self.path / about["files"]["pairs"]):
            return Quadruples(
                table[PAIR_ROLES].to_numpy(), name=about["name"], objects=objects,
                # Older versions kept the row of the file.
                answers=table.drop(columns=[*PAIR_ROLES, "file_row"], errors="ignore"),
            )

    def cleaning(self, about: Mapping[str, Any], imported: Triplets) -> Cleaning:
        """Imported answers and their exclusions; the name of `imported` does not matter."""
        from tripletscope.core.studies.quality import Cleaning

        pairs = None if len(imported) else self.pairs(about, imported.objects)
        gold = self.triplets(about, "gold").renamed("gold questions") if about["gold"] else None
        catch = self.table(about, "catch_trials")
        if catch is not None and ("correct" not in catch or catch["correct"].dtype.kind != "b"):
            raise damaged(self.path / about["files"]["catch_trials"])
        answers = imported.renamed(about["name"]) if pairs is None else pairs
        blamed = next((about["files"][part] for part in ("gold", "catch_trials", "answers")
                       if part in about["files"]), ABOUT)
        with reading(self.path / (ABOUT if about["exclusions"] else blamed)):
            cleaning = Cleaning.from_log(answers, about["exclusions"], catch, gold)
            with suppress(DataError):  # of a rule, which is said where it is used
                cleaning.triplets  # noqa: B018 - the exclusions can be made of these answers
        return cleaning

    def measured(self, about: Mapping[str, Any]) -> RatedDissimilarities | None:
        """Without participants who are excluded entirely."""
        noted = about["extra"].get(MEASURED)
        table = self.table(about, MEASURED)
        if noted is None or table is None:
            return None
        from tripletscope.core.ratings.kinds import measured

        out = {who for step in about["exclusions"] for who in step["removed_participants"]}
        if out and "participant" in table:
            table = table[~table["participant"].astype("str").isin(out)]
        with reading(self.path / about["files"][MEASURED]):
            return measured(noted["kind"], table, noted["options"])

    def features(self, about: Mapping[str, Any], place: str) -> dict[str, np.ndarray]:
        """The arrays of a table of features or distances, with the ids of its objects."""
        arrays = self.arrays(place, about["sums"].get(place, ""))
        with reading(self.path / place):
            if not _are_features(arrays):
                raise ValueError("not what was written")
        return arrays

    def arrays(self, place: str, total: str) -> dict[str, np.ndarray]:
        path = checked(self.path / place, total, self._compared)
        with reading(path):
            return read_arrays(path)

    def checked(self, about: Mapping[str, Any], place: str) -> Path:
        return checked(self.path / place, about["sums"].get(place), self._compared)

    # Results -------------------------------------------------------------------------------

    def result_keys(self) -> list[str]:
        try:
            return sorted(path.name for path in (self.path / RESULTS).iterdir())
        except OSError:  # none, or a link that leads nowhere
            return []

    def result(self, key: str) -> dict[str, Any]:
        return read_run(self.path / RESULTS / key / RUN)

    def made_run(
        self, key: str, said: Mapping[str, Any], arrays: Mapping[str, np.ndarray],
        about: Mapping[str, Any] | None,
    ) -> Run:
        """A result, as this version could have computed it; else `DamagedFile`.

        about: Of the data set, if it is of one.
        """
        is_of_now = about is not None and said["renewals"] == about["renewals"]
        with reading(self.path / RESULTS / key / RUN):
            try:
                run = Run.of(said["run"], arrays, about["n_objects"] if is_of_now else None)
            except NotComputed as error:
                raise DamagedFile(
                    f"Version {said['run']['version']} computed {key}/{RUN}; in this one {error}. "
                    "It is left as it is."
                ) from error
            except ValueError as error:
                raise Unsound(f"version {said['run']['version']} wrote it: {error}") from error
            if run.key != key:
                raise Unsound("it is the result of another folder")
        return run

    def write_result(
        self, key: str, arrays: Mapping[str, np.ndarray] | HeldArrays
    ) -> tuple[str, str]:
        """Write the arrays of a result beside its former ones: name and sum of the file."""
        folder = self.path / RESULTS / key
        with suppress(FileExistsError):
            folder.parent.mkdir()
        with suppress(FileExistsError):
            folder.mkdir()  # not its parents: the data set may be gone
        write = (
            arrays.write if isinstance(arrays, HeldArrays) else partial(write_arrays, arrays=arrays)
        )
        with unfinished(folder / "arrays.npz") as partly:
            total = write(partly)
            name, _ = put_beside(partly, folder, "arrays", "npz", total, {}, self._compared)
        return name, total

    def keep_result(self, key: str, described: Mapping[str, Any]) -> None:
        write_json(self.path / RESULTS / key / RUN, described)

    # Changing ------------------------------------------------------------------------------

    @contextmanager
    def draft(self) -> Iterator[Draft]:
        """What a change will keep; what none has taken is removed at the end."""
        draft = Draft(self.path)
        try:
            yield draft
        finally:
            draft.tidy()

    @contextmanager
    def changing(self, about: Mapping[str, Any]) -> Iterator[FolderChange]:
        """A change, complete at the end; a failure leaves nothing."""
        change = FolderChange(self.path, about, self._compared)
        try:
            yield change
            change.complete()
        except BaseException:
            change.undo()
            raise


def mended(path: Path) -> tuple[dict[str, Any], bool]:
    """Description for a missing ``about.json``, and whether it is complete.

    The version before, if its files are sound, or what the other files show. `DamagedFile` without
    answers and objects.
    """
    folder = DataFolder(path)
    with suppress(WorkspaceError):
        about = read_about(path / BEFORE)
        for place in files_of(about):
            folder.checked(about, place)
        return about, True
    about = new_about(
        name=path.name, origin=path.name, created=datetime.fromtimestamp(
            path.stat().st_mtime).astimezone().isoformat(),
        report=["Its description was missing: exclusions, gold questions and tables of features "
                "are lost."],
    )
    for part in ("answers", "objects", "pairs", "catch_trials"):  # the others need a description
        for file in sorted(path.glob(f"{part}*.parquet"), key=lambda file: -file.stat().st_mtime):
            if re.fullmatch(rf"{part}(-\d+)?\.parquet", file.name) and _is_table(file):
                about["files"][part] = file.name
                about["sums"][file.name] = sum_of(file)
                break
    if not {"answers", "objects"} <= set(about["files"]):
        raise damaged(path / ABOUT)
    triplets = folder.triplets(about)
    if "image" in triplets.objects:
        for name in triplets.objects["image"].dropna().astype(str):
            for file in sorted(path.glob(f"{picture_place(name)}.*")):
                if not file.is_symlink():
                    about["pictures"][name] = f"{PICTURES}/{file.name}"
                    about["sums"][f"{PICTURES}/{file.name}"] = sum_of(file)
    pairs = folder.table(about, "pairs")
    return {
        **about, **facts(triplets, None), "imported": triplets.fingerprint,
        "n_pairs": 0 if pairs is None else len(pairs),
    }, False


def _are_features(arrays: Mapping[str, np.ndarray]) -> bool:
    ids, columns = arrays["ids"], arrays["columns"]
    numbers = arrays["values"] if "values" in arrays else arrays["distances"]
    width = numbers.shape[-1] if "values" in arrays else len(ids)
    return (
        ids.ndim == columns.ndim == 1 and ids.dtype.kind == columns.dtype.kind == "U"
        and numbers.shape == (len(ids), width) and numbers.dtype.kind in "biuf"
        and len(columns) in (0, width)
    )


def _read_table(file: BinaryIO, path: Path) -> pd.DataFrame:
    try:
        _check_metadata(file, path)
        file.seek(0)
        return pd.read_parquet(file)
    except pa.ArrowException as error:
        raise Unsound("it is no table that can be read") from error


def _check_metadata(file: BinaryIO, path: Path) -> None:
    check_table(pyarrow.parquet.read_metadata(file), os.fstat(file.fileno()).st_size, path.name)


def _is_table(path: Path) -> bool:
    try:
        with opened(path) as file:
            _check_metadata(file, path)
    except (OSError, ValueError, pa.ArrowException):
        return False
    return True
