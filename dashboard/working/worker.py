"""What a process of jobs does, as `tripletscope.dashboard.processes.program` runs it."""

from __future__ import annotations

import faulthandler
import os
import sys
import threading
import time
import traceback
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from tripletscope.core.data.triplets import Judgements
from tripletscope.core.engine.engine import engine
from tripletscope.core.engine.parallel import at_work
from tripletscope.core.engine.pieces import EngineError
from tripletscope.core.engine.progress import Stopped
from tripletscope.dashboard.keeping.files import write_arrays
from tripletscope.dashboard.processes.program import Message, Send
from tripletscope.dashboard.working import memory, parcels
from tripletscope.dashboard.working.parcels import Key

#: Sets of answers that stay.
_FEW = 4
#: What takes long gives way to the server, to its pages, and to what does not.
_POLITE = 5
#: Where memory runs out, Linux is to end a computation rather than the server: 0 to 1,000.
_SOONER = 700
#: Seconds between two reports, and how many more for each byte of a picture of the iterate.
_EVERY, _PER_BYTE = 0.1, 2e-8

pack, unpack = parcels.pack, parcels.unpack


def get_ready() -> Iterator[None]:
    """Load compiled code; maps first, which most begin with."""
    from tripletscope.dashboard.working import prepare

    for part in (
        prepare.compile_embeddings, prepare.compile_uncertainty, prepare.compile_kernels,
        prepare.compile_trees,
    ):
        part()
        yield


def begin() -> Callable[[Message, Send, threading.Event], None]:
    """Be the first to go where memory runs out."""
    if sys.platform == "linux":
        with suppress(OSError):
            Path("/proc/self/oom_score_adj").write_text(str(_SOONER))
    with suppress(OSError, RuntimeError):  # nobody would read where it fails
        faulthandler.enable()
    return Bench().answer


class Bench:
    """What a process holds between two requests: answers, and arrays that are to be written."""

    def __init__(self) -> None:
        self._known: OrderedDict[Key, Judgements] = OrderedDict()
        self._arrived = threading.Condition()
        self._arrays: Mapping[str, np.ndarray] = {}

    def answer(self, message: Message, send: Send, stop: threading.Event) -> None:
        """Do what the server asks."""
        if "data" in message:
            self._take(message["data"], message["parts"])
            return
        reports = _Reports(message["id"], send, stop)
        try:
            if "write" in message:
                reply = {"done": write_arrays(Path(message["write"]), self._arrays)}
                self._arrays = {}
            else:
                reply = {"done": self._call(message, send, reports)}
        except MemoryError:
            reply = {"memory": True}
        except (EngineError, Stopped, ValueError, OSError) as error:
            reply = {"failed": error}
        except BaseException:
            reply = {"broken": traceback.format_exc()}
        finally:
            reports.close()
        self._reply(send, {"id": message["id"], "held": memory.held(), **reply})

    def _reply(self, send: Send, reply: Message) -> None:
        try:
            send(reply)
        except MemoryError:
            send({"id": reply["id"], "memory": True})
        except Exception:  # what cannot be packed
            send({"id": reply["id"], "broken": traceback.format_exc()})

    def _call(self, message: Message, send: Send, reports: _Reports) -> Any:
        memory.limit(message["most"])
        later = threading.Timer(message["quick"], _give_way)
        later.daemon = True
        later.start()
        try:
            return self._called(message, send, reports)
        finally:
            later.cancel()

    def _called(self, message: Message, send: Send, reports: _Reports) -> Any:
        parcel = message["call"]
        function, args, kwargs = parcel.opened(self._data(message["id"], parcel.keys, send))
        with engine().in_use():
            result = function(*args, **kwargs, progress=reports)
        if message["keep"]:
            self._arrays, result = result.arrays, replace(result, arrays={})
        return result

    def _data(self, number: int, keys: list[Key], send: Send) -> dict[Key, Judgements]:
        """The answers of some keys; what is not here yet is asked for."""
        with self._arrived:
            lacking = [key for key in keys if key not in self._known]
            if lacking:
                send({"id": number, "report": [], "lacks": lacking})
                self._arrived.wait_for(lambda: all(key in self._known for key in keys))
            found = {key: self._known[key] for key in keys}
            for key in keys:
                self._known.move_to_end(key)
            while len(self._known) > max(_FEW, len(keys)):
                self._known.popitem(last=False)
        return found

    def _take(self, key: Key, parts: tuple[Any, ...]) -> None:
        with self._arrived:
            self._known[key] = parcels.of_parts(key[0], parts)
            self._arrived.notify_all()


def _give_way() -> None:
    """Let the processors do what else there is, if it is not as long."""
    if sys.platform == "linux":  # where each thread has a priority of its own
        for thread in os.listdir("/proc/self/task"):
            with suppress(OSError):  # it has ended
                os.setpriority(os.PRIO_PROCESS, int(thread), _POLITE)
    elif hasattr(os, "nice"):
        os.nice(_POLITE)


class _Reports:
    """Progress that goes to the server now and then: all losses, and the best iterate so far."""

    def __init__(self, number: int, send: Send, stop: threading.Event) -> None:
        self._number, self._send, self._stop = number, send, stop
        self._waiting: list[tuple[float, dict[str, Any]]] = []
        self._last: dict[int, float] = {}  # loss by start
        self._next_picture = 0.0
        self._told = False
        self._over = threading.Event()
        self._change = threading.Condition()
        self._sender = threading.Thread(target=self._hand_on, name="reports", daemon=True)
        self._sender.start()

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
            stop = self._stop.is_set()
            self._told |= stop
            self._change.notify()
        return stop

    def close(self) -> None:
        """Hand on what has not been, before the answer."""
        with self._change:
            self._over.set()
            self._change.notify()
        self._sender.join()

    def _hand_on(self) -> None:
        told = False
        while True:
            with self._change:
                self._change.wait_for(lambda: self._waiting or self._over.is_set())
                waiting, self._waiting = self._waiting, []
                over, told_now = self._over.is_set(), self._told
            if waiting:
                message = {"id": self._number, "report": _shortened(waiting)}
                if told_now and not told:
                    told = message["told"] = True
                pieces = [str(running) for running in at_work()]
                self._send({**message, "held": memory.held(), "pieces": pieces})
            if over:
                return
            self._over.wait(_EVERY)


def _shortened(waiting: list[tuple[float, dict[str, Any]]]) -> list[tuple[float, dict[str, Any]]]:
    """All losses; of reports without one, the last alone."""
    last = waiting[-1]
    return [report for report in waiting if report[1] or report is last]
