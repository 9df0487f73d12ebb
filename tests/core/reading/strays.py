"""A reader of statistics files that does what its file says; see test_isolated."""

import ctypes
import os
import sys
import time

import numpy as np
import pyarrow as pa

from tripletscope.core.data.errors import DataError
from tripletscope.core.reading.formats import reader, statistics
from tripletscope.core.reading.formats.variables import StatisticsTable

_asked: list[str] = []


def abort() -> None:
    os.abort()


def crash() -> None:
    ctypes.string_at(0)


def end() -> None:
    os._exit(0)


def abort_if_used() -> None:
    if len(_asked) > 1:
        os.abort()


def forever() -> None:
    while True:
        time.sleep(0.01)


def hold() -> None:
    ctypes.PyDLL(None).sleep(1000)


def memory() -> None:
    kept = []
    while sum(map(len, kept)) < 10 * 2**30:
        kept.append(np.empty(2**28, dtype=np.uint8))


def chatter() -> None:
    print("a library prints")
    os.write(1, b"and so does its code in C")
    sys.stdout.flush()


def refuse() -> None:
    raise DataError("it is not to be read", remedy="Read another.")


def lack() -> None:
    raise ImportError("No module named 'rdata'")


def do(data: bytes, program: str, name: str) -> StatisticsTable:
    """What the file names; the columns say how many files the process has read."""
    _asked.append(name)
    what = data.decode().split()[-1]
    if what in globals():
        globals()[what]()
    return StatisticsTable(pa.table({"n": [len(_asked)], "pid": [os.getpid()]}), [program], [])


if __name__ == "__main__":
    statistics.read_statistics = do
    reader._GRACE = 0.5
    reader.main()
