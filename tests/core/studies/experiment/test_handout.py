"""Questions to take away: tables as other programs read them, and balanced lists."""

from __future__ import annotations

import io
import json

import numpy as np
import pandas as pd
import pytest

from tripletscope.core.studies.experiment.handout import question_list, question_table


def test_layouts_of_tables():
    objects = pd.DataFrame({
        "id": ["a, b", "é", "c"], "label": ["A", "E", "C"], "image": ["a.png", None, "c.png"],
    })
    questions = np.array([[0, 1, 2], [2, 0, 1]])
    plain = question_table(questions, objects, "plain")
    back = pd.read_csv(io.StringIO(plain.to_csv(index=False)))
    assert back.to_numpy().tolist() == [[1, "a, b", "é", "c"], [2, "c", "a, b", "é"]]
    salmon = question_table(questions, objects, "salmon")
    assert salmon.columns.tolist() == ["head", "left", "right"]
    assert np.array_equal(salmon.to_numpy(), questions)
    jspsych = question_table(questions, objects, "jspsych")
    assert jspsych["stimulus"].tolist() == ["a.png", "c.png"]
    assert json.loads(jspsych["choices"][0]) == ["é", "c.png"]
    with pytest.raises(ValueError, match="layout is 'qualtrics'"):
        question_table(questions, objects, "qualtrics")


@pytest.mark.parametrize(("n", "q"), [(4, 12), (7, 105), (30, 400), (5, 1)])
def test_lists_are_balanced_and_different(n, q):
    found = question_list(n, q, repeated=0.0, seed=1).questions
    assert found.shape == (q, 3)
    assert len({(a, *sorted((b, c))) for a, b, c in found.tolist()}) == q
    anchors = np.bincount(found[:, 0], minlength=n)
    assert np.ptp(anchors) <= 1
    used = np.bincount(found[:, 1:].ravel(), minlength=n)
    assert np.ptp(used) <= 2
    lean = np.bincount(found[:, 1], minlength=n) - np.bincount(found[:, 2], minlength=n)
    assert np.abs(lean).max() <= 4


def test_repeats_come_later_and_gold_is_spread():
    found = question_list(10, 100, repeated=0.2, gold=6, seed=0)
    assert len(found.kind) == 126
    kinds, counts = np.unique(found.kind, return_counts=True)
    assert dict(zip(kinds.tolist(), counts.tolist(), strict=True)) == {
        "gold": 6, "question": 100, "repeat": 20,
    }
    seen: dict[tuple, int] = {}
    rows = found.questions.tolist()
    for place, ((a, b, c), kind) in enumerate(zip(rows, found.kind, strict=True)):
        if kind == "gold":
            assert (a, b, c) == (-1, -1, -1)
        elif kind == "repeat":
            assert seen[(a, *sorted((b, c)))] < place
        else:
            seen[(a, *sorted((b, c)))] = place
    gold = np.flatnonzero(found.kind == "gold")
    assert np.all(np.diff(np.floor(gold * 6 / 126)) >= 0)
    assert np.ptp(gold) > 60
    again = question_list(10, 100, repeated=0.2, gold=6, seed=0)
    assert np.array_equal(found.questions, again.questions)
    assert not np.array_equal(found.questions, question_list(10, 100, gold=6, seed=1).questions)


@pytest.mark.parametrize("layout", ["plain", "salmon", "jspsych"])
def test_tables_for_experiments(layout):
    found = question_list(5, 20, gold=3)
    objects = pd.DataFrame({"id": list("abcde"), "label": list("abcde")})
    table = found.table(objects, layout)
    assert len(table) == len(found.kind) == 25
    assert table.kind.tolist() == found.kind.tolist()
    content = table.drop(columns=["kind", *table.columns.intersection(["question"])])
    assert (content[table.kind == "gold"] == "").to_numpy().all()
    assert (content[table.kind != "gold"] != "").to_numpy().all()
    if layout == "plain":
        asked = found.questions[found.kind != "gold"]
        names = table.loc[table.kind != "gold", ["anchor", "left", "right"]].to_numpy()
        assert np.array_equal(names, np.array(list("abcde"))[asked])


def test_several_lists_share_no_question():
    found = question_list(16, 20, lists=4, repeated=0.1, gold=1, seed=3)
    assert found.questions.shape == (4 * 23, 3)
    assert np.bincount(found.part).tolist() == [23] * 4
    own = found.questions[found.kind == "question"]
    assert len({(a, *sorted((b, c))) for a, b, c in own.tolist()}) == 80
    for part in range(4):
        mine = found.questions[(found.part == part) & (found.kind == "question")]
        assert np.ptp(np.bincount(mine[:, 0], minlength=16)) <= 2
        again = found.questions[(found.part == part) & (found.kind == "repeat")]
        assert {a for a, _, _ in again.tolist()} <= {a for a, _, _ in mine.tolist()}
    objects = pd.DataFrame({"id": list("abcdefghijklmnop"), "label": "a"})
    assert found.table(objects)["list"].tolist() == np.repeat([1, 2, 3, 4], 23).tolist()


def test_impossible_lists_are_refused():
    with pytest.raises(ValueError, match="4 objects allow 12 different questions"):
        question_list(4, 13)
    with pytest.raises(ValueError, match="repeated of question_list is"):
        question_list(4, 5, repeated=0.9)
