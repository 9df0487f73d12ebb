"""The loop of a process that answers."""

from __future__ import annotations

import os

import pytest

from tripletscope.dashboard.processes import program
from tripletscope.dashboard.working import parcels


def test_messages_that_are_no_requests_are_all_heard(tmp_path, monkeypatch):
    """They share a number, and may be handled in any order."""
    later, heard = [], []

    class Thread:
        def __init__(self, target, args, daemon):
            self.start = lambda: later.append(lambda: target(*args))

    def end(status):
        raise SystemExit

    monkeypatch.setattr(program.threading, "Thread", Thread)
    monkeypatch.setattr(os, "_exit", end)
    path = tmp_path / "said"
    with path.open("wb", buffering=0) as file:
        for key in "ab":
            program.write(file, parcels.pack({"id": 0, "data": key}))
    with path.open("rb") as said, (tmp_path / "answers").open("wb", buffering=0) as target:
        with pytest.raises(SystemExit):
            program._serve(
                parcels, lambda message, send, stop: heard.append(message["data"]), said, target
            )
        for handle in later:
            handle()
    assert heard == ["a", "b"]
