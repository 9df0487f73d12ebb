"""Ports of a machine that others use, too."""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager

#: Sockets that keep ports for servers to come, for as long as this process runs.
_HELD: list[socket.socket] = []


def free_port() -> int:
    """A port that nobody else is given while this process runs, for a server that asks for it."""
    holder = socket.socket()
    holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    holder.bind(("127.0.0.1", 0))
    port = holder.getsockname()[1]
    if sys.platform == "linux":  # where a server may listen on what another socket only has
        _HELD.append(holder)
    else:
        holder.close()
    return port


@contextmanager
def taken_port() -> Iterator[int]:
    """A port on which somebody else listens."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        yield other.getsockname()[1]
