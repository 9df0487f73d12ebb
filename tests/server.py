"""A server of our own for tests: the console command in a process, on a free port."""

from __future__ import annotations

import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urljoin

from tests.ports import free_port
from tests.waiting import PATIENCE

COMMAND = [sys.executable, "-m", "tripletscope"]
#: The same, which gets nothing ready that nobody may need: neither processes to compute, nor the
#: one that they are copies of, nor code.
UNHURRIED = [
    sys.executable, "-c",
    "import sys; from tripletscope.dashboard.serve import cli, server; "
    "from tripletscope.dashboard.jobs import child; "
    "child.warm = lambda later=child.warm: setattr(child, 'warm', later); "
    "child.Supply.warm = lambda self: None; server._get_ready = lambda: None; "
    "sys.exit(cli.main(sys.argv[1:]))",
]
#: That on a machine that has no browser to draw figures with.
WITHOUT_BROWSER = [
    sys.executable, "-c",
    "from tripletscope.dashboard.print import browser; browser.browser_path = lambda: None; "
    + UNHURRIED[-1],
]
#: The command with a list of what is asked of the network outside of this machine, which fails. Its
#: first argument is the file of the list.
WATCHED = [sys.executable, "-c", """
import sys

log = sys.argv.pop(1)

def watch(event, arguments):
    if event in ("socket.connect", "socket.sendto"):
        address = arguments[1]
        host = address[0] if isinstance(address, tuple) else None  # or a socket in the file system
    elif event in ("socket.getaddrinfo", "socket.gethostbyname"):
        host = arguments[0]
    else:
        return
    if host not in (None, "", "localhost", "127.0.0.1", "::1"):
        with open(log, "a") as file:
            print(event, host, file=file)
        raise OSError("no way out")

sys.addaudithook(watch)
from tripletscope.dashboard.serve.cli import main
sys.exit(main(sys.argv[1:]))
"""]


@contextmanager
def running(
    workspace: Path,
    port: int | None = None,
    more: Sequence[str] = (),
    command: Sequence[str] = COMMAND,
) -> Iterator[str]:
    """The address of a server that is up, as it prints it; without a key, unless `more` asks."""
    port = port or free_port()
    process = subprocess.Popen(
        [*command, "--port", str(port), "--workspace", str(workspace), "--no-open", "--no-key",
         *more],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )
    try:
        address = printed_address(process)
        wait_until_up(address, process)
        yield address
    finally:
        process.terminate()
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def printed_address(process: subprocess.Popen) -> str:
    before = []
    for line in process.stdout:
        if line.startswith("TripletScope is at "):
            return line.removeprefix("TripletScope is at ").strip()
        before.append(line)
    raise AssertionError("".join(before))


def wait_until_up(address: str, process: subprocess.Popen, patience: float = PATIENCE) -> None:
    until = time.monotonic() + patience
    while time.monotonic() < until:
        assert process.poll() is None, process.stdout.read()
        try:
            urllib.request.urlopen(urljoin(address, "/tripletscope/health"), timeout=60)
            return
        except urllib.error.HTTPError as error:
            if error.code == 401:  # it is up, and asks for the key
                return
            raise
        except OSError:
            time.sleep(0.05)
    raise AssertionError(f"{address} is not up after {patience} s")
