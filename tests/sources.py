"""Python that tests read."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.paths import ROOT
from tripletscope.core.engine.parsing import undisturbed


def tree_of(source: Path | str) -> ast.Module:
    """Syntax of a file, or of text; threads of earlier tests may parse, too."""
    text = source.read_text("utf-8") if isinstance(source, Path) else source
    return undisturbed(lambda: ast.parse(text))


def files_of(*folders: str) -> list[Path]:
    """Modules below some folders of the repository."""
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))
