"""News for a workspace that another version used last."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import tripletscope
from tripletscope.dashboard.files.contents import content_of
from tripletscope.dashboard.files.storage import whole_file

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
