"""Files handed to readers as the server does it, and what that takes: time, memory, an answer."""

from __future__ import annotations

import contextlib
import logging
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.reading.formats.encoding import ENCODINGS
from tripletscope.dashboard.sandbox import workers as door
from tripletscope.dashboard.sandbox.workers import File, Worker, Workers

#: Seconds of processor time for all that is asked about a file; bytes that its reader may hold.
SECONDS, MEMORY = 10.0, 1.5 * 2**30
#: Bytes that the server may hold more while it hands a file over and takes the answers.
OWN_MEMORY = 2**28
#: Seconds of the clock after which a request is given up, as the server does after a minute.
PATIENCE = 120.0
KNOWN = Triplets.from_array([[0, 1, 2]], 12, name="objects")

_ENCODINGS = [*ENCODINGS]
_TICKS = os.sysconf("SC_CLK_TCK")
_FILE = "the file.x"
#: What a sentence says of one file only.
_OWN = re.compile(r"'[^']*'|\"[^\"]*\"|[\d,.]*\d|[A-Z]+(?=\d)")


@dataclass
class Visit:
    """How a file fared.

    said: The kind of answer: what was read, or why it was refused, without what is the file's own.
    flaw: The limit that was broken, or nothing.
    outcome {"read", "refused", "ended", "broken"}: Whether there was an answer; a sentence on the
        file; a sentence on the end of the reader, which also time, memory or a crash may bring; or
        none of these.
    seconds: Processor time of the reader.
    memory, own: Bytes that the reader held at most, and that this process held more than before.
    """

    said: str = ""
    flaw: str = ""
    outcome: str = "read"
    seconds: float = 0.0
    memory: int = 0
    own: int = 0


class Door:
    """Readers as a server has them, a new one for each file."""

    def __init__(self) -> None:
        self._workers = Workers()
        self._told: list[str] = []
        log = logging.getLogger(door.__name__)
        log.handlers, log.propagate = [_Telling(self._told)], False

    def visit(self, name: str, data: bytes, way: str = "open", choice: int = 0) -> Visit:
        """Hand a file over and ask what the pages ask.

        way: One of `WAYS`.
        choice: Which of several readings, and other chances.
        """
        worker = self._workers.take(lambda: True)
        visit, before = Visit(), resident(os.getpid(), reset=True)[0]
        usage = _Usage(worker.pid)
        del self._told[:]
        try:
            visit.said = WAYS[way](_Asking(worker, usage), name, data, choice)
        except DataError as error:
            visit.outcome, visit.said = "refused", _kind(error)
            visit.flaw = _no_sentence(error)
        except Exception as error:
            visit.outcome, visit.said = "broken", f"{type(error).__name__}: {error}"
            visit.flaw = f"the server's side failed: {visit.said}"
        usage.look()
        visit.seconds, visit.memory = usage.seconds, usage.memory
        visit.own = resident(os.getpid())[1] - before
        worker.close()
        self._judge(visit)
        return visit

    def _judge(self, visit: Visit) -> None:
        ended = [line for line in self._told if "has ended" in line]
        broken = [line for line in self._told if "could not be read" in line]
        if broken:
            visit.outcome, visit.said = "broken", _plain(broken[0])
            visit.flaw = broken[0]
        elif ended or "takes too long" in visit.said or "enough memory" in visit.said:
            visit.outcome = "ended"
        if visit.flaw:
            return
        if visit.seconds > SECONDS:
            visit.flaw = f"took {visit.seconds:.1f} s"
        elif visit.memory > MEMORY:
            visit.flaw = f"took {visit.memory / 2**20:.0f} MB"
        elif visit.own > OWN_MEMORY:
            visit.flaw = f"took {visit.own / 2**20:.0f} MB of the server"

    def close(self) -> None:
        """End all readers."""
        self._workers.close()


class _Telling(logging.Handler):
    """What the server's side writes down."""

    def __init__(self, told: list[str]) -> None:
        super().__init__()
        self._lines = told

    def emit(self, record: logging.LogRecord) -> None:
        self._lines.append(record.getMessage())


class _Usage:
    """Time and memory of a process while there is one."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self.seconds, self.memory = 0.0, 0

    def look(self) -> None:
        # One that has ended, or is about to, does not tell.
        with contextlib.suppress(OSError, IndexError, TypeError):
            cells = Path(f"/proc/{self._pid}/stat").read_text().rsplit(")", 1)[1].split()
            self.seconds = max(self.seconds, (int(cells[11]) + int(cells[12])) / _TICKS)
            self.memory = max(self.memory, resident(self._pid)[1])


def resident(pid: int, reset: bool = False) -> tuple[int, int]:
    """Bytes that a process holds now, and that it held at most, also since this was `reset`."""
    if reset:
        Path(f"/proc/{pid}/clear_refs").write_text("5")
    text = Path(f"/proc/{pid}/status").read_text()
    now, most = (int(re.search(rf"{key}:\s+(\d+)", text)[1]) * 1024 for key in ("VmRSS", "VmHWM"))
    return now, most


class _Asking:
    """A reader that is watched while it is asked."""

    def __init__(self, worker: Worker, usage: _Usage) -> None:
        self._worker, self._usage = worker, usage

    def __call__(self, what: str, **given: Any) -> Any:
        def progress(fraction: float, **details: Any) -> bool:
            self._usage.look()
            return False

        try:
            return self._worker.ask(
                what, file=_FILE, progress=progress, patience=PATIENCE, **given
            )
        finally:
            self._usage.look()


# Ways in ----------------------------------------------------------------------------------------


def _opened(ask: _Asking, name: str, data: bytes, choice: int) -> str:
    """What the page of an upload asks, for the first reading and another one."""
    return _read_on(ask, [(name, data)], choice, insist=bool(choice % 2))


def _several(ask: _Asking, name: str, data: bytes, choice: int) -> str:
    """The file twice, once as it is, once cut off."""
    files = [(name, data), (f"other {name}", data[: len(data) * 2 // 3])]
    return f"several {_read_on(ask, files, choice)}"


def _reloaded(ask: _Asking, name: str, data: bytes, choice: int) -> str:
    """The file cut into columns in another way."""
    ask("open", **_upload([(name, data)]))
    shape = {"header": bool(choice % 2), "delimiter": ",;\t "[choice % 4],
             "encoding": _ENCODINGS[choice % len(_ENCODINGS)]}
    return f"again {_read_on(ask, [(name, data)], choice, shape)}"


def _tested(ask: _Asking, name: str, data: bytes, choice: int) -> str:
    """The direction of the first reading, which is fitted."""
    upload = _upload([(name, data)])
    readings = ask("propose", known=[], insist=True, **upload).readings
    return f"test {ask('direction', reading=readings[0], **upload).judgement}"


def _read_on(
    ask: _Asking, files: list[File], choice: int, shape: dict[str, Any] | None = None,
    insist: bool = True,
) -> str:
    upload = _upload(files, shape)
    sheet = ask("open", **upload).sheet
    readings = ask("propose", known=[], insist=insist, **upload).readings
    _writable(repr((sheet.columns, sheet.notes, sheet.cells)))
    if not readings:
        return f"table {_plain(' '.join(sheet.notes))}"
    with contextlib.suppress(DataError):
        ask("look", reading=readings[choice % len(readings)], **upload)
    answers = ask("answers", reading=readings[0], **upload)
    _writable(repr((answers.report, answers.triplets.ids[:1000])))
    return " ".join(f"{r.layout} {r.task} {r.choice_coding}" for r in readings)


def _upload(files: list[File], shape: dict[str, Any] | None = None) -> dict[str, Any]:
    """Of a question about an upload: its files, and how they are cut."""
    return {"keys": {"tables": str(len(files))}, "shape": shape or {}, "contents": lambda _: files}


def _writable(text: str) -> None:
    """Raise UnicodeEncodeError if no page can show it."""
    text.encode()


WAYS = {
    "open": _opened, "several": _several, "reload": _reloaded, "direction": _tested,
    "pictures": lambda ask, name, data, choice: (
        f"pictures {len(ask('pictures', files=[(name, data)])[0])}"),
    "objects": lambda ask, name, data, choice: (
        f"objects {len(ask('objects', name=name, content=data).columns)}"),
    "matrix": lambda ask, name, data, choice: (
        f"matrix {ask('matrix', name=name, content=data, similarities=None).from_similarities}"),
    "distances": lambda ask, name, data, choice: (
        f"distances {ask('distances', name=name, content=data, about=KNOWN)[2][-20:]}"),
    "gold": lambda ask, name, data, choice: (
        f"gold {len(ask('gold', name=name, content=data, about=KNOWN)[0]) > 1}"),
    "questions": lambda ask, name, data, choice: (
        f"questions {len(ask('questions', name=name, content=data, about=KNOWN)[0]) > 1}"),
}

# Sentences ---------------------------------------------------------------------------------------


def _plain(text: str) -> str:
    return _OWN.sub("#", text)[:90]


def _kind(error: DataError) -> str:
    return _plain(error.problem)


def _no_sentence(error: DataError) -> str:
    """What is wrong with an error as a sentence, or nothing."""
    text = str(error)
    if not (error.problem.strip() and error.remedy):
        return f"no full sentence: {text[:200]!r}"
    if len(text) > 3000:
        return f"a sentence of {len(text):,} characters"
    try:
        text.encode()
    except UnicodeEncodeError:
        return f"a sentence that cannot be shown: {text[:200]!r}"
    return ""


