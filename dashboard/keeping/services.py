"""What all sessions of a server share."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import platformdirs

from tripletscope.dashboard.keeping.jobs import Job, Jobs
from tripletscope.dashboard.keeping.uploads import Uploads
from tripletscope.dashboard.keeping.workspace import Workspace

#: Environment variable that names the folder of the workspace.
WORKSPACE_VARIABLE = "TRIPLETSCOPE_WORKSPACE"


_one_at_a_time = threading.Lock()


@dataclass
class Services:
    """The workspace, the running jobs, and uploads that wait for a decision."""

    workspace: Workspace
    uploads: Uploads
    jobs: Jobs = field(default_factory=Jobs)
    #: Jobs that compare readings of an upload, by its id and what they are about: an upload may
    #: leave the memory and come back, and must not be compared anew each time.
    directions: dict[str, dict[str, Job]] = field(default_factory=dict)

    def close(self) -> None:
        self.jobs.shutdown()
        self.workspace.close()


def workspace_folder() -> Path:
    """Folder of the workspace: what was asked for, or the user's data directory."""
    asked = os.environ.get(WORKSPACE_VARIABLE)
    return Path(asked) if asked else platformdirs.user_data_path("tripletscope", appauthor=False)


def services() -> Services:
    """The services of this process.

    Raises
    ------
    WorkspaceError
        If the workspace cannot be used.
    """
    with _one_at_a_time:
        return _services()


@cache
def _services() -> Services:
    workspace = Workspace(workspace_folder())
    return Services(workspace, Uploads(workspace.folder / "uploads", workspace.trash))
