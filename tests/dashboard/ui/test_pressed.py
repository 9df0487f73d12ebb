"""What a button was pressed for is done once, whatever ends the run that had begun it."""

from __future__ import annotations

import ast
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from tests.paths import ROOT
from tests.sources import files_of
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.streamlit_parts import Interrupted
from tripletscope.dashboard.ui.controls import doing

PATIENCE = 300  # seconds


@pytest.fixture
def current(services) -> Session:
    return Session("s")


@contextmanager
def ended_at(where: str):
    """A spinner at which another click ends the run: when it comes, when it goes, or at news."""
    if where == "begin":
        raise Interrupted

    def progress(fraction: float, **details) -> bool:
        if where == "news":
            raise Interrupted
        return True

    yield progress
    if where == "end":
        raise Interrupted


@pytest.mark.parametrize("where", ["begin", "news", "end", ""])
def test_it_is_done_once(current, where):
    done = []
    current.press("go")
    for turn in range(4):
        if not current.take_press("go"):
            break
        try:
            with doing(current, ended_at(where if turn == 0 else "")) as progress:
                assert not progress(0.5), "nobody asks to stop"
                done.append(turn)
        except Interrupted:
            assert where in ("begin", "end")
    assert done == [1 if where == "begin" else 0]


def test_a_second_press_meanwhile_is_part_of_the_first(current):
    """The button stood there for what was left then, which nobody had seen."""
    current.press("go")
    assert current.take_press("go")
    with doing(current, ended_at("")):
        current.press("go")
    assert not current.take_press("go")


def test_what_fails_is_not_done_again(current):
    current.press("go")
    assert current.take_press("go")
    with pytest.raises(ValueError, match="no"), doing(current, ended_at("")):
        raise ValueError("no")
    assert not current.take_press("go")


def test_the_next_run_waits_for_what_was_begun(current):
    begun, other, order = threading.Event(), threading.Event(), []

    def old_run():
        with doing(current, ended_at("")):
            begun.set()
            other.wait(PATIENCE)
            time.sleep(0.1)  # in which the other would be drawn, if it did not wait
            order.append("done")

    def new_run():
        other.set()
        current.begin_run()
        order.append("drawn")

    with ThreadPoolExecutor(2) as threads:
        runs = [threads.submit(old_run)]
        assert begun.wait(PATIENCE)
        runs.append(threads.submit(new_run))
    assert [run.exception() for run in runs] == [None, None]
    assert order == ["done", "drawn"]


def calls(node: ast.AST) -> set[str]:
    return {
        getattr(each.func, "attr", getattr(each.func, "id", "")) for each in ast.walk(node)
        if isinstance(each, ast.Call)
    }


def test_no_page_shows_a_spinner_between_a_press_and_what_it_is_for():
    """There a run ends, and the press with it: answers that were opened stayed where they were."""
    pressed, bare = 0, []
    for path in files_of("dashboard", "pages"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.If) or not {"pressed", "run_button"} & calls(node.test):
                continue
            pressed += 1
            bare += [
                f"{path.relative_to(ROOT)}:{each.lineno}"
                for part in node.body for each in ast.walk(part) if isinstance(each, ast.With)
                if {"spinner", "reporting"} & calls(each.items[-1])
                and "doing" not in calls(each.items[-1])
            ]
    assert pressed > 30
    assert not bare
