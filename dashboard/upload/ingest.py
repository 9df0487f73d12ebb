"""Files become data sets: accepted uploads, matrices, ratings, features, archives."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from tripletscope.core.data.answers import HELD_TOGETHER
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.geometry import distances
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.progress import Progress, part, silent
from tripletscope.core.models.embedding.features import ColumnMap
from tripletscope.core.models.simulation.simulate import MOST_COMPARISONS, comparisons_of
from tripletscope.core.ratings import Ratings
from tripletscope.core.reading import RatingsFile, SquareTable
from tripletscope.core.reading.formats.source import TABLE_SUFFIXES
from tripletscope.core.reading.names import file_name, listing
from tripletscope.dashboard.archive.restoring import Restored, restore
from tripletscope.dashboard.jobs.queue import Job, Step
from tripletscope.dashboard.sandbox.archive import is_archive
from tripletscope.dashboard.sandbox.records import Unpacked
from tripletscope.dashboard.sandbox.workers import File
from tripletscope.dashboard.state import tab_is_open
from tripletscope.dashboard.store.dataset import DatasetInfo
from tripletscope.dashboard.store.feature_tables import LONGEST, free_name, may_be_called
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.store.uploads import Upload
from tripletscope.dashboard.upload import waiting_upload
from tripletscope.dashboard.words import words

#: Endings of files that are read, packed or not.
_ENDINGS = re.compile(
    rf"(?<=.)({'|'.join(map(re.escape, (*TABLE_SUFFIXES, '.gz', '.zip')))})+$", re.IGNORECASE
)

#: More objects than this need too much memory for distances.
MOST_WITH_FEATURES = 5_000
#: Larger matrices are not kept beside their answers, with a row for each pair.
MOST_KEPT = 1_000
_ANSWERS_PER_OBJECT = 100
#: Seconds before a page shows progress and a button to cancel.
SOON = 3.0
_SLOT = "import"


@dataclass
class Opening:
    """Files that are being read for a session; `restored` if they were a data set's archive."""

    key: str
    name: str
    job: Job | None = None
    error: DataError | None = None
    restored: Restored | None = None


def opening(session_id: str) -> Opening | None:
    """The last upload of a session, perhaps still being read."""
    return services().openings.get(session_id)


def forget_opening(session_id: str) -> None:
    services().openings.pop(session_id, None)


def begin(
    session_id: str, key: str, files: Sequence[File] | Callable[..., list[File]], *,
    insist: bool, name: str = "",
) -> Opening:
    """Read files in the background, and let them wait for a decision; an archive needs none.

    files: Or a function of ``progress`` that fetches them; `name` is their name until then.
    """
    begun, wanted = Opening(key, name or waiting_upload.name_of(files)), tab_is_open()

    def work(progress: Progress) -> None:
        nonlocal files
        try:
            if callable(files):
                files = files(progress=part(progress, 0.0, 0.5))
            if len(files) == 1 and is_archive(files[0][1]):
                begun.restored = open_archive(*files[0], progress=progress, wanted=wanted)
            else:
                waiting_upload.take_in(
                    session_id, files, insist=insist, name=name, progress=progress, wanted=wanted
                )
        except DataError as error:
            begun.error = error
            raise

    title = f"Reading {begun.name}"
    begun.job = Job(session_id, _SLOT, title, [Step(title, work)])
    services().openings[session_id] = begun
    services().jobs.submit(begun.job, at_once=True)
    return begun


# Data sets -----------------------------------------------------------------------------------


def open_archive(
    name: str, content: bytes, *, progress: Progress = silent,
    wanted: Callable[[], bool] | None = None,
) -> Restored:
    unpacked: Unpacked = waiting_upload.ask_aside(
        "archive", name, progress=progress, wanted=wanted, name=name, content=content
    )
    return restore(services().workspace, unpacked, name)


def accept(
    session_id: str, upload: Upload, name: str, progress: Progress = silent
) -> DatasetInfo:
    """Keep the upload of a session as a data set.

    An equal one without exclusions is used instead: its results are there at once.
    """
    columns = waiting_upload.opened(upload).sheet.columns
    read = waiting_upload.answers(upload, progress)
    how = _meaning(upload.reading.to_dict())
    reader = "read" if len(read.triplets) else "experiment.read_pairs"
    info = _kept(
        read.triplets.renamed(name), upload.name,
        [*read.report, f"In Python: tripletscope.{reader}(…, {upload.reading.short()})."],
        lambda info: _meaning(info.extra.get("reading") or {}) == how
        and set(info.pictures) == set(read.pictures or {})
        and info.n_pairs == (len(read.pairs) if read.pairs else 0),
        pictures=read.pictures, catch_trials=read.catch_trials, pairs=read.pairs,
        extra={
            "asked": read.asked, "reading": upload.reading.to_dict(),
            "columns": columns,
        },
    )
    waiting_upload.discard(session_id, upload)
    return info


def _kept(
    triplets: Triplets, origin: str, report: list[str],
    same: Callable[[DatasetInfo], bool] = lambda info: True, **further: Any,
) -> DatasetInfo:
    """The equal data set that is kept already, or a new one, numbered where its name is taken."""
    about = (origin, triplets.fingerprint, [], report)
    name = (triplets.name.strip() or origin)[:LONGEST].strip()
    there = services().workspace.datasets()
    for info in there:
        if about == (info.origin, info.imported, info.exclusions, info.report) and (
            may_be_called(info.name, name) and same(info)
        ):
            return info
    triplets = triplets.renamed(free_name(name, {info.name for info in there}))
    return services().workspace.add_dataset(triplets, origin=origin, report=report, **further)


def _meaning(reading: dict[str, Any]) -> dict[str, Any]:
    """A reading as JSON would give it back, without the words on its origin."""
    values = {name: value for name, value in reading.items()
            if name not in ("layout", "title", "reasons")}
    return json.loads(json.dumps(values))


def suggested_name(file: str) -> str:
    """First name of a data set: that of the file, not too long, without endings like .json.gz."""
    name = file_name(file)
    return (_ENDINGS.sub("", name) or name)[:LONGEST].strip()


def accept_matrix(
    name: str, content: bytes, similarities: bool | None = None, progress: Progress = silent
) -> DatasetInfo:
    """Keep the comparisons of a matrix, see `read_matrix`, as a data set."""
    table: SquareTable = waiting_upload.ask_aside(
        "matrix", name, progress=progress, name=name, content=content, similarities=similarities
    )
    rows = comparisons_of(table.values)
    n = len(table.ids)
    questions = n * (n - 1) * (n - 2) // 2
    which = (
        f"{len(rows):,} of {questions:,} possible comparisons, drawn at random"
        if questions > MOST_COMPARISONS else f"All {len(rows):,} comparisons of unequal values"
    )
    triplets = Triplets(
        rows, pd.DataFrame({"id": table.ids}), pd.DataFrame({HELD_TOGETHER: np.zeros(len(rows))}),
        suggested_name(name),
    )
    kept = None
    if n <= MOST_KEPT:
        kept = Ratings.from_matrices([table.values], table.ids, direction="dissimilar")
    report = [
        *table.notes, f"{which}. They are not independent: ellipses mean little here, and whole "
        "pairs are held out.",
    ]
    return _kept(triplets, name, report, measured=kept)


def accept_measured(name: str, table: RatingsFile) -> DatasetInfo:
    """Keep ratings and so on as a data set, with the comparisons that each rater made."""
    data = table.measured()
    triplets = data.triplets(name=suggested_name(name))
    if not len(triplets):
        raise DataError(
            "no pair was judged more similar than another", file=name,
            remedy="Ratings that are all equal, or confusions that hardly occur, determine no map.",
        )
    raters = len(data.raters)
    whose = words.count(raters, "participant") if raters else "one rater"
    report = [
        *table.notes,
        f"{words.count(data.n_judgements, data.judgement)} of {whose} make {len(triplets):,} "
        "comparisons, each of two different values of the same rater. They overlap, and weigh as "
        f"much as {triplets.weight.sum():,.0f} independent answers.",
    ]
    kept = [name for name in data.further if name in triplets.answers]
    if kept:
        report.append(f"Kept with the comparisons: {listing(kept, 12)}.")
    if lost := [name for name in data.further if name not in kept]:
        report.append(
            "Not kept with the comparisons, as the values that are compared differ in it: "
            f"{listing(lost, 12)}."
        )
    if raters < 2:
        report.append(
            "All come from one set of values: whole pairs are held out, and error bars and "
            "ellipses are too small here."
        )
    return _kept(triplets, name, report, measured=data)


def accept_features(name: str, objects: pd.DataFrame, columns: Sequence[str]) -> DatasetInfo:
    """Keep a table of `read_features` as a data set, whose answers are comparisons of distances."""
    n = len(objects)
    if not 3 <= n <= MOST_WITH_FEATURES:
        raise DataError(
            f"it has {n:,} objects", file=name,
            remedy=f"Give from 3 to {MOST_WITH_FEATURES:,} objects.",
        )
    about = Triplets(np.zeros((0, 3), dtype=int), objects, name=suggested_name(name))
    try:
        fitted = ColumnMap(columns=list(columns), standardise=True).fit(about)
    except DataError as error:
        raise DataError(error.problem, file=name, remedy=error.remedy) from error
    placed = np.flatnonzero(fitted.placed_)
    rows = comparisons_of(
        distances(fitted.embedding_[placed]), most=min(_ANSWERS_PER_OBJECT * n, MOST_COMPARISONS)
    )
    if not len(rows):
        raise DataError(
            "all objects have the same features", file=name, remedy="Give features that differ."
        )
    report = [
        f"{len(rows):,} comparisons of distances between the objects, Euclidean in "
        f"{words.count(len(columns), 'column')}, standardised. "
        "Nobody was asked: ellipses mean little here, and whole pairs are held out.",
    ]
    return services().workspace.add_dataset(
        Triplets(
            placed[rows], objects, pd.DataFrame({HELD_TOGETHER: np.zeros(len(rows))}), about.name
        ), origin=name, report=report,
        extra={"features": list(columns)},
    )
