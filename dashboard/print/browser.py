"""The browser of the server that draws figures for files."""

from __future__ import annotations

import asyncio
import atexit
import logging
import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from typing import Any

import kaleido
import plotly.graph_objects as go
from choreographer.browsers.chromium import Chromium
from choreographer.channels import Pipe
from choreographer.errors import (
    BrowserClosedError,
    BrowserFailedError,
    ChannelClosedError,
    DevtoolsProtocolError,
)
from choreographer.utils import get_browser_path
from kaleido.errors import JavascriptError, KaleidoError

from tripletscope.dashboard.print.typeface import whole_face

#: Seconds without a figure after which it ends: it takes a gigabyte.
_IDLE = 300.0
#: Seconds that a figure may take, with the browser's start.
_DEADLINE = 120.0
#: Seconds to wait for figures of others: for one that takes too long, and some more.
_WAIT = 2 * _DEADLINE
#: Seconds that a process or a thread may take to end.
_DEAF = 5.0
#: Errors of a browser that has ended.
_ENDED = (ChannelClosedError, BrowserClosedError, BrowserFailedError, CancelledError)
#: Errors of a figure, not of the browser, and of the system, timeouts among them.
_NOT_DRAWN = (KaleidoError, JavascriptError, DevtoolsProtocolError, OSError)

_drawing = threading.Lock()  # held while a figure is drawn
_changing = threading.Lock()  # held for a moment
_browser: _Browser | None = None
_clock: threading.Timer | None = None


class ExportError(Exception):
    """A file could not be made; the message says why and what to do."""


class _Offline(Chromium):
    """A browser without network access; by default it looks for updates."""

    _FLAGS = (
        "--disable-background-networking", "--host-resolver-rules=MAP * ~NOTFOUND",
        # Port 9 is closed, or discards what it is sent; only administrators could listen there.
        "--proxy-server=http://127.0.0.1:9", "--proxy-bypass-list=<-loopback>",
        # Texts are as wide without windows as with them.
        "--font-render-hinting=none",
    )

    def get_cli(self) -> Sequence[str]:
        return [*super().get_cli(), *self._FLAGS]


class _Lettered(kaleido.PageGenerator):
    """The page that draws, with the typeface, by which it measures texts."""

    def generate_index(self) -> str:
        rule = whole_face()
        load = "<script>document.fonts.forEach(font => font.load())</script>"
        return super().generate_index().replace("</title>", f"</title><style>{rule}</style>{load}")


def browser_path() -> str | None:
    """Path of a browser; of Chromium's shell without windows if there is one, which is faster."""
    slim = get_browser_path(executable_names=("chromium-headless-shell",))
    # What BROWSER_PATH names need not be there, and kaleido would wait for it for ever.
    return shutil.which(slim or "") or shutil.which(Chromium.find_browser(skip_local=False) or "")


def can_render() -> bool:
    return bool(browser_path())


def kill(process: subprocess.Popen) -> None:
    """End a process that leads a session, with all that it has started, whatever state it is in."""
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError, PermissionError):  # all of them have ended
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    with suppress(subprocess.TimeoutExpired):
        process.wait(_DEAF)


class _Browser:
    """A browser, and the thread that speaks with it; either may stand still."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._ended = asyncio.Event()
        self._pipe = Pipe()
        self._kaleido = kaleido.Kaleido(
            n=1, timeout=None, page_generator=_Lettered(mathjax=False), path=browser_path(),
            browser_cls=_Offline, channel_cls=lambda: self._pipe,
        )
        self._opening = asyncio.run_coroutine_threadsafe(self._kaleido.open(), self._loop)
        self._thread = threading.Thread(target=self._run, name="browser that draws", daemon=True)
        # What becomes of a browser that has ended is told to those who wait for its figures.
        self._loop.set_exception_handler(lambda *_: None)
        logging.getLogger("choreographer").setLevel(logging.ERROR)
        atexit.register(self.end)
        self._thread.start()

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._until_its_end())

    async def _until_its_end(self) -> None:
        await self._ended.wait()
        await self._kaleido.close()

    def draw(self, figure: go.Figure, options: Mapping[str, Any], seconds: float) -> bytes:
        task = asyncio.run_coroutine_threadsafe(self._drawn(figure.to_dict(), options), self._loop)
        return task.result(seconds)

    async def _drawn(self, figure: dict[str, Any], options: Mapping[str, Any]) -> bytes:
        await asyncio.wrap_future(self._opening)
        return await self._kaleido.calc_fig(figure, dict(options))

    def end(self) -> None:
        """End the browser by force, as one that stands still would never end itself."""
        atexit.unregister(self.end)
        until = time.monotonic() + _DEAF
        while not hasattr(self._kaleido, "subprocess") and not self._opening.done():
            if time.monotonic() > until:
                break
            time.sleep(0.01)
        if hasattr(self._kaleido, "subprocess"):
            kill(self._kaleido.subprocess)
            self._pipe.close()  # wakes threads that read or write
        self._loop.call_soon_threadsafe(self._ended.set)
        self._thread.join(_DEAF)


def get_ready() -> None:
    """Start the browser, if there is one, without waiting for it."""
    if can_render():
        _started()


def draw(figure: go.Figure, options: Mapping[str, Any]) -> bytes:
    """A figure as the browser draws it; one that takes too long is an error."""
    if not can_render():
        raise ExportError(
            "This format needs a Chrome or Chromium on the server. Install one, or choose HTML."
        )
    with _turn():
        until = time.monotonic() + _DEADLINE
        try:
            try:
                return _drawn(figure, options, until)
            except _ENDED:
                close_browser()
                return _drawn(figure, options, until)
        except _ENDED as error:
            close_browser()
            raise ExportError(
                "The browser that draws figures on the server ended twice. Try again, or choose "
                "HTML."
            ) from error
        except _NOT_DRAWN as error:
            close_browser()  # it may still be at it
            why = "it took too long" if isinstance(error, TimeoutError) else str(error)
            raise ExportError(
                f"The browser on the server could not draw this figure: {why.rstrip('.')}. "
                "Try another size, or choose HTML."
            ) from error


@contextmanager
def _turn() -> Iterator[None]:
    """The figures of all sessions are drawn one by one."""
    if not _drawing.acquire(timeout=_WAIT):
        raise ExportError(
            "The browser on the server is busy with other figures. Try again in a minute, or "
            "choose HTML."
        )
    try:
        yield
    finally:
        _drawing.release()


def _drawn(figure: go.Figure, options: Mapping[str, Any], until: float) -> bytes:
    return _started().draw(figure, options, until - time.monotonic())


def _started() -> _Browser:
    global _browser, _clock
    with _changing:
        if _clock is not None:
            _clock.cancel()
        _clock = threading.Timer(_IDLE, _rest)
        _clock.daemon = True
        _clock.start()
        if _browser is None:
            _browser = _Browser()
        return _browser


def _rest() -> None:
    """End the browser, unless a figure is being drawn: that has set the clock anew."""
    if _drawing.acquire(blocking=False):
        try:
            close_browser()
        finally:
            _drawing.release()


def close_browser() -> None:
    """End the browser; the next figure starts another."""
    global _browser
    with _changing:
        ending, _browser = _browser, None
    if ending is not None:
        ending.end()
