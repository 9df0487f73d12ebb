"""What the README shows in Python works as it stands there, and what it leads to is there."""

from __future__ import annotations

import re

from tests.paths import ROOT

TEXT = (ROOT / "README.md").read_text()


def test_the_lines_of_python_run(monkeypatch):
    monkeypatch.chdir(ROOT)
    (lines,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    space = {}
    exec(compile(lines, "README.md", "exec"), space)
    assert space["fitted"].embedding_.shape == (14, 2)
    assert space["samples"].covariances.shape == (14, 2, 2)


def test_the_files_that_are_named_are_there():
    named = re.findall(r"`((?:core|dashboard|benchmarks|sample_data|docs)/[\w./]*)`", TEXT)
    named += re.findall(r"\]\(([\w./-]+)\)", TEXT)
    assert len(named) > 12
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_it_is_short():
    assert len(TEXT.splitlines()) < 80
