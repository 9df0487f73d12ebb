"""The browser of the server that draws figures for files."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Mapping, Sequence
from typing import Any

import kaleido
import plotly.graph_objects as go
import plotly.io
from choreographer.browsers.chromium import Chromium
from choreographer.errors import ChannelClosedError, DevtoolsProtocolError
from choreographer.utils import get_browser_path
from kaleido.errors import JavascriptError, KaleidoError

from tripletscope.dashboard.printing.typeface import whole_face

#: Seconds without a figure after which it ends: it takes a gigabyte.
_IDLE = 300.0
#: Errors of a figure, not of the browser, and timeouts.
_NOT_DRAWN = (KaleidoError, JavascriptError, DevtoolsProtocolError, TimeoutError)

_lock = threading.RLock()
_running = False
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


def get_ready() -> None:
    """Start the browser, if there is one, without waiting for it."""
    if can_render() and not _running:
        threading.Thread(target=_start, name="browser that draws", daemon=True).start()


def draw(figure: go.Figure, options: Mapping[str, Any]) -> bytes:
    """A figure as the browser draws it."""
    with _lock:
        # Asking first matters: without a browser, kaleido's server would wait for ever.
        if not can_render():
            raise ExportError(
                "This format needs a Chrome or Chromium on the server. Install one, or choose "
                "HTML."
            )
        try:
            try:
                return _drawn(figure, options)
            except ChannelClosedError:
                close_browser()
                return _drawn(figure, options)
        except ChannelClosedError as error:
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


def _drawn(figure: go.Figure, options: Mapping[str, Any]) -> bytes:
    _start()
    return plotly.io.to_image(figure, **options)


def _start() -> None:
    global _running, _clock
    with _lock:
        if _clock is not None:
            _clock.cancel()
        _clock = threading.Timer(_IDLE, close_browser)
        _clock.daemon = True
        _clock.start()
        if not _running:
            plotly.io.defaults.headers = None  # otherwise every call warns about them
            kaleido.start_sync_server(
                n=1, path=browser_path(), page_generator=_Lettered(mathjax=False),
                browser_cls=_Offline, silence_warnings=True,
            )
            _running = True


def close_browser() -> None:
    global _running
    with _lock:
        if _running:
            kaleido.stop_sync_server(silence_warnings=True)
            _running = False
