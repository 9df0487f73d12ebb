"""Catch trials, in which two objects of a question are the same: of many, as often as by chance."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import tripletscope as ts
from tripletscope.core.reading import OtherTask

ROWS, N_PEOPLE = 800, 12
LAYOUTS = {
    "anchored": [
        (["sample", "left_picture", "right_picture"], "side"),
        (["top", "bottom_left", "bottom_right"], "key"), (["q1", "q7", "zz"], "item"),
        (["performer", "lasting_left", "lasting_right"], "side"),
    ],
    "odd": [
        (["object1", "object2", "object3"], "item"), (["object1", "object2", "object3"], "number"),
        (["pic_a", "pic_b", "pic_c"], "item"),
    ],
}


def questions(n: int, share: float, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Different objects (T, 3), a place of each object, and which are catch trials."""
    rng = np.random.default_rng(seed)
    rows = rng.permuted(np.tile(np.arange(n), (ROWS, 1)), axis=1)[:, :3]
    return rows, rng.normal(size=(n, 2)), rng.random(ROWS) < share


def anchored(n: int, share: float, coding: str, names: list[str]) -> pd.DataFrame:
    rows, place, catch = questions(n, share, 0)
    option = np.random.default_rng(1).integers(1, 3, ROWS)
    rows[catch, option[catch]] = rows[catch, 0]
    apart = np.linalg.norm(place[rows] - place[rows[:, :1]], axis=2)
    left = apart[:, 1] < apart[:, 2]
    table = pd.DataFrame(rows, columns=names).map("thing {:03d}".format)
    options = table[names[1]], table[names[2]]
    said = {"side": ("left", "right"), "key": ("f", "j"), "item": options}
    return table.assign(resp=np.where(left, *said[coding]))


def odd(n: int, share: float, coding: str, names: list[str]) -> pd.DataFrame:
    rows, place, catch = questions(n, share, 0)
    one = np.random.default_rng(1).integers(3, size=ROWS)
    trial = np.flatnonzero(catch)
    rows[trial, one[trial]] = rows[trial, (one[trial] + 1) % 3]
    apart = np.linalg.norm(place[rows[:, [1, 2, 0]]] - place[rows[:, [2, 0, 1]]], axis=2)
    table = pd.DataFrame(rows, columns=names).map("thing {:03d}".format)
    chosen = apart.argmin(axis=1)
    named = table.to_numpy()[np.arange(ROWS), chosen]
    return table.assign(resp=named if coding == "item" else chosen + 1)


@pytest.mark.parametrize("share", [0.03, 0.15])
@pytest.mark.parametrize("n", [8, 60])
@pytest.mark.parametrize(
    ("made", "names", "coding"),
    [(anchored, *layout) for layout in LAYOUTS["anchored"]] + [
        (odd, *layout) for layout in LAYOUTS["odd"]],
    ids=lambda value: "-".join(value) if isinstance(value, list) else None,
)
def test_the_same_is_read_with_and_without_them(made, names, coding, n, share):
    table = made(n, share, coding, names)
    table.insert(0, "person", np.arange(ROWS) % N_PEOPLE)
    catch = table[names].nunique(axis=1) < 3
    both = [ts.read(one.to_csv(index=False).encode()) for one in (table, table[~catch])]
    told = [[{*map(tuple, np.array(one.ids)[one.rows])}, len(one)] for one in both]
    assert told[0] == told[1]
    assert told[0][1] == (~catch).sum() * (1 if made is anchored else 2)


def test_what_is_chosen_apart_from_catch_trials_is_an_option():
    """An anchor of no telling name: in catch trials the response has its name, too."""
    table = anchored(60, 0.1, "item", ["q1", "q7", "zz"])
    found = ts.read(table.to_csv(index=False).encode())
    assert {*np.array(found.ids)[found.rows[:, 0]]} <= {*table["q1"]}
    assert len(found) == (table[["q1", "q7", "zz"]].nunique(axis=1) == 3).sum()


@pytest.mark.parametrize(("header", "says"), [
    ("left,right,cue,chosen", "option"), ("home,away,champion,winner", "option"),
    ("home,away,venue_of,result", "side"), ("arm_left,arm_right,last_arm,chosen_arm", "option"),
    ("arm_left,arm_right,lastanchor,chosen_arm", "option"),
    ("bild_links,bild_rechts,bildVorherig,gewählt", "option"),
    ("target,distractor,prime,response", "first"), ("winner,loser,referee,round", "number"),
    ("t1,t2,t3,median", "median"),
])
def test_what_is_like_by_chance_is_no_catch_trial(header, says):
    """Two of three things of a row are the same, and nothing is said of it."""
    rng = np.random.default_rng(0)
    rows = np.array([[*rng.permutation(24)[:2], rng.integers(24)] for _ in range(300)])
    table = pd.DataFrame(rows).map("name {:02d}".format)
    said = {"option": table.to_numpy()[np.arange(300), rng.integers(2, size=300)],
            "side": rng.choice(["home", "away"], 300), "first": table[0],
            "number": rng.integers(1, 9, 300)}
    if says == "median":
        table = pd.DataFrame(rng.integers(1, 60, size=(300, 3)))
        said["median"] = np.median(table, axis=1).astype(int)
    table = table.assign(said=said[says]).set_axis(header.split(","), axis=1)
    with pytest.raises(OtherTask):
        ts.read(table.to_csv(index=False).encode())
