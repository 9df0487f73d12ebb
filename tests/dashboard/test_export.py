"""Exports: tables, settings and bundles say what they should, and nothing more."""

from __future__ import annotations

import csv
import io
import json
import zipfile

import numpy as np
import pandas as pd

from tripletscope.core.data.triplets import Triplets
from tripletscope.core.embedding import STE
from tripletscope.core.io import read, write_answers
from tripletscope.core.run import run
from tripletscope.core.simulation.simulate import simulate
from tripletscope.dashboard import export


def test_tables_keep_all_digits():
    table = pd.DataFrame({"id": ["ä", "b"], "x": [1 / 3, np.nan]})
    back = pd.read_csv(io.BytesIO(export.csv(table)))
    assert back["x"][0] == 1 / 3
    assert np.isnan(back["x"][1])
    assert back["id"].tolist() == ["ä", "b"]


def test_spreadsheets_find_no_formulas():
    hostile = ["=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1",
               '=HYPERLINK("x")', "-cmd|' /C calc'!A0"]
    harmless = ["a=1", "-1", "+1.5e-3", "", " =1", "'=1", "ä", "-.5", "a\r=1"]
    texts = hostile + harmless
    table = pd.DataFrame({
        "=name": texts, "same": pd.Series(texts, dtype="str"),
        "kind": pd.Categorical(texts), "number": -np.arange(len(texts)) / 3,
        "missing": [None] * len(texts),
    })
    table = pd.concat([table, table[["number"]]], axis=1)  # also twice the same name
    with io.StringIO(export.sheet(table).decode(), newline="") as file:
        head, *rows = csv.reader(file)
    assert head == ["'=name", "same", "kind", "number", "missing", "number"]
    expected = [text.replace("\r", "\n") for text in [f"'{text}" for text in hostile] + harmless]
    for column in range(3):
        assert [row[column] for row in rows] == expected
    assert [float(row[3]) for row in rows] == table.iloc[:, 3].tolist(), "numbers stay numbers"
    assert {row[4] for row in rows} == {""}


def test_what_programs_read_stays_exact():
    names = ["=1+1", "-1+1", "@x", "\ttab"]
    table = pd.DataFrame({"=id": names})
    assert pd.read_csv(io.BytesIO(export.csv(table)))["=id"].tolist() == names
    assert export.sheet(pd.DataFrame()) == export.csv(pd.DataFrame())


def test_answers_about_names_like_formulas_read_back_the_same(truth, tmp_path):
    names = [f"{sign}name {k}" for k, sign in enumerate("=+-@" * 8)][:len(truth)]
    objects = pd.DataFrame({"id": names})
    answers = Triplets(simulate(truth, 300, seed=1).rows, objects)
    (tmp_path / "answers.csv").write_bytes(write_answers(answers))
    back = read(tmp_path / "answers.csv")
    told = [np.array(a.ids, dtype=object)[a.rows].tolist() for a in (answers, back)]
    assert told[0] == told[1]


def test_settings_tell_how_it_came_about(planted):
    done = run("fit", STE(n_init=1), planted)
    record = json.loads(export.settings({"fit": done}, {"name": "Things"}))
    assert record["data"] == {"name": "Things"}
    assert record["computations"]["fit"]["parameters"] == STE(n_init=1).get_params()
    assert record["computations"]["fit"]["key"] == done.key


def test_bundles_hold_their_files():
    with zipfile.ZipFile(io.BytesIO(export.bundle({"a.csv": b"1", "b.svg": b"2"}))) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == {
            "a.csv": b"1", "b.svg": b"2"
        }


def test_file_names_are_safe():
    assert export.file_name("My data/../x", "ste", "map") == "My-data-..-x-ste-map"
    assert export.file_name("///", "") == "tripletscope"
    long = export.file_name("語" * 300, "a b " * 300)
    assert len(long.encode()) <= 201
    assert long.startswith("語" * 33 + "-a-b")
