"""Servers of experiments as programs of their own: started, found again, and stopped.

A server outlives whoever started it: participants go on when the dashboard is closed.
"""

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

#: In the folder of an experiment: where its server is, and what the last one printed.
FILE, PRINTED = "server.json", "server.txt"
#: Seconds for a server to start, to end, and to say that it is there.
_START, _END, _SAY = 30.0, 15.0, 2.0
_ROOT = str(Path(tripletscope.__file__).resolve().parent.parent)


class NotStarted(Exception):
    """A server could not be started, or stopped; the message says why."""


@dataclass(frozen=True)
class RunningServer:
    """A server of an experiment that answers.

    address: Where participants of this machine, and a proxy, find it.
    process: Its number for the system.
    instance: What it says of itself, so that no other program is taken for it.
    folder: What it serves: a copy of the folder, with this file in it, is another experiment.
    """

    address: str
    process: int
    instance: str
    folder: str


def announce(folder: Path, address: str, instance: str) -> None:
    """Let others know where the server of an experiment is; it calls this itself."""
    about = RunningServer(address, os.getpid(), instance, str(folder.resolve()))
    draft = folder / f"{FILE}.{secrets.token_hex(4)}"
    # On a full disk the server is there all the same.
    with contextlib.suppress(OSError):
        draft.write_text(json.dumps(asdict(about)), encoding="utf-8")
        draft.replace(folder / FILE)


def running(folder: Path) -> RunningServer | None:
    """The server of an experiment, if one answers."""
    try:
        about = RunningServer(**json.loads((folder / FILE).read_text(encoding="utf-8")))
        if about.folder != str(folder.resolve()):
            return None
        with urllib.request.urlopen(f"{_of_this_machine(about.address)}health", timeout=_SAY) as it:
            found = json.loads(it.read(1000))
    except (OSError, ValueError, TypeError):
        return None
    return about if found == {"instance": about.instance} else None


def start(folder: Path, port: int = 0, host: str = "127.0.0.1") -> RunningServer:
    """Serve an experiment, unless that is done already; returns when it answers.

    port: 0 for any that is free.
    host: Address of this machine to serve on.
    """
    found = running(folder)
    if found is not None:
        return found
    with (folder / PRINTED).open("w", encoding="utf-8") as printed:
        process = subprocess.Popen(
            [sys.executable, "-m", "tripletscope", "collect", str(folder), "--port", str(port),
             "--host", host],
            stdin=subprocess.DEVNULL, stdout=printed, stderr=subprocess.STDOUT,
            start_new_session=True,  # it goes on without whoever starts it
            env={**os.environ, "PYTHONPATH": os.pathsep.join(
                [_ROOT, *filter(None, [os.environ.get("PYTHONPATH")])]
            )},
        )
    until = time.monotonic() + _START
    while time.monotonic() < until:
        found = running(folder)
        if found is not None and found.process == process.pid:
            return found
        if process.poll() is not None:
            break
        time.sleep(0.05)
    else:
        process.kill()
        process.wait()
    said = (folder / PRINTED).read_text(encoding="utf-8", errors="replace").strip()
    raise NotStarted(said or "The server of the experiment did not start.")


def stop(folder: Path) -> None:
    """End the server of an experiment, if there is one; answers under way are kept first."""
    found = running(folder)
    if found is None:
        return
    with contextlib.suppress(ProcessLookupError):
        os.kill(found.process, signal.SIGTERM)
    until = time.monotonic() + _END
    while time.monotonic() < until:
        with contextlib.suppress(OSError, AttributeError):
            os.waitpid(found.process, os.WNOHANG)  # if it is a child of this one, let it go
        if running(folder) is None:
            return
        time.sleep(0.05)
    raise NotStarted(f"The server of the experiment, process {found.process}, does not end.")


def _of_this_machine(address: str) -> str:
    """The address by which this machine reaches a server that may serve all of its addresses."""
    place = urlsplit(address)
    every = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}
    if place.hostname not in every:
        return address
    return urlunsplit(place._replace(netloc=f"{every[place.hostname]}:{place.port}"))
