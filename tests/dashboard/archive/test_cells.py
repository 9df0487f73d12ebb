"""A script and a notebook are two ways to write the same steps."""

from __future__ import annotations

import json

import nbformat
import pytest

from tripletscope.dashboard.archive.cells import Cell, notebook, script

CELLS = [
    Cell("words", "## Data\n\nAll of them."), Cell("code", "a = 1\nb = 2"),
    Cell("code", "show(a)", shows=True), Cell("code", "c = a + b"),
]


def code_of(content: bytes) -> list[str]:
    return ["".join(cell["source"]) for cell in json.loads(content)["cells"]
            if cell["cell_type"] == "code"]


def test_words_become_comments_above_their_code():
    assert script('"""About."""\n', CELLS).decode() == (
        '"""About."""\n\n# Data\n#\n# All of them.\na = 1\nb = 2\n\nc = a + b\n'
    )


def test_no_sign_of_a_name_ends_a_script():
    """Neither in the head nor in words; what stands in literals is escaped there."""
    name = "a\0b\x0cc\ud800\u2028d"
    made = script(f'"""{name}"""\n', [Cell("words", name), Cell("code", f"x = {name!r}")])
    found = {}
    exec(compile(made, "made", "exec"), found)
    assert found["x"] == name


def test_a_notebook_is_valid_and_the_same_each_time():
    made = notebook(CELLS)
    nbformat.validate(nbformat.reads(made.decode(), as_version=4))
    assert made == notebook(CELLS)
    assert code_of(made) == ["a = 1\nb = 2", "show(a)", "c = a + b"]
    with pytest.raises(nbformat.ValidationError):
        nbformat.validate(json.loads(made) | {"cells": [{"cell_type": "none", "id": "a"}]})


def test_ids_of_cells_differ_where_their_text_does_not():
    ids = [cell["id"] for cell in json.loads(notebook(CELLS[1:2] * 3))["cells"]]
    assert len(set(ids)) == 3
