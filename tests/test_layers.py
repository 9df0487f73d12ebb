"""Imports point one way: pages, dashboard, core; and within core from results to data."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

#: Layers of core from the bottom; a module imports from its own layer or from lower ones.
LAYERS = [
    ["core.triplets", "core.progress"],
    ["core.quadruples"],
    ["core.files", "core.parallel", "core.geometry"],
    ["core.loss", "core.lbfgs", "core.optimise"],
    ["core.nearer"],
    ["core.method"],
    ["core.embedding"],
    ["core.kernel"],
    ["core.cluster"],
    ["core.truth"],
    ["core.simulate", "core.inspection", "core.score"],
    ["core.observers"],
    ["core.uncertainty"],
    ["core.scale"],
    ["core.oracle"],
    ["core.tree"],
    ["core.compare", "core.active", "core.direction", "core.quality"],
    ["core.scenario"],
    ["core.plan", "core.detection", "core.questions"],
    ["core.run"],
]
FORBIDDEN_IN_CORE = {"streamlit", "plotly", "dashboard", "pages"}


def modules(folder: str) -> list[Path]:
    return sorted((ROOT / folder).rglob("*.py"))


def imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found


def layer(module: str) -> int | None:
    for level, names in enumerate(LAYERS):
        if any(module == name or module.startswith(f"{name}.") for name in names):
            return level
    return None


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@pytest.mark.parametrize("path", modules("core"), ids=name_of)
def test_core_imports_downwards_only(path):
    own = layer(name_of(path))
    assert own is not None or name_of(path) == "core", f"{name_of(path)} is in no layer"
    for module in imports(path):
        assert module.split(".")[0] not in FORBIDDEN_IN_CORE, f"{path} imports {module}"
        level = layer(module)
        assert level is None or own is None or level <= own, f"{name_of(path)} imports {module}"


@pytest.mark.parametrize("path", modules("dashboard"), ids=name_of)
def test_dashboard_does_not_know_pages(path):
    assert not any(module.split(".")[0] == "pages" for module in imports(path))


def test_only_one_module_uses_the_session_state():
    users = {
        name_of(path)
        for path in [*modules("dashboard"), *modules("pages")]
        if "st.session_state" in path.read_text()
    }
    assert users == {"dashboard.state"}


def test_importing_core_prints_nothing_and_needs_no_dashboard():
    code = (
        "import sys, core.run, core.files, core.simulate, core.inspection\n"
        "assert not {'streamlit', 'plotly', 'dashboard'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("path", [*modules("dashboard"), *modules("pages")], ids=name_of)
def test_nothing_runs_parts_of_pages_by_a_clock(path):
    """A part that is about to run when another page is opened would empty that page."""
    assert "run_every" not in path.read_text(), "follow jobs by dashboard.watching"
