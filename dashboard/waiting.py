"""An upload that waits until the user accepts it, and how it is going to be read.

The files are read by a process of their own (`tripletscope.dashboard.door`). Here is what a page
shows of them; if the process has ended, another one reads the files from the disk.
"""

from __future__ import annotations

import json
import secrets
import tarfile
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from itertools import count
from typing import Any

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.progress import Progress, part, silent
from tripletscope.core.io import Reading
from tripletscope.core.io.columns.reading import SIDE_ROLES
from tripletscope.core.io.names import is_picture_name
from tripletscope.core.studies.quality.direction import DirectionTest
from tripletscope.dashboard.door.records import Album, Answers, Look, Opened, Sheet
from tripletscope.dashboard.door.workers import Ended, Gone, Worker, workers
from tripletscope.dashboard.keeping.dataset import DatasetInfo
from tripletscope.dashboard.keeping.jobs import Job, Step
from tripletscope.dashboard.keeping.services import services
from tripletscope.dashboard.keeping.uploads import File, Uploads

#: Of jobs that read an upload, and of those that compare readings of one that waits.
SLOT, _COMPARING = "import", "direction"

#: Seconds after which the comparison of readings is given up.
_LONG = 1800.0

_versions = count()


def always() -> bool:
    """Whether anybody still waits, where nobody knows."""
    return True


@dataclass
class Waiting:
    """An upload and how it is going to be read.

    name: Of the file, or of several.
    readings: What the program proposes, the best first.
    chosen: Which of them the user began from.
    reading: What has become of it.
    version: Another one whenever the form has to be drawn anew.
    objects: Columns of a table of objects that came along.
    objects_name, n_objects: Its name, and the number of objects in it.
    pictures: Pictures that came along.
    shape: What the user wants to be cut in another way: ``header``, ``delimiter``, ``encoding``.
    id: Tells it from other uploads.
    wanted: Whether anybody still waits for it.
    """

    name: str
    table: Sheet
    readings: list[Reading]
    chosen: int = 0
    reading: Reading = field(init=False)
    version: int = field(default_factory=lambda: next(_versions))
    objects: list[str] | None = None
    objects_name: str = ""
    n_objects: int = 0
    pictures: Album | None = None
    shape: dict[str, Any] = field(default_factory=dict)
    id: str = field(default_factory=lambda: secrets.token_hex(8))
    wanted: Callable[[], bool] = field(default=always, repr=False)
    # Archives on disk, and files that are not yet in any, by what they hold.
    _archives: dict[str, str] = field(default_factory=dict, repr=False)
    _unpacked: dict[str, list[File]] = field(default_factory=dict, repr=False)
    _packing: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _worker: Worker | None = field(default=None, repr=False)
    _taking: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _seen: tuple[Any, Look | DataError] | None = field(default=None, repr=False)
    _has_inside: bool = False  # pictures in the archives of its tables

    def __post_init__(self) -> None:
        self.reading = self.readings[self.chosen]

    @classmethod
    def of(
        cls, files: Sequence[File], *, insist: bool = False, progress: Progress = silent,
        wanted: Callable[[], bool] = always,
    ) -> Waiting:
        """Look at an upload.

        files: One file, or several that belong together, also zipped: one for each participant,
            answers and their code book, pictures of the objects.
        insist: Propose columns even where the table looks like answers to another kind of question.
        progress: Called a few times a second.
        wanted: Whether anybody still waits for it.
        """
        files = list(files)
        worker = workers().take(wanted)
        try:
            opened: Opened = worker.ask(
                "open", file=files[0][0] if len(files) == 1 else f"{len(files):,} files",
                progress=progress, files=files, known=_known(), insist=insist,
            )
        except BaseException:
            worker.close()
            raise
        worker.reserved = False
        sheet = opened.sheet
        upload = cls(sheet.name, sheet, opened.readings, wanted=wanted, _worker=worker)
        tables = [file for file in files if not is_picture_name(file[0])] or files
        upload._unpacked["tables"] = tables
        upload.pictures, upload._has_inside = opened.album, opened.album is not None
        if pictures := [file for file in files if file not in tables]:
            upload._unpacked["pictures"] = pictures
        return upload

    @classmethod
    def from_disk(cls, settings: Mapping[str, Any], archives: Mapping[str, str]) -> Waiting:
        """An upload as it was kept."""
        upload = cls(
            settings["name"], Sheet.from_dict(settings["sheet"]),
            [Reading.from_dict(reading) for reading in settings["readings"]], settings["chosen"],
            id=settings["id"], shape=settings["shape"], objects=settings["objects"],
            objects_name=settings["objects_name"], n_objects=settings["n_objects"],
            pictures=settings["pictures"] and Album(**settings["pictures"]),
            _archives=dict(archives), _has_inside=settings["has_inside"],
        )
        upload.reading = Reading.from_dict(settings["reading"])
        return upload

    def to_disk(self, uploads: Uploads) -> tuple[dict[str, Any], dict[str, str]]:
        """Settings and archives, from which it can be made again."""
        settings = {
            "id": self.id, "name": self.name, "chosen": self.chosen, "shape": self.shape,
            "sheet": self.table.to_dict(), "reading": self.reading.to_dict(),
            "readings": [reading.to_dict() for reading in self.readings],
            "objects": self.objects, "objects_name": self.objects_name,
            "n_objects": self.n_objects, "pictures": self.pictures and asdict(self.pictures),
            "has_inside": self._has_inside,
        }
        with self._packing:  # two tabs may look at it at once
            for kind, files in list(self._unpacked.items()):
                self._archives[kind] = uploads.pack(files)
                del self._unpacked[kind]  # not before it is on the disk, which may be full
            return settings, dict(self._archives)

    def close(self) -> None:
        """End the process that reads it; another one is made if it is needed."""
        if self._worker is not None:
            self._worker.close()

    # How it is read --------------------------------------------------------------------------

    def reload(
        self, header: bool, delimiter: str | None, encoding: str | None = None,
        *, progress: Progress = silent,
    ) -> None:
        """Cut the file into columns in another way, and propose anew."""
        shape = {"header": header, "delimiter": delimiter, "encoding": encoding}
        opened: Opened = self._ask(
            "reload", progress, name=self.name, shape=shape, known=_known()
        )
        self.table, self.readings, self.shape = opened.sheet, opened.readings, shape
        self._seen = None
        self.test_again()
        self.choose(0)

    def choose(self, number: int) -> None:
        """Begin from one of the proposed readings."""
        self.chosen, self.reading = number, self.readings[number]
        self.version = next(_versions)

    def use(self, reading: Reading) -> None:
        """Begin from a reading that was not among those proposed."""
        reading.check(self.table)
        if reading not in self.readings:
            self.readings.append(reading)
        self.choose(self.readings.index(reading))

    def load_reading(self, content: bytes, name: str) -> None:
        """Begin from a reading that was kept as JSON."""
        self.use(self._ask("reading", silent, name=name, content=content))

    def add_objects(self, name: str, content: bytes, *, progress: Progress = silent) -> None:
        """Take a table of objects along."""
        self.n_objects, self.objects = self._ask(
            "add_objects", progress, name=name, content=content
        )
        self.objects_name, self._seen = name, None
        self._unpacked["objects"] = [(name, content)]

    def add_pictures(self, files: Iterable[File], *, progress: Progress = silent) -> None:
        """Take pictures along: single ones, or archives of them."""
        files = list(files)
        self.pictures = self._ask("add_pictures", progress, files=files)
        self._seen, self._has_inside = None, False
        self._unpacked["pictures"] = files

    # What it holds ---------------------------------------------------------------------------

    def look(self, progress: Progress = silent) -> Look:
        """What the chosen reading makes of the file; computed once for each."""
        if self._seen is None or self._seen[0] != self.reading:
            reading = self.reading
            try:
                found = self._ask("look", progress, reading=reading)
            except DataError as error:
                found = error
            self._seen = reading, found
        if isinstance(self._seen[1], DataError):
            raise self._seen[1]
        return self._seen[1]

    def answers(self, progress: Progress = silent) -> Answers:
        """Everything that is to be kept of it."""
        return self._ask("answers", progress, reading=self.reading)

    def triplets(self) -> tuple[Triplets, list[str]]:
        """The data set, with names of pictures, and the report on both."""
        answers = self.answers()
        return answers.triplets, answers.report

    def _ask(
        self, what: str, progress: Progress, *, patience: float | None = None, **given: Any
    ) -> Any:
        """Ask the process that has read the files, or another one that reads them first."""
        ended = False
        for _ in range(3):
            with self._taking:
                if self._worker is None or not self._worker.alive:
                    self._worker = self._reopened(part(progress, 0.0, 0.5))
                worker = self._worker
            try:
                return worker.ask(
                    what, file=self.name, progress=progress, patience=patience, **given
                )
            except Gone:
                continue  # others needed its place
            except Ended:
                if ended:
                    raise
                ended = True  # which need not be for what it reads: the system may have killed it
            finally:
                worker.reserved = False
        raise DataError(
            "too many files are being read at once", file=self.name, remedy="Try again."
        )

    def _reopened(self, progress: Progress) -> Worker:
        files = {kind: self._files(kind) for kind in ("tables", "objects", "pictures")}
        (objects,) = files["objects"] or [None]
        worker = workers().take(self.wanted)
        try:
            worker.ask(
                "reopen", file=self.name, progress=progress, files=files["tables"],
                name=self.name, shape=self.shape, objects=objects, pictures=files["pictures"],
                inside=self._has_inside,
            )
        except BaseException:
            worker.close()
            raise
        return worker

    def _files(self, kind: str) -> list[File]:
        if kind in self._unpacked:
            return self._unpacked[kind]
        if kind not in self._archives:
            return []
        try:
            return services().uploads.unpacked(self._archives[kind])
        except (OSError, tarfile.TarError) as error:
            raise DataError(
                "the upload is no longer there", file=self.name, remedy="Upload it once more."
            ) from error

    # Direction -------------------------------------------------------------------------------

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
            work = partial(_direction, self, self.reading)
            known[question] = services().jobs.submit(Job(
                owner, _COMPARING, f"Direction of {self.name}",
                [Step("Comparing with other readings", work)],
            ))
        return known[question]

    def test_again(self) -> None:
        """Let the next look at the direction start its job once more."""
        for job in services().directions.pop(self.id, {}).values():
            job.give_up()


def _direction(upload: Waiting, reading: Reading, progress: Progress) -> DirectionTest:
    return upload._ask("direction", progress, patience=_LONG, reading=reading)


def _direction_of(reading: Reading) -> str:
    """What of a reading decides on the direction of the answers."""
    side = set(SIDE_ROLES) - {"weight"}
    roles = {role: column for role, column in reading.roles.items() if role not in side}
    about = replace(reading, title="", reasons=(), response_time_unit=None, roles=roles)
    return json.dumps(about.to_dict())


def _known() -> list[tuple[Reading, list[str]]]:
    """How the files of earlier data sets were read, each way once, and their columns."""
    found = []
    seen: set[str] = set()
    for info in services().workspace.datasets():
        reading = known_reading(info)
        if reading is None or (about := _direction_of(reading)) in seen:
            continue
        seen.add(about)
        offered = replace(
            reading, title=f"As in {info.name}",
            reasons=(f"This is how the file of {info.name} was read.", *reading.reasons),
        )
        found.append((offered, list(info.extra["columns"])))
    return found


def known_reading(info: DatasetInfo) -> Reading | None:
    """How the file of a data set was read, if that is known."""
    if not {"reading", "columns"} <= set(info.extra):
        return None
    try:
        return Reading.from_dict(info.extra["reading"])
    except ValueError:  # written by another version
        return None
