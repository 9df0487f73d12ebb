"""Every layout is recognised, and its answers are those that its tool meant."""

from __future__ import annotations

import io
import json

import numpy as np
import pandas as pd
import pytest

from tests.core.reading.layouts import (
    CASES,
    CHOICE,
    FORMATS,
    GORILLA,
    JSPSYCH,
    MEADOWS,
    NAMES,
    SORTED_ODD,
    THREE,
    best,
    central,
    joined,
    named_rows,
)
from tripletscope.core.data.errors import DataError
from tripletscope.core.engine.progress import Stopped
from tripletscope.core.reading import Reading, load, propose, recognise
from tripletscope.core.reading.interpretation.interpret import interpret
from tripletscope.core.reading.kinds import kinds
from tripletscope.core.reading.layouts import layouts
from tripletscope.core.studies.quality.importing import read


@pytest.mark.parametrize("case", CASES)
def test_every_layout_is_read_as_its_tool_meant(case):
    name, data, layout, task, coding, rows = CASES[case]
    _, reading, imported = best(data, name)
    assert (reading.layout, reading.task, reading.choice_coding) == (layout, task, coding)
    if rows is not None:
        assert named_rows(imported)[: len(rows)] == rows
    assert reading.layout in {*layouts(), *kinds()}
    assert reading.reasons
    assert all(text.endswith((".", "?")) for text in reading.summary())
    assert all("saw" in s.text or "said" in s.text for s in imported.sentences())
    # A saved reading does the same for the next file of the experiment.
    again = Reading.from_dict(json.loads(json.dumps(reading.to_dict())))
    assert again == reading
    assert named_rows(interpret(load(data if isinstance(data, bytes) else data.encode(), name),
                                again)) == named_rows(imported)


# What single layouts say beyond their rows


def test_next_1():
    table, reading, imported = best((FORMATS / "next_responses.json").read_bytes(), "next.json")
    raw = json.loads((FORMATS / "next_responses.json").read_text())["participant_responses"]
    answers = [a for given in raw.values() for a in given]
    assert reading.layout == "center"
    assert table.n_rows == len(answers)
    expected = [
        tuple(map(str, (a["q"][2], a["q"][0], a["q"][1]))) for a in answers if "index_winner" in a
    ]
    assert named_rows(imported) == expected
    assert imported.report.n_participants == len({a["participant_uid"] for a in answers})
    seconds = imported.triplets.answers["response_time"]
    assert seconds.iloc[0] == pytest.approx(answers[0]["response_time"])
    assert reading.roles["time"] == "timestamp_query_generated"


def test_next_1_unanswered_and_contradictory():
    raw = json.loads((FORMATS / "next_responses.json").read_text())
    first, *_ = raw["participant_responses"].values()
    del first[0]["index_winner"]
    first[1]["q"][0], first[1]["q"][1] = first[1]["q"][1], first[1]["q"][0]
    _, _, imported = best(json.dumps(raw), "next.json")
    (omission,) = imported.report.omissions
    assert "no response" in omission.reason
    assert omission.count == 2


def test_jspsych_keeps_trials_only():
    _, reading, imported = best(JSPSYCH)
    (kinds,) = reading.only.values()
    assert {"random", "check", "validation"} <= set(kinds)
    assert not {"fixation", "consent", "practice", "speedy"} & set(kinds)
    assert imported.catch_trials["correct"].tolist() == [True]
    assert imported.triplets.labels == ["a", "b", "c"]
    assert np.isnan(imported.triplets.answers["response_time"]).sum() == 0
    assert imported.file_rows.tolist() == [4, 7]


@pytest.mark.parametrize("case", [name for name in CASES if name.startswith("collect ")])
def test_of_our_own_results_only_questions_are_about_objects(case):
    name, data, *_ = CASES[case]
    _, reading, imported = best(data, name)
    assert set(reading.only["kind"]) == {"question", "repeat"}
    answers = (imported.pairs or imported.triplets).answers
    assert sorted(set(answers["sampler"])) == ["gain", "random"]
    assert sorted(set(answers["response_time"])) == [0.901, 0.903]
    assert np.ptp(answers["time"]) == 2.0
    # Practice is no check, although the right answer is known.
    assert imported.catch_trials["participant"].tolist() == ["ann"]
    assert imported.catch_trials["correct"].tolist() == [False]
    assert imported.catch_trials["row"].tolist() == [4]


def test_a_table_is_ours_only_if_it_says_so():
    _, data, *_ = CASES["collect triplet"]
    for missing in ("collect_task", "kind"):
        table = pd.read_csv(io.StringIO(data)).drop(columns=missing)
        assert best(table.to_csv(index=False))[1].layout != "collect"


def test_meadows_response_times():
    _, reading, imported = best(MEADOWS)
    times = imported.triplets.answers.drop_duplicates("trial")["response_time"]
    assert times.tolist() == [2.5, 1.0, 4.0]
    assert reading.roles["participant"] == "participation"


def test_gorilla_with_decimal_comma():
    _, _, imported = best(GORILLA)
    assert imported.triplets.answers["response_time"].tolist() == [1.7325, 0.8325]
    assert imported.report.n_participants == 2


def test_counts_become_weights():
    for case in ("F26 counts", "F33 material"):
        name, data, *_ = CASES[case]
        weights = best(data, name)[2].triplets.weight
        assert weights.tolist() == ([4, 1, 5, 5] if case[:3] == "F26" else [4, 1, 5])
    name, data, *_ = CASES["F20 list-count"]
    _, _, imported = best(data, name)
    assert imported.triplets.weight.tolist() == [3, 2]
    assert [o.reason for o in imported.report.omissions] == ["the response was undecided"]


def test_quadruples_keep_their_participants_and_shared_objects_are_triplets():
    name, data, *_ = CASES["F18 r data frame"]
    _, _, imported = best(data, name)
    assert imported.pairs.answers["participant"].tolist() == ["O1", "O1", "O2"]
    assert len(imported.triplets) == 0
    assert imported.pairs.quadruples().rows.shape == (3, 4)
    assert "differ more than" in imported.sentences()[0].text
    name, data, *_ = CASES["F17 mlds quadruples"]
    _, _, imported = best(data, name)
    rows = np.array(imported.triplets.ids)[imported.triplets.rows]
    assert rows.tolist() == [["3", "2", "5"]]
    assert imported.file_rows.tolist() == [4]


def test_things_says_what_it_knows_of_each_answer():
    name, data, *_ = CASES["F28 things"]
    _, reading, imported = best(data, name)
    answers = imported.triplets.answers
    assert reading.roles["block"] == "HIT_nr"
    assert answers["trial"].tolist() == np.repeat(np.arange(40), 2).tolist()
    assert answers["side"].cat.categories.tolist() == ["first", "second", "third"]
    assert (answers["side"].cat.codes[::2] == CHOICE).all()
    assert imported.report.n_answers == 40
    assert imported.report.n_triplets == 80
    assert any(line.startswith("They hold 80 answers") for line in imported.report.summary())
    assert " is the odd one out" in imported.sentences()[0].text


def test_one_column_per_participant_is_unrolled_with_its_rows():
    name, data, *_ = CASES["F37 triad test"]
    _, _, imported = best(data, name)
    assert imported.report.n_participants == 2
    assert imported.file_rows.tolist() == [2, 2, 2, 2, 3, 3, 3, 3, 4, 4]
    assert imported.triplets.answers["participant"].tolist()[:4] == ["part1"] * 2 + ["part2"] * 2


def test_the_tasks_that_a_file_may_mean_are_all_offered():
    for case, tasks in (
        ("F28 things", {"odd_one_out", "most_central"}),
        ("F12 jspsych odd one out", {"odd_one_out", "most_central"}),
        ("F16 mlds triads", {"larger_difference", "smaller_difference"}),
        ("F36 zappos", {"nearer", "odd_one_out", "most_central"}),
    ):
        name, data, *_ = CASES[case]
        found = propose(load(data.encode(), name))
        assert tasks <= {reading.task for reading in found}, case


def test_a_task_can_be_changed_by_hand():
    rows = read(
        joined(THREE + 1).encode(),
        {"item1": "column 1", "item2": "column 2", "item3": "column 3", "task": "most_central"},
    )
    ids = np.array(rows.ids)
    assert [tuple(row) for row in ids[rows.rows]] == central(THREE + 1, [0] * 40)
    with pytest.raises(DataError, match="no column is chosen for Object 3"):
        read(joined(THREE).encode(), {"item1": "column 1", "item2": "column 2",
                                      "task": "odd_one_out"})
    with pytest.raises(ValueError, match="task is 'guess'"):
        Reading("roles", "Mine", task="guess")


@pytest.mark.parametrize("names", ["['{}']", '[""{}""]'])
def test_clicks_of_psychopys_mouse_are_the_choice(names):
    text = "trials.thisN,anchor,left,right,mouse.clicked_name,mouse.time,participant,expName\n"
    for i, side in enumerate(("left", "right", "left")):
        text += f'{i},dog.png,cat.png,car.png,"{names.format(side)}","[{i + 0.25}]",p1,t\n'
    _, reading, found = best(text)
    assert (reading.layout, reading.choice_coding) == ("psychopy", "side")
    assert [found.triplets.labels[i] for i in found.triplets.rows[:, 1]] == ["cat", "car", "cat"]
    assert found.triplets.answers["response_time"].tolist() == [0.25, 1.25, 2.25]


@pytest.mark.parametrize("keys", [("q", "p"), ("f", "j")])
def test_keys_that_psychopys_layout_cannot_decode_are_asked_about(keys):
    text = "trials.thisN,anchor,left,right,resp.keys,resp.rt,participant,psychopyVersion\n"
    for i, row in enumerate(THREE):
        text += f"{i},{','.join(NAMES[row])},{keys[CHOICE[i] % 2]},1.5,p1,2024.1\n"
    recognition = recognise(load(text.encode(), "keys.csv"))
    first, second = keys
    if keys == ("f", "j"):  # these are usual for left and right
        assert recognition.clear.reading.choice_coding == "side"
    else:
        assert recognition.clear is None
        assert sorted(one.reading.choice_coding[first] for one in recognition.tied) == [1, 2]
        assert all(one.reading.choice_coding[first] + one.reading.choice_coding[second] == 3
                   for one in recognition.tied)


def test_assigned_words_are_said_in_the_order_of_their_options():
    reading = Reading("roles", "Mine", choice_coding={"p": "right", "q": "left", "x": 1})
    assert [*reading.choice_coding] == ["q", "x", "p"]


@pytest.mark.parametrize("header", ["stim_a,stim_b,stim_c,odd,rt", "A,B,C,odd_one_out,rt",
                                    "left,middle,right,Outlier,response time"])
def test_three_columns_of_any_name_beside_the_odd_one(header):
    _, reading, found = best(f"{header}\nx,y,z,x,0.8\ny,z,w,w,0.7\nz,x,w,x,0.9\n")
    assert (reading.task, reading.choice_coding) == ("odd_one_out", "item")
    ids = np.array(found.triplets.ids, dtype=object)
    assert ids[found.triplets.rows[::2]].tolist() == [["y", "z", "x"], ["y", "z", "w"],
                                                      ["z", "w", "x"]]
    assert found.triplets.answers["response_time"].tolist()[::2] == [0.8, 0.7, 0.9]


def test_a_column_called_as_a_choice_is_one_even_in_a_short_file():
    _, reading, found = best("ref,test1,test2,resp\na,b,c,1\nb,c,a,2\nc,b,a,1\n")
    assert reading.roles == {"anchor": "ref", "left": "test1", "right": "test2", "choice": "resp"}
    ids = np.array(found.triplets.ids, dtype=object)
    assert ids[found.triplets.rows].tolist() == [list("abc"), list("bac"), list("cba")]


def test_options_may_be_counted_from_0():
    _, reading, _ = best("trial,anchor,option0,option1,choice\n1,a,b,c,0\n2,d,e,f,1\n")
    assert (reading.roles["left"], reading.roles["right"]) == ("option0", "option1")


def test_excel_takes_the_longest_sheet():
    buffer = io.BytesIO()
    with pd.ExcelWriter(buffer) as writer:
        pd.DataFrame({"read": ["me"]}).to_excel(writer, sheet_name="about", index=False)
        pd.DataFrame(SORTED_ODD, columns=["anchor", "near", "far"]).to_excel(
            writer, sheet_name="answers", index=False
        )
    table, _, imported = best(buffer.getvalue(), "answers.xlsx")
    assert "Sheet 'answers' is read; about not." in table.notes
    assert named_rows(imported) == [tuple(row) for row in SORTED_ODD.astype(str)]


# Long files


def test_reading_reports_its_progress_and_can_be_stopped():
    data = (joined(SORTED_ODD) * 30_000).encode()
    seen = []
    bare = {"anchor": "column 1", "near": "column 2", "far": "column 3", "copies": True}
    triplets = read(data, bare, progress=lambda fraction: seen.append(fraction))
    assert len(triplets) == 1_200_000
    assert seen == sorted(seen)
    assert 0 < seen[0] < 0.5
    assert seen[-1] == 1
    for stop_at in (0.1, 0.7):
        with pytest.raises(Stopped):
            read(data, bare, progress=lambda fraction, most=stop_at: fraction >= most)


@pytest.mark.parametrize("names", [
    ("triplets", "shown"), ("triplets", "queries"), ("order", "queries"), ("triplets", "X"),
    ("shown", "triplets"), ("answers3", "presented"),
])
@pytest.mark.parametrize("coding", [1, -1, 0, bool])
def test_responses_are_about_the_array_that_they_fit(names, coding):
    """They were taken for those of what was in order already, and turned half of the answers."""
    rng = np.random.default_rng(5)
    places = rng.normal(size=(12, 2))
    shown = np.array([rng.permutation(12)[:3] for _ in range(900)])
    first, second = (np.linalg.norm(places[shown[:, 0]] - places[shown[:, k]], axis=1)
                     for k in (1, 2))
    is_first = first + 0.2 * rng.normal(size=900) < second
    rows = np.where(is_first[:, None], shown, shown[:, [0, 2, 1]])
    y = {1: 2 * is_first - 1, -1: 1 - 2 * is_first, 0: is_first.astype(int), bool: is_first}[coding]
    content = io.BytesIO()
    np.savez(content, **dict(zip(names, (rows, shown), strict=True)), y=y)
    data = read(content.getvalue(), name="arrays.npz")
    assert (np.array(data.ids, dtype=int)[data.rows] == rows).all()


@pytest.mark.parametrize("name", ["labels", "y", "values", "data"])
def test_an_array_in_order_is_not_turned_by_what_stands_beside_it(name):
    rng = np.random.default_rng(3)
    places = rng.normal(size=(12, 2))
    rows = np.array([rng.permutation(12)[:3] for _ in range(600)])
    away = np.linalg.norm(places[rows[:, :1]] - places[rows[:, 1:]], axis=2)
    rows[:, 1:] = np.take_along_axis(rows[:, 1:], np.argsort(away, axis=1), axis=1)
    content = io.BytesIO()
    np.savez(content, judgements=rows, **{name: rng.choice([-1, 1], 600)})
    data = read(content.getvalue(), name="arrays.npz")
    assert (np.array(data.ids, dtype=int)[data.rows] == rows).all()
