"""Questions about files: their content, the result of a reading, and so on.

Runs in the process without rights (`reader`). Only arguments, which come from the server, can be
trusted.
"""

from __future__ import annotations

import io
import json
import threading
from collections.abc import Callable, Container, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib import import_module
from typing import Any, TypeVar

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
from joblib import cpu_count, parallel_config
from PIL import Image

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.progress import Progress, part, silent
from tripletscope.core.models.embedding import STE
from tripletscope.core.models.optimise.loss import SEVERAL_PARTS
from tripletscope.core.prompts.replies import read_replies
from tripletscope.core.reading import (
    Imported,
    Pictures,
    Reading,
    Recognition,
    Table,
    attach_pictures,
    candidates,
    file_of_measured,
    load,
    load_several,
    read_conjoint,
    read_distances,
    read_feature_tables,
    read_features,
    read_gold,
    read_matrix,
    read_objects,
    read_pictures,
    read_questions,
    recognise,
)
from tripletscope.core.reading.columns.alternatives import meaning
from tripletscope.core.reading.columns.guess import complete
from tripletscope.core.reading.formats import statistics
from tripletscope.core.reading.formats.archive import Archive
from tripletscope.core.reading.formats.encoding import ENCODINGS
from tripletscope.core.reading.formats.source import unpacked
from tripletscope.core.reading.interpretation.interpret import interpret
from tripletscope.core.reading.interpretation.proposal import NO_READING, to_be_chosen, told
from tripletscope.core.reading.names import is_picture_name, name_of_several
from tripletscope.core.reading.objects.matching import MatchReport
from tripletscope.core.studies.quality.direction import DirectionTest, decided, direction_test
from tripletscope.dashboard.sandbox.archive import PAGES, PackedFolder
from tripletscope.dashboard.sandbox.records import (
    PREVIEW,
    Album,
    Companion,
    Look,
    Opened,
    Proposals,
    ReadAnswers,
    Sheet,
    Shown,
    Unpacked,
)
from tripletscope.dashboard.sandbox.wire import pack, unpack

File = tuple[str, bytes]  # name and content
T = TypeVar("T")

_MOST_KNOWN = 3  # readings of earlier data sets that are offered
_SENTENCES = 3
_LOOKED_AT = 5_000  # rows for examples
_MOST_ASKED = 6  # readings between which people choose
_MOST_VALUES = 500
_LONGEST = 1_000  # characters of a cell that is shown
_EXAMPLES = 5  # names that show whether the encoding is right
_THUMBNAIL = 128  # pixels
_PROCESSORS = cpu_count()  # counting opens files, which is impossible later


class Missing(Exception):
    """Keys of files that this process has not received yet."""

    def __init__(self, keys: list[str]) -> None:
        super().__init__("files are missing")
        self.keys = keys


@dataclass(frozen=True)
class UploadedFiles:
    """Files of a user, and the shape of their table.

    files: ``tables`` with pictures beside them or in their archives; ``objects`` and ``pictures``
        that were added later.
    keys: Of the files' content.
    shape: ``header``, ``delimiter`` and ``encoding`` that the user has set.
    """

    files: Mapping[str, list[File]]
    keys: Mapping[str, str]
    shape: Mapping[str, Any]


class Answering:
    """Answers questions about uploads, each a function of files and settings.

    The last parsed values are cached, with what they were made of.
    """

    def __init__(self) -> None:
        self._files: dict[str, list[File]] = {}
        self._made: dict[str, tuple[Any, Any]] = {}
        self._making = threading.Lock()

    def answer(
        self, what: str, arguments: Mapping[str, Any], files: Mapping[str, list[File]],
        progress: Progress,
    ) -> Any:
        """The answer to a question of `OF_FILES` or `OF_UPLOADS`; `files` are those `Missing`."""
        if what in OF_FILES:
            return OF_FILES[what](progress, **arguments)
        keys, shape = arguments["keys"], arguments["shape"]
        contents = {**self._files, **files}
        if missing := [key for key in keys.values() if key not in contents]:
            raise Missing(missing)
        self._files = {key: contents[key] for key in keys.values()}
        upload = UploadedFiles({kind: contents[key] for kind, key in keys.items()}, keys, shape)
        settings = {
            name: value for name, value in arguments.items() if name not in ("keys", "shape")
        }
        return OF_UPLOADS[what](self, upload, progress=progress, **settings)

    def open(self, upload: UploadedFiles, progress: Progress) -> Opened:
        """A form's preview of an upload."""
        table = self._table(upload, part(progress, 0.0, 0.9))
        objects, pictures = self._objects(upload), self._pictures(upload)
        name = upload.files["objects"][0][0] if "objects" in upload.files else self._beside(upload)
        return Opened(
            _sheet(replace(table, refused={
                one: why for one, why in table.refused.items() if one != name
            })),
            None if pictures is None else Album(list(pictures), pictures.summary()),
            None if objects is None else Companion(name, len(objects), list(objects.columns)),
        )

    def propose(
        self, upload: UploadedFiles, known: Sequence[tuple[Reading, list[str]]], insist: bool,
        progress: Progress,
    ) -> Proposals:
        """The program's proposals, between earlier readings of the same named columns and others.

        known: Roles of earlier data sets, and the columns of their files.
        """
        table = self._table(upload, progress)
        found = recognise(table)
        same: list[list[Reading]] = []
        similar: list[Reading] = []
        for reading, columns in known[:_MOST_KNOWN]:
            variants = _as_before(table, reading)
            if variants and table.header and columns == table.columns:
                same.append(variants)
            else:
                similar += variants[:1]
        if not insist:
            with parallel_config("threading", n_jobs=_PROCESSORS):
                found = decided(table, found)
            if not same and (found.clear is not None or found.is_of_others):
                found.the_one()  # raises where this is no table of answers
        if same:
            return _remembered(same, found, similar)
        readings = [*found.readings, *similar] or [to_be_chosen(table)]
        if insist or found.clear is not None:
            return Proposals(readings)
        tied = [one for one in found.tied if one.reading is not None][:_MOST_ASKED]
        asked = [one.reading for one in tied]
        return Proposals(
            [*asked, *(reading for reading in readings if reading not in asked)],
            [" ".join(sign.said() for sign in one.signs) for one in tied],
            [told(one) for one in found.found if one.reading is None],
        )

    def examples(
        self, upload: UploadedFiles, readings: Sequence[Reading], progress: Progress
    ) -> list[list[str]]:
        """A few answers in words under each reading, of the first rows; none where it fails."""
        table, lines = self._table(upload, progress).head(_LOOKED_AT), []
        for reading in readings:
            try:
                sentences = interpret(table, reading).sentences(_SENTENCES)
            except DataError:
                sentences = []
            lines.append([sentence.text for sentence in sentences])
        return lines

    def values(
        self, upload: UploadedFiles, column: str, progress: Progress
    ) -> list[tuple[str, int]]:
        """The most frequent values of a column, with their counts."""
        coded = self._table(upload, progress).codes(column)
        counts = np.bincount(coded.codes[coded.codes >= 0], minlength=len(coded.values))
        order = np.argsort(-counts, kind="stable")[:_MOST_VALUES]
        return [(coded.values[k][:_LONGEST], int(counts[k])) for k in order if counts[k]]

    def look(self, upload: UploadedFiles, reading: Reading, progress: Progress) -> Look:
        """A preview of a reading."""
        imported, triplets, lines, match = self._read(upload, reading, progress)
        sentences = [
            Shown(s.text, s.row, list(s.parts), self._thumbnails(upload, triplets, s.objects))
            for s in imported.sentences(_SENTENCES)
        ]
        missing, unused = (match.missing, match.unused) if match else ([], [])
        return Look(sentences, lines, missing, unused)

    def answers(self, upload: UploadedFiles, reading: Reading, progress: Progress) -> ReadAnswers:
        """The data set of a reading."""
        imported, triplets, lines, _ = self._read(upload, reading, progress)
        return ReadAnswers(
            triplets, lines, imported.file_rows, imported.catch_trials, imported.pairs,
            imported.task.title, dict(self._pictures(upload) or {}),
        )

    def direction(
        self, upload: UploadedFiles, reading: Reading, progress: Progress
    ) -> DirectionTest:
        """How well a map predicts the answers under this reading, and under others."""
        with parallel_config("threading", n_jobs=_PROCESSORS):
            return direction_test(self._table(upload, progress), reading, progress=progress)

    def _once(self, what: str, of: Any, make: Callable[[], T]) -> T:
        with self._making:
            if what not in self._made or self._made[what][0] != of:
                self._made[what] = of, make()
            return self._made[what][1]

    def _table(self, upload: UploadedFiles, progress: Progress) -> Table:
        def make() -> Table:
            files = upload.files["tables"]
            files = [file for file in files if not is_picture_name(file[0])] or files
            # A code book may have fewer columns than answers do.
            table = load_several(
                files, tolerant=True, least_columns=3 if len(files) == 1 else 1,
                progress=progress, **upload.shape,
            )
            return replace(
                table, name=name_of_several([*table.files] if len(files) > 1 else [files[0][0]])
            )

        return self._once("table", (upload.keys["tables"], upload.shape), make)

    def _objects(self, upload: UploadedFiles) -> pd.DataFrame | None:
        if "objects" in upload.files:
            ((name, content),) = upload.files["objects"]
        elif name := self._beside(upload):
            content = _contents(upload.files["tables"], {name})[name]
        else:
            return None
        return self._once("objects", (upload.keys, name), lambda: read_objects(content, name=name))

    def _beside(self, upload: UploadedFiles) -> str:
        """The one file beside answers that is a table of their objects; empty for none."""
        table, files = self._table(upload, silent), upload.files["tables"]
        return self._once(
            "beside", (upload.keys["tables"], upload.shape),
            lambda: _about_objects(_contents(files, table.refused), table),
        ) if table.refused else ""

    def _pictures(self, upload: UploadedFiles) -> Pictures | None:
        kind = "pictures" if "pictures" in upload.files else "tables"

        def make() -> Pictures | None:
            files = upload.files[kind]
            if kind == "tables":
                beside = [file for file in files if is_picture_name(file[0])]
                files = [*(beside if len(beside) < len(files) else ()), *_pictures_in(files)]
            return gather_pictures(files) if files else None

        return self._once("pictures", upload.keys[kind], make)

    def _read(
        self, upload: UploadedFiles, reading: Reading, progress: Progress
    ) -> tuple[Imported, Triplets, list[str], MatchReport | None]:
        """A reading's result: the file, triplets with pictures, the report, and the matches."""
        table, objects = self._table(upload, part(progress, 0.0, 0.5)), self._objects(upload)
        imported = self._once(
            "imported",
            (upload.keys["tables"], upload.keys.get("objects"), upload.shape, reading),
            lambda: interpret(table, reading, objects, progress=progress),
        )
        triplets, lines, match = imported.triplets, imported.report.summary(), None
        if (pictures := self._pictures(upload)) is not None:
            triplets, match = attach_pictures(triplets, pictures)
            lines = lines + match.summary() + pictures.summary()
        return imported, triplets, lines, match

    def _thumbnails(
        self, upload: UploadedFiles, triplets: Triplets, objects: Sequence[int]
    ) -> list[bytes | None]:
        pictures = self._pictures(upload)
        if pictures is None or "image" not in triplets.objects:
            return []
        names = [triplets.objects["image"][i] for i in objects]
        if not any(name in pictures for name in names):
            return []
        return [
            pictures.thumbnail(name, _THUMBNAIL) if name in pictures else None for name in names
        ]


def _contents(files: Sequence[File], names: Container[str]) -> dict[str, bytes]:
    """Files by some of their names, also those in archives."""
    found: dict[str, bytes] = {}
    for name, content in files:
        with suppress(DataError):
            found |= {own: data for data, own in unpacked(content, name) if own in names}
    return found


def _about_objects(beside: Mapping[str, bytes], table: Table) -> str:
    """The name of the file with a row for each object of the answers, and the fewest others.

    Empty where there is none, and where one has a row for each participant as well.
    """
    reading = next(iter(recognise(table).readings), NO_READING)
    objects = [reading.roles[role] for role in reading.objects if role in reading.roles]
    named = {name for column in objects for name in table.codes(column).values}
    about = {column for role, column in reading.roles.items() if role != "participant"}
    others = [{*table.codes(column).values} for column in table.columns if column not in about]
    surplus = {}
    for name, content in beside.items():
        with suppress(DataError):
            ids = {*read_objects(content, name=name)["id"]}
            most = max((len(values) for values in others if values <= ids), default=0)
            if named <= ids and len(named) > most:
                surplus[name] = len(ids) - len(named)
    return min(surplus, key=surplus.__getitem__, default="")


def _as_before(table: Table, reading: Reading) -> list[Reading]:
    """A table under the roles of an earlier file, with codings that fit it; none if it has none."""
    fitting: list[Reading] = []
    if not set(reading.roles.values()) <= {*table.columns}:
        return fitting
    with suppress(DataError):
        for one in complete(table, reading):
            one.check(table)
            interpret(table.head(_LOOKED_AT), one)
            fitting.append(one)
    return fitting


def _remembered(
    same: Sequence[Sequence[Reading]], found: Recognition, similar: Sequence[Reading]
) -> Proposals:
    """Earlier readings first; which coding is right, the table or a person has to say."""
    variants = same[0]
    own = [meaning(one) for one in found.readings] if found.clear is not None else []
    agreed = [one for one in variants if own and meaning(one) == own[0]]
    first = [*(agreed or variants), *(one for variants in same[1:] for one in variants[:1])]
    readings = [*first, *(one for one in found.readings if one not in first), *similar]
    asked = [] if len(variants) == 1 or agreed else [" ".join(one.reasons) for one in variants]
    return Proposals(readings, asked)


# Other files ---------------------------------------------------------------------------------


def _of_one(
    read: Callable[..., Any], progress: Progress, name: str, content: bytes,
    about: Triplets | None = None, **options: Any,
) -> Any:
    return read(content, *([] if about is None else [about]), name=name, **options)


def _small(progress: Progress, name: str, content: bytes, size: int) -> bytes:
    """A picture as PNG, at most so many pixels wide and high."""
    return gather_pictures([(name, content)]).thumbnail(name, size)


def _pictures(progress: Progress, files: Sequence[File]) -> tuple[dict[str, bytes], list[str]]:
    """Pictures by name, and sentences on those shrunk or left out."""
    pictures = gather_pictures(files)
    return dict(pictures), pictures.summary()


def _reading(progress: Progress, name: str, content: bytes) -> Reading:
    """A reading, from JSON."""
    try:
        return Reading.from_dict(json.loads(content))
    except (ValueError, RecursionError) as error:
        raise DataError(
            "this is not a description of how a file is read", file=name,
            remedy="Choose a file that was downloaded here.",
        ) from error


def archive(progress: Progress, name: str, content: bytes) -> Unpacked:
    """The folder of a data set in an archive, with its results."""
    packed = PackedFolder(content, name)
    with packed.checking("what it says of its data set cannot be understood"):
        about = packed.about()
        sums, results = about["sums"], packed.results()
        tables = {place: packed.table(place, sums[place]) for place in about["files"].values()}
        features = [table["file"] for table in about["extra"].get("tables", ())]
        arrays = {place: packed.arrays(place, sums[place]) for place in features}
        for number, (key, result) in enumerate(results.items()):
            progress(number / len(results))
            place = f"results/{key}/{result['file']}"
            arrays[place] = packed.arrays(place, result["sum"])
        # Several objects may have the same picture.
        places = set(about["pictures"].values())
        contents = {place: packed.read(place, sums[place]) for place in places}
        pictures = [(key, contents[place]) for key, place in about["pictures"].items()]
    return Unpacked(
        about, results, tables, arrays, dict(gather_pictures(pictures)) if pictures else {},
        packed.json(PAGES) if packed.has(PAGES) else {}, packed.rest(),
    )


#: Questions about an upload.
OF_UPLOADS: dict[str, Callable[..., Any]] = {
    answer.__name__: answer for answer in (
        Answering.open, Answering.propose, Answering.examples, Answering.values, Answering.look,
        Answering.answers, Answering.direction,
    )
}
#: Questions about one file, some with the objects of a data set.
_OF_ONE: dict[str, Callable[..., Any]] = {
    "objects": read_objects, "features": read_features, "feature_tables": read_feature_tables,
    "distances": read_distances, "questions": read_questions, "replies": read_replies,
    "gold": read_gold, "matrix": read_matrix, "conjoint": read_conjoint,
}
#: Questions about other files.
OF_FILES: dict[str, Callable[..., Any]] = {
    **{what: partial(_of_one, read) for what, read in _OF_ONE.items()},
    "measured": lambda _, **arguments: file_of_measured(**arguments),
    "small": _small, "pictures": _pictures, "reading": _reading, "archive": archive,
}


def gather_pictures(files: Sequence[File]) -> Pictures:
    """Pictures from uploads, which may be ZIP archives."""
    pictures = read_pictures(files)
    if not pictures:
        reasons = "; ".join(f"{name}: {why}" for name, why in list(pictures.refused.items())[:3])
        raise DataError(
            f"no picture was found ({reasons})" if reasons else "no picture was found",
            remedy="Upload PNG, JPEG, GIF, WebP or BMP files, or a ZIP of them.",
        )
    return pictures


def _sheet(table: Table) -> Sheet:
    head = table.preview(PREVIEW)
    return Sheet(
        table.name, table.columns, table.header, table.delimiter, table.encoding,
        list(table.notes), table.files, dict(table.refused),
        candidates(table, "response_time"), [int(row) for row in head.index],
        # A small file may repeat a long text many times.
        [head[column].str.slice(0, _LONGEST).tolist() for column in table.columns],
        [] if table.encoding in (None, "utf-8") else _beyond_ascii(table),
    )


def _beyond_ascii(table: Table) -> list[str]:
    sample = table.head(2_000)
    names = {
        text: None for column in table.columns for text in sample.codes(column).values
        if not text.isascii()
    }
    return list(names)[:_EXAMPLES]


def _pictures_in(files: Sequence[File]) -> list[File]:
    """The pictures in archives of tables."""
    pictures = []
    for name, content in files:
        if name.lower().endswith(".zip") and content.startswith(b"PK"):
            archive = Archive(content, name)
            pictures += [(m, archive.read(m)) for m in archive.names if is_picture_name(m)]
    return pictures


# Getting ready -------------------------------------------------------------------------------


@cache
def get_ready() -> None:
    """Import, load and compile whatever any file may need."""
    for needed in ("h5py", "scipy.io", "python_calamine"):
        import_module(needed)
    statistics.prepare()
    Image.init()
    for number, answers in enumerate(_SMALL):
        answering = Answering()
        upload = {"keys": {"tables": str(number)}, "shape": {}}
        ask = partial(answering.answer, files={str(number): [("answers.csv", answers)]},
                      progress=_unheard)
        pack(ask("open", upload))
        for reading in ask("propose", {**upload, "known": (), "insist": False}).readings[:1]:
            ask("look", {**upload, "reading": reading})
            unpack(pack(ask("answers", {**upload, "reading": reading})))
            ask("direction", {**upload, "reading": reading})
    # Many answers use other compiled code. No thread may be left over: a copied process lacks it.
    rows = np.arange(SEVERAL_PARTS)[:, None] % [5, 7, 9, 11] + [0, 5, 12, 21]
    with parallel_config(n_jobs=1):
        for many in (Triplets.from_array(rows[:, :3]), Quadruples(rows)):
            STE(n_components=2, n_init=1, max_iter=2).fit(many)
    frame = load(_SMALL[0]).preview(99)
    for name, write in _WRITTEN.items():
        buffer = io.BytesIO()
        write(frame, buffer)
        load(buffer.getvalue(), name)
    for name, content in _TABLES.items():
        pack(read_feature_tables(content, Triplets.from_array([[0, 1, 2]]), name))
    for kind in ("PNG", "JPEG", "GIF", "WEBP", "BMP"):
        buffer = io.BytesIO()
        Image.new("RGB", (300, 300)).save(buffer, kind)
        Pictures([(f"a.{kind.lower()}", buffer.getvalue())]).thumbnail(f"a.{kind.lower()}")
    for encoding in ENCODINGS:
        load("anchor,near,far\na,b,c\n".encode(encoding), encoding=encoding)
    load("anchor,near,far\nü,é,à\n".encode("cp1252"))
    buffer = io.BytesIO()
    frame.astype("category").to_parquet(buffer)
    pyarrow.parquet.ParquetFile(pa.BufferReader(buffer.getvalue())).read().to_pandas()
    pd.to_datetime(pd.Series(["2026-01-01T00:00:00"]), format="ISO8601", utc=True)


def _unheard(*share: Any, **details: Any) -> bool:
    return False


_WRITTEN: dict[str, Callable[[pd.DataFrame, Any], Any]] = {
    "a.parquet": lambda frame, target: frame.to_parquet(target),
    "a.json": lambda frame, target: frame.to_json(target, orient="records"),
    "a.npy": lambda frame, target: np.save(target, np.arange(30).reshape(10, 3) % 7),
    "a.npz": lambda frame, target: np.savez_compressed(target, a=np.arange(30).reshape(10, 3) % 7),
    "a.csv.gz": lambda frame, target: frame.to_csv(target, index=False, compression="gzip"),
    "a.zip": lambda frame, target: frame.to_csv(
        target, index=False, compression={"method": "zip", "archive_name": "a.csv"}
    ),
}

#: Features, and distances.
_TABLES = {"a.csv": b"id,a,b\n0,1,2\n1,3,4\n2,5,7\n", "b.csv": b"0,1,2\n1,0,3\n2,3,0\n"}

#: Triplets with weights and times, and comparisons of pairs: they use different compiled code.
_SMALL = tuple(text.encode() for text in (
    "subject,anchor,near,far,weight,response_time,time\n" + "".join(
        f"p{k % 2},o{k % 5},o{(k + 1) % 5},o{(k + 3) % 5},{1 + k % 2},{0.5 + k},"
        f"2026-01-01T00:00:0{k % 10}\n" for k in range(40)
    ),
    "resp,S1,S2,S3,S4\n" + "".join(
        f"{k % 2},{1 + k % 6},{1 + (k + 1) % 6},{1 + (k + 2) % 6},{1 + (k + 4) % 6}\n"
        for k in range(40)
    ),
))
