"""What becomes of a session's upload: it waits, is kept on the disk, accepted or discarded."""

from __future__ import annotations

import logging
import tarfile
from pathlib import Path

import pandas as pd

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.io import read_matrix
from tripletscope.core.simulation.simulate import MOST_COMPARISONS, comparisons_of
from tripletscope.dashboard.keeping.catalogue import DatasetInfo
from tripletscope.dashboard.keeping.services import services
from tripletscope.dashboard.waiting import SLOT, Waiting

log = logging.getLogger(__name__)


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
    except (KeyError, ValueError, OSError, tarfile.TarError):
        # Damaged, or kept by another version: it can be uploaded once more.
        log.warning("an upload could not be read again", exc_info=True)
        uploads.remove(session_id)
        return None
    uploads.hold(session_id, upload)
    return upload


def wait(session_id: str, upload: Waiting) -> None:
    """Let an upload wait for a decision, in the place of the session's one before.

    Raises
    ------
    DataError
        If it cannot be written to the disk.
    """
    _forget_directions(session_id)
    _keep(session_id, upload, anew=True)
    services().uploads.hold(session_id, upload)


def _forget_directions(session_id: str) -> None:
    before = services().uploads.held(session_id)
    if before is not None:
        before.test_again()


def keep_waiting(session_id: str, upload: Waiting) -> None:
    """Keep what has changed of an upload, so that nothing is lost if it leaves the memory.

    Raises
    ------
    DataError
        If it cannot be written to the disk; it may be tried again.
    """
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


def discard(session_id: str) -> None:
    """Forget the import of a session."""
    _forget_directions(session_id)
    services().uploads.remove(session_id)
    job = services().jobs.latest(session_id, SLOT)
    if job is not None:
        job.give_up()


def accept(session_id: str, upload: Waiting, name: str) -> DatasetInfo:
    """Keep the import of a session as a data set.

    Raises
    ------
    DataError
        If it cannot be read as chosen.
    """
    triplets, report = upload.triplets()
    imported = upload.read()
    info = services().workspace.add_dataset(
        triplets.renamed(name), origin=upload.name, report=report, pictures=upload.pictures,
        catch_trials=imported.catch_trials, pairs=imported.pairs,
        extra={
            "asked": imported.task.title, "reading": upload.reading.to_dict(),
            "columns": upload.table.columns,
        },
    )
    discard(session_id)
    return info


def accept_matrix(
    name: str, content: bytes, similarities: bool | None = None
) -> DatasetInfo:
    """Keep what a matrix of similarities or distances answers as a data set.

    Parameters
    ----------
    name : str
    content : bytes
    similarities : bool, optional
        Whether large values mean alike, see `read_matrix`.

    Raises
    ------
    DataError
        If it is none.
    """
    found = read_matrix(content, name, similarities=similarities)
    rows = comparisons_of(found.values)
    n = len(found.ids)
    questions = n * (n - 1) * (n - 2) // 2
    which = (
        f"{len(rows):,} of {questions:,} possible comparisons, drawn at random"
        if questions > MOST_COMPARISONS else f"All {len(rows):,} comparisons of unequal values"
    )
    triplets = Triplets(rows, pd.DataFrame({"id": found.ids}), name=Path(name).stem)
    return services().workspace.add_dataset(
        triplets, origin=name, report=[
            *found.notes, f"{which}. They are not independent responses: error bars and intervals "
            "mean little here.",
        ],
    )
