"""Memory limits of computations, and memory use of processes."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

try:
    import resource
except ImportError:  # Windows
    resource = None

#: Environment variable: gigabytes that a computation may take.
VARIABLE = "TRIPLETSCOPE_JOB_MEMORY"
#: Share of the machine's memory without it.
_SHARE = 0.5
#: Limits of containers.
_CONTAINERS = (
    Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)


def allowed() -> int | None:
    """Bytes that one computation may allocate; None where unknown."""
    setting = os.environ.get(VARIABLE)
    if setting:
        try:
            return int(float(setting) * 2**30)
        except (ValueError, OverflowError):
            raise ValueError(
                f"{VARIABLE} must be a number of gigabytes, not {setting!r}"
            ) from None
    machine = of_machine()
    return None if machine is None else int(_SHARE * machine)


def of_machine() -> int | None:
    """Bytes of the machine, or of its container; None where unknown."""
    try:
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # Windows
        return None
    for path in _CONTAINERS:
        with suppress(OSError, ValueError):  # "max" is no limit
            total = min(total, int(path.read_text()))
    return total


def limit(most: int | None) -> None:
    """Limit the memory of this process, without mapped files, shared pages and address space."""
    data = getattr(resource, "RLIMIT_DATA", None)
    if data is None or most is None:
        return
    _, hard = resource.getrlimit(data)
    with suppress(ValueError, OSError):  # the system's limit is lower
        resource.setrlimit(data, (most if hard < 0 else min(most, hard), hard))


def held() -> int:
    """Bytes that this process has for itself; 0 where unknown: only Linux says it."""
    with suppress(OSError, ValueError):
        resident, shared = Path("/proc/self/statm").read_text().split()[1:3]
        return (int(resident) - int(shared)) * os.sysconf("SC_PAGE_SIZE")
    return 0
