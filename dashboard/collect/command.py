"""The command ``tripletscope collect``: the server of one experiment, and its personal data."""

from __future__ import annotations

import argparse
import json
import logging
import secrets
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from tripletscope.core.data.errors import DataError
from tripletscope.core.studies.experiment.experiment import Experiment
from tripletscope.dashboard.collect import answer_log, jspsych
from tripletscope.dashboard.collect.running import announce
from tripletscope.dashboard.collect.writer import NotKept
from tripletscope.dashboard.store.holding import Held, Hold

_logger = logging.getLogger(__name__)

#: Open files beside connections.
_OTHER_FILES = 100
#: Seconds after which a dead chooser of questions is started again.
_AGAIN = 30.0
#: Seconds that it may take to end.
_DEAF = 5.0
_MOST_LOGGED = 100  # messages an hour
#: Seconds of a thread's turn: the log's thread needs short ones soon, when the disk has answered.
_TURN = 0.0005


class _Few(logging.Filter):
    """Limits messages an hour, so that nobody fills the disk."""

    _hour, _number = 0, 0

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether this hour has room for the message."""
        hour = int(record.created // 3600)
        self._number = self._number + 1 if hour == self._hour else 1
        self._hour = hour
        return self._number <= _MOST_LOGGED


def collect_parser() -> argparse.ArgumentParser:
    """The options of ``tripletscope collect``."""
    command = argparse.ArgumentParser(
        prog="tripletscope collect",
        description="Serves one experiment to its participants, and nothing else: its page, its "
        "stimuli, and a log of answers. Ctrl+C ends it; nothing that was confirmed is lost, "
        "however it ends.",
    )
    command.add_argument("experiment", type=Path, metavar="EXPERIMENT",
                         help="folder of the experiment, as the page Collect made it")
    command.add_argument(
        "--port", type=port, default=8600, metavar="N",
        help="port to serve on (default 8600); 0 for any that is free",
    )
    command.add_argument(
        "--host", default="127.0.0.1", metavar="H",
        help="address of this machine to serve on: by default this machine alone, for a reverse "
        "proxy or a tunnel; 0.0.0.0 for everybody who reaches this machine",
    )
    command.add_argument(
        "--proxy", action="append", default=[], metavar="ADDRESS",
        help="address of a reverse proxy, for example 127.0.0.1, whose header X-Forwarded-For is "
        "believed, so that connections are limited by participant; may be repeated",
    )
    alone = command.add_mutually_exclusive_group()
    alone.add_argument("--state", action="store_true", help="only print the experiment's state")
    alone.add_argument("--person", metavar="ID",
                       help="only print all data about one participant, as JSON")
    alone.add_argument(
        "--delete-person", metavar="ID",
        help="only remove one participant with all answers; the server may run meanwhile",
    )
    alone.add_argument(
        "--purge", action="store_true",
        help="only remove all ids, parameters of addresses and devices; the answers stay",
    )
    return command


def port(text: str) -> int:
    """A port, or 0 for any."""
    if not text.isdigit() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port, which is a number to 65535")
    return int(text)


def main(arguments: Sequence[str]) -> int:
    """Serve an experiment, or do one other thing; returns the exit status."""
    options = collect_parser().parse_args(arguments)
    folder = options.experiment.expanduser().resolve()
    try:
        experiment = Experiment.load(folder)
        if options.state:
            print(_standing(folder))
        elif options.person is not None:
            print(json.dumps(answer_log.personal_data(folder, options.person), indent=1))
        elif options.delete_person is not None:
            if not answer_log.delete_person(folder, options.delete_person):
                return _fail("the log has no participant with this id")
            print("Removed, with all answers.")
        elif options.purge:
            answer_log.purge(folder)
            print("Ids, parameters of addresses and devices are removed. The answers are kept.")
        else:
            return _serve(folder, experiment, options)
    except (DataError, NotKept) as error:
        return _fail(str(error))
    return 0


def _serve(folder: Path, experiment: Experiment, options: argparse.Namespace) -> int:
    from tripletscope.dashboard.collect.connections import Room, patient_server
    from tripletscope.dashboard.collect.server import make_experiment_server

    if jspsych.missing():
        print(f"tripletscope: the page cannot be shown yet. {jspsych.missing()}", file=sys.stderr)
    with ExitStack() as inside:
        try:
            listening = inside.enter_context(listening_on(options.host, options.port))
        except OSError as error:
            return _fail(f"{options.host}:{options.port} is not available ({error.strerror}); "
                         "choose another port, for example --port 0 for any that is free")
        try:
            hold = Hold(folder)
        except Held as error:
            return _fail(f"this experiment is served already, by {error}")
        except OSError as error:
            return _fail(f"{folder} cannot be written ({error.strerror})")
        inside.callback(hold.release)
        instance = secrets.token_hex(8)
        app = make_experiment_server(folder, instance)
        host = f"[{options.host}]" if ":" in options.host else options.host
        address = f"http://{host}:{listening.getsockname()[1]}/"
        hold.announce(address)
        announce(folder, address, instance)
        to_console = logging.StreamHandler()
        to_console.addFilter(_Few())
        logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(name)s: %(message)s",
                            handlers=[to_console])
        parameter = experiment.parameters[0] if experiment.parameters else ""
        print(f"“{experiment.title}” is at {address}" + (f"?{parameter}=ID" if parameter else "")
              + f"\nA preview is at {address}?preview={answer_log.preview_key(folder)}"
              + f"\n{_standing(folder)}\nCtrl+C ends it.", flush=True)
        sys.setswitchinterval(_TURN)
        server = patient_server(app, Room(_connections_allowed(), proxies=options.proxy))
        with suppress(KeyboardInterrupt), choosing_beside(folder, experiment):
            server.run(sockets=[listening])
    return 0


def _connections_allowed() -> int:
    """How many connections fit into the limit of open files, which is raised first."""
    from tripletscope.dashboard.collect.connections import MOST_CONNECTIONS

    try:
        import resource
    except ImportError:  # Windows
        return MOST_CONNECTIONS
    now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 2 * MOST_CONNECTIONS
    if most != resource.RLIM_INFINITY:
        wanted = min(wanted, most)
    if now != resource.RLIM_INFINITY and now < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))
        now = wanted
    # Half of the limit is for files that are being sent.
    return MOST_CONNECTIONS if now == resource.RLIM_INFINITY else max(
        1, min(MOST_CONNECTIONS, (now - _OTHER_FILES) // 2)
    )


@contextmanager
def choosing_beside(folder: Path, experiment: Experiment) -> Iterator[None]:
    """Choose adaptive questions in another process: the server does not load what fits maps."""
    if not experiment.is_adaptive:
        yield
        return
    chooser, ended = _chooser(folder), threading.Event()

    def keep() -> None:
        nonlocal chooser
        while not ended.wait(_AGAIN):
            if chooser.poll() is not None:
                _logger.error("the process that chooses questions has ended; another one begins")
                chooser.stdin.close()
                chooser = _chooser(folder)

    keeper = threading.Thread(target=keep, name="chooser of questions", daemon=True)
    keeper.start()
    try:
        yield
    finally:
        ended.set()
        keeper.join()
        chooser.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            chooser.wait(_DEAF)
        chooser.kill()  # one that stands still does not hear it
        chooser.wait()


def _chooser(folder: Path) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-m", "tripletscope.dashboard.collect.adaptive", str(folder)],
        stdin=subprocess.PIPE,
    )


def listening_on(host: str, number: int) -> socket.socket:
    """A socket that clients may connect to before the server is ready."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family)
    try:
        if sys.platform != "win32":  # there two programs could share the port
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, number))
        listening.listen(2048)
    except OSError:
        listening.close()
        raise
    return listening


def _standing(folder: Path) -> str:
    """The state of an experiment in sentences."""
    state = answer_log.state(folder)
    lines = [
        f"It is {state.state}: {state.n_people:,} participants, {state.n_finished:,} finished, "
        f"{state.n_excluded:,} stopped, {state.n_unanswered:,} without any answer; "
        f"{state.n_answers:,} answers; {state.n_refused:,} refusals."
    ]
    if state.is_overdue:
        lines.append(
            "Personal data are past their day of deletion: tripletscope collect EXPERIMENT --purge "
            "removes ids, parameters of addresses and devices, and keeps the answers."
        )
    return "\n".join(lines)


def _fail(message: str) -> int:
    print(f"tripletscope: {message}", file=sys.stderr)
    return 1
