"""The console command ``tripletscope``."""

from __future__ import annotations

import argparse
import atexit
import contextlib
import hashlib
import logging
import os
import secrets
import shutil
import socket
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
import webbrowser
from collections.abc import Iterator, Sequence
from functools import partial
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import platformdirs

from tripletscope import __version__
from tripletscope.dashboard.serve.guard import LOOPBACK, host_and_port
from tripletscope.dashboard.serve.notice import notice

if TYPE_CHECKING:
    from tripletscope.dashboard.serve.lab import Lab
    from tripletscope.dashboard.store.workspace import Workspace

_ADDRESS = "127.0.0.1"
#: Seconds after which unused compiled code is removed.
_UNUSED = 30 * 24 * 3600


def parser() -> argparse.ArgumentParser:
    """The command's options."""
    from tripletscope.dashboard.store.samples import samples

    command = argparse.ArgumentParser(
        prog="tripletscope",
        description="From raw similarity judgements to maps with honest uncertainty. Serves a "
        "dashboard to the browsers of this machine only (127.0.0.1), sends none of your data "
        "anywhere, and takes uploads of up to 500 MB.",
        epilog="tripletscope collect EXPERIMENT serves an experiment to its participants instead; "
        "see tripletscope collect --help.",
    )
    command.add_argument(
        "--port", type=_port, default=8501, metavar="N", help="port to serve on (default 8501)"
    )
    command.add_argument(
        "--workspace", type=Path, metavar="DIR",
        help="folder that keeps data and results (default: in your user data directory)",
    )
    command.add_argument(
        "--open", action=argparse.BooleanOptionalAction, default=True,
        help="open a browser window (default)",
    )
    _add_access(command)
    command.add_argument(
        "--engine", metavar="NAME",
        help="where computations run: threads:4, loky:8 for processes, dask://scheduler:8786, or "
        "dask:FILE (default: what TRIPLETSCOPE_ENGINE says, or a thread per processor)",
    )
    command.add_argument(
        "--sample", choices=[sample.name for sample in samples()],
        help="data set to begin with",
    )
    _add_other_tasks(command)
    command.add_argument("--version", action="version", version=f"TripletScope {__version__}")
    return command


def _add_access(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--host", action="append", default=[], metavar="NAME[:PORT]", type=_host,
        help="a name under which a reverse proxy serves the dashboard, with the port if it is not "
        "the usual one; may be repeated",
    )
    command.add_argument(
        "--key", action=argparse.BooleanOptionalAction, default=True,
        help="admit only browsers with the key in the printed address, and so no other account of "
        "this computer (default)",
    )
    command.add_argument(
        "--lab", type=Path, metavar="FILE.toml",
        help="admit listed people who sign in with their institution, instead of a key; the page "
        "For a lab of the documentation shows the file",
    )


def _add_other_tasks(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--prepare", action="store_true",
        help="only compile, so that the first fit need not wait",
    )


def _port(text: str) -> int:
    if not text.isdigit() or not 1 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port, which is a number to 65535")
    return int(text)


def _host(text: str) -> str:
    try:
        host_and_port(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text


def main(arguments: Sequence[str] | None = None) -> int:
    """Start the dashboard, or the server of an experiment; returns the exit status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    os.umask(0o077)  # files are for this account, also those of child processes
    if arguments[:1] == ["collect"]:
        # This loads no dashboard, so that participants cannot reach one.
        from tripletscope.dashboard.collect.command import main as collect

        return collect(arguments[1:])
    _choose_cache()
    options = parser().parse_args(arguments)
    if options.prepare:
        from tripletscope.dashboard.jobs.prepare import compile_all

        compile_all()
        return 0
    return _serve(options)


def _serve(options: argparse.Namespace) -> int:
    """Open what the dashboard needs, and run it; returns the exit status."""
    from tripletscope.dashboard.jobs import child

    if options.engine:
        os.environ["TRIPLETSCOPE_ENGINE"] = options.engine  # for child processes, too
    child.warm()
    # Imports from here on compile, into the chosen cache.
    from tripletscope.dashboard.serve.lab import LabError, open_lab
    from tripletscope.dashboard.store.services import WORKSPACE_VARIABLE, services
    from tripletscope.dashboard.store.workspace import WorkspaceError

    if options.workspace:
        os.environ[WORKSPACE_VARIABLE] = str(options.workspace.expanduser().resolve())
    if not _free(options.port):
        return _fail(
            f"port {options.port} is already in use. Another TripletScope may be "
            f"running at http://localhost:{options.port}; to start a second one choose another "
            f"port, for example --port {options.port + 1 if options.port < 65535 else 8501}."
        )
    problem = _problem_with_computing()
    if problem:
        return _fail(problem)
    try:
        lab = open_lab(options.lab) if options.lab else None
        workspace = None if lab else services().workspace
        if workspace:
            workspace.announce(f"http://localhost:{options.port}")
    except (WorkspaceError, LabError) as error:
        return _fail(str(error))
    _run(options, lab, workspace)
    return 0


def _run(options: argparse.Namespace, lab: Lab | None, workspace: Workspace | None) -> None:
    """Print the address, and serve the dashboard until the end."""
    from tripletscope.dashboard.sandbox.limits import hide_memory
    from tripletscope.dashboard.serve.key import PARAMETER, KeyDoor
    from tripletscope.dashboard.serve.lab import HEADER, SignedIn
    from tripletscope.dashboard.serve.server import APP, make_app
    from tripletscope.dashboard.store.services import workspace_folder

    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(name)s: %(message)s")
    # Streamlit looks for its configuration beside the script of the command line.
    sys.argv = [str(APP)]
    folder = workspace.folder if workspace else workspace_folder()
    # A new key for every start: before it, another account may have listened at the port, and
    # received the cookies of open tabs.
    key = secrets.token_urlsafe(24) if options.key and not lab else None
    parameters = {"sample": options.sample, PARAMETER: key}
    query = urlencode({name: value for name, value in parameters.items() if value})
    page = lab.address if lab else f"http://localhost:{options.port}"
    page += f"/?{query}" if query else ""
    print(
        f"TripletScope is at {page}\nIt keeps data and results in {folder}\nCtrl+C ends it.",
        flush=True,
    )
    for note in workspace.notes if workspace else ():
        print(note, file=sys.stderr)
    if options.open:
        threading.Thread(target=_open_when_up, args=(page, options.port), daemon=True).start()
    hosts = [*LOOPBACK, *options.host]
    door = partial(KeyDoor, key=key) if key else None
    if lab:
        hosts, door = [*hosts, lab.host], partial(SignedIn, lab=lab, workspace=folder)
    hide_memory()  # from readers of files, in case their jail lacks the filter of calls
    make_app(hosts, door, lab.secrets if lab else None).run(config={
        "server.address": _ADDRESS,
        "server.port": options.port,
        "server.allowedHosts": [host_and_port(host)[0] for host in hosts],
        "server.trustedUserHeaders": {HEADER: "person"} if lab else {},
    })


def _problem_with_computing() -> str:
    """Why the engine or the limit of memory is unusable; empty if they work."""
    from tripletscope.core.engine.engine import engine
    from tripletscope.core.engine.pieces import EngineError
    from tripletscope.dashboard.jobs import memory

    try:
        memory.allowed()
        with engine().in_use():
            return ""
    except (EngineError, ValueError) as error:
        return str(error)


def _fail(message: str) -> int:
    print(f"tripletscope: {message}", file=sys.stderr)
    return 1


def compiled_folder() -> Path:
    """Where compiled code of this state of the source is kept.

    It names classes and modules, and cannot be read after they are renamed within one version.
    """
    name = f"compiled-{__version__}-{_state_of_the_source()}"
    return platformdirs.user_cache_path("tripletscope", appauthor=False) / name


def _choose_cache() -> None:
    """Keep compiled code in a writable folder."""
    folder = compiled_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)  # it is in use; another process may be removing it
        writable = os.access(folder, os.W_OK)
    except OSError:
        writable = False
    if not writable:
        folder = Path(tempfile.gettempdir()) / f"tripletscope-{folder.name}"
    else:
        _remove_unused(folder.parent)
    os.environ.setdefault("NUMBA_CACHE_DIR", str(folder))


def _remove_unused(parent: Path) -> None:
    """Remove compiled code that is no longer in use."""
    for other in parent.glob("compiled-*"):
        with contextlib.suppress(OSError):  # another process may remove it, too
            if time.time() - other.stat().st_mtime > _UNUSED:
                shutil.rmtree(other)


def _state_of_the_source() -> str:
    """A hash of the names, sizes and times of what is compiled."""
    core = Path(__file__).resolve().parents[2] / "core"
    states = [
        (path.relative_to(core).as_posix(), path.stat().st_size, path.stat().st_mtime_ns)
        for path in sorted(core.rglob("*.py"))
    ]
    return hashlib.sha256(repr(states).encode()).hexdigest()[:12]


def _free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((_ADDRESS, port))
        except OSError:
            return False
        return True


def _open_when_up(page: str, port: int, patience: float = 30.0) -> None:
    until = time.monotonic() + patience
    while time.monotonic() < until:
        try:
            urllib.request.urlopen(f"http://{_ADDRESS}:{port}/tripletscope/health", timeout=1)
        except urllib.error.HTTPError:  # it asks for the key
            break
        except OSError:
            time.sleep(0.1)
        else:
            break
    else:
        return
    with _leading_to(page) as file:
        webbrowser.open(file.as_uri())
        time.sleep(patience)  # a browser may start slowly


@contextlib.contextmanager
def _leading_to(page: str) -> Iterator[Path]:
    """A page on the disk that leads to another, for this account alone.

    Other accounts see a browser's command line, and so a key in it. Sandboxed browsers can read
    the home folder.
    """
    home = Path.home()
    descriptor, name = tempfile.mkstemp(
        prefix="tripletscope-", suffix=".html", dir=home if os.access(home, os.W_OK) else None
    )
    file = Path(name)
    remove = partial(file.unlink, missing_ok=True)
    atexit.register(remove)  # the waiting thread ends with the program
    try:
        with os.fdopen(descriptor, "w") as target:
            target.write(notice(
                "Opening", "", head=f'<meta http-equiv="refresh" content="0;url={escape(page)}">'
            ))
        yield file
    finally:
        remove()
        atexit.unregister(remove)


if __name__ == "__main__":
    sys.exit(main())
