"""A kept outcome is older than the code where what it was computed with is another."""

from __future__ import annotations

import ast

import pytest

from tripletscope.reproductions import dependence
from tripletscope.reproductions.dependence import code_of
from tripletscope.reproductions.registry import items

MIXTURE = "uncertainty-figure-8"


@pytest.fixture
def changed(monkeypatch):
    """Let the source of a module be another, and hash anew."""
    read = dependence._tree.__wrapped__

    def change(module: str, old: str, new: str) -> str:
        source = ast.unparse(read(module))
        assert old in source
        monkeypatch.setattr(dependence, "_tree", lambda name: (
            ast.parse(source.replace(old, new)) if name == module else read(name)
        ))
        for cached in (dependence._imported, dependence._digest):
            cached.cache_clear()
        return code_of(items()[MIXTURE])

    yield change
    for cached in (dependence._imported, dependence._digest):
        cached.cache_clear()


def test_code_that_measures_counts_and_words_do_not(changed):
    before = code_of(items()[MIXTURE])
    own = items()[MIXTURE].experiment.__module__
    assert changed(own, "ITEMS = ", "ITEMS = 0, ") == before
    assert changed(own, "places = ", "others = ") != before


def test_what_is_imported_counts_through_other_modules(changed):
    before = code_of(items()[MIXTURE])
    modules = set()
    todo = [items()[MIXTURE].experiment.__module__]
    while todo:
        module = todo.pop()
        if module not in modules:
            modules.add(module)
            todo += dependence._imported(module)
    assert any(module.startswith("tripletscope.core.") for module in modules)
    far = "tripletscope.core.computing.progress"
    assert far in modules
    assert changed(far, "def part(", "def another_part(") != before
