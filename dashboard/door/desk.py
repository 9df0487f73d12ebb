"""What a reader of files can be asked: to open an upload, to look at it under a reading, and so on.

Runs in the process that has been shut in, see `tripletscope.dashboard.door.reader`. Arguments come
from the server, and only they can be trusted.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import import_module
from os.path import commonprefix
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
from joblib import cpu_count, parallel_config
from PIL import Image

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.progress import Progress, part
from tripletscope.core.io import (
    Imported,
    MeasuredFile,
    MeasuredTable,
    Pictures,
    Reading,
    SquareTable,
    Table,
    attach_pictures,
    candidates,
    file_of_measured,
    load,
    load_several,
    propose,
    read_distances,
    read_feature_tables,
    read_features,
    read_gold,
    read_matrix,
    read_objects,
    read_pictures,
    read_preferences,
    read_questions,
)
from tripletscope.core.io.formats.archive import Archive
from tripletscope.core.io.formats.encoding import ENCODINGS
from tripletscope.core.io.graphs import Graph, read_graphs
from tripletscope.core.io.interpretation.interpret import interpret
from tripletscope.core.io.names import is_picture_name
from tripletscope.core.io.prompts import Replies, read_replies
from tripletscope.core.models.embedding import STE
from tripletscope.core.models.optimise.loss import SEVERAL_PARTS
from tripletscope.core.studies.quality.direction import DirectionTest, direction_test
from tripletscope.dashboard.door.archive import Parts, table_file
from tripletscope.dashboard.door.plain import pack, unpack
from tripletscope.dashboard.door.records import (
    PREVIEW,
    Album,
    Answers,
    Look,
    Opened,
    Sheet,
    Shown,
    Unpacked,
)

#: Name and content.
File = tuple[str, bytes]
#: A reading of an earlier data set, and the columns of its file.
Known = tuple[Reading, list[str]]

_MOST_KNOWN = 3  # readings of earlier data sets that are offered
_SENTENCES = 3
_LONGEST = 1_000  # characters of a cell that is shown
_EXAMPLES = 5  # names that show whether the encoding is right
_THUMBNAIL = 128  # pixels
_PROCESSORS = cpu_count()  # to be counted again, files of the system would have to be opened


class Desk:
    """One upload, and what can be asked about it. Nothing else is kept between two requests."""

    def __init__(self) -> None:
        self._table: Table | None = None
        self._files: Sequence[File] = ()
        self._objects: pd.DataFrame | None = None
        self._pictures: Pictures | None = None
        self._read: tuple[Any, Imported] | None = None

    # An upload -------------------------------------------------------------------------------

    def open(
        self, files: Sequence[File], known: Sequence[Known], insist: bool, progress: Progress
    ) -> Opened:
        """Look at an upload: tables, and pictures among them, also zipped."""
        tables = [file for file in files if not is_picture_name(file[0])] or list(files)
        pictures = [file for file in files if file not in tables] + _pictures_in(tables)
        self._files = tables
        table = self._load(None, {}, part(progress, 0.0, 0.9))
        name = _name_of([*table.files] if len(tables) > 1 else [tables[0][0]])
        self._table = replace(table, name=name)
        readings = proposed(self._table, known, insist)
        album = self.add_pictures(pictures) if pictures else None
        return Opened(_sheet(self._table), readings, album)

    def reopen(
        self, files: Sequence[File], name: str, shape: Mapping[str, Any], objects: File | None,
        pictures: Sequence[File], inside: bool, progress: Progress,
    ) -> None:
        """Take up an upload that another process had, as it had become there.

        `inside` are pictures in the archives of its tables.
        """
        self._files = files
        self._table = replace(self._load(name, shape, progress), name=name)
        if objects is not None:
            self.add_objects(*objects)
        pictures = [*pictures, *(_pictures_in(files) if inside else ())]
        if pictures:
            self.add_pictures(pictures)

    def reload(
        self, name: str, shape: Mapping[str, Any], known: Sequence[Known], progress: Progress
    ) -> Opened:
        """Cut the file into columns in another way, and propose anew."""
        table = replace(self._load(name, shape, progress), name=name)
        readings = proposed(table, known, True)
        self._table, self._read = table, None
        return Opened(_sheet(table), readings, None)

    def _load(self, name: str | None, shape: Mapping[str, Any], progress: Progress) -> Table:
        # A code book may have fewer columns than answers do.
        least = 3 if len(self._files) == 1 else 1
        return load_several(
            self._files, name, tolerant=True, least_columns=least, progress=progress, **shape
        )

    def add_objects(self, name: str, content: bytes) -> tuple[int, list[str]]:
        """Take a table of objects along; their number, and the columns."""
        self._objects, self._read = read_objects(content, name=name), None
        return len(self._objects), list(self._objects.columns)

    def add_pictures(self, files: Sequence[File]) -> Album:
        """Take pictures along: single ones, or archives of them."""
        self._pictures = gather_pictures(files)
        return Album(list(self._pictures), self._pictures.summary())

    def look(self, reading: Reading, progress: Progress) -> Look:
        """What a reading makes of the file."""
        imported = self._imported(reading, progress)
        triplets, lines, missing, unused = imported.triplets, imported.report.summary(), [], []
        if self._pictures is not None:
            triplets, match = attach_pictures(triplets, self._pictures)
            missing, unused = match.missing, match.unused
            lines = lines + match.summary() + self._pictures.summary()
        sentences = [
            Shown(s.text, s.row, self._thumbnails(triplets, [s.anchor, s.near, s.far]))
            for s in imported.sentences(_SENTENCES)
        ]
        return Look(sentences, lines, missing, unused)

    def answers(self, reading: Reading, progress: Progress) -> Answers:
        """Everything that is to be kept."""
        imported = self._imported(reading, progress)
        triplets, lines, pictures = imported.triplets, imported.report.summary(), {}
        if self._pictures is not None:
            triplets, match = attach_pictures(triplets, self._pictures)
            lines = lines + match.summary() + self._pictures.summary()
            pictures = dict(self._pictures)
        return Answers(
            triplets, lines, imported.file_rows, imported.catch_trials, imported.pairs,
            imported.task.title, pictures,
        )

    def direction(self, reading: Reading, progress: Progress) -> DirectionTest:
        """How well a map predicts the answers under this reading, and under others."""
        with parallel_config("threading", n_jobs=_PROCESSORS):
            return direction_test(self._table, reading, progress=progress)

    def _imported(self, reading: Reading, progress: Progress) -> Imported:
        if self._read is None or self._read[0] != reading:
            self._read = reading, interpret(
                self._table, reading, self._objects, progress=progress
            )
        return self._read[1]

    def _thumbnails(self, triplets: Triplets, objects: list[int]) -> list[bytes | None]:
        if self._pictures is None or "image" not in triplets.objects:
            return []
        names = [triplets.objects["image"][i] for i in objects]
        if not any(name in self._pictures for name in names):
            return []
        return [
            self._pictures.thumbnail(name, _THUMBNAIL) if name in self._pictures else None
            for name in names
        ]

    # Other files -----------------------------------------------------------------------------

    def objects(self, name: str, content: bytes) -> pd.DataFrame:
        """A table of objects."""
        return read_objects(content, name=name)

    def features(self, name: str, content: bytes) -> pd.DataFrame:
        """A table of objects with their features."""
        return read_features(content, name)

    def feature_tables(self, name: str, content: bytes, about: Triplets) -> list[MeasuredTable]:
        """Tables of features of known objects, or of distances between them."""
        return read_feature_tables(content, about, name)

    def pictures(self, files: Sequence[File]) -> tuple[dict[str, bytes], list[str]]:
        """Pictures by name, and what was shrunk or left out."""
        found = gather_pictures(files)
        return dict(found), found.summary()

    def small(self, name: str, content: bytes, size: int) -> bytes:
        """A picture as PNG, at most so many pixels wide and high."""
        return gather_pictures([(name, content)]).thumbnail(name, size)

    def matrix(self, name: str, content: bytes, similarities: bool | None) -> SquareTable:
        """A square table of similarities or distances."""
        return read_matrix(content, name, similarities=similarities)

    def measured(
        self, files: Sequence[File], kind: str | None, options: Mapping[str, Any]
    ) -> MeasuredFile:
        """Ratings, confusions, piles or arrangements."""
        return file_of_measured([(name, content) for name, content in files], kind, options)

    def preferences(self, name: str, content: bytes) -> tuple[pd.DataFrame, list[str]]:
        """Preferences between pairs."""
        return read_preferences(content, name)

    def distances(
        self, name: str, content: bytes, about: Triplets
    ) -> tuple[np.ndarray, np.ndarray, str]:
        """A square table of distances between known objects."""
        return read_distances(content, about, name)

    def questions(self, name: str, content: bytes, about: Triplets) -> tuple[np.ndarray, str]:
        """Questions about known objects."""
        return read_questions(content, about, name)

    def replies(self, name: str, content: bytes, about: Triplets) -> Replies:
        """A model's replies to prompts about known objects."""
        return read_replies(content, about, name=name)

    def gold(self, name: str, content: bytes, about: Triplets) -> tuple[Triplets, str]:
        """Questions about known objects, with their right answers."""
        return read_gold(content, about, name)

    def graphs(self, name: str, content: bytes) -> list[Graph]:
        """Graphs, one object each."""
        return read_graphs(content, name)

    def reading(self, name: str, content: bytes) -> Reading:
        """How a file is read, kept as JSON."""
        try:
            return Reading.from_dict(json.loads(content))
        except (ValueError, RecursionError) as error:
            raise DataError(
                "this is not a description of how a file is read", file=name,
                remedy="Choose a file that was downloaded here.",
            ) from error

    def archive(self, name: str, content: bytes, progress: Progress) -> Unpacked:
        """A data set that was given away with its results."""
        parts = Parts(content, name)
        try:
            places = dict(parts.about["dataset"]["pictures"])
            results = [str(run["file"]) for run in parts.about["runs"]]
            pictures = [(str(key), parts.read(str(path))) for key, path in places.items()]
        except (KeyError, ValueError, TypeError, AttributeError) as error:
            if isinstance(error, DataError):
                raise
            raise parts.problem("what it says of its data set cannot be understood") from error
        arrays = {}
        for number, path in enumerate(results):
            progress(number / len(results))
            arrays[path] = parts.arrays(path)
        return Unpacked(
            parts.about, parts.triplets("imported"),
            parts.triplets("gold") if parts.has("gold-answers.parquet") else None,
            parts.table("pairs.parquet") if parts.has("pairs.parquet") else None,
            parts.table("catch-trials.parquet") if parts.has("catch-trials.parquet") else None,
            dict(gather_pictures(pictures)) if pictures else {}, arrays,
            parts.changed({*map(str, places.values())}),
            parts.table("measured.parquet") if parts.has("measured.parquet") else None,
        )


#: What a desk can be asked; whether it reports how far it is.
REQUESTS: dict[str, bool] = {
    "open": True, "reopen": True, "reload": True, "look": True, "answers": True, "direction": True,
    "add_objects": False, "add_pictures": False, "objects": False, "features": False,
    "feature_tables": False, "pictures": False, "archive": True, "matrix": False,
    "measured": False, "preferences": False, "distances": False, "questions": False,
    "gold": False, "replies": False,
    "graphs": False, "reading": False, "small": False,
}


def proposed(table: Table, known: Sequence[Known], insist: bool) -> list[Reading]:
    """Readings of earlier data sets that fit, and what the program proposes.

    What the user accepted for a file with the very same columns comes first; where columns have
    no names, or there are others beside, it comes last.
    """
    same: list[Reading] = []
    similar: list[Reading] = []
    for reading, columns in known:
        try:
            reading.check(table)
        except DataError:
            continue
        (same if table.header and columns == table.columns else similar).append(reading)
        if len(same) + len(similar) == _MOST_KNOWN:
            break
    return same + propose(table, insist=insist or bool(same)) + similar


def gather_pictures(files: Sequence[File]) -> Pictures:
    """Pictures from uploads, of which some may be ZIP archives."""
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
        # A small file may hold a long text many times over; nobody looks at its end.
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
    found = []
    for name, content in files:
        if name.lower().endswith(".zip") and content.startswith(b"PK"):
            archive = Archive(content, name)
            found += [(m, archive.read(m)) for m in archive.names if is_picture_name(m)]
    return found


def _name_of(names: list[str]) -> str:
    """What several files are called together: what their names have in common."""
    if len(names) == 1:
        return names[0]
    common = commonprefix([Path(name).stem for name in names])  # noqa: RUF071 - names, no paths
    common = re.sub(r"[\W_]+[^\W\d_]?$", "", common.rstrip("0123456789"))  # session_p01
    return common if len(common) > 2 else f"{len(names):,} files"


# Getting ready -------------------------------------------------------------------------------


@cache
def get_ready() -> None:
    """Import and load whatever any file may need: afterwards no file can be opened."""
    for needed in ("h5py", "scipy.io", "python_calamine"):
        import_module(needed)
    Image.init()
    for answers in _SMALL:
        desk = Desk()
        opened = desk.open([("answers.csv", answers)], (), True, _unheard)
        for reading in opened.readings[:1]:
            desk.look(reading, _unheard)
            unpack(pack(desk.answers(reading, _unheard)))
            desk.direction(reading, _unheard)
    # More answers than are evaluated in one go take another way through compiled code. No thread
    # may be left over: a copy of this process would miss it.
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
    packed = pyarrow.parquet.ParquetFile(pa.BufferReader(table_file(frame.astype("category"))))
    packed.read().to_pandas()
    graph = nx.path_graph(3)
    for lines in (nx.generate_graphml(graph), nx.generate_gml(graph)):
        read_graphs("\n".join(lines).encode())
    pd.to_datetime(pd.Series(["2026-01-01T00:00:00"]), format="ISO8601", utc=True)


def _unheard(*given: Any, **details: Any) -> bool:
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

#: Answers of every kind that is fitted by code of its own: triplets, with weights and times, and
#: comparisons of pairs.
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
