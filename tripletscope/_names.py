"""Public names, loaded when they are first used. The stub beside a module lists them."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

#: Earlier names of what is still there, which an error leads to.
RENAMED = {
    "Agglomerative": "AgglomerativeClustering", "FeatureSpaces": "FeatureModel",
    "Features": "ColumnMap", "Fitted": "MapOracle", "Spectral": "SpectralClustering",
    "expected": "experiment_cost",
    "left_over": "residual_map", "pool": "pool_ratings",
    "OpenedDataset": "dashboard.store.python_api.OpenedDataset",
}


def public_names(
    module: str, file: str
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """``__getattr__``, ``__dir__`` and ``__all__`` of a module.

    module, file: Its ``__name__`` and ``__file__``.
    """
    package = vars(sys.modules[module])["__package__"]
    places: dict[str, str | None] = {
        alias.name: node.module
        for node in ast.parse(Path(file).with_suffix(".pyi").read_text("utf-8")).body
        if isinstance(node, ast.ImportFrom) for alias in node.names
    }

    def load(name: str) -> Any:
        if name not in places:
            moved = "" if name.startswith("_") else _moved(name)
            raise AttributeError(f"module {module!r} has no attribute {name!r}{moved}")
        place = places[name]
        if place is None:
            found = import_module(f"{package}.{name}")
        else:
            found = getattr(import_module(f"{package}.{place}"), name)
        setattr(sys.modules[module], name, found)
        return found

    def names() -> list[str]:
        own = filter(re.compile("__.*__").fullmatch, vars(sys.modules[module]))
        return sorted({*own, *places})

    return load, names, sorted(places)


def place_of(name: str) -> str:
    """Where a name is public, such as ``tripletscope.people.compare_people``; or nothing."""
    parts = [f"{__package__}.{path.stem}" for path in Path(__file__).parent.glob("[a-z]*.pyi")]
    for module in (__package__, *sorted(parts)):
        if name in import_module(module).__all__:
            return f"{module}.{name}"
    return ""


def _moved(name: str) -> str:
    """The end of a message about an earlier name: the present one."""
    new = RENAMED.get(name, name)
    place = f"{__package__}.{new}" if "." in new else place_of(new)
    return f"; it is now {place}" if place else ""
