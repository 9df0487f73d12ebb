"""Pages that stand still: where every thread is goes to the log."""

from __future__ import annotations

import logging
import sys
import threading
import time
import traceback
from collections.abc import Mapping
from types import FrameType

log = logging.getLogger(__name__)

#: Streamlit's name for the threads of pages.
PAGE = "ScriptRunner.scriptThread"
_LONG, _EVERY = 60.0, 15.0  # seconds

#: Place of a thread: its innermost frame, and the instruction there.
Place = tuple[int, str, int]


class Watchdog:
    """Looks again and again whether a page has stood at one place for more than a minute."""

    def __init__(self) -> None:
        self._places: dict[int, tuple[Place, float]] = {}
        self._told: set[tuple[int, Place]] = set()

    def look(self, now: float) -> None:
        """Write all stacks into the log if a page has begun to stand still; once for each."""
        frames = sys._current_frames()
        places = {page: _place(frame) for page, frame in _pages(frames).items()}
        self._places = {
            page: self._places[page] if page in self._places and self._places[page][0] == place
            else (place, now) for page, place in places.items()
        }
        still = {
            (page, place) for page, (place, since) in self._places.items() if now - since > _LONG
        }
        if still - self._told:
            log.error("a page has waited for over a minute; all threads:\n%s", _stacks(frames))
        self._told = still

    def look_always(self) -> None:
        while True:
            time.sleep(_EVERY)
            self.look(time.monotonic())


def watch_pages() -> None:
    threading.Thread(target=Watchdog().look_always, name="watchdog", daemon=True).start()


def _pages(frames: Mapping[int, FrameType]) -> dict[int, FrameType]:
    pages = {thread.ident for thread in threading.enumerate() if thread.name == PAGE}
    return {page: frames[page] for page in pages & {*frames}}


def _place(frame: FrameType) -> Place:
    return id(frame), frame.f_code.co_qualname, frame.f_lasti


def _stacks(frames: Mapping[int, FrameType]) -> str:
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    return "\n".join(
        f"{names.get(ident, ident)}:\n{''.join(traceback.format_stack(frame))}"
        for ident, frame in frames.items()
    )
