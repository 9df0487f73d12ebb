"""Waiting for what happens sooner or later."""

from __future__ import annotations

import time
from collections.abc import Callable

#: Seconds until something that should happen has failed to; a machine may be busy.
PATIENCE = 300.0


def becomes(condition: Callable[[], object]) -> bool:
    """Whether something comes to be the case."""
    until = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True
