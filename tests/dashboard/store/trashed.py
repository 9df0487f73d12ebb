"""What waits in the trash."""

from __future__ import annotations

from pathlib import Path

from tripletscope.dashboard.store.workspace import Workspace


def trashed(workspace: Workspace, place: str) -> list[Path]:
    """Files that were at this place in the workspace."""
    return [path for path in workspace.trash.folder.glob(f"*/{place}") if path.is_file()]
