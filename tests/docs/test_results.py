"""Measurements: what documents cite, and what the measurements link to, is there."""

from __future__ import annotations

import re

import pytest

from tests.docs.documents import documents
from tests.paths import ROOT

BENCHMARKS = ROOT / "benchmarks"
RESULTS, ENGINEERING = BENCHMARKS / "RESULTS.md", BENCHMARKS / "ENGINEERING.md"
MEASURED = [RESULTS, ENGINEERING]
_CITED = re.compile(r"RESULTS: ([^();,]+)[);,]")
_CITED_WITH_FILE = re.compile(r"`benchmarks/RESULTS\.md`, \*([^*]+)\*")
_LINK = re.compile(r"\]\((tables/[\w.-]+|\w+\.md)\)")
_SCRIPT = re.compile(r"\b(\w+\.py)\b")


def sections() -> set[str]:
    return set(re.findall(r"^#+ (.+)$", RESULTS.read_text(), re.MULTILINE))


def test_sections_that_documents_cite_exist():
    cited: set[str] = set()
    for path in documents():
        text = " ".join(path.read_text().split())
        cited |= {*_CITED_WITH_FILE.findall(text), *_CITED.findall(text)}
    assert len(cited) > 5
    assert cited - sections() == set()


def test_there_are_ten_claims_with_all_columns():
    table = RESULTS.read_text().split("## Ten claims")[1].split("\n## ")[0]
    rows = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("| ")]
    head, _, *claims = rows
    assert head == ["claim", "number", "n", "command", "commit", "limit"]
    assert [len(claim) for claim in claims] == 10 * [len(head)]
    assert all(all(claim) for claim in claims)


@pytest.mark.parametrize("document", MEASURED, ids=lambda path: path.name)
def test_links_and_scripts_exist(document):
    text = document.read_text()
    links, scripts = set(_LINK.findall(text)), set(_SCRIPT.findall(text))
    assert links
    assert {name for name in links if not (BENCHMARKS / name).is_file()} == set()
    assert scripts
    places = [BENCHMARKS, ROOT / "tests"]
    assert {
        name for name in scripts if not any((place / name).is_file() for place in places)
    } == set()


def test_every_complete_table_is_linked():
    linked = {name for path in MEASURED for name in _LINK.findall(path.read_text())}
    kept = {f"tables/{path.name}" for path in (BENCHMARKS / "tables").iterdir()}
    assert kept - linked == set()
