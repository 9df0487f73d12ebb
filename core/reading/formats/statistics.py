"""Tables of SPSS, Stata, SAS and R -> columns of texts or numbers.

The libraries that read them may end their process on a wrong byte, or take for ever, so they run in
a process of their own: that of `isolated`, or one that is isolated itself.
"""

from __future__ import annotations

import ctypes
import os
import re
from contextlib import suppress
from encodings.aliases import aliases
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from tripletscope.core.data.errors import DataError
from tripletscope.core.reading.formats.archive import damaged

if TYPE_CHECKING:
    from tripletscope.core.reading.formats.variables import StatisticsTable

#: Beginnings of R's files: of workspaces, and of single objects.
_R = re.compile(
    rb"RD[XB][23]\n|X\n\x00{3}[\x02\x03]|B\n([\x02\x03]\x00{3}|\x00{3}[\x02\x03])"
    rb"|(RDA[23]\n)?A\r?\n[23]\r?\n\d{6}\r?\n\d{6}\r?\n"
)
#: Bytes that show whether a packed file is one of R.
R_STARTS = 32
#: Beginnings of the others, by program as of `readstat`.
_STARTS = {
    "SPSS": re.compile(rb"\$FL[23]"),
    "SPSS portable": re.compile(rb"(?s)(?=.{0,200}SPSS PORT FILE)(?=.{400,600}SPSSPORT)"),
    "Stata": re.compile(rb"(?s)<stata_dta>|[\x69\x6c\x6e-\x73][\x01\x02]\x01\x00"),
    "SAS": re.compile(rb"(?s)\x00{12}\xc2\xea\x81\x60\xb3\x14\x11\xcf\xbd\x92\x08\x00"),
    "SAS transport": re.compile(rb"HEADER RECORD\*{7}(LIBRARY|LIBV8  ) HEADER RECORD"),
    "R": _R,
}


def program_of(data: bytes) -> str | None:
    """The program of an unpacked file; None if it is of none of these."""
    return next((program for program, start in _STARTS.items() if start.match(data)), None)


def is_r(data: bytes) -> bool:
    return _R.match(data) is not None


def prepare() -> None:
    """Load what reading may need, in a process that can open no file later."""
    for library in ("readstat", "r"):
        import_module(f"tripletscope.core.reading.formats.{library}")
    for encoding in set(aliases.values()):
        with suppress(ImportError):  # Windows has one of its own
            import_module(f"encodings.{encoding}")
        _hold(encoding.replace("_", "-").upper())


def _hold(encoding: str) -> None:
    """Keep the system's converter of an encoding loaded, which it reads from a file."""
    if os.name == "nt":  # they are in the libraries there
        return
    with suppress(AttributeError):  # of another name, and in the library
        opened = ctypes.CDLL(None).iconv_open
        opened.restype = ctypes.c_void_p
        opened(b"UTF-8", encoding.encode())


def read_statistics(data: bytes, program: str, name: str) -> StatisticsTable:
    """The table of a file, read in this process."""
    if program == "R":
        from tripletscope.core.reading.formats.r import read_r as read
    else:
        from tripletscope.core.reading.formats.readstat import read_labelled

        read = partial(read_labelled, program=program)
    try:
        return read(data, name=name)
    except DataError as error:
        raise error.at(name) from error
    except MemoryError:
        raise
    except Exception as error:
        # Damaged files raise errors of any type.
        raise damaged(f"the file of {program}", name) from error
