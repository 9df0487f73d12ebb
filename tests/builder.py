"""What builds the package: packaging/backend.py of a checkout or of a source distribution."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

from tests.paths import ROOT


def builder(folder: Path = ROOT) -> ModuleType:
    """The builder of a folder, as pip loads it: a module of its own each time."""
    spec = importlib.util.spec_from_file_location("backend", folder / "packaging" / "backend.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
