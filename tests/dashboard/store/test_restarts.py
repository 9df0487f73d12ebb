"""A restart in the middle of any kind of result leaves it as it was, or whole, or asked again."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from tests.core.test_run import ALONE, DATA, METHODS, QUICK, of_all_kinds, same
from tripletscope.core.run import Run, run
from tripletscope.dashboard.results.registry import PRESENTATIONS
from tripletscope.dashboard.store.folder import RUN
from tripletscope.dashboard.store.workspace import Workspace

#: What changes files, of which a process may do none, some or all.
CHANGES = {"os.mkdir", "os.rename", "os.remove", "os.truncate"}
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes do not fork there")
SHOWN = sorted({task for task, _, _ in PRESENTATIONS if isinstance(task, str)})


@pytest.fixture(scope="module")
def answers():
    return of_all_kinds()


@pytest.fixture(scope="module")
def computed(answers) -> Callable[[str], Run]:
    return cache(lambda task: run(
        task, METHODS.get(task, ALONE), DATA.get(task, answers), QUICK[task]
    ))


@pytest.fixture(scope="module")
def kept(answers, tmp_path_factory) -> Path:
    """A workspace with the answers."""
    workspace = Workspace(tmp_path_factory.mktemp("kept") / "ws")
    workspace.add_dataset(answers, origin="a.csv", report=[])
    workspace.close()
    return workspace.folder


def keep(folder: Path, result: Run) -> None:
    workspace = Workspace(folder)
    (info,) = workspace.datasets()
    workspace.add_run(info, result, result.task)
    workspace.close()


def kept_until(folder: Path, result: Run, ends: Callable[[str, str], bool]) -> bool:
    """Keep a result in a process that ends at once before some change; whether it did.

    ends: Asked for a change and the name of the file.
    """
    workspace = Workspace(folder)
    (info,) = workspace.datasets()
    process = os.fork()
    if not process:
        def end(event: str, given: tuple[Any, ...]) -> None:
            is_write = event == "open" and isinstance(given[1], str) and "w" in given[1]
            if (event in CHANGES or is_write) and ends(event, Path(os.fsdecode(given[0])).name):
                os._exit(1)

        sys.addaudithook(end)
        workspace.add_run(info, result, result.task)
        os._exit(0)
    ended = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 1
    workspace.close()
    return ended


def found(folder: Path, result: Run) -> Run | None:
    """The result after the restart, of which nothing is damaged."""
    workspace = Workspace(folder)
    (info,) = workspace.datasets()
    assert workspace.unreadable(info.id) == []
    listed = [one.key for one in workspace.runs(info.id)]
    read = workspace.run(info.id, result.key)
    assert listed == ([] if read is None else [result.key])
    workspace.close()
    return read


@pytest.mark.parametrize("is_first", [True, False], ids=["asked", "more than a first result"])
def test_a_result_is_kept_as_a_whole_or_not(is_first, computed, kept, tmp_path):
    """Ended before each change of a file, one after the other."""
    whole, seen, n_changes, ended = computed("fit"), set(), 0, True
    before = replace(whole, complete=False)
    while ended:
        folder, left = copytree(kept, tmp_path / f"{n_changes}"), iter(range(n_changes))
        if not is_first:
            keep(folder, before)
        ended = kept_until(folder, whole, lambda event, name, left=left: next(left, None) is None)
        after = found(folder, whole)
        assert after is None or same(after, whole if after.complete else before)
        seen.add(after and after.complete)
        keep(folder, whole)  # asked again
        assert same(found(folder, whole), whole)
        n_changes += 1
    assert seen == {None if is_first else False, True}, "a first result is lost"
    assert after.complete, "what is written as a whole is there"


@pytest.mark.parametrize("task", SHOWN)
def test_every_kind_of_result_outlives_a_restart_or_is_asked_again(task, computed, kept, tmp_path):
    """Ended where the arrays are there, and their description is not."""
    folder, whole = copytree(kept, tmp_path / "ws"), computed(task)
    first = replace(whole, complete=False)
    keep(folder, first)
    assert kept_until(folder, whole, lambda event, name: (
        event == "os.rename" and name.startswith(RUN)
    ))
    assert same(found(folder, whole), first)
    keep(folder, whole)
    assert same(found(folder, whole), whole)
