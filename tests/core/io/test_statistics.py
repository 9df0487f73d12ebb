"""Files of SPSS, Stata and R, written by other programs: PSPP 1.6, R 4.2 with foreign, pandas."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tripletscope.core.data.errors import DataError
from tripletscope.core.io import load, read
from tripletscope.dashboard.door.workers import workers

FIXTURES = Path(__file__).parents[2] / "fixtures"
SAVED = (
    "pspp.sav", "pspp_packed.zsav", "pspp_long.sav", "foreign.dta", "r_table.rds",
    "r_workspace.RData", "r_packed.rda", "r_matrix.rds",
)


def saved(name: str) -> Path:
    """A file of answers, or one that only has cells of all kinds."""
    return next(FIXTURES / folder / name for folder in ("formats", "spss")
                if (FIXTURES / folder / name).exists())


def cells(name: str) -> pd.DataFrame:
    return load(saved(name)).preview(9)


@pytest.mark.parametrize("name", ["pspp.sav", "pspp_packed.zsav"])
def test_spss_shows_value_labels_and_no_user_missing_values(name):
    table = load(saved(name))
    assert cells(name).to_numpy().tolist() == [
        ["p1", "Äpfel", "apple", "pear", "left"], ["p1", "pear", "pear", "plum", "right"],
        ["p2", "plum", "plum", "apple", ""],
    ]
    assert "Shown by their value labels: near, far and chosen." in table.notes
    assert any("near: More similar object" in note for note in table.notes)


def test_spss_joins_long_texts_and_knows_dates():
    table = load(saved("pspp_long.sav"), least_columns=2)
    found = table.preview(9)
    assert found["a"].str.strip('"').tolist() == ["xyz", "abcdefghij" * 60]
    assert found["a_rather_long_name"].str.strip('"').tolist() == ["äöü", "b"]
    assert found["d"].tolist() == ["2026-01-02", "2026-02-03"]


def test_stata_shows_value_labels_where_they_name_all_values():
    assert cells("foreign.dta").to_numpy().tolist() == [
        ["p1", "apple", "pear", "1.5"], ["p1", "pear", "plum", ""], ["p2", "plum", "apple", "2"],
    ]
    buffer = io.BytesIO()
    pd.DataFrame({"anchor": ["a", "b"], "near": [1, 9], "far": [2, 1]}).to_stata(
        buffer, write_index=False, version=118, value_labels={"near": {9: "unknown"}},
        variable_labels={"anchor": "Bezug"},
    )
    table = load(buffer.getvalue(), "a.dta")
    assert table.preview(9)["near"].tolist() == ["1", "9"]
    assert "Some values have labels: near: 9 unknown." in table.notes
    assert "Labels of columns: anchor: Bezug." in table.notes


@pytest.mark.parametrize("name", ["r_table.rds", "r_workspace.RData", "r_packed.rda"])
def test_r_shows_levels_labels_and_dates(name):
    table = load(saved(name))
    found = table.preview(9)
    assert found["anchor"].tolist() == ["Äpfel", "pear", "plum"]
    assert found["far"].tolist() == ["plum", "Äpfel", ""]
    assert found["rt"].tolist() == ["1.5", "", "2"]
    assert found["n"].tolist() == ["1", "2", "3"]
    assert found["day"].tolist() == ["2026-01-02", "", "2026-01-04"]
    assert found["code"].tolist() == ["left", "right", "left"]
    assert "Labels of columns: rt: Response time." in table.notes
    if name == "r_workspace.RData":  # with a function, an environment and two smaller tables
        assert table.notes[0] == "R: d is read; small and m not."


def test_a_matrix_of_r_keeps_its_names():
    assert cells("r_matrix.rds").to_numpy().tolist() == [
        ["a", "0", "1", "2"], ["b", "1", "0", "3"], ["c", "2", "3", "0"],
    ]


def test_answers_are_read_also_by_a_process_without_rights(tmp_path):
    frame = pd.DataFrame({"anchor": list("abc"), "near": list("bca"), "far": list("cab")})
    buffer = io.BytesIO()
    frame.to_stata(buffer, write_index=False)
    assert read(buffer.getvalue(), name="a.dta").rows.tolist() == [[0, 1, 2], [1, 2, 0], [2, 0, 1]]
    for name in ("pspp.sav", "pspp_packed.zsav", "foreign.dta", "r_table.rds", "r_packed.rda"):
        worker = workers().take(lambda: True)
        content = (saved(name)).read_bytes()
        assert len(worker.ask("objects", file=name, name=name, content=content)) == 3


@pytest.mark.parametrize("name", SAVED)
def test_damaged_files_are_refused(name):
    """A file cut anywhere, and one with a wrong byte, are refused or read, and nothing else."""
    whole = (saved(name)).read_bytes()
    rng = np.random.default_rng(0)
    refused = 0
    for cut in range(8, len(whole), max(len(whole) // 60, 1)):
        wrong = bytearray(whole)
        wrong[int(rng.integers(len(whole)))] ^= int(rng.integers(1, 256))
        for data in (whole[:cut], bytes(wrong)):
            try:
                load(data, name)
            except DataError:
                refused += 1
    assert refused > 20


def test_text_and_endless_lists_of_r_are_refused():
    with pytest.raises(DataError, match="R saved this as text"):
        load(b"RDA3\nA\n3\n262146\n", "a.rda")
    deep = b"X\n" + b"\0\0\0\2" * 3 + (b"\0\0\0\x13\0\0\0\1" * 200) + b"\0\0\0\xfe"
    with pytest.raises(DataError, match="damaged"):
        load(deep, "deep.rds")
    long = b"X\n" + b"\0\0\0\2" * 3 + b"\0\0\0\x13\x7f\xff\xff\xff"
    with pytest.raises(DataError, match="damaged"):
        load(long, "long.rds")
