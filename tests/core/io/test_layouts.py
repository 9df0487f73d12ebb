"""Every layout that a public tool writes: what is recognised, and what its first answers say.

Real rows where their owners allow it; otherwise written after the tool's documentation.
"""

from __future__ import annotations

import io
import json

import h5py
import numpy as np
import pandas as pd
import pytest
from scipy.io import savemat

from tests.conftest import SAMPLES
from tests.paths import FIXTURES
from tripletscope.core.computing.progress import Stopped
from tripletscope.core.data.errors import DataError
from tripletscope.core.io import (
    MatrixGiven,
    Reading,
    can_be_kept,
    interpret,
    layouts,
    load,
    load_several,
    propose,
    read,
    read_matrix,
)

FORMATS = FIXTURES / "formats"


def best(data: bytes | str, name: str = "answers.csv"):
    """The best reading of a file, and what it gives."""
    table = load(data.encode() if isinstance(data, str) else data, name)
    reading = propose(table)[0]
    return table, reading, interpret(table, reading)


def named_rows(imported) -> list[tuple[str, ...]]:
    rows = imported.pairs.rows if imported.pairs else imported.triplets.rows
    return [tuple(row) for row in np.array(imported.triplets.ids, dtype=object)[rows]]


def saved(write, *args, **options) -> bytes:
    buffer = io.BytesIO()
    write(buffer, *args, **options)
    return buffer.getvalue()


def hdf5(**arrays) -> bytes:
    buffer = io.BytesIO()
    with h5py.File(buffer, "w") as file:
        for name, values in arrays.items():
            file[name] = values
    return buffer.getvalue()


def joined(rows, columns=None, sep=",") -> str:
    return pd.DataFrame(rows, columns=columns).to_csv(
        index=False, header=columns is not None, sep=sep
    )


RNG = np.random.default_rng(0)
#: Objects of 40 trials of three, and which of them was chosen.
THREE = np.array([RNG.permutation(12)[:3] for _ in range(40)])
CHOICE = RNG.integers(3, size=40)
NAMES = np.array(["ant", "bee", "cat", "dog", "elk", "fox", "gnu", "hen", "ibis", "jay", "kea",
                  "lark"])


def odd(three, choice) -> list[tuple[str, ...]]:
    """(a, b, odd) and (b, a, odd) for each trial, written as one would by hand."""
    found = []
    for row, c in zip(three, choice, strict=True):
        a, b = (str(x) for i, x in enumerate(row) if i != c)
        found += [(a, b, str(row[c])), (b, a, str(row[c]))]
    return found


def central(three, choice) -> list[tuple[str, ...]]:
    found = []
    for row, c in zip(three, choice, strict=True):
        a, b = (str(x) for i, x in enumerate(row) if i != c)
        found += [(a, str(row[c]), b), (b, str(row[c]), a)]
    return found


SORTED_ODD = np.array([[*np.delete(row, c), row[c]] for row, c in zip(THREE, CHOICE, strict=True)])

JSPSYCH = """success,trial_type,trial_index,time_elapsed,internal_node_id,worker_id,rt,stimulus,\
response,trial_category,choices,correct
,html-button-response,0,100,0.0-0.0,w1,900,<p>Do you agree?</p>,0,consent,"[""Yes""]",
,html-keyboard-response,1,600,0.0-1.0,w1,,+,,fixation,,
,image-button-response,2,1600,0.0-2.0,w1,1500,assets/stimuli/a.png,1,random,\
"[""assets/stimuli/b.png"",""assets/stimuli/c.png""]",
,html-keyboard-response,3,2600,0.0-3.0,w1,,You're going too fast,,speedy,,
,image-button-response,4,3600,0.0-4.0,w1,null,assets/stimuli/b.png,0,check,\
"[""assets/stimuli/b.png"",""assets/stimuli/c.png""]",true
,image-button-response,5,4600,0.0-5.0,w1,812,assets/stimuli/c.png,0,validation,\
"[""assets/stimuli/b.png"",""assets/stimuli/a.png""]",
,image-button-response,6,5600,0.0-6.0,w1,812,assets/stimuli/c.png,0,practice,\
"[""assets/stimuli/b.png"",""assets/stimuli/a.png""]",
"""
A, B, C = (f"assets/stimuli/{name}.png" for name in "abc")

PSYCHOPY = """s1,s2,s3,trials.thisN,resp.keys,resp.rt,participant,session,date,expName,\
psychopyVersion
0.1,0.3,0.9,0,right,0.8,p7,1,2025-08-24,triads,2024.2
0.9,0.5,0.4,1,left,1.2,p7,1,2025-08-24,triads,2024.2
,,,,,,p7,1,2025-08-24,triads,2024.2
"""

GORILLA = """Event Index;Participant Private ID;Trial Number;Screen Name;Zone Type;Reaction Time;\
Response;Spreadsheet Row;target;option1;option2
1;9001;1;fix;fixation;500;;1;cat.png;dog.png;car.png
2;9001;1;trial;response_button_image;1732,5;dog.png;1;cat.png;dog.png;car.png
3;9001;1;trial;continue_button;900;Continue;1;cat.png;dog.png;car.png
4;9002;1;trial;response_button_image;832,5;bus.png;2;car.png;dog.png;bus.png
"""

MEADOWS = """task,participation,stim1_id,stim2_id,stim3_id,stim1_name,stim2_name,stim3_name,start,\
resp,label
odd one out,fine-owl,1,2,3,ant,bee,cat,2023-01-05T10:00:00.000Z,2023-01-05T10:00:02.500Z,cat
odd one out,fine-owl,4,2,3,dog,bee,cat,2023-01-05T10:00:03.000Z,2023-01-05T10:00:04.000Z,dog
odd one out,wild-fox,1,2,4,ant,bee,dog,2023-01-05T10:00:03.000Z,2023-01-05T10:00:07.000Z,bee
"""

NEXT_2 = [
    {
        "participant_uid": "p1", "alg_label": "Random", "response_time": 1.5, "network_delay": 0.1,
        "timestamp_query_generated": f"2016-05-0{i + 1} 10:00:00", "target_winner": winner,
        "target_indices": [
            {"label": label, "flag": 0,
             "target": {"target_id": target, "primary_description": NAMES[target]}}
            for label, target in zip(("center", "left", "right"), shown, strict=True)
        ],
    }
    for i, (shown, winner) in enumerate([((0, 1, 2), 2), ((2, 3, 0), 3)])
]


def matrix_of_signs(rows, n_levels):
    """R's make.ix.mat for triads: weights 1, -2, 1, without the first level."""
    signs = np.zeros((len(rows), n_levels), dtype=int)
    for t, (_, a, b, c) in enumerate(rows):
        for level, weight in ((a, 1), (b, -2), (c, 1)):
            signs[t, level - 1] += weight
    frame = pd.DataFrame(signs[:, 1:], columns=[f"stim.{i}" for i in range(2, n_levels + 1)])
    frame.insert(0, "resp", [row[0] for row in rows])
    return frame.to_csv(index=False)


MLDS = [(1, 1, 2, 4), (0, 2, 3, 5), (1, 1, 4, 5), (0, 1, 3, 4)]
#: 1: the second and the third differ more, so that the first is the nearer one of the middle.
MLDS_ROWS = [("2", "1", "4"), ("3", "5", "2"), ("4", "1", "5"), ("3", "4", "1")]

#: name: file name, content, layout, task, choice coding, first rows.
CASES = {
    "F1 salmon json": (
        "responses.json",
        json.dumps([
            {"head": 0, "left": 1, "right": 2, "winner": 2, "loser": 1, "sampler": "random",
             "score": -9999, "puid": "p", "response_time": 1.5, "head_html": "a",
             "left_html": "<img src='/static/targets/x.png'/>", "right_html": "c"},
            {"head": 1, "left": 2, "right": 0, "winner": 2, "loser": 0, "sampler": "random",
             "score": -9999, "puid": "p", "response_time": 0.5, "head_html": "b",
             "left_html": "c", "right_html": "a"},
        ]),
        "salmon", "nearer", "item", [("0", "2", "1"), ("1", "2", "0")],
    ),
    "F5 next 2 json": (
        "participants.json", json.dumps(NEXT_2),
        "center", "nearer", "item", [("ant", "cat", "bee"), ("cat", "dog", "ant")],
    ),
    "F5 next 2 csv": (
        "participants.csv",
        "participant_uid,target_center,target_left,target_right,target_winner,alg_label\n"
        "p1,ant,bee,cat,cat,Random\np2,cat,ant,bee,ant,Random\n",
        "center", "nearer", "item", [("ant", "cat", "bee"), ("cat", "ant", "bee")],
    ),
    "F11 jspsych triplets": (
        "w1.csv", JSPSYCH, "jspsych", "nearer", "position_0", [(A, C, B), (C, B, A)],
    ),
    "F12 jspsych odd one out": (
        "data.csv",
        joined(
            [("x", i, 9 * i, json.dumps(NAMES[row].tolist()), c, 900)
             for i, (row, c) in enumerate(zip(THREE, CHOICE, strict=True))],
            ["trial_type", "trial_index", "time_elapsed", "stimulus", "response", "rt"],
        ),
        "jspsych", "odd_one_out", "position_0", odd(NAMES[THREE], CHOICE),
    ),
    "F12 jspsych json": (
        "data.json",
        json.dumps([
            {"trial_type": "x", "trial_index": i, "time_elapsed": i, "rt": 900,
             "stimulus": NAMES[row].tolist(), "response": int(c)}
            for i, (row, c) in enumerate(zip(THREE, CHOICE, strict=True))
        ]),
        "jspsych", "odd_one_out", "position_0", odd(NAMES[THREE], CHOICE),
    ),
    "F12 old plugin": (
        "old.json",
        json.dumps([
            {"trial_type": "x", "trial_index": i, "time_elapsed": i, "rt": 900, "set": "s",
             "stimulus": NAMES[row].tolist(), "response": NAMES[np.delete(row, c)].tolist()}
            for i, (row, c) in enumerate(zip(THREE, CHOICE, strict=True))
        ]),
        "jspsych", "similar_pair", "item", odd(NAMES[THREE], CHOICE),
    ),
    "F13 psychopy": (
        "p7.csv", PSYCHOPY, "psychopy", "larger_difference", "side",
        [("0.3", "0.1", "0.9"), ("0.5", "0.4", "0.9")],
    ),
    "F13 psychopy anchored": (
        "p8.csv",
        "ref,left,right,key_resp.keys,key_resp.rt,participant,expName,trials.thisN\n"
        "a,b,c,left,0.8,p8,t,0\nb,c,a,right,0.7,p8,t,1\n",
        "psychopy", "nearer", "side", [("a", "b", "c"), ("b", "a", "c")],
    ),
    "F14 gorilla": (
        "data_exp_1-v2_task-abcd.csv", GORILLA, "gorilla", "nearer", "item",
        [("cat.png", "dog.png", "car.png"), ("car.png", "bus.png", "dog.png")],
    ),
    "F15 meadows": (
        "Meadows_annotations.csv", MEADOWS, "meadows", "odd_one_out", "item",
        [("ant", "bee", "cat"), ("bee", "ant", "cat"), ("bee", "cat", "dog")],
    ),
    "F16 mlds triads": (
        "triads.csv", joined(MLDS, ["Response", "s1", "s2", "s3"]),
        "three", "larger_difference", "position_0", MLDS_ROWS,
    ),
    "F16 mlds triads, ranks and order": (
        "triads.txt",
        "Trial Response s1 s2 s3 invord i1 i2 i3\n"
        "0 1 0.2 0.4 0.9 False 1 2 4\n1 0 0.9 0.4 0.2 True 4 2 1\n2 1 0.2 0.5 0.9 False 1 3 4\n",
        "three", "larger_difference", "position_0",
        [("0.4", "0.2", "0.9"), ("0.4", "0.2", "0.9"), ("0.5", "0.2", "0.9")],
    ),
    "F17 mlds quadruples": (
        "quadruples.csv", "Response,s1,s2,s3,s4\n1,1,2,3,5\n0,1,4,5,6\n1,2,3,3,5\n",
        "three", "larger_pair", "position_0",
        [("1", "2", "3", "5"), ("5", "6", "1", "4"), ("2", "3", "3", "5")],
    ),
    "F18 r data frame": (
        "kk.csv", '"","resp","S1","S2","S3","S4","Obs"\n'
        '"1",0,1,2,3,4,"O1"\n"2",1,1,2,3,5,"O1"\n"3",1,1,2,4,5,"O2"\n',
        "three", "larger_pair", "position_0",
        [("3", "4", "1", "2"), ("1", "2", "3", "5"), ("1", "2", "4", "5")],
    ),
    "F18 matrix of signs": (
        "ix.csv", matrix_of_signs(MLDS, 5),
        "three", "larger_difference", "position_0", MLDS_ROWS,
    ),
    "F19 list-order": (
        "triplets.npy", saved(np.save, SORTED_ODD), "plain", "nearer", None,
        [tuple(row) for row in SORTED_ODD.astype(str)],
    ),
    "F20 list-boolean": (
        "answers.csv", joined([(*row, c > 0) for row, c in zip(THREE, CHOICE, strict=True)]),
        "queries", "nearer", "first_is_nearer",
        [(a, b, c) if said else (a, c, b)
         for (a, b, c), said in zip(THREE.astype(str).tolist(), CHOICE > 0, strict=True)],
    ),
    "F20 list-count": (
        "answers.npz", saved(np.savez, triplets=THREE[:3], responses=np.array([3, -2, 0])),
        "queries", "nearer", "signed_count",
        [tuple(THREE[0].astype(str)), tuple(THREE[1][[0, 2, 1]].astype(str))],
    ),
    "F21 tensor-count": (
        "tensor.npz",
        saved(np.savez, coords=THREE[:3].T, data=np.array([1, -1, 1]), shape=np.array([12] * 3),
              fill_value=np.array(0)),
        "queries", "nearer", "first_is_nearer",
        [tuple(THREE[0].astype(str)), tuple(THREE[1][[0, 2, 1]].astype(str)),
         tuple(THREE[2].astype(str))],
    ),
    "F22 quadruples": (
        "CM.txt", joined([RNG.permutation(9)[:4] + 1 for _ in range(30)], sep=" "),
        "plain", "smaller_pair", None, None,
    ),
    "F23 features": (
        "features.csv",
        "alpha1,tau1,alpha2,tau2,alpha3,tau3,Response\n"
        ".1,1,.2,1,.3,2,1\n.1,1,.3,2,.2,1,0\n.2,1,.1,1,.3,2,1\n",
        "three", "larger_difference", "position_0",
        [("alpha .2; tau 1", "alpha .1; tau 1", "alpha .3; tau 2"),
         ("alpha .3; tau 2", "alpha .2; tau 1", "alpha .1; tau 1"),
         ("alpha .1; tau 1", "alpha .2; tau 1", "alpha .3; tau 2")],
    ),
    "F24 food100": (
        "all-triplets.csv", "images/a.jpg; images/b.jpg; images/c.jpg\n"
        "images/c.jpg; images/a.jpg; images/b.jpg\n",
        "plain", "nearer", None,
        [("images/a.jpg", "images/b.jpg", "images/c.jpg"),
         ("images/c.jpg", "images/a.jpg", "images/b.jpg")],
    ),
    "F25 psiz ranking": (
        "obs.hdf5",
        hdf5(
            stimulus_set=np.array([[4, 1, 2, 3, -1], [1, 4, 2, 3, 5], [5, 2, 1, -1, -1]]),
            n_select=np.array([1, 2, 1]), is_ranked=np.array([True, True, False]),
            agent_id=np.array([0, 0, 1]), rt_ms=np.array([900.0, 1200, 1500]),
            group_id=np.array([0, 0, 0]),
        ),
        "ranking", "most_similar", None,
        [("4", "1", "2"), ("4", "1", "3"),
         ("1", "4", "2"), ("1", "4", "3"), ("1", "4", "5"), ("1", "2", "3"), ("1", "2", "5"),
         ("5", "2", "1")],
    ),
    "F26 counts": (
        "rank8.mat",
        saved(savemat, {"data": np.array([[1, 2, 3, 4, 5], [2, 3, 4, 0, 5], [3, 4, 9, 5, 5]])}),
        "unnamed", "nearer", None,
        [("1", "2", "3"), ("1", "3", "2"), ("2", "4", "3"), ("3", "4", "9")],
    ),
    "F27 spose": (
        "train_90.txt", joined(SORTED_ODD, sep=" "), "plain", "odd_one_out", None,
        odd(SORTED_ODD, [2] * 40),
    ),
    "F28 things": (
        "triplets_large_final_correctednc_correctedorder.csv",
        joined(
            [(*(row + 1), c + 1, 900 + i, 0, 7, 1 + i // 20, i % 20, 30, 1)
             for i, (row, c) in enumerate(zip(THREE, CHOICE, strict=True))],
            ["image1", "image2", "image3", "choice", "RT", "noise_ceiling", "subject_id", "HIT_nr",
             "trial_nr", "age", "gender"], sep="\t",
        ),
        "three", "odd_one_out", "position_1", odd(THREE + 1, CHOICE),
    ),
    "F29 noise ceiling": (
        "noiseceiling.txt",
        joined([(*row, c + 1, 5) for row, c in zip(THREE, CHOICE, strict=True)], sep=" "),
        "unnamed", "odd_one_out", "position_1", odd(THREE, CHOICE),
    ),
    "F30 things again": (
        "exp1.parquet",
        pd.DataFrame({
            **{f"image_{i + 1}": NAMES[THREE[:, i]] for i in range(3)},
            "choice": NAMES[THREE[np.arange(40), CHOICE]], "participant": 3, "task": 0,
            "trial": range(40), "RT": 812.0, "reward": 0,
        }).to_parquet(),
        "three", "odd_one_out", "item", odd(NAMES[THREE], CHOICE),
    ),
    "F32 cars": (
        "survey_data.csv",
        joined(
            [(1, row[c] + 1, *(row + 1), 2.5) for row, c in zip(THREE, CHOICE, strict=True)],
            ["survey round", "chosen", "item1", "item2", "item3", "rt"],
        ),
        "three", "most_central", "item", central(THREE + 1, CHOICE),
    ),
    "F33 material": (
        "answers_processed_train.json",
        json.dumps({"answers": [[0, 1, 2], [2, 0, 1]], "agreement": [[4, 1], [0, 5]]}),
        "counts", "nearer", None, [("0", "1", "2"), ("0", "2", "1"), ("2", "1", "0")],
    ),
    "F34 musicseer": (
        "survey.txt", "judgement survey user target chosen other\n"
        "1 S u1 10 22 300\n2 G u2 22 10\n3 G u2 300 300 10\n4 S u1 22 300 10\n5 S u3 10 300 22\n",
        "roles", "nearer", None, [("10", "22", "300"), ("22", "300", "10"), ("10", "300", "22")],
    ),
    "F35 crowd": (
        "crowd.csv", "A,B,C,eval,worker\n1,2,3,1,w\n1,2,4,0,w\n2,3,4,1,v\n",
        "roles", "nearer", "first_is_nearer", [("1", "2", "3"), ("1", "4", "2"), ("2", "3", "4")],
    ),
    "F36 zappos": (
        "deconflicted_triplets.csv", joined(SORTED_ODD), "plain", "nearer", None,
        [tuple(row) for row in SORTED_ODD.astype(str)],
    ),
    "F37 triad test": (
        "triads.csv",
        "item1,item2,item3,part1,part2\nant,bee,cat,1,3\ndog,bee,cat,2,2\nant,dog,cat,,1\n",
        "informants", "odd_one_out", "position_1",
        odd([("ant", "bee", "cat")] * 2 + [("dog", "bee", "cat")] * 2 + [("ant", "dog", "cat")],
            [0, 2, 1, 1, 0]),
    ),
    "F40 brain-score": (
        "hebart.csv",
        joined(
            [(*NAMES[row], c) for row, c in zip(THREE, CHOICE, strict=True)],
            ["image_1", "image_2", "image_3", "choice"],
        ),
        "three", "odd_one_out", "position_0", odd(NAMES[THREE], CHOICE),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_every_layout_is_read_as_its_tool_meant(case):
    name, data, layout, task, coding, rows = CASES[case]
    _, reading, imported = best(data, name)
    assert (reading.layout, reading.task, reading.choice_coding) == (layout, task, coding)
    if rows is not None:
        assert named_rows(imported)[: len(rows)] == rows
    assert reading.layout in layouts()
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
    assert any("80 triplets" in line for line in imported.report.summary())
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


# Several files at once


def test_one_file_per_participant():
    parts = [("p1.csv", JSPSYCH.encode()),
             ("p2.csv", JSPSYCH.replace(",w1,", ",w2,").replace("success,", "timeout,").encode())]
    table = load_several(parts)
    imported = interpret(table, propose(table)[0])
    assert len(imported.triplets) == 4
    assert imported.report.n_participants == 2
    assert imported.file_rows.tolist() == [4, 7, 4, 7]
    assert set(table.preview(99)["file"]) == {"p1", "p2"}


def test_files_without_a_participant_are_told_apart_by_their_names():
    parts = [(f"s{i}.csv", f"center,left,right,answer\na,b,c,{x}\n".encode())
             for i, x in enumerate("bcb")]
    table = load_several(parts)
    reading = propose(table)[0]
    assert reading.roles["participant"] == "file"
    assert interpret(table, reading).triplets.answers["participant"].tolist() == ["s0", "s1", "s2"]


def test_f38_a_code_book_is_joined():
    answers = "cond,subj,trial,triad,resp,rt\n1,1,1,t2,1,900\n1,1,2,t1,3,950\n1,2,1,t1,2,800\n"
    book = "triad,top1,left1,right1\nt1,ant,bee,cat\nt2,dog,bee,ant\nt3,dog,cat,ant\n"
    table = load_several([("answers.txt", answers.encode()), ("codes.txt", book.encode())])
    reading = propose(table)[0]
    assert (reading.layout, reading.task) == ("informants", "odd_one_out")
    expected = odd([("dog", "bee", "ant"), ("ant", "bee", "cat"), ("ant", "bee", "cat")], [0, 2, 1])
    assert named_rows(interpret(table, reading)) == expected


def test_files_that_do_not_fit_together():
    with pytest.raises(DataError, match=r"2 different tables: a\.csv and b\.csv"):
        load_several([("a.csv", b"center,left,right,answer\na,b,c,b\n"),
                      ("b.csv", b"id,size,colour,shape\na,1,red,x\nb,2,red,x\n")])


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
    data = (joined(SORTED_ODD) * 60_000).encode()
    seen = []
    triplets = read(data, progress=lambda fraction: seen.append(fraction))
    assert len(triplets) == 2_400_000
    assert seen == sorted(seen)
    assert 0 < seen[0] < 0.5
    assert seen[-1] == 1
    for stop_at in (0.1, 0.7):
        with pytest.raises(Stopped):
            read(data, progress=lambda fraction, most=stop_at: fraction >= most)


# Matrices


def test_f39_matrices():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(6, 2))
    d = np.linalg.norm(points[:, None] - points[None], axis=2)
    names = list(NAMES[:6])
    lower = np.where(np.tri(6, k=-1, dtype=bool), d, np.nan)
    for data, file, ids in (
        (pd.DataFrame(d).to_csv(index=False, header=False).encode(), "d.csv", None),
        (pd.DataFrame(d, names, names).to_csv().encode(), "d.csv", names),
        (pd.DataFrame(d, columns=names).to_csv(index=False).encode(), "d.csv", names),
        (pd.DataFrame(lower, names, names).to_csv(sep=";", decimal=",").encode(), "d.csv", names),
        (saved(np.save, d), "d.npy", None),
        (saved(savemat, {"d": d, "s": 1 - d, "n": 6.0}), "d.mat", None),
    ):
        found = read_matrix(data, file)
        assert found.values == pytest.approx(d)
        assert found.ids == (ids or [str(i) for i in range(1, 7)])
        assert not found.from_similarities


def test_similarities_are_turned_round_and_flaws_are_told():
    table = pd.read_csv(SAMPLES / "ekman_colors" / "similarity.csv")
    square = table.select_dtypes("number").to_numpy()[:, -14:]
    data = pd.DataFrame(square).to_csv(index=False, header=False).encode()
    found = read_matrix(data, "ekman.csv")
    assert found.from_similarities
    assert (np.diag(found.values) == 0).all()
    assert (found.values[0, 1] < found.values[0, 7]) == (square[0, 1] > square[0, 7])
    assert read_matrix(data, similarities=False).values[0, 1] == square[0, 1]
    with pytest.raises(DataError, match="2 rows and 3 columns"):
        read_matrix(b"0,1,2\n1,0,3\n")
    with pytest.raises(DataError, match="is not"):
        read_matrix(b"0,1,2\n1,0,3\n2,4,0\n")
    with pytest.raises(DataError, match="a similarity is missing"):
        read_matrix(b"a,b,c\n0,1,\n1,0,3\n,3,0\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (",a,b,c\na,0,1,2\nb,x,0,3\nc,2,3,0\n", "m.csv, row 3: 'x' is not a finite number"),
        (",a,b,c\na,0,inf,2\nb,inf,0,3\nc,2,3,0\n", "m.csv, row 3: 'inf' is not a finite number"),
        (",a,a,c\na,0,1,2\na,1,0,3\nc,2,3,0\n", "m.csv, row 3: object 'a' is listed twice"),
        ("a,b,c\n0,1,2\n", "m.csv, row 1: 'c' is not a finite number"),
    ],
)
def test_what_is_wrong_with_a_matrix_is_named(text, message):
    with pytest.raises(DataError) as caught:
        read_matrix(text.encode(), "m.csv")
    assert message in str(caught.value)


def test_half_a_matrix_keeps_its_names_and_may_be_filled_up_with_signs():
    for text in ("a,b,c\n,,\n1,,\n2,3,\n", ",a,b,c\na,-,.,.\nb,1,-,.\nc,2,3,-\n"):
        found = read_matrix(text.encode())
        assert found.ids == ["a", "b", "c"]
        assert found.values.tolist() == [[0, 1, 2], [1, 0, 3], [2, 3, 0]]
        assert "the diagonal is empty" in found.notes[0]
    turned = read_matrix(text.encode(), similarities=True)
    assert turned.values.tolist() == [[0, 2, 1], [2, 0, 0], [1, 0, 0]]


@pytest.mark.parametrize("size", [6, 60])
def test_half_a_matrix_is_no_table_of_answers(size):
    rng = np.random.default_rng(0)
    names = [f"o{i}" for i in range(size)]
    half = np.where(np.tri(size, k=-1, dtype=bool), rng.random((size, size)), np.nan)
    for values in (half, half.T):
        table = load(pd.DataFrame(values, names, names).to_csv().encode())
        with pytest.raises(MatrixGiven):
            propose(table)


@pytest.mark.parametrize("names", ["['{}']", '[""{}""]'])
def test_clicks_of_psychopys_mouse_are_the_choice(names):
    text = "trials.thisN,anchor,left,right,mouse.clicked_name,mouse.time,participant,expName\n"
    for i, side in enumerate(("left", "right", "left")):
        text += f'{i},dog.png,cat.png,car.png,"{names.format(side)}","[{i + 0.25}]",p1,t\n'
    _, reading, found = best(text)
    assert (reading.layout, reading.choice_coding) == ("psychopy", "side")
    assert [found.triplets.labels[i] for i in found.triplets.rows[:, 1]] == ["cat", "car", "cat"]
    assert found.triplets.answers["response_time"].tolist() == [0.25, 1.25, 2.25]


@pytest.mark.parametrize("header", ["stim_a,stim_b,stim_c,odd,rt", "A,B,C,odd_one_out,rt",
                                    "left,middle,right,Outlier,response time"])
def test_three_columns_of_any_name_beside_the_odd_one(header):
    _, reading, found = best(f"{header}\nx,y,z,x,0.8\ny,z,w,w,0.7\nz,x,w,x,0.9\n")
    assert (reading.layout, reading.task, reading.choice_coding) == ("three", "odd_one_out", "item")
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


def test_matrices_of_signs_may_be_several_and_tell_which_were_left_out():
    signs = matrix_of_signs(MLDS, 5).encode()
    files = [("a.csv", signs), ("b.csv", signs), ("broken.csv", b"\x89PNG\r\n\x1a\n")]
    table = load_several(files, tolerant=True)
    assert (table.files, list(table.refused)) == (("a.csv", "b.csv"), ["broken.csv"])
    reading = propose(table)[0]
    assert reading.task == "larger_difference"
    answers = interpret(table, reading).triplets.answers
    assert answers["participant"].tolist() == ["a"] * 4 + ["b"] * 4


def test_triad_tests_in_several_files_are_one_table():
    """The same column is the same participant; who saw only one of the files has no answer else."""
    files = [
        ("one.csv", b"item1,item2,item3,ann,bob\ncat,dog,car,car,car\ndog,cat,bus,bus,cat\n"),
        ("two.csv", b"item1,item2,item3,ann,cy\ncar,bus,cat,cat,bus\n"),
    ]
    table = load_several(files)
    imported = interpret(table, propose(table)[0])
    assert (imported.report.n_answers, imported.report.n_participants) == (6, 3)
    answers = imported.triplets.answers
    assert answers["participant"].tolist()[::2] == ["ann", "bob", "ann", "bob", "ann", "cy"]
    assert "file" in can_be_kept(table, propose(table)[0])
