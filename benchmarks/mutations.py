"""Mutations of modules that their tests do not notice.

    python -m venv mutating && mutating/bin/pip install cosmic-ray
    python benchmarks/mutations.py core/inference/held_out/score.py \
        core/inference/held_out/compare.py \
        --tests tests/core/inference/held_out --tool mutating/bin/cosmic-ray [--sample 30]
        [--minutes 60]
    python benchmarks/mutations.py --rooms results figures --tool mutating/bin/cosmic-ray

cosmic-ray lists what can be changed at one place of a module, and changes it, in a copy of the
working tree. A sample of the changes is tried, the same for the same seed: one on each of some
lines, none where parameters are declared. Each is tried in a forked process that imports anew only
what uses the module, with the tests that call the module, the quickest first, until one fails.
Compiled code is compiled anew where it uses the module, and all tests are run for it, as calls of
it cannot be seen. ROOMS are those of the dashboard that need no page, each with tests of its own.
Prints the changes that survived; some of them change nothing that can be seen, and some are noticed
by tests of other rooms. Needs fork: Linux or macOS. No part of the suite.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
#: Where modules are.
HOUSES = ("core", "dashboard", "pages")
#: Modules of the dashboard that need no page, and their tests.
ROOMS = {
    "results": (["dashboard/results/*.py"], ["tests/dashboard/results"]),
    "figures": (["dashboard/figures/*.py"], ["tests/dashboard/figures", "tests/dashboard/results"]),
    "words": (["dashboard/words/*.py"], ["tests/dashboard/words", "tests/dashboard/results"]),
    "report": (["dashboard/report/**/*.py"], ["tests/dashboard/report"]),
    "archive": (["dashboard/archive/*.py"], ["tests/dashboard/archive"]),
    "sandbox": (["dashboard/sandbox/*.py"], ["tests/dashboard/sandbox"]),
    "store": (["dashboard/store/*.py"], ["tests/dashboard/store"]),
    "upload": (
        ["dashboard/upload/waiting_upload.py", "dashboard/upload/ingest.py"],
        ["tests/dashboard/upload/test_ingest.py"],
    ),
}
#: What is easily written by mistake.
OPERATORS = [
    "Sub_Add", "Add_Sub", "Mul_Div", "Div_Mul", "Gt_GtE", "Lt_LtE", "Eq_NotEq", "AndWithOr",
    "OrWithAnd", "AddNot", "TrueWithFalse", "FalseWithTrue", "NumberReplacer", "Delete_Not",
    "Delete_USub",
]
CONFIG = """[cosmic-ray]
module-path = "{module}"
timeout = 1.0
test-command = "true"
[cosmic-ray.distributor]
name = "local"
"""


class Recorder:
    """Writes how long each test takes and which modules it calls."""

    def __init__(self, target: Path) -> None:
        self._target = target
        self._found: dict[str, tuple[float, list[str]]] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Any:
        files: set[str] = set()

        def note(frame: Any, event: str, _: Any) -> None:
            if event == "call":
                files.add(frame.f_code.co_filename)

        began = time.perf_counter()
        threading.setprofile(note)
        sys.setprofile(note)
        try:
            return (yield)
        finally:
            sys.setprofile(None)
            threading.setprofile(None)
            houses = tuple(f"{Path.cwd() / house}{os.sep}" for house in HOUSES)
            called = sorted(os.path.relpath(name) for name in files if name.startswith(houses))
            self._found[item.nodeid] = (time.perf_counter() - began, called)

    def pytest_sessionfinish(self) -> None:
        self._target.write_text(json.dumps(self._found))


class Selection:
    """Runs these tests only, in this order."""

    def __init__(self, names: list[str]) -> None:
        self._place = {name: place for place, name in enumerate(names)}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = sorted(
            (item for item in items if item.nodeid in self._place),
            key=lambda item: self._place[item.nodeid],
        )


def run_tests(
    tests: list[str], plugin: Any, changed: set[Path] = frozenset(), seconds: float = 1e9
) -> int | None:
    """Exit code of pytest in a forked process; None if it did not end in time."""
    child = os.fork()
    if child == 0:
        os.setsid()
        forget(changed)
        out = os.open("tests.log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(out, 1)
        os.dup2(out, 2)
        os._exit(pytest.main(["-x", "-q", "-p", "no:cacheprovider", *tests], plugins=[plugin]))
    ends = time.monotonic() + seconds
    code = None
    while code is None and time.monotonic() < ends:
        time.sleep(0.05)
        done, status = os.waitpid(child, os.WNOHANG)
        code = os.waitstatus_to_exitcode(status) if done else None
    try:
        os.killpg(child, signal.SIGKILL)
    except ProcessLookupError:
        return code
    if code is None:
        os.waitpid(child, 0)
    return code


def dotted(path: Path) -> str:
    return "tripletscope." + ".".join(path.with_suffix("").parts).removesuffix(".__init__")


def forget(changed: set[Path]) -> None:
    """Let these modules, and all tests, be imported again."""
    names = {dotted(path) for path in changed}
    for name in list(sys.modules):
        if name in names or name.startswith(("tests.", "tripletscope.dashboard.")):
            del sys.modules[name]
            package, _, own = name.rpartition(".")
            if package in sys.modules:
                vars(sys.modules[package]).pop(own, None)


def users(module: str) -> set[Path]:
    """The module, and what imports it through however many others."""
    imported = {}
    for path in (path for house in HOUSES for path in Path(house).rglob("*.py")):
        text = path.read_text()
        names = set()
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom) and node.module:
                names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        if "import_module(" in text:
            names |= {dotted(other) for other in path.parent.rglob("*.py")}
        imported[path] = names
    found = {Path(module)}
    while True:
        called = {dotted(path) for path in found}
        more = {path for path, names in imported.items() if names & called} | found
        if more == found:
            return found
        found = more


def declared(text: str) -> set[int]:
    """Lines that declare parameters: their bounds and defaults are for forms and for callers."""
    lines: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            lines |= set(range(node.lineno, node.body[0].lineno))
        elif isinstance(node, ast.Subscript) and ast.unparse(node.value) == "Annotated":
            lines |= set(range(node.lineno, node.end_lineno + 1))
    return lines


def mutations(tool: str, module: str, operators: list[str]) -> dict[int, list[tuple[str, int]]]:
    """By line, operators and the occurrences that they change."""
    config, session = Path("mutations.toml"), Path("mutations.sqlite")
    session.unlink(missing_ok=True)
    config.write_text(CONFIG.format(module=module))
    subprocess.run([tool, "init", config, session], check=True, stdout=subprocess.DEVNULL)
    with sqlite3.connect(session) as base:
        rows = base.execute(
            "select start_pos_row, operator_name, occurrence from mutation_specs order by 1, 2, 3"
        ).fetchall()
    without = declared(Path(module).read_text())
    found: dict[int, list[tuple[str, int]]] = {}
    for line, operator, occurrence in rows:
        if operator.endswith(tuple(operators)) and line not in without:
            found.setdefault(line, []).append((operator, occurrence))
    return found


def tried(
    module: str, spec: tuple[str, int], changed: set[Path], warm: Path, recorded: dict,
    tests: list[str], given: Any,
) -> tuple[int | None, str]:
    """What the tests say of a mutation, and its difference."""
    for house in HOUSES:
        shutil.rmtree(house)
        shutil.copytree(warm / house, house)
    for path in changed:
        for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*.nb[ic]"):
            compiled.unlink()
    before = Path(module).read_text()
    subprocess.run([given.tool, "apply", module, spec[0], str(spec[1])], check=True)
    after = Path(module).read_text()
    difference = difflib.unified_diff(
        before.splitlines(), after.splitlines(), module, f"{spec[0]} {spec[1]}", n=1, lineterm=""
    )
    calls = [
        (seconds, name) for name, (seconds, called) in recorded.items()
        if module in called or "numba" in before
    ]
    selection = Selection([name for _, name in sorted(calls)])
    return run_tests(tests, selection, changed, given.seconds), "\n".join(difference)


def try_all(modules: list[str], tests: list[str], folder: Path, ends: float, given: Any) -> None:
    """Try a sample of the mutations of each module, and print what survives."""
    warm, record = folder / "warm", folder / "tests.json"
    shutil.rmtree(warm, ignore_errors=True)
    pytest.main(["--collect-only", "-qq", "-p", "no:cacheprovider", *tests])
    if run_tests(tests, Recorder(record)):
        sys.exit(f"The tests fail without mutations.\n{Path('tests.log').read_text()}")
    recorded = json.loads(record.read_text())
    for house in HOUSES:
        shutil.copytree(house, warm / house)
    for module in modules:
        found, changed = mutations(given.tool, module, given.operators), users(module)
        rng = random.Random(f"{given.seed} {module}")
        lines = rng.sample(sorted(found), min(given.sample, len(found)))
        drawn = [rng.choice(found[line]) for line in lines]
        n_tried = n_late = n_survived = 0
        for spec in drawn:
            if time.monotonic() > ends:
                break
            code, difference = tried(module, spec, changed, warm, recorded, tests, given)
            n_tried += 1
            n_late += code is None
            if code in (0, 5):  # 5: no test calls the module
                n_survived += 1
                print(difference, end="\n\n", flush=True)
        n_all = sum(map(len, found.values()))
        print(
            f"{module}: {n_tried} of {n_all} mutations tried, on as many of {len(found)} "
            f"lines; {n_survived} survived, {n_late} did not end in time.", flush=True,
        )
    for house in HOUSES:
        shutil.rmtree(house)
        shutil.copytree(warm / house, house)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("modules", nargs="*", default=[])
    parser.add_argument("--tests", nargs="+", default=[], help="of the modules")
    parser.add_argument("--rooms", nargs="+", choices=ROOMS, default=[])
    parser.add_argument("--tool", default="cosmic-ray")
    parser.add_argument("--operators", nargs="+", default=OPERATORS)
    parser.add_argument("--sample", type=int, default=30, help="lines of each module at most")
    parser.add_argument("--seed", default="0")
    parser.add_argument("--seconds", type=float, default=120.0, help="of one run of the tests")
    parser.add_argument("--minutes", type=float, default=60.0, help="in all")
    given = parser.parse_args()
    if bool(given.modules) != bool(given.tests) or not (given.modules or given.rooms):
        parser.error("name modules and their tests, or rooms")
    if os.sep in given.tool:
        given.tool = str(Path(given.tool).absolute())
    ends = time.monotonic() + 60 * given.minutes
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "copy")
        left_out = shutil.ignore_patterns(".git", ".venv", ".hypothesis")
        shutil.copytree(ROOT, copy, ignore=left_out, symlinks=True)
        os.chdir(copy)
        os.environ["PYTHONPATH"] = str(copy)
        sys.path.insert(0, str(copy))
        if given.modules:
            try_all(given.modules, given.tests, Path(folder), ends, given)
        for room in given.rooms:
            patterns, tests = ROOMS[room]
            modules = sorted(str(path) for one in patterns for path in Path().glob(one))
            try_all(modules, tests, Path(folder), ends, given)


if __name__ == "__main__":
    main()
