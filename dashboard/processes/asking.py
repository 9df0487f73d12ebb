"""Processes that are asked, watched, told to stop, and ended: the server's side of `program`."""

from __future__ import annotations

import queue
import threading
import time
import weakref
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from typing import BinaryIO

from tripletscope.dashboard.processes import program
from tripletscope.dashboard.processes.program import Message
from tripletscope.dashboard.processes.starting import READY, Process

_TICK = 0.2  # seconds between two looks at whether somebody wants to stop


class Gone(Exception):
    """A process has ended between two requests; another one can be asked."""


class Lost(Exception):
    """A process has ended while it was at work.

    stopping: Whether it had been asked to stop.
    """

    def __init__(self, stopping: bool) -> None:
        super().__init__("a process has ended")
        self.stopping = stopping


class Asked:
    """A process that answers; any number of threads may ask.

    pack, unpack: As in `tripletscope.dashboard.processes.program.Duty`.
    longest: Bytes of a message; after a longer one it is not listened to any more.
    reserved: Whether it must not make room for others; whoever took it decides.
    used: When it was asked last.
    """

    def __init__(
        self, process: Process, pack: Callable[[Message], list[bytes]],
        unpack: Callable[[memoryview], Message], longest: int | None = None,
    ) -> None:
        self.reserved = True
        self.used = time.monotonic()
        self._process = process
        self._pack = pack
        self._numbers = count(1)
        self._inboxes: dict[int, queue.SimpleQueue] = {0: queue.SimpleQueue()}
        self._writing = threading.Lock()
        self._dismissed = False
        self._listening = threading.Thread(
            target=_listen, args=(process.stdout, self._inboxes, unpack, longest), daemon=True,
            name="listener",
        )
        self._listening.start()
        # Whoever forgets it has ended it.
        self._end = weakref.finalize(self, _kill, process)

    @property
    def alive(self) -> bool:
        """Whether it can be asked: one that has said what makes no sense is not listened to."""
        return self._listening.is_alive() and self._process.poll() is None

    @property
    def busy(self) -> bool:
        """Whether it is about to be asked, or has not answered."""
        return self.reserved or len(self._inboxes) > 1

    @property
    def pid(self) -> int:
        return self._process.pid

    def get_ready(self) -> None:
        """Wait until it can be asked."""
        with suppress(queue.Empty):
            if self._inboxes[0].get(timeout=READY) is not None:
                self._inboxes[0].put({"ready": True})
                return
        self.close()
        raise Gone

    def close(self) -> None:
        """End the process; what it was asked is not answered."""
        self._dismissed = True
        self._end()

    def _exchange(
        self, message: Message, heard: Callable[[Message], bool], grace: Callable[[], float],
        sent: Callable[[int], None] = lambda size: None,
    ) -> Message:
        """Send a message; the answer to it, which is the first that is no ``report``.

        heard: Called in this thread with every report, and with an empty one now and then; true
            asks the process to stop.
        grace: Seconds after which one that was asked to stop is ended.
        sent: Is told how many bytes the message has.
        """
        number, inbox = next(self._numbers), queue.SimpleQueue()
        self._inboxes[number] = inbox
        try:
            pieces = self._pack({**message, "id": number})
            sent(sum(memoryview(piece).nbytes for piece in pieces))
            if not self.alive:
                raise Gone
            self._write(pieces)
            return self._answer(number, inbox, heard, grace)
        except (Gone, Lost):
            raise
        except BaseException:  # also the end of a page that waited
            self._send({"cancel": number})
            raise
        finally:
            del self._inboxes[number]
            self.used = time.monotonic()

    def _answer(
        self, number: int, inbox: queue.SimpleQueue, heard: Callable[[Message], bool],
        grace: Callable[[], float],
    ) -> Message:
        asked_to_stop, since = False, 0.0
        while True:
            message = {}
            with suppress(queue.Empty):
                message = inbox.get(timeout=_TICK)
            over = not self._listening.is_alive() and inbox.empty()
            if message is None or (not message and over):
                raise Lost(asked_to_stop)
            if message and "report" not in message:
                return message
            if heard(message) and not asked_to_stop:
                asked_to_stop, since = True, time.monotonic()
                self._send({"cancel": number})
            if asked_to_stop and time.monotonic() - since > grace():
                self.close()

    def _send(self, message: Message) -> None:
        self._write(self._pack({"id": 0, **message}))

    def _write(self, pieces: list[bytes]) -> None:
        with self._writing, suppress(OSError, ValueError):  # it has ended: so will the answer
            program.write(self._process.stdin, pieces)
            self._process.stdin.flush()


def _listen(
    source: BinaryIO, inboxes: dict[int, queue.SimpleQueue],
    unpack: Callable[[memoryview], Message], longest: int | None,
) -> None:
    """Hand out what a process says, until it ends or says what makes no sense."""
    with suppress(OSError, ValueError, TypeError, AttributeError, MemoryError), source:
        while (data := program.read(source, longest)) is not None:
            message = unpack(data)
            inbox = inboxes.get(message.get("id", 0))
            if inbox is not None:
                inbox.put(message)
    for inbox in list(inboxes.values()):
        inbox.put(None)
    # Whoever asks after this finds nobody.
    inboxes[0].put(None)


def _kill(process: Process) -> None:
    with suppress(OSError):
        process.kill()
    process.wait()
    with suppress(OSError):
        process.stdin.close()
