"""Python that tests read."""

from __future__ import annotations

import ast
from pathlib import Path

from tripletscope.core.engine.parsing import undisturbed


def tree_of(source: Path | str) -> ast.Module:
    """Syntax of a file, or of text; threads of earlier tests may parse, too."""
    text = source.read_text("utf-8") if isinstance(source, Path) else source
    return undisturbed(lambda: ast.parse(text))
