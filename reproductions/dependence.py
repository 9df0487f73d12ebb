"""The code that an experiment depends on, as a hash: whether a kept outcome is older than it."""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from tripletscope.core.engine.registry import classes
from tripletscope.reproductions.item import Item

_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_DOCUMENTED = ast.Module | ast.FunctionDef | ast.ClassDef
_PACKAGE = "tripletscope."


def code_of(item: Item) -> str:
    """Hash of what an item's experiment calls, by name, and of its settings in full.

    Comments, docstrings, and what judges, declares, registers or says do not count. Of a module
    that is handed on as such, all counts that it imports.
    """
    function = getattr(item.experiment, "func", item.experiment)
    settings = {**getattr(item.experiment, "keywords", {}), **item.full}
    todo = [(function.__module__, function.__qualname__.split(".")[0])]
    own: dict[tuple[str, str], str] = {}
    modules: set[str] = set()
    while todo:
        module, name = todo.pop()
        if (module, name) in own:
            continue
        if name in _definitions(module):
            node = _definitions(module)[name]
            own[module, name] = ast.unparse(node)
            todo += _uses(module, node)
        elif name in _names_imported(module):  # handed on
            todo.append(_names_imported(module)[name])
        else:
            modules.add(module)
    parts = [_ADDRESS.sub("", f"{name} = {settings[name]!r}") for name in sorted(settings)]
    parts += [own[place] for place in sorted(own)]
    parts += [_digest(module) for module in sorted(_all_imported(frozenset(modules)))]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


@cache
def _tree(module: str) -> ast.Module:
    """Of a module's source, without docstrings."""
    tree = ast.parse(Path(find_spec(module).origin).read_text("utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node):
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
        origin = (node.module or "") if isinstance(node, ast.ImportFrom) else ""
        if origin.startswith(_PACKAGE) and origin != classes.__module__:
            for alias in node.names:
                inner = f"{origin}.{alias.name}"
                place = _handed_on(origin).get(alias.name, origin)
                found[alias.asname or alias.name] = (
                    (inner, "") if _is_module(inner) else (place, alias.name)
                )
    return found


@cache
def _handed_on(package: str) -> dict[str, str]:
    """Where the names are that a folder hands on once they are asked for."""
    found = dict(classes(package))
    for node in ast.walk(_tree(package)):
        if isinstance(node, ast.keyword) and node.arg == "submod_attrs" and (
            isinstance(node.value, ast.Dict)
        ):
            for inner, names in ast.literal_eval(node.value).items():
                found |= dict.fromkeys(names, f"{package}.{inner}")
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
    return hashlib.sha256(ast.unparse(_tree(module)).encode()).hexdigest()
