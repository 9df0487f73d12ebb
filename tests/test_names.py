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
