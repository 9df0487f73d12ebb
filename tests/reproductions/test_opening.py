"""Readers can go on: data sets and settings that items open are those of the program."""

from __future__ import annotations

import pytest

from tripletscope.core.data.triplets import Triplets
from tripletscope.core.design.noise import noise_curve
from tripletscope.core.design.plan import plan
from tripletscope.core.design.scenario import Scenario
from tripletscope.core.method import Method, parameters
from tripletscope.core.presets import DOCUMENTS
from tripletscope.reproductions.data import is_here
from tripletscope.reproductions.registry import items

OPENED = {key: item.opens for key, item in items().items() if item.opens}
BEGUN = [key for key, there in OPENED.items() if there.begin]


def known_names() -> set[str]:
    return {p.name for owner in (Scenario, plan, noise_curve) for p in parameters(owner)}


@pytest.mark.parametrize("key", BEGUN)
def test_simulations_begin_with_declared_values(key):
    there = OPENED[key]
    assert there.page == "simulate"
    assert set(there.begin) <= known_names()
    for owner in (Scenario, noise_curve):
        for p in parameters(owner):
            if p.name in there.begin:
                assert p.check(there.begin[p.name], key) == there.begin[p.name]


@pytest.mark.parametrize("key", [key for key in OPENED if OPENED[key].answers])
def test_answers_are_a_data_set_and_the_method_goes_with_them(key):
    item, there = items()[key], OPENED[key]
    if not all(map(is_here, item.needs)):
        pytest.skip("its data are not here")
    answers = there.answers()
    assert isinstance(answers, Triplets)
    assert len(answers) > 50
    assert there.method is None or isinstance(there.method, Method)


def test_every_document_has_something_to_go_on_with():
    assert {items()[key].document for key in OPENED} == set(DOCUMENTS)
    assert {there.page for there in OPENED.values()} >= {
        "simulate", "embedding", "kernel", "uncertainty", "trees",
    }
