"""A file of every layout that a public tool writes, and what its first answers say.

Real rows where their owners allow it; otherwise written after the tool's documentation.
"""

from __future__ import annotations

import io
import json

import h5py
import numpy as np
import pandas as pd
from scipy.io import savemat

from tests.paths import FIXTURES
from tripletscope.core.reading import load, propose
from tripletscope.core.reading.interpretation.interpret import interpret

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


def collected(task: str, names: str, rows: list[str]) -> str:
    """Results of our own: practice, a question, a gold question and another one."""
    kinds = ("practice,practice", "question,random", "gold,gold", "question,gain")
    right = ("1", "", "0", "")
    return f"participant,trial,collect_task,kind,source,{names},correct,response_time_ms,time\n" + (
        "".join(
            f"ann,{k},{task},{kinds[k]},{row},{right[k]},{900 + k},2026-03-01T10:00:0{k}Z\n"
            for k, row in enumerate(rows)
        )
    )


#: name: file name, content, layout, task, choice coding, first rows.
CASES = {
    "collect triplet": (
        "a.csv", collected("triplet", "anchor,left,right,chosen", [
            "ant,ant,bee,ant", "ant,bee,cat,cat", "ant,bee,cat,cat", "bee,dog,cat,dog",
        ]),
        "collect", "nearer", "item", [("ant", "cat", "bee"), ("bee", "dog", "cat")],
    ),
    "collect odd one out": (
        "a.csv", collected("odd_one_out", "object_1,object_2,object_3,odd", [
            "ant,ant,bee,bee", "ant,bee,cat,cat", "ant,bee,cat,cat", "bee,dog,cat,bee",
        ]),
        "collect", "odd_one_out", "item", odd([("ant", "bee", "cat"), ("bee", "dog", "cat")],
                                              [2, 0]),
    ),
    "collect similar pair": (
        "a.csv", collected("similar_pair", "object_1,object_2,object_3,pair_1,pair_2", [
            "ant,ant,bee,ant,ant", "ant,bee,cat,bee,ant", "ant,bee,cat,cat,bee",
            "bee,dog,cat,cat,dog",
        ]),
        "collect", "similar_pair", "item", odd([("ant", "bee", "cat"), ("bee", "dog", "cat")],
                                               [2, 0]),
    ),
    "collect ranking": (
        "a.csv", collected(
            "ranking", "anchor,option_1,option_2,option_3,ranked_1,ranked_2,ranked_3,n_chosen,"
            "in_order", [
                "ant,ant,bee,cat,ant,bee,cat,2,1", "ant,bee,cat,dog,dog,bee,cat,2,1",
                "ant,bee,cat,dog,dog,bee,cat,2,1", "bee,ant,cat,dog,cat,dog,ant,2,1",
            ],
        ),
        "collect", "most_similar", None, [
            ("ant", "dog", "bee"), ("ant", "dog", "cat"), ("ant", "bee", "cat"),
            ("bee", "cat", "dog"), ("bee", "cat", "ant"), ("bee", "dog", "ant"),
        ],
    ),
    "collect pairs": (
        "a.csv", collected("pairs", "first_1,first_2,second_1,second_2,larger", [
            "ant,ant,bee,cat,2", "ant,bee,cat,dog,2", "ant,bee,cat,dog,1", "ant,dog,cat,bee,1",
        ]),
        "collect", "larger_pair", "position_1",
        [("ant", "bee", "cat", "dog"), ("cat", "bee", "ant", "dog")],
    ),
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
        "pairs", "larger_difference", "position_0", MLDS_ROWS,
    ),
    "F16 mlds triads, ranks and order": (
        "triads.txt",
        "Trial Response s1 s2 s3 invord i1 i2 i3\n"
        "0 1 0.2 0.4 0.9 False 1 2 4\n1 0 0.9 0.4 0.2 True 4 2 1\n2 1 0.2 0.5 0.9 False 1 3 4\n",
        "pairs", "larger_difference", "position_0",
        [("0.4", "0.2", "0.9"), ("0.4", "0.2", "0.9"), ("0.5", "0.2", "0.9")],
    ),
    "F17 mlds quadruples": (
        "quadruples.csv", "Response,s1,s2,s3,s4\n1,1,2,3,5\n0,1,4,5,6\n1,2,3,3,5\n",
        "pairs", "larger_pair", "position_0",
        [("1", "2", "3", "5"), ("5", "6", "1", "4"), ("2", "3", "3", "5")],
    ),
    "F18 r data frame": (
        "kk.csv", '"","resp","S1","S2","S3","S4","Obs"\n'
        '"1",0,1,2,3,4,"O1"\n"2",1,1,2,3,5,"O1"\n"3",1,1,2,4,5,"O2"\n',
        "pairs", "larger_pair", "position_0",
        [("3", "4", "1", "2"), ("1", "2", "3", "5"), ("1", "2", "4", "5")],
    ),
    "F18 matrix of signs": (
        "ix.csv", matrix_of_signs(MLDS, 5),
        "pairs", "larger_difference", "position_0", MLDS_ROWS,
    ),
    "F19 list-order": (
        "triplets.npy", saved(np.save, SORTED_ODD), "ordered", "nearer", None,
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
        "ordered", "smaller_pair", None, None,
    ),
    "F23 features": (
        "features.csv",
        "alpha1,tau1,alpha2,tau2,alpha3,tau3,Response\n"
        ".1,1,.2,1,.3,2,1\n.1,1,.3,2,.2,1,0\n.2,1,.1,1,.3,2,1\n",
        "pairs", "larger_difference", "position_0",
        [("alpha .2; tau 1", "alpha .1; tau 1", "alpha .3; tau 2"),
         ("alpha .3; tau 2", "alpha .2; tau 1", "alpha .1; tau 1"),
         ("alpha .1; tau 1", "alpha .2; tau 1", "alpha .3; tau 2")],
    ),
    "F24 food100": (
        "all-triplets.csv", "images/a.jpg; images/b.jpg; images/c.jpg\n"
        "images/c.jpg; images/a.jpg; images/b.jpg\n",
        "ordered", "nearer", None,
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
    "psiz ranking with zeros at the ends": (
        "obs.hdf5",
        hdf5(stimulus_set=np.array([[4, 1, 2, 3, 0], [1, 4, 2, 3, 5], [5, 2, 1, 0, 0]]),
             n_select=np.array([1, 1, 1])),
        "ranking", "most_similar", None,
        [("4", "1", "2"), ("4", "1", "3"), ("1", "4", "2"), ("1", "4", "3"), ("1", "4", "5"),
         ("5", "2", "1")],
    ),
    "psiz ranking with an object 0": (
        "obs.hdf5",
        hdf5(stimulus_set=np.array([[4, 1, 2, 3, 0], [1, 4, 2, 0, 5], [0, 2, 1, 3, 5]]),
             n_select=np.array([1, 1, 1])),
        "ranking", "most_similar", None,
        [("4", "1", "2"), ("4", "1", "3"), ("4", "1", "0"), ("1", "4", "2"), ("1", "4", "0"),
         ("1", "4", "5"), ("0", "2", "1"), ("0", "2", "3"), ("0", "2", "5")],
    ),
    "F26 counts": (
        "rank8.mat",
        saved(savemat, {"data": np.array([[1, 2, 3, 4, 5], [2, 3, 4, 0, 5], [3, 4, 9, 5, 5]])}),
        "unnamed", "nearer", None,
        [("1", "2", "3"), ("1", "3", "2"), ("2", "4", "3"), ("3", "4", "9")],
    ),
    "F27 spose": (
        "train_90.txt", joined(SORTED_ODD, sep=" "), "ordered", "odd_one_out", None,
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
        "choices", "odd_one_out", "position_1", odd(THREE + 1, CHOICE),
    ),
    "F29 noise ceiling": (
        "noiseceiling.txt",
        joined([(*row, c + 1, 5) for row, c in zip(THREE, CHOICE, strict=True)], sep=" "),
        "choices", "odd_one_out", "position_1", odd(THREE, CHOICE),
    ),
    "F30 things again": (
        "exp1.parquet",
        pd.DataFrame({
            **{f"image_{i + 1}": NAMES[THREE[:, i]] for i in range(3)},
            "choice": NAMES[THREE[np.arange(40), CHOICE]], "participant": 3, "task": 0,
            "trial": range(40), "RT": 812.0, "reward": 0,
        }).to_parquet(),
        "choices", "odd_one_out", "item", odd(NAMES[THREE], CHOICE),
    ),
    "F32 cars": (
        "survey_data.csv",
        joined(
            [(1, row[c] + 1, *(row + 1), 2.5) for row, c in zip(THREE, CHOICE, strict=True)],
            ["survey round", "chosen", "item1", "item2", "item3", "rt"],
        ),
        "choices", "most_central", "item", central(THREE + 1, CHOICE),
    ),
    "F33 material": (
        "answers_processed_train.json",
        json.dumps({"answers": [[0, 1, 2], [2, 0, 1]], "agreement": [[4, 1], [0, 5]]}),
        "counts", "nearer", None, [("0", "1", "2"), ("0", "2", "1"), ("2", "1", "0")],
    ),
    "F34 musicseer": (
        "survey.txt", "judgement survey user target chosen other\n"
        "1 S u1 10 22 300\n2 G u2 22 10\n3 G u2 300 300 10\n4 S u1 22 300 10\n5 S u3 10 300 22\n",
        "ordered", "nearer", None, [("10", "22", "300"), ("22", "300", "10"), ("10", "300", "22")],
    ),
    "F35 crowd": (
        "crowd.csv", "A,B,C,eval,worker\n1,2,3,1,w\n1,2,4,0,w\n2,3,4,1,v\n",
        "anchored", "nearer", "first_is_nearer",
        [("1", "2", "3"), ("1", "4", "2"), ("2", "3", "4")],
    ),
    "F36 zappos": (
        "deconflicted_triplets.csv", joined(SORTED_ODD), "ordered", "nearer", None,
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
        "choices", "odd_one_out", "position_0", odd(NAMES[THREE], CHOICE),
    ),
}
