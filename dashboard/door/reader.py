"""What a process that reads files does, as `tripletscope.dashboard.processes.program` runs it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from tripletscope.core.data.errors import DataError
from tripletscope.core.engine.progress import Stopped
from tripletscope.dashboard.door import limits, plain, questions
from tripletscope.dashboard.processes.program import Message, Send


def get_ready() -> Iterator[None]:
    """All in one part: afterwards no file can be opened."""
    questions.get_ready()
    yield


def begin() -> Callable[[Message, Send, threading.Event], None]:
    """Shut this process in."""
    limits.shut_in()
    return partial(_answer, questions.Answering())


pack, unpack = plain.parts, plain.unpack


def _answer(
    answering: questions.Answering, message: Message, send: Send, stop: threading.Event
) -> None:
    number, last = message["id"], -1.0

    def progress(fraction: float, **details: Any) -> bool:
        nonlocal last
        if fraction - last >= 0.01:
            last = fraction
            send({"id": number, "report": float(fraction)})
        return stop.is_set()

    limits.allow()
    try:
        reply = {"done": answering.answer(
            message["do"], message["given"], message["files"], progress
        )}
    except questions.Missing as missing:
        reply = {"missing": missing.keys}
    except Stopped:
        reply = {"stopped": True}
    except MemoryError:
        reply = {"memory": True}
    except DataError as error:
        reply = {"failed": {
            "kind": type(error).__name__, "problem": error.problem, "file": error.file,
            "row": error.row, "remedy": error.remedy,
        }}
    except Exception as error:
        reply = {"broken": f"{type(error).__name__}: {error}"[:2000]}
    try:
        send({"id": number, **reply})
    except MemoryError:
        send({"id": number, "memory": True})
