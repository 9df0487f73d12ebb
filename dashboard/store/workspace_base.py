"""An open workspace: its lock, its lists and its changes."""

from __future__ import annotations

import errno
import json
import logging
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import tripletscope
from tripletscope.dashboard.files.contents import content_of, is_there, json_of
from tripletscope.dashboard.files.errors import DamagedFile, WorkspaceError
from tripletscope.dashboard.files.storage import PARTIAL, Compared, whole_file, words_for
from tripletscope.dashboard.store.change import ABOUT, BEFORE, Draft, FolderChange
from tripletscope.dashboard.store.dataset import DatasetInfo
from tripletscope.dashboard.store.description import info_of, new_about
from tripletscope.dashboard.store.folder import (
    OPENED,
    OWN,
    SESSION,
    SESSIONS,
    SIMULATIONS,
    SMALL,
    DataFolder,
    mended,
)
from tripletscope.dashboard.store.holding import Held, Hold
from tripletscope.dashboard.store.recent import Recent
from tripletscope.dashboard.store.trash import Trash, free

log = logging.getLogger(__name__)

#: Sets of answers, and descriptions, in memory.
_FEW, _MANY = 4, 10_000
#: Sessions, the last first, among which that of a browser is looked for.
_LOOKED_AT = 100
_AN_HOUR = timedelta(hours=1)
#: Workspaces of this process with the same folder take turns to change it.
_changes: dict[Path, Changes] = {}
#: What a page has looked up so far, each with the number of the change before.
_snapshot: ContextVar[dict[Any, tuple[int, Any]] | None] = ContextVar("snapshot", default=None)
#: The file in a workspace that names the version.
VERSION = "version"
#: What most users notice first; CHANGELOG.md has all of it.
_NEWS = (
    "A data set opens by its *findings*: care, noise ceiling, held-out error, map and more, "
    "computed without a click.",
    "*Ctrl+K* searches pages, methods, objects and help. The address of a page leads others to the "
    "same place.",
    "Exclusions make named *views*. The sidebar switches them, and *Compare › Multiverse* compares "
    "them.",
)


class Changes:
    """The lock for changes of a folder, which counts them.

    number: Larger after every change; what was looked up before may hold no more.
    """

    def __init__(self) -> None:
        self.lock, self.number = threading.RLock(), 0

    def __enter__(self) -> None:
        self.lock.acquire()

    def __exit__(self, *raised: object) -> None:
        self.number += 1
        self.lock.release()


class OpenFolder:
    """The base of every part of `Workspace`."""

    def __init__(self, folder: Path) -> None:
        self.folder = Path(folder)
        self.notes: list[str] = []
        #: Sentences after an update of the program.
        self.news: tuple[str, ...] = ()
        #: Why nothing can be kept; empty where it can.
        self.read_only = ""
        self.trash = Trash(self.folder)
        self._hold: Hold | None = None
        self._compared: Compared = set()
        self._described = Recent(_MANY)
        #: By fingerprint, which takes a second for many answers.
        self._answers = Recent(_FEW)
        self._changes = _changes.setdefault(self.folder.absolute(), Changes())
        with self._changes:
            self._open()

    def _open(self) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._hold = Hold(self.folder)
            if self._hold.is_first:  # or others may be writing
                self._tidy()
        except Held as other:
            raise WorkspaceError(
                f"The workspace {self.folder} is in use by another TripletScope: {other}. Use "
                "that one, end it, or choose another folder with --workspace."
            ) from None
        except OSError as error:
            if self._hold is None and not self._has_content():
                raise WorkspaceError(
                    f"The workspace {self.folder} cannot be written ({error.strerror}). "
                    "Choose another folder with --workspace."
                ) from error
            log.info("the workspace is only looked at", exc_info=True)
            full = error.errno in (errno.ENOSPC, errno.EDQUOT)
            self.read_only = (
                f"The {'disk' if full else 'folder'} of the workspace "
                f"{'is full' if full else 'cannot be written'}: you can look at everything, but "
                "nothing new is kept."
                + (" Make room on it, and start TripletScope again." if full else "")
            )
            self.notes.append(self.read_only)
            self._look_through(mend=False)
        except BaseException:
            self.close()
            raise

    def _has_content(self) -> bool:
        with suppress(OSError):
            return any(self.folder.iterdir())
        return False

    def _tidy(self) -> None:
        """Mend damaged descriptions, empty the trash."""
        self.news = news_since(self.folder, is_used=bool(self._folders()))
        self.trash.take(list(self._partial()))
        needed = self._look_through(mend=True)
        for path in (self.folder / SMALL).glob("*.png"):
            if path.name.partition(".")[0] not in needed:
                path.unlink(missing_ok=True)
        last = max(filter(None, map(_moment, self._opened().values())), default=now())
        if last > now() + _AN_HOUR:
            self.notes.append(
                "This computer's clock is behind the last use of this workspace: data sets may be "
                "out of order, and the trash is not emptied."
            )
        else:
            self.trash.empty_old(last)  # a clock ahead would make all of it old

    def _look_through(self, *, mend: bool) -> set[str]:
        """Note every data set that is not shown, and mend it if possible; the sums of all."""
        needed: set[str] = set()
        for path in self._folders():
            try:
                needed.update(DataFolder(path).about()["sums"].values())
            except DamagedFile as error:
                if mend and not is_there(path / ABOUT):
                    self._mend(path)
                else:
                    self.notes.append(_not_shown(path, error))
            except WorkspaceError as newer:
                self.notes.append(str(newer))
        self.notes += [
            f"The data set in {name} is not shown: the workspace itself uses a folder of this "
            "name. Rename it." for name in sorted(OWN) if is_there(self.folder / name / ABOUT)
        ]
        return needed

    def _partial(self) -> Iterator[Path]:
        """Unfinished files of a process that was killed."""
        for folder in (self.folder, *self._folders()):
            for pattern in ("*.partial", "pictures/*.partial", "features/*.partial",
                            "results/*/*.partial"):
                yield from (path for path in folder.glob(pattern) if PARTIAL.fullmatch(path.name))

    def _mend(self, path: Path) -> None:
        try:
            about, all_of_it = mended(path)
            with DataFolder(path).changing(new_about()) as change:
                change.about.update(about)
        except (WorkspaceError, OSError) as error:
            self.notes.append(_not_shown(path, error))
            return
        self.notes.append(
            f"{path.name}/{ABOUT} was missing. It was restored from "
            + ("the version before the last change." if all_of_it else "the other files of this "
               "data set. Its exclusions, gold questions and tables of features are lost.")
        )

    def close(self) -> None:
        if self._hold is not None:
            self._hold.release()

    def announce(self, address: str) -> None:
        if not self.read_only:
            self._hold.announce(address)

    # Folders -------------------------------------------------------------------------------

    def _folders(self) -> list[Path]:
        return [path for path in sorted(self.folder.iterdir()) if _is_data_set(path)]

    def _folder(self, dataset: str | None) -> DataFolder:
        return DataFolder(self.folder / (dataset or SIMULATIONS), self._compared)

    def _info(self, dataset: str, opened: Mapping[str, str]) -> DatasetInfo | None:
        about = self._about_of(dataset)
        return None if about is None else info_of(dataset, about, opened.get(dataset))

    def _about_of(self, dataset: str | None) -> dict[str, Any] | None:
        """Description of a data set; None if it is missing or damaged."""
        if not dataset or dataset.startswith(".") or set(dataset) & set("/\\\0"):
            return None
        folder = self._folder(dataset)
        return self._remembered(folder.path / ABOUT, folder.about)

    def _about(self, info: DatasetInfo) -> dict[str, Any]:
        about = self._about_of(info.id)
        if about is None:
            problem = self.problem_of(info.id)
            raise WorkspaceError(problem or f"{info.name} was deleted in another tab meanwhile.")
        return about

    def problem_of(self, dataset: str) -> str:
        """Why the folder of a data set cannot be used; empty if it can, or if there is none."""
        path = self.folder / dataset
        if self._about_of(dataset) is not None or path not in self._folders():
            return ""
        try:
            DataFolder(path).about()
        except WorkspaceError as error:
            return _not_shown(path, error)
        return ""

    def _remembered(self, path: Path, read: Callable[[], dict[str, Any]]) -> dict[str, Any] | None:
        """Content of a file, read again after changes; None if it is missing or damaged."""
        try:
            there = path.lstat()
        except OSError:
            return None
        mark = there.st_mtime_ns, there.st_size, there.st_ino
        described = self._described.get(path)
        if described is not None and described[0] == mark:
            return described[1]
        try:
            content = read()
        except WorkspaceError as error:
            content = None
            if path.name == ABOUT and not any(path.parent.name in note for note in self.notes):
                self.notes.append(_not_shown(path.parent, error))
        self._described.keep(path, (mark, content))
        return content

    def _opened(self) -> dict[str, str]:
        path = self.folder / OPENED

        def read() -> dict[str, str]:
            try:
                times = json_of(content_of(path))
                return {name: at for name, at in times.items() if _moment(at) is not None}
            except (OSError, ValueError, AttributeError, RecursionError):
                return {}

        return self._remembered(path, read) or {}

    def _note_opened(self, dataset: str, now: str) -> None:
        with self._changes:
            there = {path.name for path in self._folders()}
            times = {name: at for name, at in self._opened().items() if name in there}
            if dataset in there:
                with whole_file(self.folder / OPENED, sync=False) as file:
                    file.write(json.dumps({**times, dataset: now}, indent=1).encode())

    @contextmanager
    def _drafting(self, dataset: str) -> Iterator[Draft]:
        """What a change will keep: nothing is computed or written under the lock for changes."""
        with self.explaining(writing=True):
            if self._about_of(dataset) is None:
                raise WorkspaceError(
                    self.problem_of(dataset)
                    or "The data set was deleted in another tab meanwhile."
                )
            with self._folder(dataset).draft() as draft:
                yield draft

    @contextmanager
    def _changing(self, dataset: str) -> Iterator[FolderChange | None]:
        """A change of a data set, under its lock; None if it is gone."""
        with self.explaining(writing=True), self._changes:
            about = self._about_of(dataset)
            if about is None and (problem := self.problem_of(dataset)):
                raise WorkspaceError(problem)
            if about is None:
                yield None
                return
            with self._folder(dataset).changing(about) as change:
                yield change
            self.trash.take(change.released)

    @contextmanager
    def explaining(self, *, writing: bool = False) -> Iterator[None]:
        """Turn errors of the disk into a sentence, and log them."""
        if writing and self.read_only:
            raise WorkspaceError(self.read_only)
        try:
            if writing:
                free(self.folder)  # raises an error where the folder is gone
            yield
        except WorkspaceError:  # a damaged picture is also an OSError
            raise
        except OSError as error:
            log.info("the workspace could not be used", exc_info=True)
            raise WorkspaceError(words_for(error)) from error

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Look up each list once, unless something changes: pages ask for the same ones often."""
        token = _snapshot.set({})
        try:
            yield
        finally:
            _snapshot.reset(token)

    def _looked_up(self, what: str, dataset: str | None, look: Callable[[], list[Any]]) -> list:
        """A list of what a data set has, from the snapshot if it is there."""
        seen, number, key = _snapshot.get(), self._changes.number, (self.folder, what, dataset)
        if seen is None:
            return look()
        if key not in seen or seen[key][0] != number:
            seen[key] = number, look()
        return seen[key][1]

    # Sessions ------------------------------------------------------------------------------

    def session(self, session_id: str) -> dict[str, Any] | None:
        if not SESSION.fullmatch(session_id):
            return None
        with suppress(OSError, ValueError):  # a damaged one begins again
            state = json_of(content_of(self.folder / SESSIONS / f"{session_id}.json"))
            return state if isinstance(state, dict) else None
        return None

    def latest_session(self, browser: str) -> str:
        """The session that a browser saved last; empty where there is none."""
        files = []
        for path in (self.folder / SESSIONS).glob("*.json"):
            with suppress(OSError):  # it may have just gone
                files.append((path.stat().st_mtime, path.stem))
        for _, name in sorted(files, reverse=True)[:_LOOKED_AT]:
            state = self.session(name)
            if state is not None and state.get("browser") == browser:
                return name
        return ""

    def save_session(self, session_id: str, state: dict[str, Any]) -> None:
        """Keep the state of a browser session, if the disk allows."""
        path = self.folder / SESSIONS / f"{session_id}.json"
        with suppress(WorkspaceError), self.explaining(writing=True):
            path.parent.mkdir(exist_ok=True)
            with whole_file(path, sync=False) as file:
                file.write(json.dumps(state).encode())


def _is_data_set(path: Path) -> bool:
    if path.name.startswith(".") or path.name in OWN or PARTIAL.fullmatch(path.name):
        return False
    return any(is_there(path / name) for name in (ABOUT, BEFORE, "answers.parquet"))


def _not_shown(path: Path, error: Exception) -> str:
    before = (
        f" {BEFORE} beside it is the version before the last change: it can take its name."
        if is_there(path / ABOUT) and is_there(path / BEFORE) else ""
    )
    return f"The data set in {path.name} is not shown. {error}{before}"


def _moment(text: object) -> datetime | None:
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except (TypeError, ValueError, OverflowError):
        return None


def now() -> datetime:
    return datetime.now(UTC)


def news_since(folder: Path, *, is_used: bool) -> tuple[str, ...]:
    """Three sentences if another version used the workspace, with any data set, last."""
    path = folder / VERSION
    with suppress(OSError, ValueError):
        if content_of(path) == tripletscope.__version__.encode():
            return ()
    # If this fails, the news comes once more.
    with suppress(OSError), whole_file(path, sync=False) as file:
        file.write(tripletscope.__version__.encode())
    return _NEWS if is_used else ()
