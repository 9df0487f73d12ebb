"""Files of every kind under names, codes, languages and orders of columns that nobody foresaw.

Each is read as it is meant, or it is asked: never silently as something else.
"""

from __future__ import annotations

import io
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from tests.core.reading.layouts import best
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.reading import (
    AmbiguousTable,
    OtherTask,
    file_of_measured,
    load,
    recognise,
)
from tripletscope.core.reading.kinds.levels import chosen_first
from tripletscope.core.studies.quality.importing import read

N_OBJECTS, N_ROWS = 9, 240
#: Names of objects: words, pictures, codes and numbers.
NAMES = (
    lambda k: ["oak", "elm", "ash", "fir", "yew", "box", "bay", "fig", "may"][k],
    lambda k: f"img/{'abcdefghi'[k]}{k}.png", lambda k: f"S{k + 10}", lambda k: str(k + 1),
    lambda k: f"0.{k + 1}",
)
#: Names of anchor, options and response; usual ones of several languages, and odd ones.
ANCHORED = (
    ("anchor", "left", "right", "choice"), ("query", "ref1", "ref2", "response"),
    ("Referenz", "Vergleich1", "Vergleich2", "Antwort"), ("cible", "gauche", "droite", "réponse"),
    ("target", "optionA", "optionB", "resp"), ("head", "b", "c", "winner"),
    ("x1", "x2", "x3", "key"), ("one", "two", "three", "four"), ("A", "B", "C", "said"),
    ("probe", "stim_l", "stim_r", "button"), ("left", "middle", "right", "pressed"),
    ("base", "candidateA", "candidateB", "pressed_key"), ("center", "upper", "lower", "choice"),
    ("S1", "S2", "S3", "resp"), ("参照", "左", "右", "回答"), ("stand", "cmp.1", "cmp.2", "antw"),
)
THREE = (
    ("image1", "image2", "image3", "choice"), ("left", "middle", "right", "odd"),
    ("A", "B", "C", "oddOne"), ("Stim1", "Stim2", "Stim3", "response"), ("u", "v", "w", "pick"),
    ("top1", "left2", "right3", "resp"), ("pic_a", "pic_b", "pic_c", "key"),
    ("objet1", "objet2", "objet3", "intrus"), ("first", "second", "third", "selected_odd"),
    ("one", "two", "three", "ans"),
)
ORDERED = (
    ("anchor", "near", "far"), ("a", "b", "c"), ("V1", "V2", "V3"), None,
    ("reference", "closer", "farther"), ("head", "winner", "loser"), ("i", "j", "k"),
    ("t1", "t2", "t3"), ("first", "second", "third"), ("ancre", "proche", "loin"),
)
#: Responses by the place of the chosen one; None names the object, "column" its column.
CODES = (None, "column", ("0", "1", "2"), ("1", "2", "3"), ("left", "middle", "right"),
         ("f", "h", "j"), ("q", "t", "p"), ("L", "M", "R"), ("A", "B", "C"), ("-1", "0", "1"),
         ("37", "40", "39"), ("one", "two", "three"), ("ArrowLeft", "ArrowDown", "ArrowRight"))
#: Cells of trials without a response.
NO_RESPONSE = ("", "timeout", "-99", "NA", "no response", "cannot say", "Weiß nicht")
BESIDE = {
    "participant": lambda rng, n: rng.choice([f"p{k}" for k in range(6)], n),
    "session": lambda rng, n: np.repeat([1, 2], n - n // 2)[:n],
    "rt": lambda rng, n: rng.lognormal(7, 0.3, n).round(1),
    "trial": lambda rng, n: np.arange(1, n + 1),
    "correct": lambda rng, n: rng.integers(0, 2, n),
    "gender": lambda rng, n: rng.choice(["m", "f"], n),
    "slider": lambda rng, n: rng.integers(1, 8, n),
    "flipped": lambda rng, n: rng.integers(0, 2, n),
    "corrAns": lambda rng, n: rng.choice(["left", "right"], n),
    "confidence": lambda rng, n: rng.integers(1, 6, n),
}


@dataclass
class File:
    """A file, and the answers that it means."""

    content: bytes
    answers: set[tuple[str, str, str]]


def said(triplets: Triplets) -> set[tuple[str, str, str]]:
    ids = np.array(triplets.ids, dtype=object)
    return set(map(tuple, ids[triplets.rows].tolist()))


def made(kind: str, seed: int) -> File:
    """A file of a kind, from people who see a map in the plane."""
    rng = np.random.default_rng([seed, len(kind)])
    positions = rng.normal(size=(N_OBJECTS, 2))
    across = np.linalg.norm(positions[:, None] - positions[None], axis=2)
    name = [NAMES[seed % len(NAMES)](k) for k in range(N_OBJECTS)]
    shown = np.array([rng.permutation(N_OBJECTS)[:3] for _ in range(N_ROWS)])
    noise = rng.normal(0, 0.15, (N_ROWS, 3))
    answers, chosen = set(), []
    for (a, b, c), e in zip(shown.tolist(), noise, strict=True):
        if kind in ("anchored", "ordered"):
            place = 1 if across[a, b] + e[0] < across[a, c] + e[1] else 2
            near, far = (b, c) if place == 1 else (c, b)
            answers.add((name[a], name[near], name[far]))
            chosen.append(place)
        else:
            sides = np.array([across[b, c], across[a, c], across[a, b]]) + e
            place = int(np.argmin(sides))
            odd = (a, b, c)[place]
            one, other = (o for o in (a, b, c) if o != odd)
            answers |= {(name[one], name[other], name[odd]), (name[other], name[one], name[odd])}
            chosen.append(place)
    frame = columns_of(kind, seed, np.array(name, dtype=object)[shown], np.array(chosen), rng)
    header = frame.columns.tolist() != [0, 1, 2]
    separator = ",;\t"[seed % 3]
    return File(frame.to_csv(index=False, header=header, sep=separator).encode(), answers)


def columns_of(
    kind: str, seed: int, names: np.ndarray, chosen: np.ndarray, rng: np.random.Generator
) -> pd.DataFrame:
    rows = np.arange(len(names))
    if kind == "ordered":
        headers = ORDERED[seed % len(ORDERED)]
        order = np.column_stack([names[:, 0], names[rows, chosen], names[rows, 3 - chosen]])
        return pd.DataFrame(order, columns=headers)
    headers = (ANCHORED if kind == "anchored" else THREE)[seed % (
        len(ANCHORED) if kind == "anchored" else len(THREE)
    )]
    code = CODES[(seed // 3) % len(CODES)]
    if headers[0] == "A" and code and code[0] == "A":  # what says A would be the column
        code = ("1", "2", "3")
    frame = pd.DataFrame(names, columns=headers[:3])
    if code is None:
        response = names[rows, chosen]
    elif code == "column":
        response = np.array(headers)[chosen]
    elif kind == "anchored":  # of two options
        pair = (code[0], code[2]) if code[0] not in ("0", "1", "one", "A") else code[:2]
        response = np.array(pair)[chosen - 1]
    else:
        response = np.array(code)[chosen]
    frame[headers[3]] = response
    for beside in rng.permutation([*BESIDE])[: rng.integers(0, 4)]:
        frame[beside] = BESIDE[beside](rng, len(names))
    if seed % 3 == 0:
        unanswered = frame.head(8).assign(**{headers[3]: NO_RESPONSE[seed % len(NO_RESPONSE)]})
        frame = pd.concat([frame, unanswered])
    # Names that say no order are in theirs.
    plain = headers[0] in ("one", "u", "x1", "stand")
    return frame if plain or not seed % 2 else frame[rng.permutation(frame.columns)]


@pytest.mark.parametrize("kind", ["anchored", "choices", "ordered"])
def test_no_file_is_silently_read_as_something_else(kind):
    right = asked = 0
    for seed in range(40):  # each name, code and cell
        file = made(kind, seed)
        try:
            found = said(read(file.content, name="file.csv"))
        except (AmbiguousTable, OtherTask):
            asked += 1
            continue
        head = file.content.decode().splitlines()[:3]
        assert len(found ^ file.answers) <= 2, (seed, head)
        right += 1
    assert right >= (asked if kind == "ordered" else 3 * asked), (right, asked)


#: What models and people write who do not answer.
REFUSALS = ("I'm sorry, I can't compare these.", "Both are equally similar, as an AI.",
            "It depends on the context!", "I cannot say which.")


@pytest.mark.parametrize("kind", ["anchored", "choices"])
def test_who_refuses_to_answer_changes_nothing_of_the_others(kind):
    right = plainly = 0
    for seed in range(40):
        file, separator = made(kind, seed), ",;\t"[seed % 3]
        frame = pd.read_csv(
            io.BytesIO(file.content), sep=separator, dtype=str, keep_default_na=False
        )
        names = ANCHORED if kind == "anchored" else THREE
        said_so = [REFUSALS[k % len(REFUSALS)] for k in range(72)]
        refused = frame.head(72).assign(**{names[seed % len(names)][3]: said_so})
        more = pd.concat([frame, refused]).to_csv(index=False, sep=separator).encode()
        for content in (file.content, more):
            try:
                found = said(read(content, name="file.csv"))
            except (AmbiguousTable, OtherTask):
                break
            assert len(found ^ file.answers) <= 2, seed
            plainly, right = plainly + (content is not more), right + (content is more)
    assert right >= 0.85 * plainly


def test_names_are_chosen_in_other_spellings_but_not_of_two_alike():
    rng = np.random.default_rng(0)
    names = np.array([f"img/{word}.jpg" for word in
                      ("red apple", "pear", "Öl", "tool box", "chair", "table", "lamp", "rug")])
    shown = np.array([rng.permutation(8)[:3] for _ in range(60)])
    frame = pd.DataFrame(names[shown], columns=["image1", "image2", "image3"])
    odd = rng.integers(0, 3, 60)
    plain = read(frame.assign(odd=names[shown[np.arange(60), odd]]).to_csv(index=False).encode())
    for spelt in (str.upper, lambda text: text[4:-4], lambda text: f"“{text[4:-4].title()}.”"):
        chosen = [spelt(text) for text in names[shown[np.arange(60), odd]]]
        found = read(frame.assign(odd=chosen).to_csv(index=False).encode())
        assert said(found) == said(plain)
    # Two objects that differ in their endings alone are not told apart without these.
    alike = np.where(names == "img/pear.jpg", "img/chair.png", names)
    frame = pd.DataFrame(alike[shown], columns=["image1", "image2", "image3"])
    chosen = [text[4:-4] for text in alike[shown[np.arange(60), odd]]]
    _, _, imported = best(frame.assign(odd=chosen).to_csv(index=False).encode())
    (omitted,) = imported.report.omissions
    assert omitted.count == chosen.count("chair")
    assert omitted.reason == "the response is none of the objects, such as “chair”"


@pytest.mark.parametrize("names", [("1.png", "2.png", "3.png"), ("(1)", "(2)", "(3)")])
@pytest.mark.parametrize("headers", [
    ("item1", "item2", "item3", "odd"), ("anchor", "left", "right", "choice"),
])
def test_numbers_are_places_and_not_the_names_that_hold_them(names, headers):
    rng = np.random.default_rng(1)
    shown = np.array([rng.permutation(3) for _ in range(60)])
    frame = pd.DataFrame(np.array(names)[shown], columns=headers[:3])
    of_two = headers[0] == "anchor"
    place = rng.integers(0, 2 if of_two else 3, 60)
    try:
        found = read(frame.assign(**{headers[3]: place + 1}).to_csv(index=False).encode())
    except AmbiguousTable:
        return
    chosen = names[shown[0, place[0] + of_two]]
    assert found.ids[found.rows[0, 1 if of_two else 2]] == chosen


@pytest.mark.parametrize("seed", range(4))
def test_minus_one_is_the_left_one_or_no_as_the_answers_say(seed):
    """Minus one and one are the left and the right, or no and yes; nothing but answers can tell."""
    rng = np.random.default_rng(seed)
    positions = rng.normal(size=(N_OBJECTS, 2))
    shown = np.array([rng.permutation(N_OBJECTS)[:3] for _ in range(N_ROWS)])
    first, second = (np.linalg.norm(positions[shown[:, 0]] - positions[shown[:, k]], axis=1)
                     for k in (1, 2))
    signs = np.where(first < second, -1, 1) * (1 if seed % 2 else -1)
    frame = pd.DataFrame(shown, columns=["anchor", "left", "right"]).assign(response=signs)
    near = np.where(first < second, shown[:, 1], shown[:, 2]).astype(str).tolist()
    found = said(read(frame.to_csv(index=False).encode()))
    assert {(anchor, one) for anchor, one, _ in found} == {*zip(
        shown[:, 0].astype(str).tolist(), near, strict=True
    )}


def test_minus_one_beside_zero_and_one_is_no_response():
    """With no and minus one alike, all answers would be reversed."""
    file = made("anchored", 6).content.decode()
    lines = file.splitlines()
    frame = pd.read_csv(io.StringIO("\n".join(lines)), sep=None, engine="python", dtype=str)
    assert len(frame) > N_ROWS
    shown = frame.iloc[:N_ROWS, :3].set_axis(["anchor", "left", "right"], axis=1)
    right = np.where(np.arange(N_ROWS) < 6, -1, np.arange(N_ROWS) % 2)
    with suppress(AmbiguousTable):
        found = read(shown.assign(response=right).to_csv(index=False).encode())
        assert len(found) == N_ROWS - 6


@pytest.mark.parametrize(("header", "codes"), [
    (("Antwort", "rechtes Bild", "linkes Bild", "Vorgabe"), ("links", "rechts")),
    (("vastaus", "oikea", "vasen", "malli"), ("v", "o")),
    (("key", "C", "B", "A"), ("z", "m")), (("key", "third", "second", "first"), ("1", "2")),
])
def test_options_may_stand_in_the_other_order(header, codes):
    """No name tells the anchor: then none need tell the order of the options, either."""
    rng = np.random.default_rng(3)
    positions = rng.normal(size=(N_OBJECTS, 2))
    name = np.array([NAMES[0](k) for k in range(N_OBJECTS)], dtype=object)
    shown = np.array([rng.permutation(N_OBJECTS)[:3] for _ in range(N_ROWS)])
    first, second = (np.linalg.norm(positions[shown[:, 0]] - positions[shown[:, k]], axis=1)
                     for k in (1, 2))
    answers = np.where(first < second, codes[0], codes[1])
    frame = pd.DataFrame(dict(zip(header, (answers, *name[shown[:, ::-1]].T), strict=True)))
    nearer = np.where(first < second, shown[:, 1], shown[:, 2])
    farther = np.where(first < second, shown[:, 2], shown[:, 1])
    with suppress(AmbiguousTable):
        found = said(read(frame.to_csv(index=False).encode()))
        rows = np.column_stack([shown[:, 0], nearer, farther])
        assert found == set(map(tuple, name[rows].tolist()))


def test_a_place_among_options_is_not_an_object_of_that_number():
    rng = np.random.default_rng(1)
    four = np.array([rng.permutation(12)[:4] + 1 for _ in range(120)])
    place = rng.integers(1, 4, 120)
    frame = pd.DataFrame(four, columns=["anchor", "option1", "option2", "option3"])
    found = said(read(frame.assign(response=place).to_csv(index=False).encode()))
    chosen = four[np.arange(120), place]
    assert found == {
        (str(anchor), str(near), str(far)) for (anchor, *options), near in zip(four, chosen,
                                                                             strict=True)
        for far in options if far != near
    }


@pytest.mark.parametrize("keys", [["p"], ["k"], ["s", "d"], ["4", "5"]])
def test_keys_of_something_else_choose_no_stimulus(keys):
    assert chosen_first({*keys}) is None
    assert chosen_first({"q", "p"}) == {"q"}


def test_tables_about_three_people_or_things_are_asked_about():
    """Columns of the same names that never are alike in a row may compare them, or not."""
    rng = np.random.default_rng(0)
    three = np.array([rng.permutation([f"Dr {c}" for c in "ABCDEFGH"])[:3] for _ in range(90)])
    frame = pd.DataFrame(three, columns=["supervisor", "reader", "chair"])
    with pytest.raises(AmbiguousTable):
        read(frame.to_csv(index=False).encode())
    by_chance = pd.DataFrame(rng.choice([f"Dr {c}" for c in "ABCDEFGH"], (90, 3)),
                             columns=["supervisor", "reader", "chair"])
    with pytest.raises(OtherTask):
        read(by_chance.to_csv(index=False).encode())


def test_what_is_nearer_and_farther_is_so_of_the_third_column():
    file = made("ordered", 0).content.decode()
    lines = file.splitlines()
    separator = ",;\t"[0]
    renamed = separator.join(("item", "closer", "further"))
    found = said(read("\n".join([renamed, *lines[1:]]).encode()))
    assert found == made("ordered", 0).answers


#: Tables of something else, as functions of a generator.
OTHERS = {
    "Likert items": lambda rng: {f"q{k}": rng.integers(1, 8, 80) for k in range(1, 9)},
    "three sliders": lambda rng: {
        name: rng.integers(0, 101, 200) for name in ("valence", "arousal", "dominance")
    },
    "three sliders and a choice": lambda rng: {
        "valence": rng.integers(0, 101, 200), "arousal": rng.integers(0, 101, 200),
        "dominance": rng.integers(0, 101, 200), "choice": rng.integers(0, 2, 200),
    },
    "a questionnaire": lambda rng: {
        "participant": [f"p{k}" for k in range(40)], "age": rng.integers(18, 70, 40),
        "gender": rng.choice(["m", "f"], 40), "country": rng.choice(["DE", "FR", "US"], 40),
    },
    "measures": lambda rng: {
        name: rng.normal(5, 2, 60).round(1) for name in ("length", "width", "height")
    } | {"species": rng.choice(["a", "b", "c"], 60)},
    "grades": lambda rng: {name: rng.integers(1, 7, 120) for name in ("maths", "art", "music")},
    "a schedule": lambda rng: {
        "monday": rng.choice(list("ABCDEFG"), 50), "tuesday": rng.choice(list("ABCDEFG"), 50),
        "wednesday": rng.choice(list("ABCDEFG"), 50), "teacher": rng.choice(["x", "y"], 50),
    },
    "a log": lambda rng: {
        "time": [f"2026-01-01T00:00:{k:02d}" for k in range(50)],
        "user": rng.choice(["u1", "u2"], 50), "page": rng.choice(list("abcd"), 50),
    },
    "coordinates": lambda rng: {"item": list("abcdefgh"), "x": rng.normal(size=8),
                                "y": rng.normal(size=8)},
    "counts": lambda rng: {f"c{k}": rng.poisson(8, 40) for k in range(1, 4)},
    "ordinary numbers": lambda rng: {f"v{k}": rng.integers(0, 30, 150) for k in range(1, 4)},
    "counts of genes": lambda rng: {"gene": [f"G{k}" for k in range(120)]} | {
        f"{what}_{k}": rng.negative_binomial(3, 0.02, 120)
        for what in ("control", "treated") for k in (1, 2, 3)
    },
    "a Stroop task": lambda rng: {
        "word": (word := rng.choice(["red", "green", "blue", "grey"], 160)),
        "color": (color := rng.choice(["red", "green", "blue", "grey"], 160)),
        "response": np.where(rng.random(160) < 0.95, color, word),
        "rt": rng.lognormal(6, 0.3, 160).round(),
    },
    "ABX": lambda rng: (lambda pair, which: {
        "A": pair[:, 0], "B": pair[:, 1], "X": pair[np.arange(120), which],
        "response": np.where(rng.random(120) < 0.85, which, 1 - which) + 1,
    })(shown_of(rng, 120, 2), rng.integers(0, 2, 120)),
    "the odd one of four": lambda rng: (lambda four: {
        **{f"word{k + 1}": four[:, k] for k in range(4)},
        "odd": four[np.arange(120), rng.integers(0, 4, 120)],
    })(shown_of(rng, 120, 4)),
    "one of three around nothing that says so": lambda rng: (lambda four: {
        "cue": four[:, 0], **{f"pic{k}": four[:, k] for k in (1, 2, 3)},
        "response": rng.integers(1, 4, 150),
    })(shown_of(rng, 150, 4)),
    "the best and the worst": lambda rng: (lambda four: {
        **{f"item{k + 1}": four[:, k] for k in range(4)},
        "best": four[:, 0], "worst": four[np.arange(100), rng.integers(1, 4, 100)],
    })(shown_of(rng, 100, 4)),
    "piles of a person in a row": lambda rng: {"subject": range(1, 16)} | {
        f"thing {c}": np.where(rng.random(15) < 0.8, k // 4 + 1, rng.integers(1, 4, 15))
        for k, c in enumerate("abcdefghijkl")
    },
    "lines of a text": lambda rng: dict(zip("abc", (["It is so"] * 9, ["as ever"] * 9,
                                                      ["and well"] * 9), strict=True)),
}


def shown_of(rng: np.random.Generator, n: int, k: int) -> np.ndarray:
    """(n, k) different objects in each row."""
    return np.array([rng.permutation([*"ABCDEFGHIJ"])[:k] for _ in range(n)])


@pytest.mark.parametrize("n_options", [3, 5])
@pytest.mark.parametrize(("anchor", "option", "response"), [
    ("target", "cand", "chosen"), ("Referenz", "Bild ", "Antwort"), ("query", "opt_", "response"),
])
@pytest.mark.parametrize("by_place", [False, True])
def test_one_of_several_options_is_nearer_than_each_of_the_others(
    n_options, anchor, option, response, by_place
):
    rng = np.random.default_rng(n_options)
    shown, place = shown_of(rng, 150, n_options + 1), rng.integers(1, n_options + 1, 150)
    chosen = shown[np.arange(150), place]
    frame = pd.DataFrame(
        shown, columns=[anchor, *(f"{option}{k + 1}" for k in range(n_options))]
    ).assign(**{response: place.astype(str) if by_place else chosen})
    frame.loc[3, response] = ""
    found = read(frame.to_csv(index=False).encode())
    assert len(found) == 149 * (n_options - 1)
    kept = np.arange(150) != 3
    expected = {(row[0], one, other) for row, one in zip(shown[kept], chosen[kept], strict=True)
                for other in row[1:] if other != one}
    assert said(found) == expected


def test_what_may_be_nothing_but_ratings_is_said_to_be_so():
    """Three columns of numbers may each be the rating; none of them is an answer about objects."""
    rng = np.random.default_rng(0)
    teams = [(a, b) for a in "ABCDEFGH" for b in "ABCDEFGH" if a != b]
    frame = pd.DataFrame(rng.permutation(teams), columns=["home", "away"]).assign(**{
        "goals home": rng.poisson(1.5, 56), "goals away": rng.poisson(1.5, 56),
    })
    with pytest.raises(OtherTask, match="it may hold ratings") as raised:
        read(frame.to_csv(index=False).encode())
    assert not isinstance(raised.value, AmbiguousTable)
    assert "read_measured" in (raised.value.python or "")
    noted = file_of_measured([("a.csv", frame.to_csv(index=False).encode())], None, {}).notes[0]
    assert "goals home is a number for each pair" in noted
    assert "goals away may be the rating, too" in noted


def test_ranks_around_a_query_are_answers_about_each_two():
    shown = shown_of(np.random.default_rng(0), 80, 5)
    frame = pd.DataFrame(shown, columns=["query", "rank1", "rank2", "rank3", "rank4"])
    expected = {(row[0], row[i], row[j]) for row in shown for i in range(1, 5)
                for j in range(i + 1, 5)}
    assert said(read(frame.to_csv(index=False).encode())) == expected


@pytest.mark.parametrize("kind", OTHERS)
def test_what_compares_nothing_never_becomes_answers(kind):
    for seed in range(6):
        frame = pd.DataFrame(OTHERS[kind](np.random.default_rng(seed)))
        with pytest.raises(DataError):
            read(frame.to_csv(index=False).encode(), name="table.csv")


@pytest.mark.parametrize(("response", "task"), [
    *((f"{word}_choice", "nearer") for word in ("wireless", "lesson", "indifferent", "pleasant")),
    *((f"{word}_choice", "farther") for word in (
        "least_similar", "lesssimilar", "mostDifferent", "leastalike", "furthest")),
    ("choiceBlessing", "nearer"), ("choice_less", "farther"), ("chosen_dissimilar", "farther"),
    *((f"{name}_response", "farther") for name in (
        "isfarther", "leastsimilarobject", "lesssimilarone", "mostdissimilaritem",
        "selectedleastsimilar", "lessrelated", "leastsimpic", "leastmatching")),
])
def test_words_within_other_words_do_not_turn_answers_round(response, task):
    shown = shown_of(np.random.default_rng(0), 60, 3)
    side = np.where(np.random.default_rng(1).random(60) < 0.5, "left", "right")
    frame = pd.DataFrame(shown, columns=["anchor", "left", "right"]).assign(**{response: side})
    reading = recognise(load(frame.to_csv(index=False).encode())).clear.reading
    assert (reading.task, reading.roles["choice"]) == (task, response)


@pytest.mark.parametrize("response", [
    "choice_oddity", "response_oddoneout", "leastsimilarobject_choice", "worstfitting_choice",
    "choice_wrong", "choice_outlier", "choice_intruder", "response_unlike",
])
def test_one_of_many_that_is_not_alike_is_no_most_similar_one(response):
    shown = shown_of(np.random.default_rng(0), 90, 5)
    frame = pd.DataFrame(shown, columns=["anchor", *(f"option{k}" for k in range(1, 5))])
    frame[response] = frame["option1"]
    with pytest.raises(DataError):
        read(frame.to_csv(index=False).encode())


@pytest.mark.parametrize("response", ["wireless_choice", "unless_chosen", "modded_answer"])
def test_one_of_many_is_the_most_similar_one_unless_a_word_says_otherwise(response):
    shown = shown_of(np.random.default_rng(0), 90, 5)
    names = ["target", *(f"option{k}" for k in range(1, 5))]
    frame = pd.DataFrame(shown, columns=names).assign(**{response: shown[:, 2]})
    assert len(read(frame.to_csv(index=False).encode())) == 3 * len(frame)
    with pytest.raises(DataError):
        read(frame.rename(columns={response: "odd_choice"}).to_csv(index=False).encode())


@pytest.mark.parametrize("third", [
    "referee", "umpire", "venue", "third", "opponent before", "host", "Schiedsrichter",
])
@pytest.mark.parametrize("ends", [
    ("winner", "loser"), ("preferred", "rejected"), ("chosen", "unchosen"), ("better", "worse"),
])
def test_who_wins_beside_a_third_may_be_preferred_and_is_asked_about(third, ends):
    """Only an anchor by name, or a response, says that three are compared."""
    shown = shown_of(np.random.default_rng(2), 150, 3)
    frame = pd.DataFrame(shown, columns=[third, *ends])
    with pytest.raises(AmbiguousTable, match="paired preferences: not read"):
        read(frame.to_csv(index=False).encode())
    if ends in (("winner", "loser"), ("chosen", "unchosen")):  # usual for the nearer one, too
        anchored = frame.rename(columns={third: "anchor"})
        assert said(read(anchored.to_csv(index=False).encode())) == {*map(tuple, shown.tolist())}
