"""What can be wrong with a workspace and its files."""

from __future__ import annotations


class WorkspaceError(Exception):
    """The workspace cannot be used; the message has the reason and the remedy."""


class DamagedFile(WorkspaceError):
    """A file of the workspace is missing or differs from its sum."""


class DamagedResult(DamagedFile):
    """As `DamagedFile`, of a result; it is not listed any more."""


class DamagedPicture(DamagedFile, FileNotFoundError):
    """As `DamagedFile`, of a picture."""
