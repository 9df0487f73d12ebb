"""What becomes of a session's upload: it waits, is changed, accepted or discarded.

All state is on the disk; files are read by a sandboxed process (`tripletscope.dashboard.sandbox`).
"""

from __future__ import annotations

import json
import tarfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from tripletscope.core.data.errors import DataError
from tripletscope.core.engine.progress import Progress, silent
from tripletscope.core.reading import Reading
from tripletscope.core.reading.columns.reading import SIDE_ROLES
from tripletscope.core.studies.quality.direction import DirectionTest
from tripletscope.dashboard.jobs.queue import Job, Step
from tripletscope.dashboard.sandbox.records import Look, Opened, Proposals, ReadAnswers
from tripletscope.dashboard.sandbox.workers import Ended, File, workers
from tripletscope.dashboard.state import tab_is_open
from tripletscope.dashboard.store.dataset import DatasetInfo
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.store.uploads import Upload, Uploads, new_archive

#: Seconds after which the comparison of readings is given up.
_LONG = 1800.0

T = TypeVar("T")


def name_of(files: Sequence[File]) -> str:
    """Name of files before they are read."""
    return files[0][0] if len(files) == 1 else f"{len(files):,} files"


def take_in(
    session_id: str, files: Sequence[File], *, insist: bool = False, name: str = "",
    progress: Progress = silent, wanted: Callable[[], bool] | None = None,
) -> Upload:
    """Let an upload wait for a decision, instead of the session's previous one.

    files: One file, or several that belong together, also zipped.
    name: By default, what the names of the files have in common.
    insist: Propose columns even where the table looks like answers to another kind of question.
    wanted: Whether the result is still needed; by default, whether the tab is open.
    """
    archive = new_archive()
    upload = Upload(name_of(files), {"tables": archive}, (), Reading("", ""))
    access = {"packed": {archive: list(files)}, "progress": progress, "wanted": wanted}
    try:
        name = name or opened(upload, **access).sheet.name
        found = _ask(upload, "propose", known=_earlier_readings(), insist=insist, **access)
        upload = replace(upload, name=name, **_begun(found))

        def write(there: Uploads) -> Upload | None:
            there.pack(archive, files)
            return there.begin(session_id, upload)

        before = _written(upload, write)
    except BaseException:
        workers().dismiss(upload.id)
        raise
    if before is not None:
        workers().dismiss(before.id)
    _give_up(session_id)
    return upload


def _written(upload: Upload, write: Callable[[Uploads], T]) -> T:
    """Write to the disk, which may be full."""
    try:
        return write(services().uploads)
    except OSError as error:
        raise DataError(
            f"the upload could not be written to the disk ({error.strerror})", file=upload.name,
            remedy="Free space on the disk of the workspace, or delete data sets, and try again.",
        ) from error


def waiting(session_id: str) -> Upload | None:
    return services().uploads.of(session_id)


def change(session_id: str, upload: Upload, **changes: Any) -> Upload:
    return _written(upload, lambda there: there.change(session_id, upload, **changes))


def cut(
    session_id: str, upload: Upload, shape: Mapping[str, Any], progress: Progress = silent
) -> Upload:
    """Cut the table into columns differently, and propose again.

    shape: ``header``, ``delimiter`` and ``encoding``.
    """
    anew = replace(upload, shape=dict(shape))
    found = _ask(anew, "propose", known=_earlier_readings(), insist=True, progress=progress)
    _give_up(session_id)
    return change(
        session_id, upload, shape=anew.shape, chosen=0, turn=upload.turn + 1, **_begun(found)
    )


def _begun(found: Proposals) -> dict[str, Any]:
    """Where a form begins."""
    return {"readings": tuple(found.readings), "reading": found.readings[0],
            "asked": tuple(found.asked), "others": tuple(found.others)}


def use(session_id: str, upload: Upload, reading: Reading) -> Upload:
    """Begin from a reading, also one that was not proposed."""
    reading.check(opened(upload).sheet)
    return change(session_id, upload, **upload.begun_from(reading))


def load_reading(session_id: str, upload: Upload, name: str, content: bytes) -> Upload:
    """Begin from a reading saved as JSON."""
    return use(session_id, upload, ask_aside("reading", name, name=name, content=content))


def add(
    session_id: str, upload: Upload, kind: str, files: Sequence[File], progress: Progress = silent
) -> Upload:
    """Add files.

    kind {"objects", "pictures"}: A table of objects, or pictures, also in archives.
    """
    archive = new_archive()
    more = replace(upload, archives={**upload.archives, kind: archive})
    opened(more, packed={archive: list(files)}, progress=progress)
    _written(upload, lambda there: there.pack(archive, files))
    return change(session_id, upload, archives={kind: archive})


def discard(session_id: str, upload: Upload) -> None:
    """Forget an upload of a session, but not a newer one in its place."""
    _give_up(session_id, upload)
    workers().dismiss(upload.id)
    services().uploads.remove(session_id, upload)
    begun = services().openings.get(session_id)
    if begun is not None and not begun.job.active:
        services().openings.pop(session_id, None)


# What is in it -------------------------------------------------------------------------------


def opened(upload: Upload, **how: Any) -> Opened:
    """What a form shows of an upload, however it is read."""
    return _ask(upload, "open", keep=True, **how)


def look(upload: Upload, progress: Progress = silent) -> Look:
    """What the chosen reading makes of the file."""
    return _ask(upload, "look", keep=True, progress=progress, reading=upload.reading)


def examples(upload: Upload, readings: Sequence[Reading]) -> list[list[str]]:
    """Answers in words under each reading."""
    return _ask(upload, "examples", keep=True, readings=list(readings))


def values(upload: Upload, column: str) -> list[tuple[str, int]]:
    """The most frequent values of a column, with counts."""
    return _ask(upload, "values", keep=True, column=column)


def answers(upload: Upload, progress: Progress = silent) -> ReadAnswers:
    """Everything of an upload that is to be kept."""
    return _ask(upload, "answers", progress=progress, reading=upload.reading)


def _ask(
    upload: Upload, what: str, *, packed: Mapping[str, list[File]] | None = None,
    wanted: Callable[[], bool] | None = None, **arguments: Any,
) -> Any:
    """Ask a process that reads the upload.

    packed: Files that are not on the disk yet, by their archives.
    """
    uploads = services().uploads

    def contents(archive: str) -> list[File]:
        try:
            return (packed or {}).get(archive) or uploads.unpacked(archive)
        except (OSError, tarfile.TarError) as error:
            raise Ended(
                "the upload is no longer there", file=upload.name, remedy="Upload it once more."
            ) from error

    return workers().ask(
        what, upload.id, file=upload.name, contents=contents, wanted=wanted or tab_is_open(),
        keys=dict(upload.archives), shape=dict(upload.shape), **arguments,
    )


def direction(session_id: str, upload: Upload, *, again: bool = False) -> Job:
    """The job whose result is the `DirectionTest` of the chosen reading.

    Started at the first call for a reading, or `again`; jobs about other readings are given up.
    """
    about = json.dumps(dict(upload.shape)), _direction_of(upload.reading)
    slot = f"{_slot_of(upload)} {' '.join(about)}"
    jobs = services().jobs
    _give_up(session_id, but=slot)
    job = jobs.latest(session_id, slot)
    if job is None or job.given_up or (again and not job.active):
        work = partial(_direction, upload, tab_is_open())
        job = jobs.submit(Job(
            session_id, slot, f"Direction of {upload.name}",
            [Step("Comparing with other readings", work)],
        ))
    return job


def _slot_of(upload: Upload | None) -> str:
    """First words of the slots of direction jobs, of one upload or of any."""
    return f"direction {upload.id}" if upload else "direction"


def _give_up(session_id: str, upload: Upload | None = None, *, but: str = "") -> None:
    """Give up direction jobs, of an upload or of all."""
    for job in services().jobs.of(session_id):
        if job.active and job.slot != but and job.slot.startswith(_slot_of(upload)):
            job.give_up()


def _direction(upload: Upload, wanted: Callable[[], bool], progress: Progress) -> DirectionTest:
    return _ask(upload, "direction", progress=progress, patience=_LONG, wanted=wanted,
                reading=upload.reading)


def _direction_of(reading: Reading) -> str:
    """The parts of a reading that decide on the direction of the answers."""
    side = set(SIDE_ROLES) - {"weight"}
    roles = {role: column for role, column in reading.roles.items() if role not in side}
    about = replace(reading, title="", reasons=(), response_time_unit=None, roles=roles)
    return json.dumps(about.to_dict())


def _earlier_readings() -> list[tuple[Reading, list[str]]]:
    """Distinct readings of earlier data sets, with their columns.

    Of what the values of a file have decided nothing is remembered: another file has others.
    """
    readings = []
    seen: set[str] = set()
    for info in services().workspace.datasets():
        reading = known_reading(info)
        if reading is None or (about := _direction_of(reading)) in seen:
            continue
        seen.add(about)
        by_person = isinstance(reading.choice_coding, Mapping)
        offered = replace(
            reading, title=f"As in {info.name}",
            reasons=(f"This is how the file of {info.name} was read.",),
            choice_coding=reading.choice_coding if by_person else None, response_time_unit=None,
            index_base=None, exchanged={}, copies=None, apart=None,
        )
        readings.append((offered, list(info.extra["columns"])))
    return readings


def known_reading(info: DatasetInfo) -> Reading | None:
    """How the file of a data set was read; None if unknown."""
    if not {"reading", "columns"} <= set(info.extra):
        return None
    try:
        return Reading.from_dict(info.extra["reading"])
    except (ValueError, TypeError, AttributeError):  # written by another version, or by others
        return None


def ask_aside(
    what: str, file: str, *, progress: Progress = silent,
    wanted: Callable[[], bool] | None = None, **arguments: Any,
) -> Any:
    """Ask a new process about a file that belongs to no upload.

    what: One of `tripletscope.dashboard.sandbox.questions.OF_FILES`.
    file: For messages.
    wanted: As of `take_in`.
    **arguments: Plain data.
    """
    worker = workers().take(wanted or tab_is_open())
    try:
        return worker.ask(what, file=file, progress=progress, **arguments)
    finally:
        worker.close()
