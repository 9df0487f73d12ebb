"""A kept outcome is older than the code where what it was computed with is another."""

from __future__ import annotations

import ast
from dataclasses import replace

import pytest

from tripletscope.reproductions import dependence
from tripletscope.reproductions.dependence import code_of
from tripletscope.reproductions.registry import items

MIXTURE, OWN = "uncertainty-figure-8", "tripletscope.reproductions.uncertainty.mixture"
SEARCH, SHARING = "thesis-figure-2.1", "tripletscope.reproductions.trees.sharing"
CACHED = [
    found for found in vars(dependence).values() if hasattr(found, "cache_clear")
]


@pytest.fixture
def changed():
    """Hash anew where the source of a module is another."""
    read = dependence._tree

    def change(module: str, old: str, new: str, item: str = MIXTURE) -> str:
        source = ast.unparse(read(module))
        assert old in source
        dependence._tree = lambda name: (
            ast.parse(source.replace(old, new)) if name == module else read(name)
        )
        for found in CACHED:
            found.cache_clear()
        return code_of(items()[item])

    yield change
    dependence._tree = read
    for found in CACHED:
        found.cache_clear()


def test_code_that_measures_counts_and_words_and_checks_do_not(changed):
    before = code_of(items()[MIXTURE])
    assert changed(OWN, "ITEMS = ", "ITEMS = 0, ") == before
    assert changed(OWN, "def _check(", "def _another_check(") == before
    assert changed(OWN, "places = ", "others = ") != before


def test_what_is_called_counts_and_what_stands_beside_it_does_not(changed):
    before = code_of(items()[MIXTURE])
    truth = "tripletscope.core.models.simulation.truth"
    assert changed(truth, "return ", "return 1 and ") != before
    assert changed("tripletscope.core.engine.progress", "def part(", "def a_part(") == before


def test_what_is_called_in_another_module_of_the_room_counts(changed):
    before = code_of(items()[SEARCH])
    assert changed(SHARING, "return ", "return 1 and ", SEARCH) != before


def test_what_a_folder_hands_on_counts(changed):
    before, tree = code_of(items()[SEARCH]), "tripletscope.core.trees"
    assert changed(f"{tree}.quality", "def search_curve(", "def other(", SEARCH) == before
    assert changed(f"{tree}.tree", "def fit(", "def fit_all(", SEARCH) != before


def test_settings_count():
    item = items()["thesis-figure-2.1"]
    assert code_of(replace(item, full={**item.full, "repeats": 1})) != code_of(item)
