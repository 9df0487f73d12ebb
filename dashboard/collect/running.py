"""Starts, finds and stops servers of experiments, which outlive the dashboard."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import signal
import subprocess
import sys
import time
import urllib.request
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import tripletscope
from tripletscope.dashboard.files.contents import content_of, json_of

#: In the folder of an experiment: address of its server, and output of the last one.
FILE, PRINTED = "server.json", "server.txt"
#: Seconds for a server to start, to end, and to answer.
_START, _END, _SAY = 30.0, 15.0, 2.0
_ROOT = str(Path(tripletscope.__file__).resolve().parent.parent)


class NotStarted(Exception):
    """A server could not be started or stopped."""


@dataclass(frozen=True)
class RunningServer:
    """A server of an experiment.

    instance: Random, as ``/health`` says it: another program may have its port by now.
    folder: Of the experiment: a copy with this file in it is another experiment.
    """

    address: str
    process: int
    instance: str
    folder: str


def announce(folder: Path, address: str, instance: str) -> None:
    """Write where this process serves an experiment."""
    about = RunningServer(address, os.getpid(), instance, str(folder.resolve()))
    draft = folder / f"{FILE}.{secrets.token_hex(4)}"
    with contextlib.suppress(OSError):  # it serves also while the disk is full
        draft.write_text(json.dumps(asdict(about)), encoding="utf-8")
        draft.replace(folder / FILE)


def announced(folder: Path) -> RunningServer | None:
    """The last server of an experiment that was not stopped by the dashboard."""
    try:
        server = RunningServer(**json_of(content_of(folder / FILE)))
    except (OSError, ValueError, TypeError):
        return None
    return server if server.folder == str(folder.resolve()) else None


def running(folder: Path) -> RunningServer | None:
    """The server of an experiment, if one answers."""
    server = announced(folder)
    if server is None:
        return None
    try:
        address = f"{_of_this_machine(server.address)}health"
        with urllib.request.urlopen(address, timeout=_SAY) as response:
            health = json.loads(response.read(1000))
    except (OSError, ValueError, TypeError):
        return None
    return server if health == {"instance": server.instance} else None


def start(folder: Path, port: int = 0, host: str = "127.0.0.1") -> RunningServer:
    """Serve an experiment, unless a server runs; returns when it answers (port 0: any)."""
    server = running(folder)
    if server is not None:
        return server
    with (folder / PRINTED).open("w", encoding="utf-8") as printed:
        process = subprocess.Popen(
            [sys.executable, "-m", "tripletscope", "collect", str(folder), "--port", str(port),
             "--host", host],
            stdin=subprocess.DEVNULL, stdout=printed, stderr=subprocess.STDOUT,
            start_new_session=True,  # it outlives this process
            env={**os.environ, "PYTHONPATH": os.pathsep.join(
                [_ROOT, *filter(None, [os.environ.get("PYTHONPATH")])]
            )},
        )
    until = time.monotonic() + _START
    while time.monotonic() < until:
        server = running(folder)
        if server is not None and server.process == process.pid:
            return server
        if process.poll() is not None:
            break
        time.sleep(0.05)
    else:
        process.kill()
        process.wait()
    output = (folder / PRINTED).read_text(encoding="utf-8", errors="replace").strip()
    raise NotStarted(output or "The server of the experiment did not start.")


def stop(folder: Path) -> None:
    """End the server of an experiment, if there is one; it keeps answers under way first."""
    server = running(folder)
    if server is None:
        return
    with contextlib.suppress(ProcessLookupError):
        os.kill(server.process, signal.SIGTERM)
    until = time.monotonic() + _END
    while time.monotonic() < until:
        with contextlib.suppress(OSError, AttributeError):
            os.waitpid(server.process, os.WNOHANG)  # it may be a child of this process
        if running(folder) is None:
            return
        time.sleep(0.05)
    raise NotStarted(f"The server of the experiment, process {server.process}, does not end.")


def _of_this_machine(address: str) -> str:
    """The address of a server for this machine, also of one that serves all addresses."""
    place = urlsplit(address)
    every = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}
    if place.hostname not in every:
        return address
    return urlunsplit(place._replace(netloc=f"{every[place.hostname]}:{place.port}"))
