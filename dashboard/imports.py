"""What becomes of a session's upload: it is read, waits, is kept on disk, accepted or discarded."""

from __future__ import annotations

import json
import logging
import re
import tarfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.geometry import distances
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.progress import Progress, silent
from tripletscope.core.io import MeasuredFile, SquareTable
from tripletscope.core.io.formats.source import TABLE_SUFFIXES
from tripletscope.core.io.names import file_name
from tripletscope.core.models.embedding.features import Features
from tripletscope.core.models.simulation.simulate import MOST_COMPARISONS, comparisons_of
from tripletscope.core.ratings import Ratings
from tripletscope.dashboard.door.archive import is_archive
from tripletscope.dashboard.door.records import Answers, Unpacked
from tripletscope.dashboard.door.workers import workers
from tripletscope.dashboard.keeping.dataset import DatasetInfo
from tripletscope.dashboard.keeping.jobs import Job, Step
from tripletscope.dashboard.keeping.services import services
from tripletscope.dashboard.keeping.uploads import File
from tripletscope.dashboard.reproduce.restoring import Restored, restore
from tripletscope.dashboard.waiting import SLOT, Waiting, always
from tripletscope.dashboard.wording import ENGLISH

#: Endings of files that are read, packed or not.
_ENDINGS = re.compile(
    rf"(?<=.)({'|'.join(map(re.escape, (*TABLE_SUFFIXES, '.gz', '.zip')))})+$", re.IGNORECASE
)

log = logging.getLogger(__name__)

#: Of larger tables the distances would take much memory.
MOST_WITH_FEATURES = 5_000
#: Matrices of more objects are not kept beside their answers: a row for each pair takes room.
MOST_KEPT = 1_000
_ANSWERS_PER_OBJECT = 100
#: Seconds that a page waits itself; then it shows how far reading is, and lets one cancel it.
SOON = 3.0


@dataclass
class Opening:
    """An upload that is being read.

    key: Tells it from other uploads.
    error: Why it cannot be read.
    restored: What it has become, where it was an archive of a data set.
    """

    key: str
    name: str
    job: Job | None = None
    error: DataError | None = None
    restored: Restored | None = None


def opening(session_id: str) -> Opening | None:
    """The upload of a session that was read last, or is being read."""
    return services().openings.get(session_id)


def forget_opening(session_id: str) -> None:
    """Let the upload of a session be read again."""
    services().openings.pop(session_id, None)


def begin(
    session_id: str, key: str, files: Sequence[File], *, insist: bool,
    wanted: Callable[[], bool] = always,
) -> Opening:
    """Read an upload in the background, and let it wait for a decision.

    An archive of a data set needs none: it is opened as it was.

    insist: See `Waiting.of`.
    wanted: Whether anybody still waits for it.
    """
    found = Opening(key, files[0][0] if len(files) == 1 else f"{len(files):,} files")

    def work(progress: Progress) -> None:
        try:
            if len(files) == 1 and is_archive(files[0][1]):
                found.restored = open_archive(*files[0], progress=progress, wanted=wanted)
                return
            upload = Waiting.of(files, insist=insist, progress=progress, wanted=wanted)
            wait(session_id, upload)
        except DataError as error:
            found.error = error
            raise

    title = f"Reading {found.name}"
    found.job = Job(session_id, SLOT, title, [Step(title, work)])
    services().openings[session_id] = found
    services().jobs.submit(found.job, at_once=True)
    return found


def ask_aside(
    what: str, file: str, *, progress: Progress = silent, wanted: Callable[[], bool] = always,
    **given: Any,
) -> Any:
    """What a process of its own reads in a file that belongs to no upload.

    what: One of `tripletscope.dashboard.door.desk.REQUESTS`.
    file: For messages.
    progress: Called a few times a second.
    wanted: Whether anybody still waits for it.
    **given: Plain data.
    """
    worker = workers().take(wanted)
    try:
        return worker.ask(what, file=file, progress=progress, **given)
    finally:
        worker.close()


def open_archive(
    name: str, content: bytes, *, progress: Progress = silent,
    wanted: Callable[[], bool] = always,
) -> Restored:
    """Keep the data set of an archive, with its results, beside all others."""
    found: Unpacked = ask_aside(
        "archive", name, progress=progress, wanted=wanted, name=name, content=content
    )
    return restore(services().workspace, found, name)


def waiting(session_id: str) -> Waiting | None:
    """The import of a session that waits for a decision."""
    uploads = services().uploads
    upload = uploads.held(session_id)
    if upload is not None:
        return upload
    try:
        kept = uploads.load(session_id)
        if kept is None:
            return None
        upload = Waiting.from_disk(*kept)
    except (LookupError, TypeError, ValueError, OSError, tarfile.TarError):
        # Damaged, or kept by another version: it can be uploaded once more.
        log.warning("an upload could not be read again", exc_info=True)
        uploads.remove(session_id)
        return None
    uploads.hold(session_id, upload)
    return upload


def wait(session_id: str, upload: Waiting) -> None:
    """Let an upload wait for a decision, in the place of the session's one before."""
    before = services().uploads.held(session_id)
    _keep(session_id, upload, anew=True)
    services().uploads.hold(session_id, upload)
    _let_go(before)


def _let_go(upload: Waiting | None) -> None:
    if upload is not None:
        upload.test_again()
        upload.close()


def keep_waiting(session_id: str, upload: Waiting) -> None:
    """Keep what has changed of an upload, so that nothing is lost if it leaves the memory."""
    _keep(session_id, upload, anew=False)


def _keep(session_id: str, upload: Waiting, *, anew: bool) -> None:
    uploads = services().uploads
    try:
        uploads.keep(session_id, *upload.to_disk(uploads), anew=anew)
    except OSError as error:
        raise DataError(
            f"the upload could not be written to the disk ({error.strerror})", file=upload.name,
            remedy="Make room on the disk of the workspace, or delete data sets that are not "
            "needed, and try again.",
        ) from error


def discard(session_id: str, upload: Waiting) -> None:
    """Forget an import of a session, but not one that has taken its place, or is about to."""
    _let_go(upload)
    services().uploads.remove(session_id, upload.id)
    reading = opening(session_id)
    if reading is not None and not reading.job.active:
        forget_opening(session_id)


def accept(
    session_id: str, upload: Waiting, name: str, progress: Progress = silent
) -> DatasetInfo:
    """Keep the import of a session as a data set."""
    found = upload.answers(progress)
    there = _kept_before(upload, found, name)
    if there is not None:
        discard(session_id, upload)
        return there
    info = services().workspace.add_dataset(
        found.triplets.renamed(name), origin=upload.name, report=found.report,
        pictures=found.pictures, catch_trials=found.catch_trials, pairs=found.pairs,
        extra={
            "asked": found.asked, "reading": upload.reading.to_dict(),
            "columns": upload.table.columns,
        },
    )
    discard(session_id, upload)
    return info


def _kept_before(upload: Waiting, found: Answers, name: str) -> DatasetInfo | None:
    """The data set that the same upload, read in the same way, was kept as, with nothing left out.

    What was computed for it is there at once, and lists hold it once.
    """
    reading = _meaning(upload.reading.to_dict())
    for info in services().workspace.datasets():
        same = (
            info.name == name and info.origin == upload.name and not info.exclusions
            and info.imported == found.triplets.fingerprint
            and _meaning(info.extra.get("reading") or {}) == reading
            and info.report == found.report and set(info.pictures) == set(found.pictures or {})
            and info.n_pairs == (len(found.pairs) if found.pairs else 0)
        )
        if same:
            return info
    return None


def _meaning(reading: dict[str, Any]) -> dict[str, Any]:
    """A reading as the catalogue writes it, without the words for where it comes from."""
    told = {name: value for name, value in reading.items()
            if name not in ("layout", "title", "reasons")}
    return json.loads(json.dumps(told))


def suggested_name(file: str) -> str:
    """What a data set is called at first: the file without folder and endings like .json.gz."""
    name = file_name(file)
    return _ENDINGS.sub("", name) or name


def accept_matrix(
    name: str, content: bytes, similarities: bool | None = None, progress: Progress = silent
) -> DatasetInfo:
    """Keep what a matrix of similarities or distances answers as a data set.

    similarities: Whether large values mean alike, see `read_matrix`.
    """
    found: SquareTable = ask_aside(
        "matrix", name, progress=progress, name=name, content=content, similarities=similarities
    )
    rows = comparisons_of(found.values)
    n = len(found.ids)
    questions = n * (n - 1) * (n - 2) // 2
    which = (
        f"{len(rows):,} of {questions:,} possible comparisons, drawn at random"
        if questions > MOST_COMPARISONS else f"All {len(rows):,} comparisons of unequal values"
    )
    triplets = Triplets(rows, pd.DataFrame({"id": found.ids}), name=suggested_name(name))
    kept = None
    if n <= MOST_KEPT:
        kept = Ratings.from_matrices([found.values], found.ids, direction="dissimilar")
    report = [
        *found.notes, f"{which}. They are not independent responses: error bars and intervals "
        "mean little here.",
    ]
    for info in services().workspace.datasets():
        known = (info.name, info.origin, info.imported, info.exclusions, info.report)
        if known == (triplets.name, name, triplets.fingerprint, [], report):
            return info  # uploaded before, and lists hold it once
    return services().workspace.add_dataset(
        triplets, origin=name, report=report, measured=kept
    )


def look_measured(
    files: Sequence[File], kind: str | None, options: Mapping[str, Any],
    progress: Progress = silent,
) -> MeasuredFile:
    """What ratings, confusions, piles or arrangements are in an upload, before it is kept.

    kind: By default what the columns say, see `tripletscope.core.io.read_measured`.
    options: Of the kind.
    """
    return ask_aside(
        "measured", files[0][0], progress=progress, files=list(files), kind=kind,
        options=dict(options),
    )


def accept_measured(name: str, found: MeasuredFile) -> DatasetInfo:
    """Keep what was measured as a data set, with the comparisons that each rater made.

    name: The file.
    """
    data = found.measured()
    triplets = data.triplets(name=suggested_name(name))
    if not len(triplets):
        raise DataError(
            "nobody said of one pair that it is more similar than another", file=name,
            remedy="Ratings that are all equal, or confusions that hardly occur, tell of no map.",
        )
    raters = len(data.raters)
    whose = ENGLISH.count(raters, "participant") if raters else "one rater"
    report = [
        *found.notes,
        f"{len(triplets):,} comparisons of {whose}, each of two values of the same rater that "
        "differ; ties make none. They overlap: together they weigh as much as "
        f"{triplets.weight.sum():,.0f} independent answers.",
    ]
    if raters < 2:
        report.append(
            "All come from one set of values, so that held-out answers are not new: errors, error "
            "bars and intervals are too small here."
        )
    for info in services().workspace.datasets():
        known = (info.name, info.origin, info.imported, info.exclusions, info.report)
        if known == (triplets.name, name, triplets.fingerprint, [], report):
            return info  # uploaded before, and lists hold it once
    return services().workspace.add_dataset(
        triplets, origin=name, report=report, measured=data
    )


def accept_features(
    name: str, objects: pd.DataFrame, columns: Sequence[str], standardise: bool = True
) -> DatasetInfo:
    """Keep a table of features as a data set, whose answers are comparisons of distances.

    name: The file.
    objects: As of `read_features`.
    columns: The features.
    standardise: See `tripletscope.core.models.embedding.features.Features`.
    """
    n = len(objects)
    if not 3 <= n <= MOST_WITH_FEATURES:
        raise DataError(
            f"it has {n:,} objects", file=name,
            remedy=f"Give from 3 to {MOST_WITH_FEATURES:,} objects.",
        )
    about = Triplets(np.zeros((0, 3), dtype=int), objects, name=suggested_name(name))
    try:
        fitted = Features(columns=list(columns), standardise=standardise).fit(about)
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
        f"{ENGLISH.count(len(columns), 'column')}{', standardised' if standardise else ''}. "
        "Nobody was asked: error bars and intervals mean little here.",
    ]
    return services().workspace.add_dataset(
        Triplets(placed[rows], objects, name=about.name), origin=name, report=report,
        extra={"features": list(columns)},
    )
