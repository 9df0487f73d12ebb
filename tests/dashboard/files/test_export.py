"""Exports: tables, settings and bundles say what they should, and nothing more."""

from __future__ import annotations

import ast
import csv
import io
import json
import re
import zipfile

import numpy as np
import pandas as pd
import pytest

from tests.paths import ROOT
from tests.sources import tree_of
from tripletscope.core.data.cells import bare, marked, unmarked
from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.models.embedding import STE
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.core.reading import Pairs
from tripletscope.core.run import run
from tripletscope.core.studies.quality import Exclusion
from tripletscope.core.studies.quality.importing import read
from tripletscope.core.writing import WRITERS, write_answers, write_pairs
from tripletscope.dashboard.archive.archive import archive
from tripletscope.dashboard.archive.terms import Terms
from tripletscope.dashboard.files import export
from tripletscope.dashboard.store.workspace import Workspace


def test_tables_keep_all_digits():
    table = pd.DataFrame({"id": ["ä", "b"], "x": [1 / 3, np.nan]})
    back = pd.read_csv(io.BytesIO(export.csv(table)))
    assert back["x"][0] == 1 / 3
    assert np.isnan(back["x"][1])
    assert back["id"].tolist() == ["ä", "b"]


def test_spreadsheets_find_no_formulas():
    hostile = ["=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1",
               '=HYPERLINK("x")', "-cmd|' /C calc'!A0"]
    hostile += ["'=1", "''+x"]  # or reading would take them for marked ones
    harmless = ["a=1", "-1", "+1.5e-3", "", " =1", "'a", "'-1", "ä", "-.5", "a\r=1"]
    texts = hostile + harmless
    table = pd.DataFrame({
        "=name": texts, "same": pd.Series(texts, dtype="str"),
        "kind": pd.Categorical(texts), "number": -np.arange(len(texts)) / 3,
        "missing": [None] * len(texts),
    })
    table = pd.concat([table, table[["number"]]], axis=1)  # also twice the same name
    with io.StringIO(export.csv(table).decode(), newline="") as file:
        head, *rows = csv.reader(file)
    assert head == ["'=name", "same", "kind", "number", "missing", "number"]
    expected = [text.replace("\r", "\n") for text in [f"'{text}" for text in hostile] + harmless]
    for column in range(3):
        assert [row[column] for row in rows] == expected
    assert [float(row[3]) for row in rows] == table.iloc[:, 3].tolist(), "numbers stay numbers"
    assert {row[4] for row in rows} == {""}


def test_a_mark_is_taken_off_by_reading_and_only_a_mark():
    for text in ("=1+1", "-a", "@x", "'=1", "''+x", "＝1", "-1", "'-1", "a", "'a", "don't", "'"):
        assert unmarked(marked(text)) == text
        assert bare(f" {marked(text)} ") == text
    for quoted in ("'-'", "'=1'", "'a'"):
        assert bare(quoted) == quoted
    assert export.csv(pd.DataFrame()) == b"\n"


def formulas(content: bytes, delimiter: str = ",") -> list[str]:
    """The cells of a table that a spreadsheet takes for formulas."""
    with io.StringIO(content.decode("utf-8-sig"), newline="") as file:
        return [cell for row in csv.reader(file, delimiter=delimiter) for cell in row
                if cell[:1] in set("=+-@\t\r＝＋－＠")
                and not re.fullmatch(r"[-+]?[\d.e+-]+", cell)]


@pytest.fixture
def hostile(truth):
    """Answers with formulas wherever a name can stand."""
    n = len(truth)
    objects = pd.DataFrame({
        "id": [f"=o{k}" for k in range(n)], "label": [f"@l{k}" for k in range(n)],
        "-kind": ["+a", "=b"] * (n // 2),
    })
    rows = simulate(truth, 300, seed=1).rows
    answers = pd.DataFrame({"participant": ["=p", "-q", "@r"] * 100, "+note": ["=1+1"] * 300,
                            "split": ["train", "test"] * 150})
    return Triplets(rows, objects, answers, "=cmd")


def test_no_layout_of_answers_holds_a_formula(hostile, truth):
    tables = [writer(hostile) for writer in WRITERS.values()
              if writer.suffix == ".csv" and not writer.problem(hostile)]
    assert len(tables) >= 2
    pairs = Quadruples([[0, 1, 2, 3]] * 3, objects=hostile.objects,
                       answers=pd.DataFrame({"participant": ["=p", "-q", "r"]}))
    for table in [*tables, write_pairs(pairs)]:
        assert not formulas(table)
    assert formulas(b"id\n=1+1\n"), "the check finds one"


def test_no_table_of_an_archive_holds_a_formula_and_its_script_finds_the_names(hostile, tmp_path):
    workspace = Workspace(tmp_path)
    catch = pd.DataFrame({"row": [2], "participant": ["=p"], "correct": [True]})
    pairs = Pairs(np.array([[0, 1, 2, 3]] * 2), pd.DataFrame({"participant": ["=p", "-q"]}),
                  np.arange(2), hostile.n_objects)
    info = workspace.add_dataset(
        hostile, origin="=a", report=["=b"], catch_trials=catch, pairs=pairs
    )
    info = workspace.update_dataset(
        info, workspace.cleaning(info).excluding(Exclusion(participants=("-q",)))
    )
    workspace.add_run(info, run("fit", STE(n_init=1), workspace.triplets(info)), "=fit")
    content = archive(workspace, info, Terms("=title"))
    workspace.close()
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        names = [name for name in file.namelist() if name.endswith((".csv", ".tsv"))]
        tables = {name: file.read(name) for name in names}
        file.extractall(tmp_path / "archive")
    assert len(tables) >= 6
    for name, table in tables.items():
        assert not formulas(table, "\t" if name.endswith(".tsv") else ","), name
    data = tmp_path / "archive" / "data"
    answers, objects = (
        next(data.glob(f"*description-{what}_data.csv")) for what in ("answers", "objects")
    )
    back = read(answers, objects=objects, keep=["+note"])
    assert back.ids == hostile.ids
    assert set(back.answers["participant"]) == {"=p", "-q", "@r"}


def test_every_table_of_the_dashboard_goes_through_one_writer():
    """No module writes one itself, whatever its name for it is."""
    written = {
        path.relative_to(ROOT).as_posix()
        for folder in ("dashboard", "pages") for path in sorted((ROOT / folder).rglob("*.py"))
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Attribute) and node.attr in ("to_csv", "write_csv", "DictWriter")
    }
    # Readers write files of its own to warm up; BIDS has tabs, and marks what the others mark.
    assert written == {
        "dashboard/files/export.py", "dashboard/sandbox/questions.py",
        "dashboard/archive/codebook.py",
    }


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
