"""Collecting answers: three hundred participants at once, ten kills, a full disk, idle crowds.

    python benchmarks/collecting.py load      # times until an answer is acknowledged, beside a peer
    python benchmarks/collecting.py kills     # what is lost or doubled when the server is killed
    python benchmarks/collecting.py full      # what happens on a disk without room (Linux)
    python benchmarks/collecting.py idle      # 4,100 connections that say nothing, or half a header

The peer is a plain server of the same libraries that confirms every answer by itself, as one would
write it first. It knows no participants and no questions, and so has less to do. ``--slow 10`` lets
every confirmation of the disk take 10 ms more for both, as on slower disks.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tripletscope.core.studies.experiment.experiment import Experiment, Stimulus
from tripletscope.dashboard.collect import answer_log, jspsych
from tripletscope.dashboard.collect.running import announce, running

#: What an acknowledgement may take, in milliseconds.
SOON = 50.0
#: Seconds for any one answer of a server, and for a server to start.
PATIENCE, START = 30.0, 30.0


#: The command on a disk that takes longer to confirm.
SLOWLY = """
import sys, time
from contextlib import contextmanager
from tripletscope.dashboard.collect import writer

seconds, kept = float(sys.argv.pop(1)) / 1000, writer.kept

@contextmanager
def slowly(log):
    with kept(log):
        yield log
    time.sleep(seconds)

writer.kept = slowly
from tripletscope.dashboard.serve.cli import main
sys.exit(main(sys.argv[1:]))
"""

# Participants -----------------------------------------------------------------------------------


@dataclass
class Tally:
    """What participants saw.

    waits: Milliseconds until answers were acknowledged, each counted from when it was first sent.
    acknowledged: Person and id of the answer.
    statuses: Of requests that were not answered by 200; 0 where there was no answer.
    """

    waits: list[float] = field(default_factory=list)
    acknowledged: list[tuple[str, str]] = field(default_factory=list)
    statuses: Counter = field(default_factory=Counter)


class Browser:
    """A participant's browser, as far as the server knows it: one connection that is kept."""

    def __init__(self, port: int, tally: Tally) -> None:
        self._port, self._tally = port, tally
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def post(self, path: str, body: dict[str, Any]) -> dict[str, Any] | None:
        """What the server says; None if it says nothing, or cannot do it now."""
        try:
            async with asyncio.timeout(PATIENCE):
                status, said = await self._post(path, json.dumps(body).encode())
        except (OSError, EOFError, TimeoutError, ValueError):
            self.close()
            status, said = 0, b""
        if status != 200:
            self._tally.statuses[status] += 1
            return None
        return json.loads(said)

    async def _post(self, path: str, content: bytes) -> tuple[int, bytes]:
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = self._streams
        writer.write(
            f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(content)}\r\n\r\n".encode() + content
        )
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        length = int(head.split(b"content-length:")[1].split(b"\r\n")[0])
        return int(head[9:12]), await reader.readexactly(length)

    def close(self) -> None:
        """Drop the connection."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


async def take_part(
    port: int, person: str, until: float, pause: float, tally: Tally, is_peer: bool = False
) -> None:
    """Answer every `pause` seconds until `until`; each is sent again until it is acknowledged."""
    browser = Browser(port, tally)
    tab = uuid.uuid4().hex
    await asyncio.sleep(random.random() * pause)
    about, held = {"tab": tab, "token": None}, []
    if not is_peer:
        begun = None
        while begun is None and time.monotonic() < until:
            begun = await browser.post("/begin", {"person": person, "tab": tab, "token": None})
            if begun is None:
                await asyncio.sleep(0.1)
        about["token"] = begun and begun["token"]
    due = time.monotonic() + random.random() * pause
    while due < until:
        if not is_peer and len(held) < 3:
            keys = [question["key"] for question in held]
            found = await browser.post("/next", {**about, "have": keys})
            held += found["questions"] if found else []
        await asyncio.sleep(max(0.0, due - time.monotonic()))
        due = max(due + pause, time.monotonic())
        if held or is_peer:
            key = uuid.uuid4().hex if is_peer else held.pop(0)["key"]
            await _answer(browser, about, person, key, until, tally)
    browser.close()


async def _answer(
    browser: Browser, about: dict, person: str, key: str, until: float, tally: Tally
) -> None:
    moment = 1000 * time.monotonic()
    one = {"id": uuid.uuid4().hex, "key": key, "chosen": [random.randrange(2)], "rt_ms": 612.5,
           "shown_ms": moment, "at_ms": moment, "clock_ms": 1000 * time.time(), "input": "mouse"}
    begun = time.perf_counter()
    while time.monotonic() < until + PATIENCE:
        said = await browser.post("/answers", {**about, "answers": [one]})
        if said is not None:
            if said["stored"] != [one["id"]]:
                raise AssertionError(f"an answer was refused: {said}")
            tally.waits.append(1000 * (time.perf_counter() - begun))
            tally.acknowledged.append((person, one["id"]))
            return
        await asyncio.sleep(0.1)


async def crowd(port: int, n: int, seconds: float, pause: float, is_peer: bool = False) -> Tally:
    """What `n` participants saw in `seconds`."""
    tally, until = Tally(), time.monotonic() + seconds
    await asyncio.gather(*(
        take_part(port, f"person {i}", until, pause, tally, is_peer) for i in range(n)
    ))
    return tally


# Servers ----------------------------------------------------------------------------------------


def experiment_in(folder: Path, n_questions: int, n_people: int = 1000) -> Path:
    """An experiment of thirty words."""
    Experiment(
        title="Benchmark", n_questions=n_questions, most_people=n_people, fails=0,
        objects=tuple(Stimulus(f"o{i}", "text", f"object {i}") for i in range(30)),
    ).save(folder)
    return folder


class Server:
    """The server of an experiment, as the command starts it, which may be killed.

    slow: Milliseconds that the disk takes longer.
    """

    def __init__(self, folder: Path, slow: float = 0.0) -> None:
        self.folder, self.port = folder, 0
        self._program = ["-c", SLOWLY, str(slow)] if slow else ["-m", "tripletscope"]
        self.start()

    def start(self) -> float:
        """Start it; returns the seconds until it answered."""
        begun = time.perf_counter()
        self.process = subprocess.Popen(
            [sys.executable, *self._program, "collect", str(self.folder), "--port",
             str(self.port)], stdout=subprocess.DEVNULL,
        )
        self.port = _port_of(self.folder, self.process)
        return time.perf_counter() - begun

    def kill(self) -> None:
        """End it as a power failure of the process would."""
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        """End it in good order."""
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(START)


def _port_of(folder: Path, process: subprocess.Popen) -> int:
    until = time.monotonic() + START
    while time.monotonic() < until and process.poll() is None:
        found = running(folder)
        if found is not None and found.process == process.pid:
            return int(found.address.rstrip("/").rsplit(":", 1)[1])
        time.sleep(0.02)
    raise RuntimeError(f"the server did not start; {jspsych.missing()}")


def peer(folder: Path, slow: float) -> None:
    """A plain server that confirms each answer by itself."""
    import uvicorn
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import JSONResponse
    from starlette.routing import Route

    from tripletscope.dashboard.collect.command import listening_on

    log = sqlite3.connect(folder / "peer.sqlite", isolation_level=None, check_same_thread=False)
    log.execute("PRAGMA journal_mode = WAL")
    log.execute("PRAGMA synchronous = FULL")
    log.execute("CREATE TABLE answers (id TEXT PRIMARY KEY, key TEXT, chosen TEXT, rt_ms REAL, "
                "clock_ms REAL)")

    async def answers(request: Request) -> JSONResponse:
        given = (await request.json())["answers"]
        for one in given:
            log.execute("INSERT OR IGNORE INTO answers VALUES (?, ?, ?, ?, ?)",
                        (one["id"], one["key"], json.dumps(one["chosen"]), one["rt_ms"],
                         one["clock_ms"]))
            time.sleep(slow / 1000)
        return JSONResponse({"stored": [one["id"] for one in given]})

    async def health(request: Request) -> JSONResponse:
        return JSONResponse({"instance": "peer"})

    found = listening_on("127.0.0.1", 0)
    announce(folder, f"http://127.0.0.1:{found.getsockname()[1]}/", "peer")
    app = Starlette(routes=[Route("/answers", answers, methods=["POST"]), Route("/health", health)])
    uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False, ws="none")).run([found])


@contextmanager
def peer_in(folder: Path, slow: float) -> Iterator[int]:
    """The port of the peer."""
    process = subprocess.Popen(
        [sys.executable, __file__, "peer", str(folder), "--slow", str(slow)]
    )
    try:
        yield _port_of(folder, process)
    finally:
        process.kill()
        process.wait()


# What is measured -------------------------------------------------------------------------------


def told(name: str, tally: Tally, seconds: float) -> float:
    """Print how long acknowledgements took; returns the 99th percentile."""
    waits = np.array(tally.waits)
    share = 100 * (waits <= SOON).mean()
    middle, most, last = np.percentile(waits, [50, 99, 100])
    print(f"{name}: {len(waits):,} answers, {len(waits) / seconds:.0f} a second; acknowledged "
          f"after {middle:.1f} ms (median), {most:.1f} ms (99 %), {last:.0f} ms (all); "
          f"{share:.2f} % within {SOON:.0f} ms; not 200: {dict(tally.statuses)}", flush=True)
    return float(most)


def compared(folder: Path, tally: Tally) -> bool:
    """Print whether the log holds what was acknowledged, once; returns whether it does."""
    with sqlite3.connect(folder / "answers.sqlite") as log:
        stored = Counter(log.execute("SELECT person, id FROM answers JOIN people USING (number)"))
        (keys,) = log.execute("SELECT count(*) FROM (SELECT DISTINCT number, key FROM answers)"
                              ).fetchone()
    lost = sum(one not in stored for one in tally.acknowledged)
    doubled = sum(stored.values()) - min(len(stored), keys)
    print(f"{len(tally.acknowledged):,} acknowledged, {sum(stored.values()):,} stored, "
          f"{lost:,} lost, {doubled:,} doubled", flush=True)
    return not lost and not doubled


def load(options: argparse.Namespace) -> bool:
    """Many participants at once, here and at the peer, in turn."""
    worst = {"collect": [], "peer": []}
    is_right = True
    for turn in range(options.turns):
        with tempfile.TemporaryDirectory(dir=options.disk) as place:
            folder = experiment_in(Path(place), int(options.seconds) + 10)
            server = Server(folder, options.slow)
            tally = asyncio.run(crowd(server.port, options.people, options.seconds, 1.0))
            server.stop()
            worst["collect"].append(told(f"turn {turn + 1}, collect", tally, options.seconds))
            is_right &= compared(folder, tally)
        with tempfile.TemporaryDirectory(dir=options.disk) as place, \
                peer_in(Path(place), options.slow) as port:
            tally = asyncio.run(crowd(port, options.people, options.seconds, 1.0, is_peer=True))
            worst["peer"].append(told(f"turn {turn + 1}, peer", tally, options.seconds))
    ratio = np.median(np.divide(worst["peer"], worst["collect"]))
    print(f"99 % at the peer take {ratio:.1f} times as long (median of turns); "
          f"load of the machine {os.getloadavg()[0]:.1f}")
    return is_right


def kills(options: argparse.Namespace) -> bool:
    """The server is killed again and again while people answer; all send again."""
    async def killed(server: Server) -> Tally:
        going = asyncio.create_task(crowd(server.port, options.people, options.seconds, 0.2))
        starts = []
        for _ in range(10):
            await asyncio.sleep(options.seconds / 20 + random.random())
            server.kill()
            starts.append(await asyncio.to_thread(server.start))
        print(f"10 kills; started again in {np.median(starts):.2f} s (median), "
              f"{max(starts):.2f} s (all)")
        return await going

    with tempfile.TemporaryDirectory(dir=options.disk) as place:
        folder = experiment_in(Path(place), int(5 * options.seconds) + 10)
        server = Server(folder)
        tally = asyncio.run(killed(server))
        server.stop()
        return compared(folder, tally)


def idle(options: argparse.Namespace) -> bool:
    """People answer while thousands of connections are open that never ask for anything whole."""
    import resource

    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))

    async def stay(port: int, said: bytes, until: float, opened: Counter) -> None:
        while time.monotonic() < until:
            with suppress(OSError):
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                opened["connections"] += 1
                writer.write(said)
                with suppress(TimeoutError):
                    await asyncio.wait_for(reader.read(), max(until - time.monotonic(), 0))
                writer.close()
            await asyncio.sleep(1.0)

    async def beside(server: Server, said: bytes) -> tuple[Tally, Counter]:
        opened: Counter = Counter()
        until = time.monotonic() + options.seconds + 10
        crowded = [asyncio.create_task(stay(server.port, said, until, opened))
                   for _ in range(4100)]
        await asyncio.sleep(5)
        tally = await crowd(server.port, options.people, options.seconds, 1.0)
        await asyncio.gather(*crowded)
        return tally, opened

    is_right = True
    for name, said in (("none", None), ("silent", b""), ("half a header", b"GET / HTTP/1.1\r\nX")):
        with tempfile.TemporaryDirectory(dir=options.disk) as place:
            folder = experiment_in(Path(place), int(options.seconds) + 10)
            server = Server(folder)
            if said is None:
                tally = asyncio.run(crowd(server.port, options.people, options.seconds, 1.0))
            else:
                tally, opened = asyncio.run(beside(server, said))
                print(f"{opened['connections']:,} idle connections were opened in all")
            told(f"beside {name}", tally, options.seconds)
            server.stop()
            is_right &= compared(folder, tally)
    return is_right


def full(options: argparse.Namespace) -> bool:
    """A small disk fills up while people answer, and gets room again."""
    if not options.inside:  # a disk that nobody else sees, and that goes with the process
        return subprocess.run(
            ["unshare", "-rm", sys.executable, __file__, "full", "--inside"], check=False
        ).returncode == 0

    async def filled(server: Server, ballast: Path) -> Tally:
        going = asyncio.create_task(crowd(server.port, 20, 24.0, 0.1))
        await asyncio.sleep(6)
        with suppress(OSError), ballast.open("wb") as file:
            while True:
                file.write(bytes(4096))
                file.flush()
        await asyncio.sleep(6)
        ballast.unlink()
        return await going

    with tempfile.TemporaryDirectory() as place:
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=12m", "tmpfs", place], check=True)
        folder = experiment_in(Path(place) / "experiment", 300)
        server = Server(folder)
        tally = asyncio.run(filled(server, Path(place) / "ballast"))
        server.stop()
        print(f"refused while it was full: {tally.statuses[507]:,} (507), others "
              f"{sum(tally.statuses.values()) - tally.statuses[507]:,}")
        is_right = compared(folder, tally) and tally.statuses[507] > 0
        print(f"{answer_log.n_answers(folder):,} answers can be read")
        subprocess.run(["umount", "-l", place], check=True)
        return is_right


def main() -> int:
    """One of the measurements; returns the exit status."""
    command = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    command.add_argument("what", choices=["load", "kills", "full", "idle", "peer"])
    command.add_argument("folder", nargs="?", type=Path, help="of the peer")
    command.add_argument("--people", type=int)
    command.add_argument("--seconds", type=float)
    command.add_argument("--turns", type=int, default=3)
    command.add_argument("--slow", type=float, default=0.0, metavar="MS")
    command.add_argument("--disk", help="folder on the disk to be measured")
    command.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = command.parse_args()
    usual = {"load": (300, 60.0), "kills": (50, 40.0), "idle": (50, 40.0)}
    people, seconds = usual.get(options.what, (0, 0.0))
    options.people = options.people or people
    options.seconds = options.seconds or seconds
    if options.what == "peer":
        peer(options.folder, options.slow)
        return 0
    measure = {"load": load, "kills": kills, "full": full, "idle": idle}[options.what]
    return 0 if measure(options) else 1


if __name__ == "__main__":
    sys.exit(main())
