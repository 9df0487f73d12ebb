"""Where processes of jobs come from. Loads next to nothing: they get ready beside the server."""

from __future__ import annotations

from functools import cache

from tripletscope.dashboard.processes.starting import Kind, Supply

WORKERS = Kind(
    "tripletscope.dashboard.working.worker", {"MALLOC_ARENA_MAX": "4"}, quiet=False
)


@cache
def source() -> Supply:
    """That of this server."""
    return Supply(WORKERS)
