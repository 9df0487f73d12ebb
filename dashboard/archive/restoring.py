"""Archives become data sets of a workspace again, with their results."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from tripletscope import __version__
from tripletscope.core.data.errors import DataError
from tripletscope.core.engine.method import methods
from tripletscope.core.features.spaces import METRICS
from tripletscope.core.reading import FeatureTable
from tripletscope.core.run import TASKS, Run
from tripletscope.core.studies.quality import Cleaning
from tripletscope.dashboard.archive.page_settings import sound_settings
from tripletscope.dashboard.files.errors import WorkspaceError
from tripletscope.dashboard.sandbox.records import Unpacked
from tripletscope.dashboard.store.change import ABOUT, TABLES
from tripletscope.dashboard.store.dataset import DatasetInfo
from tripletscope.dashboard.store.description import (
    NOTED,
    UPLOADED,
    info_of,
    read_about,
    read_run,
    views_of,
)
from tripletscope.dashboard.store.feature_tables import LONGEST, KeptTable, measured_table
from tripletscope.dashboard.store.folder import RESULTS, RUN, DataFolder
from tripletscope.dashboard.store.workspace import Workspace
from tripletscope.dashboard.words.formats import count


@dataclass(frozen=True)
class Restored:
    """A restored archive.

    settings: Of pages, by the keys of widgets.
    notes: For the user, as sentences.
    """

    info: DatasetInfo
    settings: dict[str, Any]
    notes: list[str]


def restore(workspace: Workspace, unpacked: Unpacked, name: str) -> Restored:
    """Keep an archive's data set beside all others.

    An existing data set with the same answers and exclusions gets missing results.
    name: Of the file, for messages.
    """
    try:
        folder = _Received(unpacked, name)
        about = folder.about()
        made = _dataset(folder, about, unpacked.pictures)
        runs, unknown = _runs(folder, about, made[1]["triplets"].n_objects)
        changed = [str(place) for place in unpacked.changed]
        settings = json.loads(json.dumps(unpacked.settings))
    except (KeyError, ValueError, TypeError, AttributeError, IndexError, OverflowError,
            RecursionError, WorkspaceError) as error:
        if isinstance(error, DataError):
            raise error.at(name) from error
        raise _misfit(name) from error
    info = _keep(workspace, *made, about, runs)
    notes = []
    if unknown:
        notes.append(
            f"{count(unknown, 'result')} unknown to this version, or incompatible with it, could "
            "not be opened."
        )
    if changed:
        some = ", ".join(changed[:3]) + (" and others" if len(changed) > 3 else "")
        notes.append(f"Changed since the archive was made, or missing: {some}.")
    return Restored(info, sound_settings(settings, info, [run for run, _ in runs]), notes)


class _Received(DataFolder):
    """A folder without files: the content that the reading process reports."""

    def __init__(self, unpacked: Unpacked, name: str) -> None:
        super().__init__(Path(name))
        self._unpacked = unpacked

    def about(self) -> dict[str, Any]:
        return read_about(self.path / ABOUT, json.dumps(self._unpacked.about).encode())

    def table(self, about: Mapping[str, Any], part: str) -> pd.DataFrame | None:
        return self._unpacked.tables[about["files"][part]] if part in about["files"] else None

    def arrays(self, place: str, total: str) -> dict[str, np.ndarray]:
        return self._unpacked.arrays[place]

    def result_keys(self) -> list[str]:
        return list(self._unpacked.results)

    def result(self, key: str) -> dict[str, Any]:
        return read_run(self.path / key / RUN, json.dumps(self._unpacked.results[key]).encode())


def _dataset(
    folder: _Received, about: Mapping[str, Any], pictures: Mapping[str, bytes]
) -> tuple[Cleaning, dict[str, Any], list[tuple[KeptTable, FeatureTable]]]:
    """Cleaning, arguments of `Workspace.add_dataset`, and tables of features.

    Checked like folders of others.
    """
    triplets = folder.triplets(about)
    if triplets.fingerprint != about["imported"]:
        raise DataError("its answers were changed")
    cleaning = folder.cleaning(about, triplets)
    cleaning.triplets  # noqa: B018 - the exclusions can be made of these answers
    for steps in views_of(about)[1].values():
        cleaning.with_log(steps)
    if not all(isinstance(content, bytes) for content in pictures.values()):
        raise ValueError("no pictures")
    notes = info_of("", about, None).extra
    tables = [KeptTable(**{**entry, "settings": _comparing(entry["settings"])})
              for entry in notes.get(TABLES, ())]
    return cleaning, {
        "triplets": triplets.renamed(about["name"][:LONGEST]), "origin": about["origin"],
        "report": about["report"], "pictures": pictures, "catch_trials": cleaning.catch_trials,
        "pairs": folder.pairs(about, triplets.objects),
        "measured": folder.measured({**about, "exclusions": []}),
        "extra": {
            UPLOADED: about["created"],
            **{name: value for name, value in notes.items() if name in NOTED},
        },
    }, [
        (table, measured_table(table, folder.features(about, table.file), triplets))
        for table in tables
    ]


def _comparing(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Valid settings of a table's comparison of rows."""
    sound = {"metric": lambda value: value in METRICS, "standardise": lambda v: isinstance(v, bool)}
    return {name: settings[name] for name, is_sound in sound.items()
            if name in settings and is_sound(settings[name])}


def _runs(
    folder: _Received, about: Mapping[str, Any], n_objects: int
) -> tuple[list[tuple[Run, dict[str, Any]]], int]:
    """Results with their notes, and the number that this version lacks or has otherwise."""
    runs, unknown = [], 0
    for key in folder.result_keys():
        said = folder.result(key)
        record, arrays = said["run"], folder.arrays(f"{RESULTS}/{key}/{said['file']}", "")
        if record["task"] not in TASKS or record["method"] not in methods(record["kind"]):
            unknown += 1
            continue
        try:
            run = Run.of(record, arrays, n_objects)
        except ValueError:
            if record["version"] == __version__:
                raise
            unknown += 1
            continue
        if run.key != key:
            raise ValueError("a result of another key")
        if said["renewals"] == about["renewals"]:  # others are of answers that were replaced
            runs.append((run, said))
    return sorted(runs, key=lambda one: one[1]["number"]), unknown


def _keep(
    workspace: Workspace, cleaning: Cleaning, further: Mapping[str, Any],
    tables: Sequence[tuple[KeptTable, FeatureTable]], about: Mapping[str, Any],
    runs: Sequence[tuple[Run, Mapping[str, Any]]],
) -> DatasetInfo:
    """Keep a data set and all of its results or, where that fails, nothing."""
    there = _there(workspace, cleaning, further, {kept.name for kept, _ in tables})
    view, views = views_of(about)
    info, added, state = there, [], info_of("", about, None).state
    keys = [] if there is None else DataFolder(workspace.folder / there.id).result_keys()
    try:
        if info is None:
            info = workspace.add_dataset(**further)
            workspace.add_views(info.id, views)
            if cleaning.exclusions or cleaning.gold is not None:
                info = workspace.update_dataset(info, cleaning, view=view)
            for kept, table in tables:
                (name,) = workspace.add_tables(info, further["triplets"], [table], kept.origin)
                workspace.change_table(info, name, settings=kept.settings)
        else:
            workspace.add_views(info.id, views)
        info = workspace.dataset(info.id)
        for run, said in runs:
            if run.key not in keys:
                # The state of results under other exclusions.
                other = None if said["state"] == state else said["state"]
                added.append(workspace.add_run(
                    info, run, said["name"][:200], state=other,
                    unasked=said.get("unasked", False),
                ))
                if added[-1] is not None:
                    workspace.describe_run(added[-1].id, **{
                        name: said[name] for name in ("group", "pinned", "also") if name in said
                    })
    except BaseException:
        if there is None and info is not None:
            workspace.delete_dataset(info.id)
        elif info is not None:
            workspace.delete_runs(list(filter(None, added)))
        raise
    return info


def _there(
    workspace: Workspace, cleaning: Cleaning, further: Mapping[str, Any], tables: set[str]
) -> DatasetInfo | None:
    raw, pairs = further["triplets"], further["pairs"]
    gold = cleaning.gold.fingerprint if cleaning.gold is not None else None
    for info in workspace.datasets():
        if (
            (info.name, info.imported, info.gold) == (raw.name, raw.fingerprint, gold)
            and info.exclusions == cleaning.log() and info.report == further["report"]
            and (info.has_only_pairs or info.n_pairs == len(pairs or ()))
            and set(info.pictures) == set(further["pictures"])
            and tables <= {table.name for table in workspace.tables(info)}
            and (not info.has_only_pairs
                 or workspace.cleaning(info).raw.fingerprint == cleaning.raw.fingerprint)
        ):
            return info
    return None


def _misfit(name: str) -> DataError:
    return DataError(
        "what it says of its data set cannot be understood", file=name,
        remedy="Download it again from where it was kept.",
    )
