"""What every number means: none that a page shows is left out."""

from __future__ import annotations

import ast

from tests.paths import ROOT

TEXT = (ROOT / "docs" / "numbers.md").read_text().lower()


def shown() -> set[str]:
    """Titles of the metrics that pages show, as far as they are written there."""
    found = set()
    for file in (ROOT / "dashboard" / "views").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "metric":
                titles = ast.walk(node.args[0])
                found |= {t.value for t in titles if isinstance(t, ast.Constant)}
    return found


def test_every_metric_is_explained():
    titles = shown()
    assert "Held-out error" in titles
    missing = {title for title in titles if title.lower() not in TEXT}
    assert not missing
