"""Habits of tests that keep them from failing where others use the machine, too."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

from tests.paths import ROOT
from tests.sources import tree_of

#: What asks for processes and ports in place of all others, and this file.
APART = [ROOT / "tests" / "processes.py", ROOT / "tests" / "ports.py", Path(__file__),
         ROOT / "tests" / "test_processes.py"]


def name_of(call: ast.Call) -> str:
    return ast.unparse(call.func)


def keyword(call: ast.Call, name: str) -> ast.expr | None:
    return next((one.value for one in call.keywords if one.arg == name), None)


def looks_at_processes(node: ast.AST) -> bool:
    """They may be gone when the next line asks for their name."""
    match node:
        case ast.Attribute(value=ast.Name(id="psutil"), attr=what):
            return what != "net_io_counters"
        case ast.ImportFrom(module=module):
            return module == "psutil"
        case ast.Constant(value=str(text)) | ast.JoinedStr(values=[ast.Constant(value=text), *_]):
            return text.startswith("/proc/") and not text.startswith(("/proc/self/", "/proc/sys/"))
    return False


def kills_others(node: ast.AST) -> bool:
    """`tests.processes.kill` does not mind if they have gone."""
    return (
        isinstance(node, ast.Call) and name_of(node) in ("os.kill", "os.killpg")
        and ast.unparse(node.args[0]) not in ("os.getpid()", "os.getppid()")
        and ast.unparse(node.args[-1]) == "signal.SIGKILL"
    )


def picks_a_port(node: ast.AST) -> bool:
    """Somebody else may be given it before it is used."""
    return (
        isinstance(node, ast.Call) and name_of(node).endswith(".bind")
        and isinstance(node.args[0], ast.Tuple)  # others are files
    )


def may_stay(node: ast.AST) -> bool:
    """Python waits for a thread that is no daemon: a test that fails would never end."""
    if not isinstance(node, ast.Call) or name_of(node) != "threading.Thread":
        return False
    return ast.unparse(keyword(node, "daemon") or ast.Constant(False)) != "True"


def is_impatient(node: ast.AST) -> bool:
    """Waits for less than a minute bound nothing but the patience with a busy machine."""
    if not isinstance(node, ast.Call):
        return False
    *_, what = name_of(node).split(".")
    given = keyword(node, "timeout")
    if what in ("join", "wait", "result", "wait_for_timeout") and len(node.args) == 1:
        given = node.args[0] if what != "wait_for_timeout" else None
    return isinstance(given, ast.Constant) and given.value is not None and 0 < given.value < 60


def is_timed(node: ast.AST) -> bool:
    """How long something takes says more of the machine than of the code."""
    return (
        isinstance(node, ast.Compare) and "time." in ast.unparse(node.left)
        and any(isinstance(one, ast.Constant) for one in node.comparators)
    )


HABITS = [looks_at_processes, kills_others, picks_a_port, may_stay, is_impatient, is_timed]
BAD = """
psutil.process_iter()
from psutil import process_iter
open(f"/proc/{pid}/status")
os.kill(victim, signal.SIGKILL)
probe.bind(("127.0.0.1", 0))
threading.Thread(target=work)
thread.join(20)
urlopen(address, timeout=1.0)
assert time.monotonic() - begun < 20
"""


@cache
def places() -> dict[str, list[str]]:
    """Where each habit is found: all files are read once for all habits."""
    found = {habit.__name__: [] for habit in HABITS}
    for path in sorted((ROOT / "tests").rglob("*.py")):
        for node in ast.walk(tree_of(path)) if path not in APART else ():
            for habit in HABITS:
                if habit(node):
                    found[habit.__name__].append(f"{path.relative_to(ROOT)}:{node.lineno}")
    return found


@pytest.mark.parametrize("habit", HABITS, ids=lambda habit: habit.__name__)
def test_tests_have_no_bad_habit(habit):
    assert places()[habit.__name__] == []


def test_bad_habits_are_recognised():
    found = [[habit.__name__ for habit in HABITS if any(map(habit, ast.walk(one)))]
             for one in tree_of(BAD).body]
    assert [name for names in found for name in names] == [
        "looks_at_processes", "looks_at_processes", "looks_at_processes", "kills_others",
        "picks_a_port", "may_stay", "is_impatient", "is_impatient", "is_timed",
    ]
