"""Participants under other names."""

from __future__ import annotations

import io
import json
import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tripletscope as ts
from tests.core.studies.quality.answers import people_data
from tests.dashboard.archive.changed import unzipped
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.reading import Pairs
from tripletscope.core.studies.quality import Exclusion
from tripletscope.dashboard.archive.archive import archive
from tripletscope.dashboard.archive.pseudonyms import pseudonyms, renamed, reworded, telling
from tripletscope.dashboard.archive.terms import Terms
from tripletscope.dashboard.sandbox.archive import ABOUT
from tripletscope.dashboard.store.workspace import Workspace
from tripletscope.dashboard.upload import ingest


def test_all_participants_get_names_in_the_order_of_theirs():
    table = pd.DataFrame({"participant": ["b", None, "a"]})
    other = pd.DataFrame({"participant": pd.Categorical(["c", "a", "c"])})
    names = pseudonyms(table, None, other, pd.DataFrame({"x": [1]}))
    assert names == {"a": "sub-001", "b": "sub-002", "c": "sub-003"}
    many = pd.DataFrame({"participant": [f"{k:05}" for k in range(1500)]})
    assert pseudonyms(many)["01499"] == "sub-1500"


def test_tables_keep_their_form():
    names = {"a": "sub-001", "b": "sub-002"}
    plain = renamed(pd.DataFrame({"participant": ["b", None, "a"]}), names)["participant"]
    assert plain.fillna("-").tolist() == ["sub-002", "-", "sub-001"]
    column = pd.Categorical(["b", "a", None], categories=["b", "a"])
    made = renamed(pd.DataFrame({"participant": column}), names)["participant"]
    assert list(made.cat.categories) == ["sub-002", "sub-001"]
    assert made.isna().tolist() == [False, False, True]


def test_texts_name_nobody_but_keep_numbers_and_words():
    names = {"anna": "sub-001", "anna.b": "sub-002", "3": "sub-003", "a": "sub-004"}
    text = "3 answers of a file by anna.b, anna and hanna; 1_anna"
    assert reworded(text, names) == "3 answers of a file by sub-002, sub-001 and hanna; 1_anna"
    assert reworded(text, {"3": "sub-001"}) == text


def test_columns_with_a_value_for_each_participant_are_found():
    table = pd.DataFrame({
        "participant": ["a", "a", "b", "c"], "file": ["1.csv", "1.csv", "2.csv", "3.csv"],
        "group": ["x", "x", "y", "y"], "session": ["1", "2", "3", "4"],
        "age": [1.0, 1.0, 2.0, 3.0],
    })
    assert telling([table, None, table[["file"]]]) == ["file"]
    rows = pd.DataFrame({
        "participant": ["5c3a", "5c3a", "9b1f", "9b1f"], "clock": ["1", "2", "3", "4"],
        "sound": ["a_1.wav", "a_2.wav", "b_1.wav", "b_2.wav"],
        "remark": ["", "nice", "I am 9b1f", "long"],
    })
    assert telling([rows]) == ["remark"]


def test_pseudonyms_take_the_place_of_names_everywhere(made, services):
    workspace, info, _ = made
    settings = {f"map.colour@{info.id}": "age", f"people.shown@{info.id}": ["p0"]}
    content = archive(workspace, info, Terms("Shapes", pseudonyms=True), settings=settings)
    files = unzipped(content)
    assert json.loads(files["pages.json"]) == {"map.colour@{data set}": "age"}
    for name, text in files.items():
        if name.endswith((".csv", ".tsv", ".json", ".py", ".ipynb", ".md")):
            words = set(re.findall(r"[\w.]+", text.decode()))
            assert not {"p0", "p1", "p5"} & words, name
    opened = ingest.open_archive("shapes.zip", content)
    triplets = services.workspace.triplets(opened.info)
    assert set(triplets.answers["participant"].astype("str")) <= {
        f"sub-{k:03}" for k in range(1, 20)
    }
    assert opened.info.n_answers == info.n_answers
    tables = [pd.read_parquet(io.BytesIO(files[name])) for name in files if ".parquet" in name]
    for table in tables:
        assert not table.astype("str").isin(["p0", "p1", "p5"]).any(axis=None)
    # What does not depend on who answered is there under its key.
    kept = {one.task for one in services.workspace.runs(opened.info.id)}
    assert kept == {"fit"}
    assert "depends on who answered" in files["README.md"].decode()


@pytest.mark.parametrize("has_pairs", [False, True])
def test_names_of_nobody_are_in_no_byte(tmp_path, has_pairs):
    """Nor names of people whose answers are elsewhere: categories remember them."""
    people = ["annabelle", "benedikt", "charlotte"]
    data = people_data()
    who = pd.Categorical(np.array(people)[np.arange(len(data)) % 3], categories=people)
    data = Triplets(data.rows, data.objects, pd.DataFrame({"participant": who, "file": who}))
    part = data.take(np.flatnonzero(who != "charlotte"))
    assert list(part.answers["file"].cat.categories) == people[:2]
    unused = pd.DataFrame({"participant": pd.Categorical(people[:2], categories=people)})
    pairs = Pairs(np.array([[0, 1, 2, 3], [1, 2, 3, 4]]), unused, np.arange(2), data.n_objects)
    ratings = unused.assign(item1=data.ids[:2], item2=data.ids[2:4], rating=[1.0, 2.0])
    workspace = Workspace(tmp_path / "ws")
    info = workspace.add_dataset(
        Triplets(part.rows, data.objects, data.answers[who != "charlotte"][["participant"]],
                 "Some, participant annabelle"),
        origin="annabelle.csv", report=["Of these, 5 answers whose participant is annabelle."],
        catch_trials=unused.assign(row=[2, 3], correct=True), pairs=pairs if has_pairs else None,
        measured=None if has_pairs else ts.ratings.Ratings(ratings),
        extra={"reading": {"only": {"who": people[:2], "block": ["1"]}}},
    )
    cleaning = workspace.cleaning(info).with_gold(Triplets(data.rows[:2], data.objects, unused))
    info = workspace.update_dataset(info, cleaning.excluding(Exclusion(participants=people[1:])))
    files = unzipped(archive(workspace, info, Terms(info.name, pseudonyms=True)))
    assert json.loads(files[ABOUT])["name"] == "Some, participant sub-001"
    assert json.loads(files[ABOUT])["extra"]["reading"] == {"only": {"block": ["1"]}}
    tables = [name for name in files if name.endswith(".parquet")]
    assert {"pairs" if has_pairs else "measured", "gold", "catch_trials", "answers"} <= {
        name.removesuffix(".parquet") for name in tables
    }
    for name in tables:
        table = pq.read_table(io.BytesIO(files[name]))
        files[f"{name}, read"] = str([
            (column.unify_dictionaries().chunk(0).dictionary.to_pylist()
             if pa.types.is_dictionary(column.type) else column.to_pylist())
            for column in table.columns
        ]).encode()
    for name, content in files.items():
        assert not [one for one in people if one.encode() in content], name
    workspace.close()
