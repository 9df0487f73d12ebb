"""Rights that a process gives up for good before it reads uploads.

================  ================================  =====================  =======================
                  Linux                             macOS                  Windows
================  ================================  =====================  =======================
other files       no call that names one; no new    no new descriptor      nothing; the process
                  descriptor                                               has no path to open
other processes   no call that makes, ends, stops,  no new one             nothing
                  reads or writes one
network           no call                           no new descriptor      nothing
memory            address space                     not enforced by the    nothing; the server
                                                    system                 counts time alone
time              processor seconds, wall clock     processor seconds,     wall clock
                                                    wall clock
rights            no new ones, no capabilities      those of the user      those of the user
core dumps        none                              none                   none
================  ================================  =====================  =======================

`tripletscope.dashboard.sandbox.seccomp` filters system calls on x86-64 and 64-bit ARM; other
machines with Linux only refuse new descriptors. The server watches the wall clock (`workers`).
"""

from __future__ import annotations

import ctypes
import struct
import sys

from tripletscope.core.reading.formats.reader import MEMORY, address_space, limit
from tripletscope.dashboard.sandbox.seccomp import restrict_calls

try:
    import resource
except ImportError:  # Windows
    resource = None

#: Seconds of processor time for one request, and for all of a process.
PROCESSOR, ALTOGETHER = 900, 4 * 3600

_NO_NEW_PRIVILEGES, _DROP_FROM_SET, _DUMPABLE = 38, 24, 4  # of prctl
_VERSION = 0x20080522  # of capset


def shut_in() -> None:
    """Give them up; all imports come before."""
    if resource is not None:
        for what, most in (
            (resource.RLIMIT_CORE, 0), (resource.RLIMIT_FSIZE, 0),
            (getattr(resource, "RLIMIT_AS", None), address_space() + MEMORY),
            (resource.RLIMIT_NOFILE, 1),  # none is free; poll needs one
        ):
            if what is not None:
                limit(what, most, most)
        if sys.platform == "darwin":  # Linux counts threads, too
            limit(resource.RLIMIT_NPROC, 0, 0)
        allow()
    if sys.platform == "linux":
        _drop_rights()
        restrict_calls()


def hide_memory() -> None:
    """Keep other processes of this account from reading, writing or tracing this one."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_DUMPABLE, 0, 0, 0, 0)


def allow() -> None:
    """Allow `PROCESSOR` for the next request."""
    if resource is None:
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    soft = int(used.ru_utime + used.ru_stime) + PROCESSOR
    limit(resource.RLIMIT_CPU, min(soft, ALTOGETHER), ALTOGETHER)


def _drop_rights() -> None:
    """Drop a superuser's capabilities, which could raise the limits, and ways to new ones."""
    system = ctypes.CDLL(None)
    system.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    for capability in range(64):
        system.prctl(_DROP_FROM_SET, capability, 0, 0, 0)
    system.capset(struct.pack("Ii", _VERSION, 0), bytes(24))
