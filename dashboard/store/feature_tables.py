"""Tables of features and distances that are kept beside the answers of a data set."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from tripletscope.core.data.triplets import Answers
from tripletscope.core.reading import FeatureTable
from tripletscope.dashboard.files.errors import DamagedFile, WorkspaceError
from tripletscope.dashboard.files.storage import slug, write_arrays
from tripletscope.dashboard.store.change import TABLES, FolderChange, WrittenFile
from tripletscope.dashboard.store.dataset import DatasetInfo
from tripletscope.dashboard.store.workspace_base import OpenFolder

#: Tables of features in one data set.
MOST = 100
#: Letters of a name at most, as forms take them.
LONGEST = 120


@dataclass(frozen=True)
class KeptTable:
    """A table of features without its numbers.

    file: Place of its numbers.
    origin: The file that it was read from.
    about: Its content in a few words.
    settings: How its rows are compared.
    named: Whether its features have names.
    """

    name: str
    file: str
    origin: str
    about: str
    notes: list[str] = field(default_factory=list)
    settings: dict[str, Any] = field(default_factory=dict)
    named: bool = False

    @property
    def holds_distances(self) -> bool:
        return self.about.startswith("distances")


class FeatureTables(OpenFolder):
    """The part of `Workspace` that keeps tables of features."""

    def tables(self, info: DatasetInfo) -> list[KeptTable]:
        return [KeptTable(**entry) for entry in info.extra.get(TABLES, ())]

    def add_tables(
        self, info: DatasetInfo, about: Answers, tables: Sequence[FeatureTable], origin: str
    ) -> list[str]:
        """Keep tables, with rows for the objects of `about`; their names, perhaps numbered."""
        with self._drafting(info.id) as draft:
            files = [
                draft.write(
                    f"features/{slug(table.name).lower()}", "npz",
                    partial(write_arrays, arrays=_arrays(table, about)),
                ) for table in tables
            ]
            return self._list_tables(info, tables, files, origin)

    def _list_tables(
        self, info: DatasetInfo, tables: Sequence[FeatureTable], files: Sequence[WrittenFile],
        origin: str,
    ) -> list[str]:
        """Mention the files of tables; their names."""
        names: list[str] = []
        with self._changing(info.id) as change:
            listed = _listed(info, change)
            for table, written in zip(tables, files, strict=True):
                file = change.place(written)
                same = next((e["name"] for e in listed if e["file"] == file), None)
                if same is None:
                    same = free_name(table.name, {entry["name"] for entry in listed})
                    listed.append(vars(KeptTable(
                        same, file, origin, table.about, list(table.notes), {}, bool(table.columns),
                    )))
                names.append(same)
            if len(listed) > MOST:
                raise WorkspaceError(
                    f"{info.name} would have {len(listed):,} tables of features; at most "
                    f"{MOST} are kept. Remove some first."
                )
        return names

    def change_table(self, info: DatasetInfo, which: str, **changed: Any) -> None:
        with self._changing(info.id) as change:
            listed = _listed(info, change)
            if changed.get("name") in {entry["name"] for entry in listed} - {which}:
                raise WorkspaceError(f"There is a table called {changed['name']} already.")
            for entry in listed:
                if entry["name"] == which:
                    entry.update(changed)

    def remove_table(self, info: DatasetInfo, name: str) -> None:
        with self._changing(info.id) as change:
            listed = _listed(info, change)
            listed[:] = [entry for entry in listed if entry["name"] != name]

    def table(self, info: DatasetInfo, kept: KeptTable, about: Answers) -> FeatureTable:
        """The numbers of a table, with a row for each of the present objects."""
        try:
            arrays = self._folder(info.id).features(self._about(info), kept.file)
        except DamagedFile as error:
            raise WorkspaceError(
                f"The table {kept.name} is damaged. Remove it, and upload {kept.origin} again."
            ) from error
        return measured_table(kept, arrays, about)


def measured_table(
    kept: KeptTable, arrays: Mapping[str, np.ndarray], about: Answers
) -> FeatureTable:
    """A table of arrays, with a row for each object of the answers."""
    place = {name: row for row, name in enumerate(arrays["ids"].tolist())}
    rows = np.array([place.get(name, -1) for name in about.ids], dtype=np.int64)
    values = distances = None
    if "values" in arrays:
        values = _at(arrays["values"], rows)
    else:
        distances = _at(_at(arrays["distances"], rows).T, rows).T
    whole = values if values is not None else np.where(np.eye(len(rows)), np.nan, distances)
    unknown = np.isnan(whole).all(axis=1)
    return FeatureTable(
        kept.name, values, distances, arrays["columns"].tolist(), kept.notes,
        [about.ids[i] for i in np.flatnonzero(unknown)],
    )


def _listed(info: DatasetInfo, change: FolderChange | None) -> list[dict[str, Any]]:
    if change is None:
        raise WorkspaceError(f"{info.name} was deleted meanwhile.")
    return change.about["extra"].setdefault(TABLES, [])


def _arrays(table: FeatureTable, about: Answers) -> dict[str, np.ndarray]:
    what = "values" if table.distances is None else "distances"
    return {
        what: getattr(table, what), "ids": np.array(about.ids, dtype=str),
        "columns": np.array(table.columns, dtype=str),
    }


def _at(values: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Rows of an array; NaN where a row is -1. The array itself where all are in their order."""
    if np.array_equal(rows, np.arange(len(values))):
        return values
    return np.where((rows >= 0)[:, None], values[rows], np.nan)


def free_name(name: str, taken: set[str]) -> str:
    """A name, with the next number behind it where it is taken: after "(2)" comes "(3)"."""
    name = name.strip() or "features"
    numbers = (f" ({k})" for k in range(2, len(taken) + 3))
    numbered = (_bare(name)[: LONGEST - len(number)] + number for number in numbers)
    return name if name not in taken else next(n for n in numbered if n not in taken)


def may_be_called(name: str, wanted: str) -> bool:
    """Whether a name is a wanted one, or what `free_name` has made of it."""
    bare = _bare(name)
    return name == wanted or (name != bare and _bare(wanted).startswith(bare) and (
        bare == _bare(wanted) or len(name) == LONGEST
    ))


def _bare(name: str) -> str:
    return re.sub(r" \(\d{1,3}\)$", "", name)  # a year is a part of the name
