"""What is imported is declared, and what libraries do not document is used in few places."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.metadata import packages_distributions, version

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.paths import ROOT
from tests.sources import tree_of

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
DECLARED = {canonicalize_name(one.name): one for one in map(Requirement, PROJECT["dependencies"])}
OPTIONAL = {
    canonicalize_name(Requirement(text).name)
    for extra in ("dask", "lab") for text in PROJECT["optional-dependencies"][extra]
}
#: Only in functions: whoever gets there has it. A figure for a notebook is made in one.
BROUGHT_ALONG = {"ipython"}

#: Files that use what a library does not document, and the libraries. A new version of these may
#: break them, so they have upper bounds, which are raised once the tests have passed with it.
ADAPTORS = {
    "dashboard/streamlit_parts.py": {"streamlit"},
    "dashboard/ui/assets/plotly.js": {"plotly"},
    "dashboard/collect/connections.py": {"uvicorn", "h11"},
    "dashboard/print/browser.py": {"kaleido", "choreographer"},
    "dashboard/report/docx.py": {"python-docx"},
    "core/reading/formats/r_parser.py": {"rdata"},
    "core/models/optimise/elementary.py": {"numba", "llvmlite"},
    "core/models/optimise/rows.py": {"numba", "llvmlite"},
}
#: Modules of a library that its documentation has, where it has others, too.
DOCUMENTED = {
    "streamlit": {"streamlit", "streamlit.testing.v1"},
    "plotly": {
        "plotly", "plotly.colors", "plotly.graph_objects", "plotly.io", "plotly.offline",
        "plotly.subplots",
    },
    "numba": {"numba", "numba.extending"},
    "llvmlite": set(), "uvicorn": {"uvicorn"}, "h11": {"h11"}, "choreographer": set(),
    "kaleido": {"kaleido"},
}
#: Underscored names that are documented: of named tuples, notebooks and the standard library.
PUBLIC = {"_replace", "_fields", "_asdict", "_make", "_repr_html_", "_repr_mimebundle_", "_exit"}
#: Underscored names of the standard library, where they are used.
OF_PYTHON = {
    "core/data/errors.py": {"_getframe"},
    "dashboard/serve/watchdog.py": {"_current_frames"},
    "dashboard/store/jatos.py": {"_create_connection"},
    "dashboard/jobs/child.py": {"_forkserver", "_forkserver_pid"},
}


@cache
def sources() -> dict[str, ast.Module]:
    """Syntax of every module that is installed, by its path."""
    folders = ("core", "dashboard", "pages", "reproductions", "tripletscope")
    return {
        path.relative_to(ROOT).as_posix(): tree_of(path)
        for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))
        if not any(parent.is_symlink() for parent in path.parents)
    }


def statements(tree: ast.AST, inside: bool = False) -> Iterator[tuple[ast.stmt, bool]]:
    """Imports, and whether they are in a function."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node, inside
        elif not isinstance(node, ast.expr):
            yield from statements(node, inside or isinstance(node, ast.FunctionDef))


@cache
def imported() -> list[tuple[str, str, str, bool]]:
    """Path, module, name in it or nothing, and whether in a function, of others' modules."""
    every = []
    for path, tree in sources().items():
        for node, inside in statements(tree):
            if isinstance(node, ast.Import):
                found = [(alias.name, "") for alias in node.names]
            elif node.level or not node.module:
                continue
            else:
                found = [(node.module, alias.name) for alias in node.names]
            for module, name in found:
                top = module.partition(".")[0]
                if top not in sys.stdlib_module_names and top != "tripletscope":
                    every.append((path, module, name, inside))
    return every


@cache
def installed() -> dict[str, list[str]]:
    return packages_distributions()


def distributions(module: str) -> set[str]:
    top = module.partition(".")[0]
    return {canonicalize_name(name) for name in installed().get(top, [top])}


def test_all_that_is_imported_is_declared():
    undeclared = {
        (path, module) for path, module, _, inside in imported()
        if not distributions(module)
        & {*DECLARED, *(OPTIONAL | BROUGHT_ALONG if inside else ())}
    }
    assert not undeclared


def test_all_that_is_declared_is_imported():
    used = set().union(*(distributions(module) for _, module, _, _ in imported()))
    assert set(DECLARED) <= used, "drop it, or say what needs it"


def test_undocumented_modules_are_imported_by_adaptors_alone():
    found = {
        (path, module) for path, module, _, _ in imported()
        if (top := module.partition(".")[0]) in DOCUMENTED
        and module not in DOCUMENTED[top] and top not in ADAPTORS.get(path, set())
    }
    # Parts of a module may be modules: from numba import core.
    found |= {
        (path, f"{module}.{name}") for path, module, name, _ in imported()
        if path not in ADAPTORS and name in {"core", "runtime", "web", "delta_generator",
                                             "basedatatypes", "auth_util"}
    }
    assert not found


def names_of_ours() -> set[str]:
    """Underscored names that are defined somewhere in the house."""
    ours: set[str] = set()
    for tree in sources().values():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                ours.add(node.name)
            elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
                ours.add(node.id if isinstance(node, ast.Name) else node.attr)
            elif isinstance(node, ast.arg):
                ours.add(node.arg)
    return ours


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name not in PUBLIC


def test_private_names_of_others_are_used_in_adaptors_alone():
    ours, foreign = names_of_ours(), set()
    for path, tree in sources().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and is_private(node.attr) and node.attr not in ours:
                foreign.add((path, node.attr))
    for path, module, name, _ in imported():
        foreign |= {(path, part) for part in (*module.split("."), name) if is_private(part)}
    allowed = {(path, name) for path, names in OF_PYTHON.items() for name in names}
    assert not {(path, name) for path, name in foreign if path not in ADAPTORS} - allowed


def test_private_names_of_plotly_are_used_in_one_script():
    for path in (ROOT / "dashboard" / "ui" / "assets").glob("*.js"):
        if path.relative_to(ROOT).as_posix() not in ADAPTORS:
            assert not re.search(r"(?<![\w])_[a-z]\w*", path.read_text("utf-8")), path


def test_marks_of_streamlits_pages_are_known_in_two_files():
    """They are undocumented, too; what leaves one out is seen in the browser tests."""
    assets = ROOT / "dashboard" / "ui" / "assets"
    with_marks = {path.name for path in assets.iterdir() if "data-testid" in path.read_text()}
    assert with_marks == {"page.css", "rest.js"}


@pytest.mark.parametrize("library", sorted(set().union(*ADAPTORS.values())))
def test_what_is_used_undocumented_has_an_upper_bound(library):
    bounds = DECLARED[library].specifier
    assert any(one.operator == "<" for one in bounds)
    assert version(library) in bounds
    tested = (ROOT / "constraints.txt").read_text()
    pinned = re.search(rf"(?im)^{re.escape(library)}==(\S+)", tested)
    assert pinned[1] in bounds


def test_every_place_with_a_version_has_the_same():
    recipe = (ROOT / "packaging" / "conda" / "meta.yaml").read_text("utf-8")
    package = (ROOT / "tripletscope" / "__init__.py").read_text("utf-8")
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8")
    versions = {
        "pyproject.toml": PROJECT["version"],
        "CITATION.cff": yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))["version"],
        "meta.yaml": re.search(r'set version = "([^"]+)"', recipe)[1],
        "__init__.py": re.search(r'__version__ = "([^"]+)"', package)[1],
        "CHANGELOG.md": re.search(r"(?m)^## (\d[\d.]*\d)", changes)[1],
    }
    assert len(set(versions.values())) == 1, versions


def test_no_other_file_has_an_older_version():
    """A new place with a version belongs into the list above."""
    known = {"pyproject.toml", "CITATION.cff", "meta.yaml", "__init__.py", "CHANGELOG.md"}
    kinds = {".cff", ".toml", ".yaml", ".yml", ".cfg", ".py", ".md"}
    own = re.compile(r"(?im)^\s*\"?version\"?\s*[:=]\s*\"?\d+\.\d+\.\d+")
    for path in [*ROOT.glob("*.*"), *(ROOT / "packaging").rglob("*"), *(ROOT / "docs").glob("*")]:
        if path.is_file() and path.suffix in kinds and path.name not in known:
            assert not own.search(path.read_text("utf-8")), path


@pytest.mark.parametrize("path", ADAPTORS)
def test_adaptors_are_there(path):
    assert (ROOT / path).is_file()
