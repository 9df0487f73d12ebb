"""A process of jobs, as `tripletscope.dashboard.jobs.line` runs it."""

from __future__ import annotations

import faulthandler
import os
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

from tripletscope.core.engine.engine import engine
from tripletscope.core.engine.parallel import at_work
from tripletscope.core.engine.pieces import EngineError
from tripletscope.core.engine.progress import Progress, Stopped, silent
from tripletscope.core.run import Run, run
from tripletscope.dashboard.files.storage import write_arrays
from tripletscope.dashboard.jobs import memory
from tripletscope.dashboard.jobs.line import Line, Message
from tripletscope.dashboard.jobs.pickling import Opener, packed

#: Long computations give way to the server and to short ones.
_POLITE = 5
#: Out of memory, Linux ends a computation before the server: 0 to 1,000.
_SOONER = 700
#: Seconds between two reports, and more for each byte of an iterate.
_EVERY, _PER_BYTE = 0.1, 2e-8
#: Seconds within which the first request comes, if a job waits for the process.
_SOON = 0.05


def work(connections: Sequence[Connection], most: int | None, quick: float) -> None:
    """Compute the server's requests until it ends.

    most: Bytes that may be allocated.
    quick: Seconds from which a computation gives way to others.
    """
    with suppress(OSError, RuntimeError):  # without a log
        os.dup2(2, 1)  # prints go to the log
        faulthandler.enable()
    if sys.platform == "linux":
        with suppress(OSError):
            Path("/proc/self/oom_score_adj").write_text(str(_SOONER))
    memory.limit(most)
    line, opener = Line(connections[0], packed), Opener(connections[0])
    line.send({"ready": True})
    _compile_ahead(line)
    for data in line.requests():
        try:
            # Large arrays follow on the line.
            line.send(_answer(line, opener(data), quick))
        except MemoryError:
            line.send({"memory": True})
        except Exception:  # the result cannot be pickled
            line.send({"broken": traceback.format_exc()})


def _compile_ahead(line: Line) -> None:
    """Compile until the first request comes."""
    from tripletscope.dashboard.jobs import prepare

    for part in prepare.PARTS:
        if line.wait(_SOON):
            return
        part()


_held: Mapping[str, np.ndarray] = {}


def compute(*arguments: Any, begun: Run | None, progress: Progress) -> Run:
    """As `tripletscope.core.run.run`; the arrays stay here until they are written."""
    global _held
    result = run(*arguments, begun=begun, progress=progress)
    _held = result.arrays
    return replace(result, arrays={})


def write(path: Path, progress: Progress = silent) -> str:
    """Write the last result's arrays to a file; the hash of its content."""
    global _held
    digest = write_arrays(path, _held)
    _held = {}
    return digest


def _answer(line: Line, function: Callable[..., Any], quick: float) -> Message:
    reports = _Reports(line)
    later = threading.Timer(quick, _give_way)
    later.daemon = True
    later.start()
    try:
        with engine().in_use():
            reply = {"done": function(progress=reports)}
    except MemoryError:
        reply = {"memory": True}
    except (EngineError, Stopped, ValueError, OSError) as error:
        reply = {"failed": error}
    except BaseException:
        reply = {"broken": traceback.format_exc()}
    finally:
        later.cancel()
        reports.close()
    return {"held": memory.held(), **reply}


def _give_way() -> None:
    if sys.platform == "linux":  # where each thread has a priority of its own
        for thread in os.listdir("/proc/self/task"):
            with suppress(OSError):  # it has ended
                os.setpriority(os.PRIO_PROCESS, int(thread), _POLITE)
    elif hasattr(os, "nice"):
        os.nice(_POLITE)


class _Reports:
    """Progress for the server, now and then: all losses, and the best iterate so far."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._waiting: list[tuple[float, dict[str, Any]]] = []
        self._last: dict[int, float] = {}  # loss by start
        self._next_picture = 0.0
        self._stop = self._stopping = self._over = False
        self._change, self._sending = threading.Lock(), threading.Lock()
        threading.Thread(target=self._hand_on_always, name="reports", daemon=True).start()

    def __call__(
        self, fraction: float, *, loss: float | None = None, snapshot: np.ndarray | None = None,
        start: int = 0,
    ) -> bool:
        details: dict[str, Any] = {}
        with self._change:
            if loss is not None:
                details = {"loss": float(loss), "start": start}
                best = loss <= min(self._last.values(), default=np.inf)
                self._last[start] = loss
                now = time.monotonic()
                if snapshot is not None and best and now >= self._next_picture:
                    details["snapshot"] = snapshot.copy()
                    self._next_picture = now + _EVERY + _PER_BYTE * snapshot.nbytes
            self._waiting.append((float(fraction), details))
            self._stopping |= self._stop
        return self._stopping

    def close(self) -> None:
        """Send the rest, before the answer."""
        with self._sending:
            self._hand_on()
            self._over = True

    def _hand_on_always(self) -> None:
        while True:
            with self._sending:
                if self._over:
                    return
                self._hand_on()
                self._stop = self._line.stopped()
            self._line.wait(_EVERY)

    def _hand_on(self) -> None:
        with self._change:
            waiting, self._waiting = self._waiting, []
            stopping = self._stopping
        if waiting:
            pieces = [str(running) for running in at_work()]
            self._line.send({
                "report": _shortened(waiting), "stopping": stopping, "held": memory.held(),
                "pieces": pieces,
            })


def _shortened(waiting: list[tuple[float, dict[str, Any]]]) -> list[tuple[float, dict[str, Any]]]:
    """All losses; of reports without one, only the last."""
    last = waiting[-1]
    return [report for report in waiting if report[1] or report is last]
