"""An upload on its way to becoming a data set: it waits here until the user accepts it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from core.files import (
    Imported,
    Pictures,
    Reading,
    Table,
    attach_pictures,
    interpret,
    load,
    propose,
    read_objects,
    read_pictures,
)
from core.triplets import DataError, Triplets
from dashboard.services import services
from dashboard.workspace import DatasetInfo

_AT_MOST = 8  # waiting imports in memory, over all sessions


@dataclass
class Waiting:
    """An upload and how it is going to be read.

    Attributes
    ----------
    name : str
        Of the file.
    content : bytes
    table : Table
    readings : list of Reading
        What the program proposes, the best first.
    reading : Reading
        What is chosen.
    objects : DataFrame or None
        A table of objects that came along.
    pictures : Pictures or None
        Pictures that came along.
    """

    name: str
    content: bytes
    table: Table
    readings: list[Reading]
    reading: Reading
    objects: pd.DataFrame | None = None
    objects_name: str = ""
    pictures: Pictures | None = None
    _read: tuple[Any, Imported] | None = field(default=None, repr=False)

    @classmethod
    def of(cls, name: str, content: bytes, *, insist: bool = False) -> Waiting:
        """Look at an upload.

        Parameters
        ----------
        insist : bool
            Propose columns even where the table looks like answers to another kind of question.

        Raises
        ------
        DataError
            If it is no table of answers, or, without `insist`, looks like one of another kind.
        """
        table = load(content, name)
        readings = propose(table, insist=insist)
        return cls(name, content, table, readings, readings[0])

    def reload(self, header: bool, delimiter: str | None) -> None:
        """Cut the file into columns in another way, and propose anew."""
        self.table = load(self.content, self.name, header=header, delimiter=delimiter)
        self.readings = propose(self.table, insist=True)
        self.reading = self.readings[0]

    def add_objects(self, name: str, content: bytes) -> None:
        """Take a table of objects along."""
        self.objects, self.objects_name = read_objects(content, name=name), name

    def add_pictures(self, files: Iterable[tuple[str, bytes]]) -> None:
        """Take pictures along: single ones, or archives of them."""
        self.pictures = gather_pictures(files)

    def read(self) -> Imported:
        """The answers under the chosen reading; computed once for each.

        Raises
        ------
        DataError
            If the file cannot be read that way.
        """
        setting = (self.table, self.reading, self.objects is not None and id(self.objects))
        if self._read is None or self._read[0] != setting:
            self._read = setting, interpret(self.table, self.reading, self.objects)
        imported = self._read[1]
        if not len(imported.triplets):
            raise DataError(
                f"all {len(imported.pairs):,} answers compare two pairs of objects without one in "
                "common", file=self.name,
                remedy="Maps are made of answers about three objects; such answers are kept for "
                "difference scales only.",
            )
        return imported

    def triplets(self) -> tuple[Triplets, list[str]]:
        """The data set, with pictures, and the report on both."""
        imported = self.read()
        lines = imported.report.summary()
        triplets = imported.triplets
        if self.pictures:
            triplets, match = attach_pictures(triplets, self.pictures)
            lines += match.summary()
        return triplets, lines


def gather_pictures(files: Iterable[tuple[str, bytes]]) -> Pictures:
    """Pictures from uploads, of which some may be ZIP archives.

    Raises
    ------
    DataError
        If an archive is damaged or unsafe, or nothing in the uploads is a picture.
    """
    single: list[tuple[str, bytes]] = []
    for name, content in files:
        if name.lower().endswith(".zip"):
            single.extend(read_pictures(content, name).items())
        else:
            single.append((name, content))
    pictures = Pictures(single)
    if not pictures:
        reasons = "; ".join(f"{name}: {why}" for name, why in list(pictures.refused.items())[:3])
        raise DataError(
            f"no picture was found ({reasons})" if reasons else "no picture was found",
            remedy="Upload PNG, JPEG, GIF, WebP or BMP files, or a ZIP of them.",
        )
    return pictures


def waiting(session_id: str) -> Waiting | None:
    """The import of a session that waits for a decision."""
    return services().imports.get(session_id)


def wait(session_id: str, upload: Waiting) -> None:
    """Let an upload wait for a decision, in the place of the one before."""
    imports = services().imports
    imports.pop(session_id, None)
    imports[session_id] = upload
    while len(imports) > _AT_MOST:
        del imports[next(iter(imports))]


def discard(session_id: str) -> None:
    """Forget the import of a session."""
    services().imports.pop(session_id, None)


def accept(session_id: str, name: str) -> DatasetInfo:
    """Keep the import of a session as a data set.

    Raises
    ------
    DataError
        If it cannot be read as chosen.
    """
    upload = services().imports[session_id]
    triplets, report = upload.triplets()
    info = services().workspace.add_dataset(
        triplets.renamed(name), origin=upload.name, report=report, pictures=upload.pictures
    )
    discard(session_id)
    return info
