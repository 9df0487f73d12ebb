"""The code that an experiment depends on, as a hash: whether a kept outcome is older than it."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from tripletscope.reproductions.item import Item

_PACKAGE, _ROOM = "tripletscope.", "tripletscope.reproductions."


def code_of(item: Item) -> str:
    """Hash of what an item's experiment calls in this room, and of the modules that this imports.

    Comments, docstrings, and what judges, declares or says do not count.
    """
    function = getattr(item.experiment, "func", item.experiment)
    todo = [(function.__module__, function.__qualname__.split(".")[0])]
    own: dict[tuple[str, str], str] = {}
    modules: set[str] = set()
    while todo:
        place = todo.pop()
        if place not in own:
            node = _definitions(place[0])[place[1]]
            own[place] = ast.dump(node)
            for module, name in _uses(place[0], node):
                if module.startswith(_ROOM) and name:
                    todo.append((module, name))
                else:
                    modules.add(module)
    parts = [own[place] for place in sorted(own)]
    parts += [_digest(module) for module in sorted(_all_imported(frozenset(modules)))]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


@cache
def _tree(module: str) -> ast.Module:
    """Of a module's source, without docstrings."""
    tree = ast.parse(Path(find_spec(module).origin).read_text("utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node):
            node.body = node.body[1:] or [ast.Pass()]
    return tree


@cache
def _definitions(module: str) -> dict[str, ast.stmt]:
    """What a module defines, by name."""
    found: dict[str, ast.stmt] = {}
    for node in _tree(module).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found[node.name] = node
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for name in (part for target in targets for part in ast.walk(target)):
                if isinstance(name, ast.Name):
                    found[name.id] = node
    return found


def _uses(module: str, node: ast.stmt) -> Iterator[tuple[str, str]]:
    """What of this package a definition uses: module and name, or a module as such."""
    defined, imported = _definitions(module), _names_imported(module)
    for name in {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}:
        if name in defined:
            yield module, name
        elif name in imported:
            yield imported[name]


@cache
def _names_imported(module: str) -> dict[str, tuple[str, str]]:
    """Names that a module imports from this package, and where they are."""
    found = {}
    for node in ast.walk(_tree(module)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(_PACKAGE):
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                found[alias.asname or alias.name] = (
                    (inner, "") if _is_module(inner) else (node.module, alias.name)
                )
    return found


@cache
def _all_imported(modules: frozenset[str]) -> frozenset[str]:
    """Modules, and those of this package that they import through one another."""
    found: set[str] = set()
    todo = list(modules)
    while todo:
        module = todo.pop()
        if module not in found:
            found.add(module)
            todo += [origin for origin, _ in _names_imported(module).values()]
    return frozenset(found)


@cache
def _is_module(name: str) -> bool:
    try:
        found = find_spec(name)
    except ModuleNotFoundError:
        return False
    return found is not None and found.origin is not None


@cache
def _digest(module: str) -> str:
    return hashlib.sha256(ast.dump(_tree(module)).encode()).hexdigest()
