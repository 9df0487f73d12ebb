"""Files that pages read, in another process, with progress."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.progress import Stopped
from tripletscope.core.reading import RatingsFile
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.upload.waiting_upload import ask_aside

_NONE = np.zeros(0, dtype=int)


def read_file(
    session: Session, key: str, file: Any, what: str, *, words: str = "Reading",
    **triplets: Triplets,
) -> Any:
    """Content of an uploaded file; read once, however often the page runs.

    what: One of `tripletscope.dashboard.sandbox.questions.OF_FILES`.
    **triplets: Those whose objects the file is about, passed on without answers.
    """
    return _read(
        session, key, file.file_id, file.name, what, words=words,
        arguments=lambda: {"name": file.name, "content": file.getvalue(),
                           **{of: value.take(_NONE) for of, value in triplets.items()}},
        about=[(value.ids, value.labels) for value in triplets.values()],
    )


def read_pictures(session: Session, key: str, files: list[Any]) -> tuple[dict[str, bytes], list]:
    """Pictures in uploaded files, by name, and what was shrunk or left out."""
    return _read(
        session, key, [file.file_id for file in files], "the pictures", "pictures",
        words="Reading the pictures",
        arguments=lambda: {"files": [(file.name, file.getvalue()) for file in files]},
    )


def read_measured(
    session: Session, key: str, files: list[Any], kind: str | None, options: Mapping[str, Any]
) -> RatingsFile:
    """Ratings, confusions, piles or arrangements in uploaded files.

    kind: By default detected from the columns, see `tripletscope.core.reading.read_measured`.
    """
    return _read(
        session, key, [file.file_id for file in files], files[0].name, "measured", words="Reading",
        arguments=lambda: {"files": [(file.name, file.getvalue()) for file in files],
                           "kind": kind, "options": dict(options)},
        about=(kind, dict(options)),
    )


def _read(
    session: Session, key: str, which: Any, name: str, what: str, *, words: str,
    arguments: Callable[[], dict[str, Any]], about: Any = None,
) -> Any:
    question = which, about
    if session.read.get(key, (None,))[0] != question:
        try:
            with panels.reporting(words) as progress:
                content = ask_aside(what, name, progress=progress, **arguments())
        except DataError as error:
            content = error
        except Stopped:
            content = DataError("reading was stopped", file=name, remedy="Upload it once more.")
        session.read[key] = question, content
    content = session.read[key][1]
    if isinstance(content, DataError):
        raise content
    return content
