"""Tables in memory and lists of files are read as files are."""

from __future__ import annotations

import csv
import io
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import tripletscope as ts
from tripletscope.core.data.errors import DataError

FILE = Path("sample_data/odd_one_out/answers.csv")


@pytest.fixture(scope="module")
def expected() -> ts.Triplets:
    return ts.read(FILE)


def rows_of(file: Path) -> list[list[str]]:
    return list(csv.reader(file.read_text("utf-8").splitlines()))


def halves() -> list[bytes]:
    head, *lines = FILE.read_bytes().splitlines(keepends=True)
    middle = len(lines) // 2
    return [head + b"".join(part) for part in (lines[:middle], lines[middle:])]


def named_rows() -> list[dict[str, str]]:
    head, *rows = rows_of(FILE)
    return [dict(zip(head, row, strict=True)) for row in rows]


SOURCES = {
    "data frame": lambda: pd.read_csv(FILE),
    "data frame with missing values": lambda: pd.read_csv(FILE).convert_dtypes(),
    "data frame with an index": lambda: pd.read_csv(FILE).set_index(rows_of(FILE)[0][0]),
    "rows with a header": lambda: rows_of(FILE),
    "rows as tuples": lambda: tuple(map(tuple, rows_of(FILE))),
    "data frame of rows": lambda: pd.DataFrame(rows_of(FILE)),
    "mappings": named_rows,
    "one file in a list": lambda: [FILE],
    "its path": lambda: [str(FILE)],
    "files": halves,
    "open files": lambda: tuple(map(io.BytesIO, halves())),
}


@pytest.mark.parametrize("source", SOURCES)
def test_all_forms_of_a_table_are_read_alike(source, expected):
    found = ts.read(SOURCES[source]())
    assert found.ids == expected.ids
    assert np.array_equal(found.rows, expected.rows)
    assert set(found.answers.columns) == set(expected.answers.columns)
    for column in expected.answers.columns:
        assert found.answers[column].tolist() == expected.answers[column].tolist()


@pytest.mark.parametrize("form", [
    list, np.array, pd.DataFrame, lambda rows: [np.array(row) for row in rows],
])
def test_rows_without_a_header_are_anchor_near_and_far(form):
    for rows in ([[0, 1, 2], [2, 1, 0]], [["cup", "mug", "a, b"], ["a, b", "mug", "cup"]]):
        found = ts.read(form(rows))
        assert [[found.ids[i] for i in row] for row in found] == [list(map(str, r)) for r in rows]


def test_a_table_keeps_its_name_and_its_further_columns():
    frame = pd.DataFrame({
        "anchor": ["a", "b"], "near": ["b", "c"], "far": ["c", "a"],
        "when": pd.to_datetime(["2026-01-02", None]), "sure": pd.Categorical(["yes", "no"]),
        "age": pd.array([31, None], dtype="Int64"),
    })
    found = ts.read(frame, name="Pilot", keep=["when", "sure", "age"])
    assert found.name == "Pilot"
    assert found.answers["when"].iloc[0].startswith("2026-01-02")
    assert found.answers["sure"].tolist() == ["yes", "no"]
    assert found.answers["age"].iloc[0] in (31, "31")
    assert frame.columns.tolist()[:3] == ["anchor", "near", "far"]  # not changed


@pytest.mark.parametrize("read", [
    ts.read, ts.experiment.read_pairs, ts.experiment.import_answers,
    ts.features.read_objects, ts.ratings.read_measured,
])
def test_every_reader_says_what_it_takes(read):
    for source in (7, None, {"anchor": ["a"]}, ts.DataError):
        with pytest.raises(TypeError, match="it must be the path, the bytes or the open file"):
            read(source)


def test_readers_of_other_tables_take_data_frames():
    pairs = [("resp", "S1", "S2", "S3", "S4"), (1, "cup", "mug", "fork", "pan"),
             (0, "fork", "spoon", "cup", "mug")]
    assert ts.experiment.read_pairs(pairs).n_objects == 5
    ratings = pd.DataFrame({"item1": list("aab"), "item2": list("bcc"), "similarity": [5, 2, 1]})
    assert ts.ratings.read_measured(ratings).dissimilarities().mean[0].tolist() == [0, 0, 3]
    assert ts.features.read_objects([("name", "size"), ("cup", 9), ("mug", 10)]).shape == (2, 3)


@pytest.mark.parametrize(("source", "problem"), [
    ([], "neither of rows nor of files"), ([1, 2, 3], "neither of rows nor of files"),
    ([["a", "b", "c"], "file.csv"], "neither of rows nor of files"),
    (["missing.csv"], "missing.csv: the file cannot be opened"),
    ([["a"], ["b"]], "1 cell each"), (pd.DataFrame(), "the file is empty"),
    (pd.DataFrame({"a": ["x"], "b": ["y"]}), "the table has 2 columns"),
    (pd.DataFrame([[1, 2, 3]], columns=["a", "a", "b"]), "two columns are named 'a'"),
])
def test_what_is_no_table_is_refused(source, problem):
    with pytest.raises(DataError, match=problem):
        ts.read(source)


def test_rows_that_may_have_been_meant_for_answers_are_told_of_in_python():
    """`import_answers` has a report; who only gets the answers would not know of them."""
    rows = [("cup", "mug", "fork", "mug"), ("fork", "spoon", "cup", "cup")] * 6
    columns = ("head", "option_1", "option_2", "response")
    roles = {"anchor": "head", "left": "option_1", "right": "option_2", "choice": "response"}
    refused = pd.DataFrame([*rows, ("cup", "fork", "mug", "neither, sorry")], columns=columns)
    with pytest.warns(UserWarning, match="1 row omitted because the response is none of") as told:
        ts.read(refused, roles)
    assert "row 13" in str(told[0].message)
    assert "import_answers" in str(told[0].message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ts.read(pd.DataFrame([*rows, ("cup", "fork", "mug", "")], columns=columns), roles)
