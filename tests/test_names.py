"""One name, one thing: no two classes and no two modules are called the same."""

from __future__ import annotations

import ast
from collections import defaultdict

from tests.paths import ROOT
from tests.sources import tree_of


def places_of_classes() -> dict[str, list[str]]:
    """Where public classes at the top of a module of core or of the dashboard stand, by name."""
    found = defaultdict(list)
    for folder in ("core", "reproductions", "dashboard", "pages"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in tree_of(path).body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    found[node.name].append(str(path.relative_to(ROOT)))
    return found


def test_every_class_has_a_name_of_its_own():
    several = {name: places for name, places in places_of_classes().items() if len(places) > 1}
    assert not several


def test_every_module_of_core_has_a_name_of_its_own():
    """A name in an import, a traceback or a search leads to one file."""
    found = defaultdict(list)
    for path in sorted((ROOT / "core").rglob("*.py")):
        if path.stem != "__init__":
            found[path.stem].append(str(path.relative_to(ROOT)))
    assert len(found) > 200
    assert not {name: paths for name, paths in found.items() if len(paths) > 1}


def test_no_module_gives_a_name_twice():
    """A second constant took the place of the first, and files of maps could not be drawn."""
    twice = []
    for folder in ("core", "reproductions", "dashboard", "pages"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            given: set[str] = set()
            for node in tree_of(path).body:
                if isinstance(node, ast.FunctionDef | ast.ClassDef):
                    names = {node.name}
                elif isinstance(node, ast.Assign | ast.AnnAssign):
                    parts = [one for one in ast.walk(node) if isinstance(one, ast.Name)]
                    names = {one.id for one in parts if isinstance(one.ctx, ast.Store)}
                    names -= {one.id for one in parts if isinstance(one.ctx, ast.Load)} | {"_"}
                else:
                    continue
                twice += [f"{path.relative_to(ROOT)}: {name}" for name in sorted(names & given)]
                given |= names
    assert twice == []
