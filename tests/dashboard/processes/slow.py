"""A process that takes long to get ready."""

import time
from collections.abc import Iterator

from tests.dashboard.working.quick import begin, pack, unpack

__all__ = ["begin", "get_ready", "pack", "unpack"]


def get_ready() -> Iterator[None]:
    time.sleep(60)
    yield
