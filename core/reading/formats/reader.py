"""A process that reads files of statistics programs, one after the other; see `isolated`.

It takes requests from its input, and answers on its output: columns in Arrow's format, or an error.
Both are plain data.
"""

from __future__ import annotations

import contextlib
import faulthandler
import json
import os
import struct
import sys
from pathlib import Path
from typing import BinaryIO

try:
    import resource
except ImportError:  # Windows
    resource = None

#: What a process says first, so that one that cannot start is not taken for a damaged file.
READY = {"ready": True}
_GRACE = 5.0  # seconds after which it ends by itself, where nobody is left to end it
#: Bytes of address space beyond the initial one, which Linux keeps to.
MEMORY = 4 * 2**30
_LENGTHS = struct.Struct("<QQ")


def send(stream: BinaryIO, head: dict, body: bytes) -> None:
    """Write a message."""
    packed = json.dumps(head).encode()
    stream.write(_LENGTHS.pack(len(packed), len(body)))
    stream.write(packed)
    stream.write(body)
    stream.flush()


def received(stream: BinaryIO) -> tuple[dict, bytes]:
    """A message; EOFError if there is none."""
    lengths = _taken(stream, _LENGTHS.size)
    n_head, n_body = _LENGTHS.unpack(lengths)
    return json.loads(_taken(stream, n_head)), _taken(stream, n_body)


def _taken(stream: BinaryIO, length: int) -> bytes:
    taken = stream.read(length)
    if len(taken) < length:
        raise EOFError
    return taken


def limit(what: int, soft: int, hard: int) -> None:
    """Set a limit of this process, unless the system's is lower."""
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(what, (soft, hard))


def address_space() -> int:
    """Bytes of address space in use; 0 where the system does not say."""
    with contextlib.suppress(OSError):
        return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    return 0


def main() -> None:
    """Answer until there are no more requests."""
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what libraries print is no answer
    if hasattr(resource, "RLIMIT_AS"):
        most = address_space() + MEMORY
        limit(resource.RLIMIT_AS, most, most)
        limit(resource.RLIMIT_CORE, 0, 0)
    with contextlib.suppress(EOFError, BrokenPipeError):
        send(answers, READY, b"")
        while True:
            head, data = received(requests)
            # Ends it also within a library's loop, which lets no other thread of Python run.
            faulthandler.dump_traceback_later(head.pop("patience") + _GRACE, exit=True)
            send(answers, *_answer(data, **head))
            faulthandler.cancel_dump_traceback_later()


def _answer(data: bytes, program: str, name: str) -> tuple[dict, bytes]:
    from tripletscope.core.data.errors import DataError
    from tripletscope.core.reading.formats.statistics import read_statistics
    from tripletscope.core.reading.formats.variables import as_bytes

    try:
        table = read_statistics(data, program, name)
        return {"notes": table.notes, "omitted": table.omitted}, as_bytes(table.columns)
    except DataError as error:
        return {"problem": error.problem, "remedy": error.remedy}, b""
    except MemoryError:
        return {"memory": True}, b""
    except ImportError as error:
        return {"missing": str(error)}, b""


if __name__ == "__main__":
    main()
