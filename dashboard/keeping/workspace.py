"""What survives a refresh and a restart: data sets, results, pictures and open sessions.

A workspace is a folder of folders, one for each data set (`folder`), which may be read, copied,
taken away and put back by anybody. What is listed is what is there: nothing else knows of it. What
is deleted is moved to the trash; files and folders of others are never touched.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from contextlib import suppress
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import Judgements, Triplets
from tripletscope.dashboard.keeping.change import FolderChange
from tripletscope.dashboard.keeping.dataset import DamagedFile, DatasetInfo, WorkspaceError
from tripletscope.dashboard.keeping.description import MEASURED, info_of, new_about
from tripletscope.dashboard.keeping.feature_tables import FeatureTables
from tripletscope.dashboard.keeping.files import hash_of, partial_of, slug, sync_folder
from tripletscope.dashboard.keeping.folder import PAIR_ROLES, RESULTS, DataFolder
from tripletscope.dashboard.keeping.opened import now
from tripletscope.dashboard.keeping.pictures import KeptPictures
from tripletscope.dashboard.keeping.runs import KeptRuns

if TYPE_CHECKING:  # who only looks at a workspace needs nothing that computes
    from tripletscope.core.io import Pairs
    from tripletscope.core.ratings import Measured
    from tripletscope.core.studies.quality import Cleaning


class Workspace(FeatureTables, KeptRuns, KeptPictures):
    """A folder that keeps data sets, results, pictures and sessions.

    folder: Made if it does not exist.
    notes: What the user has to know of what was found when it was opened.
    read_only: Why nothing can be kept, as a sentence; empty where it can.
    """

    def __init__(self, folder: Path) -> None:
        self._object_ids: dict[str, str] = {}
        self._cleaning: tuple[tuple, Cleaning] | None = None
        super().__init__(folder)

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
        path = self.folder / f"{slug(triplets.name)}-{secrets.token_hex(3)}"
        created = now().isoformat(timespec="microseconds")
        partial = partial_of(path)
        with self._explaining(writing=True):
            try:
                partial.mkdir()
                with DataFolder(partial).changing(new_about()) as change:
                    change.about.update(
                        name=triplets.name, origin=origin, created=created, report=report,
                        imported=triplets.fingerprint, **_facts(triplets, pairs),
                        extra={**(extra or {}), **_trials(triplets), **_noted(measured)},
                    )
                    change.keep_triplets("answers", triplets)
                    change.keep_pictures(pictures or {})
                    change.keep_table("catch_trials", catch_trials)
                    change.keep_table("pairs", _pair_table(pairs) if pairs else None)
                    change.keep_table(MEASURED, measured.table if measured else None)
                partial.replace(path)
            except BaseException:
                self.trash.remove(partial)
                raise
            with suppress(OSError):  # it is kept, whatever the disk has room for
                sync_folder(self.folder)
                self._note_opened(path.name, created)
        self._hold_answers(triplets.fingerprint, triplets)
        return self.dataset(path.name)

    def update_dataset(
        self, info: DatasetInfo, cleaning: Cleaning, pictures: Mapping[str, bytes] | None = None
    ) -> DatasetInfo:
        """Change what a data set leaves out, its gold questions or what is known of its objects.

        info: The data set as it was when `cleaning` was made.
        pictures: Are added to those it has.
        """
        state = attrgetter("imported", "exclusions", "gold")
        raw, left, pairs, imported = _parts(cleaning)
        with self._changing(info.id) as change:
            if change is None or state(info_of(info.id, change.about, "")) != state(info):
                raise WorkspaceError(
                    f"{info.name} was {'deleted' if change is None else 'changed'} in another tab "
                    "meanwhile, so that nothing was changed here. Load the page again."
                )
            if pairs is None:
                pairs = self.pairs(info)
            if change.about["imported"] != raw.fingerprint:
                change.keep_triplets("answers", raw)
            self._keep_cleaning(change, cleaning, imported, left, pairs)
            change.keep_pictures(pictures or {})
        return self._held(info.id, cleaning, left)

    def renew_dataset(
        self, info: DatasetInfo, answers: Judgements, *, report: list[str],
        catch_trials: pd.DataFrame | None = None, extra: Mapping[str, Any] | None = None,
    ) -> DatasetInfo:
        """Give a data set the answers that there are now, while they still come in.

        Its exclusions are made anew on them, but for those that name single answers by their
        places, which may be others now. Results of the earlier answers go to the trash.

        answers: About the objects of its pictures.
        report: What was read and what was left out.
        catch_trials: As `tripletscope.core.io.Imported.catch_trials`.
        extra: Plain values to keep along, beside those that are kept already.
        """
        from tripletscope.core.studies.quality import Cleaning

        steps = [step for step in info.exclusions if not step["answers"]]
        cleaning = Cleaning.from_log(answers, steps, catch_trials, self.cleaning(info).gold)
        raw, left, pairs, imported = _parts(cleaning)
        with self._changing(info.id) as change:
            if change is None:
                raise WorkspaceError(f"{info.name} was deleted in another tab meanwhile.")
            change.keep_triplets("answers", raw)
            self._keep_cleaning(change, cleaning, imported, left, pairs)
            change.keep_table("catch_trials", catch_trials)
            change.keep_table("pairs", None if pairs is None else _pair_table(answers))
            change.about.update(report=report, renewals=change.about["renewals"] + 1)
            change.about["extra"].update(extra or {})
        folder = self._folder(info.id)
        # Those of given distances have nothing to do with the answers.
        self.trash.take(
            folder.path / RESULTS / run.key for run in self._listed(info.id)
            if run.state is not None
        )
        return self._held(info.id, cleaning, left)

    def _held(self, dataset: str, cleaning: Cleaning, left: Triplets) -> DatasetInfo:
        """A data set that was changed a moment ago, with its answers in memory."""
        info = self.dataset(dataset)
        if info is None:
            raise WorkspaceError("The data set was deleted in another tab meanwhile.")
        self._hold_answers(info.fingerprint, left)
        with self._memory:
            self._cleaning = _wanted(info), cleaning
        return info

    def _keep_cleaning(
        self, change: FolderChange, cleaning: Cleaning, imported: str, left: Triplets,
        pairs: Quadruples | None,
    ) -> None:
        """Note what is left out, and what is left."""
        gold = cleaning.gold
        change.about.update(
            imported=imported, exclusions=cleaning.log(), **_facts(left, pairs),
            gold=gold.fingerprint if gold is not None else None,
        )
        change.about["extra"].pop("trials", None)
        change.about["extra"].update(_trials(left))
        if gold is None:
            change.keep_table("gold", None)
            change.keep_table("gold_objects", None)
        else:
            change.keep_triplets("gold", gold)

    def datasets(self) -> list[DatasetInfo]:
        """All data sets, the last opened first."""
        opened = self._opened()
        with self._explaining():
            found = [self._info(path.name, opened) for path in self._folders()]
        return sorted(filter(None, found), key=lambda info: info.opened, reverse=True)

    def dataset(self, dataset: str) -> DatasetInfo | None:
        """One data set, or None if it is not there."""
        return self._info(dataset, self._opened())

    def triplets(self, info: DatasetInfo) -> Triplets:
        """The triplets of a data set. The last few are held in memory."""
        held = self._held_answers(info.fingerprint)
        if held is None:
            if info.has_only_pairs or not info.exclusions:
                held = self._imported(info)
            else:
                held = self.cleaning(info).triplets
            self._hold_answers(info.fingerprint, held)
        return held.renamed(info.name)

    def answers(self, info: DatasetInfo) -> Judgements:
        """The content of a data set: its comparisons of pairs, where there are no others."""
        return self.pairs(info) if info.has_only_pairs else self.triplets(info)

    def cleaning(self, info: DatasetInfo) -> Cleaning:
        """What was imported, and what was left out of it."""
        wanted = _wanted(info)
        with self._memory:
            if self._cleaning and self._cleaning[0] == wanted:
                return self._cleaning[1]
        cleaning = self._folder(info.id).cleaning(self._as_of(info), self._imported(info))
        with self._memory:
            self._cleaning = wanted, cleaning
        return cleaning

    def measured(self, info: DatasetInfo) -> Measured | None:
        """What was measured of a data set, without participants who are left out entirely."""
        return self._folder(info.id).measured(self._as_of(info))

    def pairs(self, info: DatasetInfo) -> Quadruples | None:
        """Answers of a data set that compare two pairs of objects, without those left out."""
        if info.has_only_pairs:
            return self.cleaning(info).triplets
        # Where there are triplets, exclusions are of these.
        return self._folder(info.id).pairs(self._about(info), self._imported(info).objects)

    def _imported(self, info: DatasetInfo) -> Triplets:
        """The triplets that were imported, under no name."""
        held = self._held_answers(info.imported)
        if held is None:
            about = self._about(info)
            try:
                held = self._folder(info.id).triplets(about)
            except DamagedFile:
                if self._about(info) == about:
                    raise
            if held is None or about["imported"] != info.imported:
                raise WorkspaceError(
                    f"{info.name} was changed in another tab meanwhile. Load the page again."
                )
            self._hold_answers(info.imported, held)
        return held

    def _as_of(self, info: DatasetInfo) -> dict[str, Any]:
        """What the folder says, with what was left out when `info` was read."""
        return {**self._about(info), "name": info.name, "exclusions": info.exclusions}

    def _table(self, info: DatasetInfo, part: str) -> pd.DataFrame | None:
        about = self._about(info)
        return self._folder(info.id).table(about, about["files"].get(part))

    def rename_dataset(self, dataset: str, name: str) -> None:
        """Give a data set another name; nothing is done if it was deleted meanwhile."""
        with self._changing(dataset) as change:
            if change is not None:
                change.about["name"] = name

    def note(self, dataset: str, name: str, value: Any) -> None:
        """Keep something beside a data set, in `DatasetInfo.extra`.

        Nothing is done if it was deleted meanwhile.
        """
        with self._changing(dataset) as change:
            if change is not None:
                change.about["extra"][name] = value

    def touch(self, dataset: str) -> None:
        """Note that a data set was opened just now, if that can be kept."""
        with suppress(WorkspaceError), self._explaining(writing=True):
            self._note_opened(dataset, now().isoformat(timespec="microseconds"))

    def delete_dataset(self, dataset: str) -> None:
        """Delete a data set and its runs; its folder goes to the trash."""
        with self._explaining(writing=True), self._changes:
            if self._about_of(dataset) is not None:
                self.trash.throw(self._folder(dataset).path)

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
                ids = "\0".join(self._table(info, "objects")["id"].astype(str))
            except DamagedFile:
                return ""
            self._object_ids[info.fingerprint] = hash_of(ids.encode())
        return self._object_ids[info.fingerprint]


def _parts(cleaning: Cleaning) -> tuple[Triplets, Triplets, Quadruples | None, str]:
    """Triplets that were imported, those that are left, comparisons that are left, and a hash.

    Comparisons are kept as they came; what is left out of them is in the log.
    """
    raw, left = cleaning.raw, cleaning.triplets
    if isinstance(raw, Quadruples):
        none = Triplets(np.zeros((0, 3)), raw.objects, name=raw.name)
        return none, none, left, none.fingerprint
    return raw, left, None, raw.fingerprint


def _wanted(info: DatasetInfo) -> tuple:
    """What the exclusions of a data set depend on."""
    return (info.id, info.imported, info.pairs, info.gold, info.catch_trials, info.state, info.name)


def _facts(triplets: Triplets, pairs: Pairs | Quadruples | None) -> dict[str, Any]:
    """What of a data set follows from its content."""
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


def _trials(triplets: Triplets) -> dict[str, int]:
    """How many trials gave the answers, where that is another number."""
    return {} if triplets.trials is None else {"trials": triplets.n_trials}


def _noted(measured: Measured | None) -> dict[str, Any]:
    """What is noted of ratings and so on; their table is a file."""
    if measured is None:
        return {}
    return {MEASURED: {"kind": measured.kind, "options": measured.options}}


def _pair_table(pairs: Pairs | Quadruples) -> pd.DataFrame:
    """Comparisons of pairs as they are kept."""
    rows = pd.DataFrame(pairs.rows, columns=PAIR_ROLES)
    return pd.concat([rows, pairs.answers.reset_index(drop=True)], axis=1)
