"""The code that an experiment depends on, as a hash: whether a kept outcome is older than it."""

from __future__ import annotations

import ast
import hashlib
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from tripletscope.reproductions.item import Item

_OWN = "tripletscope."
_ROOM = "tripletscope.reproductions."
#: Modules of the room that say, keep or tell, and do not measure.
_TELLING = frozenset(
    f"{_ROOM}{name}" for name in ("item", "outcome", "registry", "verdict", "dependence")
)


def code_of(item: Item) -> str:
    """Hash of the modules that an item's experiment imports, through one another.

    Comments, docstrings, checks and what items say do not count.
    """
    function = getattr(item.experiment, "func", item.experiment)
    found: set[str] = set()
    todo = [function.__module__]
    while todo:
        module = todo.pop()
        if module not in found:
            found.add(module)
            todo += _imported(module) - found
    parts = "".join(_digest(module) for module in sorted(found - _TELLING))
    return hashlib.sha256(parts.encode()).hexdigest()[:16]


@cache
def _tree(module: str) -> ast.Module:
    return ast.parse(Path(find_spec(module).origin).read_text("utf-8"))


@cache
def _imported(module: str) -> frozenset[str]:
    """Modules of this package that a module imports, wherever it does; packages among them."""
    if module in _TELLING:
        return frozenset()
    names: set[str] = set()
    for node in ast.walk(_tree(module)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module)
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return frozenset(name for name in names if name.startswith(_OWN) and _is_module(name))


@cache
def _is_module(name: str) -> bool:
    try:
        found = find_spec(name)
    except ModuleNotFoundError:
        return False
    return found is not None and found.origin is not None


@cache
def _digest(module: str) -> str:
    tree = _tree(module)
    kept = [node for node in tree.body if not (module.startswith(_ROOM) and _tells(node))]
    for node in (part for top in kept for part in ast.walk(top)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node):
            node.body = node.body[1:] or [ast.Pass()]
    return hashlib.sha256("\n".join(map(ast.dump, kept)).encode()).hexdigest()


def _tells(node: ast.stmt) -> bool:
    """Whether a statement of the room checks or declares, or is a docstring."""
    if isinstance(node, ast.FunctionDef):
        return node.name.lstrip("_").startswith("check")
    if isinstance(node, ast.Assign):
        return any(isinstance(name, ast.Name) and name.id == "ITEMS" for name in node.targets)
    return isinstance(node, ast.Expr)
