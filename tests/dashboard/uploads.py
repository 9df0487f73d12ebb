"""Files that are uploaded."""

from __future__ import annotations

import io

from PIL import Image

from tests.core.io.test_hostile import GOOD
from tripletscope.dashboard import imports

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


def others(number: int) -> None:
    """Uploads of other sessions, which need a place in memory."""
    for k in range(number):
        imports.wait(f"other {k}", imports.Waiting.of([("pets.csv", GOOD)]))
