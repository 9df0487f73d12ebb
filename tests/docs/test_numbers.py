"""Every number that a page of the program shows is explained on the page about it."""

from __future__ import annotations

import ast

import pytest

from tests.docs.documents import DOCS
from tests.paths import ROOT
from tests.sources import tree_of

VIEWS = ROOT / "pages"


def shown(page: str) -> set[str]:
    """Titles of the metrics of a page, as far as they are written there."""
    found = set()
    for file in (VIEWS / page).rglob("*.py"):
        for node in ast.walk(tree_of(file)):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "metric":
                titles = ast.walk(node.args[0])
                found |= {t.value for t in titles if isinstance(t, ast.Constant)}
    return found


PAGES = sorted(path.name for path in VIEWS.iterdir() if path.is_dir() and shown(path.name))


def test_pages_show_metrics():
    assert {"collect", "dimensions", "trees"} <= set(PAGES)
    assert "Held-out error" in shown("collect")


@pytest.mark.parametrize("page", PAGES)
def test_every_metric_is_explained(page):
    text = (DOCS / "pages" / f"{page}.md").read_text().lower()
    assert {title for title in shown(page) if title.lower() not in text} == set()
    assert "\n## numbers\n" in text
