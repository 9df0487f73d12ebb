"""What hostile files of several formats are made of."""

from __future__ import annotations

import zlib
from collections.abc import Callable

Files = dict[str, Callable[[], bytes]]

GOOD = b"anchor,near,far\na,b,c\nb,a,c\nc,a,b\n"


def bomb(content: bytes, times: int) -> bytes:
    """Packed data that unpacks to `content` many times."""
    pack = zlib.compressobj(9, zlib.DEFLATED, -15)
    return b"".join(pack.compress(content) for _ in range(times)) + pack.flush()
