"""Columns of more names than there can be objects."""

from __future__ import annotations

import numpy as np
import pytest

from tripletscope.core.data.errors import DataError
from tripletscope.core.reading import load, propose
from tripletscope.core.reading.interpretation import interpret as module
from tripletscope.core.reading.interpretation import trials
from tripletscope.core.reading.interpretation.interpret import interpret


def test_more_names_than_there_can_be_objects_are_refused_at_once(monkeypatch):
    rows = np.random.default_rng(0).permutation(900_000).reshape(-1, 3)
    lines = [b"o%d,o%d,o%d\n" % tuple(row) for row in rows.tolist()]
    table = load(b"anchor,near,far\n" + b"".join(lines))
    monkeypatch.setattr(module, "_described", None)  # as that takes long
    with pytest.raises(DataError, match=(
        r"column 'anchor' holds 300,000 different names, and there can be at most 200,000 objects\."
    )):
        interpret(table, propose(table)[0])


def test_a_few_rows_of_a_table_of_many_names_are_read(monkeypatch):
    monkeypatch.setattr(trials, "MOST_OBJECTS", 6)
    table = load(b"anchor,near,far\n" + b"".join(b"a,b,%d\n" % k for k in range(9)))
    reading = propose(table)[0]
    assert interpret(table.head(5), reading).triplets.n_objects == 7
    with pytest.raises(DataError, match="column 'far' holds 9 different names"):
        interpret(table, reading)


def test_different_cells_of_the_first_rows_are_those_of_these_rows_alone():
    table = load(b"anchor,near,far\n" + b"a,b,c\na,c ,\n" * 20 + b"d,e,f\n")
    assert [table.n_different(name) for name in table.columns] == [2, 3, 3]
    assert [table.head(2).n_different(name) for name in table.columns] == [1, 2, 2]
