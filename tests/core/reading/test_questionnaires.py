"""Questionnaires with a column a question, objects inside sentences and HTML, and other columns."""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd
import pytest

import tripletscope as ts
from tripletscope.core.reading import OtherTask, load

NAMES = ["cello", "drum", "flute", "harp", "lute", "oboe", "organ", "tuba", "viola", "zither"]
PLACES = np.random.default_rng(7).normal(size=(10, 2))
APART = np.linalg.norm(PLACES[:, None] - PLACES[None], axis=2)

#: What is asked, and what the answer names: the nearer of two options, the farther, or the odd one.
ASKED = {
    "Is {a} more similar to {b} or to {c}?": "nearer",
    "Was ist ähnlicher zu „{a}“: {b} oder {c}?": "nearer",
    "{a}: {b} or {c}?": "nearer",
    "Which is less similar to {a}, {b} or {c}?": "farther",
    "Was ist {a} unähnlicher, {b} oder {c}?": "farther",
    "Which is the odd one out: {a}, {b} or {c}?": "odd",
    "Which one does not belong? {a} | {b} | {c}": "odd",
    "Which is the most central: {a}, {b} or {c}?": "central",
}


def answered(trial: tuple[int, int, int], kind: str, rng: np.random.Generator):
    """What somebody says of (a, b, c), and the answers (anchor, nearer, farther) it stands for."""
    a, b, c = trial
    noisy = APART + 0.2 * rng.normal(size=APART.shape)
    if kind in ("nearer", "farther"):
        near, far = (b, c) if noisy[a, b] < noisy[a, c] else (c, b)
        return (near if kind == "nearer" else far), [(a, near, far)]
    apart = {a: noisy[b, c], b: noisy[a, c], c: noisy[a, b]}
    one = (min if kind == "odd" else max)(apart, key=apart.get)
    x, y = (k for k in trial if k != one)
    return one, [(x, y, one), (y, x, one)] if kind == "odd" else [(x, one, y), (y, one, x)]


def survey(text: str, kind: str, *, people: int = 12, questions: int = 40, names=NAMES):
    """Questions, the cells of all people, and the answers they stand for."""
    rng = np.random.default_rng(1)
    trials = [tuple(map(int, rng.permutation(10)[:3])) for _ in range(questions)]
    heads = [text.format(a=names[a], b=names[b], c=names[c]) for a, b, c in trials]
    told = [[answered(trial, kind, rng) for trial in trials] for _ in range(people)]
    meant = Counter(tuple(names[k] for k in one) for row in told for _, all_of in row
                    for one in all_of)
    return heads, [[names[said] for said, _ in row] for row in told], meant


def google(heads, rows) -> bytes:
    table = [[f"2026/01/02 {k}:00:00 PM GMT+1", 20 + k % 9, *row] for k, row in enumerate(rows)]
    return csv(table, ["Timestamp", "How old are you?", *heads])


def qualtrics(heads, rows) -> bytes:
    own = [f"Q{k + 2}" for k in range(len(heads))]
    columns = ["StartDate", "Progress", "ResponseId", "Q1", *own]
    above = [["Start Date", "Progress", "Response ID", "Do you agree to take part?", *heads],
             [json.dumps({"ImportId": name}) for name in columns]]
    below = [[f"2026-01-0{k % 9 + 1}", 100, f"R_{k:03}", "Yes", *row] for k, row in enumerate(rows)]
    return csv([*above, *below], columns)


def surveymonkey(heads, rows) -> bytes:
    below = [[1000 + k, 7, *row] for k, row in enumerate(rows)]
    return csv([["", "", *["Response"] * len(heads)], *below],
               ["Respondent ID", "Collector ID", *heads])


def csv(rows, columns) -> bytes:
    return pd.DataFrame(rows, columns=columns).to_csv(index=False).encode()


FORMS: tuple[Callable[..., bytes], ...] = (google, qualtrics, surveymonkey)


def read_as(data: bytes, columns: dict[str, str] | None = None) -> Counter:
    answers = ts.read(data, columns)
    return Counter(tuple(answers.ids[k] for k in row) for row in answers.rows.tolist())


@pytest.mark.parametrize("text", ASKED)
@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_a_column_a_question_is_read(form, text):
    heads, rows, meant = survey(text, ASKED[text])
    assert read_as(form(heads, rows)) == meant


def test_names_of_several_words_numbers_and_what_names_no_option():
    names = [f"{colour} {shape}" for colour in ("red", "blue", "tiny", "big", "old")
             for shape in ("square", "star")]
    heads, rows, meant = survey("Is the {a} more similar to the {b} or to the {c}?", "nearer",
                                names=names)
    heads = [f"{k + 1}. {head}" for k, head in enumerate(heads)]
    assert read_as(qualtrics(heads, rows)) == meant
    unsure = [["Not sure" if (i + k) % 9 == 0 else cell for k, cell in enumerate(row)]
              for i, row in enumerate(rows)]
    found = read_as(google(heads, unsure))
    assert found <= meant
    assert found.total() == sum(cell != "Not sure" for row in unsure for cell in row)
    assert any("Not sure" in note for note in load(google(heads, unsure)).notes)


def test_options_that_only_answers_name():
    """Where all chose the same option nobody knows the other one, which is said."""
    heads, rows, meant = survey("Which is more similar to {a}?", "nearer")
    found = read_as(google(heads, rows))
    assert 0 < found.total() < meant.total()
    assert found <= meant
    assert any("answered alike" in note for note in load(google(heads, rows)).notes)


def test_numbers_of_options_stand_for_them():
    heads, rows, meant = survey("Is {a} more similar to {b} or to {c}?", "nearer")
    order = [[head[:-1].split(" similar to ")[1].split(" or to ").index(cell) + 1
              for head, cell in zip(heads, row, strict=True)] for row in rows]
    asked = {"anchor": "item1", "left": "item2", "right": "item3", "choice": "choice",
             "choice_coding": "position_1"}
    assert read_as(qualtrics(heads, order), asked) == meant


@pytest.mark.parametrize("text", [
    "How similar are the {a} and the {b}?", "Rate the similarity of {a} and {b} (1 to 7)",
    "Wie unähnlich sind {a} und {b}?",
])
@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_ratings_asked_in_sentences(form, text):
    rng = np.random.default_rng(2)
    pairs = [(a, b) for a in range(7) for b in range(a)]
    heads = [text.format(a=NAMES[a], b=NAMES[b]) for a, b in pairs]
    values = [[float(np.clip(np.round(2 * APART[a, b] + rng.normal()), 1, 7)) for a, b in pairs]
              for _ in range(8)]
    means_similar = "unähnlich" not in text
    given = [[int(8 - one if means_similar else one) for one in row] for row in values]
    rated = ts.ratings.read_measured(form(heads, given))
    assert len(rated.raters) == 8
    assert sorted(rated.ids) == sorted(NAMES[:7])
    order = [rated.ids.index(name) for name in NAMES[:7]]
    got = rated.dissimilarities().mean[np.ix_(order, order)][tuple(zip(*pairs, strict=True))]
    assert np.corrcoef(got, np.mean(values, axis=0))[0, 1] > 0.99


@pytest.mark.parametrize("questions", [
    [f"I see myself as someone who {what}" for what in ("talks", "worries", "is lazy", "is kind")],
    [f"Do you own a {what}?" for what in ("car", "bike", "dog", "cat", "house")],
    ["Do you like tea or coffee?", "Do you like cats or dogs?", "Do you like beer or wine?",
     "Do you like summer or winter?", "Do you like sweet or salty?"],
    ["What is the capital of France? Paris, Lyon or Nice",
     "What is the capital of Italy? Rome, Milan or Turin",
     "What is the capital of Japan? Tokyo, Kyoto or Osaka",
     "What is the capital of Peru? Lima, Cusco or Ica"],
    [f"How often do you eat {what}?" for what in ("rice", "bread", "soup", "fish", "meat")],
], ids=["traits", "things", "likes", "quiz", "numbers"])
@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_other_questionnaires_hold_no_judgements(form, questions):
    rng = np.random.default_rng(3)

    def options(question: str) -> list:
        if "like" in question:
            return question[12:-1].split(" or ")
        if "capital" in question:
            return question.partition("? ")[2].replace(" or ", ", ").split(", ")
        if "often" in question:
            return [*range(1, 8)]
        return ["Yes", "No"] if "own" in question else ["Agree", "Neutral", "Disagree"]

    rows = [[rng.choice(options(question)) for question in questions] for _ in range(30)]
    with pytest.raises(OtherTask):
        ts.read(form(questions, rows))


@pytest.mark.parametrize(("anchor", "option"), [
    ("<img src='{}.png'>", "{}"), ("<p>{}</p>", "{}"), ("Which is more similar to {}?", "{}"),
    ("<p>Which?</p><img src=\"img/{}.jpg\" width=200>", "<img src=\"img/{}.jpg\">"),
])
@pytest.mark.parametrize("as_json", [True, False])
def test_objects_inside_of_html_and_questions(anchor, option, as_json):
    """Screens between the trials show something else."""
    rng = np.random.default_rng(4)
    records, meant = [], Counter()
    for _ in range(200):
        a, b, c = map(int, rng.permutation(10)[:3])
        said, ((_, near, far),) = answered((a, b, c), "nearer", rng)
        meant[NAMES[a], NAMES[near], NAMES[far]] += 1
        records += [
            {"trial_type": "html-keyboard-response", "stimulus": "<p>+</p>", "choices": ["Next"],
             "response": None, "rt": 500},
            {"trial_type": "html-button-response", "stimulus": anchor.format(NAMES[a]),
             "choices": [option.format(NAMES[b]), option.format(NAMES[c])],
             "response": int(said == c), "rt": int(rng.integers(500, 3000))},
        ]
    data = json.dumps(records).encode() if as_json else pd.DataFrame(
        [{**one, "choices": json.dumps(one["choices"])} for one in records]
    ).to_csv(index=False).encode()
    answers = ts.read(data)
    names = answers.labels
    assert Counter(tuple(names[k] for k in row) for row in answers.rows.tolist()) == meant


def test_comments_that_mention_objects_stay_as_they_are():
    rng = np.random.default_rng(5)
    rows = [[NAMES[k] for k in rng.permutation(10)[:3]] for _ in range(120)]
    table = pd.DataFrame(rows, columns=["anchor", "near", "far"])
    table["comment"] = [f"I had {k % 40} doubts, {row[0]}!" if k % 4 else f"was it {k}?"
                        for k, row in enumerate(rows)]
    answers = ts.read(table.to_csv(index=False).encode())
    assert answers.answers["comment"].astype(str).tolist() == table["comment"].tolist()


def test_numbers_of_columns_are_a_response():
    heads, rows = ["similar_to_top", "pos1", "pos2", "pos3"], []
    rng, meant = np.random.default_rng(6), Counter()
    for _ in range(200):
        a, b, c = map(int, rng.permutation(10)[:3])
        said, ((_, near, far),) = answered((a, b, c), "nearer", rng)
        meant[NAMES[a], NAMES[near], NAMES[far]] += 1
        rows.append([2 if said == b else 3, NAMES[a], NAMES[b], NAMES[c]])
    assert read_as(csv(rows, heads)) == meant


def test_a_graded_response_is_not_passed_over():
    rng = np.random.default_rng(8)
    rows = [[k % 8, *(NAMES[one] for one in rng.permutation(10)[:3]), int(rng.integers(1, 7))]
            for k in range(200)]
    with pytest.raises(OtherTask):
        ts.read(csv(rows, ["pid", "ref", "A", "B", "rating"]))


# One container a person ---------------------------------------------------------------------------


def trials(number: int = 160) -> tuple[list[dict], Counter]:
    rng, records, meant = np.random.default_rng(9), [], Counter()
    for k in range(number):
        a, b, c = map(int, rng.permutation(10)[:3])
        said, ((_, near, far),) = answered((a, b, c), "nearer", rng)
        meant[NAMES[a], NAMES[near], NAMES[far]] += 1
        records.append({
            "anchor": NAMES[a], "left": NAMES[b], "right": NAMES[c],
            "choice": "left" if said == b else "right", "rt": 900 + k,
        })
    return records, meant


def keyed(records: list) -> bytes:
    """As Firebase exports what it holds."""
    return json.dumps({
        f"-Nx{who}": {"info": {"age": 20, "browser": "Chrome"},
                      "trials": {f"-O{k:03}": one for k, one in enumerate(records[who::8])}}
        for who in range(8)
    }).encode()


def nested(records: list) -> bytes:
    return json.dumps({"study": "x", "participants": [
        {"id": f"s{who}", "age": 20, "trials": records[who::8]} for who in range(8)
    ]}).encode()


def numbered(records: list, pattern: str = "t{k}_{field}") -> bytes:
    return pd.DataFrame([
        {"subject": f"s{who}", **{pattern.format(k=k + 1, field=field): value
                                  for k, one in enumerate(records[who::8])
                                  for field, value in one.items()}}
        for who in range(8)
    ]).to_csv(index=False).encode()


def sheets(records: list) -> bytes:
    buffer = io.BytesIO()
    with pd.ExcelWriter(buffer) as book:
        for who in range(8):
            pd.DataFrame(records[who::8]).to_excel(book, sheet_name=f"P{who + 1}", index=False)
        pd.DataFrame({"age": [20, 30]}).to_excel(book, sheet_name="People", index=False)
    return buffer.getvalue()


@pytest.mark.parametrize("write", [
    keyed, nested, numbered, partial(numbered, pattern="{field}.{k}"), sheets,
], ids=["keyed", "nested", "numbered", "numbered behind", "sheets"])
def test_each_person_has_a_part_of_the_file(write):
    records, meant = trials()
    answers = ts.read(write(records))
    assert Counter(tuple(answers.ids[k] for k in row) for row in answers.rows.tolist()) == meant
    if write is not nested:
        assert answers.answers["participant"].nunique() == 8


@pytest.mark.parametrize("fields", [
    ("ext", "agr", "neu"), ("mood", "sleep", "stress", "answer"), ("a", "b", "c", "choice"),
])
@pytest.mark.parametrize("values", [[*range(1, 8)], ["calm", "sad", "happy", "angry"]])
def test_batteries_of_scales_are_no_trials(fields, values):
    rng = np.random.default_rng(10)
    table = pd.DataFrame([
        {"id": k, **{f"{field}{i}": rng.choice(values) for i in range(1, 9) for field in fields}}
        for k in range(40)
    ])
    with pytest.raises(OtherTask):
        ts.read(table.to_csv(index=False).encode())


@pytest.mark.parametrize("name", ["p_left", "score_left", "left.rating"])
def test_a_number_about_an_option_is_a_response_that_nobody_passes_over(name):
    records, _ = trials()
    table = pd.DataFrame(records).drop(columns=["choice", "rt"])
    table[name] = np.random.default_rng(11).random(len(table)).round(2)
    with pytest.raises(OtherTask):
        ts.read(table.to_csv(index=False).encode())
