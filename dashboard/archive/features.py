"""Scripts' feature spaces, from columns or kept tables."""

from __future__ import annotations

import io
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain, product
from typing import Any

import numpy as np
import pandas as pd

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Answers
from tripletscope.core.features.feature_model import FeatureModel
from tripletscope.core.features.spaces import METRICS, FeatureSpace
from tripletscope.core.reading import FeatureTable, features_of, read_feature_tables
from tripletscope.core.run import Run, hash_of_distances
from tripletscope.core.scales import MLCM, ConjointComparisons

#: How rows of a table may be compared.
_SETTINGS = [
    {"metric": metric, "standardise": standardise}
    for metric, standardise in product(METRICS, (False, True))
]


@dataclass(frozen=True)
class SpaceSource:
    """Source of a feature space: columns of the table of objects, or a kept table.

    content: The kept table as a file for `read_feature_tables`.
    settings: Of the space, where they differ from the defaults.
    """

    fingerprint: str
    columns: list[str] = field(default_factory=list)
    table: FeatureTable | None = None
    content: bytes = b""
    settings: dict[str, Any] = field(default_factory=dict)

    def expression(self, name: str, data: str, file: str) -> list[str]:
        """The call that makes the space, as its start and its arguments.

        data: Variable of the answers.
        """
        further = [f"{key}={value!r}" for key, value in self.settings.items()]
        if self.table is None:
            columns = ["id", *self.columns]
            start = "ts.features.FeatureSpace.of"
            return [start, f"{data}.objects[{columns!r}]", data, f"name={name!r}", *further]
        what = "values" if self.table.distances is None else "distances"
        read = f"{what}=ts.features.read_feature_tables({file!r}, {data})[0].{what}"
        return ["ts.features.FeatureSpace", f"name={name!r}", read, *further]


def contents_of(runs: Iterable[Run]) -> dict[str, tuple[str, str]]:
    """Name and fingerprint of every feature space of some results, by their notes."""
    noted = (
        text for run in runs if run.kind == FeatureModel.kind
        for text in run.parameters["content"]
    )
    return {text: (parts[0], parts[2]) for text in noted if (parts := text.rpartition(": "))}


def space_sources(
    about: Answers, tables: Sequence[FeatureTable], wanted: Collection[str]
) -> dict[str, SpaceSource]:
    """Sources of feature spaces, by fingerprint; unknown ones are missing."""
    sources: dict[str, SpaceSource] = {}
    if not wanted:
        return sources
    for source in chain(_of_columns(about.objects), _of_tables(tables, about, wanted)):
        if source.fingerprint in wanted:
            sources.setdefault(source.fingerprint, source)
        if len(sources) == len(set(wanted)):
            break
    return sources


def _of_columns(objects: pd.DataFrame) -> Iterator[SpaceSource]:
    """Each column of numbers, and all of them that distinguish objects."""
    columns = features_of(objects)
    together = [
        column for column in columns
        if len(objects[column].dropna().unique()) > 1 and objects[column].notna().sum() > 2
    ]
    for some in [*([column] for column in columns), together]:
        settings = {"standardise": True} if len(some) > 1 else {}
        values = objects[some].to_numpy(dtype=float, na_value=np.nan)
        try:
            space = FeatureSpace(name="columns", values=values, feature_names=some, **settings)
        except DataError:  # too few numbers
            continue
        yield SpaceSource(space.fingerprint, some, settings=settings)


def _of_tables(
    tables: Sequence[FeatureTable], about: Answers, wanted: Collection[str]
) -> Iterator[SpaceSource]:
    """Kept tables, compared in every way, if a script can read them as they are."""
    for table in tables:
        with suppress(DataError):  # too little of it is about objects that are there
            yield from _of_table(table, about, wanted)


def _of_table(
    table: FeatureTable, about: Answers, wanted: Collection[str]
) -> Iterator[SpaceSource]:
    usual = {"metric": "euclidean", "standardise": False}
    names = {"feature_names": table.columns} if table.columns else {}
    for settings in [{}] if table.distances is not None else _SETTINGS:
        further = {**names, **settings}
        fingerprint = _space_of(table, further).fingerprint
        if fingerprint not in wanted:
            continue
        content = table_file(table, about)
        (again,) = read_feature_tables(content, about, "features.npz")
        same = (again.distances is None) == (table.distances is None)
        if same and _space_of(again, further).fingerprint == fingerprint:
            changed = {k: value for k, value in further.items() if value != usual.get(k)}
            yield SpaceSource(fingerprint, [], table, content, changed)


def _space_of(table: FeatureTable, settings: dict[str, Any]) -> FeatureSpace:
    if table.distances is not None:
        return FeatureSpace(name=table.name, distances=table.distances)
    return FeatureSpace(name=table.name, values=table.values, **settings)


def table_of(
    run: Run, tables: Iterable[FeatureTable], about: Answers
) -> FeatureTable | ConjointComparisons | None:
    """The table that a result is of, as a script can read it; None if it is not kept."""
    if run.kind == MLCM.kind:
        return run.fitted().comparisons if run.arrays else None
    for table in tables:
        if table.distances is None:
            continue
        if run.data == (
            hash_of_distances(table) if run.task == "fit" else table.ratings(about).fingerprint
        ):
            (again,) = read_feature_tables(table_file(table, about), about, "distances.npz")
            same = again.distances is not None
            return table if same and hash_of_distances(again) == hash_of_distances(table) else None
    return None


def array_file(array: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


def table_file(table: FeatureTable, about: Answers) -> bytes:
    """A table's numbers and the names of its objects as NPZ."""
    gone = set(table.missing)
    there = np.array([name not in gone for name in about.ids])
    if table.distances is not None:
        arrays = {"distances": table.distances[np.ix_(there, there)]}
    else:
        arrays = {"values": table.values[there]}
    buffer = io.BytesIO()
    np.savez_compressed(buffer, ids=np.array(about.ids, dtype=str)[there], **arrays)
    return buffer.getvalue()
