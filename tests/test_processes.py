"""What has ended between two lines of a test is no error; a free port stays so until it is used."""

from __future__ import annotations

import socket
import subprocess
import sys

import psutil
import pytest

from tests import processes
from tests.ports import free_port, taken_port


@pytest.mark.parametrize("is_asked", [False, True])
def test_who_has_ended_has_no_name_no_children_and_no_second_end(is_asked):
    """Whether or not somebody has asked yet how it ended."""
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    known = psutil.Process(process.pid)
    assert known in processes.started_by()
    assert processes.named("python", [known]) == [known]
    process.stdin.close()
    if is_asked:
        process.wait()
    assert processes.has_ended(known, known.pid)
    assert not processes.runs(known)
    assert processes.started_by(known.pid) == set()
    processes.kill(known, known.pid)
    process.wait()
    assert processes.named("python", [known]) == []
    assert list(processes.masks_of([known])) == []


@pytest.mark.skipif(sys.platform != "linux", reason="a port cannot be kept elsewhere")
def test_a_free_port_is_given_to_who_asks_for_it_alone():
    port = free_port()
    with socket.create_server(("127.0.0.1", port)):  # as servers do, it takes a port again
        assert processes.listening(port) == ["127.0.0.1"]
    with socket.socket() as other, pytest.raises(OSError, match="in use"):
        other.bind(("127.0.0.1", port))
    with socket.create_server(("127.0.0.1", port)):
        assert free_port() != port


def test_a_taken_port_is_not_given():
    with taken_port() as port, pytest.raises(OSError, match="in use"):
        socket.create_server(("127.0.0.1", port))
