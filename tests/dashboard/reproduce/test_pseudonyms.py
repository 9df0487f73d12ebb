"""Participants under other names."""

from __future__ import annotations

import pandas as pd

from tripletscope.dashboard.reproduce.pseudonyms import pseudonyms, renamed, reworded, telling


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
