"""System calls of a reader of files on Linux: to compute, and to use what is open.

A seccomp filter refuses all others for the process and all of its threads, for good: files, other
processes, the network, and calls of later kernels.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
import sys

#: Allowed calls, with their numbers on x86-64 and on 64-bit ARM, if any.
_ALLOWED: dict[str, tuple[int | None, int | None]] = {
    "read": (0, 63), "write": (1, 64), "readv": (19, 65), "writev": (20, 66), "close": (3, 57),
    "fstat": (5, 80), "lseek": (8, 62), "poll": (7, None), "ppoll": (271, 73),
    "select": (23, None), "pselect6": (270, 72),
    "mmap": (9, 222), "mprotect": (10, 226), "munmap": (11, 215), "brk": (12, 214),
    "mremap": (25, 216), "mincore": (27, 232), "madvise": (28, 233),
    "rt_sigaction": (13, 134), "rt_sigprocmask": (14, 135), "rt_sigreturn": (15, 139),
    "rt_sigtimedwait": (128, 137), "sigaltstack": (131, 132),
    "futex": (202, 98), "sched_yield": (24, 124), "sched_getaffinity": (204, 123),
    "set_tid_address": (218, 96), "set_robust_list": (273, 99), "get_robust_list": (274, 100),
    "rseq": (334, 293), "membarrier": (324, 283), "getcpu": (309, 168),
    "arch_prctl": (158, None), "restart_syscall": (219, 128),
    "getpid": (39, 172), "gettid": (186, 178), "getppid": (110, 173), "getuid": (102, 174),
    "geteuid": (107, 175), "getgid": (104, 176), "getegid": (108, 177), "uname": (63, 160),
    "sysinfo": (99, 179), "getrusage": (98, 165), "getrlimit": (97, 163), "setrlimit": (160, 164),
    "times": (100, 153), "getrandom": (318, 278), "gettimeofday": (96, 169),
    "clock_gettime": (228, 113), "clock_getres": (229, 114), "clock_nanosleep": (230, 115),
    "nanosleep": (35, 101), "exit": (60, 93), "exit_group": (231, 94),
}
#: clone, tgkill and prlimit64 for the process itself alone, and clone3 never.
_CLONE, _CLONE3, _SIGNAL, _LIMIT = (56, 220), (435, 435), (234, 131), (302, 261)
_THREAD = 0x10000  # of clone: no new process
#: The kernel's code of each of Python's machines, and the column above.
_MACHINES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
# Instructions of the filter, and its verdicts.
_LOAD, _IS, _HAS, _RETURN = 0x20, 0x15, 0x45, 0x06
_ALLOW, _REFUSE, _END = 0x7FFF0000, 0x00050000, 0x80000000
_NUMBER, _MACHINE, _FIRST = 0, 4, 16  # offsets in the kernel's seccomp_data
_SET_FILTER, _OF_PROGRAM = 22, 2  # of prctl

Instruction = tuple[int, int, int, int]


def restrict_calls() -> bool:
    """Refuse all other system calls; whether this system can.

    Requires that the process has given up new privileges and has one thread.
    """
    machine = _MACHINES.get(platform.machine())
    if sys.platform != "linux" or machine is None or sys.maxsize < 2**32:
        return False
    packed = b"".join(struct.pack("HBBI", *one) for one in _filter(*machine, os.getpid()))
    kept = ctypes.create_string_buffer(packed, len(packed))
    program = ctypes.create_string_buffer(
        struct.pack("HxxxxxxP", len(packed) // 8, ctypes.addressof(kept))
    )
    return ctypes.CDLL(None).prctl(_SET_FILTER, _OF_PROGRAM, program, 0, 0) == 0


def _filter(machine: int, column: int, process: int) -> list[Instruction]:
    """The filter of a process: checks the machine, then call after call."""

    def verdict(value: int) -> Instruction:
        return (_RETURN, 0, 0, value)

    refused = verdict(_REFUSE | errno.EPERM)
    instructions = [
        (_LOAD, 0, 0, _MACHINE), (_IS, 1, 0, machine), verdict(_END), (_LOAD, 0, 0, _NUMBER),
    ]
    for numbers in _ALLOWED.values():
        if numbers[column] is not None:
            instructions += [(_IS, 0, 1, numbers[column]), verdict(_ALLOW)]
    # Without clone3, the C library makes threads by clone, whose flags the filter can see.
    instructions += [(_IS, 0, 1, _CLONE3[column]), verdict(_REFUSE | errno.ENOSYS)]
    for numbers, test, value in (
        (_CLONE, _HAS, _THREAD), (_SIGNAL, _IS, process), (_LIMIT, _IS, 0),
    ):
        instructions += [
            (_IS, 0, 4, numbers[column]), (_LOAD, 0, 0, _FIRST), (test, 0, 1, value),
            verdict(_ALLOW), refused,
        ]
    return [*instructions, refused]
