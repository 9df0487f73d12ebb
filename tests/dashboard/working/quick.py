"""A process of jobs that is ready at once, because nothing is compiled ahead."""

from collections.abc import Iterator

from tripletscope.dashboard.working.worker import begin, pack, unpack

__all__ = ["begin", "get_ready", "pack", "unpack"]


def get_ready() -> Iterator[None]:
    yield
