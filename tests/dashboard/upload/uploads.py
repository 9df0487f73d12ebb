"""Files that are uploaded."""

from __future__ import annotations

import io
from typing import Any

from PIL import Image

from tripletscope.core.engine.progress import silent
from tripletscope.dashboard.sandbox.workers import Worker, workers

PEOPLE = [
    (f"session_p{i}.csv", f"center,left,right,answer\ndog,cat,car,{x}\n".encode())
    for i, x in enumerate(["cat", "car", "cat"])
]
OTHERS = [("broken.csv", b"\x89PNG\r\n\x1a\n"), ("notes.csv", b"id,size,colour,age\na,1,red,2\n")]


def png(shade: int = 255) -> bytes:
    """A picture of a shade of red."""
    buffer = io.BytesIO()
    Image.new("RGB", (20, 10), (shade, 0, 0)).save(buffer, "PNG")
    return buffer.getvalue()


def asked(worker: Worker, what: str, name: str, content: bytes, **given: Any) -> Any:
    """What a process answers about one file, cut as it is by itself unless a `shape` is given."""
    given = {"shape": {}, "progress": silent, **given}
    return worker.ask(
        what, file=name, keys={"tables": str(hash((name, content)))},
        contents=lambda key: [(name, content)], **given,
    )


def forget() -> None:
    """Let the server forget whatever of uploads it can read again, as in a restart."""
    for upload in [*workers()._taken]:
        workers().dismiss(upload)
    workers()._answers.clear()
