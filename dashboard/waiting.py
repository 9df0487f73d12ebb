"""An upload that waits until the user accepts it, and how it is going to be read."""

from __future__ import annotations

import json
import re
import secrets
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from os.path import commonprefix
from pathlib import Path
from typing import Any

import pandas as pd

from tripletscope.core.computing.progress import Progress, silent
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.io import (
    Imported,
    MatchReport,
    Pictures,
    Reading,
    Table,
    attach_pictures,
    interpret,
    load_several,
    propose,
    read_objects,
    read_pictures,
)
from tripletscope.core.io.columns.reading import SIDE_ROLES
from tripletscope.core.io.formats.archive import Archive
from tripletscope.core.io.names import is_picture_name
from tripletscope.core.quality.direction import DirectionTest, direction_test
from tripletscope.dashboard.keeping.catalogue import DatasetInfo
from tripletscope.dashboard.keeping.jobs import Job, Step
from tripletscope.dashboard.keeping.services import services
from tripletscope.dashboard.keeping.uploads import File, Uploads

_MOST_KNOWN = 3  # readings of earlier data sets that are offered
SLOT = "import"  # of jobs about an upload

_versions = count()


@dataclass
class Waiting:
    """An upload and how it is going to be read.

    Attributes
    ----------
    name : str
        Of the file, or of several.
    files : list of (str, bytes)
    table : Table
    readings : list of Reading
        What the program proposes, the best first.
    chosen : int
        Which of them the user began from.
    reading : Reading
        What has become of it.
    version : int
        Another one whenever the form has to be drawn anew.
    objects : DataFrame or None
        A table of objects that came along.
    pictures : Pictures or None
        Pictures that came along.
    shape : (bool, str or None)
        Whether the first row is to name the columns, and what is to separate them.
    id : str
        Tells it from other uploads.
    """

    name: str
    files: list[tuple[str, bytes]]
    table: Table
    readings: list[Reading]
    chosen: int = 0
    reading: Reading = field(init=False)
    version: int = field(default_factory=lambda: next(_versions))
    objects: pd.DataFrame | None = None
    objects_name: str = ""
    pictures: Pictures | None = None
    shape: tuple[bool, str | None] = field(init=False)
    id: str = field(default_factory=lambda: secrets.token_hex(8))
    _cut_anew: bool = False
    # Archives on disk, and files that are not yet in any, by what they hold.
    _archives: dict[str, str] = field(default_factory=dict, repr=False)
    _unpacked: dict[str, list[File]] = field(default_factory=dict, repr=False)
    _packing: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _read: tuple[Any, Imported] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        self.reading = self.readings[self.chosen]
        self.shape = self.table.header, self.table.delimiter

    @classmethod
    def of(
        cls, files: Sequence[tuple[str, bytes]], *, insist: bool = False,
        progress: Progress = silent,
    ) -> Waiting:
        """Look at an upload.

        Parameters
        ----------
        files : sequence of (str, bytes)
            One file, or several that belong together, also zipped: one for each participant,
            answers and their code book, pictures of the objects.
        insist : bool
            Propose columns even where the table looks like answers to another kind of question.
        progress : Progress
            Called every few megabytes.

        Raises
        ------
        DataError
            If there is no table of answers, or, without `insist`, one of another kind.
        """
        tables = [file for file in files if not is_picture_name(file[0])] or list(files)
        pictures = [file for file in files if file not in tables] + _pictures_in(tables)
        table = load_several(
            tables, tolerant=True, least_columns=_least(tables), progress=progress
        )
        name = _name_of([*table.files] if len(tables) > 1 else [tables[0][0]])
        table = replace(table, name=name)
        upload = cls(name, tables, table, _proposed(table, insist))
        upload._unpacked["tables"] = tables
        if pictures:
            upload.add_pictures(pictures)
        return upload

    @classmethod
    def from_disk(
        cls, settings: Mapping[str, Any], archives: Mapping[str, str],
        files: Mapping[str, list[File]],
    ) -> Waiting:
        """An upload as it was kept.

        Parameters
        ----------
        settings : mapping
        archives : mapping of str to str
        files : mapping of str to list of (str, bytes)
            What is in the archives.

        Raises
        ------
        KeyError or ValueError
            If it was kept by another version of the program, and this one cannot read it.
        """
        tables, name = files["tables"], settings["name"]
        shape = {"header": settings["header"], "delimiter": settings["delimiter"]}
        table = load_several(
            tables, name, tolerant=True, least_columns=_least(tables),
            **(shape if settings["cut_anew"] else {}),
        )
        upload = cls(
            name, tables, replace(table, name=name),
            [Reading.from_dict(reading) for reading in settings["readings"]], settings["chosen"],
            id=settings["id"], _cut_anew=settings["cut_anew"], _archives=dict(archives),
        )
        upload.reading = Reading.from_dict(settings["reading"])
        upload.shape = shape["header"], shape["delimiter"]
        if "objects" in files:
            ((name, content),) = files["objects"]
            upload.objects, upload.objects_name = read_objects(content, name=name), name
        if "pictures" in files:
            upload.pictures = gather_pictures(files["pictures"])
        return upload

    def to_disk(self, uploads: Uploads) -> tuple[dict[str, Any], dict[str, str]]:
        """Settings and archives, from which it can be made again."""
        header, delimiter = self.shape
        settings = {
            "id": self.id, "name": self.name, "chosen": self.chosen, "cut_anew": self._cut_anew,
            "header": header, "delimiter": delimiter, "reading": self.reading.to_dict(),
            "readings": [reading.to_dict() for reading in self.readings],
        }
        with self._packing:  # two tabs may look at it at once
            for kind, files in list(self._unpacked.items()):
                self._archives[kind] = uploads.pack(files)
                del self._unpacked[kind]  # not before it is on the disk, which may be full
            return settings, dict(self._archives)

    def reload(self, header: bool, delimiter: str | None) -> None:
        """Cut the file into columns in another way, and propose anew."""
        self.table = load_several(
            self.files, self.name, tolerant=True, least_columns=_least(self.files), header=header,
            delimiter=delimiter,
        )
        self.shape, self._cut_anew = (header, delimiter), True
        self.readings = _proposed(self.table, insist=True)
        self.test_again()
        self.choose(0)

    def choose(self, number: int) -> None:
        """Begin from one of the proposed readings."""
        self.chosen, self.reading = number, self.readings[number]
        self.version = next(_versions)

    def use(self, reading: Reading) -> None:
        """Begin from a reading that was not among those proposed.

        Raises
        ------
        DataError
            If it does not fit to the columns of the file.
        """
        reading.check(self.table)
        if reading not in self.readings:
            self.readings.append(reading)
        self.choose(self.readings.index(reading))

    def load_reading(self, content: bytes, name: str) -> None:
        """Begin from a reading that was kept as JSON.

        Raises
        ------
        DataError
            If the file holds none, or one of other columns.
        """
        try:
            reading = Reading.from_dict(json.loads(content))
        except (ValueError, RecursionError) as error:
            raise DataError(
                "this is not a description of how a file is read", file=name,
                remedy="Choose a file that was downloaded here.",
            ) from error
        self.use(reading)

    def add_objects(self, name: str, content: bytes) -> None:
        """Take a table of objects along."""
        self.objects, self.objects_name = read_objects(content, name=name), name
        self._unpacked["objects"] = [(name, content)]

    def add_pictures(self, files: Iterable[tuple[str, bytes]]) -> None:
        """Take pictures along: single ones, or archives of them."""
        files = list(files)
        self.pictures = gather_pictures(files)
        self._unpacked["pictures"] = files

    def read(self, progress: Progress = silent) -> Imported:
        """The answers under the chosen reading; computed once for each.

        Raises
        ------
        DataError
            If the file cannot be read that way.
        """
        setting = (self.table, self.reading, self.objects is not None and id(self.objects))
        if self._read is None or self._read[0] != setting:
            self._read = setting, interpret(
                self.table, self.reading, self.objects, progress=progress
            )
        return self._read[1]

    def triplets(self) -> tuple[Triplets, list[str]]:
        """The data set, with pictures, and the report on both."""
        imported = self.read()
        lines = imported.report.summary()
        if not self.pictures:
            return imported.triplets, lines
        triplets, match = self.matched_pictures()
        return triplets, lines + match.summary() + self.pictures.summary()

    def matched_pictures(self) -> tuple[Triplets, MatchReport]:
        """The answers with the pictures of their objects, and which were found."""
        return attach_pictures(self.read().triplets, self.pictures)

    # Direction -----------------------------------------------------------------------------

    def direction(self, owner: str) -> Job:
        """The job whose result is the `DirectionTest` of the chosen reading.

        It is started when this is first asked about a reading; one about another reading is
        given up.
        """
        question = _direction_of(self.reading)
        known = services().directions.setdefault(self.id, {})
        for other, job in list(known.items()):
            if other != question and job.state != "done":
                job.give_up()
                known.pop(other, None)
        if question not in known:
            work = partial(_direction, self.table, self.reading)
            known[question] = services().jobs.submit(Job(
                owner, SLOT, f"Direction of {self.name}",
                [Step("Comparing with other readings", work)],
            ))
        return known[question]

    def test_again(self) -> None:
        """Let the next look at the direction start its job once more."""
        services().directions.pop(self.id, None)


def _direction(table: Table, reading: Reading, progress: Progress) -> DirectionTest:
    return direction_test(table, reading, progress=progress)


def _direction_of(reading: Reading) -> str:
    """What of a reading decides on the direction of the answers."""
    side = set(SIDE_ROLES) - {"weight"}
    roles = {role: column for role, column in reading.roles.items() if role not in side}
    about = replace(reading, title="", reasons=(), response_time_unit=None, roles=roles)
    return json.dumps(about.to_dict())


def _pictures_in(files: Sequence[tuple[str, bytes]]) -> list[tuple[str, bytes]]:
    """The pictures in archives of tables."""
    found = []
    for name, content in files:
        if name.lower().endswith(".zip") and content.startswith(b"PK"):
            archive = Archive(content, name)
            found += [(m, archive.read(m)) for m in archive.names if is_picture_name(m)]
    return found


def _least(files: Sequence[tuple[str, bytes]]) -> int:
    """Columns that a file has at least; a code book may have fewer than answers do."""
    return 3 if len(files) == 1 else 1


def _proposed(table: Table, insist: bool) -> list[Reading]:
    """Readings of earlier data sets that fit, and what the program proposes.

    What the user accepted for a file with the very same columns comes first; where columns have
    no names, or there are others beside, it comes last.
    """
    same: list[Reading] = []
    similar: list[Reading] = []
    seen: set[str] = set()
    for info in services().workspace.datasets():
        reading = known_reading(info)
        if reading is None or (about := _direction_of(reading)) in seen:
            continue
        seen.add(about)
        try:
            reading.check(table)
        except DataError:
            continue
        offered = replace(
            reading, title=f"As in {info.name}",
            reasons=(f"This is how the file of {info.name} was read.", *reading.reasons),
        )
        very_same = table.header and info.extra["columns"] == table.columns
        (same if very_same else similar).append(offered)
        if len(same) + len(similar) == _MOST_KNOWN:
            break
    return same + propose(table, insist=insist or bool(same)) + similar


def known_reading(info: DatasetInfo) -> Reading | None:
    """How the file of a data set was read, if that is known."""
    if not {"reading", "columns"} <= set(info.extra):
        return None
    try:
        return Reading.from_dict(info.extra["reading"])
    except ValueError:  # written by another version
        return None


def _name_of(names: list[str]) -> str:
    """What several files are called together: what their names have in common."""
    if len(names) == 1:
        return names[0]
    common = commonprefix([Path(name).stem for name in names])  # noqa: RUF071 - names, no paths
    common = re.sub(r"[\W_]+[^\W\d_]?$", "", common.rstrip("0123456789"))  # session_p01
    return common if len(common) > 2 else f"{len(names):,} files"


def gather_pictures(files: Iterable[tuple[str, bytes]]) -> Pictures:
    """Pictures from uploads, of which some may be ZIP archives.

    Raises
    ------
    DataError
        If an archive is damaged or unsafe, or nothing in the uploads is a picture.
    """
    pictures = read_pictures(files)
    if not pictures:
        reasons = "; ".join(f"{name}: {why}" for name, why in list(pictures.refused.items())[:3])
        raise DataError(
            f"no picture was found ({reasons})" if reasons else "no picture was found",
            remedy="Upload PNG, JPEG, GIF, WebP or BMP files, or a ZIP of them.",
        )
    return pictures
