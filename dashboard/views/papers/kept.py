"""What was rebuilt of papers in a workspace: a file for each item, in short and in full."""

from __future__ import annotations

import logging
import secrets
from pathlib import Path

from tripletscope.dashboard.keeping.dataset import WorkspaceError
from tripletscope.dashboard.keeping.opened import words_for
from tripletscope.dashboard.views.papers.drawings import is_drawable
from tripletscope.reproductions.outcome import Outcome

log = logging.getLogger(__name__)


def keep_outcome(workspace: Path, outcome: Outcome) -> None:
    """Keep an outcome; it takes the place of an earlier one."""
    path = _path(workspace, outcome.item, outcome.quick)
    # Two who rebuild the same item at once do not write into one another's file.
    partial = path.with_suffix(f".{secrets.token_hex(4)}.part")
    try:
        path.parent.mkdir(exist_ok=True)
        partial.write_text(outcome.text(), "utf-8")
        partial.replace(path)
    except OSError as error:
        raise WorkspaceError(words_for(error)) from error


def kept_outcome(workspace: Path, item: str, quick: bool) -> Outcome | None:
    """What is kept of an item; None if there is nothing, or nothing that can be read."""
    try:
        outcome = Outcome.of(_path(workspace, item, quick).read_text("utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, LookupError, ValueError, TypeError):
        log.warning("what was rebuilt of %s cannot be read", item, exc_info=True)
        return None
    return outcome if is_drawable(outcome) else None


def _path(workspace: Path, item: str, quick: bool) -> Path:
    return workspace / "papers" / f"{item}.{'quick' if quick else 'full'}.json"
