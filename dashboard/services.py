"""What all sessions of a server share."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import platformdirs

from dashboard.jobs import Jobs
from dashboard.workspace import Workspace

#: Environment variable that names the folder of the workspace.
WORKSPACE_VARIABLE = "TRIPLETSCOPE_WORKSPACE"


_one_at_a_time = threading.Lock()


@dataclass
class Services:
    """The workspace, the running jobs, and imports that wait for a decision."""

    workspace: Workspace
    jobs: Jobs = field(default_factory=Jobs)
    imports: dict[str, Any] = field(default_factory=dict)
    #: Names of the imports that had to make room for others, by session, until it is told.
    dropped: dict[str, str] = field(default_factory=dict)

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
    return Services(Workspace(workspace_folder()))
