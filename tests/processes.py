"""Processes of a machine that others use, too: what was there a moment ago may be gone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import psutil

from tests.waiting import becomes


def started_by(pid: int | None = None) -> set[psutil.Process]:
    """The processes that one has started, this one by default, and those that these have."""
    with suppress(psutil.NoSuchProcess):
        return set(psutil.Process(pid).children(recursive=True))
    return set()


def named(part: str, processes: Iterable[psutil.Process]) -> list[psutil.Process]:
    """Those with something in their name."""
    def is_named(process: psutil.Process) -> bool:
        with suppress(psutil.NoSuchProcess):
            return part in process.name().lower()
        return False

    return [process for process in processes if is_named(process)]


def kill(*processes: int | psutil.Process) -> None:
    """End processes by force, those that there still are."""
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            (psutil.Process(process) if isinstance(process, int) else process).kill()


def stop(*processes: psutil.Process) -> None:
    """Let those that there still are stand still, as one that swaps, or waits for a lost lock."""
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            process.suspend()


def has_ended(*processes: int | psutil.Process) -> bool:
    """Whether processes end, also if nobody has asked yet how they did."""
    return becomes(lambda: not any(map(runs, processes)))


def runs(process: int | psutil.Process) -> bool:
    """Whether it has not ended; who asks for the ends of orphans is up to the system."""
    with suppress(psutil.NoSuchProcess):
        found = psutil.Process(process) if isinstance(process, int) else process
        return found.is_running() and found.status() != psutil.STATUS_ZOMBIE
    return False


def masks_of(processes: Iterable[psutil.Process]) -> Iterator[str]:
    """Rights that Linux keeps from the files of those that there still are."""
    for process in processes:
        with suppress(OSError):
            lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
            yield from (line.split()[1] for line in lines if line.startswith("Umask:"))


def listening(port: int | None = None, pid: int | None = None) -> list[str]:
    """Addresses on which a process listens, or anybody on a port."""
    of = psutil.Process(pid) if pid else psutil
    return [
        one.laddr.ip for one in of.net_connections("tcp")
        if one.status == psutil.CONN_LISTEN and port in (None, one.laddr.port)
    ]
