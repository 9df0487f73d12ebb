"""The workspace: data sets, results, pictures and sessions.

One folder for each data set (`folder`), which anybody may read, copy, take away and put back: the
folder is the truth. Deleted files go to the trash; foreign ones are never touched.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import Answers, Triplets
from tripletscope.dashboard.files.errors import DamagedFile, WorkspaceError
from tripletscope.dashboard.files.storage import hash_of, partial_of, slug, sync_folder
from tripletscope.dashboard.store.change import Draft, FolderChange, triplets_of
from tripletscope.dashboard.store.dataset import (
    AFTER_EXCLUSIONS,
    ALL_ANSWERS,
    DatasetInfo,
    ExclusionLog,
    state_of,
)
from tripletscope.dashboard.store.description import MEASURED, info_of, new_about, views_of
from tripletscope.dashboard.store.feature_tables import FeatureTables, free_name
from tripletscope.dashboard.store.folder import RESULTS, DataFolder
from tripletscope.dashboard.store.pictures import KeptPictures
from tripletscope.dashboard.store.recent import Recent
from tripletscope.dashboard.store.runs import KeptRuns
from tripletscope.dashboard.store.workspace_base import now

if TYPE_CHECKING:  # lists of data sets load nothing that computes
    from tripletscope.core.ratings import RatedDissimilarities
    from tripletscope.core.reading import Pairs
    from tripletscope.core.studies.quality import Cleaning


#: Views in memory, so that switching is immediate.
_VIEWS = 6


class Workspace(FeatureTables, KeptRuns, KeptPictures):
    """A folder that keeps data sets, results, pictures and sessions.

    notes: Sentences for the user from its opening.
    """

    def __init__(self, folder: Path) -> None:
        self._object_ids: dict[str, str] = {}
        self._cleanings = Recent(_VIEWS)
        super().__init__(folder)

    def add_dataset(
        self, triplets: Triplets, *, origin: str, report: list[str],
        pictures: Mapping[str, bytes] | None = None, catch_trials: pd.DataFrame | None = None,
        pairs: Pairs | None = None, measured: RatedDissimilarities | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> DatasetInfo:
        """Keep a data set.

        origin: A file's name, or ``sample:`` and the name of a sample.
        pictures: By the name that column ``image`` of the objects uses.
        pairs: Comparisons of two pairs of objects.
        measured: Ratings and so on from which the answers follow.
        """
        from tripletscope.core.studies.quality import Cleaning

        extra = dict(extra or {})
        if measured is not None:
            extra[MEASURED] = {"kind": measured.kind, "options": measured.options}
        path = self.folder / f"{slug(triplets.name)}-{secrets.token_hex(3)}"
        created = now().isoformat(timespec="microseconds")
        partial = partial_of(path)
        with self.explaining(writing=True):
            try:
                partial.mkdir()
                folder = DataFolder(partial)
                with folder.draft() as draft, folder.changing(new_about()) as change:
                    draft.keep_answers(Cleaning(triplets, catch_trials), pairs)
                    draft.keep_pictures(pictures or {})
                    draft.keep_table(MEASURED, measured.table if measured else None)
                    change.about.update(
                        name=triplets.name, origin=origin, created=created, report=report,
                        extra=extra,
                    )
                    change.keep(draft)
                partial.replace(path)
            except BaseException:
                self.trash.remove(partial)
                raise
            with suppress(OSError):  # the data set is complete by now
                sync_folder(self.folder)
                self._note_opened(path.name, created)
        self._answers.keep(triplets.fingerprint, triplets)
        return self.dataset(path.name)

    def update_dataset(
        self, info: DatasetInfo, cleaning: Cleaning, pictures: Mapping[str, bytes] | None = None,
        *, view: str = "",
    ) -> DatasetInfo:
        """Change exclusions, gold questions or objects, and add pictures.

        info: The data set as it was when `cleaning` was made.
        view: Name of the view with these exclusions, then in use. By default the one in use;
            exclusions of all answers begin a new one. A view without exclusions is removed.
        """
        if not view:
            view = info.view if info.view != ALL_ANSWERS else (
                free_name(AFTER_EXCLUSIONS, {*info.views})
            )
        state, raw = attrgetter("imported", "exclusions", "gold"), triplets_of(cleaning.raw)
        with self._drafting(info.id) as draft:
            if info.imported != raw.fingerprint:
                draft.keep_triplets("answers", raw)
            draft.keep_cleaning(cleaning, None if info.has_only_pairs else self.pairs(info))
            draft.keep_pictures(pictures or {})
            with self._changing(info.id) as change:
                if change is None or state(info_of(info.id, change.about, "")) != state(info):
                    raise WorkspaceError(
                        f"{info.name} was {'deleted' if change is None else 'changed'} in another "
                        "tab meanwhile. Nothing was changed here: load the page again."
                    )
                views = views_of(change.about)[1]
                change.keep(draft)
                keep_views(change, views, view)
        return self._held(info.id, cleaning)

    def use_view(self, info: DatasetInfo, view: str) -> DatasetInfo:
        """Switch to another view.

        `DataError` if its rules exclude all answers, or need gold questions that are missing.
        """
        cleaning = self.cleaning(replace(info, exclusions=info.views[view], view=view))
        if not cleaning.kept.any():
            raise DataError(f"the view {view} has no answer", file=info.name,
                            remedy="Its rules exclude all of them.")
        return self.update_dataset(info, cleaning, view=view)

    def rename_view(self, dataset: str, view: str, name: str) -> None:
        """Rename a view, unless it is gone or the name is taken."""
        with self._changing(dataset) as change:
            used, views = views_of(change.about) if change is not None else ("", {})
            if view in views and view != ALL_ANSWERS and name not in views:
                named = {one: name if one == view else one for one in views}
                keep_views(change, {named[one]: steps for one, steps in views.items()}, named[used])

    def add_views(self, dataset: str, views: Mapping[str, ExclusionLog]) -> None:
        """Add views, except those whose exclusions a view has; names may be numbered."""
        with self._changing(dataset) as change:
            if change is None:
                return
            used, there = views_of(change.about)
            states = {state_of(steps, None) for steps in there.values()}
            for name, steps in views.items():
                if state_of(steps, None) not in states:
                    there[free_name(name, {*there})] = steps
            keep_views(change, there, used)

    def renew_dataset(
        self, info: DatasetInfo, answers: Answers, *, report: list[str],
        catch_trials: pd.DataFrame | None = None, measured: RatedDissimilarities | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> DatasetInfo:
        """Replace the answers by the present ones, while they still come in.

        Exclusions are repeated, except those that name single answers by position. Results of
        earlier answers go to the trash. `answers` are about the objects of its pictures.
        """
        from tripletscope.core.studies.quality import Cleaning

        views = {
            view: [step for step in steps if not step["answers"]]
            for view, steps in info.views.items()
        }
        cleaning = Cleaning.from_log(
            answers, views[info.view], catch_trials, self.cleaning(info).gold
        )
        with self._drafting(info.id) as draft:
            draft.keep_answers(cleaning)
            if measured is not None:
                draft.keep_table(MEASURED, measured.table)
            self._renew(info, draft, views, report, extra or {})
        folder = self._folder(info.id)
        with self._changes:  # of uploaded distances, results do not depend on the answers
            self.trash.take(
                folder.path / RESULTS / run.key for run in self._listed(info.id)
                if run.state is not None or measured is not None
            )
        return self._held(info.id, cleaning)

    def _renew(
        self, info: DatasetInfo, draft: Draft, views: Mapping[str, ExclusionLog],
        report: list[str], extra: Mapping[str, Any],
    ) -> None:
        with self._changing(info.id) as change:
            self._about(info)  # or it was deleted meanwhile
            change.keep(draft)
            keep_views(change, views, info.view)
            change.about.update(report=report, renewals=change.about["renewals"] + 1)
            change.about["extra"].update(extra)

    def _held(self, dataset: str, cleaning: Cleaning) -> DatasetInfo:
        """A data set after a change, with its answers in memory."""
        info = self.dataset(dataset)
        if info is None:
            raise WorkspaceError("The data set was deleted in another tab meanwhile.")
        self._answers.keep(info.fingerprint, triplets_of(cleaning.triplets))
        self._cleanings.keep(_wanted(info), cleaning)
        with suppress(WorkspaceError), self.explaining(writing=True):  # the change itself is made
            self._adopt_runs(info, cleaning.triplets)
        return info

    def datasets(self) -> list[DatasetInfo]:
        """The last opened first."""
        opened = self._opened()
        with self.explaining():
            infos = [self._info(path.name, opened) for path in self._folders()]
        return sorted(filter(None, infos), key=lambda info: info.opened, reverse=True)

    def dataset(self, dataset: str) -> DatasetInfo | None:
        return self._info(dataset, self._opened())

    def triplets(self, info: DatasetInfo) -> Triplets:
        """The triplets of a data set. The last few stay in memory."""
        held = self._answers.get(info.fingerprint)
        if held is None:
            whole = info.has_only_pairs or not info.exclusions
            held = self._imported(info) if whole else self.cleaning(info).triplets
            self._answers.keep(info.fingerprint, held)
        return held.renamed(info.name)

    def answers(self, info: DatasetInfo) -> Answers:
        """Triplets of a data set, or its comparisons of pairs where it has only these."""
        return self.pairs(info) if info.has_only_pairs else self.triplets(info)

    def cleaning(self, info: DatasetInfo) -> Cleaning:
        cleaning = self._cleanings.get(_wanted(info))
        if cleaning is None:
            cleaning = self._folder(info.id).cleaning(self._as_of(info), self._imported(info))
            self._cleanings.keep(_wanted(info), cleaning)
        return cleaning

    def objects(self, info: DatasetInfo) -> pd.DataFrame:
        """Without reading the answers."""
        return self._folder(info.id).objects(self._about(info))

    def measured(self, info: DatasetInfo) -> RatedDissimilarities | None:
        """Without participants who are excluded entirely."""
        return self._folder(info.id).measured(self._as_of(info))

    def pairs(self, info: DatasetInfo) -> Quadruples | None:
        """Comparisons of two pairs of objects after exclusions."""
        if info.has_only_pairs:
            return self.cleaning(info).triplets
        # Beside triplets, exclusions are of these alone.
        return self._folder(info.id).pairs(self._about(info), self._imported(info).objects)

    def _imported(self, info: DatasetInfo) -> Triplets:
        """The imported triplets, without a name."""
        held = self._answers.get(info.imported)
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
            self._answers.keep(info.imported, held)
        return held

    def _as_of(self, info: DatasetInfo) -> dict[str, Any]:
        return {**self._about(info), "name": info.name, "exclusions": info.exclusions}

    def rename_dataset(self, dataset: str, name: str) -> None:
        with self._changing(dataset) as change:
            if change is not None:
                change.about["name"] = name

    def note(self, dataset: str, name: str, value: Any) -> None:
        """Keep a value in `DatasetInfo.extra`, unless the data set was deleted meanwhile.

        None forgets what was kept.
        """
        with self._changing(dataset) as change:
            if change is not None:
                change.about["extra"] |= {name: value}
                if value is None:
                    del change.about["extra"][name]

    def touch(self, dataset: str) -> None:
        """Note that a data set was opened now, if the disk allows."""
        with suppress(WorkspaceError), self.explaining(writing=True):
            self._note_opened(dataset, now().isoformat(timespec="microseconds"))

    def delete_dataset(self, dataset: str) -> None:
        with self.explaining(writing=True), self._changes:
            if self._about_of(dataset) is not None:
                self.trash.throw(self._folder(dataset).path)

    def about_the_same_objects(self, info: DatasetInfo) -> list[DatasetInfo]:
        """The other data sets whose objects have the same ids in the same order."""
        ids = self._ids_of(info)
        return [
            other for other in self.datasets()
            if other.id != info.id and other.n_objects == info.n_objects
            and ids == self._ids_of(other) != ""
        ]

    def _ids_of(self, info: DatasetInfo) -> str:
        """Hash of the objects' ids, whose file is read once. Empty if damaged."""
        if info.fingerprint not in self._object_ids:
            try:
                ids = "\0".join(self.objects(info)["id"].astype(str))
            except DamagedFile:
                return ""
            self._object_ids[info.fingerprint] = hash_of(ids.encode())
        return self._object_ids[info.fingerprint]


def keep_views(change: FolderChange, views: Mapping[str, ExclusionLog], view: str) -> None:
    """Write the views except that of all answers; `view`, in use, has the folder's exclusions."""
    views = {**views, view: change.about["exclusions"]}
    change.about["views"] = {
        name: steps for name, steps in views.items() if steps and name != ALL_ANSWERS
    }
    change.about.pop("view", None)
    if change.about["exclusions"]:
        change.about["view"] = view


def _wanted(info: DatasetInfo) -> tuple:
    """Everything on which a cleaning depends."""
    return (info.id, info.imported, info.pairs, info.gold, info.catch_trials, info.state, info.name)
