"""Objects in cells: three with signs between them, and questions to people and models."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tests.core.reading.layouts import best
from tests.core.reading.test_columns_of_people import N_QUESTIONS, WORDS, questions, text
from tests.core.reading.test_next_door import said
from tripletscope.core.reading import AmbiguousTable, OtherTask, load
from tripletscope.core.reading.formats import listed, survey
from tripletscope.core.reading.formats.listed import objects_in_cells
from tripletscope.core.reading.formats.survey import questions_in_cells
from tripletscope.core.reading.formats.wide import counts_of_options
from tripletscope.core.studies.quality.importing import read

ROWS = np.arange(N_QUESTIONS)


def anchored() -> tuple[np.ndarray, np.ndarray, set[tuple[str, str, str]]]:
    """Words (q, 3) of questions, the place of what is nearer, and the answers."""
    shown, place = questions(of_anchor=True)
    words, place = WORDS[shown], place[0]
    near, far = words[ROWS, place + 1], words[ROWS, 2 - place]
    return words, place, set(zip(words[:, 0], near, far, strict=True))


def odd() -> tuple[np.ndarray, np.ndarray, set[tuple[str, str, str]]]:
    """Words (q, 3) of questions, the place of the odd one, and the answers."""
    shown, place = questions()
    words, place = WORDS[shown], place[0]
    answers = set()
    for (a, b, c), k in zip(words.tolist(), place.tolist(), strict=True):
        one, other = (x for x in (a, b, c) if x != (a, b, c)[k])
        answers |= {(one, other, (a, b, c)[k]), (other, one, (a, b, c)[k])}
    return words, place, answers


@pytest.mark.parametrize("cell", [
    "{},{},{}", "{}, {}, {}", "{}-{}-{}", "{}_{}_{}.png", "stim/{}_{}_{}.jpg", "({}; {}; {})",
    "{} | {} | {}", "{} {} {}", "triad_{}_{}_{}",
])
def test_three_objects_in_a_cell_become_columns(cell):
    words, place, answers = odd()
    frame = pd.DataFrame({
        "who": [f"p{k % 5}" for k in ROWS], "triad": [cell.format(*row) for row in words],
        "odd": words[ROWS, place],
    })
    found = read(text(frame))
    assert said(found) == answers
    assert {*found.ids} == {*WORDS}


def other_cells() -> dict[str, list[str]]:
    rng = np.random.default_rng(0)
    days = pd.date_range("2026-01-01", periods=60).strftime("%Y-%m-%d").tolist()
    return {
        "dates": days, "pairs": [f"{a}_{b}" for a, b in rng.choice(WORDS, (60, 2))],
        "names of people": [f"{a}-{b}" for a, b in zip(days, days[::-1], strict=True)],
        "files of subjects": [f"s{k % 6}_{k}_{'ab'[k % 2]}.wav" for k in range(60)],
        "orders": ["A,B,C", "B,C,A", "C,A,B", "A,C,B"] * 15,
        "words": [f"it was {word}" for word in rng.choice(WORDS, 60)],
        "sentences": [f"I saw {a} and then {b}, and {c}" for a, b, c in rng.choice(WORDS, (60, 3))],
    }


@pytest.mark.parametrize("kind", other_cells())
def test_other_cells_name_no_three_objects(kind):
    frame = pd.DataFrame({"what": other_cells()[kind], "x": range(60), "answer": ["a", "b"] * 30})
    table = load(text(frame), "a.csv", reshape=False)
    assert objects_in_cells(table) is None
    assert questions_in_cells(table) is None


NEARER = ("Is {} more like {} or {}?", "Which is more similar to {}: {} or {}? Use one word.",
          "Reference: {}. First: {}. Second: {}. Which one is more similar to the reference?")


@pytest.mark.parametrize("spelt", [str, str.title, "{}.".format])
@pytest.mark.parametrize("prompt", NEARER)
def test_prompts_are_questions_about_their_objects(prompt, spelt):
    words, place, answers = anchored()
    frame = pd.DataFrame({
        "model": "m", "prompt": [prompt.format(*row) for row in words],
        "output": [spelt(word) for word in words[ROWS, place + 1]],
    })
    assert said(read(text(frame))) == answers


@pytest.mark.parametrize("cell", ["{}_{}_{}.png", "Is {} more like {} or {}?"])
def test_cells_that_repeat_the_columns_change_nothing(cell):
    words, place, answers = anchored()
    frame = pd.DataFrame(words, columns=["anchor", "left", "right"])
    frame["shown"] = [cell.format(*row) for row in words]
    for response in (words[ROWS, place + 1], np.array(["left", "right"])[place]):
        for pictures in (False, True):
            given = frame.assign(response=response)
            if pictures:
                given[["anchor", "left", "right"]] += ".png"
                given["response"] = [f"{text}.png" if text in WORDS else text for text in response]
            table = load(text(given), "a.csv")
            assert table.columns == [*given.columns]
            found = {tuple(one.removesuffix(".png") for one in row)
                     for row in said(read(text(given)))}
            assert found == answers


def test_prompts_for_the_less_similar_and_for_the_odd_one_are_told_apart():
    words, place, answers = anchored()
    less = pd.DataFrame({
        "prompt": ["Which is less similar to {}: {} or {}?".format(*row) for row in words],
        "answer": words[ROWS, 2 - place],
    })
    assert said(read(text(less.assign(model="m")))) == answers
    words, place, answers = odd()
    frame = pd.DataFrame({
        "prompt": ["Which is the odd one out: {}, {}, or {}?".format(*row) for row in words],
        "answer": words[ROWS, place], "model": "m",
    })
    assert said(read(text(frame))) == answers


@pytest.mark.parametrize("codes", [("A", "B"), ("(A)", "(B)"), ("1", "2")])
def test_replies_by_letter_or_number_are_read_or_asked_about(codes):
    words, place, answers = anchored()
    frame = pd.DataFrame({
        "prompt": ["Reference {}. A: {}. B: {}. Which is more similar?".format(*row)
                   for row in words],
        "reply": [codes[k] for k in place], "model": "m",
    })
    table = load(text(frame), "a.csv")
    assert {"item1", "item2", "item3"} <= {*table.columns}
    try:
        found = said(read(text(frame)))
    except (AmbiguousTable, OtherTask):
        return
    assert found == answers


def test_counts_of_three_options_are_weights():
    words, _, _ = odd()
    place = questions()[1]
    counts = np.stack([(place == k).sum(axis=0) for k in range(3)], axis=1)
    frame = pd.DataFrame(np.hstack([words, counts]), columns=["w1", "w2", "w3", "n1", "n2", "n3"])
    table = load(text(frame), "a.csv")
    assert table.n_rows == 3 * N_QUESTIONS
    assert table.numbers("count").sum() == place.size
    found = read(text(frame), {
        "item1": "w1", "item2": "w2", "item3": "w3", "choice": "response", "weight": "count",
        "task": "odd_one_out", "choice_coding": "position_1",
    })
    assert found.weight.sum() == 2 * place.size
    ranks = frame.assign(n1=1, n2=2, n3=3)
    assert counts_of_options(load(text(ranks), "a.csv", reshape=False)) is None


def test_the_most_and_the_least_similar_beside_an_anchor_are_the_answer():
    words, place, answers = anchored()
    frame = pd.DataFrame({
        "anchor": words[:, 0], "most similar": words[ROWS, place + 1],
        "least similar": words[ROWS, 2 - place],
    })
    assert said(read(text(frame))) == answers


@pytest.mark.parametrize("cell", ["{}_{}_{}.png", "Is {} more like {} or {}?"])
def test_what_all_cells_share_is_looked_for_once(cell, monkeypatch):
    """Of thousands of different cells, the time was that of their square."""
    rng, calls = np.random.default_rng(0), []
    things = np.array([f"thing {a}{b}".replace(" ", "") for a in "abcdefgh" for b in "stuvwxyz"])
    words = things[np.array([rng.permutation(64)[:3] for _ in range(1_500)])]
    frame = pd.DataFrame({
        "shown": [cell.format(*row) for row in words], "model": "m",
        "answer": words[np.arange(1_500), rng.integers(1, 3, 1_500)],
    })
    around, questions_of = listed._around, survey._questions
    monkeypatch.setattr(listed, "_around", lambda *a: calls.append(a) or around(*a))
    monkeypatch.setattr(survey, "_questions", lambda *a: calls.append(a) or questions_of(*a))
    table = load(text(frame), "a.csv")
    assert len(calls) < 10
    places = [table.codes(name) for name in table.columns if name not in ("shown", "model")]
    names = [one.each(str, "", object) for one in places]
    assert sum(any((one == column).all() for one in names) for column in words.T) == 3


def test_a_name_like_na_that_was_not_offered_is_told():
    rng = np.random.default_rng(2)
    names = np.array(["NA", "K", "CL", "MG", "FE", "CU"])
    shown = names[np.array([rng.permutation(6)[:3] for _ in range(200)])]
    near = shown[:, 1].copy()
    wrong = np.flatnonzero((shown != "NA").all(axis=1))[:6]
    near[wrong] = "NA"
    frame = pd.DataFrame(shown, columns=["anchor", "left", "right"]).assign(choice=near)
    _, _, imported = best(text(frame).decode())
    (omitted,) = imported.report.omissions
    assert omitted.count == 6
    assert "“NA”" in omitted.reason
