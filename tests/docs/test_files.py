"""The samples of files in the documentation are read as it says."""

from __future__ import annotations

import re

import pytest

from tests.docs.documents import DOCS
from tripletscope.core.reading import load, propose
from tripletscope.core.reading.interpretation.interpret import interpret
from tripletscope.core.reading.layouts import layouts
from tripletscope.pages.start.understood import EXAMPLES

TEXT = (DOCS / "files.md").read_text()
#: Layouts of programs, and kinds of tables that any program may write.
ANY = ("anchored", "ordered", "choices", "pairs")
KNOWN = (*layouts(), *ANY)
#: Name of the file, layout, content.
SAMPLES = [
    (caption, next(known for known in KNOWN if name.startswith(known)), content)
    for caption, name, content in re.findall(
        r"^```\{code-block\} \w+\n:caption: (\S+)\n:name: layout-(\S+)\n\n(.*?)^```", TEXT,
        re.DOTALL | re.MULTILINE,
    )
]
#: Layouts of files that are no text; the document writes and reads them.
BINARY = {"queries": "cblearn.npz", "ranking": "psiz.hdf5"}
#: Layouts whose tables are made into those of another one.
READ_AS = {"features": "pairs", "indicators": "pairs"}


@pytest.mark.parametrize(("file", "layout", "content"), SAMPLES, ids=[s[0] for s in SAMPLES])
def test_a_sample_is_read_as_its_layout(file, layout, content):
    table = load(content.encode(), file)
    reading = propose(table)[0]
    assert reading.layout == READ_AS.get(layout, layout)
    header = content.splitlines()[0].split(",")
    assert (layout in READ_AS) <= (table.columns != header)
    imported = interpret(table, reading)
    read = len(imported.triplets) + (0 if imported.pairs is None else len(imported.pairs))
    assert read >= 2


def test_every_layout_has_a_sample():
    assert {layout for _, layout, _ in SAMPLES} | BINARY.keys() == set(KNOWN)
    for file in BINARY.values():
        assert f'"{file}"' in TEXT


def test_examples_of_the_start_page_are_there():
    for _, columns, _ in EXAMPLES[:2]:
        assert columns in TEXT
