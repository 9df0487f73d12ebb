"""Workspace, jobs and uploads that all sessions of a server share."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

import platformdirs

from tripletscope.dashboard.files.errors import WorkspaceError
from tripletscope.dashboard.jobs.queue import Job, Jobs
from tripletscope.dashboard.store.uploads import Uploads
from tripletscope.dashboard.store.workspace import Workspace

#: Environment variable that names the folder of the workspace.
WORKSPACE_VARIABLE = "TRIPLETSCOPE_WORKSPACE"


_one_at_a_time = threading.Lock()
#: Opening a workspace may take long, and holds up no other one.
_opening: dict[Path, threading.Lock] = {}


class FigureSheet(list[Any]):
    """Panels of a sheet of figures, of megabytes each, that end with their session.

    shown_in: Streamlit's name of the browser tab.
    """

    shown_in: str = ""


@dataclass
class Services:
    workspace: Workspace
    uploads: Uploads
    jobs: Jobs = field(default_factory=Jobs)
    #: The last upload of each session: `tripletscope.dashboard.upload.ingest.Opening`.
    openings: dict[str, Any] = field(default_factory=dict)
    #: The sheet of figures of each session, which holds it.
    sheets: WeakValueDictionary[str, FigureSheet] = field(default_factory=WeakValueDictionary)

    def job(self, name: str) -> Job | None:
        """A job of this workspace; None if it is forgotten."""
        job = self.jobs.get(name)
        return job if job is not None and job.context.get(_folder) == _folder.get() else None

    def close(self) -> None:
        self.jobs.shutdown()
        self.workspace.close()


def workspace_folder() -> Path:
    folder = os.environ.get(WORKSPACE_VARIABLE)
    return Path(folder) if folder else platformdirs.user_data_path("tripletscope", appauthor=False)


# Where people have workspaces of their own ------------------------------------------------------

_folder: ContextVar[Path | None] = ContextVar("folder", default=None)
_folder_of_script: Callable[[], Path | None] | None = None


def work_in(folder: Path) -> None:
    """Set the workspace of this thread or task, and of those that it starts."""
    _folder.set(folder)


def for_people(folder_of_script: Callable[[], Path | None]) -> None:
    """Give people who sign in a workspace of their own, and others none.

    folder_of_script: The workspace for the page that runs in this thread; None without one.
    """
    global _folder_of_script
    _folder_of_script = folder_of_script


def is_shared() -> bool:
    """Whether people sign in, each with a workspace."""
    return _folder_of_script is not None


def services() -> Services:
    """The services of this process, or of the person for whom this thread or task works."""
    if _folder_of_script is None:
        folder = workspace_folder()
    else:
        folder = _folder_of_script() or _folder.get()
        if folder is None:
            raise WorkspaceError("Nobody is signed in")
        _folder.set(folder)  # jobs that this page starts work there, too
    with _one_at_a_time:
        opening, jobs = _opening.setdefault(folder, threading.Lock()), _jobs()
    with opening:
        return _services(folder, jobs)


def close_all() -> None:
    while _opened:
        _opened.pop().close()


_opened: list[Services] = []
_jobs = cache(Jobs)


@cache
def _services(folder: Path, jobs: Jobs) -> Services:
    workspace = Workspace(folder)
    uploads = Uploads(workspace.folder / "uploads", workspace.trash)
    _opened.append(Services(workspace, uploads, jobs))
    return _opened[-1]
