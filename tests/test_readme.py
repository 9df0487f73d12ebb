"""What the README shows in Python works as it stands there."""

from __future__ import annotations

import re

import pandas as pd

from tests.paths import ROOT
from tripletscope.core.tree import ComparisonTree


def test_the_lines_of_python_run(monkeypatch):
    monkeypatch.chdir(ROOT)
    (lines,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    space = {"trials": pd.read_csv("tests/fixtures/mlds/kk1.csv")}
    exec(compile(lines, "README.md", "exec"), space)
    assert space["fitted"].embedding_.shape == (14, 2)
    assert isinstance(space["tree"], ComparisonTree)


def test_the_files_that_are_named_are_there():
    text = (ROOT / "README.md").read_text()
    named = re.findall(r"`((?:core|dashboard|benchmarks|sample_data|docs)/[\w./]*)`", text)
    assert len(named) > 8
    assert [name for name in named if not (ROOT / name).exists()] == []
