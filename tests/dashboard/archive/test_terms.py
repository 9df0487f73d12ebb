"""Authors and licences are written as others read them."""

from __future__ import annotations

import pytest
import yaml

from tripletscope.dashboard.archive.terms import LICENCES, Terms, authors_of


@pytest.mark.parametrize(("text", "authors"), [
    ("", ()), ("  ", ()), ("Ada Lovelace", ("Ada Lovelace",)),
    ("Ada Lovelace; Hopper, Grace", ("Ada Lovelace", "Hopper, Grace")),
    ("Ada Lovelace and Grace Hopper", ("Ada Lovelace", "Grace Hopper")),
    ("Ada Lovelace, Grace Hopper", ("Ada Lovelace", "Grace Hopper")),
    ("Hopper, Grace", ("Hopper, Grace",)),
])
def test_authors_are_told_apart(text, authors):
    assert authors_of(text) == authors


@pytest.mark.parametrize("licence", LICENCES)
def test_every_licence_can_be_written(licence):
    terms = Terms('He said "no": a\ntitle \\', ("Ada Lovelace", "The Lab"), licence)
    text = terms.licence_file().decode()
    assert LICENCES[licence].address in text
    assert LICENCES[licence].allows in text
    citation = yaml.safe_load(terms.citation_file())
    assert citation["title"] == 'He said "no": a title \\'
    assert citation.get("license", "") == LICENCES[licence].spdx
    assert citation["type"] == "dataset"


def test_a_single_name_is_no_person():
    citation = yaml.safe_load(Terms("A", ("UNESCO",)).citation_file())
    assert citation["authors"] == [{"name": "UNESCO"}]


def test_an_unknown_licence_is_refused():
    with pytest.raises(ValueError, match=r"licence is 'MIT'"):
        Terms("A", licence="MIT")
