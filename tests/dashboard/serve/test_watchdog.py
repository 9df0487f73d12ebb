"""A page that stands still writes where every thread is into the log, once."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator

import pytest
from streamlit.runtime.scriptrunner import script_runner

from tripletscope.dashboard.serve import watchdog
from tripletscope.dashboard.serve.watchdog import Watchdog


def page() -> Iterator[None]:
    yield  # here it waits
    yield  # and then here


@pytest.fixture
def standing(monkeypatch):
    """A page whose place is where its generator has stopped."""
    standing = page()
    next(standing)
    monkeypatch.setattr(watchdog, "_pages", lambda frames: {1: standing.gi_frame})
    return standing


def test_a_page_that_stands_still_is_told_once(standing, caplog):
    dog = Watchdog()
    for now in (0.0, 59.0):
        dog.look(now)
    assert not caplog.records
    for now in (61.0, 90.0):
        dog.look(now)
    [record] = caplog.records
    assert "test_a_page_that_stands_still_is_told_once" in record.getMessage(), (
        "who holds what it waits for is another thread"
    )


def test_a_page_that_goes_on_is_not_told_until_it_stands_again(standing, caplog):
    dog = Watchdog()
    dog.look(0.0)
    next(standing)
    for now in (50.0, 100.0):
        dog.look(now)
    assert not caplog.records
    dog.look(111.0)
    assert len(caplog.records) == 1
    dog.look(120.0)
    assert len(caplog.records) == 1


def test_pages_are_known_by_the_name_of_their_threads(monkeypatch):
    """Other threads may wait as long as they like."""
    begun, over, page_thread = threading.Event(), threading.Event(), None

    def run(self) -> None:
        nonlocal page_thread
        page_thread = threading.get_ident()
        begun.set()
        over.wait()

    monkeypatch.setattr(script_runner.ScriptRunner, "_run_script_thread", run)
    runner = script_runner.ScriptRunner.__new__(script_runner.ScriptRunner)
    runner._script_thread = None
    runner.start()
    begun.wait()
    assert {*watchdog._pages(sys._current_frames())} == {page_thread}
    over.set()
    runner._script_thread.join()
