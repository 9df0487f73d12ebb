"""What a computation may do to the process that it runs in."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
import time

import numpy as np
from joblib.parallel import get_active_backend

from tests.waiting import becomes
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.pieces import EngineError
from tripletscope.core.engine.progress import Progress


def crash(progress: Progress) -> None:
    ctypes.string_at(0)


def leave(progress: Progress) -> None:
    os._exit(0)


def memory(progress: Progress) -> None:
    kept = []
    while True:
        kept.append(np.ones(2**26, dtype=np.uint8))
        progress(0.1)


def hold_the_interpreter(progress: Progress) -> None:
    """As compiled code does that does not let other threads by."""
    progress(0.1)
    ctypes.PyDLL(None).sleep(3600)


def count_for_long(progress: Progress) -> int:
    """Pure Python at work, which tells nobody and asks nobody."""
    progress(0.1)
    number = 0
    while True:
        number += 1


def until_stopped(progress: Progress) -> str:
    while not progress(0.5):
        time.sleep(0.01)
    return "what there is"


def losses(n: int, progress: Progress) -> None:
    for k in range(n):
        progress(k / n, loss=float(n - k), snapshot=np.full((3, 2), n - k), start=k % 2)


def in_two_threads(progress: Progress) -> None:
    threads = [
        threading.Thread(target=lambda s=start: [
            progress(0.1, loss=float(-k), start=s) for k in range(500)
        ], daemon=True) for start in (0, 1)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def about(answers: Triplets, again: Triplets, progress: Progress) -> tuple[str, bool, bool, int]:
    """Also whether code that was compiled for such arrays fits."""
    rows = answers.rows
    return answers.fingerprint, answers is again, rows.flags.writeable, rows.ctypes.data % 16


def process(progress: Progress) -> int:
    return os.getpid()


def priority(awaited: int, progress: Progress) -> int:
    """Once it is what is waited for, or after some minutes."""
    def found() -> int:
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    becomes(lambda: found() == awaited)
    return found()


def fail(kind: str, progress: Progress) -> None:
    raise {
        "data": DataError("is wrong", file="a.csv", remedy="Mend it."),
        "value": ValueError("share is 2."), "bug": ZeroDivisionError("secret"),
        "exit": SystemExit("secret"), "engine": EngineError("It has no workers."),
    }[kind]


def not_to_be_sent(progress: Progress) -> object:
    return lambda: None


def engine(progress: Progress) -> tuple[str, int]:
    backend, number = get_active_backend()
    return type(backend).__name__, number


def echo(value: object, progress: Progress) -> object:
    return value


def prints(progress: Progress) -> int:
    print("disturbing", flush=True)
    sys.stdout.write("x" * 10_000)
    return 1
